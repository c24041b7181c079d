"""Constant lists as sets for `in` (cel-go: interpreter/decorators.go, maybeOptimizeSetMembership)."""

from collections.abc import Hashable, Sequence

from kubectl_dra.allocation.cel.map_keys import map_key
from kubectl_dra.allocation.cel.values import MAX_INT, MAX_UINT, MIN_INT, UInt, Value


def members(items: Sequence[Value]) -> frozenset[Hashable] | None:
    """What is a member of the list, numbers also as equal numbers of other types; None for lists of other things than plain values."""
    found: set[Hashable] = set()
    for item in items:
        if type(item) not in (bool, int, UInt, float, str):
            return None
        found.update(map_key(one) for one in (item, *_equals(item)))
    return frozenset(found)


def member_key(value: Value) -> Hashable:
    """What a value is looked for as. Raises EvaluationPanic for values that cannot be looked for."""
    return map_key(value)


def _equals(item: Value) -> list[Value]:
    match item:
        case bool() | str():
            return []
        case int():
            return [float(item), *([UInt(item)] if item >= 0 else [])]
        case UInt():
            return [float(item.number), *([item.number] if item.number <= MAX_INT else [])]
    # NaN and infinities stand for no whole number.
    if item != item or abs(item) == float("inf") or item != int(item):
        return []
    whole = int(item)
    signed = [whole] if MIN_INT < whole < MAX_INT else []
    return [*signed, *([UInt(whole)] if 0 <= whole <= MAX_UINT else [])]
