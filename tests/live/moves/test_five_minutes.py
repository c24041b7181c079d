"""The whole five minutes, twice at once: with the step `forget`, and without it, which shows that it is needed.

Kubelets before 1.38 remember the plugin's pods; once the plugin's five minutes are over they fail every new DRA pod of the name
(kubernetes/kubernetes#141426), and their restart does not help.
"""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.bed import operands
from tests.bed.api import Manifest
from tests.bed.node import Node
from tests.bed.operands import RESOURCE
from tests.bed.waiting import wait_until
from tests.live.moves.conftest import Ground, step, told

LONG = 8 * 60.0
FAULT = f"endpoint not found in cache for a registered resource: {RESOURCE}"


def pod(name: str, node: str) -> Manifest:
    container = {"name": "main", "image": "registry.example/main", "resources": {"limits": {RESOURCE: "1"}}}
    spec = {"nodeSelector": {"kubernetes.io/hostname": node}, "terminationGracePeriodSeconds": 0, "containers": [container]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": name}}, "spec": spec}


@pytest.mark.timeout(900)
def test_forget_is_needed_and_enough(grounds: Callable[..., Ground], apply: Callable[..., list[Manifest]]) -> None:
    ground = grounds(2)
    with_forget, without = ground.nodes
    apply([pod(f"before-{node.name}", node.name) for node in ground.nodes])
    for node in ground.nodes:
        ground.running(1, app=f"before-{node.name}")
    with ThreadPoolExecutor(2) as threads:
        moved = threads.submit(_moved, ground, with_forget)
        by_hand = threads.submit(_by_hand, ground, without)
        record = moved.result()
        by_hand.result()
    assert step(record, "settle")["message"] == f"capacity of {RESOURCE} is 0"
    assert step(record, "settle")["seconds"] > 60  # the kubelet's own five minutes, less what the steps before took
    assert step(record, "canary")["state"] == "done"

    apply([pod(f"second-{node.name}", node.name) for node in ground.nodes])
    ground.running(1, app=f"second-{with_forget.name}")
    _fails(ground, f"second-{without.name}")

    for node in ground.nodes:
        node.restart_kubelet()
    wait_until(lambda: _devices(ground, with_forget) and _devices(ground, without), "the drivers publish again", 60)
    apply([pod(f"third-{node.name}", node.name) for node in ground.nodes])
    ground.running(1, app=f"third-{with_forget.name}")
    _fails(ground, f"third-{without.name}")

    result = ground.run("--verify", "--force", node=with_forget.name)
    assert result.code == 0, told(result)
    assert json.loads(result.stdout)["phase"] == "moved"
    # it has no journal to tell what was there
    result = ground.run("--verify", "--force", "--step-timeout", "canary=5s", "--resource", RESOURCE, node=without.name)
    assert result.code != 0
    assert "the canary is red" in result.stdout and FAULT in result.stdout, told(result)
    ground.assert_clean(with_forget.name)
    # the red one was left to be looked at
    cleaning = ("migrate-node", without.name, "--status", "--clean", "--yes", "--kubeconfig", str(ground.cell.kubeconfig), "-o", "json")
    result = ground.call(cleaning)
    assert result.code == 0, (result.stdout, result.stderr)


def _moved(ground: Ground, node: Node) -> Manifest:
    """The move as a user makes it, with the image that the node itself has."""
    arguments = [each for each in ground.arguments("--force", node=node.name) if each != "--accept-allocatable-zero"]
    at = arguments.index("--canary-image")
    wait_until(lambda: ground.node_object(node.name)["status"].get("images"), "the kubelet tells its images", 90)
    result = ground.call([*arguments[:at], *arguments[at + 2 :]])
    assert result.code == 0, told(result)
    record: Manifest = json.loads(result.stdout)
    return record


def _by_hand(ground: Ground, node: Node) -> None:
    """The same without `forget`: the pods go, the plugin goes, five minutes, the driver comes."""
    path = f"/api/v1/nodes/{node.name}"
    ground.cell.api.delete(f"/api/v1/namespaces/{ground.namespace}/pods/before-{node.name}")
    ground.cell.api.patch(path, {"metadata": {"labels": {operands.PLUGIN_LABEL: "false"}}})
    wait_until(lambda: ground.node_object(node.name)["status"]["capacity"].get(RESOURCE) == "0", "capacity is 0", LONG)
    ground.cell.api.patch(path, {"metadata": {"labels": {operands.DRIVER_LABEL: "true"}}})
    wait_until(lambda: _devices(ground, node), "the driver publishes", 60)


def _devices(ground: Ground, node: Node) -> list[Manifest]:
    root = "/apis/resource.k8s.io/v1/resourceslices"
    return [item for item in ground.cell.api.items(root, fieldSelector=f"spec.nodeName={node.name}") if item["spec"].get("devices")]


def _fails(ground: Ground, name: str) -> None:
    """Its claim is allocated, and the kubelet cannot make its container."""

    def look() -> bool:
        found = ground.cell.api.get(f"/api/v1/namespaces/{ground.namespace}/pods/{name}")
        assert "extendedResourceClaimStatus" in found["status"]
        waiting = [each["state"].get("waiting", {}) for each in found["status"].get("containerStatuses", ())]
        return any(each.get("reason") == "CreateContainerConfigError" and FAULT in each.get("message", "") for each in waiting)

    wait_until(look, f"{name} fails as kubelets before 1.38 fail it", 60)
