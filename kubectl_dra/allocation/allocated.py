"""What is in use: every device of every claim that is allocated (scheduler: plugins/dynamicresources/allocateddevices.go)."""

from collections.abc import Iterable

from kubectl_dra.allocation.amounts import Nano, nano
from kubectl_dra.objects.resource import DeviceRequestAllocationResult, ResourceClaim

DeviceId = tuple[str, str, str]
"""Driver, pool and device: what names a device in the cluster."""


class AllocatedState:
    """Devices given to claims: `devices` whole, `shared` in shares, `capacity` what the shares take of each capacity.

    Whatever reservations, deletion or a pod's phase say: an allocation counts until it is gone. Administrators' access does not count.
    """

    __slots__ = ("_shares_count", "capacity", "devices", "shared")

    def __init__(self, claims: Iterable[ResourceClaim] = (), *, consumable_capacity: bool = True) -> None:
        """Take what these claims have. Without `consumable_capacity` a share counts as the whole device. Raises AllocationError."""
        self._shares_count = consumable_capacity
        self.devices: set[DeviceId] = set()
        self.shared: set[DeviceId] = set()
        self.capacity: dict[DeviceId, dict[str, Nano]] = {}
        for claim in claims:
            if claim.status.allocation is not None:
                self.add(claim.status.allocation.devices.results or ())

    def add(self, results: Iterable[DeviceRequestAllocationResult]) -> None:
        """Take the devices of one more claim."""
        for result in results:
            if result.admin_access:
                continue
            device = (result.driver, result.pool, result.device)
            if not self._shares_count or result.share_id is None:
                self.devices.add(device)
                continue
            self.shared.add(device)
            if result.consumed_capacity is not None:
                self.consume(device, {name: nano(amount) for name, amount in result.consumed_capacity.items()})

    def consume(self, device: DeviceId, amounts: dict[str, Nano]) -> None:
        """Add what one share takes."""
        taken = self.capacity.setdefault(device, {})
        for name, amount in amounts.items():
            taken[name] = taken.get(name, 0) + amount

    def without_shares(self) -> "AllocatedState":
        """The same, as an allocator sees it that knows of no shares."""
        found = AllocatedState(consumable_capacity=False)
        found.devices = self.devices
        return found

    def holds(self, device: DeviceId) -> bool:
        """Whether the device is given to anybody, whole or in part (structured/internal/allocatedstate.go, IsDeviceAllocated)."""
        return device in self.devices or self.in_shares(device)

    def in_shares(self, device: DeviceId) -> bool:
        """Whether shares of the device are given to anybody."""
        return device in self.shared or device in self.capacity


def holders(claims: Iterable[ResourceClaim]) -> dict[DeviceId, tuple[str, ...]]:
    """By device the claims that have it or a share of it (`namespace/name`), administrators' aside."""
    found: dict[DeviceId, tuple[str, ...]] = {}
    for claim in claims:
        if claim.status.allocation is None:
            continue
        for result in claim.status.allocation.devices.results or ():
            if not result.admin_access:
                device = (result.driver, result.pool, result.device)
                name = f"{claim.metadata.namespace}/{claim.metadata.name}" if claim.metadata.namespace else claim.metadata.name
                found[device] = (*found.get(device, ()), name)
    return found
