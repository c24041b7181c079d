"""Every device that drivers publish or claims hold: where it is, which classes select it, whose it is and why nobody gets it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from msgspec.structs import replace

from kubectl_dra.inventory.device_document import DeviceItem, DeviceList
from kubectl_dra.inventory.devices import ClassDevices
from kubectl_dra.inventory.expression import Expression
from kubectl_dra.inventory.holders import Holders, holders, taken_percent
from kubectl_dra.inventory.known import known, unknown_kinds
from kubectl_dra.inventory.pools import Place, PlacedDevice
from kubectl_dra.inventory.selection import Outcome
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.resource import Device, DeviceAttribute
from kubectl_dra.objects.snapshot import Snapshot

_READ = ("nodes", "device_classes", "resource_slices", "resource_claims", "device_taint_rules")
"""The kinds that the list rests on."""
_NUMBER = re.compile(r"([0-9]+)", re.ASCII)


class State(StrEnum):
    """What can be said of a device first."""

    ALLOCATED = "allocated"
    SHARED = "shared"
    INCOMPLETE = "incomplete"
    INVALID = "invalid"
    TAINTED = "tainted"
    FREE = "free"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which devices: those that this node can use, of this driver, pool and class, in one of these states. None is all."""

    node: str | None = None
    driver: str | None = None
    pool: str | None = None
    device_class: str | None = None
    states: frozenset[State] | None = None

    def has(self, driver: str, pool: str) -> bool:
        """Whether the pool is wanted."""
        return self.driver in (None, driver) and self.pool in (None, pool)


def device_list(snapshot: Snapshot, wanted: Wanted | None = None, where: str | None = None) -> DeviceList:
    """The devices by node, driver, pool and number; `where` is tried on each. Those of several nodes come last."""
    asked = wanted or Wanted()
    items = [item for item in _Listing(snapshot, where).items(asked) if _has(asked, item)]
    return DeviceList(items=tuple(items), where=where, unknown=unknown_kinds(snapshot, _READ))


def _has(wanted: Wanted, item: DeviceItem) -> bool:
    if wanted.device_class is not None and wanted.device_class not in (item.classes or ()):
        return False
    return wanted.states is None or item.state in wanted.states


class _Listing:
    """One reading, and the expression to try."""

    def __init__(self, snapshot: Snapshot, where: str | None) -> None:
        self._snapshot = snapshot
        self._devices = ClassDevices(snapshot)
        self._holders = holders(snapshot.resource_claims)
        self._where = None if where is None else Expression(where)
        self._classes = sorted(snapshot.device_classes, key=lambda each: each.metadata.name)

    def items(self, wanted: Wanted) -> Iterator[DeviceItem]:
        """The published devices, then those that a claim holds and no slice has."""
        for placed, state, note in sorted(self._published(), key=lambda each: _order(each[0])):
            if wanted.has(placed.driver, placed.pool) and self._on(wanted.node, placed.place):
                yield self._item(placed, state, note)
        if self._devices.known:
            yield from self._gone(wanted)

    def _published(self) -> Iterator[tuple[PlacedDevice, State | None, str]]:
        pools = self._devices.pools
        for placed in pools.devices():
            yield placed, None, ""
        for pool in pools.unusable:
            state = State.INVALID if pool.complete else State.INCOMPLETE
            for placed in pool.devices:
                yield placed, state, f"pool {pool.pool} of {pool.driver}: {pool.why}"

    def _gone(self, wanted: Wanted) -> Iterator[DeviceItem]:
        """Devices that claims hold and that are published no more: their pods may still use them."""
        published = {placed.id for placed, _, _ in self._published()}
        for id_, holder in sorted(self._holders.items()):
            driver, pool, device = id_
            if id_ not in published and wanted.has(driver, pool) and wanted.node in (None, holder.node):
                place = Place(holder.node)
                note = "no slice of the pool's newest generation has it"
                gone = DeviceItem(holder.node, _nodes(place), driver, pool, device, (), State.UNKNOWN.value, note=note)
                yield _held(gone, holder, Device(device))

    def _item(self, placed: PlacedDevice, unusable: State | None, note: str) -> DeviceItem:
        device = placed.device
        holder = self._holders.get(placed.id)
        classes, failing = self._judged(placed)
        item = DeviceItem(
            node=placed.place.node_name,
            nodes=_nodes(placed.place),
            driver=placed.driver,
            pool=placed.pool,
            device=device.name,
            classes=classes,
            state=self._state(placed, unusable),
            taints=self._devices.taints(placed),
            failing=failing,
            note=note,
            attributes={name: _value(each) for name, each in sorted((device.attributes or {}).items())},
            capacity={name: str(each.value) for name, each in sorted((device.capacity or {}).items())},
            where=None if self._where is None else self._where.on(placed.candidate),
        )
        return item if holder is None else _held(item, holder, device)

    def _state(self, placed: PlacedDevice, unusable: State | None) -> str:
        """The state of a device that no claim holds, as far as claims were read."""
        if not self._claims_known:
            return State.UNKNOWN.value
        if unusable is not None:
            return unusable.value
        if self._devices.taints(placed):
            return State.TAINTED.value
        return (State.FREE if self._devices.taints_known else State.UNKNOWN).value

    @cached_property
    def _claims_known(self) -> bool:
        return known(self._snapshot.resource_claims) and not self._snapshot.cluster.namespace

    @cached_property
    def _nodes_by_name(self) -> Mapping[str, Node]:
        return {node.metadata.name: node for node in self._snapshot.nodes}

    def _on(self, name: str | None, place: Place) -> bool:
        """Whether the device can be used from the node, if one was asked about."""
        if name is None or place.node_name:
            return name in (None, place.node_name)
        node = self._nodes_by_name.get(name)
        return place.all_nodes if node is None else place.reached_from(node)

    def _judged(self, placed: PlacedDevice) -> tuple[tuple[str, ...] | None, Mapping[str, str]]:
        """The classes that select the device, and those of which a selector fails on it; None where that cannot be told."""
        if not known(self._snapshot.device_classes):
            return None, {}
        selected: list[str] = []
        failing: dict[str, str] = {}
        undecided = False
        for device_class in self._classes:
            judgement = self._devices.selection(device_class).judge(placed.candidate)
            match judgement.outcome:
                case Outcome.SELECTED:
                    selected.append(device_class.metadata.name)
                case Outcome.FAILS:
                    failing[device_class.metadata.name] = judgement.error
                case Outcome.UNDECIDED:
                    undecided = True
        return None if undecided else tuple(selected), failing


def _held(item: DeviceItem, holder: Holders, device: Device) -> DeviceItem:
    """The device, with who holds it. A device that is given whole and in shares as well is told as given whole."""
    if holder.claim is not None:
        return replace(
            item,
            state=State.ALLOCATED.value,
            claim=holder.claim,
            pod=holder.pods[0] if holder.pods else None,
            pods=holder.pods,
            shares=tuple(holder.shares),
        )
    pods = tuple(sorted({pod for share in holder.shares for pod in share.pods}))
    return replace(
        item,
        state=State.SHARED.value,
        claim=holder.shares[0].claim if len(holder.shares) == 1 else None,
        pod=pods[0] if len(pods) == 1 else None,
        pods=pods,
        shares=tuple(holder.shares),
        shared_percent=taken_percent(device, holder.shares),
    )


def _order(placed: PlacedDevice) -> tuple[object, ...]:
    """Nodes by name, then what several nodes use; devices by their numbers: `gpu-2` before `gpu-10`."""
    node = placed.place.node_name or ""
    return not node, node, placed.driver, placed.pool, tuple(_by_number(placed.device.name)), placed.device.name


def _by_number(name: str) -> Iterator[tuple[bool, int, str]]:
    for part in _NUMBER.split(name):
        yield (True, int(part), "") if part.isdecimal() else (False, 0, part)


def _nodes(place: Place) -> str:
    """From which nodes the device can be used, in words."""
    if place.node_name:
        return place.node_name
    if place.all_nodes:
        return "all nodes"
    return "nodes that its selector selects" if place.selector is not None else ""


def _value(attribute: DeviceAttribute) -> int | bool | str | tuple[int | bool | str, ...]:
    """The value that is set; an empty text when none is."""
    one = (attribute.int_, attribute.bool_, attribute.string, attribute.version)
    many = (attribute.ints, attribute.bools, attribute.strings, attribute.versions)
    found = next((each for each in (*one, *many) if each is not None), "")
    return tuple(found) if isinstance(found, tuple) else found
