"""Claims whose pods are gone or done, and pods whose claims are."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from kubectl_dra.audit import claims
from kubectl_dra.audit.candidate import Again, Candidate, Doubt
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import ObjectRef, Severity
from kubectl_dra.audit.registry import check
from kubectl_dra.audit.words import count, lines, listed
from kubectl_dra.knowledge.faults import fault
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.resource import ResourceClaim
from kubectl_dra.remedies.kubectl_line import delete_pods, kubectl

_HELD_AFTER_COMPLETION = fault("completed-pods-hold-devices")
_JUST_NOW = 60.0
"""Seconds that controllers may take to tidy up."""


@check(
    "DRA409",
    title="a pod on a node whose claim is gone",
    severity=Severity.ERROR,
    why=(
        "After a binding that failed the scheduler deletes the claim it made for the pod's extended resources, and leaves its name in the"
        " pod's status. If the next attempt ends on a node where the device plugin serves the name, the kubelet goes by the status: it does"
        " not ask the plugin for devices, and fails to prepare a claim that does not exist. The pod stays in ContainerCreating for ever."
    ),
    fix=("# delete the pod: its controller makes a new one, without the old status", "kubectl -n NAMESPACE delete pod POD"),
    source=(
        "kubernetes: pkg/scheduler/framework/plugins/dynamicresources/extendeddynamicresources.go",
        "kubernetes: pkg/kubelet/cm/dra/manager.go (PrepareResources)",
        "kubernetes: pkg/kubelet/cm/devicemanager/manager.go",
    ),
    needs=("pods", "resource_claims"),
)
def pods_without_their_claim(case: Case) -> Iterator[Candidate | Doubt]:
    """Pods on a node whose status names a claim for extended resources that does not exist."""
    if not case.claims.known:
        return
    for pod, _ in case.asking_pods:
        status = pod.status.extended_resource_claim_status
        if status is None or pod.node_name is None or pod.metadata.deletion_timestamp:
            continue
        namespace, name = pod.metadata.namespace or "", status.resource_claim_name
        names = sorted({each.resource_name for each in status.request_mappings or ()})
        if (namespace, name) in case.claims.by_key or not any(map(case.scope.has_resource, names)):
            continue
        me, runs = ObjectRef.of("Pod", pod.metadata), pod.status.phase == "Running"
        yield Candidate(
            cause=str(me),
            objects=(me,),
            evidence=f"{me} is on node {pod.node_name}, phase {pod.status.phase or 'unknown'};"
            f" status.extendedResourceClaimStatus names ResourceClaim {name}, which does not exist (for {listed(names)})",
            resources=tuple(names),
            title=f"{me} {'runs' if runs else 'waits'} on node {pod.node_name} {'with' if runs else 'for'} a claim that is gone",
            why=_CLAIM_REMOVED if runs else None,
            fix=(*_keep_if_bare([pod]), *_delete([pod])),
            settling=Again((me, ObjectRef("ResourceClaim", namespace, name))),
        )


_CLAIM_REMOVED = (
    "The pod runs and its claim does not exist any more: somebody has removed it together with its finalizer. The scheduler takes the pod's"
    " devices for free and gives them to others."
)


@check(
    "DRA601",
    title="claims for extended resources whose pod is gone",
    severity=Severity.WARNING,
    why=(
        "The scheduler makes such a claim for one pod, and the garbage collector removes it with the pod. One that stays keeps its devices"
        " from everybody: nothing looks after it. Anybody who may create claims can also make one by hand: the annotation is not protected."
    ),
    fix=("# nothing uses it: delete it; its devices are free again", "kubectl -n NAMESPACE delete resourceclaim CLAIM"),
    source=(
        "kubernetes: pkg/scheduler/framework/plugins/dynamicresources/extendeddynamicresources.go",
        "kubernetes: pkg/controller/garbagecollector/garbagecollector.go",
        "kubernetes: pkg/controller/resourceclaim/controller.go",
    ),
    needs=("resource_claims", "pods"),
)
def orphaned_claims(case: Case) -> Iterator[Candidate | Doubt]:
    """Special claims that no pod owns, or whose owner does not exist; what is being deleted is left to DRA603."""
    if not case.claims.known:
        return
    pods_there = case.claims.pods
    for claim in _claims(case):
        if any(owner.uid in pods_there for owner in claim.metadata.owner_references or ()):
            continue
        if not claim.extended or claim.metadata.deletion_timestamp or not _older(case, claim):
            continue
        owner = claim.metadata.controller
        me, given = claims.ref(claim), claims.devices(claim)
        keeps = f", and keeps {count(len(given), 'device')}" if given else ""
        told = "no pod owns it" if owner is None else f"its owner {owner.kind} {owner.name} (uid {owner.uid}) does not exist"
        pods = () if owner is None else (ObjectRef(owner.kind, me.namespace, owner.name),)
        yield Candidate(
            cause=str(me),
            objects=(me,),
            evidence=f"{me} was made for a pod's extended resources; {told}; {_holds(claim)}",
            severity=Severity.WARNING if given else Severity.INFO,
            title=f"{me} was made for a pod that is gone{keeps}",
            fix=(
                "# nothing uses it: delete it; its devices are free again",
                kubectl("-n", me.namespace, "delete", "resourceclaim", me.name),
            ),
            settling=Again((me, *(each for each in pods if each.kind == "Pod"))),
        )


@check(
    "DRA602",
    title="claims of finished pods that keep their devices",
    severity=Severity.WARNING,
    why=(
        "A pod that has ended needs its devices no more, and the claim controller gives them back within seconds. 1.34 did so only for"
        " claims that a template makes: claims for extended resources kept their devices until the pod was deleted. From 1.35 on this means"
        " that the controller (in kube-controller-manager) does not work."
    ),
    fix=(
        "# delete the finished pods (their results and logs go with them), and their claims go too",
        "kubectl -n NAMESPACE delete pod POD",
    ),
    source=("kubernetes/kubernetes#134311", "kubernetes/kubernetes#134312", "kubernetes: pkg/controller/resourceclaim/controller.go"),
    needs=("resource_claims", "pods"),
)
def claims_of_finished_pods(case: Case) -> Iterator[Candidate | Doubt]:
    """Allocated claims of which every pod is finished, for a minute at least; one candidate a namespace."""
    if not case.claims.known:
        return
    found: dict[str, list[tuple[ResourceClaim, Pod]]] = defaultdict(list)
    finished = {pod.metadata.uid for pod in case.snapshot.pods if pod.finished}
    for claim in _claims(case) if finished else ():
        reserved, owners = claim.status.reserved_for or (), claim.metadata.owner_references or ()
        if not any(each.uid in finished for each in reserved) and not any(each.uid in finished for each in owners):
            continue
        given = claims.devices(claim)
        pods = _pods(case, claim) if given and not claim.metadata.deletion_timestamp else ()
        if pods and all(pod.finished and _ended(case, pod) for pod in pods):
            found[claim.metadata.namespace or ""] += [(claim, pod) for pod in pods]
    old = _HELD_AFTER_COMPLETION.affects(case.snapshot.cluster.version)
    for namespace, held in sorted(found.items()):
        objects = tuple(sorted({claims.ref(claim) for claim, _ in held} | {ObjectRef.of("Pod", pod.metadata) for _, pod in held}))
        of_claims = {claims.ref(claim): claim for claim, _ in held}
        number = sum(len(claims.devices(claim)) for claim in of_claims.values())
        yield Candidate(
            cause=namespace,
            objects=objects,
            evidence=lines(
                f"{claims.ref(claim)} {_holds(claim)}; {ObjectRef.of('Pod', pod.metadata)} is {pod.status.phase}" for claim, pod in held
            ),
            title=f"{count(len(of_claims), 'claim')} of finished pods in {namespace} {'keeps' if len(of_claims) == 1 else 'keep'}"
            f" {count(number, 'device')}",
            fix=(
                *(() if old else _CONTROLLER),
                "# delete the finished pods (their results and logs go with them), and their claims go too",
                *_delete(pod for _, pod in held),
            ),
            settling=Again(objects),
        )


_CONTROLLER = (
    "# the claim controller should have done it: does it run, and what does it say?",
    "kubectl -n kube-system get pods -l component=kube-controller-manager",
)


@check(
    "DRA604",
    title="claims that are reserved for nobody who is there",
    severity=Severity.WARNING,
    why=(
        "A claim stays allocated as long as it is reserved for anybody, and its devices go to nobody else. The claim controller removes"
        " the reservations of pods that are gone or replaced; it leaves alone what is neither a pod nor a pod group: whoever reserved the"
        " claim for it has to remove it."
    ),
    fix=(
        "# look who holds it, and whether the claim controller works",
        "kubectl -n NAMESPACE get resourceclaim CLAIM -o yaml",
        "# if nothing else uses it, delete it; never edit status.reservedFor by hand: a pod that still runs would share its devices",
    ),
    source=("kubernetes: pkg/controller/resourceclaim/controller.go", "k8s.io/api: resource/v1/types.go (ResourceClaimConsumerReference)"),
    needs=("resource_claims", "pods"),
)
def reserved_for_nobody(case: Case) -> Iterator[Candidate | Doubt]:
    """Claims with a reservation for a pod that does not exist, or for something of another kind."""
    if not case.claims.known:
        return
    pods_there = case.claims.pods
    for claim in _claims(case):
        reserved = claim.status.reserved_for
        if not reserved or all(each.uid in pods_there for each in reserved):
            continue
        owner = claim.metadata.controller
        orphaned = claim.extended and (owner is None or owner.uid not in case.claims.pods)
        if claim.metadata.deletion_timestamp or orphaned:
            continue
        gone = [each for each in reserved if claims.is_pod(each) and each.uid not in case.claims.pods]
        others = [each for each in reserved if not claims.is_pod(each) and not claims.is_pod_group(each)]
        me = claims.ref(claim)
        seen = [f"{me} is reserved for pod {each.name} (uid {each.uid}), which does not exist" for each in gone]
        seen += [f"{me} is reserved for {each.resource}{f'.{each.api_group}' if each.api_group else ''} {each.name}" for each in others]
        if not seen:
            continue
        pods = tuple(ObjectRef("Pod", me.namespace, each.name) for each in gone)
        yield Candidate(
            cause=str(me),
            objects=(me,),
            evidence=lines([*seen, f"it {_holds(claim)}"]),
            severity=Severity.WARNING if gone else Severity.INFO,
            title=f"{me} is reserved for {'a pod that is gone' if gone else f'{others[0].resource} {others[0].name}, which is no pod'}",
            fix=_release(me, gone=bool(gone)),
            settling=Again((me, *pods)),
        )


def _release(me: ObjectRef, *, gone: bool) -> tuple[str, ...]:
    look = kubectl("-n", me.namespace, "get", "resourceclaim", me.name, "-o", "yaml")
    if not gone:
        return ("# whoever reserved it has to release it: who set status.reservedFor?", f"{look} --show-managed-fields")
    return (
        *_CONTROLLER,
        "# if nothing else uses the claim, delete it; never edit status.reservedFor by hand: a pod that runs would share its devices",
        look,
        f"#   {kubectl('-n', me.namespace, 'delete', 'resourceclaim', me.name)}",
    )


def _claims(case: Case) -> Iterator[ResourceClaim]:
    """The claims of the namespaces asked about."""
    return (each for each in case.snapshot.resource_claims if case.scope.has_namespace(each.metadata.namespace))


def _older(case: Case, claim: ResourceClaim) -> bool:
    """Whether the claim is older than what a list of pods may have missed."""
    age = case.age(claim.metadata.creation_timestamp)
    return age is None or age >= _JUST_NOW


def _pods(case: Case, claim: ResourceClaim) -> tuple[Pod, ...]:
    """The pods that hold a claim: those it is reserved for and, of a special one, its owner."""
    owner = claim.metadata.controller if claim.extended else None
    own = case.claims.pods.get(owner.uid) if owner is not None else None
    pods = case.claims.consumers(claim)
    return pods if own is None or own in pods else (*pods, own)


def _ended(case: Case, pod: Pod) -> bool:
    """Whether the pod ended longer ago than the controller may take; true when that is not known."""
    ready = pod.condition("Ready")
    age = case.age(ready.last_transition_time) if ready is not None else None
    return age is None or age >= _JUST_NOW


def _holds(claim: ResourceClaim) -> str:
    given = [f"{each.driver}/{each.pool}/{each.device}" for each in claims.devices(claim)]
    return f"holds {listed(given)}" if given else "holds no device"


def _delete(pods: Iterable[Pod]) -> tuple[str, ...]:
    return delete_pods(sorted({(pod.metadata.namespace or "", pod.metadata.name) for pod in pods}))


def _keep_if_bare(pods: Iterable[Pod]) -> tuple[str, ...]:
    bare = [str(ObjectRef.of("Pod", pod.metadata)) for pod in pods if pod.metadata.controller is None]
    return (f"# nothing makes these again, keep their manifests: {listed(bare)}",) if bare else ()
