"""The inventory by workload: who makes pods that ask for extended resources, also when there are none now."""

from kubectl_dra.inventory.cluster import Cluster
from kubectl_dra.inventory.document import Inventory, WorkloadItem
from kubectl_dra.inventory.scope import Scope
from kubectl_dra.inventory.users import AskingWorkload
from kubectl_dra.objects.snapshot import Snapshot


def by_workload(snapshot: Snapshot, scope: Scope | None = None) -> Inventory:
    """By namespace, kind and name; a pod that nobody makes is a workload of kind Pod."""
    cluster = Cluster(snapshot, scope)
    items = tuple(_item(workload, cluster.users.pods_known) for workload in cluster.users.workloads)
    return Inventory(by="workload", items=items, unknown=cluster.unknown())


def _item(workload: AskingWorkload, pods_known: bool) -> WorkloadItem:
    return WorkloadItem(
        namespace=workload.owner.namespace,
        kind=workload.owner.kind,
        name=workload.owner.name,
        replicas=workload.replicas,
        pods=len(workload.pods) if pods_known else None,
        resources=workload.devices,
        suspended=workload.suspended,
        at_zero=workload.at_zero,
    )
