"""Pools of devices as the scheduler takes them: of each pool the newest generation only, and only if all of its slices are there.

Rule: k8s.io/dynamic-resource-allocation structured/internal/incubating/pools_incubating.go.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from kubectl_dra.allocation.pools import Candidate
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
    """The devices of all pools, those of one node found quickly."""

    def __init__(self, slices: Iterable[ResourceSlice]) -> None:
        """Group the slices and leave out what the scheduler does."""
        self.unusable: list[UnusablePool] = []
        self._local: dict[str, list[PlacedDevice]] = defaultdict(list)
        self._shared: list[PlacedDevice] = []
        for (driver, name), newest in sorted(_newest(slices).items()):
            why = _unusable(newest)
            if why:
                nodes = tuple(sorted({each.spec.node_name for each in newest if each.spec.node_name}))
                self.unusable.append(UnusablePool(driver, name, nodes, why, tuple(_devices(newest)), _complete(newest)))
                continue
            for placed in _devices(newest):
                if placed.place.node_name:
                    self._local[placed.place.node_name].append(placed)
                else:
                    self._shared.append(placed)

    def devices(self) -> Iterator[PlacedDevice]:
        """All devices, wherever they are."""
        for node in sorted(self._local):
            yield from self._local[node]
        yield from self._shared

    def devices_on(self, node: Node) -> Iterator[PlacedDevice]:
        """The devices that `node` can use: its own, then those that several nodes share."""
        yield from self._local.get(node.metadata.name, ())
        yield from (placed for placed in self._shared if placed.place.reached_from(node))


def _newest(slices: Iterable[ResourceSlice]) -> Mapping[tuple[str, str], list[ResourceSlice]]:
    """The slices of each pool's newest generation, by driver and pool."""
    found: dict[tuple[str, str], list[ResourceSlice]] = {}
    for each in slices:
        key = (each.spec.driver, each.spec.pool.name)
        before = found.get(key)
        if before is None or before[0].spec.pool.generation < each.spec.pool.generation:
            found[key] = [each]
        elif before[0].spec.pool.generation == each.spec.pool.generation:
            before.append(each)
    return found


def _unusable(slices: list[ResourceSlice]) -> str:
    """Why the scheduler takes nothing of the pool; empty when it does."""
    first = slices[0].spec.pool
    if not _complete(slices):
        return f"it has {len(slices)} of {first.resource_slice_count} slices of generation {first.generation}"
    names = [device.name for each in slices for device in each.spec.devices or ()]
    return "" if len(names) == len(set(names)) else "two of its devices have the same name"


def _complete(slices: list[ResourceSlice]) -> bool:
    return len(slices) == slices[0].spec.pool.resource_slice_count


def _devices(slices: list[ResourceSlice]) -> Iterator[PlacedDevice]:
    for each in sorted(slices, key=lambda each: each.metadata.name):
        spec = each.spec
        of_slice = Place(spec.node_name or None, bool(spec.all_nodes), spec.node_selector)
        for device in spec.devices or ():
            place = (
                Place(device.node_name or None, bool(device.all_nodes), device.node_selector)
                if spec.per_device_node_selection
                else of_slice
            )
            yield PlacedDevice(Candidate(each, device), place)
