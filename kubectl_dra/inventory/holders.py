"""Who holds which device: claims, whole or in shares, and the pods that may use these claims.

An allocation counts until it is gone, whatever reservations say; administrators' access takes nothing
(kubernetes pkg/scheduler/framework/plugins/dynamicresources/allocateddevices.go).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kubectl_dra.inventory.device_document import Share
from kubectl_dra.inventory.document import ObjectName
from kubectl_dra.inventory.pools import DeviceId
from kubectl_dra.objects.quantity import Quantity, read
from kubectl_dra.objects.resource import Device, ResourceClaim


@dataclass(slots=True)
class Holders:
    """The claim that has a device for itself, the node that its allocation is for; and the claims that have shares."""

    claim: ObjectName | None = None
    pods: tuple[str, ...] = ()
    node: str | None = None
    shares: list[Share] = field(default_factory=list)


def holders(claims: Iterable[ResourceClaim]) -> Mapping[DeviceId, Holders]:
    """Every device that is given to anybody."""
    found: dict[DeviceId, Holders] = defaultdict(Holders)
    for claim in claims:
        if claim.status.allocation is None:
            continue
        name = ObjectName(claim.metadata.namespace or "", claim.metadata.name)
        pods = tuple(sorted(each.name for each in claim.status.reserved_for or () if each.resource == "pods"))
        for result in claim.status.allocation.devices.results or ():
            if result.admin_access:
                continue
            holder = found[result.driver, result.pool, result.device]
            holder.node = node_of(claim)
            if result.share_id:
                consumed = {capacity: str(amount) for capacity, amount in (result.consumed_capacity or {}).items()}
                holder.shares.append(Share(name, pods, consumed))
            else:
                holder.claim, holder.pods = name, pods
    return found


def taken_percent(device: Device, shares: Iterable[Share]) -> int | None:
    """What is taken of the capacity of which most is taken, rounded down; None for a device whose capacities say nothing."""
    taken: dict[str, Quantity] = {}
    for share in shares:
        for name, text in share.consumed.items():
            amount = read(text)
            if amount is not None:
                taken[name] = taken.get(name, Quantity()) + amount
    percents = []
    for name, sum_ in taken.items():
        whole = read((device.capacity or {})[name].value) if name in (device.capacity or {}) else None
        if whole is not None and whole.milli_value() > 0:
            percents.append(100 * sum_.milli_value() // whole.milli_value())
    return max(percents, default=None)


def node_of(claim: ResourceClaim) -> str | None:
    """The node that the allocation is for, when it is for one."""
    selector = claim.status.allocation.node_selector if claim.status.allocation else None
    for term in (selector.node_selector_terms or ()) if selector else ():
        for each in term.match_fields or ():
            if each.key == "metadata.name" and each.operator == "In" and each.values:
                return each.values[0]
    return None
