"""`kubectl dra taint KEY:EFFECT`: the preview, the question to the cluster, and the rule."""

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from kubectl_dra.cli.confirm import confirm, refuse_unasked
from kubectl_dra.cli.options import Run
from kubectl_dra.cli.taints.asked import Asked, Plan, chosen, fixed, refuse_everything
from kubectl_dra.cli.taints.following import evict_pods, wait_for_pods
from kubectl_dra.cli.taints.seeing import is_live, previewed, read, seen, show, show_before_asking
from kubectl_dra.cli.taints.session import Session, session
from kubectl_dra.errors import ApiError, DraError, UsageError
from kubectl_dra.exit_status import ExitStatus
from kubectl_dra.objects.resource import DeviceTaintRule
from kubectl_dra.report import formats
from kubectl_dra.taint_rules.answer import ProbeAnswer, differences
from kubectl_dra.taint_rules.api import Rules, is_the_same
from kubectl_dra.taint_rules.document import Outcome, TaintPreview
from kubectl_dra.taint_rules.manifest import PlannedRule, to_send
from kubectl_dra.taint_rules.preview import Sight
from kubectl_dra.taint_rules.rule import GROUP, KIND, Effect, in_words, selector_in_words
from kubectl_dra.taint_rules.wait import going
from kubectl_dra.taint_rules.writable import refusal


class DryRun(StrEnum):
    """kubectl's three."""

    NONE = "none"
    CLIENT = "client"
    SERVER = "server"


class How(msgspec.Struct, frozen=True):
    """What is to be done with the rule. `timeout` are seconds, null for no limit."""

    dry_run: DryRun = DryRun.NONE
    probe: bool = False
    wait: bool = True
    timeout: float | None = None
    fail_on_eviction: bool = False
    evict: bool = False
    yes: bool = False


def taint(run: Run, asked: Asked, how: How) -> ExitStatus:
    """Carry it out. Raises UsageError before anything is read for words that do not go together."""
    how = _settled(run, how)
    plan = fixed(run, asked)
    if plan is not None:
        _check(plan, asked, how)
    if how.dry_run is DryRun.NONE:
        refuse_unasked(run.environment, yes=how.yes)
    snapshot = read(run)
    if plan is None:
        plan = chosen(asked, snapshot)
        _check(plan, asked, how)
    looked_at = seen(run, snapshot, [each.rule for each in plan.rules])
    found = previewed(run, looked_at, plan.notes)
    refused = _refused(found, how)
    if how.dry_run is DryRun.CLIENT or refused:
        del snapshot, looked_at  # a long answer needs the room
        show(run, found, plan.rules)
        return ExitStatus.NO if refused else ExitStatus.OK
    with session(run) as opened:
        if how.dry_run is DryRun.SERVER:
            return _try_out(opened, looked_at, found, plan)
        if how.probe:
            return _probe(opened, looked_at, found, plan, how)
        return _make(opened, looked_at, found, plan, how)


def _settled(run: Run, how: How) -> How:
    """A file that stands for a cluster is only looked at."""
    if how.probe and how.dry_run is not DryRun.NONE:
        raise UsageError("--probe and --dry-run exclude each other", hint="--probe writes a rule for a moment; --dry-run=client does not.")
    if is_live(run):
        return how
    file = "--demo" if run.demo else "--from"
    if how.probe or how.dry_run is DryRun.SERVER:
        raise UsageError(f"{'--probe' if how.probe else '--dry-run=server'} needs a cluster, not {file}")
    return msgspec.structs.replace(how, dry_run=DryRun.CLIENT)


def _check(plan: Plan, asked: Asked, how: How) -> None:
    refuse_everything(plan, all_devices=asked.all_devices)
    effects = {each.rule.spec.taint.effect for each in plan.rules}
    if len(effects) > 1:
        raise UsageError(f"the file has rules with different effects: {', '.join(sorted(effects))}", hint="Take one effect at a time.")
    if how.evict and effects != {Effect.NO_SCHEDULE.value}:
        raise UsageError(
            "--evict goes with the effect NoSchedule", hint="NoExecute evicts by itself, all at once and past disruption budgets."
        )
    if how.evict and how.probe:
        raise UsageError("--evict and --probe exclude each other")


def _refused(found: TaintPreview, how: How) -> bool:
    """`--fail-on-eviction`: a "no" for a rule that evicts, for the question whether it would, and for `--evict`; null numbers count."""
    effects = {each.rule.taint.effect for each in found.rules}
    evicts = how.evict or how.probe or effects != {Effect.NO_SCHEDULE.value}
    return how.fail_on_eviction and evicts and found.client.pods != 0


def _try_out(opened: Session, looked_at: Sight, found: TaintPreview, plan: Plan) -> ExitStatus:
    run = opened.run
    rules = opened.rules(looked_at.snapshot.cluster)
    at = [to_send(each, rules.api_version) for each in plan.rules]
    if formats.for_people(run.output):
        show(run, found, at)
    for each in at:
        rules.try_out(each)
    done = Outcome("created (server dry run)", tuple(each.name for each in at))
    show(run, msgspec.structs.replace(found, outcome=done), at)
    return ExitStatus.OK


def _lines(plan: Sequence[PlannedRule], action: str) -> list[str]:
    lines = []
    for each in plan:
        taint_, selector = in_words(each.rule.spec.taint), selector_in_words(each.rule.spec.device_selector)
        lines.append(f"DeviceTaintRule {each.name}: {action}, {taint_} on {selector}")
    return lines


def _ask(opened: Session, looked_at: Sight, lines: Sequence[str], question: str, *, yes: bool) -> None:
    cluster = looked_at.snapshot.cluster
    confirm(opened.run.environment, cluster.server, cluster.context, lines, question, yes=yes)


def _probe(opened: Session, looked_at: Sight, found: TaintPreview, plan: Plan, how: How) -> ExitStatus:
    """Ask the cluster; where it cannot be asked, the reason stands beside our own numbers."""
    run, cluster = opened.run, looked_at.snapshot.cluster
    reason = _not_asked(opened, looked_at)
    if not reason:
        if not how.yes:
            show_before_asking(run, found, plan.rules)
        lines = [f"A DeviceTaintRule with the effect None, for a moment, on {_where(each)}" for each in plan.rules]
        _ask(opened, looked_at, lines, "Ask the cluster?", yes=how.yes)
        reason = opened.refuse_disquiet([each.rule for each in plan.rules], cluster)
    answers = tuple(ProbeAnswer(None, reason) for _ in plan.rules) if reason else _answers(opened, looked_at, plan)
    told = tuple(
        msgspec.structs.replace(each, probe=answer.counts, probe_reason=answer.reason)
        for each, answer in zip(found.rules, answers, strict=True)
    )
    one = answers[0] if len(answers) == 1 else ProbeAnswer(None, "there are several rules: each has its own answer")
    found = msgspec.structs.replace(found, rules=told, probe=one.counts, probe_reason=one.reason)
    found = msgspec.structs.replace(found, differences=tuple(differences(found, _again(opened, looked_at, found))))
    show(run, found, plan.rules)
    unanswered = any(each.probe is None for each in found.rules)
    refused = how.fail_on_eviction and any(each.probe is not None and each.probe.pods != 0 for each in found.rules)
    return ExitStatus.NO if refused else ExitStatus.CLUSTER if run.strict and unanswered else ExitStatus.OK


def _where(rule: PlannedRule) -> str:
    return selector_in_words(rule.rule.spec.device_selector)


def _not_asked(opened: Session, looked_at: Sight) -> str:
    """Why the cluster is not asked: it has no such rules, they are dangerous there, or this user may not write them."""
    served = opened.discovery.find(GROUP, KIND)
    why = refusal(looked_at.snapshot.cluster, None if served is None else served.version)
    if why:
        return why
    try:
        opened.refuse_missing("taint-probe")
    except ApiError as error:
        return f"{error.message}. {error.hint}"
    return ""


def _answers(opened: Session, looked_at: Sight, plan: Plan) -> tuple[ProbeAnswer, ...]:
    from kubectl_dra.taint_rules.probe import LIMIT, probe

    rules = opened.rules(looked_at.snapshot.cluster)
    return tuple(probe(rules, each.rule, opened.polling(LIMIT, every=0.5)) for each in plan.rules)


def _again(opened: Session, looked_at: Sight, found: TaintPreview) -> TaintPreview | None:
    """A second reading, where the first one and the cluster disagree."""
    if found.probe is None or found.probe == found.client:
        return None
    return previewed(opened.run, seen(opened.run, opened.read(), looked_at.subject.rules))


def _make(opened: Session, looked_at: Sight, found: TaintPreview, plan: Plan, how: How) -> ExitStatus:
    run, cluster = opened.run, looked_at.snapshot.cluster
    show_before_asking(run, found, plan.rules)
    rules = opened.rules(cluster)
    opened.refuse_missing("taint-evict" if how.evict else "taint-create")
    at = [to_send(each, rules.api_version) for each in plan.rules]
    action = "create, then evict the pods above" if how.evict else "create"
    _ask(opened, looked_at, [*_lines(at, action), *_losses(found, how)], "Go on?", yes=how.yes)
    made = []
    for each in at:
        try:
            made.append(_made_before(rules, each, how) or rules.create(each))
        except DraError as error:
            if made:
                before = ", ".join(rule.metadata.name for rule in made)
                error.hint = f"{error.hint} Made before it, and still there: {before}.".strip()
            raise
    names = tuple(each.metadata.name for each in made)
    start = run.environment.clock.monotonic()
    done = Outcome("created", names)
    if how.evict:
        evict_pods(opened, looked_at, how.timeout)
    if how.wait and (how.evict or found.rules[0].rule.taint.effect == Effect.NO_EXECUTE):
        gone = wait_for_pods(opened, rules, made, going(looked_at.snapshot, looked_at.subject.rules), how.timeout)
        done = Outcome("created", names, gone, round(run.environment.clock.monotonic() - start, 1))
    show(run, msgspec.structs.replace(found, outcome=done), at)
    return ExitStatus.OK


def _made_before(rules: Rules, rule: PlannedRule, how: How) -> DeviceTaintRule | None:
    """`--evict` goes on where an earlier run has made the same rule, and a budget held pods back."""
    found = rules.find(rule.name) if how.evict else None
    return found if found is not None and is_the_same(found, rule) else None


def _losses(found: TaintPreview, how: How) -> list[str]:
    """What the rule does to pods, in a line."""
    effect = found.rules[0].rule.taint.effect
    pods, namespaces = found.client.pods, found.client.namespaces
    if pods is None:
        return ["Which pods that takes is not known."] if effect == Effect.NO_EXECUTE or how.evict else []
    told = f"{pods} {'pod' if pods == 1 else 'pods'} in {namespaces} {'namespace' if namespaces == 1 else 'namespaces'}"
    if how.evict:
        return [f"Evicts {told}, as their disruption budgets allow."]
    return [f"Deletes {told}, past all disruption budgets."] if effect == Effect.NO_EXECUTE and pods else []
