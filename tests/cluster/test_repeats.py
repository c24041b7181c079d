"""What an object tells about a write whose answer was lost."""

import pytest

from kubectl_dra.cluster.repeats import contains, guarded, is_patched

NODE = {
    "metadata": {"name": "a", "annotations": {"kubectl-dra.io/journal": "x"}, "uid": "1"},
    "spec": {"unschedulable": True, "taints": [{"key": "t", "effect": "NoSchedule", "timeAdded": "now"}]},
}


@pytest.mark.parametrize(
    ("wanted", "answer"),
    [
        ({}, True),
        ({"spec": {"unschedulable": True}}, True),
        ({"spec": {"unschedulable": 1}}, False),
        ({"spec": {"unschedulable": False}}, False),
        ({"spec": {"taints": [{"key": "t"}]}}, True),
        ({"spec": {"taints": []}}, False),
        ({"spec": {"podCIDR": None}}, True),
        ({"metadata": {"uid": None}}, False),
        ({"metadata": "a"}, False),
    ],
)
def test_all_that_was_sent_is_there(wanted: object, answer: bool) -> None:
    assert contains(NODE, wanted) is answer


@pytest.mark.parametrize(
    ("operation", "answer"),
    [
        ({"op": "add", "path": "/metadata/annotations/kubectl-dra.io~1journal", "value": "x"}, True),
        ({"op": "replace", "path": "/metadata/annotations/kubectl-dra.io~1journal", "value": "y"}, False),
        ({"op": "remove", "path": "/metadata/annotations/kubectl-dra.io~1journal"}, False),
        ({"op": "remove", "path": "/metadata/labels/z"}, True),
        ({"op": "add", "path": "/spec/taints/-", "value": {"key": "t", "effect": "NoSchedule"}}, True),
        ({"op": "add", "path": "/spec/taints/-", "value": {"key": "u"}}, False),
        ({"op": "add", "path": "/spec/taints/0", "value": {"key": "t"}}, True),
        ({"op": "add", "path": "/spec/taints/1", "value": {"key": "t"}}, False),
        ({"op": "test", "path": "/spec/unschedulable", "value": False}, True),
        ({"op": "move", "path": "/spec/unschedulable", "from": "/spec/x"}, False),
    ],
)
def test_a_patch_that_took_place(operation: dict[str, object], answer: bool) -> None:
    assert is_patched(NODE, [operation]) is answer


def test_only_a_patch_that_tests_fails_the_second_time() -> None:
    assert guarded([{"op": "test", "path": "/a", "value": 1}, {"op": "add", "path": "/a", "value": 2}])
    assert not guarded([{"op": "add", "path": "/a/-", "value": 2}])
