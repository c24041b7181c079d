"""DRA804: what NVIDIA's GPU Operator does by itself."""

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from kubectl_dra.audit.finding import Severity
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.pod import PodSpec, PodTemplateSpec
from kubectl_dra.objects.workload import Workload, WorkloadSpec
from tests.audit.given import cluster, findings, forbidden, names, node, resource_slice, unknown
from tests.factories import meta
from tests.factories import pod as bare_pod

PLUGIN = "nvidia.com/gpu.deploy.device-plugin"
NVIDIA = {"nvidia.com/gpu": 8}


def of(kind: str, name: str = "nvidia-device-plugin-daemonset") -> Workload:
    return Workload(meta(name, "gpu-operator", owner=(f"{kind} nvidia.com/v1", "x")), WorkloadSpec(template=PodTemplateSpec()))


def labelled(name: str, labels: Mapping[str, str]) -> Node:
    made = node(name, allocatable=NVIDIA)
    return msgspec.structs.replace(made, metadata=msgspec.structs.replace(made.metadata, labels=labels))


def told(*nodes: Node, sets: list[Workload], **kinds: Any) -> dict[str, tuple[Severity, list[str]]]:
    found = findings(cluster(nodes=nodes, daemon_sets=sets, **kinds), "DRA804")
    return {each.cause: (each.severity, names(each)) for each in found}


def test_dra804_a_cluster_policy_is_worth_knowing() -> None:
    nodes = [labelled("a", {PLUGIN: "true"}), labelled("b", {PLUGIN: "false"})]
    (finding,) = findings(cluster(nodes=nodes, daemon_sets=[of("ClusterPolicy")]), "DRA804")
    assert finding.severity is Severity.INFO
    assert finding.evidence == f"{PLUGIN} is true on a\nit is false on b"


def test_dra804_a_daemon_set_by_a_label_that_the_operator_removes() -> None:
    template = PodTemplateSpec(spec=PodSpec(node_selector={"nvidia.com/gpu.deploy.dra-driver": "true"}))
    driver = Workload(meta("dra-driver", "nvidia"), WorkloadSpec(template=template))
    found = told(labelled("a", {PLUGIN: "true"}), sets=[of("ClusterPolicy"), driver])
    assert found["swept"] == (Severity.WARNING, ["DaemonSet nvidia/dra-driver"])
    assert "swept" not in told(labelled("a", {}), sets=[of("GPUCluster"), driver]), "a GPUCluster makes these labels itself"


def test_dra804_both_kinds_are_refused() -> None:
    assert told(labelled("a", {}), sets=[of("ClusterPolicy"), of("GPUCluster", "dra")])["both"] == (Severity.WARNING, [])


def test_dra804_labels_that_say_something_else() -> None:
    nodes = [
        labelled("a", {PLUGIN: "paused-for-driver-upgrade"}),
        labelled("b", {"nvidia.com/gpu.deploy.operands": "false"}),
    ]
    found = told(*nodes, sets=[of("ClusterPolicy")])
    assert found["paused"] == (Severity.INFO, ["Node a"])
    assert found["operands"] == (Severity.INFO, ["Node b"])


def test_dra804_a_validator_that_waits_for_a_plugin_that_is_off() -> None:
    validator = bare_pod("validator", namespace="gpu-operator", node="b", phase="Pending", labels={"app": "nvidia-operator-validator"})
    found = told(labelled("b", {PLUGIN: "false"}), sets=[of("ClusterPolicy")], pods=[validator])
    assert found["validator"] == (Severity.INFO, ["Pod gpu-operator/validator"])
    assert "validator" not in told(labelled("b", {PLUGIN: "true"}), sets=[of("ClusterPolicy")], pods=[validator])
    others: list[object] = [
        bare_pod("elsewhere", node="c", phase="Pending", labels={"app": "nvidia-operator-validator"}),
        bare_pod("done", node="b", labels={"app": "nvidia-operator-validator"}),
        bare_pod("plain", node="b", phase="Pending"),
    ]
    assert "validator" not in told(labelled("b", {PLUGIN: "false"}), sets=[of("ClusterPolicy")], pods=others)


@pytest.mark.parametrize(
    ("known_by", "found"),
    [
        (labelled("a", {PLUGIN: "true"}), True),
        (labelled("a", {"nvidia.com/gpu.deploy.operands": "true"}), True),
        (node("a", allocatable=NVIDIA), True),
        (node("a", allocatable={"amd.com/gpu": 8, "example.com/gpu": 1}), False),
        (node("dra"), True),
        (node("a"), False),
    ],
)
def test_dra804_which_nodes_are_the_operator_s(known_by: Node, found: bool) -> None:
    if PLUGIN in (known_by.metadata.labels or {}) or "nvidia.com/gpu.deploy.operands" in (known_by.metadata.labels or {}):
        known_by = msgspec.structs.replace(known_by, status=node("a").status)
    slices: list[object] = [resource_slice("dra", 1, driver="gpu.nvidia.com")]
    assert ("policy" in told(known_by, sets=[of("ClusterPolicy")], resource_slices=slices)) is found


def test_dra804_the_operator_s_own_daemon_sets_may_go_by_its_labels() -> None:
    own = of("ClusterPolicy")
    template = PodTemplateSpec(spec=PodSpec(node_selector={"nvidia.com/gpu.deploy.dra-driver": "true"}))
    own = msgspec.structs.replace(own, spec=WorkloadSpec(template=template))
    others = Workload(meta("plain", "nvidia"), WorkloadSpec(template=PodTemplateSpec(spec=PodSpec(node_selector={"a": "b"}))))
    assert "swept" not in told(labelled("a", {PLUGIN: "true"}), sets=[own, others])


def test_dra804_without_the_operator_or_without_gpus_nothing() -> None:
    assert told(labelled("a", {PLUGIN: "false"}), sets=[]) == {}
    assert told(node("a"), sets=[of("ClusterPolicy")]) == {}


def test_dra804_is_unknown_without_nodes() -> None:
    assert len(unknown(cluster(nodes=forbidden()), "DRA804")) == 1
