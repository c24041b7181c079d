"""The inventory by pod: every pod that is not finished and asks for an extended resource."""

from kubectl_dra.inventory.cluster import Cluster
from kubectl_dra.inventory.document import Inventory, PodItem, WorkloadName
from kubectl_dra.inventory.scope import Scope
from kubectl_dra.inventory.users import AskingPod
from kubectl_dra.objects.snapshot import Snapshot


def by_pod(snapshot: Snapshot, scope: Scope | None = None) -> Inventory:
    """By namespace and name."""
    cluster = Cluster(snapshot, scope)
    return Inventory(by="pod", items=tuple(map(_item, cluster.users.pods)), unknown=cluster.unknown())


def _item(asking: AskingPod) -> PodItem:
    pod = asking.pod
    generated = pod.status.extended_resource_claim_status
    return PodItem(
        namespace=pod.metadata.namespace or "",
        pod=pod.metadata.name,
        node=pod.node_name,
        phase=pod.status.phase or "Pending",
        workload=WorkloadName(asking.owner.kind, asking.owner.name),
        resources=asking.devices,
        claim=generated.resource_claim_name or None if generated else None,
    )
