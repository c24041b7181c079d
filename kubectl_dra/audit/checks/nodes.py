"""Nodes: their kubelets, and pods that hold what their node no longer offers."""

from collections import defaultdict
from collections.abc import Iterator

import msgspec

from kubectl_dra.audit.candidate import Again, Candidate, Doubt
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import ObjectRef, Severity
from kubectl_dra.audit.registry import check
from kubectl_dra.audit.words import count, lines, listed
from kubectl_dra.extended_resources.names import is_implicit_name
from kubectl_dra.inventory.cluster import names_on
from kubectl_dra.knowledge.faults import fault
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.shape import ResourceList
from kubectl_dra.objects.snapshot import Version
from kubectl_dra.remedies.kubectl_line import delete_pods, kubectl

_RESTARTS = "# a plugin or kubelet that only restarts is back within a minute: look again with kubectl dra audit --settle 1m"

_DEADLOCK = fault("kubelet-deadlock")


@check(
    "DRA203",
    title="kubelets that stop preparing devices",
    severity=Severity.ERROR,
    why=(
        "The kubelets 1.34.0 and 1.34.1 lock up when the connection to a DRA driver has been idle for about 30 minutes: from then on pods"
        " with claims stay in ContainerCreating for ever, with a Scheduled event and no other."
    ),
    fix=(
        "# upgrade the kubelet to 1.34.2 or later, best to 1.36, before the node gets a DRA driver",
        "kubectl get nodes -o wide",
    ),
    source=("kubernetes/kubernetes#133920", "kubernetes/kubernetes#133926"),
    needs=("nodes",),
    also=("pods", "resource_slices"),
    blocks=True,
)
def deadlocking_kubelets(case: Case) -> Iterator[Candidate | Doubt]:
    """Nodes of those versions: an error where devices are or DRA is used, else something to know before it is."""
    found: dict[Severity, list[Node]] = defaultdict(list)
    unknown: list[Node] = []
    for node in case.nodes():
        version = Version.of(node.kubelet_version)
        if version is None:
            unknown.append(node)
        elif _DEADLOCK.affects(version):
            found[Severity.ERROR if case.concerned_by_devices(node) else Severity.INFO].append(node)
    for severity, nodes in found.items():
        versions = sorted({f"{node.metadata.name} runs kubelet {node.kubelet_version}" for node in nodes})
        yield Candidate(
            cause=severity.value,
            objects=tuple(sorted(ObjectRef.of("Node", node.metadata) for node in nodes)),
            evidence=lines(versions),
            severity=severity,
            title=f"{count(len(nodes), 'kubelet')} that {'stops' if len(nodes) == 1 else 'stop'} preparing devices (1.34.0, 1.34.1)",
            resources=tuple(sorted({name for node in nodes for name in _served(case, node)})),
            fix=(
                "# upgrade these kubelets to 1.34.2 or later, best to 1.36, before the nodes get a DRA driver",
                kubectl("get", "node", *sorted(node.metadata.name for node in nodes), "-o", "wide"),
            ),
        )
    if unknown:
        yield Doubt(f"the kubelet version of {listed(node.metadata.name for node in unknown)} is not known")


def _served(case: Case, node: Node) -> set[str]:
    """Names that the node lists, and those that classes serve from its devices."""
    return set(names_on(node)).union(name for name in case.names if case.serves_by_dra(node, name))


class _Held(msgspec.Struct, frozen=True):
    """A pod that holds a name which its node no longer offers."""

    pod: Pod
    node: Node
    asked: int


@check(
    "DRA209",
    title="running pods hold devices that their node no longer offers",
    severity=Severity.ERROR,
    why=(
        "Such a pod got its device from a device plugin that has stopped since, or none at all. What a plugin gave is invisible to the"
        " scheduler: as soon as allocatable is 0 it serves the name through DRA, where there are slices, and the same device can be given"
        " to a second pod. Without slices the pod either keeps a device that nobody accounts for, or runs without one (kubelets before"
        " 1.36 start a container without its device when the node does not list the name)."
    ),
    fix=(
        _RESTARTS,
        "# keep new pods off the node, replace the pods, and let it serve again",
        "kubectl cordon NODE",
        "kubectl -n NAMESPACE delete pod POD",
        "kubectl uncordon NODE",
    ),
    source=(
        "kubernetes: pkg/scheduler/framework/plugins/noderesources/fit.go (shouldDelegateResourceToDRA)",
        "kubernetes: pkg/kubelet/cm/devicemanager/manager.go (endpointStopGracePeriod)",
        "kubernetes: pkg/kubelet/lifecycle/predicate.go (removeMissingExtendedResources)",
        "kubernetes/kubernetes#135667",
    ),
    needs=("pods", "nodes"),
    also=("device_classes", "resource_slices", "resource_claims"),
    blocks=True,
)
def devices_without_a_plugin(case: Case) -> Iterator[Candidate | Doubt]:
    """One candidate for each name and danger: given twice where DRA serves the name on the node, else unaccounted for.

    Left out is what no device plugin is behind: names that nobody will move, and names that the node does not list and no class maps.
    Those a scheduler extender counts (managedResources with ignoredByScheduler), as HAMi's; a plugin's key stays when the plugin goes.
    """
    held: dict[tuple[str, bool], list[_Held]] = defaultdict(list)
    for pod, devices in case.asking_pods:
        node = case.node(pod.node_name)
        if node is None:
            continue
        for name, asked in devices.items():
            if not case.scope.has_resource(name) or _mapped(case, pod, name) or case.allocatable(node, name) != 0:
                continue
            if case.class_of(name) or (name in names_on(node) and not case.left_alone(name)) or is_implicit_name(name):
                held[name, case.serves_by_dra(node, name)].append(_Held(pod, node, asked))
    for (name, twice), pods in sorted(held.items()):
        yield _given_twice(case, name, pods) if twice else _unaccounted(case, name, pods)


def _mapped(case: Case, pod: Pod, name: str) -> bool:
    """True when the scheduler gave the pod devices of that name through a claim.

    Before 1.37 a client that wrote the pod's status without knowing the field removed it (kubernetes/kubernetes#139876); the claim,
    which the pod owns, still tells.
    """
    status = pod.status.extended_resource_claim_status
    if status is not None and any(mapping.resource_name == name for mapping in status.request_mappings or ()):
        return True
    device_class = case.class_of(name)
    return device_class is not None and any(
        request.exactly is not None and request.exactly.device_class_name == device_class.metadata.name
        for claim in case.claims.made_for(pod)
        for request in claim.spec.devices.requests or ()
    )


def _given_twice(case: Case, name: str, held: list[_Held]) -> Candidate:
    nodes = _nodes(held)
    return Candidate(
        cause=f"{name}: twice",
        objects=_refs(held),
        evidence=_evidence(case, name, held),
        resources=(name,),
        title=f"{count(len(held), 'running pod')} {_verb(held)} {name} from a plugin that has stopped: DRA can give the same devices again",
        why=(
            f"The scheduler serves {name} through DRA on a node as soon as its allocatable is 0. What pods got from the device plugin is"
            " invisible to it, so the same device can be given to a second pod."
        ),
        fix=(
            _RESTARTS,
            "# keep new pods off, replace these pods (they come back with devices from DRA), and let the nodes serve again",
            kubectl("cordon", *nodes),
            *_replace(held),
            *_uncordon(held),
        ),
        settling=Again(_refs(held)),
    )


def _unaccounted(case: Case, name: str, held: list[_Held]) -> Candidate:
    return Candidate(
        cause=f"{name}: unaccounted",
        objects=_refs(held),
        evidence=_evidence(case, name, held),
        resources=(name,),
        title=f"{count(len(held), 'running pod')} {_verb(held)} {name}, of which {_owner(held)} none",
        why=(
            f"Either a device plugin gave the pods {name} and has stopped since (their devices are given twice when a DRA driver starts"
            " there), or they run without any device: kubelets before 1.36 start a container without its device when the node does not"
            " list the name."
        ),
        fix=(
            _RESTARTS,
            "# is the plugin meant to run there? what its node says of it, and the pods of the node",
            kubectl("describe", "node", *_nodes(held)),
            "# if it does not come back: replace the pods before a DRA driver serves these nodes",
            kubectl("cordon", *_nodes(held)),
            *_replace(held),
            *_uncordon(held),
        ),
        settling=Again(_refs(held)),
    )


def _evidence(case: Case, name: str, held: list[_Held]) -> str:
    by_node: dict[str, list[_Held]] = defaultdict(list)
    for each in held:
        by_node[each.node.metadata.name].append(each)
    told = []
    for node_name, pods in sorted(by_node.items()):
        node = pods[0].node
        told.append(
            f"Node {node_name}: allocatable {name} is {_shown(node.status.allocatable, name)}, capacity"
            f" {_shown(node.status.capacity, name)}; {_published(case, node)}"
        )
        told += [f"{ObjectRef.of('Pod', each.pod.metadata)} asks {each.asked} and has no request mapping for it" for each in pods]
    return lines(told)


def _published(case: Case, node: Node) -> str:
    """`gpu.example.com publishes 4 devices`."""
    published = sorted(case.devices_on(node).items())
    return ", ".join(f"{driver} publishes {count(number, 'device')}" for driver, number in published) or "no driver publishes devices"


def _shown(resources: ResourceList | None, name: str) -> str:
    value = (resources or {}).get(name)
    return "not listed" if value is None else str(value)


def _replace(held: list[_Held]) -> tuple[str, ...]:
    pods = {ObjectRef.of("Pod", each.pod.metadata): each.pod for each in held}
    static = sorted(ref for ref, pod in pods.items() if pod.mirror)
    bare = sorted(ref for ref, pod in pods.items() if pod.metadata.controller is None and not pod.mirror)
    return (
        *((f"# static pods: change their manifests on the node: {listed(static)}",) if static else ()),
        *((f"# nothing makes these again, keep their manifests: {listed(bare)}",) if bare else ()),
        *delete_pods((ref.namespace, ref.name) for ref in sorted(pods) if ref not in static),
    )


def _uncordon(held: list[_Held]) -> tuple[str, ...]:
    """Only nodes that were not cordoned before."""
    nodes = sorted({each.node.metadata.name for each in held if not each.node.cordoned})
    return (kubectl("uncordon", *nodes),) if nodes else ()


def _owner(held: list[_Held]) -> str:
    return "its node offers" if len(held) == 1 else "their nodes offer" if len(_nodes(held)) > 1 else "their node offers"


def _verb(held: list[_Held]) -> str:
    return "holds" if len(held) == 1 else "hold"


def _nodes(held: list[_Held]) -> tuple[str, ...]:
    return tuple(sorted({each.node.metadata.name for each in held}))


def _refs(held: list[_Held]) -> tuple[ObjectRef, ...]:
    return tuple(
        sorted({ObjectRef.of("Node", each.node.metadata) for each in held} | {ObjectRef.of("Pod", each.pod.metadata) for each in held})
    )
