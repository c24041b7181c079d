"""The plan: ordered steps, each with what it looks at before, what it does, what it waits for, how it is undone, and its limit."""

from collections.abc import Mapping

from kubectl_dra.eviction.filters import Fate
from kubectl_dra.knowledge.faults import fault
from kubectl_dra.migration.document import Check, MigrationPlan, PodMove, Step, Where
from kubectl_dra.migration.names import VERIFICATION, Level, Phase, StepName, StepState
from kubectl_dra.migration.rollback import BACK_TEXTS, not_needed_back
from kubectl_dra.migration.step_texts import TEXTS
from kubectl_dra.migration.subject import Subject
from kubectl_dra.migration.timing import Timing
from kubectl_dra.objects.snapshot import Version

FIRST_THAT_FORGETS = Version(1, 38)
"""Kubelets from here on need no step `forget` (kubernetes/kubernetes#141426)."""


def plan(subject: Subject, timing: Timing, checks: tuple[Check, ...]) -> MigrationPlan:
    """The move or the way back, from where the node stands. `checks` are those of the preflight; a blocker among them blocks all."""
    target, cluster = subject.target, subject.snapshot.cluster
    blocked = any(check.level is Level.BLOCKER for check in checks)
    return MigrationPlan(
        node=target.name,
        profile=target.profile.name,
        direction=target.direction,
        resources=tuple(each.name for each in target.resources),
        devices=target.resources,
        phase=Phase.BLOCKED if blocked else Phase.PLANNED,
        steps=steps(subject, timing, checks),
        pods=tuple(_pod(subject, fate) for fate in subject.to_drain),
        id=target.open_journal.id if target.open_journal else "",
        cluster=Where(cluster.server, cluster.context),
        command=subject.options.command,
    )


def steps(subject: Subject, timing: Timing, checks: tuple[Check, ...]) -> tuple[Step, ...]:
    """Every step in order. What an earlier run has done is done; what is not needed here is skipped, with the reason."""
    order = VERIFICATION if subject.options.verify else subject.target.direction.steps
    left_out = {**not_needed(subject), **_left_out_by_options(subject, order)}
    blocked = any(check.level is Level.BLOCKER for check in checks)
    return tuple(_step(subject, timing, name, left_out.get(name, ""), checks, blocked=blocked) for name in order)


def _step(subject: Subject, timing: Timing, name: StepName, left_out: str, checks: tuple[Check, ...], *, blocked: bool) -> Step:
    texts = (BACK_TEXTS if subject.back else TEXTS)[name](subject, timing)
    state, message = StepState.PENDING, ""
    if name is StepName.PREFLIGHT:
        state = StepState.BLOCKED if blocked else StepState.DONE
    elif left_out:
        state, message = StepState.SKIPPED, left_out
    elif _done_before(subject, name):
        state, message = StepState.DONE, "done by an earlier run"
    return Step(
        name=name,
        state=state,
        checks=checks if name is StepName.PREFLIGHT else (),
        before=texts.before,
        does=texts.does,
        waits_for=texts.waits_for,
        undo=texts.undo,
        timeout_seconds=subject.options.limit(name, timing),
        message=message,
    )


AGAIN = frozenset({StepName.PREFLIGHT, StepName.LOCK, StepName.JOURNAL, StepName.EMPTY, StepName.CLAIMS, StepName.RECHECK, StepName.CLOSE})
"""Steps that every run makes anew: what they found may have changed since."""


def _done_before(subject: Subject, name: StepName) -> bool:
    journal = subject.target.open_journal
    if journal is None or subject.options.verify or journal.direction is not subject.target.direction or name in AGAIN:
        return False
    return journal.state(name) is StepState.DONE


def not_needed(subject: Subject) -> Mapping[StepName, str]:
    """The steps that there is nothing to do for on this node, each with the reason."""
    found = dict(not_needed_back(subject)) if subject.back else {}
    if subject.options.canary.skip:
        found[StepName.CANARY] = "--no-canary"
    if subject.back:
        return found
    version = Version.of(subject.node.kubelet_version)
    policy = subject.facts.topology_manager
    if version is not None and version >= FIRST_THAT_FORGETS:
        found[StepName.FORGET] = f"kubelet {subject.node.kubelet_version} forgets plugin pods by itself"
    elif not fault("plugin-remembered").affects(version) and version is not None:
        found[StepName.FORGET] = f"kubelet {subject.node.kubelet_version} is not known to remember plugin pods"
    elif policy not in (None, "", "none"):
        found[StepName.FORGET] = f"topology manager policy {policy}: the kubelet forgets plugin pods by itself"
    if not subject.target.moving:
        found |= dict.fromkeys((StepName.SLICES, StepName.CLASS, StepName.CANARY), "every name is dropped")
    return found


def _left_out_by_options(subject: Subject, order: tuple[StepName, ...]) -> Mapping[StepName, str]:
    options = subject.options
    if options.only is StepName.PREFLIGHT:
        return {name: "--only=preflight" for name in order if name is not StepName.PREFLIGHT}
    if options.only is not None:
        return {name: f"--only={options.only}" for name in order if name is not options.only and name not in _ALWAYS}
    if options.until is not None and options.until in order:
        return {name: f"--until={options.until}" for name in order[order.index(options.until) + 1 :]}
    return {}


_ALWAYS = frozenset({StepName.PREFLIGHT, StepName.LOCK, StepName.JOURNAL})
"""What any one step takes, too. Not close: the journal of a part stays open."""


def _pod(subject: Subject, fate: Fate) -> PodMove:
    owner = subject.owner(fate.pod)
    meta = fate.pod.metadata
    return PodMove(meta.namespace or "", meta.name, f"{owner.kind}/{owner.name}", fate.action.value, fate.reason)
