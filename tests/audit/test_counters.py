"""DRA306: counters of which partitions in use take more than there is."""

from msgspec.structs import replace

from kubectl_dra.audit.finding import Severity
from kubectl_dra.audit.scope import Scope
from kubectl_dra.objects.resource import (
    AllocationResult,
    Counter,
    CounterSet,
    Device,
    DeviceAllocationResult,
    DeviceCounterConsumption,
    DeviceRequestAllocationResult,
    ResourceClaim,
    ResourceClaimStatus,
    ResourceSlice,
)
from kubectl_dra.objects.snapshot import Snapshot
from tests.audit.given import DRIVER, GPU, cluster, device_class, findings, forbidden, names, only, resource_slice, unknown
from tests.factories import claim


def partition(name: str, memory: str, counter_set: str = "card") -> Device:
    return Device(name, consumes_counters=(DeviceCounterConsumption(counter_set, {"memory": Counter(memory)}),))


def partitions(memory: str = "80Gi", *, generation: int = 1) -> list[ResourceSlice]:
    """Two halves of 40Gi, and the counters that they have in common."""
    devices = (partition("half-0", "40Gi"), partition("half-1", "40Gi"))
    sets = (CounterSet("card", {"memory": Counter(memory)}), CounterSet("other", {"memory": Counter("1")}))
    of_counters = resource_slice("a", 0, slices=2, generation=generation)
    return [
        resource_slice("a", devices, slices=2, generation=generation),
        replace(of_counters, spec=replace(of_counters.spec, devices=None, shared_counters=sets)),
    ]


def with_claims(slices: list[ResourceSlice], *held: str) -> Snapshot:
    claims = [claim(f"of-{name}", ("a", name)) for name in held]
    return cluster(resource_slices=slices, resource_claims=claims, device_classes=[device_class("gpu", GPU)])


def test_dra306_counters_that_shrank_under_partitions_in_use() -> None:
    found = only(with_claims(partitions("60Gi"), "half-0", "half-1"), "DRA306")
    assert (found.severity, found.title) == (Severity.ERROR, f"partitions in use take more than pool a of {DRIVER} has")
    assert found.evidence == ("counter memory of card: 60Gi there, 80Gi taken by half-0 (default/of-half-0) and half-1 (default/of-half-1)")
    assert names(found)[-2:] == ["ResourceClaim default/of-half-0", "ResourceClaim default/of-half-1"]
    assert names(found)[:2] == [f"ResourceSlice a-{DRIVER}-1-half-0", f"ResourceSlice a-{DRIVER}-1-empty"]


def share(name: str, number: int) -> ResourceClaim:
    """A claim that has half-0 together with others."""
    result = DeviceRequestAllocationResult("r", DRIVER, "a", "half-0", share_id=f"00000000-0000-0000-0000-00000000000{number}")
    status = ResourceClaimStatus(AllocationResult(DeviceAllocationResult((result,))))
    return replace(claim(name), status=status)


def test_dra306_tells_each_claim_that_shares_a_partition_and_administrators_not() -> None:
    shared = [share("x", 1), share("y", 2)]
    watching = claim("watching", ("a", "half-1"), admin=True)
    slices = partitions("30Gi")
    found = only(cluster(resource_slices=slices, resource_claims=[*shared, watching], device_classes=()), "DRA306")
    assert found.evidence == "counter memory of card: 30Gi there, 40Gi taken by half-0 (default/x and default/y)"


def test_dra306_is_silent_where_the_counters_suffice() -> None:
    assert not findings(with_claims(partitions("80Gi"), "half-0", "half-1"), "DRA306")
    assert not findings(with_claims(partitions("60Gi"), "half-0"), "DRA306")
    assert not findings(with_claims([resource_slice("a", 2)], "gpu-0", "gpu-1"), "DRA306")


def test_dra306_does_not_count_what_is_not_published_any_more_nor_judge_pools_that_are_not_used() -> None:
    assert not findings(with_claims(partitions("60Gi"), "half-0", "gone"), "DRA306")
    assert not findings(with_claims(partitions("60Gi")[:1], "half-0", "half-1"), "DRA306")
    newer = [*partitions("60Gi"), *partitions("80Gi", generation=2)]
    assert not findings(with_claims(newer, "half-0", "half-1"), "DRA306")


def test_dra306_needs_slices_and_claims() -> None:
    slices, claims = partitions("60Gi"), [claim("c", ("a", "half-0")), claim("d", ("a", "half-1"))]
    assert unknown(cluster(resource_slices=forbidden(), resource_claims=claims), "DRA306")
    assert unknown(cluster(resource_slices=slices, resource_claims=forbidden()), "DRA306")


def test_dra306_follows_the_scope() -> None:
    given = with_claims(partitions("60Gi"), "half-0", "half-1")
    scopes = (Scope(nodes=("a",)), Scope(nodes=("b",)), Scope(resources=(GPU,)), Scope(resources=("example.com/other",)))
    assert [len(findings(given, "DRA306", scope=scope)) for scope in scopes] == [1, 0, 1, 0]
