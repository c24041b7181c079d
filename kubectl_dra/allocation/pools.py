"""The pools that a node sees: which slices belong to them, and whether all are there and fit together.

Rules: dynamic-resource-allocation structured/internal/incubating/pools_incubating.go; the experimental allocator has the same.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from kubectl_dra.allocation.allocated import DeviceId
from kubectl_dra.allocation.amounts import Nano, nano
from kubectl_dra.allocation.failure import AllocationError
from kubectl_dra.allocation.features import Features
from kubectl_dra.allocation.slices_for_node import is_for
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.resource import Device, ResourceSlice

PoolId = tuple[str, str]
"""Driver and pool."""
Counters = Mapping[tuple[str, str], Nano]
"""An amount for each counter, by its set's and its own name."""
Consumption = tuple[tuple[str, Mapping[str, Nano], frozenset[str]], ...]
"""Per counter set: its name, the amount taken of each counter, and the compatibility groups."""
_SET = "/"
"""Stands for the set itself, which may be empty. No counter has such a name."""


class Candidate:
    """A device that may be chosen: `id`, the device as published, its slice. The same object for every node that sees the slice."""

    __slots__ = ("_consumes", "device", "id", "pool", "slice")

    def __init__(self, one: ResourceSlice, device: Device) -> None:
        """Take a device of the slice."""
        self.slice = one
        self.device = device
        self.pool: PoolId = (one.spec.driver, one.spec.pool.name)
        self.id: DeviceId = (*self.pool, device.name)
        self._consumes: Consumption | None = None

    @property
    def consumes(self) -> Consumption:
        """What it takes of counter sets. Raises AllocationError for amounts that are none."""
        if self._consumes is None:
            self._consumes = _consumption(self.device) if self.device.consumes_counters else ()
        return self._consumes

    def __str__(self) -> str:
        """As messages name it."""
        return "/".join(self.id)


def _consumption(device: Device) -> Consumption:
    return tuple(
        (
            each.counter_set,
            {name: nano(counter.value) for name, counter in (each.counters or {}).items()},
            frozenset(each.compatibility_groups or ()),
        )
        for each in device.consumes_counters or ()
    )


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """A pool as one node sees it. Of a pool that is `incomplete` or `invalid` (why) no device is used.

    `candidates` are the devices for the node in upstream's order, `others` those of slices that are not for the node.
    """

    id: PoolId
    generation: int = 0
    incomplete: bool = False
    invalid: str = ""
    candidates: tuple[Candidate, ...] = ()
    others: tuple[Candidate, ...] = ()
    counters: Counters = field(default_factory=dict)
    binds_later: bool = False
    """Whether a device of it has binding conditions. Such pools are tried last."""

    @property
    def usable(self) -> bool:
        """Whether devices are taken of it."""
        return not (self.incomplete or self.invalid)

    def __str__(self) -> str:
        """As messages name it."""
        return "/".join(self.id)


@dataclass(frozen=True)
class NodePools:
    """All pools that a node sees, in the order in which they are tried."""

    pools: tuple[Pool, ...]

    @cached_property
    def candidates(self) -> tuple[Candidate, ...]:
        """The devices of the usable pools, one after the other."""
        return tuple(candidate for pool in self.pools if pool.usable for candidate in pool.candidates)

    @cached_property
    def by_id(self) -> Mapping[PoolId, Pool]:
        """Each pool by driver and name."""
        return {pool.id: pool for pool in self.pools}


class Slices:
    """All slices of the cluster, those of one node and of one pool found quickly."""

    def __init__(self, slices: Iterable[ResourceSlice], features: Features, *, stable: bool = False) -> None:
        """Take the slices in the order in which they are listed. `stable`: as the stable allocator sees them (stable/pools_stable.go).

        That one takes slices with counters from everywhere and leaves slices in their order; that of the pools is random there.
        """
        self._features = features
        self._stable = stable
        self._usable: list[ResourceSlice] = []
        self._local: dict[str, list[ResourceSlice]] = {}
        self._shared: list[ResourceSlice] = []
        self._of_pool: dict[PoolId, list[ResourceSlice]] = {}
        self._candidates: dict[int, tuple[Candidate, ...]] = {}
        self._built: dict[tuple[PoolId, tuple[int, ...], tuple[int, ...]], Pool] = {}
        self._seen: dict[int, tuple[Node, NodePools]] = {}
        for each in slices:
            self._of_pool.setdefault(_pool_id(each), []).append(each)
            if self._ignored(each):
                continue
            self._usable.append(each)
            if each.spec.node_name:
                self._local.setdefault(each.spec.node_name, []).append(each)
            else:
                self._shared.append(each)

    def seen_from(self, node: Node) -> NodePools:
        """The pools that the node sees. Raises AllocationError when a node selector cannot be parsed, whatever it belongs to."""
        known = self._seen.get(id(node))
        if known is None:
            known = self._seen[id(node)] = (node, NodePools(self._gathered(node)))
        return known[1]

    def everywhere(self) -> Iterator[tuple[Pool, tuple[ResourceSlice, ...]]]:
        """The newest generation of every pool as a whole, and its slices, whichever nodes they are for.

        A node may see less of it, or still an older one that is complete: `seen_from` tells. A pool with amounts that are none is invalid.
        """
        newest: dict[PoolId, list[ResourceSlice]] = {}
        for each in self._usable:
            _add(newest, each)
        for name in sorted(newest, key=_bytes):
            try:
                pool = self._pool(name, newest[name])
            except AllocationError as error:
                pool = Pool(name, newest[name][0].spec.pool.generation, invalid=error.text)
            if pool is not None:
                yield pool, tuple(newest[name])

    def candidates_of(self, one: ResourceSlice) -> tuple[Candidate, ...]:
        """The devices of one of the slices."""
        return self._of_slice(one)

    def _ignored(self, one: ResourceSlice) -> bool:
        """Slices that need a feature which is off."""
        spec, features = one.spec, self._features
        if not features.partitionable_devices and (spec.per_device_node_selection is not None or spec.shared_counters):
            return True
        return not features.compatibility_groups and _uses_compatibility_groups(one)

    def _gathered(self, node: Node) -> tuple[Pool, ...]:
        relevant: dict[PoolId, list[ResourceSlice]] = {}
        for each in self._usable if self._stable else (*self._local.get(node.metadata.name, ()), *self._shared):
            if (self._stable and each.spec.shared_counters) or is_for(each, node):
                _add(relevant, each)
        built = (self._pool(pool, slices) for pool, slices in relevant.items())
        # pools with binding conditions come last; inside both groups the order is that of driver and name, byte by byte
        return tuple(sorted((pool for pool in built if pool is not None), key=lambda pool: (pool.binds_later, _bytes(pool.id))))

    def _pool(self, pool: PoolId, slices: list[ResourceSlice]) -> Pool | None:
        """The pool made of these slices for the node; None when a newer generation of it is for other nodes only."""
        first = slices[0].spec.pool
        everything: list[ResourceSlice] = []
        if len(slices) != first.resource_slice_count:
            # Only now is looked at the slices for other nodes. A complete old generation hides a newer one that is elsewhere.
            same_pool = self._of_pool[pool]
            if any(each.spec.pool.generation > first.generation for each in same_pool):
                return None
            everything = [each for each in same_pool if each.spec.pool.generation == first.generation]
            if not self._features.compatibility_groups:
                everything = [each for each in everything if not _uses_compatibility_groups(each)]
            if len(everything) != first.resource_slice_count:
                return Pool(pool, first.generation, incomplete=True)
        key = (pool, tuple(map(id, slices)), tuple(map(id, everything)))
        found = self._built.get(key)
        if found is None:
            found = self._built[key] = self._build(pool, slices, everything)
        return found

    def _build(self, pool: PoolId, slices: list[ResourceSlice], everything: list[ResourceSlice]) -> Pool:
        """A complete pool, with the first fault that makes it invalid."""
        names = {each.metadata.name for each in slices}
        elsewhere = [each for each in everything if each.metadata.name not in names] if len(slices) < len(everything) else []
        here = slices if self._stable else sorted(slices, key=lambda each: each.metadata.name.encode())
        generation = slices[0].spec.pool.generation
        candidates = self._of_slices(each for each in here if not self._has_counters(each))
        others = self._of_slices(each for each in elsewhere if self._stable or not self._has_counters(each))
        binds_later = any(candidate.device.binding_conditions is not None for candidate in candidates)
        fault = _repeated_device(candidates)
        if fault or not self._features.partitionable_devices:
            return Pool(pool, generation, invalid=fault, candidates=candidates, binds_later=not fault and binds_later)
        counters: dict[tuple[str, str], Nano] = {}
        fault = _declare(counters, (each for each in (*here, *(() if self._stable else elsewhere)) if self._has_counters(each)))
        checked = self._of_slices(here) if self._stable else candidates
        fault = fault or _unknown_counter(counters, checked) or _unknown_counter(counters, others)
        return Pool(
            pool,
            generation,
            invalid=fault,
            candidates=candidates,
            others=others,
            counters=counters,
            binds_later=not fault and binds_later,
        )

    def _has_counters(self, one: ResourceSlice) -> bool:
        return self._features.partitionable_devices and bool(one.spec.shared_counters)

    def _of_slices(self, slices: Iterable[ResourceSlice]) -> tuple[Candidate, ...]:
        return tuple(candidate for each in slices for candidate in self._of_slice(each))

    def _of_slice(self, one: ResourceSlice) -> tuple[Candidate, ...]:
        found = self._candidates.get(id(one))
        if found is None:
            found = self._candidates[id(one)] = tuple(Candidate(one, device) for device in one.spec.devices or ())
        return found


def _pool_id(one: ResourceSlice) -> PoolId:
    return one.spec.driver, one.spec.pool.name


def _bytes(pool: PoolId) -> tuple[bytes, bytes]:
    return pool[0].encode(), pool[1].encode()


def _uses_compatibility_groups(one: ResourceSlice) -> bool:
    return any(each.compatibility_groups for device in one.spec.devices or () for each in device.consumes_counters or ())


def _add(pools: dict[PoolId, list[ResourceSlice]], one: ResourceSlice) -> None:
    """Of each pool only the newest generation seen so far is kept."""
    known = pools.setdefault(_pool_id(one), [one])
    generation = known[0].spec.pool.generation
    if known[0] is one or one.spec.pool.generation < generation:
        return
    if one.spec.pool.generation > generation:
        known.clear()
    known.append(one)


def _repeated_device(candidates: Sequence[Candidate]) -> str:
    seen: set[str] = set()
    for candidate in candidates:
        if candidate.device.name in seen:
            return f"duplicate device name {candidate.device.name}"
        seen.add(candidate.device.name)
    return ""


def _declare(counters: dict[tuple[str, str], Nano], slices: Iterable[ResourceSlice]) -> str:
    """Put the counters that the slices declare into `counters`; says which set is there twice."""
    sets: set[str] = set()
    for each in slices:
        for counter_set in each.spec.shared_counters or ():
            if counter_set.name in sets:
                return f"duplicate counter set name {counter_set.name}"
            sets.add(counter_set.name)
            counters[counter_set.name, _SET] = 0
            counters.update({(counter_set.name, name): nano(counter.value) for name, counter in (counter_set.counters or {}).items()})
    return ""


def _unknown_counter(counters: Counters, candidates: Iterable[Candidate]) -> str:
    for candidate in candidates:
        for name, amounts, _ in candidate.consumes:
            if (name, _SET) not in counters:
                return f"counter set {name} not found"
            for counter in amounts:
                if (name, counter) not in counters:
                    return f"counter {counter} not found in counter set {name}"
    return ""
