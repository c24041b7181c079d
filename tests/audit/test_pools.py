"""Pools whose slices are not all there, or do not fit together (E43, facts on pools)."""

import msgspec
import pytest

from kubectl_dra.audit.candidate import Later, whole
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import Severity
from kubectl_dra.audit.run import examine
from kubectl_dra.audit.scope import Scope
from kubectl_dra.objects.resource import Counter, CounterSet, Device, DeviceCounterConsumption, ResourceSlice
from kubectl_dra.objects.snapshot import Snapshot
from tests.audit.given import cluster, findings, forbidden, names, node, only, resource_slice, unknown
from tests.factories import devices


def of(*slices: ResourceSlice) -> Snapshot:
    return cluster(nodes=[node("a"), node("b")], resource_slices=slices)


def part(counter_set: str = "memory", counter: str = "size") -> Device:
    consumes = DeviceCounterConsumption(counter_set, {counter: Counter("1Gi")})
    return msgspec.structs.replace(devices(1)[0], consumes_counters=(consumes,))


def counters(*sets: str, name: str = "counters", slices: int = 2) -> ResourceSlice:
    made = resource_slice("a", 0, name=name, slices=slices)
    shared = tuple(CounterSet(each, {"size": Counter("4Gi")}) for each in sets)
    return msgspec.structs.replace(made, spec=msgspec.structs.replace(made.spec, devices=None, shared_counters=shared))


def test_dra301_a_new_generation_of_which_half_is_there_gives_nothing() -> None:
    # kueue#14573: generation 1 is whole, generation 2 has one of its two slices
    given = of(resource_slice("a", 2, name="old"), resource_slice("a", 2, generation=2, slices=2, name="new"))
    finding = only(given, "DRA301")
    assert (finding.severity, names(finding)) == (Severity.ERROR, ["ResourceSlice new"])
    assert finding.title == "pool a of gpu.example.com is not complete: it has 1 of 2 slices of generation 2"
    assert "ResourceSlice new: generation 2, resourceSliceCount 2, 2 devices" in finding.evidence
    assert "kubectl delete resourceslice new" in finding.fix
    assert names(only(given, "DRA304")) == ["ResourceSlice old"]


def test_dra301_more_slices_than_there_should_be_is_incomplete_too() -> None:
    given = of(resource_slice("a", 2, name="one"), resource_slice("a", devices(2, first=2), name="two"))
    assert only(given, "DRA301").title.endswith("it has 2 of 1 slices of generation 1")


def test_dra301_it_is_read_again_whole_after_five_seconds() -> None:
    (sighting,) = examine(Case(of(resource_slice("a", 1, slices=2))), ["DRA301"]).sightings
    assert sighting.candidate.settling == Later((whole("ResourceSlice"),), 5.0)
    assert (sighting.settled, sighting.candidate.cause) == (False, "gpu.example.com/a")


@pytest.mark.parametrize("code", ["DRA301", "DRA302", "DRA303", "DRA304"])
def test_whole_pools_are_no_finding(code: str) -> None:
    given = of(
        resource_slice("a", 2, slices=2, name="one"),
        resource_slice("a", devices(2, first=2), slices=2, name="two"),
        resource_slice("b", 2, generation=7),
        resource_slice("b", 2, driver="nic.example.com", generation=1),
        resource_slice(None, 2, pool="shared", all_nodes=True),
    )
    assert findings(given, code) == ()


@pytest.mark.parametrize("code", ["DRA301", "DRA302", "DRA303", "DRA304"])
def test_slices_that_may_not_be_read_are_unknown(code: str) -> None:
    given = cluster(resource_slices=forbidden())
    assert (findings(given, code), len(unknown(given, code))) == ((), 1)


def test_dra302_two_devices_with_one_name() -> None:
    given = of(resource_slice("a", 2, slices=2, name="one"), resource_slice("a", devices(2, first=1), slices=2, name="two"))
    finding = only(given, "DRA302")
    assert finding.severity is Severity.ERROR
    assert finding.title == "pool a of gpu.example.com is not used: it is not valid: duplicate device name gpu-1"
    assert names(finding) == ["ResourceSlice one", "ResourceSlice two"]
    assert findings(given, "DRA301") == ()


def test_dra302_equal_names_on_different_nodes_do_not_matter() -> None:
    given = of(
        resource_slice("a", 2, pool="both", slices=2, name="one"),
        resource_slice("b", 2, pool="both", slices=2, name="two"),
    )
    assert findings(given, "DRA302") == ()


@pytest.mark.parametrize(
    ("slices", "why"),
    [
        ((counters("memory"), resource_slice("a", [part("cores")], slices=2, name="d")), "counter set cores not found"),
        ((counters("memory"), resource_slice("a", [part(counter="x")], slices=2, name="d")), "counter x not found in counter set memory"),
        ((counters("m", slices=2), counters("m", name="again", slices=2)), "duplicate counter set name m"),
    ],
)
def test_dra302_counters_that_no_slice_declares_or_two_do(slices: tuple[ResourceSlice, ...], why: str) -> None:
    assert only(of(*slices), "DRA302").title.endswith(f"it is not valid: {why}")


def test_dra302_counters_that_are_declared_are_fine() -> None:
    assert findings(of(counters("memory"), resource_slice("a", [part()], slices=2, name="d")), "DRA302") == ()


def test_dra303_slices_that_disagree() -> None:
    given = of(resource_slice("a", 1, slices=3, name="three"), resource_slice("a", devices(1, first=1), slices=2, name="two"))
    finding = only(given, "DRA303")
    assert (finding.severity, names(finding)) == (Severity.WARNING, ["ResourceSlice three", "ResourceSlice two"])
    assert finding.title == "slices of pool a of gpu.example.com disagree on how many there are: 2 or 3"


def test_dra303_an_older_generation_may_have_had_another_number() -> None:
    assert findings(of(resource_slice("a", 1, slices=3), resource_slice("a", 1, generation=2)), "DRA303") == ()


def test_dra304_one_finding_a_driver() -> None:
    given = of(
        *(resource_slice(each, 1, generation=generation, name=f"{each}-{generation}") for each in "ab" for generation in (1, 2)),
        resource_slice("a", 1, driver="nic.example.com"),
    )
    finding = only(given, "DRA304")
    assert (finding.severity, names(finding)) == (Severity.INFO, ["ResourceSlice a-1", "ResourceSlice b-1"])
    assert finding.evidence.split("\n")[0] == "ResourceSlice a-1 of pool a: generation 1, the newest is 2"
    assert finding.fix[-1] == "kubectl delete resourceslice a-1 b-1"


def test_pools_of_other_nodes_are_not_asked_about() -> None:
    given = of(resource_slice("a", 1, slices=2), resource_slice("b", 1, slices=2, name="of-b"))
    assert names(only(given, "DRA301", scope=Scope(nodes=("b",)))) == ["ResourceSlice of-b"]
