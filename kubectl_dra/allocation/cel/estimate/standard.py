"""Functions of CEL itself (cel-go: checker/cost.go, functionCost)."""

from collections.abc import Callable, Sequence

from kubectl_dra.allocation.cel.estimate.parts import TEXT, Estimate, Estimator, Part, matched
from kubectl_dra.allocation.cel.estimate.ranges import ONE, UNKNOWN, Range


def _sized(part: Part | None) -> Range:
    return UNKNOWN if part is None else part.known or UNKNOWN


def _scanned(target: Part | None, arguments: Sequence[Part]) -> Estimate:
    del target
    return Estimate(_sized(arguments[0]).scaled(TEXT))


def _formatted(target: Part | None, arguments: Sequence[Part]) -> Estimate:
    del arguments
    return Estimate(_sized(target).scaled(TEXT))


def _converted(least: Callable[[int], int], most: Callable[[int], int]) -> Estimator:
    """Another text made of one; the sizes of upstream overflow."""

    def estimate(target: Part | None, arguments: Sequence[Part]) -> Estimate:
        del target
        size = _sized(arguments[0])
        return Estimate(size.scaled(TEXT), Range(least(size.least) % 2**64, most(size.most) % 2**64))

    return estimate


def _added(target: Part | None, arguments: Sequence[Part]) -> Estimate:
    del target
    size = _sized(arguments[0]).plus(_sized(arguments[1]))
    return Estimate(size.scaled(TEXT), size)


def _added_lists(target: Part | None, arguments: Sequence[Part]) -> Estimate:
    del target
    return Estimate(ONE, _sized(arguments[0]).plus(_sized(arguments[1])))


def _shorter(target: Part | None, arguments: Sequence[Part]) -> Estimate:
    """Goes along both sides as far as the shorter one reaches."""
    del target
    most = min(_sized(arguments[0]).most, _sized(arguments[1]).most)
    return Estimate(Range(1 if most else 0, most).scaled(TEXT))


_OF_CEL: dict[str, Estimator] = {
    "string_format": _formatted,
    "string_to_bytes": _converted(lambda least: least, lambda most: most * 4),
    "bytes_to_string": _converted(lambda least: least // 4, lambda most: most),
    "strings_quote": _converted(lambda least: least + 2, lambda most: most * 2 + 2),
    "starts_with_string": _scanned,
    "ends_with_string": _scanned,
    "in_list": lambda _, arguments: Estimate(_sized(arguments[1]).scaled(1)),
    "matches": lambda _, arguments: Estimate(matched(_sized(arguments[0]), _sized(arguments[1]))),
    "matches_string": lambda target, arguments: Estimate(matched(_sized(target), _sized(arguments[0]))),
    "contains_string": lambda target, arguments: Estimate(_sized(target).scaled(TEXT).times(_sized(arguments[0]).scaled(TEXT))),
    "add_string": _added,
    "add_bytes": _added,
    "add_list": _added_lists,
    "equals": _shorter,
    "not_equals": _shorter,
}
for _kind in ("string", "bytes"):
    for _order in ("less", "less_equals", "greater", "greater_equals"):
        _OF_CEL[f"{_order}_{_kind}"] = _shorter


def of_cel(signature: str, target: Part | None, arguments: Sequence[Part]) -> Estimate:
    """What CEL itself says; most calls cost 1."""
    found = _OF_CEL.get(signature)
    return (found(target, arguments) if found is not None else None) or Estimate(ONE)
