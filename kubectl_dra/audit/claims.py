"""Claims and the pods they are for, as several checks look them up."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property

from kubectl_dra.audit.finding import ObjectRef
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.resource import DeviceRequestAllocationResult, ResourceClaim, ResourceClaimConsumerReference
from kubectl_dra.objects.snapshot import Snapshot

ClaimKey = tuple[str, str]
"""Namespace and name of a claim."""


class Claims:
    """The claims of one reading. Everything is computed when it is first asked for."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Take the reading."""
        self._snapshot = snapshot

    @property
    def known(self) -> bool:
        """Whether a claim or a pod that is not here does not exist: both lists were read in full."""
        return self._snapshot.resource_claims.known and self._snapshot.pods.known

    @cached_property
    def by_key(self) -> Mapping[ClaimKey, ResourceClaim]:
        """All claims."""
        return {(each.metadata.namespace or "", each.metadata.name): each for each in self._snapshot.resource_claims}

    @cached_property
    def pods(self) -> Mapping[str, Pod]:
        """All pods by their UIDs, finished ones too."""
        return {pod.metadata.uid: pod for pod in self._snapshot.pods if pod.metadata.uid}

    def of_pod(self, pod: Pod) -> tuple[ResourceClaim, ...]:
        """The claims that the pod uses, of those that exist."""
        namespace = pod.metadata.namespace or ""
        found = (self.by_key.get((namespace, name)) for name in names_of(pod))
        return tuple(claim for claim in found if claim is not None)

    @cached_property
    def _special(self) -> Mapping[str, list[ResourceClaim]]:
        found: dict[str, list[ResourceClaim]] = defaultdict(list)
        for claim in self._snapshot.resource_claims:
            for owner in claim.metadata.owner_references or () if claim.extended else ():
                found[owner.uid].append(claim)
        return found

    def made_for(self, pod: Pod) -> tuple[ResourceClaim, ...]:
        """The claims that the scheduler made for the pod's extended resources: the pod owns them, whatever its status says."""
        return tuple(self._special.get(pod.metadata.uid or "", ()))

    def consumers(self, claim: ResourceClaim) -> tuple[Pod, ...]:
        """The pods that the claim is reserved for, of those that exist."""
        found = (self.pods.get(each.uid) for each in claim.status.reserved_for or () if is_pod(each))
        return tuple(pod for pod in found if pod is not None)


def names_of(pod: Pod) -> Iterator[str]:
    """The names of the claims that a pod uses: its own, those made from templates, and the one for its extended resources.

    Source: k8s.io/dynamic-resource-allocation resourceclaim/pod.go (PodClaims).
    """
    made = {each.name: each.resource_claim_name for each in pod.status.resource_claim_statuses or ()}
    for each in pod.spec.resource_claims or ():
        name = each.resource_claim_name or made.get(each.name)
        if name:
            yield name
    extended = pod.status.extended_resource_claim_status
    if extended is not None:
        yield extended.resource_claim_name


def served_by_claim(pod: Pod, name: str) -> bool:
    """Whether the scheduler gave the pod devices of that name through a claim."""
    status = pod.status.extended_resource_claim_status
    return status is not None and any(each.resource_name == name for each in status.request_mappings or ())


def is_pod(consumer: ResourceClaimConsumerReference) -> bool:
    """Whether what a claim is reserved for is a pod."""
    return consumer.resource == "pods" and not consumer.api_group


def is_pod_group(consumer: ResourceClaimConsumerReference) -> bool:
    """Whether what a claim is reserved for is a pod group (DRAWorkloadResourceClaims)."""
    return consumer.resource == "podgroups" and consumer.api_group == "scheduling.k8s.io"


def devices(claim: ResourceClaim) -> tuple[DeviceRequestAllocationResult, ...]:
    """The devices that are given to the claim."""
    allocation = claim.status.allocation
    return (allocation.devices.results or ()) if allocation is not None else ()


def ref(claim: ResourceClaim) -> ObjectRef:
    """The claim as findings name it."""
    return ObjectRef.of("ResourceClaim", claim.metadata)
