"""The list of devices: where, whose, in which state, and what an expression says of each."""

from msgspec.structs import replace

from kubectl_dra.inventory.device_document import DeviceItem, Share, Trial
from kubectl_dra.inventory.device_list import State, Wanted, device_list
from kubectl_dra.inventory.document import ObjectName, Unknown
from kubectl_dra.inventory.expression import refusal
from kubectl_dra.objects.resource import (
    AllocationResult,
    Device,
    DeviceAllocationResult,
    DeviceAttribute,
    DeviceCapacity,
    DeviceRequestAllocationResult,
    DeviceTaint,
    DeviceTaintRule,
    DeviceTaintRuleSpec,
    DeviceTaintSelector,
    ResourceClaim,
    ResourceClaimStatus,
)
from kubectl_dra.objects.snapshot import ClusterInfo, Snapshot, Version
from tests.factories import DRIVER, claim, device_class, devices, forbidden, meta, node, resource_slice, snapshot

RULE = DeviceTaintRule(spec=DeviceTaintRuleSpec(DeviceTaintSelector(device="gpu-0"), DeviceTaint("repair", "now", "NoExecute")))


def items(taken: Snapshot, wanted: Wanted | None = None, where: str | None = None) -> tuple[DeviceItem, ...]:
    return device_list(taken, wanted, where).items


def states(taken: Snapshot, wanted: Wanted | None = None) -> dict[str, str]:
    return {item.device: item.state for item in items(taken, wanted)}


def shares(name: str, device: str, memory: str) -> ResourceClaim:
    result = DeviceRequestAllocationResult("r", DRIVER, "a", device, share_id=f"share-{name}", consumed_capacity={"memory": memory})
    return ResourceClaim(meta(name, "default"), status=ResourceClaimStatus(AllocationResult(DeviceAllocationResult((result,)))))


def test_states() -> None:
    sick = devices(1, first=10, taint="NoSchedule")
    taken = snapshot(resource_slice("a", (*sick, *devices(3))), claim("c", ("a", "gpu-1"), pod="p"), device_taint_rules=[RULE])
    assert states(taken) == {"gpu-0": "tainted", "gpu-1": "allocated", "gpu-2": "free", "gpu-10": "tainted"}
    assert [item.taints for item in items(taken)] == [("repair=now:NoExecute",), (), (), ("example.com/sick:NoSchedule",)]
    assert states(taken, Wanted(states=frozenset({State.FREE}))) == {"gpu-2": "free"}


def test_whose_a_device_is() -> None:
    taken = snapshot(resource_slice("a", 2), claim("c", ("a", "gpu-1"), pod="p"), claim("watching", ("a", "gpu-0"), admin=True))
    assert [(item.claim, item.pod) for item in items(taken)] == [(None, None), (ObjectName("default", "c"), "p")]


def test_shares_say_how_much_is_taken() -> None:
    big = Device("gpu-0", capacity={"memory": DeviceCapacity("80Gi")}, allow_multiple_allocations=True)
    (found,) = items(snapshot(resource_slice("a", (big,)), shares("one", "gpu-0", "20Gi"), shares("two", "gpu-0", "10Gi")))
    assert (found.state, found.shared_percent, found.claim) == ("shared", 37, None)
    assert found.shares == (
        Share(ObjectName("default", "one"), (), {"memory": "20Gi"}),
        Share(ObjectName("default", "two"), (), {"memory": "10Gi"}),
    )


def test_devices_of_pools_that_are_not_used() -> None:
    half = resource_slice("a", 1, slices=2)
    twice = resource_slice("b", (Device("x"), Device("x")))
    found = items(snapshot(half, twice))
    assert [(item.device, item.state, item.note) for item in found] == [
        ("gpu-0", "incomplete", "pool a of gpu.example.com: it has 1 of 2 slices of generation 1"),
        ("x", "invalid", "pool b of gpu.example.com: it is not valid: duplicate device name x"),
        ("x", "invalid", "pool b of gpu.example.com: it is not valid: duplicate device name x"),
    ]
    assert states(snapshot(half, claim("c", ("a", "gpu-0")))) == {"gpu-0": "allocated"}


def test_a_device_that_is_held_and_no_longer_published() -> None:
    taken = snapshot(resource_slice("a", 1), claim("c", ("a", "gpu-7"), pod="p"))
    assert [(item.device, item.state, item.pod, item.note) for item in items(taken)] == [
        ("gpu-0", "free", None, ""),
        ("gpu-7", "allocated", "p", "no slice of the pool's newest generation has it"),
    ]


def test_without_claims_nothing_is_called_free() -> None:
    found = device_list(snapshot(resource_slice("a", 1), resource_claims=forbidden("resourceclaims")))
    assert [item.state for item in found.items] == ["unknown"]
    assert found.unknown == (Unknown("ResourceClaim", 'resourceclaims is forbidden: User "viewer" cannot list resource'),)
    only_one = snapshot(resource_slice("a", 2), claim("c", ("a", "gpu-0")))
    narrowed = replace(only_one, cluster=replace(only_one.cluster, namespace="default"))
    assert states(narrowed) == {"gpu-0": "allocated", "gpu-1": "unknown"}


def test_without_rules_only_taints_that_are_seen_are_told() -> None:
    taken = snapshot(resource_slice("a", (*devices(1), *devices(1, first=1, taint="NoExecute"))), device_taint_rules=forbidden())
    assert states(taken) == {"gpu-0": "unknown", "gpu-1": "tainted"}


def test_classes_that_select_and_classes_that_fail() -> None:
    taken = snapshot(
        resource_slice("a", 1),
        device_class("all", driver=None),
        device_class("bad", selectors=('device.attributes["x"].y == 1',)),
        device_class("other", driver="other.example.com"),
    )
    (found,) = items(taken)
    assert found.classes == ("all",)
    assert found.failing["bad"].startswith("class bad: selector #0 on device gpu.example.com/a/gpu-0: CEL runtime error: no such key: y")
    assert states(taken, Wanted(device_class="other")) == {}


def test_narrowed_to_a_node_shared_devices_are_among_them() -> None:
    fabric = resource_slice(None, devices(1, first=5), pool="fabric", all_nodes=True)
    taken = snapshot(node("a"), node("b"), resource_slice("a", 1), resource_slice("b", devices(1, first=1)), fabric)
    assert [item.device for item in items(taken, Wanted(node="b"))] == ["gpu-1", "gpu-5"]
    assert [(item.node, item.nodes) for item in items(taken)] == [("a", "a"), ("b", "b"), (None, "all nodes")]
    assert [item.device for item in items(taken, Wanted(pool="a", driver=DRIVER))] == ["gpu-0"]


def test_an_expression_is_tried_on_each() -> None:
    x, y, none = Device("x", {"model": DeviceAttribute(string="x")}), Device("y", {"model": DeviceAttribute(string="y")}), Device("z")
    where = f'device.attributes["{DRIVER}"].model == "x"'
    found = items(snapshot(resource_slice("a", (x, y, none))), where=where)
    assert [item.where for item in found] == [
        Trial(True),
        Trial(False, (f'{where}: "y" != "x"',)),
        Trial(
            None,
            (f'device.attributes["{DRIVER}"].model: no such key: model',),
            "no such key: model. consider using CEL optional chaining (.? followed by orValue()) or guarding the check with has() for"
            " optional fields",
        ),
    ]


def test_what_the_api_server_refuses() -> None:
    now, before = ClusterInfo(emulated=Version(1, 37)), ClusterInfo(emulated=Version(1, 35))
    assert refusal('device.driver == "a"', now) == ""
    assert refusal("device.driver", now) == 'Invalid value: "device.driver": must evaluate to bool or the unknown type, not string'
    assert refusal("device.allowMultipleAllocations", now) == ""
    assert refusal("device.allowMultipleAllocations", before).endswith(
        "undefined field 'allowMultipleAllocations'\n | device.allowMultipleAllocations\n | ......^"
    )
    assert refusal("true" + " " * 10240, now) == "Too long: may not be more than 10240 bytes"
    assert refusal("lists.range(100000).all(x, lists.range(100000).all(y, x == y))", now) == "Forbidden: too complex, exceeds cost limit"
