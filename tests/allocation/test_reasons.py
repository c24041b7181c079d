"""Why a device is not given: the first thing against each."""

from random import Random
from typing import Any

import msgspec
import pytest

from kubectl_dra.allocation.allocated import AllocatedState, holders
from kubectl_dra.allocation.allocator import Allocator, Catalog
from kubectl_dra.allocation.documents import Question, without_nulls
from kubectl_dra.allocation.failure import FailureKind
from kubectl_dra.allocation.features import Implementation, implementation
from kubectl_dra.allocation.protocol import features
from kubectl_dra.allocation.reasons import Against, DeviceReason, defeating_constraints, reasons
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.resource import ResourceClaim, ResourceSlice
from tests.allocation.clusters import Clusters
from tests.factories import DRIVER, claim, device_class, node

A = node("a")
OLD = claim("old", ("a", "used"))


def slice_of(*devices: dict[str, Any], **spec: Any) -> ResourceSlice:
    pool = {"name": "a", "generation": 1, "resourceSliceCount": 1}
    return msgspec.convert(
        {"metadata": {"name": "a"}, "spec": {"driver": DRIVER, "nodeName": "a", "pool": pool, "devices": devices, **spec}}, ResourceSlice
    )


def asking(exactly: dict[str, Any] | None = None, **devices: Any) -> ResourceClaim:
    request = {"name": "r", "exactly": {"deviceClassName": "gpu", **(exactly or {})}}
    return msgspec.convert(
        {"metadata": {"name": "c", "namespace": "ns"}, "spec": {"devices": {"requests": [request], **devices}}}, ResourceClaim
    )


def against(one: ResourceSlice, wanted: ResourceClaim, on: Node = A) -> dict[str, DeviceReason]:
    allocator = Allocator(Catalog([one], [device_class("gpu")]), AllocatedState([OLD]))
    found = reasons(allocator, on, allocator.prepare([wanted]))
    return {each.device[2]: each for each in found.requests[0].devices}


def test_the_first_thing_against_each_device() -> None:
    one = slice_of(
        {"name": "used"},
        {"name": "small", "attributes": {"size": {"int": 1}}, "capacity": {"memory": {"value": "16Gi"}}},
        {"name": "short", "attributes": {"size": {"int": 2}}, "capacity": {"memory": {"value": "16Gi"}}},
        {"name": "none", "attributes": {"size": {"int": 2}}},
        {
            "name": "sick",
            "attributes": {"size": {"int": 2}},
            "capacity": {"memory": {"value": "80Gi"}},
            "taints": [{"key": "k", "effect": "NoSchedule"}],
        },
        {"name": "good", "attributes": {"size": {"int": 2}}, "capacity": {"memory": {"value": "80Gi"}}},
    )
    selector = {"cel": {"expression": f'device.attributes["{DRIVER}"].size > 1'}}
    found = against(one, asking({"selectors": [selector], "capacity": {"requests": {"memory": "40Gi"}}}))
    assert {name: each.against for name, each in found.items()} == {
        "used": Against.IN_USE,
        "small": Against.REQUEST_SELECTOR,
        "short": Against.CAPACITY,
        "none": Against.CAPACITY,
        "sick": Against.TAINTED,
        "good": None,
    }
    assert [str(each) for each in found["small"].trace] == [f'device.attributes["{DRIVER}"].size > 1: 1 <= 1']
    assert found["none"].capacity == "memory"
    assert getattr(found["short"].capacity, "name", "") == "memory"
    assert holders([OLD])[DRIVER, "a", "used"] == ("default/old",)


def test_a_failing_selector_and_a_missing_attribute() -> None:
    one = slice_of({"name": "d"})
    fails = against(one, asking({"selectors": [{"cel": {"expression": f'device.attributes["{DRIVER}"].x == 1'}}]}))["d"]
    assert (fails.against, fails.message.partition(".")[0]) == (Against.SELECTOR_FAILS, "no such key: x")
    missing = against(one, asking(constraints=[{"matchAttribute": f"{DRIVER}/x"}]))["d"]
    assert (missing.against, missing.attribute) == (Against.CONSTRAINT, f"{DRIVER}/x")


def test_a_counter_that_is_used_up() -> None:
    slices = slice_of({"name": "d", "consumesCounters": [{"counterSet": "s", "counters": {"m": {"value": "2"}}}]})
    counters = msgspec.structs.replace(
        slice_of(sharedCounters=[{"name": "s", "counters": {"m": {"value": "1"}}}]),
        metadata=msgspec.structs.replace(slices.metadata, name="b"),
    )
    both = [
        msgspec.structs.replace(
            each, spec=msgspec.structs.replace(each.spec, pool=msgspec.structs.replace(each.spec.pool, resource_slice_count=2))
        )
        for each in (slices, counters)
    ]
    allocator = Allocator(Catalog(both, [device_class("gpu")]), AllocatedState())
    found = reasons(allocator, A, allocator.prepare([asking()])).requests[0].devices[0]
    assert (found.against, found.counter) == (Against.COUNTERS, ("s", "m"))


def test_the_constraint_that_defeats_all_combinations() -> None:
    one = slice_of(*({"name": f"d{number}", "attributes": {"x": {"int": number}, "y": {"int": number}}} for number in range(2)))
    constraints = [{"matchAttribute": f"{DRIVER}/x"}, {"distinctAttribute": f"{DRIVER}/y"}]
    allocator = Allocator(Catalog([one], [device_class("gpu")]), AllocatedState())
    claims = allocator.prepare([asking({"count": 2}, constraints=constraints)])
    assert allocator.allocate(A, claims).allocations is None
    assert [(name, each.match_attribute) for name, each in defeating_constraints(allocator, A, claims)] == [("ns/c", f"{DRIVER}/x")]


def test_an_incomplete_pool_is_told() -> None:
    one = slice_of({"name": "d"})
    two = msgspec.structs.replace(
        one, spec=msgspec.structs.replace(one.spec, pool=msgspec.structs.replace(one.spec.pool, resource_slice_count=2))
    )
    allocator = Allocator(Catalog([two], [device_class("gpu")]), AllocatedState())
    found = reasons(allocator, A, allocator.prepare([asking()]))
    assert [(each.pool, each.incomplete) for each in found.pools] == [("a", True)]


@pytest.mark.parametrize("seed", range(20))
def test_reasons_and_allocator_agree_on_one_device(seed: int) -> None:
    compared = 0
    for number in range(20):
        clusters = Clusters(Random(seed * 1000 + number))  # noqa: S311 - no secret
        document = {**clusters.document(), "claims": [clusters.claim("c")]}
        document["claims"][0]["spec"]["devices"]["requests"] = [{"name": "r", "exactly": {**clusters.spec(), "count": 1}}]
        asked = msgspec.convert(without_nulls(document), Question)
        wanted = features(asked.features or {})
        if implementation(wanted) in (Implementation.STABLE, None):
            continue
        state = AllocatedState(asked.allocated or (), consumable_capacity=wanted.consumable_capacity)
        allocator = Allocator(Catalog(asked.slices or (), asked.classes or (), wanted), state)
        claims = allocator.prepare(asked.claims or ())
        on = asked.node or (asked.nodes or ())[0]
        answer = allocator.allocate(on, claims)
        if answer.kind in (None, FailureKind.NODE) and not any(each.every for each in claims[0].requests()):
            first = next((each.device for each in reasons(allocator, on, claims).requests[0].devices if each.against is None), None)
            given = [
                (result.driver, result.pool, result.device)
                for each in answer.allocations or ()
                for result in each.result.devices.results or ()
            ]
            assert given == ([] if first is None else [first])
            compared += 1
    assert compared
