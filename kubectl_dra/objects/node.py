"""Nodes, their taints, and node selectors."""

from kubectl_dra.objects.meta import Condition, ObjectMeta
from kubectl_dra.objects.shape import Object, ResourceList


class Taint(Object, frozen=True):
    """A node's taint."""

    key: str = ""
    value: str | None = None
    effect: str = ""


class NodeSelectorRequirement(Object, frozen=True):
    """One expression of a node selector term (In, NotIn, Exists, DoesNotExist, Gt, Lt)."""

    key: str = ""
    operator: str = ""
    values: tuple[str, ...] | None = None


class NodeSelectorTerm(Object, frozen=True):
    """All expressions and fields must match; an empty term matches nothing."""

    match_expressions: tuple[NodeSelectorRequirement, ...] | None = None
    match_fields: tuple[NodeSelectorRequirement, ...] | None = None


class NodeSelector(Object, frozen=True):
    """One term must match."""

    node_selector_terms: tuple[NodeSelectorTerm, ...] | None = None


class NodeSpec(Object, frozen=True):
    """Cordoned, and with which taints."""

    unschedulable: bool | None = None
    taints: tuple[Taint, ...] | None = None


class NodeSystemInfo(Object, frozen=True):
    """Versions on the node."""

    kubelet_version: str = ""
    operating_system: str | None = None
    os_image: str | None = None


class NodeStatus(Object, frozen=True):
    """What the node has; of the conditions the reader keeps Ready."""

    capacity: ResourceList | None = None
    allocatable: ResourceList | None = None
    conditions: tuple[Condition, ...] | None = None
    node_info: NodeSystemInfo | None = None
    declared_features: tuple[str, ...] | None = None


class Node(Object, frozen=True):
    """A node."""

    metadata: ObjectMeta = ObjectMeta()
    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()

    @property
    def cordoned(self) -> bool:
        """True when the scheduler puts no new pods on it."""
        return bool(self.spec.unschedulable)

    @property
    def kubelet_version(self) -> str:
        """As the kubelet tells it (`v1.37.2`); empty when unknown."""
        return self.status.node_info.kubelet_version if self.status.node_info else ""
