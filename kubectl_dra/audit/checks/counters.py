"""Counters that partitions of devices have in common."""

from collections.abc import Iterator, Mapping

from kubectl_dra.allocation.allocated import AllocatedState, DeviceId, holders
from kubectl_dra.allocation.amounts import Nano
from kubectl_dra.allocation.counters import Available
from kubectl_dra.allocation.features import from_gates
from kubectl_dra.allocation.pools import Pool
from kubectl_dra.audit.candidate import Again, Candidate, Doubt
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import ObjectRef, Severity
from kubectl_dra.audit.registry import check
from kubectl_dra.audit.words import lines, listed
from kubectl_dra.inventory.selection import Outcome
from kubectl_dra.objects.quantity import Format, Quantity
from kubectl_dra.objects.resource import ResourceSlice

_KIBI = 1024 * 10**9
"""In billionths."""


@check(
    "DRA306",
    title="partitions in use consume more than a pool's counters have",
    severity=Severity.ERROR,
    why=(
        "Partitions of a device draw on counters of their pool, which stand for the device's memory, cores and the like. When those that"
        " claims hold take more than a counter has, the scheduler gives out no device of the pool any more that draws on any counter, be it"
        " this one or another, until enough claims are gone; and pods may already share what they should have for themselves. It happens"
        " when a driver publishes smaller counters, or larger partitions, while partitions are in use. Devices of the pool that draw on"
        " no counter are not concerned."
    ),
    fix=(
        "# see which partitions are held, and by whom",
        "kubectl dra devices --driver DRIVER --pool POOL --allocated",
        "# then end pods until the counters suffice, or mend what the driver publishes",
        "kubectl -n NAMESPACE delete pod POD",
    ),
    source=(
        "k8s.io/dynamic-resource-allocation: structured/internal/incubating/allocator_incubating.go (checkAvailableCounters)",
        "kubernetes/kubernetes#140663",
    ),
    needs=("resource_slices", "resource_claims"),
)
def overcommitted(case: Case) -> Iterator[Candidate | Doubt]:
    """Usable pools of which a counter has less than the allocated devices take."""
    claims = case.snapshot.resource_claims
    features = from_gates(case.snapshot.cluster.feature_gates.get)
    available = Available(AllocatedState(claims, consumable_capacity=features.consumable_capacity))
    by_device = holders(claims)
    for pool, slices in case.servers.devices.pools.usable():
        left = available.counters(pool) if pool.counters else {}
        short = sorted(key for key, amount in left.items() if amount < 0)
        if short and _in_scope(case, pool, slices):
            yield _candidate(case, pool, slices, {key: left[key] for key in short}, by_device)


def _in_scope(case: Case, pool: Pool, slices: tuple[ResourceSlice, ...]) -> bool:
    """Whether the pool has something for a node and for a name that are asked about."""
    nodes = {each.spec.node_name for each in slices}
    here = None in nodes or any(case.scope.has_node(name) for name in nodes)
    return here and (not case.scope.resources or any(map(case.scope.has_resource, _names(case, pool))))


def _candidate(
    case: Case,
    pool: Pool,
    slices: tuple[ResourceSlice, ...],
    short: Mapping[tuple[str, str], Nano],
    by_device: Mapping[DeviceId, tuple[str, ...]],
) -> Candidate:
    driver, name = pool.id
    users: set[str] = set()
    told = []
    for (counter_set, counter), left in short.items():
        declared = pool.counters[counter_set, counter]
        taking = [
            (candidate.device.name, by_device[candidate.id])
            for candidate in (*pool.candidates, *pool.others)
            if candidate.id in by_device and any(one == counter_set and counter in amounts for one, amounts, _ in candidate.consumes)
        ]
        users.update(claim for _, names in taking for claim in names)
        held = listed(f"{device} ({listed(names)})" for device, names in taking)
        told.append(f"counter {counter} of {counter_set}: {_written(declared)} there, {_written(declared - left)} taken by {held}")
    claims = tuple(ObjectRef("ResourceClaim", *each.split("/", 1)) for each in sorted(users))
    published = tuple(ObjectRef.of("ResourceSlice", each.metadata) for each in slices)
    return Candidate(
        cause=f"{driver}/{name}",
        objects=(*published, *claims),
        evidence=lines(told),
        title=f"partitions in use take more than pool {name} of {driver} has",
        settling=Again(claims),
    )


def _written(amount: Nano) -> str:
    """As Kubernetes writes it, with binary suffixes where the amount is even in them."""
    return str(Quantity(amount, -9, Format.DECIMAL_SI if amount % _KIBI else Format.BINARY_SI))


def _names(case: Case, pool: Pool) -> Iterator[str]:
    """The extended resources whose classes select devices of the pool that nobody gets now."""
    blocked = [candidate for candidate in (*pool.candidates, *pool.others) if candidate.consumes]
    for each in case.snapshot.device_classes:
        judge = case.servers.devices.selection(each).judge
        if each.spec.extended_resource_name and any(judge(candidate).outcome is Outcome.SELECTED for candidate in blocked):
            yield each.spec.extended_resource_name
