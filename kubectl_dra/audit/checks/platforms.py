"""Clouds and operating systems that bring device plugins of their own."""

from collections.abc import Iterator

from kubectl_dra.audit.candidate import Candidate, Doubt
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import ObjectRef, Severity
from kubectl_dra.audit.registry import check
from kubectl_dra.audit.words import count, lines, listed
from kubectl_dra.inventory.cluster import names_on
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.policy import ResourceQuota
from kubectl_dra.objects.workload import Workload
from kubectl_dra.remedies.kubectl_line import apply, kubectl

_GKE, _ACCELERATOR = "cloud.google.com/gke-nodepool", "cloud.google.com/gke-accelerator"
_NO_PLUGIN = "gke-no-default-nvidia-gpu-device-plugin"
_CRITICAL = frozenset({"system-node-critical", "system-cluster-critical"})
_GPU = "nvidia.com/gpu"


@check(
    "DRA805",
    title="device plugins that the platform brings",
    severity=Severity.INFO,
    why=(
        "GKE runs its device plugin as a DaemonSet of its own. The label that keeps it off a pool also keeps off its part that installs"
        " the GPU's driver: something else has to install that, or DRA finds no device. GKE also lets pods of the system-node-critical"
        " priority, as DRA drivers have, be made outside kube-system only where a ResourceQuota for that priority allows it. Bottlerocket"
        " runs plugin and driver as services of the operating system: no pod shows them, and its settings turn them on and off."
    ),
    fix=(
        "# GKE: a pool without Google's plugin, with the GPU's driver installed otherwise",
        "kubectl get nodes -L gke-no-default-nvidia-gpu-device-plugin,cloud.google.com/gke-accelerator",
        "# Bottlerocket: settings.kubelet-device-plugins.nvidia and settings.kubelet-dra-drivers.nvidia",
    ),
    source=(
        "NVIDIA/aicr#2047",
        "modelplaneai/modelplane#202",
        "https://cloud.google.com/kubernetes-engine/docs/how-to/gpus",
        "bottlerocket-os/bottlerocket-core-kit#1035",
    ),
    needs=("nodes",),
    also=("daemon_sets", "pods", "resource_quotas", "resource_slices"),
)
def platforms(case: Case) -> Iterator[Candidate | Doubt]:
    """What of GKE and Bottlerocket this cluster shows, on nodes with devices that could move."""
    gke = [node for node in case.nodes() if _GKE in (node.metadata.labels or {})]
    accelerators = [node for node in gke if _ACCELERATOR in (node.metadata.labels or {})]
    without = [node for node in accelerators if (node.metadata.labels or {}).get(_NO_PLUGIN) == "true"]
    with_plugin = [node for node in accelerators if node not in without and case.allocatable(node, _GPU)]
    empty = [node for node in without if not case.allocatable(node, _GPU) and not case.devices_on(node)]
    if empty and case.snapshot.resource_slices.known:
        yield _nobody_serves(empty)
    if with_plugin and case.scope.has_resource(_GPU):
        yield _of_google(with_plugin)
    if gke:
        yield from _refused(case)
    bottlerocket = [node for node in case.nodes() if _is_bottlerocket(node) and (names_on(node) or case.devices_on(node))]
    if bottlerocket:
        yield _services(bottlerocket)


def _nobody_serves(nodes: list[Node]) -> Candidate:
    return Candidate(
        cause="gke empty",
        objects=_refs(nodes),
        evidence=lines(
            f"Node {each.name} has {_ACCELERATOR} and {_NO_PLUGIN}=true; it lists no {_GPU}, and no driver publishes devices for it"
            for each in _refs(nodes)
        ),
        severity=Severity.WARNING,
        title=f"{count(len(nodes), 'GKE node')} with GPUs that nobody serves: without the plugin the driver is not installed either",
        fix=(
            "# install the GPU's driver there (Google's installer as a DaemonSet of your own, or the GPU Operator), then the DRA driver",
            kubectl("get", "nodes", "-L", f"{_NO_PLUGIN},{_ACCELERATOR}"),
        ),
    )


def _of_google(nodes: list[Node]) -> Candidate:
    return Candidate(
        cause="gke plugin",
        objects=_refs(nodes),
        evidence=lines(f"Node {each.name} has {_ACCELERATOR}, and no {_NO_PLUGIN}=true" for each in _refs(nodes)),
        resources=(_GPU,),
        title=f"{count(len(nodes), 'GKE node')} with Google's device plugin: without it the driver is not installed either",
        fix=(
            f"# before such a node moves: something else has to install the GPU's driver; then the pool gets {_NO_PLUGIN}=true",
            kubectl("get", "nodes", "-L", f"{_NO_PLUGIN},{_ACCELERATOR}"),
        ),
    )


def _refused(case: Case) -> Iterator[Candidate]:
    """DaemonSets of a critical priority that have no pods, where no quota allows the priority."""
    if not (case.snapshot.daemon_sets.known and case.snapshot.resource_quotas.known and case.snapshot.pods.known):
        return
    critical = [each for each in case.snapshot.daemon_sets if _is_critical(each) and (each.status.desired_number_scheduled or 0) > 0]
    if not critical:
        return
    busy = {
        (pod.metadata.namespace, owner.name)
        for pod in case.snapshot.pods
        if (owner := pod.metadata.controller) is not None and owner.kind == "DaemonSet"
    }
    allowed = {quota.metadata.namespace for quota in case.snapshot.resource_quotas if _allows(quota)}
    for each in critical:
        namespace, name = each.metadata.namespace or "", each.metadata.name
        if namespace in allowed or (namespace, name) in busy or not case.scope.has_namespace(namespace):
            continue
        template = each.spec.template
        priority = template.spec.priority_class_name if template is not None else ""
        yield Candidate(
            cause=f"gke quota {namespace}/{name}",
            objects=(ObjectRef("DaemonSet", namespace, name),),
            evidence=f"DaemonSet {namespace}/{name} wants {count(each.status.desired_number_scheduled or 0, 'pod')} and has none;"
            f" their priority class is {priority}, and no ResourceQuota in {namespace} is for that",
            severity=Severity.WARNING,
            title=f"DaemonSet {namespace}/{name} has no pods: GKE allows its priority there only with a quota for it",
            fix=(
                "# is that what its events say? (insufficient quota to match these scopes)",
                kubectl("-n", namespace, "describe", "daemonset", name),
                "# then allow it",
                apply(_quota(namespace, priority or "")),
            ),
        )


def _is_critical(daemon_set: Workload) -> bool:
    template = daemon_set.spec.template
    return (
        template is not None and daemon_set.metadata.namespace != "kube-system" and (template.spec.priority_class_name or "") in _CRITICAL
    )


def _allows(quota: ResourceQuota) -> bool:
    selector = quota.spec.scope_selector
    return any(each.scope_name == "PriorityClass" for each in (selector.match_expressions or () if selector is not None else ()))


def _quota(namespace: str, priority: str) -> dict[str, object]:
    scope = {"scopeName": "PriorityClass", "operator": "In", "values": [priority]}
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": f"{priority}-pods", "namespace": namespace},
        "spec": {"hard": {"pods": "1000"}, "scopeSelector": {"matchExpressions": [scope]}},
    }


def _is_bottlerocket(node: Node) -> bool:
    info = node.status.node_info
    return info is not None and (info.os_image or "").startswith("Bottlerocket")


def _services(nodes: list[Node]) -> Candidate:
    return Candidate(
        cause="bottlerocket",
        objects=_refs(nodes),
        evidence=f"{listed(each.name for each in _refs(nodes))} {'runs' if len(nodes) == 1 else 'run'} Bottlerocket",
        title=f"{count(len(nodes), 'node')} with Bottlerocket: its device plugin and DRA driver are services of the system, not pods",
        fix=(
            "# such a node moves by its settings: settings.kubelet-device-plugins.nvidia off, settings.kubelet-dra-drivers.nvidia on",
            kubectl("get", "nodes", "-o", "wide"),
        ),
    )


def _refs(nodes: list[Node]) -> tuple[ObjectRef, ...]:
    return tuple(sorted(ObjectRef.of("Node", node.metadata) for node in nodes))
