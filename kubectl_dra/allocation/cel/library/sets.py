"""Lists as sets (cel-go: ext/sets.go)."""

from kubectl_dra.allocation.cel.compare import same
from kubectl_dra.allocation.cel.library.binding import Implementation
from kubectl_dra.allocation.cel.values import ListValue, Value


def listed(values: ListValue, item: Value) -> bool:
    """`item in list`: the item is the left side of each comparison."""
    return any(same(item, value) for value in values.items)


def _contains(values: ListValue, subset: ListValue) -> bool:
    return all(listed(values, item) for item in subset.items)


IMPLEMENTATIONS: dict[str, Implementation] = {
    "list_sets_contains_list": _contains,
    "list_sets_equivalent_list": lambda one, other: _contains(one, other) and _contains(other, one),
    "list_sets_intersects_list": lambda one, other: any(listed(other, item) for item in one.items),
}
