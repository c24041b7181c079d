"""What a run is about, decided from one reading: the node, the names that move, their classes and drivers, whose pods serve them."""

from collections.abc import Iterable, Mapping
from functools import cached_property

import msgspec

from kubectl_dra.errors import UsageError
from kubectl_dra.inventory.cluster import names_on
from kubectl_dra.inventory.servers import Servers, amount
from kubectl_dra.knowledge import vendors
from kubectl_dra.migration.document import MovedResource
from kubectl_dra.migration.holding import claim_holders, held_claims, plugin_holders
from kubectl_dra.migration.journal import Journal, of_node
from kubectl_dra.migration.marks import is_ours
from kubectl_dra.migration.names import Direction
from kubectl_dra.migration.options import Options
from kubectl_dra.migration.profile import Part, Profile
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.resource import DeviceClass, ResourceSlice
from kubectl_dra.objects.snapshot import Snapshot


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """The decision. `journal` is what an earlier run left: null for none, a text where it cannot be read.

    `resources` are all names that leave the plugin here, those that are dropped among them. `drivers` publish (or will publish) their
    devices. `pools` are the node's own pools of these drivers, each as (driver, pool).
    """

    node: Node
    direction: Direction
    profile: Profile
    resources: tuple[MovedResource, ...]
    drivers: tuple[str, ...]
    plugin_pods: tuple[Pod, ...] = ()
    driver_pods: tuple[Pod, ...] = ()
    pools: tuple[tuple[str, str], ...] = ()
    journal: Journal | str | None = None

    @property
    def name(self) -> str:
        """The node's."""
        return self.node.metadata.name

    @property
    def moving(self) -> tuple[MovedResource, ...]:
        """The names that DRA serves after the move."""
        return tuple(each for each in self.resources if not each.dropped)

    @property
    def names(self) -> frozenset[str]:
        """All names that leave the plugin."""
        return frozenset(each.name for each in self.resources)

    @property
    def open_journal(self) -> Journal | None:
        """The journal of a run that is not finished."""
        return self.journal if isinstance(self.journal, Journal) and not self.journal.finished else None


def target(snapshot: Snapshot, options: Options, profile: Profile, servers: Servers | None = None) -> Target:
    """Decide. Raises UsageError where the node does not exist or nothing on it could be moved by this profile."""
    node = next((each for each in snapshot.nodes if each.metadata.name == options.node), None)
    if node is None:
        known = "" if snapshot.nodes.known else f" ({snapshot.nodes.reason})"
        raise UsageError(f'there is no node "{options.node}"{known}', hint="`kubectl dra inventory --by node` lists them.")
    journal = of_node(node)
    decision = _Decision(snapshot, options, profile, node, journal, servers or Servers(snapshot))
    drivers = decision.drivers
    on_node = [pod for pod in snapshot.pods if pod.node_name == options.node and not pod.finished]
    return Target(
        node=node,
        direction=options.direction,
        profile=profile,
        resources=decision.resources,
        drivers=drivers,
        plugin_pods=pods_of(profile.plugin, on_node),
        driver_pods=pods_of(profile.driver, on_node),
        pools=tuple(
            sorted({(each.spec.driver, each.spec.pool.name) for each in slices_of(snapshot.resource_slices, options.node, drivers)})
        ),
        journal=journal,
    )


def pods_of(part: Part, pods: Iterable[Pod]) -> tuple[Pod, ...]:
    """The pods, not ended, that are the profile's plugin or driver."""
    return tuple(pod for pod in pods if not pod.finished and any(marks.fits(pod) for marks in part.pods))


def slices_of(slices: Iterable[ResourceSlice], node: str, drivers: Iterable[str]) -> tuple[ResourceSlice, ...]:
    """The slices that these drivers publish for the one node."""
    wanted = frozenset(drivers)
    return tuple(each for each in slices if each.spec.node_name == node and each.spec.driver in wanted)


def holders(target: Target, snapshot: Snapshot) -> tuple[Pod, ...]:
    """The pods of the node that hold what is taken from it: devices of the plugin, on the way back devices of the driver."""
    pods = [
        pod for pod in snapshot.pods if pod.node_name == target.name and not is_ours(pod.metadata.name, pod.metadata.labels, target.name)
    ]
    if target.direction is Direction.MOVE:
        return plugin_holders(pods, target.names)
    return claim_holders(pods, held_claims(snapshot.resource_claims, target.drivers, target.pools, target.name))


class _Decision:
    """The parts of a target, each resting on those before it."""

    def __init__(
        self, snapshot: Snapshot, options: Options, profile: Profile, node: Node, journal: Journal | str | None, servers: Servers
    ) -> None:
        self._snapshot = snapshot
        self._options = options
        self._profile = profile
        self._node = node
        self._journal = journal if isinstance(journal, Journal) else None
        self._servers = servers

    @cached_property
    def resources(self) -> tuple[MovedResource, ...]:
        """Every name, sorted."""
        return tuple(self._resource(name) for name in self._names())

    @cached_property
    def drivers(self) -> tuple[str, ...]:
        """Of the names' classes, else the profile's."""
        found = {each.driver for each in self.resources if each.driver}
        return tuple(sorted(found or self._profile.drivers))

    def _names(self) -> tuple[str, ...]:
        before = self._devices_before
        capacity = self._node.status.capacity or {}
        served = {name for name in (*names_on(self._node), *before) if amount(capacity, name) or before.get(name)}
        if self._profile.resources:
            found = {name for name in served if self._profile.serves(name)}
        else:
            # a profile for any plugin: names of nobody's move belong to other plugins, and --resource says which ones are meant
            found = {name for name in served if vendors.leave_alone(name) is None}
            found = found.intersection(self._options.resources) if self._options.resources else found
        return tuple(sorted(found.union(self._options.resources, self._options.dropped)))

    @property
    def _devices_before(self) -> Mapping[str, int]:
        return self._journal.before.devices if self._journal else {}

    def _resource(self, name: str) -> MovedResource:
        options = self._options
        dropped = name in options.dropped or (bool(options.resources) and name not in options.resources)
        found = self._class(name)
        class_name = "" if dropped else options.device_class or (found.metadata.name if found else "")
        driver = "" if dropped else options.driver or self._driver(name, found)
        devices = self._devices_before.get(name) or amount(self._node.status.capacity, name)
        wanted = options.expect_devices if options.expect_devices is not None and not dropped else devices
        return MovedResource(name, wanted, class_name, driver, dropped)

    def _class(self, name: str) -> DeviceClass | None:
        wanted = self._options.device_class
        if wanted:
            return next((each for each in self._snapshot.device_classes if each.metadata.name == wanted), None)
        return self._servers.device_class(name)

    def _driver(self, name: str, device_class: DeviceClass | None) -> str:
        """What the class' selectors name, else what is known of the name's vendor, else the profile's only one."""
        named = self._servers.devices.driver_terms(device_class).drivers if device_class is not None else frozenset[str]()
        if len(named) == 1:
            return next(iter(named))
        known = vendors.resource(name)
        if known is not None and known.driver:
            return known.driver
        return self._profile.drivers[0] if len(self._profile.drivers) == 1 else ""
