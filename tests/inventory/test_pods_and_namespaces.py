"""The inventories by pod and by namespace."""

from kubectl_dra.inventory.document import NamespaceItem, PodItem, QuotaUse, WorkloadName
from kubectl_dra.inventory.namespaces import by_namespace
from kubectl_dra.inventory.pods import by_pod
from tests.factories import GPU, pod, quota, snapshot, workload

TAKEN = snapshot(
    pod("b", 2, node="a", claim="b-x"),
    pod("a", 1, namespace="team", owner=("ReplicaSet", "web-1")),
    pod("done", 1, node="a", phase="Failed"),
    pod("cpu"),
    quota("q", {f"requests.{GPU}": 4}, namespace="empty"),
    replica_sets=[workload("web-1", 1, namespace="team", owner=("Deployment", "web"))],
    deployments=[workload("web", 1, namespace="team"), workload("off", 3, namespace="team", replicas=0)],
)


def test_pods() -> None:
    assert by_pod(TAKEN).items == (
        PodItem("default", "b", "a", "Running", WorkloadName("Pod", "b"), {GPU: 2}, "b-x"),
        PodItem("team", "a", None, "Pending", WorkloadName("Deployment", "web"), {GPU: 1}),
    )


def test_namespaces() -> None:
    assert by_namespace(TAKEN).items == (
        NamespaceItem("default", 1, 0, 1, 0, {GPU: 2}, (), 0),
        NamespaceItem("empty", 0, 0, 0, 0, {}, (QuotaUse("empty", "q", f"requests.{GPU}", "4", None),), 0),
        NamespaceItem("team", 1, 1, 2, 1, {GPU: 1}, (), 1),
    )
