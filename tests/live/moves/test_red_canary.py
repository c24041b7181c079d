"""A canary that proves nothing stops the move before the node is opened, with the reason; the way back ends well."""

import json
import re
from collections.abc import Callable

import pytest

from tests.bed import operands
from tests.bed.api import Manifest
from tests.bed.operands import DRIVER_NAME, PLUGIN, RESOURCE
from tests.live.moves.conftest import Ground, step, told

CLASS = f"/apis/resource.k8s.io/v1/deviceclasses/{DRIVER_NAME}"
QUICKLY = ("--step-timeout", "slices=3s", "--step-timeout", "class=2s", "--step-timeout", "canary=5s", "--step-timeout", "plug=5s")


def stopped(ground: Ground, *more: str) -> Manifest:
    """A move that stops; the node stays closed, with the journal open."""
    result = ground.run(*QUICKLY, *more)
    assert result.code in (1, 3, 4), told(result)
    record: Manifest = json.loads(result.stdout)
    assert record["phase"] == "moving", told(result)
    found = ground.node_object()
    assert found["spec"]["unschedulable"] is True
    assert json.loads(found["metadata"]["annotations"]["kubectl-dra.io/migration"]).get("finished") is not True
    assert f"kubectl dra migrate-node {ground.node.name}" in record["next"] and "--rollback" in record["next"]
    return record


def test_a_driver_without_devices_and_a_driver_that_never_comes(ground: Ground) -> None:
    ground.operands.devices = 0
    record = stopped(ground)
    assert step(record, "slices")["state"] == "timed out"
    assert "0 of the 0 devices here; there were 4 of example.com/gpu" in record["message"] or "no slice of" in record["message"]
    ground.operands.devices = 4
    ground.back()
    ground.assert_clean()

    ground.operands.lies.add(operands.DRIVER)  # its pod runs, and publishes nothing
    record = stopped(ground)
    said = re.sub(r"after \d+ s", "after 3 s", record["message"])  # or a second later, on a busy machine
    assert said == f"step slices: after 3 s: no slice of {DRIVER_NAME} is published for this node yet"
    ground.operands.lies.clear()
    ground.move()
    ground.assert_clean()


def test_a_class_that_selects_nothing(ground: Ground) -> None:
    selectors = [{"cel": {"expression": f'device.driver == "{DRIVER_NAME}" && device.attributes["{DRIVER_NAME}"].?uuid.hasValue()'}}]
    ground.cell.api.patch(CLASS, {"spec": {"selectors": selectors}})
    record = stopped(ground)
    assert f"class {DRIVER_NAME} selects 0 of the 4 devices here; there were 4 of {RESOURCE}" in record["message"]
    ground.cell.api.patch(CLASS, operands.CLASS)
    ground.back()
    ground.assert_clean()


def test_e1_a_mapping_that_the_scheduler_has_lost(ground: Ground) -> None:
    """Two classes with the name, one deleted: the survivor maps nothing until it is updated (kubernetes/kubernetes#141103)."""
    other = {**operands.CLASS, "metadata": {"name": f"other-{ground.node.name}"}}
    path = f"/apis/resource.k8s.io/v1/deviceclasses/other-{ground.node.name}"
    ground.cell.api.create("/apis/resource.k8s.io/v1/deviceclasses", other)
    ground.cell.api.delete(path)
    record = stopped(ground)
    assert step(record, "canary")["state"] == "timed out", record
    assert f"Insufficient {RESOURCE}" in record["message"]
    assert f"kubectl annotate deviceclass {DRIVER_NAME} --overwrite" in record["next"]
    ground.cell.api.patch(CLASS, {"metadata": {"annotations": {"touched": "yes"}}})
    ground.move()
    ground.assert_clean()


def test_the_plugin_comes_back_in_the_middle(ground: Ground) -> None:
    """E16: the label flips, and the plugin with it."""
    record = json.loads(ground.run("--until", "settle").stdout)
    assert (record["phase"], record["exitStatus"]) == ("moving", 0)
    ground.cell.api.patch(f"/api/v1/nodes/{ground.node.name}", {"metadata": {"labels": {operands.PLUGIN_LABEL: "true"}}})
    result = ground.run("--only", "plug")
    assert result.code == 3, told(result)
    why = f"unplug was done by an earlier run, and is so no more: label {operands.PLUGIN_LABEL} is not as it was left"
    assert why in json.loads(result.stdout)["message"]
    ground.move()  # the whole run sets the label again, and goes on
    ground.assert_clean()


@pytest.mark.parametrize("how", ["keep", "rollback", "uncordon"])
def test_on_failure(ground: Ground, how: str) -> None:
    ground.operands.lies.add(operands.DRIVER)
    record = json.loads(ground.run(*QUICKLY, "--on-failure", how).stdout)
    assert record["exitStatus"] == 4
    match how:
        case "rollback":
            assert record["phase"] == "returned", record
            ground.assert_clean()
        case "uncordon":
            assert record["phase"] == "moving"
            assert any("means keep from step unplug on" in line for line in record["summary"])
        case _:
            assert record["phase"] == "moving"
    ground.operands.lies.clear()
    if how != "rollback":
        ground.back()
        ground.assert_clean()


def test_on_failure_uncordon_opens_a_node_that_is_still_what_it_was(ground: Ground, apply: Callable[..., list[Manifest]]) -> None:
    """A budget that never yields, before anything was unplugged."""
    container = {"name": "main", "image": "registry.example/main", "resources": {"limits": {RESOURCE: "1"}}}
    template = {"metadata": {"labels": {"app": "stay"}}, "spec": {"terminationGracePeriodSeconds": 0, "containers": [container]}}
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "stay"}}, "template": template}
    budget = {"minAvailable": 1, "selector": {"matchLabels": {"app": "stay"}}}
    apply(
        [
            {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "stay"}, "spec": spec},
            {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "stay"}, "spec": budget},
        ]
    )
    (pod,) = ground.running(1, app="stay")
    result = ground.run("--on-failure", "uncordon", "--timeout", "3s")
    record = json.loads(result.stdout)
    assert (result.code, record["phase"]) == (4, "returned"), told(result)
    assert "The disruption budget stay needs 1 healthy pods and has 1 currently" in record["message"]
    assert "the node is open again" in record["summary"]
    ground.assert_clean()
    assert [each["metadata"]["uid"] for each in ground.running(1, app="stay")] == [pod["metadata"]["uid"]]
    assert PLUGIN in ground.cell.kubectl("get", "pods", "-n", ground.operands.namespace, "-o", "name")
