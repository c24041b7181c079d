"""DRA408, DRA410 and DRA411: labels of the plugin's side, other schedulers, priorities."""

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from kubectl_dra.audit.finding import Severity
from kubectl_dra.audit.scope import Scope
from kubectl_dra.objects.meta import Condition
from kubectl_dra.objects.node import Node, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from kubectl_dra.objects.pod import Affinity, NodeAffinity, Pod
from tests.audit.given import GPU, Asks, cluster, device_class, findings, forbidden, names, node, only, pod, resource_slice, unknown

MAPPED = [device_class("gpu", GPU)]
PRODUCT = "nvidia.com/gpu.product"
NVIDIA = {"nvidia.com/gpu": 1}


def selecting(name: str, labels: Mapping[str, str], asks: Asks) -> Pod:
    made = pod(name, asks)
    return msgspec.structs.replace(made, spec=msgspec.structs.replace(made.spec, node_selector=labels))


def requiring(name: str, key: str, operator: str, asks: Asks) -> Pod:
    term = NodeSelectorTerm((NodeSelectorRequirement(key, operator, ("12",)),))
    affinity = Affinity(NodeAffinity(NodeSelector((term,))))
    made = pod(name, asks)
    return msgspec.structs.replace(made, spec=msgspec.structs.replace(made.spec, affinity=affinity))


def labelled(name: str, labels: Mapping[str, str], **options: object) -> Node:
    made = node(name, **options)  # type: ignore[arg-type]
    return msgspec.structs.replace(made, metadata=msgspec.structs.replace(made.metadata, labels=labels))


# DRA408


def test_dra408_a_label_that_feature_discovery_makes() -> None:
    finding = only(cluster(pods=[selecting("train", {PRODUCT: "A100"}, NVIDIA)]), "DRA408")
    assert (finding.severity, names(finding)) == (Severity.INFO, ["Pod team/train"])
    assert finding.title == f"Pod team/train wants nodes by {PRODUCT}, which may go when the plugin does"
    assert finding.evidence == f"Pod team/train asks nvidia.com/gpu and wants nodes with {PRODUCT}, which is made by GPU feature discovery"


def test_dra408_a_pinned_driver_in_an_affinity() -> None:
    finding = only(cluster(pods=[requiring("train", "nvidia.com/cuda.driver.major", "Gt", NVIDIA)]), "DRA408")
    assert finding.evidence.endswith("nvidia.com/cuda.driver.major names a version of the driver")


def test_dra408_a_warning_once_nodes_that_have_moved_lack_it() -> None:
    old = labelled("old", {PRODUCT: "A100"}, gpu=4)
    moved: dict[str, Any] = {"nodes": [old, node("new")], "resource_slices": [resource_slice("new", 2)]}
    pods = [selecting("train", {PRODUCT: "A100"}, {GPU: 1})]
    finding = only(cluster(**moved, pods=pods, device_classes=MAPPED), "DRA408")
    assert finding.severity is Severity.WARNING
    assert finding.evidence.endswith("DRA serves the name on new, where the label is missing")
    still = {**moved, "nodes": [labelled("new", {PRODUCT: "A100"})]}
    assert only(cluster(**still, pods=pods, device_classes=MAPPED), "DRA408").severity is Severity.INFO


def test_dra408_other_labels_wishes_to_avoid_and_pods_without_devices_are_no_finding() -> None:
    pods = [
        selecting("zone", {"topology.kubernetes.io/zone": "a", "nvidia.com/gpu.present": "true"}, NVIDIA),
        requiring("not", PRODUCT, "NotIn", NVIDIA),
        selecting("plain", {PRODUCT: "A100"}, {}),
        selecting("unmovable", {PRODUCT: "A100"}, {"acme.example/fpga": 1}),
    ]
    assert findings(cluster(pods=pods), "DRA408") == ()


# DRA410


def scheduled_by(name: str, scheduler: str | None, asks: Asks, **options: object) -> Pod:
    made = pod(name, asks, **options)  # type: ignore[arg-type]
    return msgspec.structs.replace(made, spec=msgspec.structs.replace(made.spec, scheduler_name=scheduler))


def test_dra410_another_scheduler() -> None:
    pods = [scheduled_by(f"p{n}", "volcano", {GPU: 1}) for n in range(2)]
    finding = only(cluster(pods=pods, device_classes=MAPPED), "DRA410")
    assert (finding.severity, names(finding)) == (Severity.WARNING, ["Pod team/p0", "Pod team/p1"])
    assert finding.title == f"2 workloads with {GPU} are placed by volcano"
    assert finding.evidence == f"schedulerName volcano: Pod team/p0 and Pod team/p1 ask {GPU}"


@pytest.mark.parametrize("scheduler", [None, "", "default-scheduler"])
def test_dra410_kube_scheduler_is_none(scheduler: str | None) -> None:
    assert findings(cluster(pods=[scheduled_by("p", scheduler, {GPU: 1})], device_classes=MAPPED), "DRA410") == ()


def test_dra410_a_scheduler_that_has_made_such_claims_can_do_it() -> None:
    pods = [scheduled_by("p", "second", {GPU: 1}), scheduled_by("served", "second", {GPU: 1}, on="a", served_by_claim=[GPU])]
    assert findings(cluster(pods=pods, device_classes=MAPPED), "DRA410") == ()


def test_dra410_names_that_no_class_maps_are_still_the_plugins() -> None:
    assert findings(cluster(pods=[scheduled_by("p", "volcano", NVIDIA)]), "DRA410") == ()
    given = cluster(pods=[scheduled_by("p", "volcano", {GPU: 1})], device_classes=MAPPED)
    assert findings(given, "DRA410", scope=Scope(resources=("other.example/*",))) == ()


# DRA411


def of_priority(name: str, priority: int, *, policy: str | None = None, waits: bool = False, **options: object) -> Pod:
    made = pod(name, {GPU: 1}, **options)  # type: ignore[arg-type]
    spec = msgspec.structs.replace(made.spec, priority=priority, preemption_policy=policy)
    conditions = (Condition("PodScheduled", "False"),) if waits else None
    return msgspec.structs.replace(made, spec=spec, status=msgspec.structs.replace(made.status, conditions=conditions))


def test_dra411_two_priorities_for_one_name() -> None:
    given = cluster(pods=[of_priority("high", 1000), of_priority("low", 0, on="a")], device_classes=MAPPED)
    finding = only(given, "DRA411")
    assert (finding.severity, names(finding)) == (Severity.INFO, ["Pod team/high"])
    assert finding.evidence == f"priority 1000: 1 pod with {GPU}\npriority 0: 1 pod with {GPU}"


def test_dra411_a_warning_while_the_higher_waits_for_what_the_lower_has_from_dra() -> None:
    low = of_priority("low", 0, on="a", served_by_claim=[GPU])
    finding = only(cluster(pods=[of_priority("high", 1000, waits=True), low], device_classes=MAPPED), "DRA411")
    assert (finding.severity, names(finding)) == (Severity.WARNING, ["Pod team/high"])
    assert finding.title == f"Pod team/high may not evict pods of lower priority that have {GPU} from DRA"
    assert finding.evidence.endswith(f"Pod team/high (priority 1000) waits, while Pod team/low of lower priority holds {GPU} from DRA")
    among = [of_priority("high", 1000, waits=True), of_priority("running", 1000, on="a", served_by_claim=[GPU]), low]
    of_two = only(cluster(pods=among, device_classes=MAPPED), "DRA411")
    assert (names(of_two), of_two.evidence.count("running")) == (["Pod team/high"], 0), "its like is not of lower priority"
    by_plugin = of_priority("low", 0, on="a")
    plain = cluster(pods=[of_priority("high", 1000, waits=True), by_plugin], device_classes=MAPPED)
    assert only(plain, "DRA411").severity is Severity.INFO, "where a plugin serves the name, the scheduler evicts"


def test_dra411_one_priority_or_one_that_never_preempts_is_no_finding() -> None:
    assert findings(cluster(pods=[of_priority("a", 5), of_priority("b", 5)], device_classes=MAPPED), "DRA411") == ()
    gentle = [of_priority("high", 1000, policy="Never"), of_priority("low", 0)]
    assert findings(cluster(pods=gentle, device_classes=MAPPED), "DRA411") == ()


@pytest.mark.parametrize("code", ["DRA408", "DRA410", "DRA411"])
def test_without_pods_nobody_knows(code: str) -> None:
    assert len(unknown(cluster(pods=forbidden()), code)) == 1
