"""The inventory by node: who serves each extended resource there, and what moving the node would disturb."""

from collections.abc import Iterable

from kubectl_dra.inventory.cluster import Cluster, names_on
from kubectl_dra.inventory.document import Inventory, MoveCost, NodeItem, NodeResource, ObjectName
from kubectl_dra.inventory.move_cost import MoveCosts, order
from kubectl_dra.inventory.pools import PlacedDevice
from kubectl_dra.inventory.scope import Scope
from kubectl_dra.inventory.selection import DriverTerms
from kubectl_dra.inventory.servers import State
from kubectl_dra.knowledge.vendors import leave_alone
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.snapshot import Snapshot

HOST_SERVICE = "unknown, perhaps a host service"
"""Who serves a name when no pod on the node does (Bottlerocket, for one, runs plugins and drivers as services of the host)."""


def by_node(snapshot: Snapshot, scope: Scope | None = None, *, sort_by_move_cost: bool = False) -> Inventory:
    """Every node, by name or by what moving it would disturb. A node's resources are those that it lists, reaches or has pods for."""
    cluster = Cluster(snapshot, scope)
    costs = MoveCosts(snapshot)
    items = [_item(cluster, node, costs) for node in cluster.nodes]
    if sort_by_move_cost:
        items.sort(key=lambda item: (order(item.move_cost), item.node))
    return Inventory(by="node", items=tuple(items), unknown=cluster.unknown())


def _item(cluster: Cluster, node: Node, costs: MoveCosts) -> NodeItem:
    resources = tuple(
        resource for resource in (_resource(cluster, node, name) for name in cluster.names) if _concerns(cluster, node, resource)
    )
    return NodeItem(
        node=node.metadata.name,
        kubelet_version=node.kubelet_version,
        cordoned=node.cordoned,
        tainted=bool([taint for taint in node.spec.taints or () if taint.key != "node.kubernetes.io/unschedulable"]),
        resources=resources,
        move_cost=_cost(cluster, node, resources, costs),
    )


def _concerns(cluster: Cluster, node: Node, resource: NodeResource) -> bool:
    """Whether the node has anything to do with the name, or it was asked about by name."""
    there = resource.state != State.NONE or resource.asked or resource.approximate or resource.note
    return bool(there) or resource.name in names_on(node) or resource.name in cluster.scope.literal_resources


def _resource(cluster: Cluster, node: Node, name: str) -> NodeResource:
    server = cluster.servers.server(node, name)
    pods_known = cluster.users.pods_known
    asked = sum(asking.devices.get(name, 0) for asking in cluster.pods_by_node.get(node.metadata.name, ()))
    plugin_pods = cluster.node_pods.plugins(node.metadata.name, name) if server.capacity or server.allocatable else ()
    driver_pods = cluster.node_pods.drivers(node.metadata.name, _drivers(cluster, name, server.devices))
    return NodeResource(
        name=name,
        state=server.state.value,
        capacity=server.capacity,
        allocatable=server.allocatable,
        asked=asked if pods_known else None,
        devices=cluster.servers.devices.count(server.devices),
        approximate=server.approximate,
        plugin_pods=_names(plugin_pods) if pods_known else None,
        driver_pods=_names(driver_pods) if pods_known else None,
        note=server.note,
    )


def _drivers(cluster: Cluster, name: str, devices: Iterable[PlacedDevice] | None) -> set[str]:
    """The drivers that serve the name on a node: those of its devices, else the one that the class' selectors name."""
    if devices:
        return {placed.driver for placed in devices}
    device_class = cluster.servers.device_class(name)
    terms = cluster.servers.devices.driver_terms(device_class) if device_class is not None else DriverTerms()
    return set(terms.drivers) if len(terms.drivers) == 1 else set()


def _cost(cluster: Cluster, node: Node, resources: tuple[NodeResource, ...], costs: MoveCosts) -> MoveCost | None:
    """The cost of moving what the device plugin serves; None where there is nothing to move, or pods are not known."""
    moving = {
        resource.name
        for resource in resources
        if resource.state in (State.PLUGIN, State.BOTH, State.INACTIVE) and leave_alone(resource.name) is None
    }
    if not moving or not cluster.users.pods_known:
        return None
    return costs.of(asking for asking in cluster.pods_by_node.get(node.metadata.name, ()) if moving & asking.devices.keys())


def _names(pods: Iterable[Pod]) -> tuple[ObjectName, ...]:
    return tuple(ObjectName(pod.metadata.namespace or "", pod.metadata.name) for pod in pods)
