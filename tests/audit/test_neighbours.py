"""DRA801, DRA802 and DRA803: autoscalers and queues with a view of devices of their own."""

from typing import Any

import msgspec
import pytest

from kubectl_dra.audit.finding import Severity
from kubectl_dra.knowledge.neighbours import neighbour
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.pod import Pod, PodResourceClaim, PodTemplateSpec
from kubectl_dra.objects.snapshot import KindReading
from kubectl_dra.objects.workload import Workload, WorkloadSpec
from tests.audit.given import GPU, cluster, device_class, findings, forbidden, names, node, only, pod, resource_slice, unknown
from tests.factories import meta

MAPPED = [device_class("gpu", GPU)]
ASKS = [pod("train", {GPU: 1}, on="a")]
WAITS = [*ASKS, pod("next", {GPU: 1}, waits="0/1 nodes are available: 1 cannot allocate all claims.")]


def made_by_karpenter(name: str) -> Node:
    made = node(name, 4)
    return msgspec.structs.replace(made, metadata=msgspec.structs.replace(made.metadata, labels={"karpenter.sh/nodepool": "gpu"}))


def deployment(name: str, namespace: str, app: str | None = None) -> Workload:
    labels = {"app.kubernetes.io/name": app} if app else None
    return Workload(meta(name, namespace), WorkloadSpec(template=PodTemplateSpec(metadata=meta("", labels=labels))))


def test_dra801_karpenter_by_its_nodes_and_its_deployment() -> None:
    installed = [deployment("karpenter", "kube-system")]
    given = cluster(nodes=[made_by_karpenter("a")], deployments=installed, pods=ASKS, device_classes=MAPPED)
    finding = only(given, "DRA801")
    assert (finding.severity, names(finding)) == (Severity.INFO, ["Deployment kube-system/karpenter"])
    assert finding.evidence.split("\n") == [
        "Karpenter is here: Deployment kube-system/karpenter and 1 node with karpenter.sh/nodepool",
        f"pods ask for {GPU}",
        "a is a node that it made, with devices",
    ]
    assert finding.fix[1] == "kubectl -n kube-system set env deployment/karpenter --list"


def test_dra801_a_warning_while_pods_wait_for_dra() -> None:
    finding = only(cluster(nodes=[made_by_karpenter("a")], pods=WAITS, device_classes=MAPPED), "DRA801")
    assert (finding.severity, names(finding)) == (Severity.WARNING, ["Pod team/next"])
    assert finding.evidence.endswith("Pod team/next waits for devices from DRA")
    assert finding.title == "Karpenter makes no nodes for the pods that wait for devices from DRA"


def test_dra801_nodes_that_it_made_with_devices_from_dra() -> None:
    made = msgspec.structs.replace(made_by_karpenter("a"), status=node("a").status)
    finding = only(cluster(nodes=[made], pods=ASKS, device_classes=MAPPED, resource_slices=[resource_slice("a", 1)]), "DRA801")
    assert finding.title == "Karpenter does not know what DRA would give on nodes that it could make"
    assert finding.evidence.endswith("a is a node that it made, with devices")
    assert finding.fix[-1] == "#   kubectl annotate node a karpenter.sh/do-not-disrupt=true"


def test_dra801_only_pods_that_want_devices_from_dra_wait_for_them() -> None:
    def severity(*pods: Pod) -> Severity:
        return only(cluster(nodes=[made_by_karpenter("a")], pods=[*ASKS, *pods], device_classes=MAPPED), "DRA801").severity

    said = "0/1 nodes are available: 1 Insufficient cpu."
    by_claim = pod("claims", waits=said)
    by_claim = msgspec.structs.replace(
        by_claim, spec=msgspec.structs.replace(by_claim.spec, resource_claims=(PodResourceClaim("c", "own"),))
    )
    assert severity(by_claim) is Severity.WARNING
    assert severity(pod("plain", waits=said), pod("other", {"acme.example/fpga": 1}, waits=said), pod("new", {GPU: 1})) is Severity.INFO


@pytest.mark.parametrize(
    ("name", "namespace", "app"),
    [
        ("cluster-autoscaler", "kube-system", None),
        ("ca-aws-cluster-autoscaler", "ops", "aws-cluster-autoscaler"),
        ("capi", "ops", "clusterapi-cluster-autoscaler"),
    ],
)
def test_dra802_the_cluster_autoscaler_by_its_deployment(name: str, namespace: str, app: str | None) -> None:
    given = cluster(deployments=[deployment(name, namespace, app)], pods=ASKS, device_classes=MAPPED)
    assert (only(given, "DRA802").severity, names(only(given, "DRA802"))) == (Severity.INFO, [f"Deployment {namespace}/{name}"])
    waiting = cluster(deployments=[deployment(name, namespace, app)], pods=WAITS, device_classes=MAPPED)
    assert only(waiting, "DRA802").severity is Severity.WARNING


def test_dra803_kueue_by_its_kind() -> None:
    served: dict[str, Any] = {"Workload.kueue.x-k8s.io": KindReading()}
    finding = only(cluster(custom_workloads=served, pods=ASKS, device_classes=MAPPED), "DRA803")
    assert (finding.severity, finding.evidence) == (
        Severity.INFO,
        f"Kueue is here: the kind Workload.kueue.x-k8s.io\npods ask for {GPU}, which classes map",
    )
    unmapped = cluster(custom_workloads=served, pods=[pod("p", {"nvidia.com/gpu": 1})])
    assert findings(unmapped, "DRA803") == (), "what no class maps is charged once"
    implicit = cluster(custom_workloads=served, pods=[pod("p", {"deviceclass.resource.kubernetes.io/gpu": 1})], device_classes=MAPPED)
    assert findings(implicit, "DRA803") == (), "nor what only DRA serves"


@pytest.mark.parametrize("code", ["DRA801", "DRA802", "DRA803"])
def test_where_they_are_not_or_nobody_asks_there_is_nothing_to_say(code: str) -> None:
    assert findings(cluster(nodes=[node("a", 4)], pods=WAITS, device_classes=MAPPED), code) == ()
    there: dict[str, Any] = {
        "nodes": [made_by_karpenter("a")],
        "deployments": [deployment("cluster-autoscaler", "kube-system")],
        "custom_workloads": {"Workload.kueue.x-k8s.io": KindReading()},
    }
    assert findings(cluster(**there, pods=[pod("web")]), code) == ()


@pytest.mark.parametrize(("code", "kind"), [("DRA801", "nodes"), ("DRA802", "deployments"), ("DRA803", "device_classes")])
def test_what_they_are_known_by_may_be_unreadable(code: str, kind: str) -> None:
    unreadable: dict[str, Any] = {kind: forbidden()}
    assert len(unknown(cluster(**unreadable), code)) == 1


def test_every_entry_has_a_source() -> None:
    assert all(neighbour(each).source for each in ("karpenter", "cluster-autoscaler", "kueue"))
