"""Map keys: which are the same, which cannot be keys at all (cel-go: common/types/map.go)."""

import math
from collections.abc import Hashable

from kubectl_dra.allocation.cel.errors import EvaluationPanic
from kubectl_dra.allocation.cel.library.address import Cidr, Ip
from kubectl_dra.allocation.cel.library.named_formats import NamedFormat
from kubectl_dra.allocation.cel.moments import Duration
from kubectl_dra.allocation.cel.values import ABSENT, MAX_INT, MAX_UINT, DomainMap, Key, MapValue, StringMap, UInt, Value
from kubectl_dra.objects.semver import Semver

_UNHASHABLE = {bytes: "types.Bytes", Semver: "cel.Semver", NamedFormat: "cel.Format"}
_EMPTY = StringMap({})


def map_key(value: Value) -> Hashable:
    """What the value is filed under. Raises EvaluationPanic for values that Go cannot hash."""
    kind = type(value)
    if kind is str or kind is int or kind is UInt:
        return value  # type: ignore[no-any-return]
    if kind is bool:
        return Key(("bool", value), value)
    if kind is float:
        return Key(("double", value if value == value else object()), value)
    if value is None:
        return Key("null", value)
    if kind is Duration:
        return Key(("duration", value.nanoseconds), value)
    if kind is Ip or kind is Cidr:
        return Key((kind, str(value)), value)
    if kind in _UNHASHABLE:
        raise EvaluationPanic(f"runtime error: hash of unhashable type {_UNHASHABLE[kind]}")
    return Key(id(value), value)


def find(mapping: MapValue, key: Value) -> Value:
    """The entry, or ABSENT; numbers find equal numbers of other types."""
    entries = mapping.entries
    if isinstance(mapping, StringMap):
        found = entries.get(key, ABSENT) if type(key) is str else ABSENT
        return _EMPTY if found is ABSENT and type(mapping) is DomainMap else found
    return _general(entries, key) if entries else ABSENT


def contains(mapping: MapValue, key: Value) -> bool:
    """`key in map`, which knows nothing of a domain's default."""
    if isinstance(mapping, StringMap):
        return type(key) is str and key in mapping.entries
    return find(mapping, key) is not ABSENT


def _general(entries: dict[Hashable, Value], key: Value) -> Value:
    found = entries.get(map_key(key), ABSENT)
    if found is not ABSENT:
        return found
    kind = type(key)
    if kind is int and key >= 0:
        return entries.get(UInt(key), ABSENT)
    if kind is UInt and key.number <= MAX_INT:
        return entries.get(key.number, ABSENT)
    if kind is float and math.isfinite(key) and key == int(key):
        return _numbered(entries, int(key))
    return ABSENT


def _numbered(entries: dict[Hashable, Value], number: int) -> Value:
    if -(2**63) < number < 2**63:
        found = entries.get(number, ABSENT)
        if found is not ABSENT:
            return found
    return entries.get(UInt(number), ABSENT) if 0 <= number <= MAX_UINT else ABSENT
