"""Which implementation a call ends in, and what is said when the values' types fit none (cel-go: common/decls/decls.go)."""

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module

from kubectl_dra.allocation.cel import types
from kubectl_dra.allocation.cel.arithmetic import BINARY, inverted, negated, no_overload
from kubectl_dra.allocation.cel.declarations import Overload, functions, overload
from kubectl_dra.allocation.cel.errors import NoSuchOverload, Unsupported
from kubectl_dra.allocation.cel.kinds import MAPS, SIZERS, type_name
from kubectl_dra.allocation.cel.library import conversions, lists, sets
from kubectl_dra.allocation.cel.library.binding import Implementation
from kubectl_dra.allocation.cel.map_keys import contains
from kubectl_dra.allocation.cel.types import Kind, Type
from kubectl_dra.allocation.cel.values import ListValue, MapValue, Value

LIBRARY = (
    "conversions", "formats", "formatting", "lists", "maps", "network", "optionals", "quantity", "regexes", "semver", "sets", "strings",
    "time_parts", "urls",
)  # fmt: skip
"""The modules of `library` that have functions."""
IMPLEMENTATIONS: dict[str, Implementation] = {
    signature: found
    for name in LIBRARY
    for signature, found in import_module(f"kubectl_dra.allocation.cel.library.{name}").IMPLEMENTATIONS.items()
}
"""By signature."""
UNGUARDED = frozenset({"contains", "startsWith", "endsWith", "flatten"})
"""Functions that look at the types of their arguments themselves."""
FUNCTION_STYLE = frozenset({"string_format"})
"""Signatures of two arguments that upstream binds as if they had any number: the first error ends the call."""


def _size(value: Value) -> int:
    if type(value) not in SIZERS:
        raise no_overload("size", value)
    if type(value) is ListValue:
        return len(value.items)
    return len(value.entries) if isinstance(value, MAPS) else len(value)


def _in(value: Value, container: Value) -> bool:
    if type(container) is ListValue:
        return sets.listed(container, value)
    if isinstance(container, MapValue):
        return contains(container, value)
    type_name(container)  # raises Unsupported for what nobody knows
    raise NoSuchOverload


def _matches(text: Value, pattern: Value) -> bool:
    if type(text) is not str:
        raise no_overload("matches", text)
    return bool(IMPLEMENTATIONS["matches"](text, pattern))


def _sorted(values: Value) -> Value:
    if type(values) is not ListValue:
        raise no_overload("sort", values)
    return lists.sort_by_keys(values, values)


def _sorted_by(values: Value, keys: Value) -> Value:
    if type(values) is not ListValue:
        raise no_overload("@sortByAssociatedKeys", values)
    return lists.sort_by_keys(values, keys)


SINGLETONS: dict[str, Implementation] = {
    **BINARY,
    "!_": inverted,
    "-_": negated,
    "@in": _in,
    "size": _size,
    "type": conversions.IMPLEMENTATIONS["type"],
    "dyn": conversions.IMPLEMENTATIONS["to_dyn"],
    "matches": _matches,
    "sort": _sorted,
    "@sortByAssociatedKeys": _sorted_by,
}
"""Functions with one implementation for all their signatures."""

Guard = Callable[[Value], bool]


@cache
def guard(kind: Type) -> Guard | None:
    """What tells whether a value may stand where the type is wanted; None when anything may."""
    if kind.dynamic or kind.kind is Kind.PARAM:
        return None
    if kind.kind is Kind.LIST:
        return _list_guard(guard(kind.parameters[0]))
    if kind.kind is Kind.MAP:
        return _map_guard(guard(kind.parameters[0]), guard(kind.parameters[1]))
    python = _PLAIN.get(kind)
    if python is not None:
        return lambda value: type(value) is python
    return lambda value: type_name(value) == kind.name


_PLAIN: dict[Type, type] = {types.STRING: str, types.INT: int, types.BOOL: bool, types.DOUBLE: float, types.BYTES: bytes}


def _list_guard(element: Guard | None) -> Guard:
    def fits(value: Value) -> bool:
        return type(value) is ListValue and (element is None or not value.items or element(value.items[0]))

    return fits


def _map_guard(key: Guard | None, element: Guard | None) -> Guard:
    def fits(value: Value) -> bool:
        if not isinstance(value, MapValue):
            return False
        if not value.entries:
            return True
        first = next(value.key_values())
        return (key is None or key(first)) and (element is None or element(next(iter(value.entries.values()))))

    return fits


def _fits(signature: Overload, values: Sequence[Value]) -> bool:
    if len(values) != len(signature.arguments):
        return False
    return all(check is None or check(value) for check, value in zip(map(guard, signature.arguments), values, strict=True))


def _no_such(function: str, values: Sequence[Value]) -> NoSuchOverload:
    return NoSuchOverload(f"no such overload: {function}({', '.join(map(type_name, values))})")


def guarded(function: str, signature: str) -> Implementation:
    """The implementation of one signature, which says so when a value's type does not fit."""
    found = IMPLEMENTATIONS.get(signature)
    declared = overload(signature)
    if found is None:
        return _missing(function, declared)
    if function in UNGUARDED:
        return found
    guards = tuple(guard(kind) for kind in declared.arguments)
    implementation = found

    def call(*values: Value) -> Value:
        for check, value in zip(guards, values, strict=True):
            if check is not None and not check(value):
                raise _no_such(function, values)
        return implementation(*values)

    return call


def _missing(function: str, declared: Overload) -> Implementation:
    """For what no value of this environment can reach: the authorizer's functions."""

    def call(*values: Value) -> Value:
        if _fits(declared, values):
            raise Unsupported(f"{function} is not known here")
        raise _no_such(function, values)

    return call


def dispatched(function: str) -> Implementation:
    """The first of the function's signatures that the values fit."""
    signatures = functions()[function]

    def call(*values: Value) -> Value:
        for signature in signatures:
            if function in UNGUARDED or _fits(signature, values):
                found = IMPLEMENTATIONS.get(signature.id)
                if found is not None and len(values) == len(signature.arguments):
                    return found(*values)
        raise _no_such(function, values)

    return call
