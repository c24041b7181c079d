"""Who holds devices on a node: through the plugin (invisible to DRA), or through claims."""

from collections.abc import Collection, Iterable, Mapping

import msgspec

from kubectl_dra.extended_resources.asked import Asked
from kubectl_dra.inventory.holders import node_of
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.resource import ResourceClaim


def held_through_plugin(pod: Pod, names: Collection[str], asked: Asked) -> Mapping[str, int]:
    """The devices of these names that the pod got from a device plugin: what it asks for without a request mapping.

    None for pods that have ended. A pod that is being deleted holds its devices until it is gone.
    """
    if pod.finished or not pod.node_name:
        return {}
    status = pod.status.extended_resource_claim_status
    mapped = {mapping.resource_name for mapping in (status.request_mappings or ()) if status} if status else set()
    return {name: count for name, count in asked.of(pod.spec).items() if name in names and name not in mapped}


def plugin_holders(pods: Iterable[Pod], names: Collection[str], asked: Asked | None = None) -> tuple[Pod, ...]:
    """The pods that hold devices of a plugin."""
    memory = asked or Asked()
    return tuple(pod for pod in pods if held_through_plugin(pod, names, memory))


class HeldClaim(msgspec.Struct, frozen=True):
    """An allocated claim with devices of a driver in the node's pools, and how many; reserved for these pods (none: for nobody)."""

    claim: ResourceClaim
    devices: int
    pods: tuple[str, ...]


def held_claims(
    claims: Iterable[ResourceClaim], drivers: Collection[str], pools: Collection[tuple[str, str]], node: str
) -> tuple[HeldClaim, ...]:
    """Claims that are allocated devices of the drivers on the node, reserved or not.

    `pools` are the node's own, each with its driver. Where a pool's slices are gone already, the node that the allocation is for tells.
    """
    found = []
    for claim in claims:
        allocation = claim.status.allocation
        if allocation is None:
            continue
        here = node_of(claim) == node
        results = [each for each in allocation.devices.results or () if each.driver in drivers]
        count = sum(1 for each in results if here or (each.driver, each.pool) in pools)
        if count:
            pods = tuple(sorted(each.name for each in claim.status.reserved_for or () if each.resource == "pods"))
            found.append(HeldClaim(claim, count, pods))
    return tuple(found)


def claims_of(pod: Pod) -> frozenset[str]:
    """The names of all claims that a pod uses: named in its spec, made from templates, made for its extended resources."""
    spec, status = pod.spec, pod.status
    names = {each.resource_claim_name for each in spec.resource_claims or ()}
    names.update(each.resource_claim_name for each in status.resource_claim_statuses or ())
    if status.extended_resource_claim_status is not None:
        names.add(status.extended_resource_claim_status.resource_claim_name)
    return frozenset(name for name in names if name)


def claim_holders(pods: Iterable[Pod], claims: Iterable[HeldClaim]) -> tuple[Pod, ...]:
    """The pods, not ended, that use one of these claims. Ended ones were unprepared by the kubelet already."""
    held = {(each.claim.metadata.namespace or "", each.claim.metadata.name) for each in claims}
    return tuple(pod for pod in pods if not pod.finished and any((pod.metadata.namespace or "", name) in held for name in claims_of(pod)))
