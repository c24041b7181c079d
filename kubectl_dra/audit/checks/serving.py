"""Who serves a name on a node: both sides at once, or a plugin that offers nothing."""

from collections import defaultdict
from collections.abc import Iterator

import msgspec

from kubectl_dra.audit.candidate import Again, Candidate, Doubt, Later
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import ObjectRef, Severity
from kubectl_dra.audit.registry import check
from kubectl_dra.audit.words import count, lasting, lines, listed
from kubectl_dra.inventory.cluster import names_on
from kubectl_dra.inventory.servers import Server, State
from kubectl_dra.knowledge import vendors
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.pod import Pod
from kubectl_dra.remedies.kubectl_line import kubectl

_FORGOTTEN = 330.0
"""Seconds after which the kubelet has forgotten a plugin that is gone: five minutes, and until the node's status is written."""


class _OnNode(msgspec.Struct, frozen=True):
    """A name on a node."""

    node: Node
    server: Server


@check(
    "DRA201",
    title="device plugin and DRA driver serve one name on one node",
    severity=Severity.ERROR,
    why=(
        "As long as the plugin offers devices the scheduler leaves the name to it. But each restart or crash of the plugin sets allocatable"
        " to 0 within seconds: from that moment the scheduler gives the same devices out through DRA, and the plugin, once back, gives them"
        " out again. Neither side knows what the other has given. Only one of them may serve a node."
    ),
    fix=(
        "# decide for one side. For DRA: this drains the node, turns the plugin off, and waits for what has to be over first",
        "kubectl dra migrate-node NODE",
        "# for the plugin: keep the driver's pods off the node; its slices go half a minute after its pod",
    ),
    source=(
        "kubernetes: pkg/scheduler/framework/plugins/noderesources/fit.go (shouldDelegateResourceToDRA)",
        "NVIDIA/aicr#332",
        "ai-dynamo/dynamo#13536",
        "kubernetes/kubernetes#139141",
    ),
    needs=("nodes", "device_classes", "resource_slices"),
    also=("pods",),
    blocks=True,
)
def both_sides(case: Case) -> Iterator[Candidate | Doubt]:
    """One candidate for each mapped name, with the nodes that have allocatable of it and reach devices that its class selects."""
    for name in case.names:
        if not case.scope.has_resource(name) or not case.resolution.contenders(name):
            continue
        seen = [_OnNode(node, case.server(node, name)) for node in case.nodes() if case.allocatable(node, name)]
        both = [each for each in seen if each.server.state is State.BOTH]
        sure = [each for each in both if not each.server.approximate]
        unsure = [each for each in both if each.server.approximate]
        if sure:
            yield _both(case, name, sure)
        if unsure:
            why = unsure[0].server.note or "it is not known which devices its class selects"
            nodes = listed(sorted(each.node.metadata.name for each in unsure))
            yield Doubt(f"whether DRA has devices of {name} beside the plugin on {nodes}: {why}", resources=(name,))


def _both(case: Case, name: str, both: list[_OnNode]) -> Candidate:
    nodes = tuple(sorted(each.node.metadata.name for each in both))
    refs = tuple(ObjectRef("Node", "", node) for node in nodes)
    slices = {placed.candidate.slice.metadata.name for each in both for placed in each.server.devices or ()}
    device_class = case.servers.device_class(name)
    return Candidate(
        cause=name,
        objects=refs,
        evidence=lines(_both_on(case, name, device_class.metadata.name if device_class else "?", each) for each in both),
        resources=(name,),
        title=f"{name} is served by a device plugin and by DRA on {count(len(nodes), 'node')}",
        fix=(
            "# decide for one side. For DRA: this drains the node, turns the plugin off, and waits for what has to be over first",
            *(kubectl("dra", "migrate-node", node) for node in nodes[:3]),
            *((f"# and so on, for {count(len(nodes) - 3, 'more node')}",) if len(nodes) > 3 else ()),
            "# or for the plugin: keep the driver's pods off the nodes; its slices go half a minute after its pod",
            *_drivers(case, both),
        ),
        settling=Again((*refs, *(ObjectRef("ResourceSlice", "", each) for each in sorted(slices)))),
    )


def _both_on(case: Case, name: str, class_name: str, seen: _OnNode) -> str:
    node, devices = seen.node.metadata.name, seen.server.devices or ()
    by_pool = sorted({f"{placed.driver}/{placed.pool}" for placed in devices})
    pods = case.node_pods.plugins(node, name)
    plugin = f"; plugin: {listed(_named(pods))}" if pods else ""
    return (
        f"Node {node}: allocatable {name} is {seen.server.allocatable}{plugin}; class {class_name} selects"
        f" {count(len(devices), 'device')} of {listed(by_pool)}"
    )


def _drivers(case: Case, both: list[_OnNode]) -> Iterator[str]:
    """The drivers' pods on these nodes, where they are known."""
    for each in both[:3]:
        drivers = {placed.driver for placed in each.server.devices or ()}
        for pod in case.node_pods.drivers(each.node.metadata.name, drivers):
            yield kubectl("-n", pod.metadata.namespace or "", "get", "pod", pod.metadata.name, "-o", "wide")


@check(
    "DRA202",
    title="a device plugin that offers none of its devices",
    severity=Severity.WARNING,
    why=(
        "Allocatable 0 with a capacity above 0 has three causes. The plugin is gone: the kubelet forgets it after five minutes, and the"
        " capacity becomes 0 too. It restarts, or the kubelet did: it is back within a minute. Or all of its devices are unhealthy: then it"
        " stays so. Pods that ask for the name wait meanwhile, or are served through DRA where a class and slices are there. Only a second"
        " reading more than five minutes later tells the causes apart. Where both are 0 and the plugin's pod is Ready, it has registered"
        " nothing: such a node has not moved, though its numbers look so."
    ),
    fix=(
        "# look again when the kubelet would have forgotten a plugin that is gone",
        "kubectl dra audit --select DRA202 --settle 6m",
        "# what the plugin says of its devices",
        "kubectl -n NAMESPACE logs PLUGIN-POD",
    ),
    source=(
        "kubernetes: pkg/kubelet/cm/devicemanager/manager.go (endpointStopGracePeriod)",
        "kubernetes/kubernetes#64632",
        "kubernetes/kubernetes#73948",
        "NVIDIA/k8s-device-plugin#1698",
    ),
    needs=("nodes",),
    also=("pods", "device_classes", "resource_slices"),
)
def plugins_without_devices(case: Case) -> Iterator[Candidate | Doubt]:
    """One candidate for each name: nodes that have capacity of it and nothing allocatable, with the causes that are left for each.

    And one (to know) for nodes that have not even capacity although the plugin's pod is Ready: they have not moved.
    """
    found: dict[str, list[_OnNode]] = defaultdict(list)
    idle: dict[str, list[_OnNode]] = defaultdict(list)
    for node in case.nodes():
        for name in names_on(node):
            if case.allocatable(node, name) or not case.scope.has_resource(name) or (case.left_alone(name) and not case.class_of(name)):
                continue
            if case.capacity(node, name):
                found[name].append(_OnNode(node, case.server(node, name)))
            elif _runs_for_nothing(case, node, name):
                idle[name].append(_OnNode(node, case.server(node, name)))
    for name, seen in sorted(found.items()):
        yield _offers_none(case, name, seen)
    for name, seen in sorted(idle.items()):
        if seen := [each for each in seen if each.server.state is State.NONE]:
            yield _idle(case, name, seen)


def _runs_for_nothing(case: Case, node: Node, name: str) -> bool:
    """Whether the name's plugin is Ready on the node, and offers nothing under any other name either."""
    pods = _pods(case, node, name)
    others = (other for other in names_on(node) if case.allocatable(node, other))
    return any(map(_is_ready, pods)) and not any(set(_named(pods)) & set(_named(_pods(case, node, other))) for other in others)


def _idle(case: Case, name: str, seen: list[_OnNode]) -> Candidate:
    pods = [pod for each in seen for pod in _pods(case, each.node, name)]
    refs = tuple(sorted(ObjectRef.of("Node", each.node.metadata) for each in seen))
    return Candidate(
        cause=f"{name}: idle",
        objects=refs,
        evidence=lines(
            f"Node {each.node.metadata.name}: capacity and allocatable {name} are 0; {listed(_named(_pods(case, each.node, name)))} is"
            " Ready; DRA has none of its devices there"
            for each in seen
        ),
        resources=(name,),
        severity=Severity.INFO,
        title=f"a device plugin runs for nothing on {count(len(refs), 'node')} that {'lists' if len(refs) == 1 else 'list'} {name} with 0",
        why=(
            "The plugin has registered no device: the hardware or its driver is not there, or the plugin has lost its devices and needs a"
            " restart (sometimes of the kubelet as well). Such a node has not moved to DRA, though its numbers look as if it had."
        ),
        fix=(
            "# what the plugin says of its devices; if it should have some, restart it, then the kubelet",
            *(kubectl("-n", pod.metadata.namespace or "", "logs", pod.metadata.name, "--tail=50") for pod in pods[:3]),
        ),
        settling=Again(refs),
    )


def _offers_none(case: Case, name: str, seen: list[_OnNode]) -> Candidate:
    nodes = tuple(sorted(each.node.metadata.name for each in seen))
    refs = tuple(ObjectRef("Node", "", node) for node in nodes)
    stays = case.watched >= _FORGOTTEN
    passing = (
        not stays and case.pods_everywhere and all(each.server.state is State.DRA and not _pods(case, each.node, name) for each in seen)
    )
    pods = [pod for each in seen for pod in _pods(case, each.node, name)]
    still = f", for {lasting(case.watched)} and more" if stays else ""
    return Candidate(
        cause=name,
        objects=refs,
        evidence=lines(_none_on(case, name, each, stays=stays) for each in seen),
        resources=(name,),
        severity=Severity.INFO if passing else Severity.WARNING,
        title=f"{count(len(nodes), 'node')} with capacity and nothing allocatable of {name}{still}",
        fix=(
            *(
                (
                    "# the devices are not healthy, or the kubelet does not report: what the plugin and the node say",
                    *(kubectl("-n", pod.metadata.namespace or "", "logs", pod.metadata.name, "--tail=50") for pod in pods[:3]),
                )
                if stays
                else (
                    "# look again when the kubelet would have forgotten a plugin that is gone",
                    kubectl("dra", "audit", "--select", "DRA202", "--resource", name, "--settle", "6m"),
                )
            ),
            kubectl("describe", "node", *nodes[:3]),
        ),
        settling=Later(refs, _FORGOTTEN),
    )


def _none_on(case: Case, name: str, seen: _OnNode, *, stays: bool) -> str:
    node = seen.node
    now = "; DRA serves the name there" if seen.server.state is State.DRA else ""
    return (
        f"Node {node.metadata.name}: allocatable {name} is 0, capacity {seen.server.capacity}{now};"
        f" {_causes(case, name, node, stays=stays)}"
    )


def _causes(case: Case, name: str, node: Node, *, stays: bool) -> str:
    """What the plugin's pod and the node's own state leave of the causes."""
    ready = next((each for each in node.status.conditions or () if each.type == "Ready"), None)
    if ready is not None and ready.status != "True":
        return f"its Ready condition is {ready.status}: the kubelet does not report, and the numbers are old"
    if not case.pods_everywhere:
        return "the plugin's pods were not read: it is gone, restarts, or has no healthy device"
    pods = _pods(case, node, name)
    if stays:
        told = listed(_named(pods)) if pods else "a plugin that no pod is known for"
        return f"{told} is registered, and all of its devices are unhealthy (a plugin that is gone is forgotten after five minutes)"
    if not pods:
        vendor = vendors.vendor_of_resource(name)
        gone = (
            "the plugin is gone"
            if vendor is not None and vendor.plugin
            else "no pod on the node is known as its plugin: it is gone, or runs outside of pods and restarts or has no healthy device"
        )
        return f"{gone}; the capacity of a plugin that is gone becomes 0 within five minutes"
    if any(_is_ready(pod) for pod in pods):
        return f"{listed(_named(pods))} is Ready: it or the kubelet has just restarted, or all of its devices are unhealthy"
    return f"{listed(_named(pods))} is not Ready: it restarts, or cannot start"


def _pods(case: Case, node: Node, name: str) -> tuple[Pod, ...]:
    return case.node_pods.plugins(node.metadata.name, name)


def _is_ready(pod: Pod) -> bool:
    condition = pod.condition("Ready")
    return condition is not None and condition.status == "True"


def _named(pods: tuple[Pod, ...]) -> list[str]:
    return [str(ObjectRef.of("Pod", pod.metadata)) for pod in pods]
