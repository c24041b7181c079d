"""The inventory by namespace: what each asks for, and the quotas that limit it."""

from kubectl_dra.inventory.cluster import Cluster
from kubectl_dra.inventory.document import Inventory, NamespaceItem, QuotaUse
from kubectl_dra.inventory.known import known
from kubectl_dra.inventory.quotas import counted_keys, uses
from kubectl_dra.inventory.scope import Scope
from kubectl_dra.inventory.users import AskingPod, AskingWorkload
from kubectl_dra.objects.snapshot import Snapshot


def by_namespace(snapshot: Snapshot, scope: Scope | None = None) -> Inventory:
    """Every namespace in which a pod or workload asks, or a quota counts an extended resource; by name."""
    cluster = Cluster(snapshot, scope)
    pods: dict[str, list[AskingPod]] = {}
    for asking in cluster.users.pods:
        pods.setdefault(asking.pod.metadata.namespace or "", []).append(asking)
    workloads: dict[str, list[AskingWorkload]] = {}
    for workload in cluster.users.workloads:
        workloads.setdefault(workload.owner.namespace, []).append(workload)
    keys = dict.fromkeys(key for name in cluster.names for key in counted_keys(name, cluster.class_name(name)))
    quotas: dict[str, list[QuotaUse]] = {}
    for use in uses(cluster.quotas(), keys):
        quotas.setdefault(use.namespace, []).append(use)
    items = tuple(
        _item(cluster, namespace, pods.get(namespace, []), workloads.get(namespace, []), tuple(quotas.get(namespace, ())))
        for namespace in sorted({*pods, *workloads, *quotas})
    )
    return Inventory(by="namespace", items=items, unknown=cluster.unknown())


def _item(
    cluster: Cluster, namespace: str, pods: list[AskingPod], workloads: list[AskingWorkload], quotas: tuple[QuotaUse, ...]
) -> NamespaceItem:
    devices: dict[str, int] = {name: 0 for workload in workloads for name in workload.devices}
    for asking in pods:
        for name, count in asking.devices.items():
            devices[name] = devices.get(name, 0) + count
    pods_known = cluster.users.pods_known
    at_zero = sum(1 for workload in workloads if workload.at_zero) if pods_known else None
    return NamespaceItem(
        namespace=namespace,
        pods=len(pods) if pods_known else None,
        pending=sum(1 for asking in pods if asking.pending) if pods_known else None,
        workloads=len(workloads) if pods_known else None,
        workloads_at_zero=at_zero if cluster.users.workloads_known else None,
        workloads_at_zero_seen=at_zero,
        resources=dict(sorted(devices.items())),
        quotas=quotas if known(cluster.snapshot.resource_quotas) else None,
    )
