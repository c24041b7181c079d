"""Pools of devices whose slices are not all there, or do not fit together. Drivers replace slices: what shows stands 5 s later too."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from kubectl_dra.allocation.pools import PoolId
from kubectl_dra.audit.candidate import Candidate, Doubt, Later, whole
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import ObjectRef, Severity
from kubectl_dra.audit.registry import check
from kubectl_dra.audit.words import count, lines, listed
from kubectl_dra.inventory.pools import UnusablePool
from kubectl_dra.objects.resource import ResourceSlice
from kubectl_dra.remedies.kubectl_line import kubectl

_SETTLES = 5.0
"""Seconds in which a driver that replaces its slices is done."""
_RULES = "k8s.io/dynamic-resource-allocation: structured/internal/incubating/pools_incubating.go"


@check(
    "DRA301",
    title="a pool of which not all slices are there",
    severity=Severity.ERROR,
    why=(
        "A driver says in every slice of how many the pool consists. As long as another number of slices of the newest generation is"
        " there, the scheduler gives out none of the pool's devices; a claim that asks for all devices fails then on every node. This is"
        " normal for the moment in which a driver publishes, and a fault when it stays: two drivers publish under one pool's name, a slice"
        " was deleted, or the driver could not write one of them."
    ),
    fix=(
        "# which slices are there",
        "kubectl get resourceslices --field-selector spec.driver=DRIVER -o wide",
        "# delete those of this pool: the driver publishes them again within half a minute (claims that hold devices are not touched)",
        "kubectl delete resourceslice SLICE",
        "# if they do not come back, restart the driver's pod on that node",
    ),
    source=(_RULES, "kubernetes/kubernetes#130043", "kubernetes/kubernetes#141898", "kubernetes-sigs/kueue#14573"),
    needs=("resource_slices",),
)
def incomplete_pools(case: Case) -> Iterator[Candidate | Doubt]:
    """One candidate for each pool whose newest generation has another number of slices than it says."""
    if case.snapshot.resource_slices.known:
        slices = _by_pool(case)
        for pool in _unusable(case):
            if not pool.complete:
                yield _unusable_pool(
                    pool, slices, f"pool {pool.pool} of {pool.driver} is not complete: {pool.why}", "it is counted by the newest generation"
                )


@check(
    "DRA302",
    title="a pool whose slices do not fit together",
    severity=Severity.ERROR,
    why=(
        "Two devices of the pool have one name, two counter sets have one name, or a device consumes a counter that no slice declares."
        " The API server looks at each slice alone and accepts that. The scheduler gives out none of such a pool's devices, and says"
        " `invalid resource pools were encountered` when a pod finds no device elsewhere."
    ),
    fix=(
        "# look at the pool's slices, and report it to the driver's makers",
        "kubectl get resourceslices --field-selector spec.driver=DRIVER -o yaml",
        "# a restart of the driver's pod makes it publish anew",
    ),
    source=(_RULES, "k8s.io/api: resource/v1/types.go (ResourcePool)"),
    needs=("resource_slices",),
    also=("nodes",),
)
def invalid_pools(case: Case) -> Iterator[Candidate | Doubt]:
    """One candidate for each complete pool that is invalid where a node sees it: devices of other nodes may have the same name."""
    if not case.snapshot.resource_slices.known:
        return
    slices = _by_pool(case)
    for pool in _unusable(case):
        if pool.complete and _is_unusable_somewhere(case, pool):
            yield _unusable_pool(pool, slices, f"pool {pool.pool} of {pool.driver} is not used: {pool.why}", "all of its slices are there")


@check(
    "DRA303",
    title="slices of one pool that disagree on how many there are",
    severity=Severity.WARNING,
    why=(
        "All slices of a generation have to name the same spec.pool.resourceSliceCount. Where they do not, the scheduler goes by the one"
        " that it happens to see first, so the pool is complete for one scheduler and incomplete for the next."
    ),
    fix=(
        "# look at the pool's slices: two drivers may publish under one name",
        "kubectl get resourceslices --field-selector spec.driver=DRIVER -o yaml",
        "# delete the wrong ones: a driver that is at work publishes its own again",
        "kubectl delete resourceslice SLICE",
    ),
    source=(_RULES, "k8s.io/api: resource/v1/types.go (ResourcePool)"),
    needs=("resource_slices",),
)
def disagreeing_slices(case: Case) -> Iterator[Candidate | Doubt]:
    """One candidate for each pool in whose newest generation several counts stand."""
    for (driver, name), slices in _by_pool(case).items():
        newest = _newest(slices)
        counts = sorted({each.spec.pool.resource_slice_count for each in newest})
        if len(counts) > 1:
            refs = _refs(newest)
            yield Candidate(
                cause=f"{driver}/{name}",
                objects=refs,
                evidence=lines(
                    f"ResourceSlice {each.metadata.name}: generation {each.spec.pool.generation}, resourceSliceCount"
                    f" {each.spec.pool.resource_slice_count}"
                    for each in newest
                ),
                title=f"slices of pool {name} of {driver} disagree on how many there are: {' or '.join(map(str, counts))}",
                fix=_look_and_delete(driver, refs),
                settling=Later((whole("ResourceSlice"),), _SETTLES),
            )


@check(
    "DRA304",
    title="slices of older generations that were left",
    severity=Severity.INFO,
    why=(
        "When a driver changes its pool it publishes a new generation and deletes the old slices. The scheduler takes no device of those"
        " that are left once it sees the new ones; other programs may count them, and a node that sees only old ones may get from them what"
        " is no longer there."
    ),
    fix=(
        "# delete what is left of the old generation; devices in use are not touched",
        "kubectl delete resourceslice SLICE",
    ),
    source=(_RULES, "kubernetes-sigs/kueue#14573"),
    needs=("resource_slices",),
)
def older_generations(case: Case) -> Iterator[Candidate | Doubt]:
    """One candidate for each driver, with the slices that a newer generation of their pool has replaced."""
    found: dict[str, list[tuple[ResourceSlice, int]]] = defaultdict(list)
    for (driver, _), slices in _by_pool(case).items():
        newest = max(each.spec.pool.generation for each in slices)
        found[driver] += [(each, newest) for each in slices if each.spec.pool.generation < newest]
    for driver, old in sorted(found.items()):
        if old:
            refs = _refs([each for each, _ in old])
            yield Candidate(
                cause=driver,
                objects=refs,
                evidence=lines(
                    f"ResourceSlice {each.metadata.name} of pool {each.spec.pool.name}: generation {each.spec.pool.generation}, the newest"
                    f" is {newest}"
                    for each, newest in old
                ),
                title=f"{count(len(old), 'slice')} of older generations {'is' if len(old) == 1 else 'are'} left of {driver}",
                fix=("# delete what is left of the old generation; devices in use are not touched", _delete(refs)),
                settling=Later((whole("ResourceSlice"),), _SETTLES),
            )


def _by_pool(case: Case) -> Mapping[PoolId, list[ResourceSlice]]:
    """The slices by driver and pool, sorted; without pools that are only for nodes that were not asked about."""
    found: dict[PoolId, list[ResourceSlice]] = defaultdict(list)
    for each in case.snapshot.resource_slices:
        if each.spec.driver and case.scope.has_node(each.spec.node_name):
            found[each.spec.driver, each.spec.pool.name].append(each)
    return dict(sorted(found.items()))


def _unusable(case: Case) -> Iterator[UnusablePool]:
    """The pools that the scheduler takes nothing of, of the nodes asked about."""
    for pool in case.servers.devices.pools.unusable:
        if pool.driver and (not pool.nodes or any(case.scope.has_node(name) for name in pool.nodes)):
            yield pool


def _is_unusable_somewhere(case: Case, pool: UnusablePool) -> bool:
    """Whether a node takes nothing of the pool; true where the nodes are not known."""
    if not case.snapshot.nodes.known:
        return True
    own = [node for name in pool.nodes if (node := case.node(name)) is not None]
    nodes = own if own and all(placed.place.node_name for placed in pool.devices) else case.nodes()
    pools = case.servers.devices.pools
    return any((each.driver, each.pool) == (pool.driver, pool.pool) for node in nodes for each in pools.unusable_on(node))


def _unusable_pool(pool: UnusablePool, slices: Mapping[PoolId, list[ResourceSlice]], title: str, note: str) -> Candidate:
    newest = _newest(slices[pool.driver, pool.pool])
    refs = _refs(newest)
    told = [
        f"ResourceSlice {each.metadata.name}: generation {each.spec.pool.generation}, resourceSliceCount"
        f" {each.spec.pool.resource_slice_count}, {_has(each)}"
        for each in newest
    ]
    where = f"node {listed(pool.nodes)}" if pool.nodes else "several nodes"
    return Candidate(
        cause=f"{pool.driver}/{pool.pool}",
        objects=refs,
        evidence=lines([*told, f"for {where}; {count(len(pool.devices), 'device')} cannot be given out; {note}"]),
        title=title,
        fix=_look_and_delete(pool.driver, refs),
        settling=Later((whole("ResourceSlice"),), _SETTLES),
    )


def _has(one: ResourceSlice) -> str:
    sets = one.spec.shared_counters or ()
    return count(len(sets), "counter set") if sets else count(len(one.spec.devices or ()), "device")


def _newest(slices: list[ResourceSlice]) -> list[ResourceSlice]:
    """Those of the newest generation, by name."""
    newest = max(each.spec.pool.generation for each in slices)
    return sorted((each for each in slices if each.spec.pool.generation == newest), key=lambda each: each.metadata.name)


def _refs(slices: list[ResourceSlice]) -> tuple[ObjectRef, ...]:
    return tuple(sorted(ObjectRef.of("ResourceSlice", each.metadata) for each in slices))


def _look_and_delete(driver: str, refs: tuple[ObjectRef, ...]) -> tuple[str, ...]:
    return (
        "# look at the driver's slices",
        kubectl("get", "resourceslices", "--field-selector", f"spec.driver={driver}", "-o", "wide"),
        "# delete those of this pool: a driver that is at work publishes its own again within half a minute (claims are not touched)",
        _delete(refs),
        "# if they do not come back, or not right, restart the driver's pod on that node and tell its makers",
    )


def _delete(refs: tuple[ObjectRef, ...]) -> str:
    return kubectl("delete", "resourceslice", *(ref.name for ref in refs))
