"""The inventory on real nodes: one on the device plugin, one on DRA, and what lies between."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.bed.cluster import Cluster
from tests.bed.node import DevicePlugin, DraDriver, Node
from tests.run import kubectl_dra

GPU = "example.com/gpu"
CLASS = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "DeviceClass",
    "metadata": {"name": "gpu"},
    "spec": {"extendedResourceName": GPU, "selectors": [{"cel": {"expression": 'device.driver == "gpu.example.com"'}}]},
}
TEMPLATE = {
    "metadata": {"labels": {"app": "train"}},
    "spec": {
        "automountServiceAccountToken": False,
        "initContainers": [{"name": "beside", "image": "busybox", "restartPolicy": "Always", "resources": {"limits": {GPU: "1"}}}],
        "containers": [{"name": "main", "image": "busybox", "resources": {"limits": {GPU: "1"}}}],
    },
}

Apply = Callable[..., list[dict[str, Any]]]
WaitUntil = Callable[..., Any]
Ask = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def ask(cell: Cluster) -> Ask:
    """Runs `inventory -o json` and gives the items; nothing may be unknown."""

    def run(*argv: str, kubeconfig: Path | None = None) -> list[dict[str, Any]]:
        source = () if "--from" in argv else ("--kubeconfig", str(kubeconfig or cell.kubeconfig))
        result = kubectl_dra("inventory", *argv, "-o", "json", *source)
        assert result.code == 0, result.stderr
        document = json.loads(result.stdout)
        if "--from" not in argv:
            assert document["unknown"] == []
        items: list[dict[str, Any]] = document["items"]
        return items

    return run


def deployment(name: str, replicas: int) -> dict[str, Any]:
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": "train"}}, "template": TEMPLATE}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}


def of_node(items: list[dict[str, Any]], name: str) -> dict[str, Any]:
    (resource,) = [each for item in items if item["node"] == name for each in item["resources"] if each["name"] == GPU]
    return {key: resource[key] for key in ("state", "capacity", "allocatable", "asked", "devices")}


def devices(total: int, allocated: int) -> dict[str, int]:
    return {"total": total, "allocated": allocated, "free": total - allocated, "tainted": 0}


def test_two_nodes_one_on_the_plugin_one_on_dra(
    cell: Cluster,
    namespace: str,
    apply: Apply,
    node: Callable[..., Node],
    device_plugin: Callable[..., DevicePlugin],
    dra_driver: Callable[..., DraDriver],
    kubectl: Callable[..., str],
    few_rights: Callable[..., Path],
    ask: Ask,
    wait_until: WaitUntil,
    tmp_path: Path,
) -> None:
    old, new = node(), node()
    plugin = device_plugin(old, GPU, 2)
    dra_driver(new, count=4)
    apply(CLASS)
    wait_until(lambda: old.read()["status"]["allocatable"].get(GPU) == "2", "the plugin's devices are there")
    apply([deployment("train", 2), deployment("off", 0)])
    pods = f"/api/v1/namespaces/{namespace}/pods"
    wait_until(lambda: [each["status"].get("phase") for each in cell.api.items(pods)] == ["Running"] * 2, "both pods run")

    (by_name,) = ask()
    assert by_name["verdict"] == "ready"
    assert by_name["plugin"] == {"nodes": 1, "capacity": 2, "allocatable": 2}
    assert (by_name["dra"]["class"], by_name["dra"]["nodes"], by_name["dra"]["devices"]) == ("gpu", 1, 4)
    assert by_name["asked"] == {
        "pods": 2, "running": 2, "pending": 0, "devices": 4, "workloads": 2, "workloadsAtZero": 1, "workloadsAtZeroSeen": 1,
    }  # fmt: skip

    by_node = ask("--by", "node")
    where = [each["spec"]["nodeName"] for each in cell.api.items(pods)]
    held = where.count(new.name) * 2
    assert of_node(by_node, new.name) == {"state": "dra", "capacity": 0, "allocatable": 0, "asked": held, "devices": devices(4, held)}
    assert of_node(by_node, old.name)["state"] == "plugin"

    by_workload = [(item["kind"], item["name"], item["replicas"], item["pods"], item["resources"]) for item in ask("--by", "workload")]
    assert by_workload == [("Deployment", "off", 0, 0, {GPU: 2}), ("Deployment", "train", 2, 2, {GPU: 2})]

    # a user with the rights that rbac prints sees the same, and so does one who reads what kubectl wrote
    role = yaml.safe_load(kubectl_dra("rbac", "inventory").stdout)["rules"]
    assert ask("--by", "node", kubeconfig=few_rights(*role)) == by_node
    kinds = "nodes,pods,deviceclasses,resourceslices,resourceclaims,deployments,replicasets"
    written = tmp_path / "cluster.yaml"
    written.write_text(kubectl("get", kinds, "-A", "-o", "yaml"))
    assert ask("--by", "workload", "--from", str(written)) == ask("--by", "workload")
    assert ask("--by", "pod", "--from", str(written)) == ask("--by", "pod")

    # the plugin leaves: allocatable is 0 at once, capacity follows five minutes later
    plugin.close()
    wait_until(lambda: old.read()["status"]["allocatable"][GPU] == "0", "the kubelet offers none")
    left = of_node(ask("--by", "node"), old.name)
    assert (left["state"], left["capacity"], left["allocatable"]) == ("inactive", 2, 0)
    dra_driver(old, count=2)
    assert of_node(ask("--by", "node"), old.name)["state"] == "dra"
    device_plugin(old, GPU, 2)
    wait_until(lambda: old.read()["status"]["allocatable"][GPU] == "2", "the plugin is back")
    assert of_node(ask("--by", "node"), old.name)["state"] == "both"
