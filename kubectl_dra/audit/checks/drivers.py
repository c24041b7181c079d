"""DRA drivers by their pods: slices whose driver is not there, and drivers that publish nothing.

A driver that no pod in the cluster stands for (a service of the host, a pod without the usual marks) is not judged.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Set

import msgspec

from kubectl_dra.audit.candidate import Again, Candidate, Doubt, whole
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import ObjectRef, Severity
from kubectl_dra.audit.registry import check
from kubectl_dra.audit.words import count, lasting, lines, listed
from kubectl_dra.knowledge import vendors
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.resource import ResourceSlice
from kubectl_dra.remedies.kubectl_line import kubectl

_STARTS = 60.0
"""Seconds that a driver's pod may take to be ready, or to publish."""
_NEEDS_NO_DRIVER = "*"
"""In skipNodeOperations: the kubelet calls no driver for these devices."""


class _Published(msgspec.Struct, frozen=True):
    """A driver's slices for a node, and its pods there."""

    node: Node
    slices: tuple[ResourceSlice, ...]
    pods: tuple[Pod, ...]


@check(
    "DRA207",
    title="devices published for a node whose driver is not there",
    severity=Severity.ERROR,
    why=(
        "The scheduler goes by slices alone: it gives out devices of a node whose driver has crashed, was taken away or cannot start. The"
        " kubelet then has nobody to prepare the claim: pods stay in ContainerCreating with `DRA driver NAME is not registered`, and pods"
        " that should end stay in Terminating. The kubelet removes a driver's slices half a minute after it has lost the driver, so slices"
        " that stay mean as a rule that the driver is connected and not ready, or that the kubelet does not work either."
    ),
    fix=(
        "# what the driver's pod says, or why it is not there",
        "kubectl -n NAMESPACE describe pod DRIVER-POD",
        "# until it is back, keep new pods off the node",
        "kubectl cordon NODE",
    ),
    source=(
        "kubernetes/kubernetes#141912",
        "kubernetes: pkg/kubelet/cm/dra/manager.go (defaultWipingDelay)",
        "kubernetes: pkg/kubelet/cm/dra/plugin/dra_plugin_manager.go",
    ),
    needs=("resource_slices", "pods", "nodes"),
)
def slices_without_a_driver(case: Case) -> Iterator[Candidate | Doubt]:
    """One candidate for each driver, with nodes that have its slices and no Ready pod of it; nodes that are not Ready aside."""
    if not case.pods_everywhere:
        yield from _other_namespaces(case)
        return
    for driver, published in _local(case).items():
        if not case.node_pods.pods_of(driver):
            if vendors.driver_is_known(driver):
                yield Doubt(f"no pod in the cluster has the marks of {driver}: whether it is on {listed(sorted(published))} is not known")
            continue
        rolls_out = any(_is_young(case, pod) for _, pod in case.node_pods.pods_of(driver))
        found = [each for each in published.values() if _is_missed(case, each, rolls_out=rolls_out)]
        if found:
            yield _without_driver(driver, found)


def _other_namespaces(case: Case) -> Iterator[Doubt]:
    """That drivers' pods are in namespaces which were not read."""
    only = case.snapshot.cluster.namespace
    if only:
        yield Doubt(f"only pods of namespace {only} were read, and drivers have their own")


def _is_missed(case: Case, published: _Published, *, rolls_out: bool) -> bool:
    """`rolls_out`: pods of the driver come and go just now. Between an old one and its successor a node has none."""
    if all(_NEEDS_NO_DRIVER in (each.spec.skip_node_operations or ()) for each in published.slices):
        return False
    if not _is_ready_node(published.node) or any(_is_ready(pod) for pod in published.pods):
        return False
    return not any(_is_young(case, pod) for pod in published.pods) if published.pods else not rolls_out


def _without_driver(driver: str, found: list[_Published]) -> Candidate:
    nodes = tuple(sorted(each.node.metadata.name for each in found))
    refs = tuple(ObjectRef("Node", "", node) for node in nodes)
    pods = sorted({ObjectRef.of("Pod", pod.metadata) for each in found for pod in each.pods})
    slices = {ObjectRef.of("ResourceSlice", one.metadata) for each in found for one in each.slices}
    gone = any(not each.pods for each in found)
    return Candidate(
        cause=driver,
        objects=(*refs, *pods),
        evidence=lines(_told(driver, each) for each in sorted(found, key=lambda each: each.node.metadata.name)),
        severity=Severity.ERROR if gone else Severity.WARNING,
        title=f"{driver} publishes devices for {count(len(nodes), 'node')} and is not ready there",
        fix=(
            *(
                (
                    "# what keeps the driver's pods from being ready",
                    *(kubectl("-n", pod.namespace, "describe", "pod", pod.name) for pod in pods[:3]),
                )
                if pods
                else ()
            ),
            *(("# does its DaemonSet still want these nodes?", kubectl("get", "daemonsets", "-A")) if gone else ()),
            "# until it is back, keep new pods off",
            kubectl("cordon", *nodes),
        ),
        settling=Again((*refs, *pods, *sorted(slices))),
    )


def _told(driver: str, published: _Published) -> str:
    devices = sum(len(each.spec.devices or ()) for each in published.slices)
    pods = [f"{ObjectRef.of('Pod', pod.metadata)} ({_state(pod)})" for pod in published.pods]
    return f"Node {published.node.metadata.name}: {count(devices, 'device')} of {driver} in slices; its pod there: {listed(pods)}"


def _state(pod: Pod) -> str:
    if pod.metadata.deletion_timestamp:
        return "being deleted"
    return f"{pod.status.phase or 'unknown'}, not Ready"


@check(
    "DRA208",
    title="drivers that are ready and publish nothing",
    severity=Severity.WARNING,
    why=(
        "The kubelet removes a driver's slices when it loses the driver and when it starts. Some drivers do not notice and never publish"
        " them again: the driver's pod is Ready, and the node has no devices. Other nodes of the same DaemonSet show what should be there."
    ),
    fix=(
        "# restart the driver there: it publishes anew",
        "kubectl -n NAMESPACE delete pod DRIVER-POD",
        "# a node without such devices: keep the driver off it by the DaemonSet's nodeSelector",
    ),
    source=("kubernetes-sigs/dra-driver-nvidia-gpu#330", "kubernetes/kubernetes#140011", "kubernetes/kubernetes#125163"),
    needs=("resource_slices", "pods", "nodes"),
)
def drivers_without_slices(case: Case) -> Iterator[Candidate | Doubt]:
    """One candidate for each driver and DaemonSet that publishes on some nodes and not on others, where its pod is Ready for a minute."""
    if not case.pods_everywhere or not case.snapshot.resource_slices.known:
        yield from _other_namespaces(case)
        return
    local = _local(case, everywhere=True)
    for driver, published in local.items():
        by_daemon_set: dict[ObjectRef, dict[str, Pod]] = defaultdict(dict)
        for node, pod in case.node_pods.pods_of(driver):
            owner = pod.metadata.controller
            if owner is not None and owner.kind == "DaemonSet":
                by_daemon_set[ObjectRef("DaemonSet", pod.metadata.namespace or "", owner.name)][node] = pod
        for daemon_set, pods in sorted(by_daemon_set.items()):
            silent = [pod for node, pod in sorted(pods.items()) if node not in published and _should_publish(case, node, pod)]
            speaking = pods.keys() & published.keys()
            if silent and speaking:
                yield _silent(case, driver, daemon_set, silent, speaking)


def _should_publish(case: Case, node: str, pod: Pod) -> bool:
    there = case.node(node)
    return there is not None and case.scope.has_node(node) and _is_ready_node(there) and _is_ready(pod) and not _is_young(case, pod)


def _silent(case: Case, driver: str, daemon_set: ObjectRef, silent: list[Pod], speaking: Set[str]) -> Candidate:
    pods = tuple(sorted(ObjectRef.of("Pod", pod.metadata) for pod in silent))
    nodes = tuple(sorted(ObjectRef("Node", "", pod.node_name or "") for pod in silent))
    return Candidate(
        cause=f"{driver}: {daemon_set}",
        objects=(*nodes, *pods),
        evidence=lines(
            [
                *(
                    f"{ObjectRef.of('Pod', pod.metadata)} on node {pod.node_name} is Ready{_since(case, pod)};"
                    f" no slice of {driver} is for that node"
                    for pod in silent
                ),
                f"{daemon_set} publishes for {listed(sorted(speaking))}",
            ]
        ),
        title=f"{driver} is ready on {count(len(nodes), 'node')} and publishes no device there",
        fix=(
            "# restart the driver there: it publishes anew",
            *(kubectl("-n", ref.namespace, "delete", "pod", ref.name) for ref in pods),
            f"# if a node has no such devices: keep {daemon_set} off it by its nodeSelector",
        ),
        settling=Again((*nodes, *pods, whole("ResourceSlice"))),
    )


def _local(case: Case, *, everywhere: bool = False) -> Mapping[str, Mapping[str, _Published]]:
    """By driver and node: slices that are for that node alone, of nodes that exist and were asked about."""
    slices: dict[str, dict[str, list[ResourceSlice]]] = defaultdict(lambda: defaultdict(list))
    for each in case.snapshot.resource_slices:
        if each.spec.node_name and (everywhere or case.scope.has_node(each.spec.node_name)):
            slices[each.spec.driver][each.spec.node_name].append(each)
    found: dict[str, dict[str, _Published]] = {}
    for driver, by_node in sorted(slices.items()):
        found[driver] = {
            name: _Published(node, tuple(of_node), case.node_pods.drivers(name, (driver,)))
            for name, of_node in by_node.items()
            if (node := case.node(name)) is not None
        }
    return found


def _is_ready_node(node: Node) -> bool:
    return any(each.type == "Ready" and each.status == "True" for each in node.status.conditions or ())


def _is_ready(pod: Pod) -> bool:
    condition = pod.condition("Ready")
    return condition is not None and condition.status == "True" and not pod.metadata.deletion_timestamp


def _is_young(case: Case, pod: Pod) -> bool:
    """Whether the pod was made, is to be gone, or its readiness changed, less than a minute before the reading."""
    ready, meta = pod.condition("Ready"), pod.metadata
    moments = (meta.creation_timestamp, meta.deletion_timestamp, ready.last_transition_time if ready is not None else None)
    ages = [age for moment in moments if (age := case.age(moment)) is not None]
    return bool(ages) and min(ages) < _STARTS


def _since(case: Case, pod: Pod) -> str:
    ready = pod.condition("Ready")
    age = case.age(ready.last_transition_time) if ready is not None else None
    return f" for {lasting(age)}" if age is not None else ""
