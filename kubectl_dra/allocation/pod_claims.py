"""The claims of a pod: those that it names, and what stands in the way before a device is looked at.

Rules: kubernetes pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (PreFilter), resourceclaim.Name and IsForPod.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from kubectl_dra.objects.pod import Pod, PodResourceClaim
from kubectl_dra.objects.resource import ResourceClaim

ClaimsByName = Mapping[tuple[str, str], ResourceClaim]
"""By namespace and name."""


class ClaimTrouble(StrEnum):
    """Why the scheduler does not even look for a node."""

    NOT_GENERATED = "the claim is not made yet"
    MISSING = "the claim does not exist"
    BEING_DELETED = "the claim is being deleted"
    OF_ANOTHER_POD = "the claim was made for another pod"
    CLASS_MISSING = "the device class does not exist"


@dataclass(frozen=True, slots=True)
class ClaimObstacle:
    """One claim of the pod (by the pod's own name for it), what it is called in the cluster, and what is wrong.

    `what` is the class that is missing or the other pod, `request` the request that names the class (an alternative as
    REQUEST/SUBREQUEST).
    """

    entry: str
    name: str
    trouble: ClaimTrouble
    what: str = ""
    request: str = ""


@dataclass(frozen=True, slots=True)
class PodClaims:
    """The pod's claims in the order of its spec, allocated or not, or the first obstacle for each that has one."""

    claims: tuple[ResourceClaim, ...] = ()
    obstacles: tuple[ClaimObstacle, ...] = ()


def pod_claims(pod: Pod, claims: ClaimsByName, classes: frozenset[str]) -> PodClaims:
    """What the pod's spec refers to. `classes` are the names of all device classes."""
    found: list[ResourceClaim] = []
    obstacles: list[ClaimObstacle] = []
    statuses = {each.name: each.resource_claim_name for each in pod.status.resource_claim_statuses or ()}
    for entry in pod.spec.resource_claims or ():
        if entry.resource_claim_name is None and entry.name in statuses and statuses[entry.name] is None:
            continue  # the template's claim is not needed
        name = entry.resource_claim_name or statuses.get(entry.name)
        claim = None if name is None else claims.get((pod.metadata.namespace or "", name))
        obstacle = _obstacle(pod, entry, name, claim, classes)
        if obstacle is not None:
            obstacles.append(obstacle)
        elif claim is not None:
            found.append(claim)
    return PodClaims(tuple(found), tuple(obstacles))


def _obstacle(
    pod: Pod, entry: PodResourceClaim, name: str | None, claim: ResourceClaim | None, classes: frozenset[str]
) -> ClaimObstacle | None:
    if name is None:
        return ClaimObstacle(entry.name, "", ClaimTrouble.NOT_GENERATED)
    if claim is None:
        return ClaimObstacle(entry.name, name, ClaimTrouble.MISSING)
    if claim.metadata.deletion_timestamp:
        return ClaimObstacle(entry.name, name, ClaimTrouble.BEING_DELETED)
    owner = claim.metadata.controller
    if entry.resource_claim_name is None and (owner is None or owner.uid != (pod.metadata.uid or "")):
        return ClaimObstacle(entry.name, name, ClaimTrouble.OF_ANOTHER_POD, owner.name if owner is not None else "")
    if claim.status.allocation is None:
        missing = next((each for each in class_names(claim) if each[1] not in classes), None)
        if missing is not None:
            return ClaimObstacle(entry.name, name, ClaimTrouble.CLASS_MISSING, missing[1], missing[0])
    return None


def class_names(claim: ResourceClaim) -> Iterator[tuple[str, str]]:
    """Its requests, alternatives as REQUEST/SUBREQUEST, each with the class that it names."""
    for request in claim.spec.devices.requests or ():
        if request.exactly is not None:
            yield request.name, request.exactly.device_class_name
        for alternative in request.first_available or ():
            yield f"{request.name}/{alternative.name}", alternative.device_class_name
