"""`explain pod` on real clusters: what it says is what the README shows, and what scheduler, controllers and kubelet make of the pods."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from kubectl_dra.explanation import pods_needed
from tests.bed.api import Manifest
from tests.bed.cluster import Cluster
from tests.bed.node import DraDriver, Node
from tests.bed.proxy import FaultProxy
from tests.bed.waiting import wait_until
from tests.bed.waiting_pods import PODS, WAITING, pod, start_waiting_pods
from tests.readme import examples, printed, steady
from tests.run import Result, kubectl_dra

SHOWN = [example for example in examples() if example.of_waiting_pods]
NAMESPACE = "/api/v1/namespaces/default"
CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"


class Waiting:
    """The cluster, and the tool on it."""

    def __init__(self, cluster: Cluster, nodes: tuple[Node, Node], driver: DraDriver) -> None:
        self.cluster = cluster
        self.api = cluster.api
        self.a, self.b = nodes
        self.driver = driver

    def run(self, *words: str, stdin: bytes = b"") -> Result:
        return kubectl_dra("explain", *words, variables={"KUBECONFIG": str(self.cluster.kubeconfig)}, stdin=stdin)

    def explained(self, name: str, *words: str) -> dict[str, Any]:
        result = self.run("pod", name, *words, "-o", "json")
        assert result.code == 0, result.stderr
        found: dict[str, Any] = json.loads(result.stdout)
        assert found["unknown"] == []
        return found

    def codes(self, name: str) -> tuple[str, list[str]]:
        """The verdict, and the codes of the reasons."""
        found = self.explained(name)
        return found["verdict"], [each["code"] for each in found["reasons"]]

    def message(self, name: str) -> str:
        """Why the scheduler places the pod nowhere, in its words."""
        conditions = self.api.get(f"{PODS}/{name}")["status"].get("conditions", ())
        return next((each.get("message", "") for each in conditions if each["type"] == "PodScheduled" and each["status"] == "False"), "")

    def runs(self, name: str) -> bool:
        return bool(self.api.get(f"{PODS}/{name}")["status"].get("phase") == "Running")

    def make(self, name: str, spec: Manifest) -> None:
        base = pod(name, "example.com/gpu")
        self.api.create(PODS, {**base, "spec": {**base["spec"], **spec}})


@pytest.fixture
def waiting(own_cell: Callable[..., Cluster], short_path: Path) -> Iterator[Waiting]:
    """The cluster of pods that wait, of this test alone."""
    with ExitStack() as stack:
        cluster = own_cell()
        a, b, driver = start_waiting_pods(cluster, short_path, stack)
        yield Waiting(cluster, (a, b), driver)


def test_what_the_readme_shows_and_what_the_scheduler_does(
    waiting: Waiting, proxy: Callable[..., FaultProxy], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    live = {"KUBECONFIG": str(waiting.cluster.kubeconfig)}
    assert [example.words[-1] for example in SHOWN] == list(WAITING)
    shown = {example.command: example.output for example in SHOWN}
    assert {example.command: steady(printed(example, live)) for example in SHOWN} == shown
    for name in ("large", "busy", "network"):
        agrees_with_the_scheduler(waiting, name)
    with monkeypatch.context() as patch:
        patch.setattr(pods_needed, "MOST", 1)
        only_pods_that_decide_are_read(waiting, proxy(waiting.cluster), tmp_path)
    a_snapshot_says_the_same(waiting, tmp_path)
    the_lost_mapping_is_mended_by_what_is_printed(waiting)
    devices_that_become_free_are_told(waiting)


def agrees_with_the_scheduler(waiting: Waiting, name: str) -> None:
    """Of as many nodes as the scheduler says, devices or the plugin are short."""
    nodes = waiting.explained(name)["nodes"]
    by_dra = sum(each["verdict"] == "no" and "dra" in each["servedBy"].values() for each in nodes)
    by_plugin = sum(each["verdict"] == "no" and "plugin" in each["servedBy"].values() for each in nodes)
    words = waiting.message(name).partition("preemption:")[0]
    assert numbers(words, "cannot allocate all claims") == by_dra
    assert numbers(words, "Insufficient example.com/gpu") == by_plugin


def numbers(words: str, reason: str) -> int:
    return sum(int(found) for found in re.findall(rf"(\d+) {re.escape(reason)}", words))


def only_pods_that_decide_are_read(waiting: Waiting, before: FaultProxy, path: Path) -> None:
    """node-b is out for its devices; of node-a, which the plugin serves, pods tell what is left."""
    found = waiting.explained("busy")
    kubeconfig = waiting.cluster.write_kubeconfig(path / "kubeconfig", server=before.url)
    result = kubectl_dra("explain", "pod", "busy", "-o", "json", "--kubeconfig", str(kubeconfig))
    assert json.loads(result.stdout) == found
    pods = [each.path for each in before.requests if each.path.startswith("/api/v1/pods")]
    assert ["spec.nodeName%3Dnode-a" in each for each in pods] == [True]


def a_snapshot_says_the_same(waiting: Waiting, path: Path) -> None:
    """But when it was said: a file has no events."""
    file = path / "cluster.json"
    assert kubectl_dra("snapshot", str(file), "--kubeconfig", str(waiting.cluster.kubeconfig)).code == 0
    for name in ("large", "network", "train-0"):
        of_file = json.loads(kubectl_dra("explain", "pod", name, "--from", str(file), "-o", "json").stdout)
        live = waiting.explained(name)
        assert of_file.pop("said") == [{**each, "at": None} for each in live.pop("said")]
        assert of_file == live


def the_lost_mapping_is_mended_by_what_is_printed(waiting: Waiting) -> None:
    """Update the class, let a pod come and go: the pod that waited is placed."""
    (lost,) = (each for each in waiting.explained("tpu")["reasons"] if each["code"] == "lost-mapping")
    update = next(line for line in lost["fix"] if line.startswith("kubectl annotate deviceclass"))
    words = update.split()
    assert words[1:4] == ["annotate", "deviceclass", "tpu.example.com"]
    waiting.api.patch("/apis/resource.k8s.io/v1/deviceclasses/tpu.example.com", {"metadata": {"annotations": {"kubectl-dra/touched": "1"}}})
    waiting.api.create(PODS, pod("canary", "example.com/tpu"))
    wait_until(lambda: waiting.api.get(f"{PODS}/canary")["spec"].get("nodeName") == "node-b", "the mapping is back")
    waiting.api.delete(f"{PODS}/canary", grace=0)
    wait_until(lambda: waiting.api.get(f"{PODS}/tpu")["spec"].get("nodeName") == "node-b", "the pod that waited is placed")
    # no kubelet has this driver
    wait_until(lambda: waiting.codes("tpu") == ("bound", ["driver-not-registered"]), "the kubelet says what is missing")


def devices_that_become_free_are_told(waiting: Waiting) -> None:
    """What fits is what the scheduler then does."""
    manifest = json.dumps(pod("later", "example.com/gpu", node="node-b")).encode()
    assert waiting.run("-f", "-", stdin=manifest).code == 1
    waiting.api.delete(f"{PODS}/busy", grace=0)
    waiting.api.delete(f"{PODS}/train-0", grace=0)
    wait_until(lambda: waiting.run("-f", "-", stdin=manifest).code == 0, "a device is free")
    waiting.api.create(PODS, pod("later", "example.com/gpu", node="node-b"))
    wait_until(lambda: waiting.runs("later"), "the pod runs")
    found = waiting.explained("later")
    assert (found["verdict"], [each["device"] for each in found["holds"]]) == ("runs", ["gpu-0"])
    assert found["holds"][0]["containers"] == ["main"]


TAINT = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "DeviceTaintRule",
    "metadata": {"name": "sick"},
    "spec": {"deviceSelector": {"device": "gpu-0"}, "taint": {"key": "example.com/sick", "effect": "NoSchedule"}},
}
CLAIM = {"spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu.example.com"}}]}}}


def test_states_before_and_after_scheduling(waiting: Waiting) -> None:
    before_scheduling(waiting)
    what_only_the_scheduler_knows(waiting)
    claims_of_its_own_beside_a_name_that_the_plugin_serves(waiting)
    a_quota_on_claims(waiting)
    tainted_devices(waiting)
    ephemeral_containers(waiting)
    a_claim_that_is_not_reserved(waiting)
    the_driver_is_gone(waiting)


def before_scheduling(waiting: Waiting) -> None:
    waiting.make("gated", {"schedulingGates": [{"name": "example.com/wait"}]})
    waiting.make("elsewhere", {"schedulerName": "volcano"})
    container = {"name": "main", "image": "i", "resources": {"claims": [{"name": "gpu"}]}}
    for name, claim in (("no-template", {"resourceClaimTemplateName": "nope"}), ("no-claim", {"resourceClaimName": "nope"})):
        waiting.make(name, {"containers": [container], "resourceClaims": [{"name": "gpu", **claim}]})
    assert waiting.codes("gated")[1][0] == "gated"
    assert waiting.codes("elsewhere")[1][0] == "other-scheduler"
    assert waiting.codes("no-claim") == ("held", ["claim-missing"])
    assert waiting.codes("no-template") == ("held", ["template-missing"])
    wait_until(
        lambda: any("not found" in line for line in waiting.explained("no-template")["reasons"][0]["detail"]), "the controller's event"
    )
    for name in ("gated", "elsewhere", "no-template", "no-claim"):
        assert waiting.explained(name)["verdict"] == "held"
        waiting.api.delete(f"{PODS}/{name}", grace=0)


def what_only_the_scheduler_knows(waiting: Waiting) -> None:
    """Affinity between pods is not judged here; that it was the scheduler's reason is told."""
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"a": "nobody"}}}
    waiting.make("lonely", {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}})
    wait_until(lambda: waiting.message("lonely"), "the scheduler looks at the pod")
    verdict, codes = waiting.codes("lonely")
    assert (verdict, codes[0], sorted(codes[1:])) == ("waits", "said-by-scheduler", ["in-use", "plugin-used-up"])
    assert "didn't match pod affinity rules" in waiting.explained("lonely")["reasons"][0]["message"]
    waiting.api.delete(f"{PODS}/lonely", grace=0)


def claims_of_its_own_beside_a_name_that_the_plugin_serves(waiting: Waiting) -> None:
    """The plugin's device and one of DRA's are free, and still the scheduler cannot bind the pod (F2)."""
    for name in ("busy", "many", "eval", "train-1"):
        waiting.api.delete(f"{PODS}/{name}", grace=0)
    waiting.api.create(CLAIMS, {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "own"}, **CLAIM})
    shared = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "shared-gpu.example.com"}}
    pool = {"name": "shared", "generation": 1, "resourceSliceCount": 1}
    devices = [{"name": "gpu-9", "capacity": {"memory": {"value": "16Gi"}}}]
    waiting.api.create(
        "/apis/resource.k8s.io/v1/resourceslices",
        {**shared, "spec": {"driver": "gpu.example.com", "allNodes": True, "pool": pool, "devices": devices}},
    )
    waiting.make(
        "both", {"resourceClaims": [{"name": "own", "resourceClaimName": "own"}], "nodeSelector": {"kubernetes.io/hostname": "node-a"}}
    )
    wait_until(lambda: "nil or empty request mappings" in waiting.message("both"), "the binding fails")
    wait_until(lambda: without_nominated(waiting.codes("both")) == ["empty-claim", "claims-and-plugin", "node-affinity"], "it is told")
    waiting.api.delete(f"{PODS}/both", grace=0)
    waiting.api.delete(f"{CLAIMS}/own")
    waiting.api.delete("/apis/resource.k8s.io/v1/resourceslices/shared-gpu.example.com")
    wait_until(lambda: waiting.api.find(f"{CLAIMS}/own") is None, "the claim is gone")


def without_nominated(told: tuple[str, list[str]]) -> list[str]:
    """The codes but that of a pod which is being bound just now."""
    return [each for each in told[1] if each != "nominated"]


def a_quota_on_claims(waiting: Waiting) -> None:
    """F10: the pod is made, and placed, and cannot be bound. It is foretold."""
    key, quotas = "count/resourceclaims.resource.k8s.io", f"{NAMESPACE}/resourcequotas"
    wait_until(lambda: len(waiting.api.items(CLAIMS)) == 1, "only train-0 has a claim")
    waiting.api.create(quotas, {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": {key: "1"}}})
    wait_until(lambda: waiting.api.get(f"{quotas}/q").get("status", {}).get("used", {}).get(key) == "1", "the claim is counted")
    manifest = pod("over", "example.com/gpu", node="node-b")
    foretold = waiting.run("-f", "-", "-o", "json", stdin=json.dumps(manifest).encode())
    assert (foretold.code, [each["code"] for each in json.loads(foretold.stdout)["reasons"]]) == (1, ["quota-short", "node-affinity"])
    waiting.api.create(PODS, manifest)
    wait_until(lambda: "exceeded quota: q" in waiting.message("over"), "the binding fails")
    assert {"quota", "quota-short"} <= set(waiting.codes("over")[1])
    waiting.api.delete(f"{PODS}/over", grace=0)
    waiting.api.delete(f"{quotas}/q")


def tainted_devices(waiting: Waiting) -> None:
    """train-0 still holds gpu-0, gpu-1 is free."""
    rule = {**TAINT, "spec": {**TAINT["spec"], "deviceSelector": {"device": "gpu-1"}}}  # type: ignore[dict-item]
    waiting.api.create("/apis/resource.k8s.io/v1/devicetaintrules", rule)
    wait_until(lambda: len(waiting.api.items(CLAIMS)) == 1, "only train-0 has a claim")
    waiting.make("shy", {"nodeSelector": {"kubernetes.io/hostname": "node-b"}})
    wait_until(lambda: "cannot allocate all claims" in waiting.message("shy"), "the scheduler keeps to the taint")
    found = waiting.explained("shy", "--node", "node-b")
    assert [(each["device"], each["against"]) for each in found["nodes"][0]["devices"] if each["driver"] == "gpu.example.com"] == [
        ("gpu-0", "in_use"),
        ("gpu-1", "tainted"),
    ]
    waiting.api.delete("/apis/resource.k8s.io/v1/devicetaintrules/sick")
    wait_until(lambda: waiting.runs("shy"), "without the taint it runs")


def ephemeral_containers(waiting: Waiting) -> None:
    debug = {"spec": {"ephemeralContainers": [{"name": "debug", "image": "i"}]}}
    waiting.api.request("PATCH", f"{PODS}/train-0/ephemeralcontainers", debug, "application/strategic-merge-patch+json")
    assert waiting.codes("train-0") == ("runs", ["ephemeral-container"])


def a_claim_that_is_not_reserved(waiting: Waiting) -> None:
    """A pod that was put on the node without the scheduler."""
    waiting.api.create(CLAIMS, {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "mine"}, **CLAIM})
    container = {"name": "main", "image": "i", "resources": {"claims": [{"name": "gpu"}]}}
    claims = [{"name": "gpu", "resourceClaimName": "mine"}]
    waiting.make("placed", {"nodeName": "node-a", "containers": [container], "resourceClaims": claims, "nodeSelector": None})
    assert waiting.codes("placed")[1][0] == "claim-not-allocated"
    waiting.api.delete(f"{PODS}/placed", grace=0)


def the_driver_is_gone(waiting: Waiting) -> None:
    """E35: the pod hangs, no event says why; with the driver back it ends."""
    waiting.driver.close()
    waiting.api.delete(f"{PODS}/train-0", grace=1)
    slices = "/apis/resource.k8s.io/v1/resourceslices"
    wait_until(
        lambda: all(each["spec"]["driver"] != "gpu.example.com" for each in waiting.api.items(slices)),
        "the kubelet removes the slices",
        limit=90,
    )
    wait_until(lambda: waiting.codes("train-0") == ("terminating", ["driver-gone"]), "the driver is told to be gone")
    with DraDriver(waiting.b, "gpu.example.com", count=2, capacity={"memory": "16Gi"}):
        wait_until(lambda: waiting.api.find(f"{PODS}/train-0") is None, "with the driver back the pod ends", limit=90)


def test_what_may_not_be_read_is_not_told_as_none(
    cell: Cluster, namespace: str, apply: Callable[..., list[Manifest]], few_rights: Callable[..., Path]
) -> None:
    """E66: nodes, slices and classes are in none of the roles that users have."""
    asks = {"name": "main", "image": "i", "resources": {"limits": {"deviceclass.resource.kubernetes.io/nothing.example.com": "1"}}}
    apply(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "train"},
            "spec": {"containers": [asks], "automountServiceAccountToken": False},
        }
    )
    pods = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}
    claims = {"apiGroups": ["resource.k8s.io"], "resources": ["resourceclaims", "resourceclaimtemplates"], "verbs": ["list"]}
    result = kubectl_dra("explain", "pod", "train", "-o", "json", "--kubeconfig", str(few_rights(pods, claims)))
    found = json.loads(result.stdout)
    assert (result.code, found["verdict"], found["nodes"]) == (0, "unknown", [])
    assert [each["kind"] for each in found["unknown"]] == ["Node", "DeviceClass", "ResourceSlice", "DeviceTaintRule"]
    assert all("a ClusterRole rule allows it" in each["reason"] for each in found["unknown"])
    nothing = kubectl_dra("explain", "pod", "train", "-n", namespace, "--kubeconfig", str(few_rights()))
    assert (nothing.code, nothing.stdout) == (3, "")
    assert "kubectl dra rbac explain" in nothing.stderr
