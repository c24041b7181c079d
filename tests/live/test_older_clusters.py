"""Older minors, and servers with older APIs alone: what inventory, classes and audit say is what the scheduler of each does."""

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pytest

from tests.bed.cluster import Cluster
from tests.bed.waiting import wait_until
from tests.run import kubectl_dra

GPU = "example.com/gpu"
CLASS = "gpu.example.com"


class Older(NamedTuple):
    """A control plane, the versions of its resource.k8s.io and its kubelets, and what is to be said: whether a class maps, the verdict."""

    options: Mapping[str, str]
    version: str
    kubelet: str
    mapped: bool
    verdict: str
    codes: tuple[str, ...]
    findings: tuple[tuple[str, str], ...]
    scheduler: str


ONLY = "resource.k8s.io/v1=false,resource.k8s.io/{}=true"
INSUFFICIENT = "0/2 nodes are available: 2 Insufficient example.com/gpu."
NO_CLAIM = "0/2 nodes are available: 1 Insufficient example.com/gpu, 1 cannot allocate all claims."
NOTHING = ""
"""The scheduler has not one informer for resource.k8s.io/v1 in sync, and schedules no pod at all."""

CLUSTERS = {
    "1.34": Older(
        {"emulated_version": "1.34"}, "v1", "v1.34.3", False, "blocked", ("DRA103", "DRA702"),
        (("DRA702", "error"), ("DRA103", "warning"), ("DRA701", "warning")), INSUFFICIENT,
    ),
    "1.34 with the gate on": Older(
        {"emulated_version": "1.34", "feature_gates": "DRAExtendedResource=true"}, "v1", "v1.34.3", True, "blocked", ("DRA204",),
        (("DRA204", "error"), ("DRA204", "warning"), ("DRA701", "warning")), NO_CLAIM,
    ),
    "1.36": Older({"emulated_version": "1.36"}, "v1", "v1.36.1", True, "ready", (), (), NO_CLAIM),
    "v1beta1 alone": Older(
        {"authorization_mode": "RBAC", "runtime_config": ONLY.format("v1beta1")}, "v1beta1", "v1.37.2", True, "blocked", ("DRA701",),
        (("DRA701", "error"),), NOTHING,
    ),
    "v1beta2 alone": Older(
        {"authorization_mode": "RBAC", "runtime_config": ONLY.format("v1beta2")}, "v1beta2", "v1.37.2", True, "blocked", ("DRA701",),
        (("DRA701", "error"),), NOTHING,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CLUSTERS)
def test_an_older_cluster_gets_the_verdict_that_its_scheduler_bears_out(own_cell: Callable[..., Cluster], name: str) -> None:
    older = CLUSTERS[name]
    cluster = own_cell(**older.options)
    for manifest in _objects(older):
        cluster.api.apply(manifest, "default")
    _scheduler_bears_out(cluster, older)

    (item,) = _answer(cluster, "classes")["items"]
    assert (item["class"], item["extendedResourceName"]) == (CLASS, GPU if older.mapped else None)
    assert (item["state"], item["devices"]) == ("only" if older.mapped else "none", 2)

    (line,) = _answer(cluster, "inventory")["items"]
    assert (line["name"], line["verdict"], line["plugin"]["allocatable"]) == (GPU, older.verdict, 4)
    assert line["dra"]["class"] == (CLASS if older.mapped else None)
    states = {
        node["node"]: [each["state"] for each in node["resources"]] for node in _answer(cluster, "inventory", "--by", "node")["items"]
    }
    assert states == {"a": ["plugin"], "b": ["dra"]} if older.mapped else {"a": ["plugin"]}

    report = _answer(cluster, "audit")
    assert report["names"] == [{"name": GPU, "verdict": older.verdict, "codes": list(older.codes)}]
    assert tuple((each["code"], each["severity"]) for each in report["findings"] if each["severity"] != "info") == older.findings
    # a kind that this minor does not have is not missing
    assert not any("DeviceTaintRule" in each["reason"] for each in report["unknown"])
    if older.scheduler:
        _explained(cluster, older)


def _explained(cluster: Cluster, older: Older) -> None:
    """The pod that waits: DRA has two devices where it wants four, if the class serves the name."""
    pods = cluster.api.items("/api/v1/namespaces/default/pods")
    (waiting,) = (pod["metadata"]["name"] for pod in pods if "nodeName" not in pod["spec"])
    found = _answer(cluster, "explain", "pod", waiting)
    assert (found["verdict"], found["said"][0]["message"].startswith(older.scheduler)) == ("waits", True)
    because = ["plugin-used-up", "too-few"] if older.mapped else ["feature-off", "not-served", "plugin-used-up"]
    assert sorted(each["code"] for each in found["reasons"]) == because


def _answer(cluster: Cluster, *argv: str) -> dict[str, Any]:
    ran = kubectl_dra(*argv, "--kubeconfig", str(cluster.kubeconfig), "-o", "json")
    document: dict[str, Any] = json.loads(ran.stdout)
    return document


def _scheduler_bears_out(cluster: Cluster, older: Older) -> None:
    """Two pods want four devices each: one finds them with the plugin, and the other hears what DRA has for it."""

    def words() -> list[str]:
        pods = cluster.api.items("/api/v1/namespaces/default/pods")
        return [each.get("message", "") for pod in pods for each in pod["status"].get("conditions", []) if each["type"] == "PodScheduled"]

    if older.scheduler:
        wait_until(lambda: any(word.startswith(older.scheduler) for word in words()), f"the scheduler says {older.scheduler}", 60)
        return
    log = cluster.logs()["kube-scheduler"]
    wait_until(lambda: "the server could not find the requested resource" in log.read_text(), "the scheduler finds no resource.k8s.io/v1")
    wait_until(lambda: len(cluster.api.items("/api/v1/namespaces/default/pods")) == 2, "both pods are made")
    assert words() == []


def _objects(older: Older) -> list[dict[str, Any]]:
    return [
        _node("a", older.kubelet, {GPU: "4"}),
        _node("b", older.kubelet, {}),
        _class(older, CLASS),
        {
            "apiVersion": f"resource.k8s.io/{older.version}",
            "kind": "ResourceSlice",
            "metadata": {"name": "b-gpu"},
            "spec": {
                "driver": CLASS,
                "nodeName": "b",
                "pool": {"name": "b", "generation": 1, "resourceSliceCount": 1},
                "devices": [{"name": f"gpu-{n}", **({"basic": {}} if older.version == "v1beta1" else {})} for n in range(2)],
            },
        },
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "train"},
            "spec": {
                "replicas": 2,
                "selector": {"matchLabels": {"app": "train"}},
                "template": {
                    "metadata": {"labels": {"app": "train"}},
                    "spec": {
                        "tolerations": [{"operator": "Exists"}],
                        "automountServiceAccountToken": False,
                        "containers": [{"name": "main", "image": "registry.example/train", "resources": {"limits": {GPU: "4"}}}],
                    },
                },
            },
        },
    ]


def _node(name: str, kubelet: str, devices: Mapping[str, str]) -> dict[str, Any]:
    has = {"pods": "10", "cpu": "4", "memory": "8Gi", **devices}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name},
        "status": {"capacity": has, "allocatable": has, "nodeInfo": {"kubeletVersion": kubelet}},
    }


def _class(older: Older, name: str) -> dict[str, Any]:
    return {
        "apiVersion": f"resource.k8s.io/{older.version}",
        "kind": "DeviceClass",
        "metadata": {"name": name},
        "spec": {"extendedResourceName": GPU, "selectors": [{"cel": {"expression": f'device.driver == "{CLASS}"'}}]},
    }
