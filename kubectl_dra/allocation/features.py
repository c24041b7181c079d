"""Feature gates as a value, and which allocator upstream runs with them (dynamic-resource-allocation: structured/allocator.go)."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum


class Implementation(StrEnum):
    """Upstream's allocators, the most stable first."""

    STABLE = "stable"
    INCUBATING = "incubating"
    EXPERIMENTAL = "experimental"


@dataclass(frozen=True)
class Features:
    """What the scheduler asks of its allocator. The defaults are those of Kubernetes 1.37 (scheduler: dynamicresources.go)."""

    admin_access: bool = True
    compatibility_groups: bool = False
    consumable_capacity: bool = True
    derived_attributes: bool = False
    device_binding_and_status: bool = True
    device_taints: bool = True
    fractional_capacity_range: bool = False
    list_type_attributes: bool = False
    optional_node_operations: bool = False
    partitionable_devices: bool = True
    prioritized_list: bool = True

    @property
    def enabled(self) -> frozenset[str]:
        """The names of the fields that are on."""
        return frozenset(name for name in NAMES if getattr(self, name))

    def __str__(self) -> str:
        """As Go prints the struct."""
        return "{" + " ".join(f"{upstream_name(name)}:{str(getattr(self, name)).lower()}" for name in NAMES) + "}"


NAMES = tuple(field.name for field in fields(Features))
"""All features, in the order of the alphabet."""

NONE = Features(**dict.fromkeys(NAMES, False))
"""Nothing is on."""
ALL = Features(**dict.fromkeys(NAMES, True))
"""Everything is on."""

_GATES: Mapping[str, tuple[str, ...]] = {
    "admin_access": ("DRAAdminAccess",),
    "compatibility_groups": ("DRADeviceCompatibilityGroups",),
    "consumable_capacity": ("DRAConsumableCapacity",),
    "derived_attributes": ("DRADerivedAttributes",),
    "device_binding_and_status": ("DRADeviceBindingConditions", "DRAResourceClaimDeviceStatus"),
    "device_taints": ("DRADeviceTaints",),
    "fractional_capacity_range": ("DRAFractionalCapacityRange",),
    "list_type_attributes": ("DRAListTypeAttributes",),
    "optional_node_operations": ("DRAOptionalNodeOperations",),
    "partitionable_devices": ("DRAPartitionableDevices",),
    "prioritized_list": ("DRAPrioritizedList",),
}

_STABLE = frozenset({"admin_access", "prioritized_list", "partitionable_devices", "device_taints"})
_INCUBATING = _STABLE | {"device_binding_and_status", "consumable_capacity", "fractional_capacity_range"}
_SUPPORTED: Mapping[Implementation, frozenset[str]] = {
    Implementation.STABLE: _STABLE,
    Implementation.INCUBATING: _INCUBATING,
    Implementation.EXPERIMENTAL: frozenset(NAMES),
}


def from_gates(enabled: Callable[[str], bool | None]) -> Features:
    """The features under these gates. `enabled` tells of a gate whether it is on; None leaves the default of 1.37."""
    found = {}
    for name, gates in _GATES.items():
        states = [enabled(gate) for gate in gates]
        if None not in states:
            found[name] = all(states)
        elif False in states:
            found[name] = False
    return Features(**found)


def upstream_name(name: str) -> str:
    """`admin_access` as Go spells the field: `AdminAccess`."""
    return "".join(part.title() for part in name.split("_"))


def implementation(features: Features, allowed: Iterable[Implementation] = tuple(Implementation)) -> Implementation | None:
    """The first of the allowed allocators that supports all that is asked for; None if there is none."""
    return next((each for each in Implementation if each in set(allowed) and features.enabled <= _SUPPORTED[each]), None)
