"""NVIDIA's GPU Operator: what it does to labels and nodes by itself."""

from collections.abc import Iterator

from kubectl_dra.audit.candidate import Candidate, Doubt
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import ObjectRef, Severity
from kubectl_dra.audit.registry import check
from kubectl_dra.audit.words import count, lines, listed
from kubectl_dra.inventory.cluster import names_on
from kubectl_dra.knowledge import vendors
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.workload import Workload
from kubectl_dra.remedies.kubectl_line import kubectl

_POLICY, _CLUSTER = "ClusterPolicy", "GPUCluster"
_PLUGIN, _OPERANDS = "nvidia.com/gpu.deploy.device-plugin", "nvidia.com/gpu.deploy.operands"
_SWEPT = frozenset(f"nvidia.com/gpu.deploy.{each}" for each in ("dra-driver", "dra-validator", "dcgm-dra", "dcgm-exporter-dra"))
"""Labels that an operator with a ClusterPolicy removes from nodes, from v26.7 on (gpu-operator: controllers/state_manager.go)."""
_VALIDATOR = "nvidia-operator-validator"


@check(
    "DRA804",
    title="the GPU Operator and nodes that move",
    severity=Severity.INFO,
    why=(
        "With a ClusterPolicy the operator runs its device plugin on nodes by the label nvidia.com/gpu.deploy.device-plugin. It honours"
        " false, but puts true where the label is missing, and resets it when the labels of node feature discovery vanish and return. It"
        " removes labels of its own newer parts (dra-driver and others), so nothing else should select by these. Its validator waits on"
        " nodes without the plugin for devices that never come: that is no fault of the move. A ClusterPolicy cannot be turned into a"
        " GPUCluster in place."
    ),
    fix=(
        "# turn the plugin off on one node: set the label to false, and never remove it",
        "kubectl label node NODE --overwrite nvidia.com/gpu.deploy.device-plugin=false",
        "# for a driver's DaemonSet use NVIDIA's own label for it",
        "kubectl label node NODE nvidia.com/dra-kubelet-plugin=true",
    ),
    source=(
        "NVIDIA/gpu-operator#2288",
        "NVIDIA/gpu-operator#2686",
        "NVIDIA/gpu-operator#2575",
        "https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/dra-intro-install.html",
    ),
    needs=("nodes", "daemon_sets"),
    also=("pods", "resource_slices"),
)
def gpu_operator(case: Case) -> Iterator[Candidate | Doubt]:
    """What of it this cluster shows: how it is installed, DaemonSets by labels that it removes, and labels of nodes."""
    owners = {each.metadata.controller.kind for each in case.snapshot.daemon_sets if each.metadata.controller is not None}
    installed = sorted(owners & {_POLICY, _CLUSTER})
    if not installed:
        return
    nodes = [node for node in case.nodes() if _has_gpus(case, node)]
    if len(installed) == 2:
        yield _both()
    if _POLICY in installed:
        if nodes:
            yield _by_policy(nodes)
        swept = [each for each in case.snapshot.daemon_sets if _selects(each) and each.metadata.controller is None]
        if swept:
            yield _removed_labels(swept)
    yield from _labels(nodes)
    yield from _validators(case, nodes)


def _has_gpus(case: Case, node: Node) -> bool:
    """By the names that the node lists, by what drivers publish for it, or by the operator's own label."""
    labels = node.metadata.labels or {}
    return (
        _PLUGIN in labels
        or _OPERANDS in labels
        or any((vendor := vendors.vendor_of_resource(name)) is not None and vendor.name == "NVIDIA" for name in names_on(node))
        or "gpu.nvidia.com" in case.devices_on(node)
    )


def _both() -> Candidate:
    return Candidate(
        cause="both",
        objects=(),
        evidence="some DaemonSets are made for a ClusterPolicy, others for a GPUCluster",
        severity=Severity.WARNING,
        title="the GPU Operator has a ClusterPolicy and a GPUCluster, which it refuses to serve together",
        fix=("# leave one of them", kubectl("get", "clusterpolicies.nvidia.com,gpuclusters.nvidia.com")),
    )


def _by_policy(nodes: list[Node]) -> Candidate:
    off = sorted(node.metadata.name for node in nodes if (node.metadata.labels or {}).get(_PLUGIN) == "false")
    on = sorted(node.metadata.name for node in nodes if (node.metadata.labels or {}).get(_PLUGIN) == "true")
    return Candidate(
        cause="policy",
        objects=(),
        evidence=lines([f"{_PLUGIN} is true on {listed(on)}", f"it is false on {listed(off)}"]),
        title=f"the GPU Operator's ClusterPolicy runs {count(len(nodes), 'node')}: a node moves by a label, and may be moved back by it",
        fix=(
            "# turn the plugin off on one node: set the label to false, and never remove it",
            "#   kubectl label node NODE --overwrite nvidia.com/gpu.deploy.device-plugin=false",
            "# afterwards see that it stays",
            kubectl("get", "nodes", "-L", _PLUGIN),
        ),
    )


def _selects(daemon_set: Workload) -> bool:
    """Whether its pods want nodes by a label that the operator removes."""
    template = daemon_set.spec.template
    if template is None:
        return False
    affinity = template.spec.affinity.node_affinity if template.spec.affinity is not None else None
    required = affinity.required_during_scheduling_ignored_during_execution if affinity is not None else None
    terms = required.node_selector_terms or () if required is not None else ()
    keys = {each.key for term in terms for each in term.match_expressions or ()}
    return not _SWEPT.isdisjoint(keys.union(template.spec.node_selector or ()))


def _removed_labels(swept: list[Workload]) -> Candidate:
    refs = tuple(sorted(ObjectRef.of("DaemonSet", each.metadata) for each in swept))
    return Candidate(
        cause="swept",
        objects=refs,
        evidence=f"{listed(refs)} {'selects' if len(refs) == 1 else 'select'} nodes by one of {', '.join(sorted(_SWEPT))}",
        severity=Severity.WARNING,
        title=f"{listed(refs)} {'goes' if len(refs) == 1 else 'go'} by a node label that the GPU Operator removes",
        fix=(
            "# select by a label that is not the operator's (NVIDIA documents nvidia.com/dra-kubelet-plugin=true for its driver)",
            *(kubectl("-n", ref.namespace, "get", "daemonset", ref.name, "-o", "yaml") for ref in refs),
        ),
    )


def _labels(nodes: list[Node]) -> Iterator[Candidate]:
    """Values that say something else than on and off."""
    paused = {node.metadata.name: value for node in nodes if (value := (node.metadata.labels or {}).get(_PLUGIN, "")).startswith("paused")}
    if paused:
        yield Candidate(
            cause="paused",
            objects=tuple(ObjectRef("Node", "", name) for name in sorted(paused)),
            evidence=lines(f"Node {name}: {_PLUGIN} is {value}" for name, value in sorted(paused.items())),
            title=f"the GPU Operator works on {count(len(paused), 'node')}, and will set the plugin's label again",
            fix=("# wait until it is done, then look again", kubectl("get", "nodes", "-L", _PLUGIN)),
        )
    bare = sorted(node.metadata.name for node in nodes if (node.metadata.labels or {}).get(_OPERANDS) == "false")
    if bare:
        yield Candidate(
            cause="operands",
            objects=tuple(ObjectRef("Node", "", name) for name in bare),
            evidence=lines(f"Node {name}: {_OPERANDS} is false" for name in bare),
            title=f"the GPU Operator installs nothing on {count(len(bare), 'node')}, and no driver of the GPU either",
            fix=(
                f"# to turn off only the plugin use {_PLUGIN}=false; this label takes the GPU's driver away as well, and DRA needs it",
                kubectl("get", "nodes", "-L", f"{_OPERANDS},{_PLUGIN}"),
            ),
        )


def _validators(case: Case, nodes: list[Node]) -> Iterator[Candidate]:
    """Validators that wait on nodes where the plugin is off."""
    off = {node.metadata.name for node in nodes if (node.metadata.labels or {}).get(_PLUGIN) == "false"}
    stuck = [
        pod
        for pod in (case.pods if off else ())
        if pod.node_name in off and (pod.metadata.labels or {}).get("app") == _VALIDATOR and pod.status.phase == "Pending"
    ]
    if stuck:
        yield Candidate(
            cause="validator",
            objects=tuple(sorted(ObjectRef.of("Pod", pod.metadata) for pod in stuck)),
            evidence=lines(
                f"{ObjectRef.of('Pod', pod.metadata)} is Pending on node {pod.node_name}, where {_PLUGIN} is false" for pod in stuck
            ),
            title=f"{count(len(stuck), 'validator')} of the GPU Operator {'waits' if len(stuck) == 1 else 'wait'} for a plugin that is off",
            fix=("# nothing to mend: the operator does not know yet that the plugin is off (NVIDIA/gpu-operator#2686)",),
        )
