"""The audit on a real cluster: faults provoked for real, found, and mended by pasting what the audit prints."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubectl_dra.audit.registry import checks
from kubectl_dra.environment import Clock
from tests.bed.api import RefusedError
from tests.bed.cluster import Cluster
from tests.bed.node import DevicePlugin, DraDriver, Node
from tests.run import kubectl_dra

GPU = "example.com/gpu"
BESIDE = "DRA106,DRA407,DRA703"
"""Notes that fit most of these clusters: no driver for the classes to select from, pods without a controller, faults of their version."""
OTHER = ("--ignore", "DRA202")
"""What else shows of a plugin that has stopped."""

Apply = Callable[..., list[dict[str, Any]]]
WaitUntil = Callable[..., Any]


def device_class(name: str, maps: str = GPU, driver: str = "gpu.example.com") -> dict[str, Any]:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": name},
        "spec": {"extendedResourceName": maps, "selectors": [{"cel": {"expression": f'device.driver == "{driver}"'}}]},
    }


def pod(name: str, devices: int, resource: str = GPU) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {
            "automountServiceAccountToken": False,
            "containers": [{"name": "main", "image": "busybox", "resources": {"limits": {resource: str(devices)}}}],
        },
    }


@pytest.fixture
def audit(cell: Cluster) -> Callable[..., dict[str, Any]]:
    """Runs `audit -o json` as the administrator, expects the exit status, and gives the report."""

    def run(*argv: str, code: int = 0, kubeconfig: Path | None = None) -> dict[str, Any]:
        options = ("--ignore", BESIDE, "-o", "json", "--kubeconfig", str(kubeconfig or cell.kubeconfig))
        result = kubectl_dra("audit", *argv, *options)
        assert result.code == code, result.stdout + result.stderr
        report: dict[str, Any] = json.loads(result.stdout)
        return report

    return run


def codes(report: dict[str, Any]) -> list[str]:
    return [finding["code"] for finding in report["findings"]]


def objects(finding: dict[str, Any]) -> list[str]:
    return [f"{each['kind']} {each['name']}" for each in finding["objects"]]


def phase(cell: Cluster, namespace: str, name: str) -> str:
    return str(cell.api.get(f"/api/v1/namespaces/{namespace}/pods/{name}")["status"].get("phase"))


def told(cell: Cluster, namespace: str, name: str) -> str:
    """What the scheduler last said of a pod."""
    conditions = cell.api.get(f"/api/v1/namespaces/{namespace}/pods/{name}")["status"].get("conditions", [])
    return next((each.get("message", "") for each in conditions if each["type"] == "PodScheduled"), "")


def test_a_healthy_cluster_is_quiet_while_nodes_move(
    cell: Cluster,
    namespace: str,
    apply: Apply,
    node: Callable[..., Node],
    device_plugin: Callable[..., DevicePlugin],
    dra_driver: Callable[..., DraDriver],
    audit: Callable[..., dict[str, Any]],
    wait_until: WaitUntil,
) -> None:
    old, new = node("audit-old"), node("audit-new")
    device_plugin(old, GPU, 1)
    dra_driver(new, count=2)
    apply(device_class("gpu"))
    wait_until(lambda: old.read()["status"]["allocatable"].get(GPU) == "1", "the plugin's device is there")
    for name in ("one", "two", "three"):
        apply(pod(name, 1))
    wait_until(lambda: all(phase(cell, namespace, name) == "Running" for name in ("one", "two", "three")), "all pods run")
    report = audit("--fail-on", "warning")
    assert report["findings"] == []
    assert [each["code"] for each in report["unknown"]] == ["DRA207"], "the bed's driver runs in no pod"
    everything = kubectl_dra("audit", "--kubeconfig", str(cell.kubeconfig), "-o", "name", "--fail-on", "warning")
    assert (everything.code, everything.stdout) == (0, "DRA407\nDRA703\n"), (
        "one of the pods is on the plugin, and nothing would make it again"
    )
    assert report["names"] == [{"name": GPU, "verdict": "ready", "codes": []}]
    assert report["cluster"]["serverVersion"] == "v1.37.2"


def test_dra101_and_dra105_a_lost_mapping_is_found_and_mended_by_what_is_printed(
    cell: Cluster,
    namespace: str,
    apply: Apply,
    node: Callable[..., Node],
    dra_driver: Callable[..., DraDriver],
    audit: Callable[..., dict[str, Any]],
    paste: Callable[[list[str]], None],
    wait_until: WaitUntil,
) -> None:
    dra_driver(node("audit-lost"), count=4)
    apply(device_class("b-old"))
    apply(device_class("a-new"))
    report = audit(code=1)
    assert codes(report) == ["DRA101"]
    assert objects(report["findings"][0]) == ["DeviceClass a-new", "DeviceClass b-old"]
    assert report["names"] == [{"name": GPU, "verdict": "blocked", "codes": ["DRA101"]}]

    cell.api.delete("/apis/resource.k8s.io/v1/deviceclasses/b-old")
    apply(pod("waits", 1))

    def lost() -> bool:
        """Whether the scheduler has lost the mapping; a pod that it placed before it heard of the deletion is made again."""
        if cell.api.get(f"/api/v1/namespaces/{namespace}/pods/waits")["spec"].get("nodeName"):
            cell.api.delete(f"/api/v1/namespaces/{namespace}/pods/waits", grace=0)
            apply(pod("waits", 1))
        return f"1 Insufficient {GPU}" in told(cell, namespace, "waits")

    wait_until(lost, "the scheduler has lost the mapping")
    (finding,) = audit(code=1)["findings"]
    assert (finding["code"], finding["severity"], finding["settled"]) == ("DRA105", "error", True)
    assert objects(finding) == ["DeviceClass a-new", "Pod waits"]
    assert told(cell, namespace, "waits") in finding["evidence"]

    paste(finding["fix"])
    wait_until(lambda: phase(cell, namespace, "waits") == "Running", "the pod that waited runs")
    assert audit()["findings"] == []


def test_dra101_duplicates_are_mended_by_what_is_printed_and_pods_go_on(
    cell: Cluster,
    namespace: str,
    apply: Apply,
    node: Callable[..., Node],
    dra_driver: Callable[..., DraDriver],
    audit: Callable[..., dict[str, Any]],
    paste: Callable[[list[str]], None],
    wait_until: WaitUntil,
) -> None:
    dra_driver(node("audit-twins"), count=4)
    apply(device_class("b-old"))
    apply(device_class("a-new"))
    apply(pod("before", 1))
    wait_until(lambda: phase(cell, namespace, "before") == "Running", "a pod runs")
    (finding,) = audit(code=1)["findings"]
    paste(finding["fix"])
    apply(pod("after", 1))
    wait_until(lambda: phase(cell, namespace, "after") == "Running", "a pod made afterwards runs")
    assert audit()["findings"] == []


def test_dra209_a_plugin_that_stops_under_a_running_pod(
    cell: Cluster,
    namespace: str,
    apply: Apply,
    node: Callable[..., Node],
    device_plugin: Callable[..., DevicePlugin],
    dra_driver: Callable[..., DraDriver],
    audit: Callable[..., dict[str, Any]],
    paste: Callable[[list[str]], None],
    few_rights: Callable[..., Path],
    wait_until: WaitUntil,
) -> None:
    kubeconfig = few_rights(*yaml.safe_load(kubectl_dra("rbac", "audit").stdout)["rules"])
    where = node("audit-held")
    plugin = device_plugin(where, GPU, 4)
    apply(pod("holds", 2))
    wait_until(lambda: phase(cell, namespace, "holds") == "Running", "the pod has its devices from the plugin")
    assert audit()["findings"] == []

    plugin.close()
    wait_until(lambda: where.read()["status"]["allocatable"][GPU] == "0", "the kubelet offers none")
    report = audit(*OTHER, code=1, kubeconfig=kubeconfig)
    assert report["unknown"] == [], "the role that rbac prints is enough"
    (finding,) = report["findings"]
    assert (finding["code"], finding["severity"], finding["settled"]) == ("DRA209", "error", True)
    waited: list[float] = []
    later = kubectl_dra(
        "audit",
        "--settle",
        "6m",
        "--ignore",
        BESIDE,
        *OTHER,
        "-o",
        "name",
        "--kubeconfig",
        str(kubeconfig),
        clock=Clock(sleep=waited.append),
    )
    assert (later.code, later.stdout, waited) == (1, "DRA209\n", [360.0])
    assert finding["title"] == f"1 running pod holds {GPU}, of which its node offers none"
    assert objects(finding) == ["Node audit-held", "Pod holds"]

    dra_driver(where, count=4)
    apply(device_class("gpu"))
    apply(pod("second", 4))
    wait_until(lambda: phase(cell, namespace, "second") == "Running", "DRA gives all four devices, of which two are taken")
    (finding,) = audit(*OTHER, code=1)["findings"]
    assert finding["title"] == f"1 running pod holds {GPU} from a plugin that has stopped: DRA can give the same devices again"
    assert objects(finding) == ["Node audit-held", "Pod holds"]

    paste(finding["fix"])
    wait_until(lambda: not cell.api.find(f"/api/v1/namespaces/{namespace}/pods/holds"), "the pod is gone")
    assert audit(*OTHER)["findings"] == []


def test_dra401_the_real_scheduler_refuses_33_devices(
    cell: Cluster,
    namespace: str,
    apply: Apply,
    node: Callable[..., Node],
    dra_driver: Callable[..., DraDriver],
    audit: Callable[..., dict[str, Any]],
    wait_until: WaitUntil,
) -> None:
    dra_driver(node("audit-many"), count=40)
    apply(device_class("gpu"))
    apply(pod("fits", 32))
    wait_until(lambda: phase(cell, namespace, "fits") == "Running", "32 devices are not too many")
    apply(pod("big", 33))
    wait_until(lambda: "adding 33 devices exceeds the claim limit of 32" in told(cell, namespace, "big"), "the scheduler refuses")
    report = audit(code=1)
    (finding,) = report["findings"]
    assert (finding["code"], objects(finding)) == ("DRA401", ["Pod big"])
    assert told(cell, namespace, "big") in finding["evidence"]
    assert report["names"] == [{"name": GPU, "verdict": "blocked", "codes": ["DRA401"]}]


def test_dra501_the_real_quota_controller_counts_only_the_other_key(
    cell: Cluster,
    namespace: str,
    apply: Apply,
    audit: Callable[..., dict[str, Any]],
    paste: Callable[[list[str]], None],
    wait_until: WaitUntil,
) -> None:
    apply({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "gpus"}, "spec": {"hard": {GPU: "8", "pods": "10"}}})
    path = f"/api/v1/namespaces/{namespace}/resourcequotas/gpus"
    wait_until(lambda: "pods" in cell.api.get(path)["status"].get("used", {}), "the quota is counted")
    assert GPU not in cell.api.get(path)["status"]["used"]
    (finding,) = audit("--fail-on", "warning", code=1)["findings"]
    assert (finding["code"], objects(finding)) == ("DRA501", ["ResourceQuota gpus"])
    assert finding["evidence"] == f"spec.hard[{GPU}] is 8, status.used has no value for it; what is counted is requests.{GPU}"
    paste(finding["fix"])
    wait_until(lambda: cell.api.get(path)["status"].get("used", {}).get(f"requests.{GPU}") == "0", "what it meant is counted")
    assert audit()["findings"] == []


def test_dra001_a_user_with_few_rights_learns_what_is_missing(
    cell: Cluster,
    few_rights: Callable[..., Path],
    audit: Callable[..., dict[str, Any]],
) -> None:
    kubeconfig = few_rights({"apiGroups": [""], "resources": ["pods", "resourcequotas"], "verbs": ["list"]})
    report = audit(kubeconfig=kubeconfig)
    (finding,) = report["findings"]
    assert (finding["code"], finding["severity"]) == ("DRA001", "warning")
    assert "nodes: " in finding["evidence"]
    assert "deviceclasses.resource.k8s.io" in finding["fix"][1]
    readable = {"pods", "resource_quotas"}
    unseen = [code for code, check in checks().items() if {*check.page.needs, *check.page.also} - readable]
    assert [each["code"] for each in report["unknown"]] == [code for code in unseen if code not in BESIDE]


def test_strict_refuses_a_reading_in_part(cell: Cluster, few_rights: Callable[..., Path]) -> None:
    kubeconfig = few_rights({"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]})
    result = kubectl_dra("audit", "--strict", "--kubeconfig", str(kubeconfig))
    assert result.code == 3
    assert result.stdout == ""


def test_dra103_a_vendors_class_without_the_name_is_mended_by_what_is_printed(
    cell: Cluster,
    namespace: str,
    apply: Apply,
    node: Callable[..., Node],
    dra_driver: Callable[..., DraDriver],
    audit: Callable[..., dict[str, Any]],
    paste: Callable[[list[str]], None],
    wait_until: WaitUntil,
) -> None:
    dra_driver(node("audit-unmapped"), count=1)
    unmapped = device_class("gpu.example.com")
    del unmapped["spec"]["extendedResourceName"]
    apply(unmapped)
    apply(pod("waits", 1))
    wait_until(lambda: f"Insufficient {GPU}" in told(cell, namespace, "waits"), "no class maps the name")
    (finding,) = audit("--fail-on", "warning", code=1)["findings"]
    assert (finding["code"], objects(finding)) == ("DRA103", ["DeviceClass gpu.example.com", "Pod waits"])
    paste(finding["fix"])
    wait_until(lambda: phase(cell, namespace, "waits") == "Running", "the pod that waited runs")
    assert audit()["findings"] == []


def test_dra102_the_real_server_refuses_pods_that_ask_for_such_a_name(
    cell: Cluster, namespace: str, apply: Apply, audit: Callable[..., dict[str, Any]]
) -> None:
    long = device_class("a" * 64)
    del long["spec"]["extendedResourceName"]
    apply(long)
    (finding,) = audit()["findings"]
    assert (finding["code"], finding["severity"], objects(finding)) == ("DRA102", "info", [f"DeviceClass {'a' * 64}"])
    with pytest.raises(RefusedError, match="name part must be no more than 63 bytes"):
        apply(pod("refused", 1, f"deviceclass.resource.kubernetes.io/{'a' * 64}"))


def test_dra203_an_old_kubelet_is_found_by_what_its_node_says(apply: Apply, audit: Callable[..., dict[str, Any]]) -> None:
    info = dict.fromkeys(
        (
            "architecture",
            "bootID",
            "containerRuntimeVersion",
            "kernelVersion",
            "kubeProxyVersion",
            "machineID",
            "operatingSystem",
            "osImage",
        ),
        "",
    )
    status = {"nodeInfo": {**info, "systemUUID": "", "kubeletVersion": "v1.34.1"}, "capacity": {GPU: "4"}, "allocatable": {GPU: "4"}}
    apply({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "audit-ancient"}, "status": status})
    (finding,) = audit(code=1)["findings"]
    assert (finding["code"], finding["severity"], objects(finding)) == ("DRA203", "error", ["Node audit-ancient"])
