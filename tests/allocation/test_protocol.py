"""The protocol: how documents are cut, and the answers of its modes."""

from typing import Any

import msgspec
import pytest

from kubectl_dra.allocation.__main__ import documents
from tests.allocation.asking import Plain, ask

SLICE: dict[str, Any] = {
    "metadata": {"name": "s"},
    "spec": {
        "driver": "gpu.example.com",
        "nodeName": "a",
        "pool": {"name": "a", "generation": 1, "resourceSliceCount": 1},
        "devices": [{"name": "d", "capacity": {"memory": {"value": "1024Mi"}}}],
    },
}
CLASS = {"metadata": {"name": "gpu"}, "spec": {}}
CLAIM = {
    "metadata": {"name": "c", "namespace": "ns"},
    "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu"}}]}},
}
NODE = {"metadata": {"name": "a"}}


def document(**fields: Any) -> dict[str, Any]:
    return {"node": NODE, "slices": [SLICE], "classes": [CLASS], "claims": [CLAIM], **fields}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a":1}\n{"b":2}\n', ['{"a":1}', '{"b":2}']),
        ('{"a":1}{"b":2}', ['{"a":1}', '{"b":2}']),
        ('{\n "a": {\n  "b": 1\n }\n}\n{"c":2}', ['{\n "a": {\n  "b": 1\n }\n}', '{"c":2}']),
        ("\n \n", []),
    ],
)
def test_documents_may_stand_on_lines_of_their_own_or_not(text: str, expected: list[str]) -> None:
    found = documents(iter([f"{line}\n".encode() for line in text.split("\n")]))
    assert [msgspec.json.decode(each) for each in found] == [msgspec.json.decode(each) for each in expected]


def test_what_is_no_json_is_an_error() -> None:
    with pytest.raises(ValueError, match="line 1 column"):
        list(documents(iter([b'{"a": nope}\n'])))


def test_nulls_are_as_if_they_were_not_there() -> None:
    expected = ask(document())
    assert expected["allocated"][0]["devices"]["results"][0]["device"] == "d"
    assert ask(document(allocated=None, features=None, claims=[{**CLAIM, "status": None}], taintRules=[None])) == expected


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"mode": "other"}, "unknown mode other"),
        ({"features": {"Other": True}}, 'unknown feature "Other"'),
        ({"node": None}, "no node given"),
        ({"steps": [{"nodes": ["b"]}]}, "unknown node b"),
        (
            {"allocatedState": {"capacity": [{"driver": "d", "pool": "p", "device": "d", "capacity": {"x": "much"}}]}},
            "quantities must match",
        ),
    ],
)
def test_documents_that_cannot_be_used(fields: dict[str, Any], error: str) -> None:
    found = ask(document(**fields))
    assert found["errorKind"] == "input" and error in found["error"]


def test_a_step_sees_what_the_earlier_ones_left_and_gave_back() -> None:
    def step(name: str, **fields: Any) -> dict[str, Any]:
        return {"claims": [{**CLAIM, "metadata": {"name": name, "namespace": "ns"}}], **fields}

    found = ask(document(steps=[step("one"), step("two"), step("three", release=["ns/one"])]))["steps"]
    assert [each["allocated"] is not None for each in found] == [True, False, True]


def test_taints_of_rules_stand_behind_those_of_the_slice() -> None:
    taint = {"key": "sick", "effect": "NoSchedule", "timeAdded": "2026-01-01T01:00:00+01:00"}
    rule = {"metadata": {"name": "r"}, "spec": {"deviceSelector": {"driver": "gpu.example.com"}, "taint": taint}}
    found = ask({"mode": "slices", "slices": [SLICE], "taintRules": [rule]})["slices"][0]["spec"]["devices"][0]
    assert found == {"name": "d", "capacity": {"memory": {"value": "1Gi"}}, "taints": [{**taint, "timeAdded": "2026-01-01T00:00:00Z"}]}


def test_expressions_on_devices() -> None:
    found = ask({"mode": "cel", "driver": "a", "device": {"name": "d"}, "expressions": ['device.driver == "a"', "device.x"]})["results"]
    assert found[0][0]["result"] is True
    assert found[1][0]["errorKind"] == "compile"


def test_what_cannot_be_decided_says_so() -> None:
    both = {**SLICE, "metadata": {"name": "t"}, "spec": {**SLICE["spec"], "pool": {"name": "b", "generation": 1, "resourceSliceCount": 1}}}
    found = ask(document(features={"none": True}, slices=[SLICE, both]))
    assert found["error"] == "the answer depends on the order of the pools, which is random in the stable allocator"
    assert found["errorKind"] == "undecided"


def test_the_stable_allocator_answers_where_its_random_order_does_not_matter() -> None:
    found = ask(document(features={"none": True}))
    assert found["allocator"] == "stable" and found["allocated"][0]["devices"]["results"][0]["device"] == "d"


def test_too_many_devices_in_the_first_claim_are_an_error_and_in_a_later_one_a_no() -> None:
    devices = [{"name": f"d{number}"} for number in range(31)]
    one = {**SLICE, "spec": {**SLICE["spec"], "devices": devices}}
    counts = [{"name": f"r{count}", "exactly": {"deviceClassName": "gpu", "count": count}} for count in (30, -1, 3)]
    claim = {"metadata": {"name": "c", "namespace": "ns"}, "spec": {"devices": {"requests": counts}}}
    found = ask(document(slices=[one], claims=[claim]))
    assert (found["error"], found["errorKind"]) == ("allocation max size exceeded", "fatal")
    empty = {"metadata": {"name": "e", "namespace": "ns"}, "spec": {"devices": {"requests": []}}}
    assert ask(document(slices=[one], claims=[empty, claim]))["allocated"] is None


def test_steps_without_a_node_have_no_list_of_nodes() -> None:
    assert ask({"steps": [{}, {"allNodes": True}]}) == {"steps": [{"allocated": None, "nodes": None}, {"nodes": None}]}


def test_derived_attributes_are_written_as_upstream_does() -> None:
    def attribute(expression: str) -> dict[str, Any]:
        found: dict[str, Any] = ask({"mode": "cel", "derived": True, "estimate": True, "expression": expression})
        return found

    assert attribute("[1, 2]") == {"type": "list(int)", "maxCost": 10, "cost": 0, "attribute": {"ints": [1, 2]}}
    assert attribute("[]")["attribute"] == {}
    assert attribute("1 / 0") == {"type": "int", "maxCost": 1, "cost": 1, "error": "division by zero", "errorKind": "runtime"}
    assert attribute("1.5")["errorKind"] == "compile"


def test_after_a_step_that_cannot_be_decided_none_is() -> None:
    places = {"p2": "d2", "p10": "d3"}
    slices = [
        {"spec": {"driver": "d", "pool": {"name": pool, "resourceSliceCount": 1}, "devices": [{"name": name}], "allNodes": True}}
        for pool, name in places.items()
    ]

    def step(device_class: str, mode: str) -> Plain:
        request = {"name": "r", "exactly": {"deviceClassName": device_class, "allocationMode": mode}}
        return {"claims": [{"spec": {"devices": {"requests": [request]}}}]}

    classes = [{"metadata": {"name": "any"}}, {"metadata": {"name": "broken"}, "spec": {"selectors": [{}]}}]
    stable = {"ConsumableCapacity": False, "DeviceBindingAndStatus": False}
    steps = [step("any", "All"), step("broken", "ExactCount")]
    found = ask({"slices": slices, "classes": classes, "node": {}, "features": stable, "steps": steps})["steps"]
    assert [each["errorKind"] for each in found] == ["undecided", "undecided"]
    assert found[1]["error"] == "step 0 is undecided"
