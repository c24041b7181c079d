"""What people should know of a rule before they make it: traps of the API, and of the version that the cluster runs (pure)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches

import msgspec

from kubectl_dra.knowledge.faults import fault
from kubectl_dra.knowledge.gates import enabled
from kubectl_dra.objects.resource import DeviceTaintRule
from kubectl_dra.objects.snapshot import Snapshot
from kubectl_dra.taint_rules.hits import ClaimHit, Hits, Reading, Stays, saves_nobody
from kubectl_dra.taint_rules.newest import newest_slices
from kubectl_dra.taint_rules.rule import Effect, is_readable, selected_by, selects_everything

GATES = ("DRADeviceTaints", "DRADeviceTaintRules")
"""Without either of them nobody looks at rules."""


class Subject(msgspec.Struct, frozen=True):
    """What is judged: rules, in a reading, with what they hit."""

    reading: Reading
    rules: tuple[DeviceTaintRule, ...]
    hits: Hits

    @property
    def snapshot(self) -> Snapshot:
        """The reading."""
        return self.reading.snapshot

    @property
    def effects(self) -> frozenset[str]:
        """The effects of the rules."""
        return frozenset(rule.spec.taint.effect for rule in self.rules)


def cautions(subject: Subject) -> tuple[str, ...]:
    """Sentences, the gravest first."""
    return tuple(text for each in CAUTIONS for text in each(subject))


def _without_effect(subject: Subject) -> Iterator[str]:
    cluster = subject.snapshot.cluster
    off = [gate for gate in GATES if enabled(gate, cluster.emulated, cluster.feature_gates) is False]
    if off:
        yield f"the feature gate {off[0]} is off: the rule would be stored, and nobody would look at it"


def _panic(subject: Subject) -> Iterator[str]:
    version = subject.snapshot.cluster.version
    if fault("rule-tracker-panic").affects(version):
        yield f"{version} has a fault by which any rule can crash the scheduler (kubernetes/kubernetes#139681): none is written here"
    elif fault("rule-event-panic").affects(version) and (unfit := incomplete(subject)):
        yield (
            f"{version} has a fault by which a rule that is written while a slice grows can crash the scheduler"
            f" (kubernetes/kubernetes#143378), and {unfit}"
        )


def incomplete(subject: Subject) -> str:
    """Which of the selected pools lacks slices; empty when all are complete."""
    for (driver, pool), slices in sorted(newest_slices(subject.snapshot.resource_slices).items()):
        wanted = slices[0].spec.pool.resource_slice_count
        names = [device.name for each in slices for device in each.spec.devices or ()]
        if len(slices) != wanted and (not names or any(subject.hits.selects((driver, pool, name)) for name in names)):
            return f"pool {pool} of {driver} has {len(slices)} of its {wanted} slices"
    return ""


def _every_device(subject: Subject) -> Iterator[str]:
    version = subject.snapshot.cluster.version
    for rule in subject.rules:
        selector = rule.spec.device_selector
        if selector is None and fault("rule-without-selector").affects(version):
            yield (
                f"a rule without a selector hits no pod, but the scheduler of {version} takes it for every device: with NoSchedule or"
                " NoExecute nothing can be allocated any more (kubernetes/kubernetes#141998)"
            )
        elif selector is None:
            yield "a rule without a selector selects no device"
        elif selects_everything(selector):
            yield "an empty selector selects every device of every driver in the cluster"
        elif len(subject.hits.published) == len(subject.reading.published) > 0:
            yield f"the selector selects all of the {len(subject.reading.published)} devices that are published in the cluster"


def _nothing(subject: Subject) -> Iterator[str]:
    """Names are compared letter by letter, capitals too."""
    snapshot, hits = subject.snapshot, subject.hits
    if not (snapshot.resource_slices.known and snapshot.resource_claims.known):
        return
    if hits.published or any(rule.spec.device_selector is None for rule in subject.rules):
        return
    if hits.claims:
        yield "no published device is selected: only claims still name such devices"
        return
    for rule in subject.rules:
        for part, value in selected_by(rule.spec.device_selector).items() if rule.spec.device_selector else ():
            there = _values(subject, part)
            if value not in there:
                near = get_close_matches(value, sorted(there), n=1) or [each for each in sorted(there) if each.lower() == value.lower()]
                hint = f": did you mean {near[0]}?" if near else ""
                yield f"no device is selected: there is no {part} {value}{hint}"
                return
    yield "no device is selected"


def _values(subject: Subject, part: str) -> frozenset[str]:
    at = {"driver": 0, "pool": 1, "device": 2}.get(part)
    return frozenset(each.id[at] for each in subject.reading.published) if at is not None else frozenset()


def _not_evicted(subject: Subject) -> Iterator[str]:
    version = subject.snapshot.cluster.version
    left = [each for each in subject.hits.pods if each.stays is Stays.NOT_SUPPORTED]
    if left:
        yield (
            f"{_pods(len(left))} of extended resources {_uses(len(left))} such devices; {version} neither counts nor evicts them"
            " (kubernetes/kubernetes#142492): delete them by hand"
        )
    if version is None and any(each.pod.status.extended_resource_claim_status for each in subject.hits.evicted):
        yield "pods of extended resources are counted as evicted; before 1.37.2 they are not, and the cluster's version is not known"


def _saves_nobody(subject: Subject) -> Iterator[str]:
    names = [each.pod.metadata.name for each in subject.hits.evicted if any(_has_idle_toleration(subject, hit) for hit in each.claims)]
    if names:
        yield (
            f"{_pods(len(names))} ({_some(names)}) {'has' if len(names) == 1 else 'have'} a toleration without an effect: by it the"
            " scheduler uses such devices, but only one with the effect NoExecute keeps a pod from being evicted"
        )


def _has_idle_toleration(subject: Subject, hit: ClaimHit) -> bool:
    allocation = hit.claim.status.allocation
    return any(
        saves_nobody(rule, result.tolerations or ())
        for result in (allocation.devices.results or () if allocation is not None else ())
        for rule in subject.hits.selected(result.driver, result.pool, result.device)
    )


def _no_tolerations(subject: Subject) -> Iterator[str]:
    version = subject.snapshot.cluster.version
    if fault("toleration-not-copied").affects(version):
        yield f"{version} does not keep claims' tolerations with what is allocated: none of them saves a pod (kubernetes/kubernetes#134479)"


def _administrators(subject: Subject) -> Iterator[str]:
    if Effect.NO_SCHEDULE in subject.effects and len(subject.effects) == 1:
        return
    admin = sum(
        1
        for each in subject.hits.evicted
        for hit in each.claims
        for result in (hit.claim.status.allocation.devices.results or () if hit.claim.status.allocation else ())
        if result.admin_access
    )
    if admin:
        yield f"{admin} of the allocated devices {'is' if admin == 1 else 'are'} an administrator's access: such pods are evicted, too"


def _still_shared(subject: Subject) -> Iterator[str]:
    shared = [hit for hit in subject.hits.claims if hit.claim.metadata.controller is None]
    if shared and Effect.NO_SCHEDULE in subject.effects:
        yield (
            "pods that use a claim which has its devices already are still placed on them: NoSchedule keeps devices from new claims only"
            f" ({_some([f'{hit.claim.metadata.namespace}/{hit.claim.metadata.name}' for hit in shared])})"
        )


def _old_rules(subject: Subject) -> Iterator[str]:
    for rule in subject.rules:
        if not is_readable(rule.spec.device_selector):
            yield f"{rule.metadata.name} selects by class or CEL, as 1.33 and 1.34 had it: what it hits is not told here"


def _groups(subject: Subject) -> Iterator[str]:
    if subject.snapshot.cluster.feature_gates.get("DRAWorkloadResourceClaims"):
        yield "the feature gate DRAWorkloadResourceClaims is on: pods that use the claim of their pod group are not counted here"


CAUTIONS: Sequence[Callable[[Subject], Iterable[str]]] = (
    _without_effect,
    _panic,
    _every_device,
    _nothing,
    _not_evicted,
    _saves_nobody,
    _no_tolerations,
    _administrators,
    _still_shared,
    _old_rules,
    _groups,
)


def _pods(count: int) -> str:
    return f"{count} {'pod' if count == 1 else 'pods'}"


def _uses(count: int) -> str:
    return "uses" if count == 1 else "use"


def _some(names: Sequence[str]) -> str:
    more = len(names) - 3
    return ", ".join(names[:3]) + (f" and {more} more" if more > 0 else "")
