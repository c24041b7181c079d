"""Running through lists and maps (cel-go: interpreter/interpretable.go, evalFold and folder)."""

from kubectl_dra.allocation.cel.errors import EvaluationError, Unsupported
from kubectl_dra.allocation.cel.frame import Frame, Run
from kubectl_dra.allocation.cel.kinds import go_type
from kubectl_dra.allocation.cel.values import ListValue, MapValue, Value


class _Unset:
    """The accumulator before anybody has asked for it."""


_UNSET = _Unset()


def accumulator(slot: int, initial: Run) -> Run:
    """Reads the accumulator; its start is worked out when it is first read, and an error in it stays in it."""

    def read(frame: Frame) -> Value:
        value = frame.slots[slot]
        if value is _UNSET:
            try:
                value = _own(initial(frame))
            except EvaluationError as error:
                value = error
            frame.slots[slot] = value
        if isinstance(value, EvaluationError):
            raise value.with_traceback(None)
        return value

    return read


def _own(value: Value) -> Value:
    """Empty lists and maps are replaced by ones that may be changed in place."""
    if type(value) is ListValue and not value.items:
        return ListValue([], mutable=True)
    if isinstance(value, MapValue) and not value.entries:
        return MapValue({})
    return value


def variable(slot: int) -> Run:
    """Reads an iteration variable."""

    def read(frame: Frame) -> Value:
        return frame.slots[slot]

    return read


def fold(span: Run, slots: tuple[int, int, int], condition: Run, step: Run, result: Run, *, pairs: bool) -> Run:
    """The loop. `slots` are those of the accumulator and of the iteration variables; `pairs` when there are two of these."""
    accumulated, first, second = slots

    def run(frame: Frame) -> Value:
        spanned = span(frame)
        items = pairs_of(spanned) if pairs else items_of(spanned)
        if type(spanned) is not ListValue and len(items) > 1:
            frame.order_seen = True
            if frame.backwards:
                items.reverse()
        variables, expired = frame.slots, frame.expired
        variables[accumulated] = _UNSET
        for one, other in items:
            variables[first] = one
            if pairs:
                variables[second] = other
            if expired is not None and expired():
                raise Unsupported("the time is up")
            try:
                if condition(frame) is False:
                    break
            except EvaluationError:
                pass  # only a plain false ends the loop
            try:
                variables[accumulated] = step(frame)
            except EvaluationError as error:
                variables[accumulated] = error
        value = result(frame)
        return ListValue(value.items) if type(value) is ListValue and value.mutable else value

    return run


def items_of(value: Value) -> list[tuple[Value, Value]]:
    """What one variable runs through: elements, or keys. Raises EvaluationError for anything else."""
    if type(value) is ListValue:
        return [(item, None) for item in value.items]
    if isinstance(value, MapValue):
        return [(key, None) for key in value.key_values()]
    raise EvaluationError(f"got '{go_type(value)}', expected iterable type")


def pairs_of(value: Value) -> list[tuple[Value, Value]]:
    """What two variables run through: keys or places, and values. Raises EvaluationError for anything else."""
    if isinstance(value, MapValue):
        return list(zip(value.key_values(), value.entries.values(), strict=True))
    if type(value) is ListValue:
        return list(enumerate(value.items))
    raise EvaluationError(f"unsupported comprehension range type: {go_type(value)}")
