"""Who serves a name on a node: allocatable decides, capacity never does (F6, E4 to E6)."""

import pytest
from msgspec.structs import replace

from kubectl_dra.inventory.servers import Server, Servers
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.resource import Device, DeviceAttribute, DeviceClass, DeviceClassSpec, DeviceSelector
from kubectl_dra.objects.snapshot import Snapshot
from tests.factories import DRIVER, GPU, device_class, forbidden, meta, node, resource_slice, snapshot

MAPPED = device_class("gpu", GPU)
LEFT = {"capacity": {GPU: 8}, "allocatable": {GPU: 0}}


def server(on: Node, *objects: object, version: str = "v1.37.2", **readings: object) -> Server:
    return Servers(snapshot(on, *objects, version=version, **readings)).server(on, GPU)  # type: ignore[arg-type]


def with_gate(on: bool, taken: Snapshot) -> Snapshot:
    return replace(taken, cluster=replace(taken.cluster, feature_gates={"DRAExtendedResource": on}))


@pytest.mark.parametrize(
    ("on", "objects", "state"),
    [
        (node("a", gpu=8), (), "plugin"),
        (node("a", gpu=8), (MAPPED,), "plugin"),
        (node("a", gpu=8), (MAPPED, resource_slice("b", 4)), "plugin"),
        (node("a", gpu=8), (MAPPED, resource_slice("a", 4)), "both"),
        (node("a", gpu=8), (resource_slice("a", 4),), "plugin"),
        (node("a"), (MAPPED, resource_slice("a", 4)), "dra"),
        (node("a", gpu="0"), (MAPPED, resource_slice("a", 4)), "dra"),
        (node("a", **LEFT), (MAPPED, resource_slice("a", 4)), "dra"),  # type: ignore[arg-type]
        (node("a", **LEFT), (MAPPED,), "inactive"),  # type: ignore[arg-type]
        (node("a", **LEFT), (), "inactive"),  # type: ignore[arg-type]
        (node("a", gpu="0"), (MAPPED,), "none"),
        (node("a"), (MAPPED, resource_slice("a", 4, driver="other.example.com")), "none"),
        (node("a"), (resource_slice("a", 4),), "none"),
    ],
)
def test_states(on: Node, objects: tuple[object, ...], state: str) -> None:
    assert server(on, *objects).state == state


def test_an_incomplete_pool_serves_nothing_and_is_told() -> None:
    found = server(node("a"), MAPPED, resource_slice("a", 4, slices=2))
    assert (found.state, found.devices) == ("none", ())
    assert found.note == "pool a of gpu.example.com: it has 1 of 2 slices of generation 1"


def test_states_go_by_the_devices_that_the_class_selects() -> None:
    by_model = device_class("gpu", GPU, selectors=(f'device.driver == "{DRIVER}" && device.attributes["{DRIVER}"].model == "x"',))
    x, y = (Device(name, {"model": DeviceAttribute(string=name)}) for name in "xy")
    assert [server(node("a", gpu=8), by_model, resource_slice("a", (each,))).state for each in (x, y)] == ["both", "plugin"]
    found = server(node("a"), by_model, resource_slice("a", (x, y)))
    assert (found.state, [each.device.name for each in found.devices or ()], found.approximate) == ("dra", ["x"], False)


def test_a_selector_that_fails_on_a_device_is_told_and_selects_nothing() -> None:
    by_model = device_class("gpu", GPU, selectors=('device.attributes["x"].y == "z"',))
    found = server(node("a"), by_model, resource_slice("a", 4))
    assert (found.state, found.devices, found.approximate) == ("none", (), False)
    assert found.note == (
        "class gpu: selector #0 on device gpu.example.com/a/gpu-0: CEL runtime error: no such key: y. consider using CEL optional chaining"
        " (.? followed by orValue()) or guarding the check with has() for optional fields (and on 3 more):"
        " a pod for which the scheduler looks at such a device is placed on no node"
    )


def test_a_selector_that_cannot_be_decided_makes_the_answer_approximate() -> None:
    of_another_kind = DeviceClass(meta("gpu"), DeviceClassSpec((DeviceSelector(),), GPU))
    found = server(node("a"), of_another_kind, resource_slice("a", 4))
    assert (found.state, found.devices, found.approximate) == ("dra", None, True)
    assert found.note == "class gpu: selector #0 is no CEL expression"


def test_where_the_driver_has_nothing_the_answer_is_certain() -> None:
    by_model = device_class("gpu", GPU, selectors=('device.driver == "gpu.example.com" && device.attributes["x"].y == "z"',))
    found = server(node("a", gpu=8), by_model, resource_slice("a", 4, driver="other.example.com"))
    assert (found.state, found.devices, found.approximate) == ("plugin", (), False)


def test_1_34_leaves_a_node_that_lists_the_name_with_0_to_the_plugin() -> None:
    on = node("a", gpu="0")
    taken = with_gate(True, snapshot(on, MAPPED, resource_slice("a", 4), version="v1.34.4"))
    found = Servers(taken).server(on, GPU)
    assert (found.state, found.note) == ("none", "this scheduler leaves a node that lists the name with 0 to the device plugin")


def test_where_the_gate_is_off_classes_map_nothing() -> None:
    on = node("a")
    found = Servers(with_gate(False, snapshot(on, MAPPED, resource_slice("a", 4), version="v1.36.1"))).server(on, GPU)
    assert (found.state, found.note) == ("none", "the feature gate DRAExtendedResource is off: classes map nothing")


def test_a_gate_that_is_off_by_default_may_be_on_where_a_class_kept_its_name() -> None:
    found = server(node("a"), MAPPED, resource_slice("a", 4), version="v1.35.0")
    assert (found.state, found.approximate) == ("dra", True)
    assert found.note == "the feature gate DRAExtendedResource is off by default here, and whether it was turned on could not be read"
    assert server(node("a"), device_class("gpu"), resource_slice("a", 4), version="v1.35.0") == Server("none", 0, 0)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("on", "state"),
    [(node("a"), "dra"), (node("a", gpu=8), "both"), (node("a", gpu="0"), "none"), (node("b", gpu=8), "plugin"), (node("b"), "none")],
)
def test_where_1_34_takes_any_of_several_classes_their_devices_are_not_nobodys(on: Node, state: str) -> None:
    other = device_class("other", GPU)
    taken = with_gate(True, snapshot(on, MAPPED, other, resource_slice("a", 4), version="v1.34.4"))
    found = Servers(taken).server(on, GPU)
    assert (found.state, found.approximate) == (state, on.metadata.name == "a")
    assert found.note == "several classes have the name, and which one is taken is not known"


def test_unread_classes_leave_the_dra_side_unknown() -> None:
    found = server(node("a", gpu=8), resource_slice("a", 4), device_classes=forbidden())
    assert (found.state, found.devices, found.approximate) == ("plugin", None, True)


def test_implicit_names_always_go_to_dra() -> None:
    on = node("a", gpu=8)
    servers = Servers(snapshot(on, MAPPED, resource_slice("a", 4)))
    assert servers.server(on, "deviceclass.resource.kubernetes.io/gpu").state == "dra"
