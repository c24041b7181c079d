"""Checks on nodes."""

import msgspec
import pytest

from kubectl_dra.audit.finding import Severity
from kubectl_dra.audit.scope import Scope
from kubectl_dra.objects.meta import ObjectMeta
from kubectl_dra.objects.resource import DeviceClaim, DeviceRequest, ExactDeviceRequest, ResourceClaimSpec
from tests.audit.given import GPU, cluster, device_class, findings, forbidden, names, node, only, pod, report, resource_slice, unknown
from tests.factories import claim

IMPLICIT = "deviceclass.resource.kubernetes.io/gpu"


def test_dra203_kubelets_that_lock_up_are_an_error_where_devices_are() -> None:
    given = cluster(
        nodes=[
            node("a", kubelet="v1.34.0", allocatable={GPU: 4}),
            node("b", kubelet="v1.34.1-gke.100"),
            node("c", kubelet="v1.34.2", allocatable={GPU: 4}),
            node("d", kubelet="v1.34.1+k3s1"),
        ],
        resource_slices=[resource_slice("b", 4)],
    )
    (error, info) = findings(given, "DRA203")
    assert (error.severity, names(error)) == (Severity.ERROR, ["Node a", "Node b"])
    assert error.evidence == "a runs kubelet v1.34.0\nb runs kubelet v1.34.1-gke.100"
    assert (info.severity, names(info)) == (Severity.INFO, ["Node d"])


def test_dra203_claims_make_a_node_one_with_devices() -> None:
    given = cluster(nodes=[node("a", kubelet="v1.34.1")], pods=[pod("p", {GPU: 1}, on="a", served_by_claim=[GPU])])
    assert only(given, "DRA203").severity is Severity.ERROR


def test_dra203_other_kubelets_are_no_finding() -> None:
    versions = ("v1.33.9", "v1.34.2", "v1.35.0", "v1.37.2", "v1.34.10")
    assert findings(cluster(nodes=[node(f"n{n}", kubelet=v, allocatable={GPU: 1}) for n, v in enumerate(versions)]), "DRA203") == ()


def test_dra203_an_unreadable_version_is_unknown() -> None:
    given = cluster(nodes=[node("a", kubelet=""), node("b", kubelet="devel")])
    assert findings(given, "DRA203") == ()
    assert unknown(given, "DRA203") == ("the kubelet version of a and b is not known",)


def test_dra203_stays_within_the_nodes_asked_for() -> None:
    given = cluster(nodes=[node("a-1", kubelet="v1.34.0"), node("b-1", kubelet="v1.34.0")])
    assert names(only(given, "DRA203", scope=Scope(nodes=("b-*",)))) == ["Node b-1"]


@pytest.mark.parametrize(("device_class_name", "found"), [("gpu", 0), ("other", 1)])
def test_dra209_a_pod_that_lost_its_claim_status_still_owns_the_claim(device_class_name: str, found: int) -> None:
    request = DeviceRequest("container-0-request-0", ExactDeviceRequest(device_class_name, count=1))
    made = msgspec.structs.replace(
        claim("p-extended-resources-x", ("a", "d0"), namespace="team", pod="p"), spec=ResourceClaimSpec(DeviceClaim((request,)))
    )
    given = cluster(
        "1.36.1",
        nodes=[node("a", kubelet="v1.36.1", allocatable={GPU: "0"}, capacity={GPU: "4"})],
        pods=[pod("p", {GPU: 1}, on="a")],
        device_classes=[device_class("gpu", GPU)],
        resource_slices=[resource_slice("a", 4)],
        resource_claims=[made],
    )
    assert len(findings(given, "DRA209")) == found


def test_dra209_a_pod_whose_plugin_is_gone_shares_its_device_where_dra_serves() -> None:
    given = cluster(
        nodes=[node("a", allocatable={GPU: "0"}, capacity={GPU: "4"})],
        pods=[pod("p", {GPU: 2}, on="a", owner=("ReplicaSet", "r")), pod("bare", {GPU: 1}, on="a")],
        device_classes=[device_class("gpu", GPU)],
        resource_slices=[resource_slice("a", 4)],
    )
    finding = only(given, "DRA209")
    assert finding.severity is Severity.ERROR
    assert finding.title == f"2 running pods hold {GPU} from a plugin that has stopped: DRA can give the same devices again"
    assert names(finding) == ["Node a", "Pod team/bare", "Pod team/p"]
    assert finding.evidence.split("\n") == [
        f"Node a: allocatable {GPU} is 0, capacity 4; gpu.example.com publishes 4 devices",
        "Pod team/p asks 2 and has no request mapping for it",
        "Pod team/bare asks 1 and has no request mapping for it",
    ]
    assert finding.fix[2:] == (
        "kubectl cordon a",
        "# nothing makes these again, keep their manifests: Pod team/bare",
        "kubectl -n team delete pod bare p",
        "kubectl uncordon a",
    )
    assert not finding.settled


def test_dra209_without_slices_the_device_is_unaccounted_for() -> None:
    given = cluster(nodes=[node("a", cordoned=True)], pods=[pod("p", {GPU: 1}, on="a")], device_classes=[device_class("gpu", GPU)])
    finding = only(given, "DRA209")
    assert finding.severity is Severity.ERROR
    assert finding.title == f"1 running pod holds {GPU}, of which its node offers none"
    assert f"allocatable {GPU} is not listed, capacity not listed; no driver publishes devices" in finding.evidence
    assert "kubectl uncordon a" not in finding.fix


def test_dra209_implicit_names_never_have_a_plugin() -> None:
    given = cluster(
        nodes=[node("a", allocatable={GPU: 4})],
        pods=[pod("p", {IMPLICIT: 1}, on="a")],
        device_classes=[device_class("gpu", GPU)],
        resource_slices=[resource_slice("a", 4)],
    )
    assert only(given, "DRA209").title.startswith(f"1 running pod holds {IMPLICIT}")


def test_dra209_one_finding_a_name_and_danger_not_one_a_pod() -> None:
    given = cluster(
        nodes=[node("a"), node("b")],
        pods=[pod(f"p{number}", {GPU: 1}, on="ab"[number % 2]) for number in range(30)],
        device_classes=[device_class("gpu", GPU)],
        resource_slices=[resource_slice("a", 4)],
    )
    assert sorted((len(finding.objects), finding.objects[0].name) for finding in findings(given, "DRA209")) == [(16, "a"), (16, "b")]


def test_dra209_pods_that_are_served_or_finished_or_waiting_are_no_finding() -> None:
    given = cluster(
        nodes=[node("plugin", allocatable={GPU: "4"}), node("dra", allocatable={GPU: "0"})],
        pods=[
            pod("by-plugin", {GPU: 1}, on="plugin"),
            pod("by-claim", {GPU: 1}, on="dra", served_by_claim=[GPU]),
            pod("done", {GPU: 1}, on="dra", phase="Succeeded"),
            pod("waiting", {GPU: 1}, waits="0/2 nodes are available"),
            pod("nothing", {"cpu": "1", GPU: 0}, on="dra"),
            pod("orphan", {GPU: 1}, on="gone"),
        ],
        device_classes=[device_class("gpu", GPU)],
        resource_slices=[resource_slice("dra", 4)],
    )
    assert report(given, "DRA209").findings == ()


def test_dra209_names_that_a_scheduler_extender_counts_have_no_plugin_that_could_stop() -> None:
    asks = {"nvidia.com/gpu": 1, "nvidia.com/gpumem": 3000, "aliyun.com/gpu-mem": 3, "devices.kubevirt.io/kvm": 1}
    gone = {"devices.kubevirt.io/kvm": 0}
    given = cluster(nodes=[node("a", allocatable={"nvidia.com/gpu": 10, **gone}, capacity=gone)], pods=[pod("p", asks, on="a")])
    assert findings(given, "DRA209") == ()


def test_dra209_a_name_that_no_class_maps_counts_where_its_node_lists_it() -> None:
    given = cluster(nodes=[node("a", allocatable={"fpga.example.com/x": 0})], pods=[pod("p", {"fpga.example.com/x": 1}, on="a")])
    assert only(given, "DRA209").title == "1 running pod holds fpga.example.com/x, of which its node offers none"


def test_dra209_is_unknown_without_nodes_or_pods() -> None:
    assert len(unknown(cluster(nodes=forbidden()), "DRA209")) == 1
    assert len(unknown(cluster(pods=forbidden()), "DRA209")) == 1


def test_dra209_with_slices_that_may_not_be_read_nobody_claims_that_dra_serves() -> None:
    given = cluster(
        nodes=[node("a", allocatable={GPU: "0"})],
        pods=[pod("p", {GPU: 1}, on="a")],
        device_classes=[device_class("gpu", GPU)],
        resource_slices=forbidden(),
    )
    assert only(given, "DRA209").title == f"1 running pod holds {GPU}, of which its node offers none"
    assert len(unknown(given, "DRA209")) == 1


def test_dra209_slices_of_another_driver_or_of_an_incomplete_pool_serve_nothing() -> None:
    given = cluster(
        nodes=[node("a", allocatable={GPU: "0"}), node("b", allocatable={GPU: "0"})],
        pods=[pod("p", {GPU: 1}, on="a"), pod("q", {GPU: 1}, on="b")],
        device_classes=[device_class("gpu", GPU)],
        resource_slices=[resource_slice("a", 4, driver="nic.example.com"), resource_slice("b", 4, slices=2)],
    )
    assert only(given, "DRA209").title == f"2 running pods hold {GPU}, of which their nodes offer none"


def test_dra209_static_pods_are_not_replaced_by_deleting_them() -> None:
    static = pod("static-a", {GPU: 1}, on="a")
    static = msgspec.structs.replace(static, metadata=ObjectMeta("static-a", "team", annotations={"kubernetes.io/config.mirror": "hash"}))
    finding = only(cluster(nodes=[node("a")], pods=[static], device_classes=[device_class("gpu", GPU)]), "DRA209")
    assert "# static pods: change their manifests on the node: Pod team/static-a" in finding.fix
    assert not any(step.startswith("kubectl") and "delete" in step for step in finding.fix)
