"""Nodes, drivers and pools that a real cluster makes go wrong, found, settled by a second reading, and quiet again when they are mended."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from kubectl_dra.environment import Clock
from tests.bed.api import Manifest
from tests.bed.cluster import Cluster
from tests.bed.node import DevicePlugin, DraDriver, Node
from tests.bed.waiting import wait_until
from tests.run import Result, kubectl_dra

GPU, DRIVER = "example.com/gpu", "gpu.example.com"
SLICES = "/apis/resource.k8s.io/v1/resourceslices"
Apply = Callable[..., list[dict[str, Any]]]
Waits = list[float]

CLASS: Manifest = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "DeviceClass",
    "metadata": {"name": "gpu"},
    "spec": {"extendedResourceName": GPU, "selectors": [{"cel": {"expression": f'device.driver == "{DRIVER}"'}}]},
}


def audit(cluster: Cluster, select: str, *argv: str, clock: Clock | None = None) -> Result:
    options = ("--select", select, "--fail-on", "never", "-o", "json", "--kubeconfig", str(cluster.kubeconfig))
    result = kubectl_dra("audit", *argv, *options, clock=clock)
    assert result.code == 0, result.stderr
    return result


def found(cluster: Cluster, select: str, *argv: str, clock: Clock | None = None) -> dict[str, dict[str, Any]]:
    """The findings by code."""
    report = json.loads(audit(cluster, select, *argv, clock=clock).stdout)
    return {each["code"]: each for each in report["findings"]}


def objects(finding: dict[str, Any]) -> list[str]:
    return [f"{each['kind']} {each['name']}" for each in finding["objects"]]


@pytest.fixture
def waits() -> Waits:
    """The seconds that a command has waited."""
    return []


def test_dra201_both_sides_of_a_node_and_dra202_a_plugin_that_stops(
    cell: Cluster,
    apply: Apply,
    node: Callable[..., Node],
    device_plugin: Callable[..., DevicePlugin],
    dra_driver: Callable[..., DraDriver],
    waits: Waits,
) -> None:
    where = node("audit-both")
    plugin = device_plugin(where, GPU, 4)
    wait_until(lambda: where.read()["status"]["allocatable"].get(GPU) == "4", "the plugin's devices are there")
    apply(CLASS)
    assert found(cell, "DRA201,DRA202") == {}
    driver = dra_driver(where, count=4)
    both = found(cell, "DRA201,DRA202")
    assert list(both) == ["DRA201"]
    assert (both["DRA201"]["severity"], both["DRA201"]["settled"], objects(both["DRA201"])) == ("error", True, ["Node audit-both"])
    assert f"allocatable {GPU} is 4; class gpu selects 4 devices of {DRIVER}/audit-both" in both["DRA201"]["evidence"]

    plugin.set_health("all", healthy=False)
    wait_until(lambda: where.read()["status"]["allocatable"].get(GPU) == "0", "no device is healthy")
    first = found(cell, "DRA201,DRA202")
    assert list(first) == ["DRA202"]
    assert (first["DRA202"]["severity"], first["DRA202"]["settled"]) == ("info", False), "DRA serves, and no pod is known as the plugin"
    second = found(cell, "DRA202", "--settle", "6m", clock=Clock(sleep=waits.append))
    assert (second["DRA202"]["severity"], second["DRA202"]["settled"], waits) == ("warning", True, [360.0])
    assert "all of its devices are unhealthy" in second["DRA202"]["evidence"]

    plugin.set_health("all", healthy=True)
    wait_until(lambda: where.read()["status"]["allocatable"].get(GPU) == "4", "the devices are healthy again")
    assert list(found(cell, "DRA201,DRA202")) == ["DRA201"]
    plugin.close()
    wait_until(lambda: where.read()["status"]["allocatable"].get(GPU) == "0", "the plugin is gone")

    def forgotten(seconds: float) -> None:
        """A kubelet that restarts forgets the plugin at once, as it would after five minutes."""
        where.restart_kubelet()
        wait_until(lambda: where.read()["status"]["capacity"].get(GPU) == "0", "the kubelet has forgotten the plugin")

    assert found(cell, "DRA201,DRA202", "--settle", "6m", clock=Clock(sleep=forgotten)) == {}
    driver.close()


def slice_of(name: str, pool: str, count: int, *, of: int = 1, generation: int = 1, first: int = 0, **more: object) -> Manifest:
    """A slice that no kubelet looks after: it is for all nodes."""
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": name},
        "spec": {
            "driver": "pools.example.com",
            "pool": {"name": pool, "generation": generation, "resourceSliceCount": of},
            "allNodes": True,
            "devices": [{"name": f"gpu-{number}"} for number in range(first, first + count)],
            **more,
        },
    }


@pytest.mark.usefixtures("namespace")
def test_dra301_to_304_broken_pools_are_read_twice_and_what_a_driver_finishes_is_none(
    cell: Cluster, apply: Apply, waits: Waits, paste: Callable[[list[str]], None]
) -> None:
    apply({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "audit-pools"}})
    counter = [{"counterSet": "memory", "counters": {"size": {"value": "1Gi"}}}]
    apply(
        [
            slice_of("whole", "whole", 2),
            slice_of("half", "half", 2, of=2),
            slice_of("one", "twins", 2, of=2),
            slice_of("other", "twins", 2, of=2, first=1),
            slice_of("counts", "counterless", 1, devices=[{"name": "part", "consumesCounters": counter}]),
            slice_of("three", "argue", 1, of=3),
            slice_of("two", "argue", 1, of=2, first=1),
            slice_of("old", "left", 1),
            slice_of("new", "left", 1, generation=2, first=1),
        ]
    )
    report = json.loads(audit(cell, "DRA301,DRA302,DRA303,DRA304", clock=Clock(sleep=waits.append)).stdout)
    seen = [(each["code"], each["severity"], each["settled"], objects(each)) for each in report["findings"]]
    of_slices = [
        (code, severity, settled, [each.removeprefix("ResourceSlice ") for each in names]) for code, severity, settled, names in seen
    ]
    incomplete = [entry for entry in of_slices if entry[0] == "DRA301"]
    assert ("DRA301", "error", True, ["half"]) in incomplete
    assert [entry for entry in of_slices if entry[0] == "DRA302"] == [
        ("DRA302", "error", True, ["counts"]),
        ("DRA302", "error", True, ["one", "other"]),
    ]
    assert [entry for entry in of_slices if entry[0] > "DRA302"] == [
        ("DRA303", "warning", True, ["three", "two"]),
        ("DRA304", "info", True, ["old"]),
    ]
    assert waits == [5.0], "it waits once, and unasked"

    def finished(seconds: float) -> None:
        apply(slice_of("other-half", "half", 2, of=2, first=2))
        cell.api.delete(f"{SLICES}/old")

    report = json.loads(audit(cell, "DRA301,DRA304", clock=Clock(sleep=finished)).stdout)
    assert ["ResourceSlice half"] not in [objects(each) for each in report["findings"]]
    assert "DRA304" not in [each["code"] for each in report["findings"]]

    by_code = {f"{each['code']} {each['cause']}": each for each in report["findings"]}
    paste(by_code["DRA301 pools.example.com/argue"]["fix"])
    after = json.loads(audit(cell, "DRA301", clock=Clock(sleep=waits.append)).stdout)["findings"]
    assert [each["cause"] for each in after] == [], "nothing publishes what was deleted"


def test_dra302_the_real_scheduler_takes_nothing_of_such_a_pool(
    cell: Cluster, namespace: str, apply: Apply, node: Callable[..., Node]
) -> None:
    node("audit-invalid")
    device_class = json.loads(json.dumps(CLASS).replace(DRIVER, "pools.example.com"))
    apply([device_class, slice_of("one", "twins", 2, of=2), slice_of("other", "twins", 2, of=2, first=1)])
    container = {"name": "main", "image": "busybox", "resources": {"limits": {GPU: "1"}}}
    spec = {"automountServiceAccountToken": False, "containers": [container]}
    apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "waits"}, "spec": spec})
    path = f"/api/v1/namespaces/{namespace}/pods/waits"

    def told() -> str:
        conditions = cell.api.get(path)["status"].get("conditions", [])
        return next((each.get("message", "") for each in conditions if each["type"] == "PodScheduled"), "")

    wait_until(lambda: "invalid resource pools were encountered" in told(), "the scheduler refuses the pool")
    finding = found(cell, "DRA302", clock=Clock(sleep=lambda _: None))["DRA302"]
    assert "duplicate device name gpu-1" in finding["title"]
    # what the driver would do: publish a device under a name of its own
    apply(slice_of("other", "twins", 2, of=2, first=2))
    wait_until(lambda: cell.api.get(path)["spec"].get("nodeName") == "audit-invalid", "the pod gets a device of the pool")
    assert found(cell, "DRA301,DRA302") == {}


LATER = Clock(now=lambda: datetime.now(UTC) + timedelta(hours=3))
"""Pods that have just become ready are given a minute."""


def drives(only_on: str = "") -> Manifest:
    """A DaemonSet whose pods look like the driver's: they mount its folder."""
    labels = {"app": "drives"}
    volume = {"name": "plugin", "hostPath": {"path": f"/var/lib/kubelet/plugins/{DRIVER}", "type": ""}}
    spec: Manifest = {"automountServiceAccountToken": False, "containers": [{"name": "plugin", "image": "driver"}], "volumes": [volume]}
    if only_on:
        spec["nodeSelector"] = {"kubernetes.io/hostname": only_on}
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "drives"},
        "spec": {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": spec}},
    }


def test_dra207_and_dra208_drivers_by_their_daemon_set(
    cell: Cluster,
    namespace: str,
    apply: Apply,
    node: Callable[..., Node],
    dra_driver: Callable[..., DraDriver],
) -> None:
    speaks, silent = node("audit-speaks"), node("audit-silent")
    dra_driver(speaks, count=2)
    pods = f"/api/v1/namespaces/{namespace}/pods"

    def ready_on() -> set[str]:
        ready = (each for each in cell.api.items(pods) if {"type": "Ready", "status": "True"}.items() <= _condition(each).items())
        return {each["spec"]["nodeName"] for each in ready if "deletionTimestamp" not in each["metadata"]}

    def rolled_out(*nodes: str) -> bool:
        status = cell.api.get(f"/apis/apps/v1/namespaces/{namespace}/daemonsets/drives")
        done = status["status"].get("observedGeneration") == status["metadata"]["generation"]
        return (
            done and status["status"].get("updatedNumberScheduled") == len(nodes) == len(cell.api.items(pods)) and ready_on() == set(nodes)
        )

    apply(drives())
    wait_until(lambda: rolled_out("audit-speaks", "audit-silent"), "the DaemonSet's pods are ready")
    (pod,) = [each["metadata"]["name"] for each in cell.api.items(pods) if each["spec"]["nodeName"] == "audit-silent"]
    assert found(cell, "DRA207,DRA208") == {}, "it is given a minute"
    seen = found(cell, "DRA207,DRA208", clock=LATER)
    assert list(seen) == ["DRA208"]
    assert (seen["DRA208"]["settled"], objects(seen["DRA208"])) == (True, ["Node audit-silent", f"Pod {pod}"])

    dra_driver(silent, count=2)
    assert found(cell, "DRA207,DRA208", clock=LATER) == {}
    apply(drives(only_on="audit-speaks"))
    wait_until(lambda: rolled_out("audit-speaks"), "the pod on the other node is gone, its driver's slices stay")
    seen = found(cell, "DRA207,DRA208", clock=LATER)
    assert list(seen) == ["DRA207"]
    gone = seen["DRA207"]
    assert (gone["severity"], gone["settled"], objects(gone)) == ("error", True, ["Node audit-silent"])
    apply(drives())
    wait_until(lambda: rolled_out("audit-speaks", "audit-silent"), "the pod is back")
    assert found(cell, "DRA207,DRA208", clock=LATER) == {}
    cell.api.delete(f"/apis/apps/v1/namespaces/{namespace}/daemonsets/drives")


def _condition(pod: Manifest) -> Manifest:
    return next((each for each in pod["status"].get("conditions", []) if each["type"] == "Ready"), {})


@pytest.mark.usefixtures("namespace")
def test_dra204_to_206_kubelets_by_what_their_nodes_say(cell: Cluster, apply: Apply) -> None:
    apply([CLASS, old_node("audit-1-35", "v1.35.4", 4), old_node("audit-1-33", "v1.33.1", 0), old_node("audit-1-38", "v1.38.0", 0)])
    apply(old_node("audit-windows", "v1.37.2", 1, system="windows"))
    apply(slice_of("audit-shared", "shared", 1, driver=DRIVER))
    seen = json.loads(audit(cell, "DRA204,DRA205,DRA206").stdout)["findings"]
    assert sorted((each["code"], each["severity"], *objects(each)) for each in seen) == [
        ("DRA204", "error", "Node audit-1-33"),
        ("DRA204", "warning", "Node audit-1-35"),
        ("DRA205", "warning", "Node audit-1-33"),
        ("DRA205", "warning", "Node audit-1-38"),
        ("DRA206", "info", "Node audit-windows"),
    ]


def old_node(name: str, kubelet: str, devices: int, system: str = "linux") -> Manifest:
    """A node that says so; there is no kubelet."""
    told = ("architecture", "bootID", "containerRuntimeVersion", "kernelVersion", "kubeProxyVersion", "machineID", "osImage", "systemUUID")
    info = {**dict.fromkeys(told, ""), "kubeletVersion": kubelet, "operatingSystem": system}
    amounts = {GPU: str(devices)}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/os": system}},
        "status": {"nodeInfo": info, "capacity": amounts, "allocatable": amounts},
    }


@pytest.mark.usefixtures("namespace")
def test_dra104_a_release_owns_one_of_two_classes(cell: Cluster, apply: Apply) -> None:
    owned = {"meta.helm.sh/release-name": "driver", "meta.helm.sh/release-namespace": "drivers"}
    apply([CLASS, {**CLASS, "metadata": {"name": "of-a-chart", "annotations": owned}}])
    assert objects(found(cell, "DRA104")["DRA104"]) == ["DeviceClass gpu", "DeviceClass of-a-chart"]
    # the chart gives the name up
    apply({**CLASS, "metadata": {"name": "of-a-chart", "annotations": owned}, "spec": {"extendedResourceName": "example.com/other"}})
    assert found(cell, "DRA104") == {}
