"""What follows from what rules hit: workloads that lose pods, budgets that do not help, classes that lose free devices (pure)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from kubectl_dra.allocation.device_taints import selects as selects_device
from kubectl_dra.inventory.devices import ClassDevices
from kubectl_dra.inventory.owners import BUILT_IN, Owner, Owners, built_in
from kubectl_dra.inventory.pools import PlacedDevice
from kubectl_dra.inventory.users import replicas
from kubectl_dra.objects.labels import matches
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.policy import PodDisruptionBudget
from kubectl_dra.objects.resource import DeviceTaint, DeviceTaintRule
from kubectl_dra.objects.snapshot import Snapshot
from kubectl_dra.taint_rules.document import HitBudget, HitClass, HitWorkload, OtherTaint
from kubectl_dra.taint_rules.hits import DeviceId, Hits, Published
from kubectl_dra.taint_rules.rule import Effect, in_words, is_readable

KEEPS_AWAY = frozenset({Effect.NO_SCHEDULE, Effect.NO_EXECUTE})
"""Effects that matter to anybody."""


def workloads(snapshot: Snapshot, owners: Owners, evicted: Iterable[Pod]) -> Iterator[HitWorkload]:
    """The workloads that lose pods at once, by namespace, kind and name: how many, of how many that they have. Bare pods have none."""
    lost = Counter(owners.top_of(pod) for pod in evicted)
    if not lost:
        return
    has = Counter(owners.top_of(pod) for pod in snapshot.pods if not pod.finished)
    wanted = {Owner(each.metadata.namespace or "", kind, each.metadata.name): replicas(kind, each) for kind, each in built_in(snapshot)}
    for owner, count in sorted(lost.items()):
        if owner.kind != "Pod":
            yield HitWorkload(owner.namespace, owner.kind, owner.name, count, has[owner], wanted.get(owner))


WORKLOAD_KINDS = (*BUILT_IN, "custom_workloads")
"""The kinds without which the makers of pods are known by their own words alone."""


class Budgets:
    """The disruption budgets of a snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Take the reading."""
        self._by_namespace: dict[str, list[PodDisruptionBudget]] = defaultdict(list)
        for each in snapshot.pod_disruption_budgets:
            self._by_namespace[each.metadata.namespace or ""].append(each)

    def of(self, pod: Pod) -> Sequence[PodDisruptionBudget]:
        """Those that select the pod."""
        here = self._by_namespace.get(pod.metadata.namespace or "", ())
        return [each for each in here if matches(each.spec.selector, pod.metadata.labels)]

    def hit(self, evicted: Iterable[Pod]) -> Iterator[HitBudget]:
        """Those of which pods would go, by namespace and name."""
        pods: dict[tuple[str, str], tuple[PodDisruptionBudget, int]] = {}
        for pod in evicted:
            for budget in self.of(pod):
                key = budget.metadata.namespace or "", budget.metadata.name
                pods[key] = (budget, pods.get(key, (budget, 0))[1] + 1)
        for (namespace, name), (budget, count) in sorted(pods.items()):
            yield HitBudget(namespace, name, count, budget.status.disruptions_allowed)


def classes(snapshot: Snapshot, devices: ClassDevices, hits: Hits) -> Iterator[HitClass]:
    """The classes that select a device of the rules, by name, and the free devices that are lost to them."""
    for each in sorted(snapshot.device_classes, key=lambda one: one.metadata.name):
        selected = devices.everywhere(each)
        if selected is None:
            continue
        here = [placed for placed in selected if hits.selects(placed.id)]
        if here:
            yield HitClass(each.metadata.name, len(here), devices.count(here).free, devices.count(selected).free)


class Taints:
    """The taints that devices have already, apart from those of the rules in question."""

    def __init__(self, snapshot: Snapshot, apart: Iterable[str] = ()) -> None:
        """Take the reading, and the names of the rules that are left out."""
        names = frozenset(apart)
        self._rules = [each for each in snapshot.device_taint_rules if each.metadata.name not in names and _counts(each)]

    def of(self, published: Published) -> Iterator[tuple[DeviceTaint, str | None]]:
        """Each with the rule that it comes from; null for the driver's own."""
        yield from ((taint, None) for taint in published.device.taints or () if taint.effect in KEEPS_AWAY)
        yield from self.of_rules(published.id)

    def of_rules(self, device: DeviceId) -> Iterator[tuple[DeviceTaint, str | None]]:
        """The same for a device of which only the name is known."""
        for rule in self._rules:
            if selects_device(rule.spec.device_selector, *device):
                yield rule.spec.taint, rule.metadata.name

    def together(self, devices: Iterable[Published]) -> Iterator[OtherTaint]:
        """Each taint once, with the number of these devices that have it; drivers' own first."""
        found = Counter((rule is not None, in_words(taint), rule) for each in devices for taint, rule in self.of(each))
        for (_, taint, rule), count in sorted(found.items(), key=lambda item: (item[0][0], item[0][1], item[0][2] or "")):
            yield OtherTaint(taint, rule, count)


def _counts(rule: DeviceTaintRule) -> bool:
    return rule.spec.taint.effect in KEEPS_AWAY and is_readable(rule.spec.device_selector)


def places(devices: ClassDevices) -> Mapping[DeviceId, PlacedDevice]:
    """From where each device can be used, usable pools and others."""
    pools = devices.pools
    return {placed.id: placed for placed in (*pools.devices(), *(each for pool in pools.unusable for each in pool.devices))}
