"""The devices that DRA has for a class: which nodes reach them, which are given to claims, which are tainted."""

from collections.abc import Iterable, Mapping
from functools import cached_property

from kubectl_dra.allocation.features import from_gates
from kubectl_dra.allocation.selectors import Judges
from kubectl_dra.inventory.document import Devices
from kubectl_dra.inventory.known import known
from kubectl_dra.inventory.pools import DeviceId, PlacedDevice, Pools, UnusablePool
from kubectl_dra.inventory.selection import DriverTerms, Outcome, Selection, driver_terms
from kubectl_dra.knowledge.faults import fault
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.resource import DeviceClass, DeviceTaintRule, DeviceTaintSelector
from kubectl_dra.objects.snapshot import ReadState, Snapshot

_KEEPS_AWAY = frozenset({"NoSchedule", "NoExecute"})
"""Effects of taints that matter to the scheduler. Claims of extended resources tolerate nothing."""


class ClassDevices:
    """The devices of one snapshot, by class and node."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Take the reading; everything is computed when first asked for."""
        self._snapshot = snapshot
        self._judges = Judges()
        self._selections: dict[str, Selection] = {}
        self._terms: dict[str, DriverTerms] = {}

    @property
    def known(self) -> bool:
        """Whether slices were read in full."""
        return known(self._snapshot.resource_slices)

    @cached_property
    def pools(self) -> Pools:
        """The pools as the scheduler takes them."""
        return Pools(self._snapshot.resource_slices, from_gates(self._snapshot.cluster.feature_gates.get))

    @cached_property
    def allocated(self) -> Mapping[DeviceId, tuple[str, str]]:
        """Devices that a claim holds for itself, and the claim's namespace and name. Admin access and shares of devices do not count."""
        found = {}
        for claim in self._snapshot.resource_claims:
            allocation = claim.status.allocation
            for result in (allocation.devices.results or ()) if allocation else ():
                if not result.admin_access and not result.share_id:
                    found[result.driver, result.pool, result.device] = (claim.metadata.namespace or "", claim.metadata.name)
        return found

    def selection(self, device_class: DeviceClass) -> Selection:
        """The class' selectors, ready to judge devices."""
        name = device_class.metadata.name
        found = self._selections.get(name)
        if found is None:
            found = self._selections[name] = Selection(device_class, self._judges)
        return found

    def driver_terms(self, device_class: DeviceClass) -> DriverTerms:
        """The drivers that the class' selectors name."""
        name = device_class.metadata.name
        found = self._terms.get(name)
        if found is None:
            found = self._terms[name] = driver_terms(device_class)
        return found

    def on_node(self, device_class: DeviceClass, node: Node) -> tuple[PlacedDevice, ...] | None:
        """The class' devices that the node reaches; None when slices are unknown, or a selector cannot be decided on one of them.

        Devices on which a selector fails are not among them (`failures`).
        """
        if not self.known:
            return None
        return self._selected(device_class, self.pools.devices_on(node))

    def everywhere(self, device_class: DeviceClass) -> tuple[PlacedDevice, ...] | None:
        """The class' devices, wherever they are; None as in `on_node`."""
        if not self.known:
            return None
        return self._selected(device_class, self.pools.devices())

    def _selected(self, device_class: DeviceClass, devices: Iterable[PlacedDevice]) -> tuple[PlacedDevice, ...] | None:
        chosen, selected = self.selection(device_class), []
        for placed in devices:
            match chosen.judge(placed.candidate).outcome:
                case Outcome.SELECTED:
                    selected.append(placed)
                case Outcome.UNDECIDED:
                    return None
        return tuple(selected)

    def failures(self, device_class: DeviceClass, node: Node | None = None) -> tuple[str, ...]:
        """The scheduler's words for each device (of those that the node reaches, or of all) on which a selector of the class fails.

        Of a node that nothing can be placed on because of a broken slice the error of that.
        """
        if not self.known:
            return ()
        if node is not None and (failure := self.pools.failure(node)):
            return (failure,)
        chosen = self.selection(device_class)
        judged = (chosen.judge(placed.candidate) for placed in (self.pools.devices() if node is None else self.pools.devices_on(node)))
        return tuple(each.error for each in judged if each.outcome is Outcome.FAILS)

    def undecided(self, device_class: DeviceClass) -> str:
        """Why it cannot be told which devices the class selects; empty when it can."""
        chosen = self.selection(device_class)
        judged = (chosen.judge(placed.candidate) for placed in self.pools.devices())
        return next((each.error for each in judged if each.outcome is Outcome.UNDECIDED), "")

    def unusable_on(self, device_class: DeviceClass, node: Node) -> tuple[UnusablePool, ...]:
        """The node's pools that the class would select from if they were complete."""
        return tuple(pool for pool in self.pools.unusable_on(node) if self._would_select(device_class, pool))

    def _would_select(self, device_class: DeviceClass, pool: UnusablePool) -> bool:
        """By the devices that are published; where there are none, by the drivers that the selectors name."""
        if not pool.devices:
            return self.driver_terms(device_class).may_select(pool.driver)
        chosen = self.selection(device_class)
        return any(chosen.judge(placed.candidate).outcome is not Outcome.REJECTED for placed in pool.devices)

    def count(self, devices: Iterable[PlacedDevice] | None) -> Devices:
        """The numbers of some devices; all null for None."""
        if devices is None:
            return Devices(None, None, None, None)
        listed = tuple(devices)
        tainted = sum(1 for placed in listed if self.tainted(placed)) if self.taints_known else None
        if not listed:
            return Devices(0, 0, 0, 0)
        if not known(self._snapshot.resource_claims) or self._snapshot.cluster.namespace:
            return Devices(len(listed), None, None, tainted)
        allocated = sum(1 for placed in listed if placed.id in self.allocated)
        free = sum(1 for placed in listed if placed.id not in self.allocated and not self.tainted(placed)) if self.taints_known else None
        return Devices(len(listed), allocated, free, tainted)

    @cached_property
    def taints_known(self) -> bool:
        """False when rules could not be read, or select by what is not evaluated here (a class, CEL: 1.33 and 1.34).

        A file without rules is taken by its slices' own taints.
        """
        rules = self._snapshot.device_taint_rules
        selectors = (rule.spec.device_selector for rule in rules if rule.spec.taint.effect in _KEEPS_AWAY)
        return all(map(_is_plain, selectors)) and (known(rules) or rules.state is ReadState.ABSENT)

    def taints(self, placed: PlacedDevice) -> tuple[str, ...]:
        """The taints that keep pods off the device, `KEY=VALUE:EFFECT`: its driver's, then those of rules."""
        of_rules = (
            rule.spec.taint
            for rule in self._snapshot.device_taint_rules
            if _is_plain(rule.spec.device_selector) and self._taints(rule, placed)
        )
        own = (taint for taint in placed.device.taints or () if taint.effect in _KEEPS_AWAY)
        return tuple(f"{taint.key}{f'={taint.value}' if taint.value else ''}:{taint.effect}" for taint in (*own, *of_rules))

    @cached_property
    def _everything_without_selector(self) -> bool:
        """Whether the scheduler takes a rule without a selector for one that taints every device."""
        return bool(fault("rule-without-selector").affects(self._snapshot.cluster.version))

    def tainted(self, placed: PlacedDevice) -> bool:
        """Whether a taint keeps pods without tolerations off the device: its driver's, or a rule's."""
        if any(taint.effect in _KEEPS_AWAY for taint in placed.device.taints or ()):
            return True
        return any(self._taints(rule, placed) for rule in self._snapshot.device_taint_rules)

    def _taints(self, rule: DeviceTaintRule, placed: PlacedDevice) -> bool:
        if rule.spec.taint.effect not in _KEEPS_AWAY:
            return False
        selector = rule.spec.device_selector
        return self._everything_without_selector if selector is None else _selects(selector, placed)


def _is_plain(selector: DeviceTaintSelector | None) -> bool:
    return selector is None or not (selector.device_class_name or selector.selectors)


def _selects(selector: DeviceTaintSelector, placed: PlacedDevice) -> bool:
    """What the selector leaves out fits every device."""
    wanted = ((selector.driver, placed.driver), (selector.pool, placed.pool), (selector.device, placed.device.name))
    return all(want is None or want == has for want, has in wanted)
