"""Pools: the newest generation, complete, and from which nodes its devices are reached (E43)."""

import msgspec
from msgspec.structs import replace

from kubectl_dra.allocation.features import Features
from kubectl_dra.inventory.pools import Pools
from kubectl_dra.objects.node import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from kubectl_dra.objects.resource import Device, ResourceSlice
from tests.factories import devices, node, resource_slice

ZONE_A = NodeSelector((NodeSelectorTerm((NodeSelectorRequirement("zone", "In", ("a",)),)),))


def reached(slices: list[ResourceSlice], name: str = "n1", **labels: str) -> list[str]:
    return [placed.device.name for placed in Pools(slices).devices_on(node(name, labels=labels))]


def test_a_node_reaches_its_own_devices_only() -> None:
    slices = [resource_slice("n1", 2), resource_slice("n2", devices(1, first=5))]
    assert reached(slices) == ["gpu-0", "gpu-1"]


def test_old_generations_do_not_count() -> None:
    assert reached([resource_slice("n1", 2), resource_slice("n1", devices(1, first=7), generation=2)]) == ["gpu-7"]


def test_half_of_a_new_generation_makes_the_pool_unusable() -> None:
    slices = [resource_slice("n1", 1), resource_slice("n1", 1, generation=2, slices=2)]
    pools = Pools(slices)
    assert list(pools.devices()) == []
    assert [(pool.pool, pool.nodes, pool.why) for pool in pools.unusable] == [("n1", ("n1",), "it has 1 of 2 slices of generation 2")]


def test_a_pool_of_several_slices() -> None:
    slices = [resource_slice("n1", devices(2), slices=2), resource_slice("n1", devices(1, first=2), slices=2)]
    assert reached(slices) == ["gpu-0", "gpu-1", "gpu-2"]


def test_more_slices_than_the_count_are_no_complete_pool() -> None:
    assert reached([resource_slice("n1", 1), resource_slice("n1", devices(1, first=1))]) == []


def test_two_devices_of_one_name_make_the_pool_unusable() -> None:
    assert reached([resource_slice("n1", (Device("a"), Device("a")))]) == []


def test_a_fault_in_what_is_for_other_nodes_does_not_matter() -> None:
    twice = [resource_slice("n1", 1, pool="p", slices=2), resource_slice("n2", 1, pool="p", slices=2)]
    for number, each in enumerate(twice):
        twice[number] = replace(each, metadata=replace(each.metadata, name=f"s{number}"))
    pools = Pools(twice)
    assert reached(twice) == ["gpu-0"]
    assert [each.why for each in pools.unusable] == ["it is not valid: duplicate device name gpu-0"]
    assert pools.unusable_on(node("n1")) == ()


def test_an_old_generation_that_is_complete_hides_a_newer_one_on_other_nodes() -> None:
    slices = [resource_slice("n1", 1, pool="p"), resource_slice("n2", devices(1, first=7), pool="p", generation=2)]
    assert (reached(slices), reached(slices, "n2")) == (["gpu-0"], ["gpu-7"])
    assert [each.device.name for each in Pools(slices).devices()] == ["gpu-7"]


def test_pools_that_a_node_cannot_use() -> None:
    slices = [resource_slice("n1", 1, slices=2), resource_slice("n2", 1)]
    assert [[each.pool for each in Pools(slices).unusable_on(node(name))] for name in ("n1", "n2")] == [["n1"], []]


def test_a_broken_node_selector_stops_everything_on_the_nodes_that_see_it() -> None:
    broken = NodeSelector((NodeSelectorTerm((NodeSelectorRequirement("zone", "Bogus"),)),))
    slices = [resource_slice(None, 1, pool="p", node_selector=broken), resource_slice("n1", 1)]
    assert reached(slices) == []
    assert 'Unsupported value: "Bogus"' in Pools(slices).failure(node("n1"))


def test_partitions_are_no_devices_where_the_gate_is_off() -> None:
    slices = [resource_slice(None, (Device("here", node_name="n1"),), pool="p", per_device=True)]
    off = Pools(slices, Features(partitionable_devices=False))
    assert (reached(slices), list(off.devices_on(node("n1"))), list(off.devices())) == (["here"], [], [])


def test_shared_pools() -> None:
    everywhere = resource_slice(None, 1, pool="fabric", all_nodes=True)
    zone = resource_slice(None, devices(1, first=1), pool="zone", node_selector=ZONE_A)
    assert reached([everywhere, zone], zone="a") == ["gpu-0", "gpu-1"]
    assert reached([everywhere, zone], zone="b") == ["gpu-0"]


def test_devices_with_places_of_their_own() -> None:
    placed = (
        Device("here", node_name="n1"),
        Device("there", node_name="n2"),
        Device("zone", node_selector=ZONE_A),
        Device("all", all_nodes=True),
    )
    assert reached([resource_slice(None, placed, pool="p", per_device=True)], zone="a") == ["here", "zone", "all"]


def test_null_fields_are_no_devices() -> None:
    assert reached([msgspec.convert({"spec": {"devices": None}}, ResourceSlice), msgspec.convert({}, ResourceSlice)]) == []
