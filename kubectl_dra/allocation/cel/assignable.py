"""Which type may stand where another is wanted, and what that says of type parameters (cel-go: checker/types.go)."""

from collections.abc import Sequence

from kubectl_dra.allocation.cel.types import DYN, NULL, Kind, Type

Substitutions = dict[str, Type]
"""What is known of type parameters, by name."""

_NULLABLE = (Kind.OPAQUE, Kind.STRUCT, Kind.ANY, Kind.DURATION, Kind.TIMESTAMP)
_PARAMETRIC = (Kind.OPAQUE, Kind.LIST, Kind.MAP)


def assign(known: Substitutions, wanted: Sequence[Type], given: Sequence[Type]) -> Substitutions | None:
    """The substitutions that make every pair agree, or None; `known` stays as it is."""
    trial = dict(known)
    return trial if _lists_agree(trial, wanted, given) else None


def substitute(known: Substitutions, kind: Type, *, free_to_dyn: bool) -> Type:
    """`kind` with its type parameters replaced; those that nobody bound stay, or become dyn."""
    if kind.kind is Kind.PARAM:
        found = known.get(kind.name)
        if found is not None:
            return substitute(known, found, free_to_dyn=free_to_dyn)
        return DYN if free_to_dyn else kind
    if kind.parameters and kind.kind is not Kind.STRUCT:
        return Type(kind.kind, kind.name, tuple(substitute(known, p, free_to_dyn=free_to_dyn) for p in kind.parameters))
    return kind


def most_general(one: Type, other: Type) -> Type:
    """The less specific of the two."""
    return one if _equal_or_less_specific(one, other) else other


def _agree(known: Substitutions, one: Type, other: Type) -> bool:
    if other.kind is Kind.PARAM:
        valid, bound = _substitution(known, one, other)
        if valid:
            return True
        if bound:
            return False
    if one.kind is Kind.PARAM:
        return _substitution(known, other, one)[0]
    if one.dynamic or other.dynamic or Kind.ERROR in (one.kind, other.kind):
        return True
    if one.kind is Kind.NULL:
        return other.kind in _NULLABLE or other == NULL
    if other.kind is Kind.NULL:
        return one.kind in _NULLABLE
    if one.kind is Kind.TYPE:
        return other.kind is Kind.TYPE
    if one.kind is not other.kind or one.name != other.name:
        return False
    return one.kind not in _PARAMETRIC or _lists_agree(known, one.parameters, other.parameters)


def _lists_agree(known: Substitutions, ones: Sequence[Type], others: Sequence[Type]) -> bool:
    return len(ones) == len(others) and all(_agree(known, one, other) for one, other in zip(ones, others, strict=True))


def _substitution(known: Substitutions, value: Type, free: Type) -> tuple[bool, bool]:
    """Whether `value` may stand for the parameter `free`, and whether `free` was bound already."""
    if value == free:
        return True, True
    bound = known.get(free.name)
    if bound is not None:
        if value == bound:
            return True, True
        if _agree(known, value, bound):
            general = most_general(value, bound)
            if _absent(known, free, general):
                known[free.name] = general
            return True, True
        return False, True
    if _absent(known, free, value):
        known[free.name] = value
        return True, False
    return False, False


def _absent(known: Substitutions, free: Type, within: Type) -> bool:
    """True when the parameter does not occur in the type: a type cannot contain itself."""
    if free == within:
        return False
    if within.kind is Kind.PARAM:
        bound = known.get(within.name)
        return bound is None or _absent(known, free, bound)
    return all(_absent(known, free, p) for p in within.parameters)


def _equal_or_less_specific(one: Type, other: Type) -> bool:
    if one.dynamic or one.kind is Kind.PARAM:
        return True
    if other.dynamic or other.kind is Kind.PARAM or one.kind is not other.kind:
        return False
    if one.kind is Kind.TYPE:
        return True
    if one.kind not in _PARAMETRIC:
        return one == other
    if one.name != other.name or len(one.parameters) != len(other.parameters):
        return False
    return all(map(_equal_or_less_specific, one.parameters, other.parameters))
