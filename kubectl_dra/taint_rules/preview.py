"""What rules would do, worked out from one reading of the cluster (pure)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

import msgspec

from kubectl_dra.inventory.devices import ClassDevices
from kubectl_dra.inventory.document import ObjectName
from kubectl_dra.inventory.known import known, unknown_kinds
from kubectl_dra.inventory.owners import Owners
from kubectl_dra.knowledge.faults import fault
from kubectl_dra.objects.meta import timestamp
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.resource import DeviceTaintRule, ResourceClaim
from kubectl_dra.objects.snapshot import Snapshot
from kubectl_dra.taint_rules import consequences
from kubectl_dra.taint_rules.cautions import Subject, cautions
from kubectl_dra.taint_rules.document import (
    Counts,
    EvictedPod,
    HitClaim,
    HitDevice,
    Rule,
    RulePreview,
    RuleSelector,
    RuleTaint,
    SparedPod,
    TaintPreview,
    Workload,
)
from kubectl_dra.taint_rules.hits import DeviceId, Hits, PodHit, Reading, Stays, patience_with
from kubectl_dra.taint_rules.rule import Effect, in_words, is_readable
from kubectl_dra.taint_rules.successors import NOT_KNOWN, successors

RESTS_ON = ("pods", "resource_slices", "resource_claims")
"""The kinds without which there are no numbers."""

_WORDS: Mapping[Stays, str] = {
    Stays.NOT_SCHEDULED: "it has no node yet",
    Stays.TERMINATING: "it is being deleted already",
    Stays.NOT_RESERVED: "its claim is not reserved for it",
    Stays.NOT_OWNER: "its claim was made for another pod",
    Stays.NOT_SUPPORTED: "this version does not evict pods of extended resources",
}


class Sight(msgspec.Struct, frozen=True):
    """Rules in a reading: everything that a preview is put together from."""

    subject: Subject
    existing: Mapping[str, DeviceTaintRule]
    now: datetime

    @property
    def snapshot(self) -> Snapshot:
        """The reading."""
        return self.subject.snapshot

    @property
    def hits(self) -> Hits:
        """What the rules hit."""
        return self.subject.hits


def never() -> bool:
    """The time is never over."""
    return False


def sight(snapshot: Snapshot, rules: Iterable[DeviceTaintRule], now: datetime) -> Sight:
    """Look at rules, whether they exist (by their names) or not. `now` is when evictions would begin."""
    rules = tuple(rules)
    names = {rule.metadata.name for rule in rules}
    there = {rule.metadata.name: rule for rule in snapshot.device_taint_rules if rule.metadata.name in names}
    reading = reading_of(snapshot)
    return Sight(Subject(reading, rules, Hits(reading, rules)), there, now)


def reading_of(snapshot: Snapshot) -> Reading:
    """The reading as the eviction controller of the cluster's version sees it."""
    return Reading(snapshot, extended_evicted=not fault("no-eviction-of-extended").affects(snapshot.cluster.version))


def evicted_pods(seen: Sight) -> tuple[Pod, ...]:
    """The pods that NoExecute would evict."""
    return tuple(each.pod for each in seen.hits.evicted)


def preview(seen: Sight, expired: Callable[[], bool] = never) -> TaintPreview:
    """The document. `expired` ends the trial of successors, which is the only part that can take long; those left are unknown."""
    snapshot, subject, hits = seen.snapshot, seen.subject, seen.hits
    rules = tuple(_rule(rule, seen.existing.get(rule.metadata.name)) for rule in subject.rules)
    each = tuple(
        RulePreview(told, counts(snapshot, Hits(subject.reading, (rule,))) if len(rules) > 1 else counts(snapshot, hits))
        for told, rule in zip(rules, subject.rules, strict=True)
    )
    owners, devices = Owners(snapshot), ClassDevices(snapshot)
    evicted = evicted_pods(seen)
    taints = consequences.Taints(snapshot, apart=(rule.metadata.name for rule in subject.rules))
    budgets = consequences.Budgets(snapshot)
    return TaintPreview(
        rule=rules[0] if len(rules) == 1 else None,
        rules=each,
        client=counts(snapshot, hits),
        pods=_evicted(seen, owners, budgets, expired),
        spared=_spared(hits, owners),
        workloads=tuple(consequences.workloads(snapshot, owners, evicted)),
        claims=_claims(hits),
        devices=_devices(hits, devices, taints),
        classes=tuple(consequences.classes(snapshot, devices, hits)),
        budgets=tuple(budgets.hit(evicted)),
        taints=tuple(taints.together(hits.published)),
        warnings=cautions(subject),
        unknown=unknown_kinds(snapshot, (*RESTS_ON, "device_taint_rules", "device_classes", "nodes", "pod_disruption_budgets")),
    )


def counts(snapshot: Snapshot, hits: Hits) -> Counts:
    """The controller's four numbers; null where a kind is not known, or a rule selects by what is not evaluated here."""
    readable = all(is_readable(rule.spec.device_selector) for rule in hits.rules)
    whole = not snapshot.cluster.namespace
    slices = readable and known(snapshot.resource_slices)
    claims = readable and known(snapshot.resource_claims) and whole
    pods = claims and known(snapshot.pods)
    return Counts(
        hits.published_devices if slices else None,
        hits.allocated_devices if claims else None,
        len(hits.evicted) if pods else None,
        hits.namespaces if pods else None,
    )


def _rule(rule: DeviceTaintRule, there: DeviceTaintRule | None) -> Rule:
    selector, taint = rule.spec.device_selector, rule.spec.taint
    told = None if selector is None else RuleSelector(selector.driver, selector.pool, selector.device)
    effect = None if there is None else there.spec.taint.effect
    return Rule(rule.metadata.name, told, RuleTaint(taint.key, taint.value, taint.effect, taint.time_added), there is not None, effect)


def _offset(seen: Sight) -> int:
    """Seconds from now to the moment from which tolerations count: the taint's own time, which is set anew when its effect changes."""
    (taint, *_) = (rule.spec.taint for rule in seen.subject.rules)
    exists = seen.subject.rules[0].metadata.name in seen.existing
    began = timestamp(taint.time_added) if not exists or taint.effect == Effect.NO_EXECUTE else None
    return 0 if began is None else round((began - seen.now).total_seconds())


def _evicted(seen: Sight, owners: Owners, budgets: consequences.Budgets, expired: Callable[[], bool]) -> tuple[EvictedPod, ...]:
    hits, offset = seen.hits, _offset(seen)
    going = sorted(((each, owners.top_of(each.pod)) for each in hits.evicted), key=lambda item: _name(item[0].pod))
    in_force = [_in_force(rule) for rule in seen.subject.rules]
    after = successors(seen.snapshot, in_force, going, expired)
    found = []
    for hit, owner in going:
        meta, successor = hit.pod.metadata, after.get(hit.pod.metadata.uid or "", NOT_KNOWN)
        found.append(
            EvictedPod(
                namespace=meta.namespace or "",
                name=meta.name,
                uid=meta.uid or "",
                node=hit.pod.node_name or "",
                workload=Workload(owner.kind, owner.name),
                priority=hit.pod.spec.priority or 0,
                claims=_names(hit),
                devices=tuple(dict.fromkeys("/".join(device) for claim in hit.claims for device in claim.devices)),
                evict_after_seconds=max(0, offset + hit.after),
                phase=hit.pod.status.phase or "",
                extended_resource=any(claim.claim.extended for claim in hit.claims),
                comes_back=successor.comes_back.value,
                why=successor.why,
                budgets=tuple(each.metadata.name for each in budgets.of(hit.pod)),
            )
        )
    return tuple(found)


def _in_force(rule: DeviceTaintRule) -> DeviceTaintRule:
    """The rule with an effect: what is asked of None is what NoExecute would do."""
    taint = rule.spec.taint
    if taint.effect != Effect.NONE:
        return rule
    spec = msgspec.structs.replace(rule.spec, taint=msgspec.structs.replace(taint, effect=Effect.NO_EXECUTE.value))
    return msgspec.structs.replace(rule, spec=spec)


def _spared(hits: Hits, owners: Owners) -> tuple[SparedPod, ...]:
    found = []
    for hit in sorted((each for each in hits.pods if each.stays is not None), key=lambda each: _name(each.pod)):
        if hit.stays is not None and not hit.pod.finished:
            owner, (namespace, name) = owners.top_of(hit.pod), _name(hit.pod)
            detail = _WORDS.get(hit.stays) or _tolerated(hits, hit)
            found.append(SparedPod(namespace, name, Workload(owner.kind, owner.name), _names(hit), hit.stays.value, detail))
    return tuple(found)


def _tolerated(hits: Hits, hit: PodHit) -> str:
    for claim in hit.claims:
        allocation = claim.claim.status.allocation
        for result in (allocation.devices.results or ()) if allocation is not None else ():
            for rule in hits.selected(result.driver, result.pool, result.device):
                if patience_with(rule, result.tolerations or ()) is None:
                    return f"request {result.request} of {claim.claim.metadata.name} tolerates it for ever"
    return ""


def _claims(hits: Hits) -> tuple[HitClaim, ...]:
    found = []
    for hit in sorted(hits.claims, key=lambda each: (each.claim.metadata.namespace or "", each.claim.metadata.name)):
        claim = hit.claim
        pods = tuple(each.name for each in claim.status.reserved_for or () if each.resource == "pods")
        devices = tuple("/".join(device) for device in hit.devices)
        found.append(HitClaim(claim.metadata.namespace or "", claim.metadata.name, devices, pods, claim.extended))
    return tuple(found)


def _devices(hits: Hits, known_devices: ClassDevices, taints: consequences.Taints) -> tuple[HitDevice, ...]:
    """The published ones in their order, then those that only claims name."""
    held: dict[DeviceId, list[ResourceClaim]] = {}
    for hit in hits.claims:
        for device in dict.fromkeys(hit.devices):
            held.setdefault(device, []).append(hit.claim)
    places = consequences.places(known_devices)
    found = []
    for each in sorted(hits.published, key=lambda one: one.id[:2]):
        place = places.get(each.id)
        node = place.place.node_name if place is not None else None
        shown = tuple(in_words(taint) for taint, _ in taints.of(each))
        found.append(HitDevice(*each.id, node, True, _claim_names(held.pop(each.id, ())), shown))
    for device in sorted(held):
        shown = tuple(in_words(taint) for taint, _ in taints.of_rules(device))
        found.append(HitDevice(*device, None, False, _claim_names(held[device]), shown))
    return tuple(found)


def _claim_names(claims: Sequence[ResourceClaim]) -> tuple[ObjectName, ...]:
    return tuple(ObjectName(each.metadata.namespace or "", each.metadata.name) for each in claims)


def _names(hit: PodHit) -> tuple[str, ...]:
    return tuple(each.claim.metadata.name for each in hit.claims)


def _name(pod: Pod) -> tuple[str, str]:
    return pod.metadata.namespace or "", pod.metadata.name
