"""Lists: cel-go's extension, version 3 (ext/lists.go), and Kubernetes' own (apiserver: pkg/cel/library/lists.go)."""

from collections.abc import Callable
from functools import cmp_to_key

from kubectl_dra.allocation.cel.arithmetic import BINARY
from kubectl_dra.allocation.cel.compare import order, same
from kubectl_dra.allocation.cel.errors import EvaluationError, NoSuchOverload, Unsupported
from kubectl_dra.allocation.cel.kinds import ADDERS, COMPARERS, type_text
from kubectl_dra.allocation.cel.library.binding import Implementation
from kubectl_dra.allocation.cel.moments import Duration
from kubectl_dra.allocation.cel.values import ListValue, UInt, Value

_LONGEST_RANGE = 1_000_000


def _slice(values: ListValue, start: int, end: int) -> ListValue:
    if start < 0 or end < 0:
        raise EvaluationError(f"cannot slice({start}, {end}), negative indexes not supported")
    if start > end:
        raise EvaluationError(f"cannot slice({start}, {end}), start index must be less than or equal to end index")
    if len(values.items) < end:
        raise EvaluationError(f"cannot slice({start}, {end}), list is length {len(values.items)}")
    return ListValue(values.items[start:end])


def _flatten(values: Value, *depths: Value) -> ListValue:
    depth = depths[0] if depths else 1
    if type(values) is not ListValue or type(depth) is not int:
        raise NoSuchOverload(f"no such overload: {type_text(values)}.flatten({', '.join(map(type_text, depths))})")
    if depth < 0:
        raise EvaluationError("level must be non-negative")
    return ListValue(_flat(values.items, depth))


def _flat(items: list[Value], depth: int) -> list[Value]:
    found: list[Value] = []
    for item in items:
        if type(item) is ListValue and depth > 0:
            found.extend(_flat(item.items, depth - 1))
        else:
            found.append(item)
    return found


def sort_by_keys(values: ListValue, keys: ListValue) -> ListValue:
    """`values` in the order of `keys`."""
    if len(values.items) != len(keys.items):
        counts = f"{len(values.items)} and {len(keys.items)} elements respectively"
        raise EvaluationError(f"@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got {counts}")
    if not values.items:
        return values
    if type(keys.items[0]) not in COMPARERS:
        raise EvaluationError("list elements must be comparable")
    if len({type(key) for key in keys.items}) > 1:
        raise EvaluationError("list elements must have the same type")
    places = list(range(len(keys.items)))
    if len(places) > _INSERTED:

        def compared(one: int, other: int) -> int:
            return _ordered(keys.items[one], keys.items[other], ties=values is keys)

        places.sort(key=cmp_to_key(compared))
    else:
        _insertion_sort(places, lambda one, other: _before(keys.items[one], keys.items[other]))
    return ListValue([values.items[place] for place in places])


_INSERTED = 12
"""Up to so many elements Go sorts by insertion, which is stable; what it does to equal ones beyond that is its secret."""


def _insertion_sort(places: list[int], less: Callable[[int, int], bool]) -> None:
    for end in range(1, len(places)):
        at = end
        while at and less(places[at], places[at - 1]):
            places[at], places[at - 1] = places[at - 1], places[at]
            at -= 1


def _before(one: Value, other: Value) -> bool:
    try:
        return order(one, other) < 0
    except EvaluationError:
        return False


def _ordered(one: Value, other: Value, *, ties: bool) -> int:
    try:
        result = order(one, other)
    except EvaluationError:
        raise Unsupported("a long list with NaN in it is sorted in an order that cannot be told here") from None
    if result == 0 and not ties:
        raise Unsupported("a long list is sorted by keys of which some are equal: the order of their elements cannot be told here")
    return result


def _range(count: int) -> ListValue:
    if count < 0:
        raise EvaluationError(f"lists.range: size must be non-negative, got {count}")
    if count > _LONGEST_RANGE:
        raise EvaluationError(f"lists.range: size {count} exceeds maximum allowed ({_LONGEST_RANGE})")
    return ListValue(list(range(count)))


def _distinct(values: ListValue) -> ListValue:
    found: list[Value] = []
    for value in values.items:
        if not any(same(value, other) for other in found):
            found.append(value)
    return ListValue(found) if values.items else values


def _is_sorted(values: ListValue) -> bool:
    previous: Value = None
    for place, value in enumerate(values.items):
        if type(value) not in COMPARERS:
            raise NoSuchOverload
        if place and _after(previous, value):
            return False
        previous = value
    return True


def _after(one: Value, other: Value) -> bool:
    """True only for values that can be compared: upstream drops the error."""
    try:
        return order(one, other) > 0
    except EvaluationError:
        return False


def _sum(zero: Value) -> Implementation:
    def total(values: ListValue) -> Value:
        result = zero
        for value in values.items:
            if type(value) not in ADDERS:
                raise NoSuchOverload
            result = BINARY["_+_"](result, value)
        return result

    return total


def _best(name: str, sign: int) -> Implementation:
    def best(values: ListValue) -> Value:
        if not values.items:
            raise EvaluationError(f"{name} called on empty list")
        result = values.items[0]
        for value in values.items:
            if type(value) not in COMPARERS:
                raise NoSuchOverload
            if _after(result, value) if sign > 0 else _after(value, result):
                result = value
        return result

    return best


def _index(values: ListValue, item: Value) -> int:
    return next((place for place, value in enumerate(values.items) if same(value, item)), -1)


def _last_index(values: ListValue, item: Value) -> int:
    return next((place for place in reversed(range(len(values.items))) if same(values.items[place], item)), -1)


def _includes(values: Value, item: Value) -> bool:
    if type(values) is ListValue:
        return any(same(value, item) for value in values.items)
    return same(values, item)


_ZEROS = {"int": 0, "uint": UInt(0), "double": 0.0, "duration": Duration(0)}
_COMPARABLE = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")
IMPLEMENTATIONS: dict[str, Implementation] = {
    "list_slice": _slice,
    "list_flatten": _flatten,
    "list_flatten_int": _flatten,
    "lists_range": _range,
    "list_reverse": lambda values: ListValue(values.items[::-1]),
    "list_distinct": _distinct,
    "list_a_index_of_int": _index,
    "list_a_last_index_of_int": _last_index,
    "list_includes_dyn_dyn": _includes,
    **{f"list_{name}_sum_{name}": _sum(zero) for name, zero in _ZEROS.items()},
    **{f"list_{name}_is_sorted_bool": _is_sorted for name in _COMPARABLE},
    **{f"list_{name}_max_{name}": _best("max", -1) for name in _COMPARABLE},
    **{f"list_{name}_min_{name}": _best("min", 1) for name in _COMPARABLE},
}
