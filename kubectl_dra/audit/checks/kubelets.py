"""Kubelets that cannot run pods with devices from DRA: too old, out of the version skew policy, or on Windows."""

from collections import defaultdict
from collections.abc import Iterator

import msgspec

from kubectl_dra.audit.candidate import Again, Candidate, Doubt
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.control_plane import API_SERVER
from kubectl_dra.audit.finding import ObjectRef, Severity
from kubectl_dra.audit.registry import check
from kubectl_dra.audit.words import count, lines, listed
from kubectl_dra.inventory.cluster import names_on
from kubectl_dra.inventory.servers import State
from kubectl_dra.knowledge import gates
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.snapshot import Version
from kubectl_dra.remedies.kubectl_line import kubectl

_READY_FROM = Version(1, 36)
"""From this minor on the kubelet's gate is on by default."""
_MINORS_BEHIND = 3
"""How much older than the API server a kubelet may be."""


class _OnNode(msgspec.Struct, frozen=True):
    """A mapped name on a node, and who serves it there."""

    node: Node
    name: str
    state: State


@check(
    "DRA204",
    title="kubelets that are too old for extended resources from DRA",
    severity=Severity.ERROR,
    why=(
        "Before 1.36 the kubelet's gate DRAExtendedResource is off by default, and no node shows that somebody has turned it on. Without it"
        " the kubelet does not prepare the claim of such a pod: where the node does not list the name, the container starts WITHOUT its"
        " device; where it lists it with 0, the pod fails with OutOf and the name. The scheduler does not look at kubelet versions."
    ),
    fix=(
        "# upgrade the kubelet to 1.36 or later before the node's devices are served through DRA",
        "kubectl get nodes -o wide",
        "# if DRA serves there already: keep new pods off until then",
        "kubectl cordon NODE",
    ),
    source=(
        "kubernetes/kubernetes#135667",
        "kubernetes/kubernetes#135725",
        "kubernetes: pkg/kubelet/lifecycle/predicate.go (removeMissingExtendedResources)",
        "kubernetes: pkg/features/kube_features.go (DRAExtendedResource)",
    ),
    needs=("nodes", "device_classes"),
    also=("resource_slices", "pods"),
    blocks=True,
)
def kubelets_before_extended_resources(case: Case) -> Iterator[Candidate | Doubt]:
    """Old kubelets on nodes where DRA serves a mapped name (an error), and where it will once the plugin is gone (a warning)."""
    mapped = [name for name in case.names if case.scope.has_resource(name) and case.class_of(name) is not None]
    now: list[_OnNode] = []
    later: list[_OnNode] = []
    unknown: list[_OnNode] = []
    for node in case.nodes() if mapped else ():
        version = Version.of(node.kubelet_version)
        if version is not None and version >= _READY_FROM:
            continue
        for name in mapped:
            state = case.servers.server(node, name).state
            if version is None:
                unknown += [_OnNode(node, name, state)] if state is not State.NONE else []
            elif state is State.DRA:
                now.append(_OnNode(node, name, state))
            elif state is not State.NONE:
                later.append(_OnNode(node, name, state))
    if now:
        yield _too_old(case, "now", now, Severity.ERROR, "is served through DRA")
    if later:
        yield _too_old(case, "later", later, Severity.WARNING, "cannot move to DRA")
    if unknown:
        nodes, names = sorted({each.node.metadata.name for each in unknown}), tuple(sorted({each.name for each in unknown}))
        yield Doubt(f"the kubelet version of {listed(nodes)} is not known", resources=names)


def _too_old(case: Case, cause: str, seen: list[_OnNode], severity: Severity, what: str) -> Candidate:
    nodes = tuple(sorted({each.node.metadata.name for each in seen}))
    names = tuple(sorted({each.name for each in seen}))
    gated = _gated(case, seen)
    upgrade = "# upgrade these kubelets to 1.36 or later" + (
        " (if the gate DRAExtendedResource was turned on for all of them, 1.35 will do: no node shows that)" if gated else ""
    )
    ready = {each.node.metadata.name for each in seen if not each.node.cordoned}
    return Candidate(
        cause=cause,
        objects=tuple(ObjectRef("Node", "", name) for name in nodes),
        evidence=lines(
            f"Node {each.node.metadata.name}: kubelet {each.node.kubelet_version}; {each.name} is served by {_server(each.state)}"
            for each in sorted(seen, key=lambda each: (each.node.metadata.name, each.name))
        ),
        resources=names,
        severity=severity,
        title=f"{count(len(nodes), 'node')} with a kubelet before 1.36, where {listed(names)} {what}",
        fix=(
            upgrade,
            kubectl("get", "node", *nodes, "-o", "wide"),
            *(
                ("# until then keep new pods off: they would run without their devices, or fail", kubectl("cordon", *sorted(ready)))
                if severity is Severity.ERROR and ready
                else ()
            ),
        ),
        settling=Again(tuple(ObjectRef("Node", "", name) for name in nodes)),
    )


def _gated(case: Case, seen: list[_OnNode]) -> bool:
    """Whether the gate may have been turned on there: it exists from 1.34 on, and accepts a 0 in allocatable from 1.35 on."""
    versions = [Version.of(each.node.kubelet_version) for each in seen]
    old = Version(1, 35)
    off = gates.enabled(gates.EXTENDED_RESOURCE, case.snapshot.cluster.emulated, case.snapshot.cluster.feature_gates) is False
    return not off and all(version is not None and version >= old for version in versions)


def _server(state: State) -> str:
    match state:
        case State.DRA:
            return "DRA"
        case State.PLUGIN:
            return "the device plugin"
        case State.BOTH:
            return "the device plugin, beside a DRA driver"
        case _:
            return "nobody at the moment"


@check(
    "DRA205",
    title="versions that do not go together",
    severity=Severity.WARNING,
    why=(
        "No kubelet may be newer than the API server or more than three minor versions older; kube-scheduler and kube-controller-manager"
        " may be one minor version older, and never newer. Nobody tests what is outside of that: fields of claims get lost between such"
        " components, and pods wait or run without devices."
    ),
    fix=("# upgrade the API server first, then the controllers and the scheduler, then kubelets", "kubectl get nodes -o wide"),
    source=("https://kubernetes.io/releases/version-skew-policy/",),
    needs=("nodes",),
    also=("pods",),
)
def version_skew(case: Case) -> Iterator[Candidate | Doubt]:
    """Kubelets, and those components that show their images, against the oldest and newest API server that is seen."""
    servers = [each.version for each in case.control_plane if each.name == API_SERVER and each.version is not None]
    if case.snapshot.cluster.version is not None:
        servers.append(case.snapshot.cluster.version)
    if not servers:
        yield Doubt("the API server's version is not known, so neither is whether the nodes' go with it")
        return
    oldest, newest = min(servers), max(servers)
    found: dict[str, list[Node]] = defaultdict(list)
    for node in case.nodes():
        version = Version.of(node.kubelet_version)
        if version is not None and _minors(oldest, version) < 0:
            found["newer"].append(node)
        elif version is not None and _minors(newest, version) > _MINORS_BEHIND:
            found["older"].append(node)
    for cause, nodes in sorted(found.items()):
        yield _kubelets(cause, nodes, oldest if cause == "newer" else newest)
    yield from _components(case, oldest, newest)


def _minors(server: Version, other: Version) -> int:
    """By how many minor versions the other one is older."""
    return (server.major - other.major) * 1000 + server.minor - other.minor


def _kubelets(cause: str, nodes: list[Node], server: Version) -> Candidate:
    names = tuple(sorted(node.metadata.name for node in nodes))
    than = "newer than the API server" if cause == "newer" else f"more than {_MINORS_BEHIND} minor versions older than the API server"
    first = "# upgrade the control plane" if cause == "newer" else "# upgrade these kubelets, one minor version after the other"
    return Candidate(
        cause=cause,
        objects=tuple(ObjectRef("Node", "", name) for name in names),
        evidence=lines(
            [f"the API server is {server}", *sorted(f"{node.metadata.name} runs kubelet {node.kubelet_version}" for node in nodes)]
        ),
        title=f"{count(len(nodes), 'kubelet')} {'is' if len(nodes) == 1 else 'are'} {than}",
        fix=(first, kubectl("get", "node", *names, "-o", "wide")),
    )


def _components(case: Case, oldest: Version, newest: Version) -> Iterator[Candidate]:
    for each in case.control_plane:
        if each.version is None:
            continue
        behind_oldest, behind_newest = _minors(oldest, each.version), _minors(newest, each.version)
        if each.name == API_SERVER:
            wrong = "more than one minor version older than another API server" if behind_newest > 1 else ""
        else:
            wrong = "newer than the API server" if behind_oldest < 0 else "more than one minor version older" if behind_newest > 1 else ""
        if wrong:
            yield Candidate(
                cause=str(each.ref),
                objects=(each.ref,),
                evidence=f"{each.ref} runs {each.name} {each.version}; the API server is {oldest if behind_oldest < 0 else newest}",
                title=f"{each.name} is {wrong}",
                fix=(
                    "# bring it to the API server's version: its image stands in a manifest on the control plane's node",
                    kubectl("-n", each.ref.namespace, "get", "pod", each.ref.name, "-o", "yaml"),
                ),
            )


@check(
    "DRA206",
    title="nodes with Windows that list extended resources",
    severity=Severity.INFO,
    why=(
        "DRA does not work on Windows nodes. Their devices stay with the device plugin, and the node is left out of the move. A class that"
        " maps the same name for Linux nodes does not hurt there as long as the plugin offers devices; if it ever stops while slices"
        " exist for the node, the scheduler sends pods there that cannot start."
    ),
    fix=("# leave these nodes to their device plugin", "kubectl get nodes -l kubernetes.io/os=windows"),
    source=("kubernetes/kubernetes#141841",),
    needs=("nodes",),
    also=("device_classes", "resource_slices"),
)
def windows_nodes(case: Case) -> Iterator[Candidate | Doubt]:
    """Windows nodes that list extended resources (to know), and those on which DRA would serve one (an error)."""
    listing: dict[str, tuple[str, ...]] = {}
    served: dict[str, tuple[str, ...]] = {}
    for node in case.nodes():
        if not _is_windows(node):
            continue
        names = {name for name in names_on(node) if case.scope.has_resource(name)}
        by_dra = {name for name in case.names if case.scope.has_resource(name) and case.serves_by_dra(node, name)}
        if by_dra:
            served[node.metadata.name] = tuple(sorted(by_dra))
        elif names:
            listing[node.metadata.name] = tuple(sorted(names))
    for cause, nodes in (("served", served), ("listing", listing)):
        if nodes:
            yield _windows(cause, nodes)


def _is_windows(node: Node) -> bool:
    info = node.status.node_info
    told = (info.operating_system if info is not None else None) or (node.metadata.labels or {}).get("kubernetes.io/os", "")
    return told == "windows"


def _windows(cause: str, nodes: dict[str, tuple[str, ...]]) -> Candidate:
    names = sorted({name for of_node in nodes.values() for name in of_node})
    by_dra = cause == "served"
    return Candidate(
        cause=cause,
        objects=tuple(ObjectRef("Node", "", name) for name in sorted(nodes)),
        evidence=lines(
            f"Node {node} (windows) {'reaches devices of a class that maps' if by_dra else 'lists'} {listed(of_node)}"
            for node, of_node in sorted(nodes.items())
        ),
        severity=Severity.ERROR if by_dra else Severity.INFO,
        title=f"{count(len(nodes), 'Windows node')} {'would get' if by_dra else 'with'} {listed(names)}{' through DRA' if by_dra else ''}",
        fix=(
            ("# keep pods off: what is sent there cannot start; then let the driver publish nothing for these nodes",)
            if by_dra
            else ("# leave these nodes to their device plugin",)
        )
        + ((kubectl("cordon", *sorted(nodes)),) if by_dra else (kubectl("get", "node", *sorted(nodes), "-o", "wide"),)),
        settling=Again(tuple(ObjectRef("Node", "", name) for name in sorted(nodes))),
    )
