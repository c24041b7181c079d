"""What has to happen before the scheduler looks for a node: gates, claims that are not there, another scheduler, quotas."""

from collections.abc import Iterator, Mapping

from kubectl_dra.allocation.pod_claims import ClaimObstacle, ClaimTrouble
from kubectl_dra.explanation.case import PodCase
from kubectl_dra.explanation.document import Reason
from kubectl_dra.objects.pod import PodResourceClaim
from kubectl_dra.remedies.kubectl_line import kubectl

GATE_OWNERS: Mapping[str, str] = {
    "kueue.x-k8s.io/admission": "Kueue removes it when it admits the workload: see the Workload's conditions",
    "kueue.x-k8s.io/topology": "Kueue removes it when it has chosen a topology domain",
}
"""Who removes well-known gates (kueue: pkg/controller/jobs/pod, pkg/controller/tas)."""
DEFAULT_SCHEDULER = "default-scheduler"
CREATION_FAILED = "FailedResourceClaimCreation"
"""The event of the resource claim controller (kubernetes pkg/controller/resourceclaim/controller.go)."""
_EXCEEDED = "exceeded quota"


def before(case: PodCase) -> tuple[Reason, ...]:
    """What keeps the pod from being scheduled at all, in the order in which it has to be mended."""
    return (*_gates(case), *_unheard_scheduler(case), *_claims(case))


def _gates(case: PodCase) -> Iterator[Reason]:
    gates = [each.name for each in case.pod.spec.scheduling_gates or ()]
    if gates:
        names = ", ".join(gates)
        message = f"it has the scheduling gate{'s' if len(gates) > 1 else ''} {names}: until removed, the scheduler does not look at it"
        yield Reason("gated", message, names, detail=tuple(GATE_OWNERS[each] for each in gates if each in GATE_OWNERS))


def other_scheduler(case: PodCase) -> str | None:
    """The pod's scheduler, when it is not the default one."""
    name = case.pod.spec.scheduler_name
    return None if name in (None, "", DEFAULT_SCHEDULER) else name


def _unheard_scheduler(case: PodCase) -> Iterator[Reason]:
    """Another scheduler that has said nothing of the pod may not exist."""
    name = other_scheduler(case)
    if name is not None and _unheard(case):
        yield Reason(
            "other-scheduler",
            f"it is for the scheduler {name}, which has said nothing about it: the default scheduler leaves it alone",
            name,
            detail=(f"is a scheduler of that name running? spec.schedulerName {DEFAULT_SCHEDULER} is the default one",),
        )


def bypasses_scheduler(case: PodCase) -> tuple[Reason, ...]:
    """A manifest that names its node: nobody allocates claims for such a pod."""
    node = case.nodes.get(case.pod.node_name or "")
    through_dra = [
        name for name in case.names if case.classes.device_class(name) is not None and not (node and case.planner.offers(node, name))
    ]
    if case.pod.node_name is None or not (case.pod.spec.resource_claims or through_dra):
        return ()
    message = f"spec.nodeName puts it on {case.pod.node_name} without the scheduler, which alone allocates claims"
    return (Reason("bypasses-scheduler", message, detail=("a node selector for kubernetes.io/hostname leaves it to the scheduler",)),)


def judged_as_default(case: PodCase) -> tuple[Reason, ...]:
    """That another scheduler, which looks at the pod, may see it otherwise."""
    name = other_scheduler(case)
    if name is None or _unheard(case):
        return ()
    message = f"it is for the scheduler {name}; what is told of nodes is what the default scheduler would make of it"
    return (Reason("other-scheduler", message, name),)


def _unheard(case: PodCase) -> bool:
    return case.exists and case.pod.condition("PodScheduled") is None


def _claims(case: PodCase) -> Iterator[Reason]:
    if not case.snapshot.resource_claims.known:
        return
    entries = {each.name: each for each in case.pod.spec.resource_claims or ()}
    for obstacle in case.planner.claims_of(case.pod).obstacles:
        if obstacle.trouble is not ClaimTrouble.CLASS_MISSING or case.snapshot.device_classes.known:
            yield _obstacle(case, entries[obstacle.entry], obstacle)


def _obstacle(case: PodCase, entry: PodResourceClaim, obstacle: ClaimObstacle) -> Reason:
    namespace = case.pod.metadata.namespace or ""
    match obstacle.trouble:
        case ClaimTrouble.NOT_GENERATED:
            return _not_generated(case, entry)
        case ClaimTrouble.MISSING:
            message = f"the claim {namespace}/{obstacle.name} does not exist"
            where = "spec.resourceClaims names it" if entry.resource_claim_name else "it was made from a template and is gone"
            return Reason("claim-missing", message, obstacle.name, detail=(where,))
        case ClaimTrouble.BEING_DELETED:
            claim = case.claim(obstacle.name)
            users = ", ".join(each.name for each in (claim.status.reserved_for or ())) if claim is not None else ""
            message = f"the claim {namespace}/{obstacle.name} is being deleted"
            return Reason("claim-being-deleted", message, obstacle.name, detail=(f"it is reserved for {users}",) if users else ())
        case ClaimTrouble.OF_ANOTHER_POD:
            message = f"the claim {namespace}/{obstacle.name} was made for another pod{f', {obstacle.what}' if obstacle.what else ''}"
            return Reason("claim-of-another-pod", message, obstacle.name)
        case ClaimTrouble.CLASS_MISSING:
            names = ", ".join(sorted(each.metadata.name for each in case.snapshot.device_classes)) or "none"
            request = f"request {obstacle.request} of the claim {namespace}/{obstacle.name}"
            message = f"{request} is for the device class {obstacle.what}, which does not exist"
            return Reason("class-missing", message, obstacle.what, detail=(f"there are: {names}",))


def _not_generated(case: PodCase, entry: PodResourceClaim) -> Reason:
    """No claim was made from the template yet."""
    namespace, template = case.pod.metadata.namespace or "", entry.resource_claim_template_name or ""
    event = case.event(CREATION_FAILED)
    told = (event.message,) if event is not None and event.message else ()
    if case.snapshot.resource_claim_templates.known and template not in case.templates:
        there = ", ".join(sorted(case.templates)) or "none"
        message = f"the claim template {namespace}/{template} does not exist, so no claim is made for {entry.name}"
        return Reason("template-missing", message, template, detail=(f"in namespace {namespace} there are: {there}", *told))
    if told and _EXCEEDED in told[0]:
        fix = (kubectl("-n", namespace, "describe", "resourcequota"),)
        return Reason("quota", f"a quota forbids the claim for {entry.name}", entry.name, detail=told, fix=fix)
    message = f"the controller has not yet made the claim for {entry.name} from the template {template}"
    return Reason("claim-not-made", message, template, detail=told or ("kube-controller-manager makes it, within seconds as a rule",))
