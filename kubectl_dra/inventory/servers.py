"""Which side serves a name on a node: the device plugin or DRA.

The scheduler goes by allocatable alone (kubernetes pkg/scheduler/framework/plugins/noderesources/fit.go, shouldDelegateResourceToDRA):
above 0 the device plugin serves, and nothing spills over; otherwise DRA does, if a class maps the name. Capacity follows allocatable
by five minutes and is never asked.
"""

from collections.abc import Sequence
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from kubectl_dra.extended_resources.classes import Resolution, resolve
from kubectl_dra.inventory.devices import ClassDevices
from kubectl_dra.inventory.known import known
from kubectl_dra.inventory.pools import PlacedDevice
from kubectl_dra.knowledge.faults import fault
from kubectl_dra.knowledge.gates import EXTENDED_RESOURCE, enabled, enabled_by_default
from kubectl_dra.objects import quantity
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.resource import DeviceClass
from kubectl_dra.objects.shape import ResourceList
from kubectl_dra.objects.snapshot import Snapshot


class State(StrEnum):
    """Who serves a name on a node."""

    PLUGIN = "plugin"
    """The device plugin, and DRA has none of these devices on the node."""
    DRA = "dra"
    """DRA: nothing is allocatable, a class maps the name, and the node reaches devices of it."""
    BOTH = "both"
    """The device plugin serves while DRA has devices of the name there too: the same device can be given twice."""
    INACTIVE = "inactive"
    """Nobody: allocatable is 0 and capacity is not yet. The plugin left less than five minutes ago, or all devices are unhealthy."""
    NONE = "none"
    """Nobody."""


class Server(NamedTuple):
    """Who serves, the numbers that say so, and the devices on the DRA side (None: not known).

    `approximate` when the state rests on what is not known: selectors that cannot be decided, a gate, which of several classes is
    taken. `note` explains what the state alone does not.
    """

    state: State
    capacity: int
    allocatable: int
    devices: tuple[PlacedDevice, ...] | None = ()
    approximate: bool = False
    note: str = ""


class Servers:
    """Who serves what where, in one snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Take the reading."""
        self._snapshot = snapshot
        self.devices = ClassDevices(snapshot)

    @cached_property
    def classes(self) -> Resolution:
        """What each name means to the cluster's scheduler."""
        return resolve(self._snapshot.device_classes, self._snapshot.cluster.version)

    @property
    def extended_resources(self) -> bool | None:
        """Whether the cluster serves extended resources through DRA: by its gates, else by default; None when nobody can tell.

        A server whose gate is off drops the field that gives a class its name. So a class with a name may mean that a gate which is
        off by default has been turned on, where the gates could not be read.
        """
        cluster = self._snapshot.cluster
        sure = enabled(EXTENDED_RESOURCE, cluster.emulated, cluster.feature_gates)
        likely = enabled_by_default(EXTENDED_RESOURCE, cluster.emulated, cluster.feature_gates)
        named = any(each.spec.extended_resource_name for each in self._snapshot.device_classes)
        return None if sure is None and likely is False and named else likely

    @property
    def gate_unknown(self) -> bool:
        """Whether the cluster's version is known and still nobody can tell."""
        return self._snapshot.cluster.emulated is not None and self.extended_resources is None

    @property
    def classes_known(self) -> bool:
        """Whether classes were read in full."""
        return known(self._snapshot.device_classes)

    def device_class(self, name: str) -> DeviceClass | None:
        """The class that the scheduler uses for the name; None where the feature is off."""
        return None if self.extended_resources is False else self.classes.device_class(name)

    def server(self, node: Node, name: str) -> Server:
        """Who serves `name` on `node`."""
        capacity, allocatable = amount(node.status.capacity, name), amount(node.status.allocatable, name)
        if not self.classes_known:
            return self._without_classes(capacity, allocatable)
        device_class = self.device_class(name)
        if device_class is None:
            return self._unmapped(node, name, capacity, allocatable)
        devices = self.devices.on_node(device_class, node)
        approximate = devices is None
        there = devices is None or bool(devices)
        if allocatable:
            note = self._notes(device_class, node, devices)
            return Server(State.BOTH if there else State.PLUGIN, capacity, allocatable, devices, approximate, note)
        if there and not self._blocked_by_key(node, name):
            note = _MAY_BE_OFF if self.gate_unknown else self._notes(device_class, node, devices)
            return Server(State.DRA, capacity, allocatable, devices, approximate or self.gate_unknown, note)
        note = (
            "this scheduler leaves a node that lists the name with 0 to the device plugin" if there else self._why_none(device_class, node)
        )
        return Server(State.INACTIVE if capacity else State.NONE, capacity, allocatable, devices, approximate, note)

    def _without_classes(self, capacity: int, allocatable: int) -> Server:
        note = "device classes could not be read: whether DRA has devices here is not known"
        state = State.PLUGIN if allocatable else State.INACTIVE if capacity else State.NONE
        return Server(state, capacity, allocatable, None, approximate=True, note=note)

    def _unmapped(self, node: Node, name: str, capacity: int, allocatable: int) -> Server:
        """No class serves the name, or one of several does."""
        contenders = () if self.extended_resources is False else self.classes.contenders(name)
        reached = [self.devices.on_node(each.device_class, node) for each in contenders]
        there = any(devices is None or devices for devices in reached)
        idle = State.INACTIVE if capacity else State.NONE
        plugin, other = (State.BOTH, State.DRA) if there else (State.PLUGIN, idle)
        state = plugin if allocatable else idle if self._blocked_by_key(node, name) else other
        return Server(state, capacity, allocatable, None if there else (), approximate=there, note=self.why_unmapped(name))

    def why_unmapped(self, name: str) -> str:
        """Why no class is known to serve a name that classes have; empty for others."""
        if not self.classes.contenders(name):
            return ""
        if self.extended_resources is False:
            return f"the feature gate {EXTENDED_RESOURCE} is off: classes map nothing"
        return "several classes have the name, and which one is taken is not known"

    def _blocked_by_key(self, node: Node, name: str) -> bool:
        """Before 1.35 a node that lists the name, even with 0, is left to the device plugin (kubernetes/kubernetes#133488)."""
        old = fault("zero-key-blocks-dra").affects(self._snapshot.cluster.version)
        return bool(old) and name in (node.status.allocatable or {})

    def _notes(self, device_class: DeviceClass, node: Node, devices: tuple[PlacedDevice, ...] | None) -> str:
        return self.why_unknown(device_class) if devices is None else failing(self.devices.failures(device_class, node))

    def why_unknown(self, device_class: DeviceClass) -> str:
        """Why the class' devices are not known."""
        return self.devices.undecided(device_class) if self.devices.known else "resource slices could not be read"

    def _why_none(self, device_class: DeviceClass, node: Node) -> str:
        unusable = (f"pool {pool.pool} of {pool.driver}: {pool.why}" for pool in self.devices.unusable_on(device_class, node))
        return "; ".join(filter(None, (*unusable, failing(self.devices.failures(device_class, node)))))


_MAY_BE_OFF = f"the feature gate {EXTENDED_RESOURCE} is off by default here, and whether it was turned on could not be read"


def failing(failures: Sequence[str]) -> str:
    """What selectors that fail on devices do, with the first of them; empty for none.

    An error in one node's filter ends the pod's attempt (kubernetes pkg/scheduler/schedule_one.go, findNodesThatPassFilters).
    """
    if not failures:
        return ""
    more = f" (and on {len(failures) - 1} more)" if len(failures) > 1 else ""
    first = failures[0].partition("\n")[0]
    return f"{first}{more}: a pod for which the scheduler looks at such a device is placed on no node"


def amount(resources: ResourceList | None, name: str) -> int:
    """A node's whole number of a resource, as the scheduler reads it; 0 when the node does not list it."""
    found = quantity.read((resources or {}).get(name))
    return found.value() if found is not None else 0
