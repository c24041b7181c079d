"""The operators on numbers, texts, lists and times, with overflow errors (cel-go: common/types, overflow.go)."""

import math
from collections.abc import Callable

from kubectl_dra.allocation.cel.bounds import MOST_ELEMENTS, small_enough
from kubectl_dra.allocation.cel.compare import order
from kubectl_dra.allocation.cel.errors import EvaluationError, NoSuchOverload
from kubectl_dra.allocation.cel.kinds import ADDERS, COMPARERS, MODDERS, MULTIPLIERS, NEGATORS, RECEIVERS, SUBTRACTORS, type_name
from kubectl_dra.allocation.cel.moments import Duration, Timestamp, between, duration, later, truncated
from kubectl_dra.allocation.cel.values import MAX_INT, MAX_UINT, MIN_INT, ListValue, UInt, Value

Binary = Callable[[Value, Value], Value]


def checked_int(value: int) -> int:
    """An int64. Raises EvaluationError beyond it."""
    if not MIN_INT <= value <= MAX_INT:
        raise EvaluationError("integer overflow")
    return value


def _checked_uint(value: int) -> UInt:
    if not 0 <= value <= MAX_UINT:
        raise EvaluationError("unsigned integer overflow")
    return UInt(value)


def no_overload(operator: str, value: Value) -> NoSuchOverload:
    """What an operator says to a left side that does not take it. Raises Unsupported when nobody knows what that is."""
    type_name(value)
    return NoSuchOverload() if type(value) in RECEIVERS else NoSuchOverload(f"no such overload: {operator}")


def _guarded(operator: str, takers: tuple[type, ...], compute: Binary) -> Binary:
    def operation(one: Value, other: Value) -> Value:
        if type(one) not in takers:
            raise no_overload(operator, one)
        try:
            return compute(one, other)
        except NoSuchOverload:
            type_name(other)  # raises Unsupported for what nobody knows
            raise

    return operation


def _add(one: Value, other: Value) -> Value:
    kind, other_kind = type(one), type(other)
    if kind is Duration and other_kind is Timestamp:
        return later(other, one)
    if kind is Timestamp and other_kind is Duration:
        return later(one, other)
    if kind is not other_kind or kind is Timestamp:
        raise NoSuchOverload
    if kind is int:
        return checked_int(one + other)
    if kind is UInt:
        return _checked_uint(one.number + other.number)
    if kind is ListValue:
        return _concatenated(one, other)
    if kind is Duration:
        return duration(one.nanoseconds + other.nanoseconds)
    return one + other


def _concatenated(one: ListValue, other: ListValue) -> ListValue:
    small_enough(len(one.items) + len(other.items), MOST_ELEMENTS)
    if one.mutable:
        one.items.extend(list(other.items))
        return one
    if not one.items:
        return other
    if not other.items:
        return one
    return ListValue(one.items + other.items, concatenated=True)


def _subtract(one: Value, other: Value) -> Value:
    kind, other_kind = type(one), type(other)
    if kind is Timestamp and other_kind is Duration:
        return later(one, negated(other))
    if kind is not other_kind:
        raise NoSuchOverload
    if kind is int:
        return checked_int(one - other)
    if kind is UInt:
        return _checked_uint(one.number - other.number)
    if kind is Duration:
        return duration(one.nanoseconds - other.nanoseconds)
    if kind is Timestamp:
        return between(one, other)
    return one - other


def _multiply(one: Value, other: Value) -> Value:
    kind = type(one)
    if kind is not type(other):
        raise NoSuchOverload
    if kind is int:
        return checked_int(one * other)
    return _checked_uint(one.number * other.number) if kind is UInt else one * other


def _divide(one: Value, other: Value) -> Value:
    kind = type(one)
    if kind is not type(other):
        raise NoSuchOverload
    if kind is float:
        return _float_quotient(one, other)
    left, right = (one.number, other.number) if kind is UInt else (one, other)
    if right == 0:
        raise EvaluationError("division by zero")
    quotient = truncated(left, right)[0]
    return UInt(quotient) if kind is UInt else checked_int(quotient)


def _float_quotient(one: float, other: float) -> float:
    if other != 0:
        return one / other
    if one == 0 or one != one:
        return math.nan
    return math.copysign(math.inf, one) * math.copysign(1.0, other)


def _modulo(one: Value, other: Value) -> Value:
    kind = type(one)
    if kind is not type(other):
        raise NoSuchOverload
    left, right = (one.number, other.number) if kind is UInt else (one, other)
    if right == 0:
        raise EvaluationError("modulus by zero")
    if kind is int and left == MIN_INT and right == -1:
        raise EvaluationError("integer overflow")
    rest = truncated(left, right)[1]
    return UInt(rest) if kind is UInt else rest


def negated(value: Value) -> Value:
    """`-value`."""
    kind = type(value)
    if kind not in NEGATORS:
        raise no_overload("-_", value)
    if kind is bool:
        raise NoSuchOverload
    if kind is int:
        return checked_int(-value)
    return duration(-value.nanoseconds) if kind is Duration else -value


def inverted(value: Value) -> bool:
    """`!value`."""
    if type(value) is not bool:
        raise NoSuchOverload
    return not value


BINARY: dict[str, Binary] = {
    "_+_": _guarded("_+_", ADDERS, _add),
    "_-_": _guarded("_-_", SUBTRACTORS, _subtract),
    "_*_": _guarded("_*_", MULTIPLIERS, _multiply),
    "_/_": _guarded("_/_", MULTIPLIERS, _divide),
    "_%_": _guarded("_%_", MODDERS, _modulo),
    "_<_": _guarded("_<_", COMPARERS, lambda one, other: order(one, other) < 0),
    "_<=_": _guarded("_<=_", COMPARERS, lambda one, other: order(one, other) <= 0),
    "_>_": _guarded("_>_", COMPARERS, lambda one, other: order(one, other) > 0),
    "_>=_": _guarded("_>=_", COMPARERS, lambda one, other: order(one, other) >= 0),
}
"""The operators, which look at the type of their left side at run time."""
