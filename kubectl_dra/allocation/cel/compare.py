"""Equality and order of values, across the number types (cel-go: common/types, compare.go)."""

from collections.abc import Callable
from typing import NoReturn

from kubectl_dra.allocation.cel import map_keys
from kubectl_dra.allocation.cel.bounds import Walk
from kubectl_dra.allocation.cel.errors import EvaluationError, NoSuchOverload, Unsupported
from kubectl_dra.allocation.cel.library.address import Cidr, Ip
from kubectl_dra.allocation.cel.library.amount import QuantityValue
from kubectl_dra.allocation.cel.library.link import Url
from kubectl_dra.allocation.cel.library.named_formats import NamedFormat
from kubectl_dra.allocation.cel.moments import Duration, Timestamp
from kubectl_dra.allocation.cel.values import (
    ABSENT,
    MAX_INT,
    MAX_UINT,
    DomainMap,
    ListValue,
    MapValue,
    Optional,
    StringMap,
    TypedMap,
    TypeValue,
    UInt,
    Undecided,
    Value,
)
from kubectl_dra.objects.semver import Semver


def equal(one: Value, other: Value, walk: Walk | None = None) -> bool:
    """`one == other`. Raises NoSuchOverload where upstream's left side knows nothing of the right."""
    if type(other) is Undecided:
        _undecided(other, one)
    if one is None or other is None:
        return one is None and other is None
    if isinstance(one, ListValue):
        return _list_equal(one, other, walk or Walk())
    if isinstance(one, MapValue):
        return _map_equal(one, other, walk or Walk())
    return _EQUAL[type(one)](one, other)


def same(one: Value, other: Value) -> bool:
    """True when they are equal; what cannot be compared is not the same."""
    if type(other) is Undecided:
        _undecided(other, one)
    try:
        return _EQUAL[type(one)](one, other)
    except NoSuchOverload:
        return False


def order(one: Value, other: Value) -> int:
    """-1, 0 or 1. Raises NoSuchOverload for types without an order, EvaluationError for NaN."""
    kind, other_kind = type(one), type(other)
    if kind is other_kind and kind in _PLAIN:
        return int(one > other) - int(one < other)
    if kind in _NUMBERS:
        return _number_order(one, other)
    if Undecided in (kind, other_kind):
        _undecided(one if kind is Undecided else other, one)
    if kind is not other_kind:
        raise NoSuchOverload
    if kind is Duration:
        return int(one.nanoseconds > other.nanoseconds) - int(one.nanoseconds < other.nanoseconds)
    if kind is Timestamp:
        return int(one.instant > other.instant) - int(one.instant < other.instant)
    raise NoSuchOverload


_PLAIN = (int, str, bool, bytes)
_NUMBERS = (int, float, UInt)


def _number_order(one: Value, other: Value) -> int:
    kind, other_kind = type(one), type(other)
    if kind is float and one != one:
        raise EvaluationError("NaN values cannot be ordered")
    if other_kind is Undecided:
        _undecided(other, one)
    if other_kind not in _NUMBERS:
        raise NoSuchOverload
    if other_kind is float and other != other:
        raise EvaluationError("NaN values cannot be ordered")
    return _numbers(one, other)


def _numbers(one: Value, other: Value) -> int:
    """The order of two numbers that are not NaN."""
    kind, other_kind = type(one), type(other)
    if kind is not float and other_kind is not float:
        left = one.number if kind is UInt else one
        right = other.number if other_kind is UInt else other
        return int(left > right) - int(left < right)
    if kind is not float:
        return -_numbers(other, one)
    if other_kind is int:
        if one < -(2**63):
            return -1
        if one > MAX_INT:
            return 1
        other = float(other)
    elif other_kind is UInt:
        if one < 0:
            return -1
        if one > MAX_UINT:
            return 1
        other = float(other.number)
    return int(one > other) - int(one < other)


def _number_equal(one: Value, other: Value) -> bool:
    kind = type(other)
    if kind is type(one):
        return bool(one == other)
    if kind not in _NUMBERS or (type(one) is float and one != one) or (kind is float and other != other):
        return False
    return _numbers(one, other) == 0


def _list_equal(one: ListValue, other: Value, walk: Walk) -> bool:
    if type(other) is not ListValue or len(one.items) != len(other.items):
        return False
    walk.visit(len(one.items))
    failure: NoSuchOverload | None = None
    for left, right in zip(one.items, other.items, strict=True):
        try:
            if not equal(left, right, walk):
                return False
        except NoSuchOverload as error:
            # A plain list takes elements that cannot be compared for equal; a concatenated one says so.
            failure = failure or (error if one.concatenated else None)
    if failure is not None:
        raise failure
    return True


def _map_equal(one: MapValue, other: Value, walk: Walk) -> bool:
    if not isinstance(other, MapValue) or len(one.entries) != len(other.entries):
        return False
    walk.visit(len(one.entries))
    for key, value in zip(one.key_values(), one.entries.values(), strict=True):
        found = map_keys.find(other, key)
        if found is ABSENT:
            return False
        try:
            if not equal(value, found, walk):
                return False
        except NoSuchOverload:
            continue
    return True


def _optional_equal(one: Optional, other: Value) -> bool:
    if type(other) is not Optional:
        return False
    if not one.present or not other.present:
        return one.present is other.present
    return _EQUAL[type(one.value)](one.value, other.value)


def _quantity_equal(one: QuantityValue, other: Value) -> bool:
    # The library gives sums as pointers, and only values are known on the right (apiserver: pkg/cel/quantity.go).
    if type(other) is not QuantityValue or other.pointer:
        raise NoSuchOverload
    return one.compare(other) == 0


def _strict(kind: type, key: Callable[[Value], object]) -> Callable[[Value, Value], bool]:
    def compared(one: Value, other: Value) -> bool:
        if type(other) is not kind:
            raise NoSuchOverload
        return key(one) == key(other)

    return compared


def _lenient(kind: type, key: Callable[[Value], object]) -> Callable[[Value, Value], bool]:
    return lambda one, other: type(other) is kind and key(one) == key(other)


def _undecided(one: Undecided, _: Value) -> NoReturn:
    raise Unsupported(f"{one.what} are not known here")


def _itself(value: Value) -> object:
    return value


_EQUAL: dict[type, Callable[[Value, Value], bool]] = {
    bool: _lenient(bool, _itself),
    int: _number_equal,
    UInt: _number_equal,
    float: _number_equal,
    str: _lenient(str, _itself),
    bytes: _lenient(bytes, _itself),
    type(None): lambda one, other: other is None,
    **dict.fromkeys((ListValue, MapValue, StringMap, DomainMap, TypedMap), equal),
    Optional: _optional_equal,
    TypeValue: _lenient(TypeValue, lambda value: value.name),
    Duration: _lenient(Duration, lambda value: value.nanoseconds),
    Timestamp: _lenient(Timestamp, lambda value: value.instant),
    QuantityValue: _quantity_equal,
    Semver: _strict(Semver, lambda value: value.precedence),
    Url: _strict(Url, str),
    NamedFormat: _strict(NamedFormat, lambda value: value.name),
    Undecided: _undecided,
    Ip: _strict(Ip, str),
    Cidr: _strict(Cidr, str),
}
