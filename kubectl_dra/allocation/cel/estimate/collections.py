"""Functions of lists and sets (cel-go: ext/lists.go, ext/sets.go)."""

from collections.abc import Sequence

from kubectl_dra.allocation.cel.cost import LIST
from kubectl_dra.allocation.cel.estimate.parts import TEXT, Estimate, Estimator, Part, number
from kubectl_dra.allocation.cel.estimate.ranges import MOST, ONE, Range, fixed


def _new_list(factor: float, size: Range) -> Estimate:
    return Estimate(size.scaled(factor).plus(ONE).plus(fixed(LIST)), size)


def _sliced(target: Part | None, arguments: Sequence[Part]) -> Estimate | None:
    if target is None or len(arguments) != 2:
        return None
    count = number(arguments[1], target.size.most) - number(arguments[0], 0)
    return _new_list(1, fixed(count % 2**64))


def _ranged(target: Part | None, arguments: Sequence[Part]) -> Estimate | None:
    return None if target is not None or len(arguments) != 1 else _new_list(1, fixed(number(arguments[0], MOST)))


def _reversed(target: Part | None, arguments: Sequence[Part]) -> Estimate | None:
    return None if target is None or arguments else _new_list(1, target.size)


def _flattened(target: Part | None, arguments: Sequence[Part]) -> Estimate | None:
    if target is None or len(arguments) > 1:
        return None
    return _new_list(float(number(arguments[0], MOST)) if arguments else 1.0, target.size)


def _compared(factor: float, *, by_keys: bool = False) -> Estimator:
    """Each element with each other."""

    def estimate(target: Part | None, arguments: Sequence[Part]) -> Estimate | None:
        if target is None or len(arguments) != by_keys:
            return None
        size = arguments[0].size if by_keys else target.size
        return _new_list(factor, size.times(size))

    return estimate


def _sets(factor: float) -> Estimator:
    def estimate(target: Part | None, arguments: Sequence[Part]) -> Estimate | None:
        del target
        if len(arguments) != 2:
            return None
        return Estimate(arguments[0].size.times(arguments[1].size).scaled(factor).plus(ONE))

    return estimate


BY_SIGNATURE: dict[str, Estimator] = {
    "list_slice": _sliced,
    "list_flatten": _flattened,
    "list_flatten_int": _flattened,
    "lists_range": _ranged,
    "list_reverse": _reversed,
    "list_distinct": _compared(2.0),
    "list_sets_contains_list": _sets(1),
    "list_sets_intersects_list": _sets(1),
    "list_sets_equivalent_list": _sets(2),
}
for _kind in ("int", "uint", "double", "bool", "google.protobuf.Duration", "google.protobuf.Timestamp", "string", "bytes"):
    _factor = 2.0 + (TEXT if _kind in ("string", "bytes") else 0.0)
    BY_SIGNATURE[f"list_{_kind}_sort"] = _compared(_factor)
    BY_SIGNATURE[f"list_{_kind}_sortByAssociatedKeys"] = _compared(_factor, by_keys=True)
