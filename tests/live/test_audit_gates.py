"""Gates, releases and devices without a driver, as the components of one real cluster show them: API server, kubelets, static pods."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.bed.api import Manifest, RefusedError
from tests.bed.cluster import Cluster
from tests.bed.node import Node
from tests.bed.waiting import wait_until
from tests.run import kubectl_dra

SKIPS, ALLOCATABLE, HINTS = "DRAOptionalNodeOperations", "DRANodeAllocatableResources", "SchedulerPreQueueingHints"
DRIVER = "skip.example.com"
SLICES = "/apis/resource.k8s.io/v1/resourceslices"
CLAIM = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/one"

STATIC = {
    "kube-scheduler": ("v1.38.0", f"--feature-gates=DRADeviceTaints=false,{SKIPS}=true,{ALLOCATABLE}=true,{HINTS}=true"),
    "kube-controller-manager": ("v1.37.1", ""),
}
"""What static pods of the control plane would show. Nothing runs in them: the bed's own processes are no pods."""


def findings(cluster: Cluster, select: str) -> dict[str, dict[str, Any]]:
    """By code and cause."""
    options = ("--select", select, "--fail-on", "never", "-o", "json", "--kubeconfig", str(cluster.kubeconfig))
    result = kubectl_dra("audit", *options)
    assert result.code == 0, result.stderr
    return {f"{each['code']} {each['cause']}": each for each in json.loads(result.stdout)["findings"]}


def objects(finding: dict[str, Any]) -> list[str]:
    return [f"{each['kind']} {each['name']}" for each in finding["objects"]]


def static_pod(name: str) -> Manifest:
    version, flags = STATIC[name]
    container = {"name": name, "image": f"registry.k8s.io/{name}:{version}", "command": [name, *([flags] if flags else [])]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "kube-system"},
        "spec": {"hostNetwork": True, "containers": [container]},
    }


def slice_of(name: str, *devices: Manifest, skips: list[str] | None = None) -> Manifest:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": name},
        "spec": {
            "driver": DRIVER,
            "pool": {"name": name, "generation": 1, "resourceSliceCount": 1},
            "allNodes": True,
            "devices": list(devices),
            **({"skipNodeOperations": skips} if skips else {}),
        },
    }


def use_a_device(cluster: Cluster) -> None:
    """A pod on node able gets a device through a claim of its own, and runs without a driver."""
    selectors = [{"cel": {"expression": f'device.driver == "{DRIVER}"'}}]
    cluster.api.apply(
        {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "skip"}, "spec": {"selectors": selectors}}
    )
    requests = [{"name": "one", "exactly": {"deviceClassName": "skip"}}]
    claim = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "one"},
        "spec": {"devices": {"requests": requests}},
    }
    cluster.api.apply(claim, "default")
    spec = {
        "automountServiceAccountToken": False,
        "containers": [{"name": "main", "image": "busybox", "resources": {"claims": [{"name": "own"}]}}],
        "resourceClaims": [{"name": "own", "resourceClaimName": "one"}],
    }
    wait_until(lambda: cluster.api.find("/api/v1/namespaces/default/serviceaccounts/default"), "service account of default")
    cluster.api.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "uses"}, "spec": spec}, "default")
    pod = "/api/v1/namespaces/default/pods/uses"
    wait_until(lambda: cluster.api.get(pod)["status"].get("phase") == "Running", "it runs without a driver")
    assert cluster.api.get(pod)["spec"]["nodeName"] == "able"


def test_what_each_component_shows(own_cell: Callable[..., Cluster], node: Callable[..., Node]) -> None:
    cluster = own_cell(feature_gates=f"{SKIPS}=true,{ALLOCATABLE}=true,{HINTS}=true")
    able = node("able", cluster, feature_gates=f"{SKIPS}=true,{ALLOCATABLE}=true")
    assert {SKIPS, ALLOCATABLE} <= set(able.read()["status"]["declaredFeatures"])
    _allocated_then_changed(cluster)
    node("lacking", cluster)
    _static_pods(cluster, able.dir)

    seen = findings(cluster, "DRA205,DRA305,DRA702,DRA703,DRA705")
    scheduler, controllers = "Pod kube-scheduler-able", "Pod kube-controller-manager-able"
    assert {name: (each["severity"], objects(each)) for name, each in seen.items() if each["severity"] != "info"} == {
        "DRA205 Pod kube-system/kube-scheduler-able": ("warning", [scheduler]),
        "DRA305 outdated: ResourceClaim default/one": ("warning", ["ResourceClaim one", "Pod uses"]),
        f"DRA305 undeclared: {DRIVER}": ("warning", ["Node lacking", "ResourceSlice still"]),
        "DRA702 DRADeviceTaints": ("warning", [scheduler]),
        "DRA703 kube-controller-manager 1.37": ("warning", [controllers]),
        f"DRA705 {ALLOCATABLE}": ("warning", [scheduler, "Node able"]),
        f"DRA705 {HINTS}": ("warning", [scheduler]),
    }
    assert seen["DRA702 DRADeviceTaints"]["evidence"].startswith("DRADeviceTaints is off in kube-scheduler: the command line of")
    assert "update kube-controller-manager to 1.37.2" in seen["DRA703 kube-controller-manager 1.37"]["fix"][0]


def _allocated_then_changed(cluster: Cluster) -> None:
    """The scheduler copies what the slice says into the claim, which keeps it when the slice says something else."""
    with pytest.raises(RefusedError, match="NodePrepareResources cannot be skipped unless NodeUnprepareResources is also skipped"):
        cluster.api.create(SLICES, slice_of("illegal", {"name": "d"}, skips=["NodePrepareResources"]))
    cluster.api.create(SLICES, slice_of("skipped", {"name": "d"}, skips=["*"]))
    use_a_device(cluster)
    (result,) = cluster.api.get(CLAIM)["status"]["allocation"]["devices"]["results"]
    assert result["skipNodeOperations"] == ["*"]
    assert [name for name in findings(cluster, "DRA305")] == []
    cluster.api.patch(f"{SLICES}/skipped", {"spec": {"skipNodeOperations": None}})
    cluster.api.create(SLICES, slice_of("still", {"name": "d", "taints": [{"key": "sick", "effect": "NoSchedule"}]}, skips=["*"]))


def _static_pods(cluster: Cluster, directory: Path) -> None:
    for name in STATIC:
        (directory / "manifests" / f"{name}.yaml").write_text(yaml.safe_dump(static_pod(name)))
    path = "/api/v1/namespaces/kube-system/pods"
    wait_until(lambda: {each["metadata"]["name"] for each in cluster.api.items(path)} >= {f"{name}-able" for name in STATIC}, "mirror pods")
