"""The scheduler's other checks that decide whether a node is in question at all.

Rules: kubernetes pkg/scheduler/framework/plugins/{nodeunschedulable,nodename,tainttoleration,nodeaffinity,noderesources}.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from kubectl_dra.allocation.amounts import quantity
from kubectl_dra.allocation.device_taints import tolerates
from kubectl_dra.allocation.node_match import NodeSelectorError, selects
from kubectl_dra.extended_resources.asked import make_of
from kubectl_dra.extended_resources.names import is_scalar_resource_name
from kubectl_dra.extended_resources.requests import pod_request, scalar_requests
from kubectl_dra.objects.node import Node, Taint
from kubectl_dra.objects.pod import Pod, PodSpec
from kubectl_dra.objects.quantity import Quantity
from kubectl_dra.objects.resource import DeviceTaint

NOT_JUDGED = ("affinity between pods", "topology spread", "volumes", "host ports", "pod-level resources", "scheduling gates", "extenders")
"""What may keep a pod off a node beside what is judged here."""
_UNSCHEDULABLE = Taint("node.kubernetes.io/unschedulable", None, "NoSchedule")


class Misfit(StrEnum):
    """Why a node is out before its devices are looked at."""

    UNSCHEDULABLE = "cordoned"
    OTHER_NODE = "the pod names another node"
    TAINTED = "a taint of the node"
    AFFINITY = "node selector or node affinity"
    RESOURCES = "not enough of a resource"


@dataclass(frozen=True, slots=True)
class NodeMisfit:
    """One reason, with the taint or the name of the resource."""

    misfit: Misfit
    what: str = ""


class Counted:
    """What specs request of a resource, worked out once for all pods of one make."""

    def __init__(self) -> None:
        """Begin with nothing known."""
        self._known: dict[tuple[int, int, int], tuple[PodSpec, dict[str, int]]] = {}

    def of(self, spec: PodSpec, name: str) -> int:
        """As the scheduler counts: thousandths of a CPU, whole units of all else."""
        make = make_of(spec)
        # the spec is kept, so that what its make is told by lives
        _, amounts = self._known.get(make) or self._known.setdefault(make, (spec, {}))
        found = amounts.get(name)
        if found is None:
            found = amounts[name] = _counted(name, pod_request(spec, name))
        return found


def misfits(
    pod: Pod, node: Node, others: Iterable[Pod], *, delegated: Iterable[str] = (), counted: Counted | None = None
) -> tuple[NodeMisfit, ...]:
    """What is against the node. `others` are the pods bound to it; `delegated` the extended resources that DRA serves there.

    Who asks for many nodes passes one `counted` for all.
    """
    spec = pod.spec
    found: list[NodeMisfit] = []
    if node.spec.unschedulable and not _tolerated(spec, _UNSCHEDULABLE):
        found.append(NodeMisfit(Misfit.UNSCHEDULABLE))
    if spec.node_name and spec.node_name != node.metadata.name:
        found.append(NodeMisfit(Misfit.OTHER_NODE, spec.node_name))
    taint = next(
        (each for each in node.spec.taints or () if each.effect in ("NoSchedule", "NoExecute") and not _tolerated(spec, each)), None
    )
    if taint is not None and taint != _UNSCHEDULABLE:
        found.append(NodeMisfit(Misfit.TAINTED, f"{taint.key}={taint.value or ''}:{taint.effect}"))
    if not _affine(spec, node):
        found.append(NodeMisfit(Misfit.AFFINITY))
    short = _short(spec, node, [each for each in others if not each.finished], set(delegated), counted or Counted())
    return (*found, *(NodeMisfit(Misfit.RESOURCES, name) for name in short))


def _tolerated(spec: PodSpec, taint: Taint) -> bool:
    """Tolerations of pods follow the rule of those of devices."""
    as_device_taint = DeviceTaint(taint.key, taint.value, taint.effect)
    return any(tolerates(each, as_device_taint) for each in spec.tolerations or ())


def _affine(spec: PodSpec, node: Node) -> bool:
    labels = node.metadata.labels or {}
    if any(labels.get(key) != value for key, value in (spec.node_selector or {}).items()):
        return False
    affinity = spec.affinity.node_affinity if spec.affinity is not None else None
    required = affinity.required_during_scheduling_ignored_during_execution if affinity is not None else None
    if required is None:
        return True
    try:
        return selects(required, node)
    except NodeSelectorError:
        return False


def _short(spec: PodSpec, node: Node, others: Sequence[Pod], delegated: set[str], counted: Counted) -> list[str]:
    """The resources of which the node has less left than the pod requests; what it does not request is not looked at."""
    allocatable = node.status.allocatable or {}
    found = ["pods"] if "pods" in allocatable and quantity(allocatable["pods"]).value() < len(others) + 1 else []
    for name in ("cpu", "memory", "ephemeral-storage", *scalar_requests(spec)):
        if name in delegated:
            continue
        wanted = counted.of(spec, name)
        if wanted <= 0 or (name not in allocatable and not is_scalar_resource_name(name)):
            continue
        used = sum(counted.of(each.spec, name) for each in others)
        if wanted > _counted(name, quantity(allocatable.get(name))) - used:
            found.append(name)
    return found


def _counted(name: str, amount: Quantity) -> int:
    """As the scheduler counts: thousandths of a CPU, whole units of all else."""
    return amount.milli_value() if name == "cpu" else amount.value()
