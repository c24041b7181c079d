"""Pods are read last, and only those that decide."""

from msgspec.structs import replace

from kubectl_dra.explanation.pods_needed import MOST, nodes_needed
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.snapshot import Snapshot
from tests.explanation.given import codes, explained, on
from tests.factories import GPU, claim, device_class, forbidden, node, pod, resource_slice, snapshot

NODES = [node(f"n{number}") for number in range(MOST + 1)]
GPUS = device_class("gpu", GPU)
HELD = claim("c", ("n0", "gpu-0"), pod="other")


def cluster(*objects: object) -> Snapshot:
    return snapshot(*NODES, GPUS, *objects)


def with_priority(found: Pod) -> Pod:
    return replace(found, spec=replace(found.spec, priority=1))


def test_only_nodes_that_nothing_else_is_against() -> None:
    two = cluster(resource_slice("n0", 1), resource_slice("n1", 1), HELD)
    assert nodes_needed(two, pod("train", gpu=1)) == ("n1",)
    assert nodes_needed(two, pod("train", gpu=1), "n0") == ("n0", "n1")


def test_the_plugin_s_devices_are_counted_by_pods() -> None:
    offering = snapshot(*NODES[1:], node("n0", gpu=4), GPUS)
    assert nodes_needed(offering, pod("train", gpu=1)) == ("n0",)


def test_all_pods_of_a_small_cluster_and_where_most_nodes_need_them() -> None:
    assert nodes_needed(snapshot(*NODES[:MOST], GPUS), pod("train", gpu=1)) is None
    assert nodes_needed(cluster(*(resource_slice(each.metadata.name, 1) for each in NODES)), pod("train", gpu=1)) is None


def test_all_pods_for_one_with_a_priority_and_none_for_one_that_has_its_node() -> None:
    assert nodes_needed(cluster(), with_priority(pod("train", gpu=1))) is None
    assert nodes_needed(cluster(), pod("train", gpu=1, node="n0")) == ()


def test_pods_that_could_not_be_read_leave_it_open_whether_the_node_has_room() -> None:
    found = explained(pod("train", gpu=1), node("a"), GPUS, resource_slice("a", 1), pods=forbidden("pods"))
    assert (found.verdict, on(found, "a").verdict, codes(found)) == ("unknown", "unknown", ["undecided"])
    assert [each.kind for each in found.unknown] == ["Pod"]
