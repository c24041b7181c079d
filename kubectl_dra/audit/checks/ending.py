"""Claims and pods that are being deleted and do not go."""

from collections.abc import Iterator

from kubectl_dra.audit import claims
from kubectl_dra.audit.candidate import Again, Candidate, Doubt, whole
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import ObjectRef, Severity
from kubectl_dra.audit.registry import check
from kubectl_dra.audit.words import lasting, lines, listed
from kubectl_dra.inventory.node_pods import NodePods
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.resource import ResourceClaim
from kubectl_dra.remedies.kubectl_line import kubectl

_STUCK = 120.0
"""Seconds after which a deletion that should be done has not just begun."""
_NOT_DATED = "when the cluster was read is not known, and so not how long the deletion of {} has taken"
_SKIPS_UNPREPARE = frozenset({"NodeUnprepareResources", "*"})


@check(
    "DRA603",
    title="claims that are being deleted and stay",
    severity=Severity.WARNING,
    why=(
        "A claim that is allocated is protected by a finalizer: it goes when nobody has it reserved any more. While a pod still uses it"
        " that is meant so. When the pods are gone and the claim stays, its devices are lost to everybody: the claim controller does not"
        " work, or (before 1.33.6) the scheduler has written the claim again from an old state."
    ),
    fix=(
        "# is a pod there that uses it? delete that first",
        "kubectl -n NAMESPACE get resourceclaim CLAIM -o yaml",
        "# else restart kube-controller-manager, then kube-scheduler; remove the finalizer only when both did not help:",
        "# what is given to a pod that still runs would be given a second time",
    ),
    source=(
        "kubernetes/kubernetes#132533",
        "kubernetes: pkg/controller/resourceclaim/controller.go",
        "k8s.io/api: resource/v1/types.go (Finalizer)",
    ),
    needs=("resource_claims", "pods"),
)
def claims_that_stay(case: Case) -> Iterator[Candidate | Doubt]:
    """Claims whose deletion began two minutes ago or more: a note while pods use them, else a warning."""
    undated: list[ObjectRef] = []
    for claim in case.snapshot.resource_claims:
        if not claim.metadata.deletion_timestamp or not case.scope.has_namespace(claim.metadata.namespace):
            continue
        age = case.age(claim.metadata.deletion_timestamp)
        if age is None:
            undated.append(claims.ref(claim))
        elif age >= _STUCK:
            yield _stays(case, claim, age)
    if undated:
        yield Doubt(_NOT_DATED.format(listed(sorted(undated))))


def _stays(case: Case, claim: ResourceClaim, age: float) -> Candidate:
    me = claims.ref(claim)
    using = sorted(ObjectRef.of("Pod", pod.metadata) for pod in case.claims.consumers(claim) if not pod.finished)
    reserved = sorted(ObjectRef("Pod", me.namespace, each.name) for each in claim.status.reserved_for or () if claims.is_pod(each))
    seen = [
        f"{me} is being deleted for {lasting(age)}; finalizers: {', '.join(claim.metadata.finalizers or ()) or 'none'}",
        f"it is reserved for {listed(reserved)}; of these {listed(using)} {'is' if len(using) < 2 else 'are'} there and not finished",
    ]
    get = kubectl("-n", me.namespace, "get", "resourceclaim", me.name, "-o", "yaml")
    if using:
        pods = tuple(ref.name for ref in using)
        fix: tuple[str, ...] = (
            "# meant so: the claim goes when its pods do. To have that now",
            f"#   {kubectl('-n', me.namespace, 'delete', 'pod', *pods)}",
        )
    else:
        fix = (
            "# no pod uses it: restart kube-controller-manager, then kube-scheduler, and look again",
            get,
            "# remove the finalizer only when both did not help, and no container of its pod runs on the node any more",
        )
    return Candidate(
        cause=str(me),
        objects=(me, *using),
        evidence=lines(seen),
        severity=Severity.INFO if using else Severity.WARNING,
        title=f"{me} is being deleted for {lasting(age)}" + (", and pods use it" if using else ""),
        fix=fix,
        settling=Again((me, *reserved)),
    )


@check(
    "DRA605",
    title="pods that cannot end because the driver of their devices is gone",
    severity=Severity.ERROR,
    why=(
        "Before a pod ends the kubelet lets the driver of its devices clean up. Without the driver it tries again for ever and says so"
        " only in its log: the pod stays in Terminating, its claim stays reserved and the devices stay in use. Taking the driver off a node"
        " before the pods with its claims does this, and a rollback would do it to every pod."
    ),
    fix=(
        "# bring the driver back on that node: the kubelet tries again within a minute, and the pod ends",
        "kubectl get resourceslices --field-selector spec.nodeName=NODE",
        "# only if the driver is gone for good: after the node has been rebooted nothing uses the device, and this is safe",
        "kubectl -n NAMESPACE delete pod POD --grace-period=0 --force",
    ),
    source=(
        "kubernetes/kubernetes#129402",
        "kubernetes: pkg/kubelet/kubelet.go (SyncTerminatingPod)",
        "kubernetes: pkg/kubelet/cm/dra/manager.go (unprepareResources)",
    ),
    needs=("pods", "resource_claims", "resource_slices"),
    also=("nodes",),
)
def pods_without_a_driver_to_end(case: Case) -> Iterator[Candidate | Doubt]:
    """Pods past their grace whose claim has devices of a driver that publishes nothing for their node and has no pod there."""
    undated: list[ObjectRef] = []
    node_pods = NodePods(case.snapshot)
    for pod in case.pods:
        if not pod.metadata.deletion_timestamp or not pod.node_name:
            continue
        drivers = _drivers(case, pod)
        gone = sorted(driver for driver in drivers if not _is_there(case, driver, pod.node_name, node_pods)) if drivers else []
        if not gone or not case.snapshot.resource_slices.known:
            continue
        # the API server has added the grace period to the moment of the deletion
        age = case.age(pod.metadata.deletion_timestamp)
        if age is None:
            undated.append(ObjectRef.of("Pod", pod.metadata))
        elif age >= _STUCK / 2:
            yield _hangs(case, pod, gone, age)
    if undated:
        yield Doubt(_NOT_DATED.format(listed(sorted(undated))))


def _drivers(case: Case, pod: Pod) -> frozenset[str]:
    """The drivers that have to clean up after the pod."""
    return frozenset(
        device.driver
        for claim in case.claims.of_pod(pod)
        for device in claims.devices(claim)
        if not _SKIPS_UNPREPARE.intersection(device.skip_node_operations or ())
    )


def _is_there(case: Case, driver: str, node_name: str, node_pods: NodePods) -> bool:
    """Whether the driver serves the node, as far as can be seen: slices of the node, slices of several nodes, or a pod of it there.

    The kubelet removes a node's own slices half a minute after their driver has gone.
    """
    node = case.node(node_name)
    here = node is not None and driver in case.devices_on(node)
    published = any(each.spec.driver == driver and each.spec.node_name == node_name for each in case.snapshot.resource_slices)
    return here or published or any(not pod.metadata.deletion_timestamp for pod in node_pods.drivers(node_name, (driver,)))


def _hangs(case: Case, pod: Pod, gone: list[str], age: float) -> Candidate:
    me, node = ObjectRef.of("Pod", pod.metadata), case.node(pod.node_name)
    ready = next((each.status for each in (node.status.conditions or () if node else ()) if each.type == "Ready"), "Unknown")
    held = tuple(claims.ref(claim) for claim in case.claims.of_pod(pod) if any(each.driver in gone for each in claims.devices(claim)))
    seen = [
        f"{me} should have ended {lasting(age)} ago; its node {pod.node_name} has no slice and no pod of driver {listed(gone)}",
        f"it holds {listed(held)}",
        *([f"node {pod.node_name} is not Ready ({ready}): that alone keeps the pod, too"] if node is not None and ready != "True" else ()),
        *([f"node {pod.node_name} does not exist"] if node is None and case.snapshot.nodes.known else ()),
    ]
    return Candidate(
        cause=str(me),
        objects=(me, *held),
        evidence=lines(seen),
        title=f"{me} cannot end: driver {listed(gone)} is gone from node {pod.node_name}",
        fix=(
            f"# bring driver {listed(gone)} back on node {pod.node_name}: the kubelet tries again within a minute, and the pod ends",
            kubectl("get", "resourceslices", f"--field-selector=spec.nodeName={pod.node_name}"),
            "# only if the driver is gone for good: once the node has been rebooted nothing uses the device, and this is safe",
            f"#   {kubectl('-n', me.namespace, 'delete', 'pod', me.name, '--grace-period=0', '--force')}",
        ),
        settling=Again((me, *held, whole("ResourceSlice"))),
    )
