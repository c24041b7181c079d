"""The inventory by extended resource name: who serves it, who asks for it, whether it can move."""

from collections.abc import Mapping
from typing import NamedTuple

from kubectl_dra.inventory.cluster import Cluster
from kubectl_dra.inventory.document import Asked, DraSide, Inventory, NameItem, PluginSide
from kubectl_dra.inventory.known import known
from kubectl_dra.inventory.pools import DeviceId
from kubectl_dra.inventory.quotas import counted_keys, uses
from kubectl_dra.inventory.scope import Scope
from kubectl_dra.inventory.servers import Servers, amount, failing
from kubectl_dra.knowledge.vendors import leave_alone
from kubectl_dra.objects.snapshot import Snapshot


class Verdict(NamedTuple):
    """Whether a name can move: ready, blocked (by which checks), leave alone or unknown."""

    verdict: str
    codes: tuple[str, ...] = ()


def by_name(
    snapshot: Snapshot,
    scope: Scope | None = None,
    verdicts: Mapping[str, Verdict] | None = None,
    servers: Servers | None = None,
) -> Inventory:
    """Every extended resource that is asked for, listed by a node or mapped by a class.

    `verdicts` are the audit's. Without them a name is `leave alone` where nobody will move it, and `unknown` otherwise.
    `servers` are those of this snapshot, where somebody has them already.
    """
    cluster = Cluster(snapshot, scope, servers)
    items = tuple(_item(cluster, name, (verdicts or {}).get(name) or unjudged(name)) for name in cluster.names)
    return Inventory(by="name", items=items, unknown=cluster.unknown())


def unjudged(name: str) -> Verdict:
    """The verdict of a name that no audit has looked at."""
    return Verdict("leave alone" if leave_alone(name) else "unknown")


def _item(cluster: Cluster, name: str, verdict: Verdict) -> NameItem:
    quotas = uses(cluster.quotas(), counted_keys(name, cluster.class_name(name))) if known(cluster.snapshot.resource_quotas) else None
    return NameItem(name, verdict.verdict, verdict.codes, _plugin(cluster, name), _dra(cluster, name), _asked(cluster, name), quotas)


def _plugin(cluster: Cluster, name: str) -> PluginSide | None:
    if not cluster.nodes_known:
        return None
    allocatable = [amount(node.status.allocatable, name) for node in cluster.nodes]
    return PluginSide(
        nodes=sum(1 for count in allocatable if count > 0),
        capacity=sum(amount(node.status.capacity, name) for node in cluster.nodes),
        allocatable=sum(allocatable),
    )


def _dra(cluster: Cluster, name: str) -> DraSide | None:
    """Nodes that reach devices of the class, and these devices, each counted once."""
    servers = cluster.servers
    if not servers.classes_known:
        return None
    device_class = servers.device_class(name)
    if device_class is None:
        note = servers.why_unmapped(name)
        return DraSide(None, None, None, True, note) if note and servers.extended_resources is not False else DraSide(None, 0, 0, note=note)
    if not cluster.nodes_known:
        everywhere = servers.devices.everywhere(device_class)
        return DraSide(device_class.metadata.name, None, None if everywhere is None else len(everywhere), everywhere is None)
    nodes = 0
    devices: set[DeviceId] = set()
    for node in cluster.nodes:
        reached = servers.devices.on_node(device_class, node)
        if reached is None:
            return DraSide(device_class.metadata.name, None, None, True, servers.why_unknown(device_class))
        nodes += bool(reached)
        devices.update(placed.id for placed in reached)
    return DraSide(device_class.metadata.name, nodes, len(devices), note=failing(servers.devices.failures(device_class)))


def _asked(cluster: Cluster, name: str) -> Asked:
    users = cluster.users
    pods = [asking for asking in users.pods if name in asking.devices]
    workloads = [workload for workload in users.workloads if name in workload.devices]
    pods_known = users.pods_known
    at_zero = sum(1 for workload in workloads if workload.at_zero) if pods_known else None
    return Asked(
        pods=len(pods) if pods_known else None,
        running=sum(1 for asking in pods if not asking.pending) if pods_known else None,
        pending=sum(1 for asking in pods if asking.pending) if pods_known else None,
        devices=sum(asking.devices[name] for asking in pods) if pods_known else None,
        workloads=len(workloads) if pods_known else None,
        workloads_at_zero=at_zero if users.workloads_known else None,
        workloads_at_zero_seen=at_zero,
    )
