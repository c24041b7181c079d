"""Pools of devices as the scheduler takes them, of the whole cluster and of a node: `allocation.pools`, with the place of each device."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from kubectl_dra.allocation.failure import AllocationError
from kubectl_dra.allocation.features import Features
from kubectl_dra.allocation.pools import Candidate, Pool, PoolId, Slices
from kubectl_dra.objects.node import Node, NodeSelector
from kubectl_dra.objects.node_selector import selects
from kubectl_dra.objects.resource import Device, ResourceSlice

DeviceId = tuple[str, str, str]
"""Driver, pool and device: what names a device in the cluster."""


@dataclass(frozen=True, slots=True)
class Place:
    """From which nodes something can be used: one node by name, all, or those that a selector selects; else from none."""

    node_name: str | None = None
    all_nodes: bool = False
    selector: NodeSelector | None = None

    def reached_from(self, node: Node) -> bool:
        """Whether `node` can use it."""
        if self.node_name:
            return self.node_name == node.metadata.name
        return self.all_nodes or (self.selector is not None and selects(self.selector, node))


@dataclass(frozen=True, slots=True)
class PlacedDevice:
    """A published device, and from where it can be used."""

    candidate: Candidate
    place: Place

    @property
    def driver(self) -> str:
        """The driver that publishes it."""
        return self.candidate.pool[0]

    @property
    def pool(self) -> str:
        """Its pool, among those of the driver."""
        return self.candidate.pool[1]

    @property
    def device(self) -> Device:
        """As it is published."""
        return self.candidate.device

    @property
    def id(self) -> DeviceId:
        """Its name in the cluster."""
        return self.candidate.id


@dataclass(frozen=True, slots=True)
class UnusablePool:
    """A pool that the scheduler takes no device of, and why; `devices` are published all the same.

    `complete` when all of its slices are there, and they do not fit together.
    """

    driver: str
    pool: str
    nodes: tuple[str, ...]
    why: str
    devices: tuple[PlacedDevice, ...] = ()
    complete: bool = False


class Pools:
    """The devices of all pools, and those that a node sees."""

    def __init__(self, slices: Iterable[ResourceSlice], features: Features = Features()) -> None:  # noqa: B008 - an immutable value
        """Take the slices, and what is on in the scheduler."""
        self._slices = Slices(slices, features)
        self._placed: dict[Pool, tuple[PlacedDevice, ...]] = {}

    def devices(self) -> Iterator[PlacedDevice]:
        """The devices of all usable pools, wherever they are, by driver and pool."""
        for pool, _ in self._whole:
            if pool.usable:
                yield from self._devices(pool)

    @cached_property
    def unusable(self) -> tuple[UnusablePool, ...]:
        """The pools whose newest generation is not complete, or not valid."""
        return tuple(self._unusable(pool, slices) for pool, slices in self._whole if not pool.usable)

    def usable(self) -> Iterator[tuple[Pool, tuple[ResourceSlice, ...]]]:
        """The usable pools as wholes, each with its slices."""
        return ((pool, slices) for pool, slices in self._whole if pool.usable)

    def devices_on(self, node: Node) -> Iterator[PlacedDevice]:
        """The devices that the scheduler may give out on the node, in the order in which it tries them."""
        for pool in self._seen_from(node):
            if pool.usable:
                for placed in self._devices(pool):
                    if not placed.candidate.slice.spec.per_device_node_selection or placed.place.reached_from(node):
                        yield placed

    def unusable_on(self, node: Node) -> tuple[UnusablePool, ...]:
        """The pools that have something for the node, and of which the scheduler takes nothing there."""
        return tuple(self._known_unusable.get(pool.id) or self._unusable(pool, ()) for pool in self._seen_from(node) if not pool.usable)

    def failure(self, node: Node) -> str:
        """The error in which every attempt to place a pod with claims ends that comes to the node; empty as a rule."""
        try:
            self._slices.seen_from(node)
        except AllocationError as error:
            return error.text
        return ""

    def _seen_from(self, node: Node) -> tuple[Pool, ...]:
        return () if self.failure(node) else self._slices.seen_from(node).pools

    @cached_property
    def _whole(self) -> tuple[tuple[Pool, tuple[ResourceSlice, ...]], ...]:
        return tuple(self._slices.everywhere())

    @cached_property
    def _known_unusable(self) -> Mapping[PoolId, UnusablePool]:
        return {(each.driver, each.pool): each for each in self.unusable}

    def _unusable(self, pool: Pool, slices: tuple[ResourceSlice, ...]) -> UnusablePool:
        nodes = tuple(sorted({each.spec.node_name for each in slices if each.spec.node_name}))
        devices = [candidate for each in slices for candidate in self._slices.candidates_of(each)] if slices else pool.candidates
        why = f"it is not valid: {pool.invalid}" if pool.invalid else "not all of its slices are there"
        if pool.incomplete and slices:
            wanted = slices[0].spec.pool
            why = f"it has {len(slices)} of {wanted.resource_slice_count} slices of generation {wanted.generation}"
        return UnusablePool(*pool.id, nodes, why, tuple(map(_placed, devices)), not pool.incomplete)

    def _devices(self, pool: Pool) -> tuple[PlacedDevice, ...]:
        """The devices of a usable pool. Nodes that see the same of it have it in common."""
        found = self._placed.get(pool)
        if found is None:
            found = self._placed[pool] = tuple(map(_placed, pool.candidates))
        return found


def _placed(candidate: Candidate) -> PlacedDevice:
    spec = candidate.slice.spec
    where = candidate.device if spec.per_device_node_selection else spec
    return PlacedDevice(candidate, Place(where.node_name or None, bool(where.all_nodes), where.node_selector))
