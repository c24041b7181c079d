"""What all inventories need of one snapshot and scope, computed when it is first asked for."""

from collections.abc import Iterator
from functools import cached_property

from kubectl_dra.extended_resources.names import class_of_implicit_name, is_dra_extended_resource_name
from kubectl_dra.inventory.document import Unknown
from kubectl_dra.inventory.known import known, unknown_kinds
from kubectl_dra.inventory.node_pods import NodePods
from kubectl_dra.inventory.owners import BUILT_IN
from kubectl_dra.inventory.scope import Scope
from kubectl_dra.inventory.servers import Servers
from kubectl_dra.inventory.users import AskingPod, Users
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.policy import ResourceQuota
from kubectl_dra.objects.snapshot import Snapshot

_READ = (
    "nodes", "pods", "device_classes", "resource_slices", "resource_claims", "device_taint_rules", "resource_quotas",
    "pod_disruption_budgets", *BUILT_IN, "custom_workloads", "csi_drivers",
)  # fmt: skip
"""The kinds that inventories rest on."""


class Cluster:
    """One reading of a cluster, seen through a scope."""

    def __init__(self, snapshot: Snapshot, scope: Scope | None = None, servers: Servers | None = None) -> None:
        """Take the reading, the scope (all of it), and the snapshot's servers where somebody has them already."""
        self.snapshot = snapshot
        self.scope = scope or Scope()
        self.servers = servers or Servers(snapshot)
        self.node_pods = NodePods(snapshot)
        self.users = Users(snapshot, self.scope)

    @property
    def nodes_known(self) -> bool:
        """Whether nodes were read in full."""
        return known(self.snapshot.nodes)

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes in scope, by name. Cordoned and tainted ones are always among them."""
        wanted = (node for node in self.snapshot.nodes if self.scope.has_node(node))
        return tuple(sorted(wanted, key=lambda node: node.metadata.name))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The extended resources in scope that somebody asks for, a node lists or a class maps; implicit ones when somebody asks."""
        found = {name for node in self.nodes for name in names_on(node)}
        found.update(each.spec.extended_resource_name for each in self.snapshot.device_classes if each.spec.extended_resource_name)
        found.update(name for asking in self.users.pods for name in asking.devices)
        found.update(name for workload in self.users.workloads for name in workload.devices)
        found.update(self.scope.literal_resources)
        return tuple(sorted(name for name in found if self.scope.has_resource(name)))

    @cached_property
    def pods_by_node(self) -> dict[str, list[AskingPod]]:
        """The asking pods in scope on each node."""
        found: dict[str, list[AskingPod]] = {}
        for asking in self.users.pods:
            if asking.pod.node_name:
                found.setdefault(asking.pod.node_name, []).append(asking)
        return found

    def quotas(self) -> Iterator[ResourceQuota]:
        """The quotas in scope."""
        return (quota for quota in self.snapshot.resource_quotas if self.scope.has_namespace(quota.metadata.namespace))

    def unknown(self) -> tuple[Unknown, ...]:
        """The kinds that could not be read, or not in all namespaces in scope."""
        narrowed = self.snapshot.cluster.namespace
        missing = () if self.scope.within(narrowed) else (Unknown("Pod", f"only the namespace {narrowed} was read"),)
        return unknown_kinds(self.snapshot, _READ) + missing

    def class_name(self, name: str) -> str | None:
        """The class that `name` means, if one does."""
        found = self.servers.device_class(name)
        return found.metadata.name if found is not None else None


def names_on(node: Node) -> set[str]:
    """The extended resources that the node lists, with 0 as well."""
    listed = {*(node.status.capacity or {}), *(node.status.allocatable or {})}
    return {name for name in listed if is_dra_extended_resource_name(name) and class_of_implicit_name(name) is None}
