"""Functions of Kubernetes, and some of CEL that it knows better (apiserver: pkg/cel/library/cost.go, EstimateCallCost)."""

import math
from collections.abc import Sequence

from kubectl_dra.allocation.cel import types
from kubectl_dra.allocation.cel.estimate.parts import PATTERN, TEXT, Estimate, Estimator, Part, element, matched
from kubectl_dra.allocation.cel.estimate.ranges import MOST, ONE, ZERO, Range, fixed, whole
from kubectl_dra.allocation.cel.syntax import Literal
from kubectl_dra.allocation.cel.types import Kind

_ADDRESS = Range(4, 16)
"""Bytes of an address."""
_LONGEST_FORMAT, _LONGEST_PATTERN = 64, 128
_CHECK = 350_000


def _walked(function: str) -> Estimator:
    def estimate(target: Part | None, arguments: Sequence[Part]) -> Estimate | None:
        del arguments
        if target is None:
            return None
        inside = element(target)
        if inside is not None:
            each = ONE
            if inside.type.kind in (Kind.STRING, Kind.BYTES):
                each = each.plus(inside.size.scaled(TEXT))
                return Estimate(target.size.times(each))
        if inside is not None or function == "includes":
            return Estimate(target.size.times(ONE))
        return Estimate(target.size.scaled(TEXT))

    return estimate


def _traversed_argument(*, factor: float = TEXT, sized: bool = False) -> Estimator:
    def estimate(target: Part | None, arguments: Sequence[Part]) -> Estimate | None:
        del target
        if not arguments or (sized and len(arguments) != 1):
            return None
        return Estimate(arguments[0].size.scaled(factor), arguments[0].size if sized else None)

    return estimate


def _traversed(target: Part | None, arguments: Sequence[Part]) -> Estimate | None:
    del arguments
    return None if target is None else Estimate(target.size.scaled(TEXT), target.size)


def _replaced(target: Part | None, arguments: Sequence[Part]) -> Estimate | None:
    if target is None or len(arguments) < 2:
        return None
    size, old, new = target.size, arguments[0].size, arguments[1].size
    most, kept_most = _replacements(size.most, old.least, no_longer=new.most <= old.least)
    least, kept_least = _replacements(size.least, old.most, no_longer=old.most <= new.least)
    result = Range(least, most).times(new).plus(Range(kept_least, kept_most))
    return Estimate(size.scaled(2 * TEXT), result)


def _replacements(size: int, old: int, *, no_longer: bool) -> tuple[int, int]:
    """How often a part of length `old` is replaced, and how much of the text stays."""
    if old == 0:
        return min(size + 1, MOST), size
    if no_longer:
        return 0, size
    return whole(math.ceil(float(size) / float(old))), 0


def _split(target: Part | None, arguments: Sequence[Part]) -> Estimate | None:
    if target is None:
        return None
    most = target.size.most
    if len(arguments) > 1 and isinstance(arguments[1].node, Literal) and type(arguments[1].node.value) is int:
        most = arguments[1].node.value % 2**64
    return Estimate(target.size.scaled(2 * TEXT), Range(0, most))


def _joined(target: Part | None, arguments: Sequence[Part]) -> Estimate | None:
    if target is None:
        return None
    inside, count = element(target), target.size
    size = ZERO if inside is None else count.times(inside.size)
    if arguments:
        size = size.plus(arguments[0].size.times(Range(max(count.least - 1, 0), max(count.most - 1, 0))))
    return Estimate(size.scaled(TEXT), size)


def _found(target: Part | None, arguments: Sequence[Part]) -> Estimate | None:
    if target is None or not arguments:
        return None
    return Estimate(matched(target.size, arguments[0].size), Range(0, target.size.most))


def _contains(function: str, signature: str, arguments: Sequence[Part]) -> Estimate | None:
    if not arguments:
        return None
    cost = _ADDRESS.plus(_ADDRESS).scaled(TEXT)
    if function == "containsCIDR":
        cost = cost.plus(_ADDRESS.scaled(TEXT)).plus(ONE)
    if signature in ("cidr_contains_ip_string", "cidr_contains_cidr_string"):
        cost = cost.plus(arguments[0].size.scaled(TEXT))
    return Estimate(cost)


def _validated(target: Part | None, arguments: Sequence[Part]) -> Estimate | None:
    del target
    return Estimate(arguments[0].size.scaled(TEXT).scaled(_LONGEST_PATTERN * PATTERN)) if arguments else None


def _equal(one: Part, other: Part) -> Estimate | None:
    kind = one.type
    if kind.name != other.type.name:
        return None
    if kind in (types.IP, types.CIDR, types.QUANTITY, types.SEMVER):
        return Estimate(ONE)
    if kind == types.FORMAT:
        return Estimate(Range(1, _LONGEST_FORMAT).scaled(TEXT))
    if kind == types.URL:
        size = other.known or ONE
        return Estimate(Range(1, size.most).scaled(TEXT))
    return None


_SINGLE = frozenset((
    "masked", "prefixLength", "family", "isUnspecified", "isLoopback", "isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast",
    "format.named", "sign", "asInteger", "isInteger", "asApproximateFloat", "isGreaterThan", "isLessThan", "compareTo", "add", "sub",
    "major", "minor", "patch", "getScheme", "getHostname", "getHost", "getPort", "getEscapedPath", "getQuery", "serviceAccount", "path",
    "group", "resource", "subresource", "namespace", "name", "allowed", "reason", "error", "errored",
))  # fmt: skip
"""Functions that cost 1 whatever they are given."""
_BY_FUNCTION: dict[str, Estimator] = {
    **{name: _walked(name) for name in ("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf", "includes")},
    **dict.fromkeys(("lowerAscii", "upperAscii", "substring", "trim"), _traversed),
    **dict.fromkeys(("cidr", "isIP", "isCIDR", "ip", "quantity", "isQuantity", "semver", "isSemver"), _traversed_argument()),
    "url": _traversed_argument(sized=True),
    "ip.isCanonical": _traversed_argument(factor=2 * TEXT),
    "replace": _replaced,
    "split": _split,
    "join": _joined,
    "find": _found,
    "findAll": _found,
    "validate": _validated,
    "check": lambda _, __: Estimate(fixed(_CHECK)),
}


def of_kubernetes(function: str, signature: str, target: Part | None, arguments: Sequence[Part]) -> Estimate | None:
    """What Kubernetes says of a call."""
    if function in _SINGLE or signature == "cidr_ip":
        return Estimate(ONE)
    if function in ("containsIP", "containsCIDR"):
        return _contains(function, signature, arguments)
    if function == "_==_":
        return _equal(*arguments) if len(arguments) == 2 else None
    found = _BY_FUNCTION.get(function)
    return None if found is None else found(target, arguments)
