"""The inventory by name."""

from msgspec.structs import replace

from kubectl_dra.inventory.document import Asked, DraSide, NameItem, PluginSide, QuotaUse, Unknown
from kubectl_dra.inventory.names import Verdict, by_name
from kubectl_dra.inventory.scope import Scope
from kubectl_dra.objects.labels import parse
from kubectl_dra.objects.resource import Device, DeviceAttribute, DeviceClass, DeviceClassSpec, DeviceSelector
from kubectl_dra.objects.snapshot import Snapshot
from tests.factories import (
    GPU,
    custom_workload,
    device_class,
    devices,
    forbidden,
    meta,
    node,
    pod,
    quota,
    resource_slice,
    snapshot,
    workload,
)


def names(taken: Snapshot, scope: Scope | None = None, verdicts: dict[str, Verdict] | None = None) -> list[NameItem]:
    return [item for item in by_name(taken, scope, verdicts).items if isinstance(item, NameItem)]


def only(taken: Snapshot, scope: Scope | None = None) -> NameItem:
    (item,) = names(taken, scope)
    return item


def test_a_cluster_in_the_middle_of_a_move() -> None:
    item = only(
        snapshot(
            node("a", gpu=8),
            node("b", gpu="0"),
            node("c", capacity={GPU: 4}, allocatable={GPU: 0}),
            device_class("gpu", GPU),
            resource_slice("b", 4),
            pod("one", 2, node="a"),
            pod("two", 1, node="b"),
            pod("waits", 1),
            pod("done", 4, node="a", phase="Succeeded"),
            quota("q", {f"requests.{GPU}": "10", GPU: "1"}, used={f"requests.{GPU}": "4"}),
            deployments=[workload("off", 1, replicas=0)],
        )
    )
    assert item.plugin == PluginSide(nodes=1, capacity=12, allocatable=8)
    assert item.dra == DraSide("gpu", 1, 4)
    assert item.asked == Asked(pods=3, running=2, pending=1, devices=4, workloads=4, workloads_at_zero=1, workloads_at_zero_seen=1)
    assert item.quotas == (QuotaUse("default", "q", f"requests.{GPU}", "10", "4"),)


def test_quotas_on_the_claims_of_the_class_count_too() -> None:
    hard = {"gpu.deviceclass.resource.k8s.io/devices": "4", "requests.deviceclass.resource.kubernetes.io/gpu": "4"}
    item = only(snapshot(device_class("gpu", GPU), quota("q", hard)))
    assert [use.key for use in item.quotas or ()] == sorted(hard)


def test_names_come_from_nodes_classes_pods_and_workloads() -> None:
    taken = snapshot(
        node("a", capacity={"a.com/x": 1, "cpu": "4", "hugepages-2Mi": 0}),
        device_class("b", "b.com/x"),
        pod("c", resources={"c.com/x": 1, "deviceclass.resource.kubernetes.io/b": 1}),
        custom=[custom_workload("JobSet", "d", 1)],
    )
    assert [item.name for item in names(taken)] == ["a.com/x", "b.com/x", "c.com/x", "deviceclass.resource.kubernetes.io/b", GPU]


def test_verdicts_are_the_audit_s() -> None:
    taken = snapshot(node("a", capacity={GPU: 1, "devices.kubevirt.io/kvm": "1k", "a.com/x": 1}))
    found = names(taken, verdicts={GPU: Verdict("blocked", ("DRA401",))})
    assert [(item.name, item.verdict, item.codes) for item in found] == [
        ("a.com/x", "unknown", ()),
        ("devices.kubevirt.io/kvm", "leave alone", ()),
        (GPU, "blocked", ("DRA401",)),
    ]


def test_quantities_are_exact() -> None:
    item = only(snapshot(node("a", gpu="1k"), node("b", gpu="1.5Ki"), node("c", gpu=2)))
    assert item.plugin == PluginSide(nodes=3, capacity=2538, allocatable=2538)


def test_shared_devices_are_counted_once() -> None:
    item = only(snapshot(node("a"), node("b"), device_class("gpu", GPU), resource_slice(None, 3, pool="fabric", all_nodes=True)))
    assert item.dra == DraSide("gpu", 2, 3)


def test_selectors_are_judged_and_those_that_fail_are_said() -> None:
    by_model = device_class("gpu", GPU, selectors=('device.driver == "gpu.example.com" && device.attributes["x"].y == "z"',))
    z = Device("z", {"x/y": DeviceAttribute(string="z")})
    assert only(snapshot(node("a"), by_model, resource_slice("a", (z,)))).dra == DraSide("gpu", 1, 1)
    item = only(snapshot(node("a"), by_model, resource_slice("a", (*devices(1), z))))
    assert item.dra is not None
    assert (item.dra.nodes, item.dra.devices, item.dra.approximate) == (1, 1, False)
    assert item.dra.note.startswith("class gpu: selector #0 on device gpu.example.com/a/gpu-0: CEL runtime error: no such key: y.")


def test_devices_that_cannot_be_judged_are_null_and_said() -> None:
    of_another_kind = DeviceClass(meta("gpu"), DeviceClassSpec((DeviceSelector(),), GPU))
    item = only(snapshot(node("a"), of_another_kind, resource_slice("a", 3)))
    assert item.dra == DraSide("gpu", None, None, True, "class gpu: selector #0 is no CEL expression")


def test_a_name_of_which_nobody_knows_the_class_has_unknown_devices_not_none() -> None:
    taken = snapshot(node("a"), device_class("gpu", GPU), device_class("other", GPU), resource_slice("a", 3), version="v1.34.4")
    cluster = replace(taken.cluster, feature_gates={"DRAExtendedResource": True})
    expected = DraSide(None, None, None, True, "several classes have the name, and which one is taken is not known")
    assert only(replace(taken, cluster=cluster)).dra == expected


def test_what_may_not_be_read_is_null_and_never_none() -> None:
    refused = forbidden()  # type: ignore[var-annotated]
    taken = snapshot(
        device_class("gpu", GPU), nodes=refused, pods=refused, resource_slices=refused, resource_quotas=refused, deployments=refused
    )
    found = by_name(taken)
    (item,) = found.items
    assert isinstance(item, NameItem)
    assert item.plugin is None
    assert item.dra == DraSide("gpu", None, None, True)
    assert item.asked == Asked(None, None, None, None, None, None)
    assert item.quotas is None
    reason = 'things is forbidden: User "viewer" cannot list resource'
    assert found.unknown == tuple(Unknown(kind, reason) for kind in ("Node", "Pod", "ResourceSlice", "ResourceQuota", "Deployment"))


def test_workloads_at_zero_are_unknown_if_a_kind_could_not_be_read() -> None:
    item = only(snapshot(pod("one", 1), deployments=forbidden()))
    assert (item.asked.workloads, item.asked.workloads_at_zero, item.asked.workloads_at_zero_seen) == (1, None, 0)


def test_an_unserved_api_means_that_there_is_none() -> None:
    from kubectl_dra.objects.snapshot import KindReading, ReadState

    unserved = KindReading(state=ReadState.UNSERVED)  # type: ignore[var-annotated]
    item = only(snapshot(node("a", gpu=1), version="v1.32.0", device_classes=unserved, resource_slices=unserved, resource_claims=unserved))
    assert item.dra == DraSide(None, 0, 0)


def test_a_reading_of_one_namespace_says_nothing_of_the_others() -> None:
    taken = snapshot(pod("one", 1, namespace="team"))
    taken = replace(taken, cluster=replace(taken.cluster, namespace="team"))
    assert only(taken).asked.pods is None
    assert by_name(taken).unknown == (Unknown("Pod", "only the namespace team was read"),)
    assert only(taken, Scope(namespace="team")).asked.pods == 1


def test_a_scope_narrows() -> None:
    taken = snapshot(
        node("a", gpu=8, labels={"pool": "x"}),
        node("b", gpu=8, labels={"pool": "y"}),
        pod("one", 1, node="a", namespace="ns1", labels={"app": "web"}),
        pod("two", 2, node="b", namespace="ns1", labels={"app": "web"}),
        pod("three", 4, namespace="ns2"),
    )
    assert only(taken, Scope(namespace="ns1")).asked.devices == 3
    assert only(taken, Scope(pods=parse("app=web"))).asked.devices == 3
    on_x = only(taken, Scope(nodes=parse("pool=x")))
    assert (on_x.plugin, on_x.asked.devices) == (PluginSide(1, 8, 8), 5)
    assert names(taken, Scope(resources=("nvidia.com/*",))) == []


def test_a_name_that_was_asked_for_is_told_even_if_there_is_nothing_of_it() -> None:
    item = only(snapshot(node("a")), Scope(resources=("nvidia.com/gpu",)))
    assert (item.name, item.plugin, item.asked.pods) == ("nvidia.com/gpu", PluginSide(0, 0, 0), 0)


def test_a_lonely_null_object_does_no_harm() -> None:
    import msgspec

    from kubectl_dra.objects.node import Node
    from kubectl_dra.objects.pod import Pod

    taken = snapshot(msgspec.convert({}, Node), msgspec.convert({"spec": {"containers": None, "volumes": None}}, Pod))
    assert names(taken) == []
