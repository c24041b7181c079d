"""What rules hit, counted as the eviction controller counts (pure).

Source: kubernetes pkg/controller/devicetainteviction/device_taint_eviction.go: countTaintedDevices, countPendingPods, podEvictionTime,
claimEvictionTime; k8s.io/dynamic-resource-allocation resourceclaim/pod.go (PodClaims), resourceclaim.go (IsForPod, IsReservedForPod).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

import msgspec

from kubectl_dra.allocation.device_taints import selects as selects_device
from kubectl_dra.allocation.device_taints import tolerates
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.resource import Device, DeviceTaintRule, ResourceClaim, ResourceSlice
from kubectl_dra.objects.snapshot import Snapshot
from kubectl_dra.objects.tolerations import Toleration
from kubectl_dra.taint_rules.newest import newest_slices
from kubectl_dra.taint_rules.rule import Effect

ClaimKey = tuple[str, str]
"""Namespace and name."""
DeviceId = tuple[str, str, str]
"""Driver, pool and device."""


class Published(NamedTuple):
    """A device of the newest generation of its pool."""

    slice: ResourceSlice
    device: Device

    @property
    def id(self) -> DeviceId:
        """What names it in the cluster."""
        return self.slice.spec.driver, self.slice.spec.pool.name, self.device.name


class ClaimHit(msgspec.Struct, frozen=True):
    """An allocated claim with devices that a rule selects, one for each result (a device with two shares counts twice).

    `after` are the seconds until it is evicted, from when the rule takes effect; null when every such device is tolerated for ever.
    """

    claim: ResourceClaim
    devices: tuple[DeviceId, ...]
    after: int | None


class Stays(StrEnum):
    """Why a pod that uses such a device is not evicted."""

    TOLERATES = "tolerates"
    NOT_SCHEDULED = "notScheduled"
    TERMINATING = "terminating"
    NOT_RESERVED = "notReserved"
    NOT_OWNER = "notOwner"
    NOT_SUPPORTED = "notSupported"
    """Extended resources, before 1.37.2 (kubernetes/kubernetes#142492)."""


class PodHit(msgspec.Struct, frozen=True):
    """A pod with claims that are hit. `stays` is null for one that would be evicted, and then `after` are the seconds until that.

    `claims` are those for which it would be evicted, or that it uses and stays with.
    """

    pod: Pod
    claims: tuple[ClaimHit, ...]
    after: int = 0
    stays: Stays | None = None


class Reading:
    """One reading of the cluster, in which several rules are looked up. `extended_evicted`: pods of extended resources are evicted."""

    def __init__(self, snapshot: Snapshot, *, extended_evicted: bool = True) -> None:
        """Take the reading; everything is worked out when it is first asked for."""
        self.snapshot = snapshot
        self.extended_evicted = extended_evicted

    @cached_property
    def published(self) -> Sequence[Published]:
        """The devices of all pools, whether their pools are complete or not."""
        newest = newest_slices(self.snapshot.resource_slices)
        return [Published(one, device) for slices in newest.values() for one in slices for device in one.spec.devices or ()]

    @cached_property
    def allocated(self) -> Sequence[ResourceClaim]:
        """Claims that have devices, whoever they are reserved for."""
        return [each for each in self.snapshot.resource_claims if each.status.allocation is not None]

    @cached_property
    def _users(self) -> Mapping[ClaimKey, Sequence[tuple[Pod, bool]]]:
        """By claim the pods that refer to it, and whether it must have been made for them."""
        found: dict[ClaimKey, list[tuple[Pod, bool]]] = {}
        for pod in self.snapshot.pods:
            for name, made in claim_names(pod):
                found.setdefault((pod.metadata.namespace or "", name), []).append((pod, made))
        return found

    def users(self, claim: ResourceClaim) -> Sequence[tuple[Pod, bool]]:
        """The pods that refer to the claim."""
        return self._users.get((claim.metadata.namespace or "", claim.metadata.name), ())


def claim_names(pod: Pod) -> Iterator[tuple[str, bool]]:
    """The claims that a pod refers to, and whether each must have been made for it: those of templates and of extended resources."""
    if pod.spec.resource_claims:
        made = {each.name: each.resource_claim_name for each in pod.status.resource_claim_statuses or ()}
        for each in pod.spec.resource_claims:
            name = each.resource_claim_name or made.get(each.name)
            if name:
                yield name, each.resource_claim_name is None
    extended = pod.status.extended_resource_claim_status
    if extended is not None and extended.resource_claim_name:
        yield extended.resource_claim_name, True


class Hits:
    """What some rules hit together. The rules' effect does not matter: what is told is what NoExecute would do."""

    def __init__(self, reading: Reading, rules: Iterable[DeviceTaintRule]) -> None:
        """Take the reading and the rules."""
        self._reading = reading
        self._rules = tuple(rules)

    @property
    def rules(self) -> tuple[DeviceTaintRule, ...]:
        """The rules."""
        return self._rules

    def selected(self, driver: str, pool: str, device: str) -> Iterator[DeviceTaintRule]:
        """The rules that select the device."""
        return (rule for rule in self._rules if selects_device(rule.spec.device_selector, driver, pool, device))

    def selects(self, device: DeviceId) -> bool:
        """Whether any does."""
        return any(True for _ in self.selected(*device))

    @cached_property
    def published(self) -> Sequence[Published]:
        """The published devices that are selected, once each however often rules select it."""
        return [each for each in self._reading.published if self.selects(each.id)]

    @cached_property
    def claims(self) -> Sequence[ClaimHit]:
        """The allocated claims that are hit, in the order of the list."""
        found = (self._hit(each) for each in self._reading.allocated)
        return [each for each in found if each is not None]

    def _hit(self, claim: ResourceClaim) -> ClaimHit | None:
        devices: list[DeviceId] = []
        after: list[int] = []
        allocation = claim.status.allocation
        for result in (allocation.devices.results or ()) if allocation is not None else ():
            rules = tuple(self.selected(result.driver, result.pool, result.device))
            if not rules:
                continue
            devices.append((result.driver, result.pool, result.device))
            patience = (patience_with(rule, result.tolerations or ()) for rule in rules)
            after += (each for each in patience if each is not None)
        return ClaimHit(claim, tuple(devices), min(after, default=None)) if devices else None

    @cached_property
    def pods(self) -> Sequence[PodHit]:
        """The pods that use what is hit, those that would be evicted and those that stay, in the order of the list."""
        by_pod: dict[int, tuple[Pod, list[tuple[ClaimHit, Stays | None]]]] = {}
        for hit in self.claims:
            for pod, made in self._reading.users(hit.claim):
                by_pod.setdefault(id(pod), (pod, []))[1].append((hit, self._stays(pod, hit, made)))
        order = {id(pod): number for number, pod in enumerate(self._reading.snapshot.pods)} if by_pod else {}
        return [_pod_hit(pod, hits) for _, (pod, hits) in sorted(by_pod.items(), key=lambda item: order[item[0]])]

    def _stays(self, pod: Pod, hit: ClaimHit, made: bool) -> Stays | None:
        meta, claim = pod.metadata, hit.claim
        owner = claim.metadata.controller
        judged: tuple[tuple[Stays, Callable[[], bool]], ...] = (
            (Stays.TERMINATING, lambda: meta.deletion_timestamp is not None),
            (Stays.NOT_SCHEDULED, lambda: pod.node_name is None),
            (Stays.NOT_OWNER, lambda: made and (owner is None or owner.uid != (meta.uid or ""))),
            (Stays.NOT_RESERVED, lambda: all(each.uid != meta.uid for each in claim.status.reserved_for or ())),
            (Stays.TOLERATES, lambda: hit.after is None),
            (Stays.NOT_SUPPORTED, lambda: not self._reading.extended_evicted and _is_special(pod, claim)),
        )
        return next((why for why, applies in judged if applies()), None)

    @cached_property
    def evicted(self) -> Sequence[PodHit]:
        """The pods that would be evicted."""
        return [each for each in self.pods if each.stays is None]

    @property
    def published_devices(self) -> int:
        """How many published devices the controller counts."""
        return len(self.published)

    @property
    def allocated_devices(self) -> int:
        """How many results of claims it counts: by their names alone, published or not, administrators' too."""
        return sum(len(each.devices) for each in self.claims)

    @property
    def namespaces(self) -> int:
        """In how many namespaces pods would be evicted."""
        return len({each.pod.metadata.namespace for each in self.evicted})


def _pod_hit(pod: Pod, hits: Sequence[tuple[ClaimHit, Stays | None]]) -> PodHit:
    going = [hit for hit, stays in hits if stays is None]
    if not going:
        return PodHit(pod, tuple(hit for hit, _ in hits), stays=hits[0][1])
    return PodHit(pod, tuple(going), min(hit.after or 0 for hit in going))


def _is_special(pod: Pod, claim: ResourceClaim) -> bool:
    """Whether it is the claim that the scheduler made for the pod's extended resources."""
    status = pod.status.extended_resource_claim_status
    return status is not None and status.resource_claim_name == claim.metadata.name


def patience_with(rule: DeviceTaintRule, tolerations: Iterable[Toleration]) -> int | None:
    """For how many seconds a device's tolerations put up with the rule's taint, were it NoExecute: 0 for none, null for ever.

    Only tolerations whose effect is NoExecute, literally, count: an empty effect lets the scheduler place a pod, and does not keep it
    from being evicted.
    """
    taint = msgspec.structs.replace(rule.spec.taint, effect=Effect.NO_EXECUTE)
    fitting = [each for each in tolerations if each.effect == Effect.NO_EXECUTE and tolerates(each, taint)]
    if any(each.toleration_seconds is None for each in fitting):
        return None
    return min((max(each.toleration_seconds or 0, 0) for each in fitting), default=0)


def saves_nobody(rule: DeviceTaintRule, tolerations: Iterable[Toleration]) -> bool:
    """Whether a toleration without an effect fits the taint: the scheduler takes it for one, the eviction controller does not."""
    taint = msgspec.structs.replace(rule.spec.taint, effect=Effect.NO_EXECUTE)
    return any(not each.effect and tolerates(each, taint) for each in tolerations)
