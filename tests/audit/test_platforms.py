"""DRA805: device plugins that GKE and Bottlerocket bring."""

import json
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from kubectl_dra.audit.finding import Severity
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.pod import PodSpec, PodTemplateSpec
from kubectl_dra.objects.policy import ResourceQuota, ResourceQuotaSpec, ScopedResourceSelectorRequirement, ScopeSelector
from kubectl_dra.objects.workload import Workload, WorkloadSpec, WorkloadStatus
from tests.audit.given import Asks, cluster, findings, forbidden, names, node, only, resource_slice, unknown
from tests.factories import meta
from tests.factories import pod as bare_pod

GKE = {"cloud.google.com/gke-nodepool": "pool", "cloud.google.com/gke-accelerator": "nvidia-l4"}
NO_PLUGIN = {**GKE, "gke-no-default-nvidia-gpu-device-plugin": "true"}


def gke(name: str, labels: Mapping[str, str] = GKE, has: Asks | None = None) -> Node:
    made = node(name, allocatable=has)
    return msgspec.structs.replace(made, metadata=msgspec.structs.replace(made.metadata, labels=labels))


def driver(desired: int = 3, namespace: str = "nvidia", priority: str = "system-node-critical") -> Workload:
    template = PodTemplateSpec(spec=PodSpec(priority_class_name=priority))
    return Workload(meta("dra-driver", namespace), WorkloadSpec(template=template), WorkloadStatus(desired_number_scheduled=desired))


def allowing(namespace: str = "nvidia") -> ResourceQuota:
    scope = ScopedResourceSelectorRequirement("PriorityClass", "In", ("system-node-critical",))
    return ResourceQuota(meta("critical", namespace), ResourceQuotaSpec(scope_selector=ScopeSelector((scope,))))


def test_dra805_gpus_that_nobody_serves() -> None:
    finding = only(cluster(nodes=[gke("a", NO_PLUGIN)]), "DRA805")
    assert (finding.severity, names(finding)) == (Severity.WARNING, ["Node a"])
    assert finding.evidence == (
        "Node a has cloud.google.com/gke-accelerator and gke-no-default-nvidia-gpu-device-plugin=true; it lists no nvidia.com/gpu,"
        " and no driver publishes devices for it"
    )
    served = cluster(nodes=[gke("a", NO_PLUGIN)], resource_slices=[resource_slice("a", 1, driver="gpu.nvidia.com")])
    assert findings(served, "DRA805") == ()


def test_dra805_google_s_own_plugin_is_worth_knowing() -> None:
    finding = only(cluster(nodes=[gke("a", has={"nvidia.com/gpu": 1})]), "DRA805")
    assert (finding.severity, finding.evidence) == (
        Severity.INFO,
        "Node a has cloud.google.com/gke-accelerator, and no gke-no-default-nvidia-gpu-device-plugin=true",
    )


def test_dra805_a_driver_that_gke_lets_make_no_pods() -> None:
    plain = gke("a", {"cloud.google.com/gke-nodepool": "pool"})
    finding = only(cluster(nodes=[plain], daemon_sets=[driver()]), "DRA805")
    assert (finding.severity, names(finding)) == (Severity.WARNING, ["DaemonSet nvidia/dra-driver"])
    manifest = json.loads(finding.fix[-1].partition("\n")[2].rpartition("\n")[0])
    assert manifest["spec"]["scopeSelector"]["matchExpressions"][0]["values"] == ["system-node-critical"]


@pytest.mark.parametrize(
    "kinds",
    [
        {"daemon_sets": [driver()], "resource_quotas": [allowing()]},
        {"daemon_sets": [driver()], "pods": [bare_pod("x", namespace="nvidia", node="a", owner=("DaemonSet", "dra-driver"))]},
        {"daemon_sets": [driver(namespace="kube-system")]},
        {"daemon_sets": [driver(desired=0)]},
        {"daemon_sets": [driver(priority="high")]},
        {"daemon_sets": [driver()], "resource_quotas": forbidden()},
    ],
)
def test_dra805_drivers_with_a_quota_pods_or_nothing_to_do_are_no_finding(kinds: dict[str, Any]) -> None:
    assert findings(cluster(nodes=[gke("a", {"cloud.google.com/gke-nodepool": "pool"})], **kinds), "DRA805") == ()


def test_dra805_elsewhere_a_driver_without_pods_has_another_reason() -> None:
    assert findings(cluster(nodes=[node("a")], daemon_sets=[driver()]), "DRA805") == ()


def test_dra805_bottlerocket_s_services() -> None:
    def bottlerocket(name: str, has: Asks) -> Node:
        made = node(name, allocatable=has)
        assert made.status.node_info is not None
        info = msgspec.structs.replace(made.status.node_info, os_image="Bottlerocket OS 1.50.0 (aws-k8s-1.37-nvidia)")
        return msgspec.structs.replace(made, status=msgspec.structs.replace(made.status, node_info=info))

    finding = only(cluster(nodes=[bottlerocket("a", {"nvidia.com/gpu": 8}), bottlerocket("web", {})]), "DRA805")
    assert (finding.severity, names(finding)) == (Severity.INFO, ["Node a"])


def test_dra805_is_unknown_without_nodes() -> None:
    assert len(unknown(cluster(nodes=forbidden()), "DRA805")) == 1
