"""From a node or a class to selectors."""

import pytest

from kubectl_dra.errors import ApiError, UsageError
from kubectl_dra.objects.resource import Device, DeviceTaintSelector
from kubectl_dra.taint_rules.choice import of_node, refuse_class
from tests.factories import DRIVER, device_class, node, resource_slice, snapshot
from tests.taint_rules.given import held

A, B = node("a"), node("b")


def per_device(*names: str, pool: str = "wide") -> object:
    """A slice whose devices each have a node, `*` for all nodes."""
    placed = [Device(f"d-{n}", node_name=None if on == "*" else on, all_nodes=on == "*" or None) for n, on in enumerate(names)]
    return resource_slice(None, placed, pool=pool, per_device=True)


def test_a_rule_for_each_pool_of_the_node() -> None:
    cluster = snapshot(A, B, resource_slice("a", 2), resource_slice("a", 1, driver="nic.example.com"), resource_slice("b", 2))
    assert of_node(cluster, "a").selectors == (DeviceTaintSelector(DRIVER, "a"), DeviceTaintSelector("nic.example.com", "a"))
    assert of_node(cluster, "a", driver=DRIVER).selectors == (DeviceTaintSelector(DRIVER, "a"),)


def test_a_pool_that_spans_nodes_gives_a_rule_a_device() -> None:
    found = of_node(snapshot(A, B, per_device("a", "b", "a", "*")), "a")
    assert found.selectors == (DeviceTaintSelector(DRIVER, "wide", "d-0"), DeviceTaintSelector(DRIVER, "wide", "d-2"))
    assert "1 of its devices can also be used from other nodes and is left out" in found.notes[0]


def test_only_the_newest_generation_counts() -> None:
    cluster = snapshot(A, B, resource_slice("b", 1, pool="p", generation=1), resource_slice("a", 1, pool="p", generation=2))
    assert of_node(cluster, "a").selectors == (DeviceTaintSelector(DRIVER, "p"),)
    with pytest.raises(UsageError, match="node b has no devices of its own"):
        of_node(cluster, "b")


def test_devices_that_nobody_publishes_any_more_are_the_nodes_too() -> None:
    cluster = snapshot(A, held("c", ("gone", "gpu-0"), by=["p"], node="a"))
    assert of_node(cluster, "a").selectors == (DeviceTaintSelector(DRIVER, "gone"),)


def test_too_many_devices_and_no_such_node() -> None:
    with pytest.raises(UsageError, match="node a has 33 devices in pools that span nodes"):
        of_node(snapshot(A, B, per_device("b", *["a"] * 33)), "a")
    with pytest.raises(ApiError, match='nodes "x" not found'):
        of_node(snapshot(A), "x")


def test_what_is_behind_a_class() -> None:
    cluster = snapshot(A, B, device_class("gpu"), resource_slice("a", 2), resource_slice("b", 1), resource_slice("b", 1, driver="other"))
    told = refuse_class(cluster, "gpu")
    assert told.message == "rules do not select by class (since 1.35): choose a driver and pool of what class gpu selects"
    assert told.hint == f"--driver={DRIVER} --pool=a (2 devices); --driver={DRIVER} --pool=b (1 device)"
    with pytest.raises(ApiError, match='"none" not found'):
        refuse_class(cluster, "none")
