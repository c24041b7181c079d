"""A whole move and the way back, with everything that is usually on a node."""

from collections.abc import Callable

from tests.bed.api import Manifest
from tests.bed.cluster import Cluster
from tests.bed.operands import DRIVER_LABEL, PLUGIN_LABEL, RESOURCE
from tests.bed.waiting import wait_until
from tests.live.moves.conftest import Ground, step, told


def template(app: str, tolerations: list[dict[str, str]]) -> Manifest:
    limits = {"limits": {RESOURCE: "1"}}
    spec = {
        "terminationGracePeriodSeconds": 0,
        "tolerations": tolerations,
        "containers": [{"name": "main", "image": "registry.example/main", "resources": limits}],
    }
    return {"metadata": {"labels": {"app": app}}, "spec": spec}


def workload(kind: str, name: str, tolerations: list[dict[str, str]], **spec: object) -> Manifest:
    selector = {"matchLabels": {"app": name}}
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name},
        "spec": {"selector": selector, "template": template(name, tolerations), **spec},
    }


def on(pods: list[Manifest], node: str) -> list[Manifest]:
    return [pod for pod in pods if pod["spec"]["nodeName"] == node]


def test_a_deployment_a_stateful_set_a_daemon_set_a_tainted_node_and_a_budget(
    grounds: Callable[..., Ground], apply: Callable[..., list[Manifest]]
) -> None:
    tolerated = [{"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}]
    ground = grounds(2, taints=["gpu=yes:NoSchedule"], tolerations=tolerated)
    here, other = (node.name for node in ground.nodes)
    elsewhere = f"/api/v1/nodes/{other}"
    budget = {"maxUnavailable": 1, "selector": {"matchLabels": {"app": "web"}}}
    ground.cell.api.patch(elsewhere, {"spec": {"unschedulable": True}})  # so that all begin on the one that moves
    apply(
        [
            workload("Deployment", "web", tolerated, replicas=2),
            workload("StatefulSet", "train", tolerated, replicas=1, serviceName="train"),
            workload("DaemonSet", "watch", tolerated),
            {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "web"}, "spec": budget},
        ]
    )
    before = ground.running(5)
    assert len(on(before, here)) == 4
    ready = f"/apis/policy/v1/namespaces/{ground.namespace}/poddisruptionbudgets/web"
    wait_until(lambda: ground.cell.api.get(ready).get("status", {}).get("disruptionsAllowed") == 1, "the budget counts its pods")
    ground.cell.api.patch(elsewhere, {"spec": {"unschedulable": None}})

    record = ground.move("--daemonset-pods=delete")
    assert [each["state"] for each in record["steps"]] == ["done"] * len(record["steps"]), record["steps"]
    assert step(record, "drain")["message"] == "4 pods have left"
    assert step(record, "forget")["message"].startswith("rejected (UnexpectedAdmissionError)")
    assert "through a claim" in step(record, "canary")["message"]
    assert "4 devices of gpu.example.com here: 1 in use, 3 free" in record["summary"]
    ground.assert_clean()
    moved = ground.running(5)
    assert {pod["metadata"]["uid"] for pod in moved}.isdisjoint(pod["metadata"]["uid"] for pod in on(before, here))
    assert [pod["metadata"]["labels"]["app"] for pod in on(moved, here)] == ["watch"]
    assert all("extendedResourceClaimStatus" in pod["status"] for pod in on(moved, here))
    about = f"involvedObject.name={here},reason=MovedToDRA"
    events = ground.cell.api.items("/api/v1/namespaces/default/events", fieldSelector=about)
    assert [event["message"].partition(" (")[0] for event in events] == [f"{RESOURCE}: moved from the device plugin to DRA"]

    ground.back("--daemonset-pods=delete")
    returned = ground.running(5)
    assert not [pod for pod in returned if "extendedResourceClaimStatus" in pod["status"]]
    assert ground.node_object()["status"]["capacity"][RESOURCE] == "4"
    ground.assert_clean()
    assert min(ground.held.seen.values()) > 0  # it had something to look at on either side


def test_a_server_without_device_taint_rules(own_cell: Callable[..., Cluster], grounds: Callable[..., Ground]) -> None:
    """1.36: the driver's devices cannot be fenced, which is said; they are looked at again before they change hands."""
    ground = grounds(cluster=own_cell(emulated_version="1.36"), labels={PLUGIN_LABEL: "true", DRIVER_LABEL: "true"})
    slices = "/apis/resource.k8s.io/v1/resourceslices"
    wait_until(lambda: ground.cell.api.items(slices, fieldSelector=f"spec.nodeName={ground.node.name}"), "the driver publishes")
    for way in ((), ("--rollback",)):
        result = ground.run(*way)
        assert result.code == 0, told(result)
        assert "the API server has no DeviceTaintRules: the driver's devices are not fenced" in result.stderr
        ground.assert_clean(rules=False)
