"""`--dry-run=server`: writes that can be tried before their time are sent with dryRun=All, once; the server's words stand at the step."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from http import HTTPStatus

import msgspec

from kubectl_dra.audit.words import count
from kubectl_dra.cluster.writes import Written
from kubectl_dra.errors import ApiError
from kubectl_dra.eviction import evict
from kubectl_dra.eviction.filters import Action as Fate
from kubectl_dra.migration import fence
from kubectl_dra.migration.actions import labels_of
from kubectl_dra.migration.document import Check, MigrationPlan
from kubectl_dra.migration.lock import LEASES
from kubectl_dra.migration.marks import FENCE, JOURNAL, LOCK_NAMESPACE, lock_name
from kubectl_dra.migration.names import Level, Phase, StepName, StepState
from kubectl_dra.migration.profile import Action
from kubectl_dra.migration.reach import RESOURCE, Reach, node_path
from kubectl_dra.migration.subject import Subject
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.resource import DeviceTaintRule

NOBODY = "00000000"
"""The journal's id in a rehearsal."""

NAME = "server-dry-run"
"""The checks' name."""

Told = Iterator[Check]


def rehearsed(plan: MigrationPlan, subject: Subject, reach: Reach) -> MigrationPlan:
    """The plan with what the server says to its writes; blocked when it refuses one. A budget that holds a pod back now is a warning.

    Raises what the server's absence raises.
    """
    if plan.phase is Phase.BLOCKED:
        return plan
    tried = {step.name: tuple(TRIED[step.name](subject, reach)) for step in plan.steps if step.name in TRIED and step.state is _OPEN}
    steps = tuple(msgspec.structs.replace(step, checks=(*step.checks, *tried.get(step.name, ()))) for step in plan.steps)
    refused = any(check.level is Level.BLOCKER for checks in tried.values() for check in checks)
    return msgspec.structs.replace(plan, steps=steps, phase=Phase.BLOCKED if refused else Phase.PLANNED)


_OPEN = StepState.PENDING


def _lock(subject: Subject, reach: Reach) -> Told:
    name = lock_name(subject.target.name)
    meta = {"name": name, "namespace": LOCK_NAMESPACE}
    body = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": meta, "spec": {"holderIdentity": NOBODY}}
    yield from _tried(
        f"Lease {LOCK_NAMESPACE}/{name} can be made",
        lambda: reach.writes.create(LEASES, body, Written, dry_run=True, harmless=True),
        there="the lock of an earlier run is there: it is taken over when nobody renews it",
    )


def _journal(subject: Subject, reach: Reach) -> Told:
    yield from _patched(subject, reach, "the journal can be written", {"metadata": {"annotations": {JOURNAL: NOBODY}}})


def _cordon(subject: Subject, reach: Reach) -> Told:
    taints = [*map(msgspec.to_builtins, subject.node.spec.taints or ()), {"key": FENCE, "value": NOBODY, "effect": "NoSchedule"}]
    yield from _patched(subject, reach, "the node can be cordoned and fenced", {"spec": {"unschedulable": True, "taints": taints}})
    rules = fence.rule_names(subject.target.name, reach.slices_on(subject.target.name), subject.target.drivers)
    for name, (driver, pool) in rules.items() if reach.serves_rules else ():
        taint = {"key": FENCE, "value": NOBODY, "effect": "NoSchedule"}
        body = {
            "apiVersion": reach.api_version(RESOURCE, "DeviceTaintRule"),
            "kind": "DeviceTaintRule",
            "metadata": {"name": name},
            "spec": {"deviceSelector": {"driver": driver, "pool": pool}, "taint": taint},
        }
        path = reach.path(RESOURCE, "DeviceTaintRule")
        yield from _tried(
            f"DeviceTaintRule {name} can be made",
            lambda path=path, body=body: reach.writes.create(path, body, DeviceTaintRule, dry_run=True, harmless=True),  # type: ignore[misc]
            there=f"DeviceTaintRule {name} is there already",
        )


def _drain(subject: Subject, reach: Reach) -> Told:
    """Each pod is asked once: a budget that never yields must not make a dry run wait (kubernetes/kubectl#1830)."""
    going = [fate for fate in subject.fates if fate.action in (Fate.EVICT, Fate.DELETE)]
    grace = subject.options.grace_period if subject.options.grace_period >= 0 else None
    try:
        refused = evict.refusals(reach.writes, going, grace=grace)
    except ApiError as error:
        yield Check(NAME, Level.BLOCKER, f"a pod cannot be evicted at all: {error.message}")
        return
    for each in refused:
        yield Check(NAME, Level.WARNING, f"{each.pod} may not be evicted now: {each.why}")
    if going and not refused:
        yield Check(NAME, Level.OK, f"{count(len(going), 'pod')} may be evicted now")


def _labels(actions: Callable[[Subject], Iterable[Action]]) -> "Callable[[Subject, Reach], Told]":
    """The try of a step that changes labels; what programs and people do cannot be tried."""

    def tried(subject: Subject, reach: Reach) -> Told:
        labels = labels_of(actions(subject))
        if labels:
            told = ", ".join(f"{key}={value}" if value is not None else f"{key}-" for key, value in labels.items())
            yield from _patched(subject, reach, f"the node's labels can be changed ({told})", {"metadata": {"labels": dict(labels)}})

    return tried


TRIED: Mapping[StepName, Callable[[Subject, Reach], Told]] = {
    StepName.LOCK: _lock,
    StepName.JOURNAL: _journal,
    StepName.CORDON: _cordon,
    StepName.DRAIN: _drain,
    StepName.UNPLUG: _labels(lambda subject: subject.target.profile.unplug.do),
    StepName.PLUG: _labels(lambda subject: subject.target.profile.plug.do),
    StepName.REMOVE: _labels(lambda subject: subject.target.profile.plug.undo),
    StepName.REPLUG: _labels(lambda subject: subject.target.profile.unplug.undo),
}
"""The steps whose writes can be tried before those of the steps in front of them are made. The canary was tried by the preflight."""


def _patched(subject: Subject, reach: Reach, fine: str, body: Mapping[str, object]) -> Told:
    path = node_path(subject.target.name)
    yield from _tried(fine, lambda: reach.writes.patch_merge(path, body, Node, dry_run=True))


def _tried(fine: str, write: Callable[[], object], *, there: str = "") -> Told:
    """What the server says; `there` is told where the object exists already."""
    try:
        write()
    except ApiError as error:
        if there and error.code == HTTPStatus.CONFLICT:
            yield Check(NAME, Level.OK, there)
        else:
            yield Check(NAME, Level.BLOCKER, f"the server refuses: {error.message}")
        return
    yield Check(NAME, Level.OK, fine)
