"""Calls, charged for as upstream charges: also when an argument is an error, as long as all of them have been looked at."""

from collections.abc import Callable, Sequence

from kubectl_dra.allocation.cel.compare import equal
from kubectl_dra.allocation.cel.cost import FAILED, Cost, equality, inequality, is_single, traversal
from kubectl_dra.allocation.cel.errors import EvaluationError, NoSuchOverload
from kubectl_dra.allocation.cel.frame import Frame, Run
from kubectl_dra.allocation.cel.kinds import type_name
from kubectl_dra.allocation.cel.values import Optional, Value

Function = Callable[..., Value]


def _settled(run: Run, frame: Frame) -> Value:
    try:
        return run(frame)
    except EvaluationError:
        return FAILED


def unary(function: Function, operand: Run, cost: Cost, *, quadratic: bool = False) -> Run:
    """A call with one argument. A `quadratic` one is not begun when its cost, which depends on the argument alone, is beyond the limit."""

    def run(frame: Frame) -> Value:
        try:
            value = operand(frame)
        except EvaluationError:
            frame.charge(cost((FAILED,), FAILED))
            raise
        if quadratic:
            frame.affords(cost((value,), FAILED))
        try:
            result = function(value)
        except EvaluationError:
            frame.charge(cost((value,), FAILED))
            raise
        frame.charge(cost((value,), result))
        return result

    return run


def binary(function: Function, left: Run, right: Run, cost: Cost, *, quadratic: bool = False) -> Run:
    """A call with two arguments: the second is looked at even if the first is an error. For `quadratic` see `unary`."""
    single = is_single(cost)

    def run(frame: Frame) -> Value:
        try:
            one = left(frame)
        except EvaluationError:
            other = _settled(right, frame)
            frame.charge(1 if single else cost((FAILED, other), FAILED))
            raise
        try:
            other = right(frame)
        except EvaluationError:
            frame.charge(1 if single else cost((one, FAILED), FAILED))
            raise
        if quadratic:
            frame.affords(cost((one, other), FAILED))
        try:
            result = function(one, other)
        except EvaluationError:
            frame.charge(1 if single else cost((one, other), FAILED))
            raise
        frame.charge(1 if single else cost((one, other), result))
        return result

    return run


def several(function: Function, operands: Sequence[Run], cost: Cost) -> Run:
    """A call with any number of arguments: the first error ends it, and unless that is the last argument nothing is charged."""
    last = len(operands) - 1

    def run(frame: Frame) -> Value:
        values: list[Value] = []
        for place, operand in enumerate(operands):
            try:
                values.append(operand(frame))
            except EvaluationError:
                if place == last:
                    frame.charge(cost((*values, FAILED), FAILED))
                raise
        try:
            result = function(*values)
        except EvaluationError:
            frame.charge(cost(values, FAILED))
            raise
        frame.charge(cost(values, result))
        return result

    return run


def equals(left: Run, right: Run) -> Run:
    """`==`."""
    return binary(equal, left, right, lambda arguments, _: equality(*arguments))


def equals_text(left: Run, text: str) -> Run:
    """`== "text"`, by far the commonest."""
    longest = len(text)
    costs = [traversal(count) for count in range(longest + 1)]
    single = costs[min(1, longest)]

    def run(frame: Frame) -> Value:
        try:
            value = left(frame)
        except EvaluationError:
            frame.charge(single)
            raise
        if type(value) is str:
            count = len(value)
            frame.cost += costs[count if count < longest else longest]
            if frame.cost > frame.limit:
                frame.charge(0)
            return value == text
        frame.charge(equality(value, text))
        return equal(value, text)

    return run


def differs(left: Run, right: Run) -> Run:
    """`!=`: what cannot be compared differs."""

    def compare(one: Value, other: Value) -> bool:
        try:
            return not equal(one, other)
        except NoSuchOverload:
            return True

    return binary(compare, left, right, lambda arguments, _: inequality(*arguments))


def conjunction(terms: Sequence[Run]) -> Run:
    """`&&`: false wins over errors, whichever side it stands on."""
    return _absorbing(terms, False)


def disjunction(terms: Sequence[Run]) -> Run:
    """`||`: true wins over errors."""
    return _absorbing(terms, True)


def _absorbing(terms: Sequence[Run], decisive: bool) -> Run:
    left, right = terms

    def run(frame: Frame) -> Value:
        failure: EvaluationError | None = None
        try:
            value = left(frame)
            if value is decisive:
                return decisive
            if type(value) is not bool:
                failure = _no_bool(value)
        except EvaluationError as error:
            failure = error
        try:
            value = right(frame)
            if value is decisive:
                return decisive
            if type(value) is not bool and failure is None:
                failure = _no_bool(value)
        except EvaluationError as error:
            failure = failure or error
        if failure is not None:
            raise failure.with_traceback(None)
        return not decisive

    return run


def _no_bool(value: Value) -> NoSuchOverload:
    """Raises Unsupported for a value that nobody knows."""
    type_name(value)
    return NoSuchOverload()


def not_strictly_false(operand: Run) -> Run:
    """Whether a fold goes on: errors and what is no bool count as true."""

    def run(frame: Frame) -> Value:
        value = _settled(operand, frame)
        frame.charge(1)
        return value if type(value) is bool else True

    return run


def optional_or(left: Run, right: Run, *, value: bool) -> Run:
    """`or` and, with `value`, `orValue`: the right side is looked at only when the left is empty. Costs nothing itself."""

    def run(frame: Frame) -> Value:
        found = left(frame)
        if type(found) is not Optional:
            raise NoSuchOverload
        if not found.present:
            return right(frame)
        return found.value if value else found

    return run


def member_of_constants(operand: Run, members: frozenset[Value], key: Callable[[Value], Value]) -> Run:
    """`x in ["a", "b"]` with plain constants: a set, and without cost."""

    def run(frame: Frame) -> Value:
        value = operand(frame)
        return (value if type(value) is str else key(value)) in members

    return run
