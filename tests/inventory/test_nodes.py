"""The inventory by node."""

import pytest

from kubectl_dra.inventory.document import Devices, MoveCost, NodeItem, NodeResource, ObjectName
from kubectl_dra.inventory.nodes import by_node
from kubectl_dra.inventory.scope import Scope
from kubectl_dra.objects.node import Taint
from kubectl_dra.objects.resource import Device, DeviceTaint, DeviceTaintRule, DeviceTaintRuleSpec, DeviceTaintSelector
from kubectl_dra.objects.snapshot import Snapshot
from tests.factories import (
    DRIVER,
    GPU,
    budget,
    claim,
    csi_driver,
    device_class,
    devices,
    forbidden,
    node,
    pod,
    resource_slice,
    snapshot,
)

MAPPED = device_class("gpu", GPU)


def nodes(taken: Snapshot, scope: Scope | None = None, *, by_cost: bool = False) -> list[NodeItem]:
    return [item for item in by_node(taken, scope, sort_by_move_cost=by_cost).items if isinstance(item, NodeItem)]


def gpu(taken: Snapshot, name: str = "a") -> NodeResource:
    (found,) = [resource for item in nodes(taken) if item.node == name for resource in item.resources if resource.name == GPU]
    return found


def test_a_plugin_node() -> None:
    plugin = pod("plugin", namespace="kube-system", node="a", mounts=["/var/lib/kubelet/device-plugins"])
    found = gpu(snapshot(node("a", gpu=8), pod("one", 2, node="a"), plugin))
    assert found == NodeResource(GPU, "plugin", 8, 8, 2, Devices(0, 0, 0, 0), plugin_pods=(ObjectName("kube-system", "plugin"),))


def test_a_dra_node() -> None:
    sick = devices(1, first=3, taint="NoSchedule")
    driver = pod(
        "driver", namespace="drivers", node="a", mounts=[f"/var/lib/kubelet/plugins/{DRIVER}", "/var/lib/kubelet/plugins_registry"]
    )
    found = gpu(
        snapshot(
            node("a", gpu="0"),
            MAPPED,
            resource_slice("a", (*devices(3), *sick)),
            claim("c", ("a", "gpu-0"), pod="one"),
            claim("watching", ("a", "gpu-1"), admin=True),
            pod("one", 1, node="a", claim="c"),
            driver,
        )
    )
    assert found == NodeResource(
        GPU, "dra", 0, 0, 1, Devices(total=4, allocated=1, free=2, tainted=1), driver_pods=(ObjectName("drivers", "driver"),)
    )


@pytest.mark.parametrize(
    ("selector", "tainted"),
    [
        (DeviceTaintSelector(device="gpu-0"), 1),
        (DeviceTaintSelector(driver=DRIVER), 2),
        (DeviceTaintSelector(pool="other"), 0),
        (DeviceTaintSelector(), 2),
        (None, 0),
    ],
)
def test_rules_taint_too(selector: DeviceTaintSelector | None, tainted: int) -> None:
    rule = DeviceTaintRule(spec=DeviceTaintRuleSpec(selector, DeviceTaint("k", None, "NoExecute")))
    found = gpu(snapshot(node("a"), MAPPED, resource_slice("a", 2), device_taint_rules=[rule]))
    assert (found.devices.tainted, found.devices.free) == (tainted, 2 - tainted)


@pytest.mark.parametrize(("version", "tainted"), [("v1.36.3", 2), ("v1.37.0", 2), ("v1.37.1", 0)])
def test_before_1_37_1_a_rule_without_a_selector_is_taken_for_one_on_everything(version: str, tainted: int) -> None:
    rule = DeviceTaintRule(spec=DeviceTaintRuleSpec(None, DeviceTaint("k", None, "NoSchedule")))
    found = gpu(snapshot(node("a"), MAPPED, resource_slice("a", 2), device_taint_rules=[rule], version=version))
    assert (found.devices.tainted, found.devices.free) == (tainted, 2 - tainted)


def test_rules_that_select_by_class_or_cel_leave_the_numbers_unknown() -> None:
    rule = DeviceTaintRule(spec=DeviceTaintRuleSpec(DeviceTaintSelector(device_class_name="other"), DeviceTaint("k", None, "NoSchedule")))
    found = gpu(snapshot(node("a"), MAPPED, resource_slice("a", 2), device_taint_rules=[rule]))
    assert found.devices == Devices(total=2, allocated=0, free=None, tainted=None)


def test_taints_without_an_effect_on_scheduling_do_not_count() -> None:
    found = gpu(snapshot(node("a"), MAPPED, resource_slice("a", (Device("x", taints=(DeviceTaint("k", None, "None"),)),))))
    assert found.devices == Devices(1, 0, 1, 0)


def test_unread_claims_leave_allocated_and_free_unknown() -> None:
    found = gpu(snapshot(node("a"), MAPPED, resource_slice("a", 2), resource_claims=forbidden()))
    assert found.devices == Devices(2, None, None, 0)


def test_unread_slices_leave_all_devices_unknown() -> None:
    found = gpu(snapshot(node("a", gpu=1), MAPPED, resource_slices=forbidden()))
    assert (found.state, found.devices, found.approximate) == ("both", Devices(None, None, None, None), True)


def test_cordoned_and_tainted_nodes_are_there() -> None:
    taken = snapshot(
        node("a", gpu=1, cordoned=True),
        node("b", gpu=1, taints=[Taint("nvidia.com/gpu", None, "NoSchedule")]),
        node("c", kubelet="v1.34.1"),
    )
    assert [(item.node, item.kubelet_version, item.cordoned, item.tainted, len(item.resources)) for item in nodes(taken)] == [
        ("a", "v1.37.2", True, False, 1),
        ("b", "v1.37.2", False, True, 1),
        ("c", "v1.34.1", False, False, 0),
    ]


def test_names_of_other_nodes_are_not_told_unless_asked_for() -> None:
    taken = snapshot(node("a", gpu=1), node("b"))
    assert [len(item.resources) for item in nodes(taken)] == [1, 0]
    assert [item.resources[0].state for item in nodes(taken, Scope(resources=(GPU,)))] == ["plugin", "none"]


# plugin and driver pods


def test_a_known_plugin_goes_before_one_that_only_mounts_the_folder() -> None:
    name = "nvidia.com/gpu"
    taken = snapshot(
        node("a", capacity={name: 8, GPU: 2}),
        pod("nvidia", node="a", labels={"app": "nvidia-device-plugin-daemonset"}, mounts=["/var/lib/kubelet/device-plugins"]),
        pod("other", node="a", mounts=["/var/lib/kubelet/device-plugins/"]),
        pod("old", node="a", phase="Failed", mounts=["/var/lib/kubelet/device-plugins"]),
        pod("elsewhere", node="b", mounts=["/var/lib/kubelet/device-plugins"]),
    )
    (item,) = nodes(taken)
    assert {resource.name: [each.name for each in resource.plugin_pods or ()] for resource in item.resources} == {
        GPU: ["other"],
        name: ["nvidia"],
    }


def test_the_registry_proves_nothing_and_csi_drivers_are_no_dra_drivers() -> None:
    found = gpu(
        snapshot(
            node("a"),
            MAPPED,
            resource_slice("a", 1),
            csi_driver("disk.example.com"),
            pod("csi", node="a", mounts=["/var/lib/kubelet/plugins/disk.example.com", "/var/lib/kubelet/plugins_registry"]),
            pod("registrar", node="a", mounts=["/var/lib/kubelet/plugins_registry"]),
            pod("all", node="a", mounts=["/var/lib/kubelet/plugins"]),
        )
    )
    assert found.driver_pods == ()


def test_unread_pods_leave_pods_and_asked_unknown() -> None:
    found = gpu(snapshot(node("a", gpu=1), pods=forbidden()))
    assert (found.asked, found.plugin_pods, found.driver_pods) == (None, None, None)


# the cost of a move


def test_the_cheapest_node_to_move_comes_first() -> None:
    taken = snapshot(
        node("busy", gpu=8),
        node("idle", gpu=8),
        node("light", gpu=8),
        node("moved"),
        MAPPED,
        resource_slice("moved", 8),
        pod("b1", 1, node="busy", owner=("ReplicaSet", "web"), labels={"app": "web"}),
        pod("b2", 1, node="busy", owner=("JobSet", "train")),
        pod("b3", 1, node="busy"),
        pod("l1", 1, node="light", owner=("ReplicaSet", "web"), labels={"app": "web"}),
        pod("m1", 1, node="moved"),
        pod("cpu", node="idle"),
        budget("web", {"app": "web"}, allowed=0),
    )
    assert [(item.node, item.move_cost) for item in nodes(taken, by_cost=True)] == [
        ("idle", MoveCost(0, 0, 0, 0, 0)),
        ("light", MoveCost(1, 0, 0, 0, 1)),
        ("busy", MoveCost(3, 1, 1, 2, 1)),
        ("moved", None),
    ]


def test_two_budgets_on_one_pod_hold_it() -> None:
    taken = snapshot(
        node("a", gpu=1),
        pod("p", 1, node="a", labels={"x": "y"}),
        budget("one", {"x": "y"}),
        budget("two", {}),
        pod("q", 1, node="a", namespace="n"),
    )
    assert nodes(taken)[0].move_cost == MoveCost(holders=2, bare=2, in_gangs=0, without_budget=1, blocked_by_budget=1)


def test_unread_budgets_are_unknown() -> None:
    taken = snapshot(node("a", gpu=1), pod("p", 1, node="a"), pod_disruption_budgets=forbidden())
    assert nodes(taken)[0].move_cost == MoveCost(1, 1, 0, None, None)


def test_names_to_leave_alone_cost_nothing() -> None:
    taken = snapshot(node("a", capacity={"devices.kubevirt.io/kvm": 10}), pod("vm", resources={"devices.kubevirt.io/kvm": 1}, node="a"))
    assert nodes(taken)[0].move_cost is None
