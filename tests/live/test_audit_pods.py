"""What pods and those who make them do that stands in the way of the move: seen by the audit, and what the real scheduler makes of it."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from tests.bed.api import Manifest, RefusedError
from tests.bed.cluster import Cluster
from tests.bed.node import DevicePlugin, DraDriver, Node
from tests.live.conftest import make_namespace, remove_namespace
from tests.run import kubectl_dra

GPU, DRIVER = "example.com/gpu", "gpu.example.com"
NVIDIA, SHARED = "nvidia.com/gpu", "nvidia.com/gpu.shared"
IMPLICIT = "deviceclass.resource.kubernetes.io/gpu"
HOST = "kubernetes.io/hostname"

Apply = Callable[..., list[dict[str, Any]]]
WaitUntil = Callable[..., Any]


def pod(name: str, asks: Mapping[str, str], on: str = "", *, requests: Mapping[str, str] | None = None, **spec: object) -> Manifest:
    """A pod with one container; `on` is the only node it wants."""
    resources = {"limits": asks} if requests is None else {"limits": asks, "requests": requests}
    container = {"name": "main", "image": "busybox", "resources": resources}
    wants = {"nodeSelector": {HOST: on}} if on else {}
    plain = {"automountServiceAccountToken": False, "terminationGracePeriodSeconds": 0, "containers": [container]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {**plain, **wants, **spec}}


CLASSES: list[Manifest] = [
    {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": name},
        "spec": {
            "selectors": [{"cel": {"expression": f'device.driver == "{driver}"'}}],
            **({"extendedResourceName": GPU} if name == "gpu" else {}),
        },
    }
    for name, driver in (("gpu", DRIVER), ("nic", "nic.example.com"))
]
TEMPLATE: Manifest = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceClaimTemplate",
    "metadata": {"name": "nic"},
    "spec": {"spec": {"devices": {"requests": [{"name": "nic", "exactly": {"deviceClassName": "nic"}}]}}},
}
CLAIM: dict[str, Any] = {"resourceClaims": [{"name": "nic", "resourceClaimTemplateName": "nic"}]}


def daemon_set(name: str, on: str, asks: Mapping[str, str], env: Mapping[str, str] | None = None) -> Manifest:
    """One pod of a DaemonSet, on that node."""
    made = pod(name, asks, on)
    spec = made["spec"]
    spec["containers"][0]["env"] = [{"name": key, "value": value} for key, value in (env or {}).items()]
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": spec}
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": labels}, "template": template},
    }


POLICY = {"apiVersion": "nvidia.com/v1", "kind": "ClusterPolicy", "name": "cluster-policy", "uid": "0-0-0", "controller": True}
PRIORITY: Manifest = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "urgent"}, "value": 1000}
AUTOSCALER: Manifest = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "cluster-autoscaler", "namespace": "kube-system"},
    "spec": {
        "replicas": 0,
        "selector": {"matchLabels": {"app": "cluster-autoscaler"}},
        "template": {"metadata": {"labels": {"app": "cluster-autoscaler"}}, "spec": {"containers": [{"name": "ca", "image": "ca"}]}},
    },
}


def told(cell: Cluster, path: str) -> str:
    """What the scheduler last said of a pod."""
    conditions = cell.api.get(path)["status"].get("conditions", [])
    return next((each.get("message", "") for each in conditions if each["type"] == "PodScheduled"), "")


def running(cell: Cluster, pods: str, *names: str) -> bool:
    """Whether all these pods run."""
    phases = {each["metadata"]["name"]: each["status"].get("phase") for each in cell.api.items(pods)}
    return all(phases.get(name) == "Running" for name in names)


@pytest.fixture
def other_namespace(cell: Cluster, namespace: str) -> Iterator[str]:
    """A second namespace, with a quota of its own."""
    name = f"{namespace}-quota"
    make_namespace(cell, name)
    yield name
    remove_namespace(cell, name)


@pytest.fixture
def kueue(cell: Cluster, wait_until: WaitUntil) -> Iterator[None]:
    """Kueue's kind of workloads is served while the test runs."""
    crds, group = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "kueue.x-k8s.io"
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    version = {"name": "v1beta1", "served": True, "storage": True, "schema": schema}
    names = {"plural": "workloads", "singular": "workload", "kind": "Workload"}
    definition = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": f"workloads.{group}"}}
    cell.api.create(crds, {**definition, "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": [version]}})

    def served() -> bool:
        try:
            return bool(cell.api.get(f"/apis/{group}/v1beta1/workloads"))
        except RefusedError:  # not there yet, or its storage is being made
            return False

    try:
        wait_until(served, "Kueue's kind is served")
        yield
    finally:
        cell.api.delete(f"{crds}/workloads.{group}")
    wait_until(lambda: all(each["name"] != group for each in cell.api.get("/apis")["groups"]), "Kueue's kind is served no more")


def audit(cell: Cluster, *argv: str) -> dict[str, list[dict[str, Any]]]:
    """The findings by code, with their objects as text."""
    options = ("--fail-on", "never", "-o", "json", "--kubeconfig", str(cell.kubeconfig))
    result = kubectl_dra("audit", *argv, *options)
    assert result.code == 0, result.stderr
    found: dict[str, list[dict[str, Any]]] = {}
    for each in json.loads(result.stdout)["findings"]:
        each["objects"] = [f"{one['kind']} {one['name']}" for one in each["objects"]]
        found.setdefault(each["code"], []).append(each)
    return found


def test_pods_in_the_way_on_a_node_with_a_plugin_and_one_with_a_driver(
    cell: Cluster,
    namespace: str,
    other_namespace: str,
    apply: Apply,
    node: Callable[..., Node],
    device_plugin: Callable[..., DevicePlugin],
    dra_driver: Callable[..., DraDriver],
    wait_until: WaitUntil,
    kueue: None,
) -> None:
    gke = {"cloud.google.com/gke-nodepool": "pool", "cloud.google.com/gke-accelerator": "nvidia-l4"}
    old = node("pods-old", labels={"nvidia.com/gpu.product": "A100", "karpenter.sh/nodepool": "gpu", **gke})
    new = node("pods-new", labels=gke)
    for name, number in ((GPU, 6), (NVIDIA, 2), (SHARED, 4)):
        device_plugin(old, name, number)
    dra_driver(old, "nic.example.com", count=2)
    dra_driver(old, DRIVER, count=1)
    dra_driver(new, DRIVER, count=3)
    wait_until(lambda: old.read()["status"]["allocatable"].get(SHARED) == "4", "the plugins' devices are there")
    static = pod("static", {GPU: "1"})
    static["metadata"]["namespace"] = namespace
    (old.dir / "manifests" / "static.json").write_text(json.dumps(static))
    pods, waits = f"/api/v1/namespaces/{namespace}/pods", "nil or empty request mappings"
    apply([*CLASSES, PRIORITY, AUTOSCALER, TEMPLATE])
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "none", "namespace": other_namespace}}
    apply({**quota, "spec": {"hard": {"count/resourceclaims.resource.k8s.io": "0"}}})
    quotas = f"/api/v1/namespaces/{other_namespace}/resourcequotas/none"
    wait_until(lambda: "used" in cell.api.get(quotas)["status"], "the quota is counted")
    operand = daemon_set("nvidia-dcgm", "nowhere", {})
    apply(
        [
            pod("beside", {GPU: "1"}, old.name, **CLAIM),  # DRA402
            pod("both", {GPU: "1", IMPLICIT: "1"}, old.name, **CLAIM),  # with an implicit name the claim is not empty, and binds
            pod("fraction", {}, new.name, requests={IMPLICIT: "500m"}),  # DRA403
            pod("below", {IMPLICIT: "2"}, new.name, requests={IMPLICIT: "1"}),  # DRA403
            daemon_set("exporter", old.name, {}, {"NVIDIA_VISIBLE_DEVICES": "all"}),  # DRA405
            daemon_set("holder", old.name, {GPU: "1"}),  # DRA406
            {**operand, "metadata": {**operand["metadata"], "ownerReferences": [POLICY]}},  # DRA804
            pod("bare", {GPU: "1"}, old.name),  # DRA407
            pod("picky", {GPU: "1"}, nodeSelector={"nvidia.com/gpu.product": "A100"}),  # DRA408
            pod("foreign", {GPU: "1"}, schedulerName="volcano"),  # DRA410
            pod("low", {GPU: "2"}, new.name),  # DRA411
            pod("slice", {SHARED: "1"}, old.name),  # DRA412
        ]
    )
    (limited,) = apply({**pod("limited", {GPU: "1"}, old.name), "metadata": {"name": "limited", "namespace": other_namespace}})
    wait_until(
        lambda: running(cell, pods, "both", "below", "bare", "picky", "low", "slice", f"static-{old.name}"), "what can run does", limit=60
    )
    wait_until(lambda: running(cell, f"/api/v1/namespaces/{other_namespace}/pods", limited["metadata"]["name"]), "the plugin's pod runs")
    apply(pod("urgent", {GPU: "1"}, new.name, priorityClassName="urgent"))
    for name in ("beside", "fraction"):
        wait_until(lambda name=name: waits in told(cell, f"{pods}/{name}"), f"the scheduler cannot bind {name}")
    wait_until(lambda: "cannot allocate all claims" in told(cell, f"{pods}/urgent"), "no device is left, and nobody is evicted")
    assert running(cell, pods, "low")

    found = audit(cell)
    seen = {code: [(each["severity"], each["objects"]) for each in each_code] for code, each_code in found.items()}
    sets = {
        each["metadata"]["generateName"].rstrip("-"): each["metadata"]["name"]
        for each in cell.api.items(pods)
        if "generateName" in each["metadata"]
    }
    expected = {
        "DRA402": [("error", ["Pod beside"])],
        "DRA403": [("error", ["Pod fraction"]), ("warning", ["Pod below"])],
        "DRA405": [("warning", ["DaemonSet exporter", f"Pod {sets['exporter']}"])],
        "DRA406": [("warning", [f"Pod static-{old.name}"]), ("info", ["DaemonSet holder", f"Pod {sets['holder']}"])],
        "DRA407": [("info", ["Pod bare", "Pod both", "Pod picky", "Pod limited"])],
        "DRA408": [("warning", ["Pod picky"])],
        "DRA410": [("warning", ["Pod foreign"])],
        "DRA411": [("warning", ["Pod urgent"])],
        "DRA412": [("warning", ["Pod slice"])],
        "DRA502": [("warning", ["ResourceQuota none"])],
        "DRA803": [("info", [])],
        "DRA804": [("info", [])],
        "DRA805": [("info", [f"Node {old.name}"])],
    }
    assert {code: seen.get(code) for code in expected} == expected
    assert told(cell, f"{pods}/beside") in found["DRA402"][0]["evidence"]
    assert seen["DRA801"][0][0] == seen["DRA802"][0][0] == "warning", "pods wait for devices from DRA"
    assert {"DRA209", "DRA409", "DRA601", "DRA602", "DRA603", "DRA604", "DRA605"}.isdisjoint(seen)

    # what the quota will do, on the node that has moved
    cell.api.delete(f"{pods}/low")
    (over,) = apply({**pod("over", {GPU: "1"}, new.name), "metadata": {"name": "over", "namespace": other_namespace}})
    path = f"/api/v1/namespaces/{other_namespace}/pods/{over['metadata']['name']}"
    wait_until(lambda: "exceeded quota: none" in told(cell, path), "the claim is refused after a node was chosen")
    # and the fraction's cousin got what it requested, not its limit
    claim = cell.api.get(f"{pods}/below")["status"]["extendedResourceClaimStatus"]["resourceClaimName"]
    requests = cell.api.get(f"/apis/resource.k8s.io/v1/namespaces/{namespace}/resourceclaims/{claim}")["spec"]["devices"]["requests"]
    assert [each["exactly"]["count"] for each in requests] == [1]
