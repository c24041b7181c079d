"""How large a device's parts can be, by the limits of the API (dynamic-resource-allocation: cel/compile.go, sizeEstimator)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kubectl_dra.allocation.cel.estimate.ranges import Range

MOST_NAMES, LONGEST_DOMAIN, LONGEST_ID, LONGEST_DRIVER, LONGEST_VALUE = 32, 63, 32, 63, 64
"""Attributes and capacities of a device, and the characters of their parts (api: resource/v1/types.go)."""


@dataclass(frozen=True)
class Sized:
    """A part of a device: its largest size, and what is in it."""

    most: int
    keys: "Sized | None" = None
    values: "Sized | None" = None
    fields: Mapping[str, "Sized"] = field(default_factory=dict)


_ATTRIBUTE = Sized(LONGEST_VALUE)


def _by_domain(values: Sized) -> Sized:
    of_domain = Sized(MOST_NAMES, Sized(LONGEST_ID), values)
    return Sized(MOST_NAMES, Sized(LONGEST_DOMAIN), of_domain)


_DEVICE = Sized(
    0,
    fields={
        "driver": Sized(LONGEST_DRIVER),
        "allowMultipleAllocations": Sized(1),
        "attributes": _by_domain(_ATTRIBUTE),
        "capacity": _by_domain(Sized(0)),
    },
)


def size_at(path: tuple[str, ...] | None) -> Range | None:
    """The size of what stands at the path: the variable, then fields, `@keys`, `@values` and `@items`. None: nothing is known of it."""
    if not path or path[0] != "device":
        return None
    at: Sized | None = _DEVICE
    for name in path[1:]:
        if at is None:
            return None
        match name:
            case "@items" | "@values":
                at = at.values
            case "@keys":
                at = at.keys
            case _:
                # in a map of attributes every name leads to an attribute
                at = at.fields.get(name) or (_ATTRIBUTE if at.values is _ATTRIBUTE else None)
    return None if at is None else Range(0, at.most)
