"""The commands for rules that exist: list, show, promote, demote, wait, delete."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from kubectl_dra.cli.confirm import confirm, refuse_unasked
from kubectl_dra.cli.options import Run
from kubectl_dra.cli.source import read_snapshot
from kubectl_dra.cli.taints.following import wait_for_pods
from kubectl_dra.cli.taints.seeing import previewed, read, refuse_file, seen, show, show_before_asking
from kubectl_dra.cli.taints.session import Session, session
from kubectl_dra.errors import ApiError, UsageError
from kubectl_dra.exit_status import ExitStatus
from kubectl_dra.knowledge.permissions import kinds_of
from kubectl_dra.report import formats
from kubectl_dra.taint_rules.api import Rules
from kubectl_dra.taint_rules.document import Outcome, TaintPreview
from kubectl_dra.taint_rules.freed import freed
from kubectl_dra.taint_rules.manifest import PlannedRule, planned
from kubectl_dra.taint_rules.rule import GROUP, KIND, PREVIEW_LABEL, Effect, in_words, selector_in_words
from kubectl_dra.taint_rules.wait import going

if TYPE_CHECKING:
    from kubectl_dra.objects.resource import DeviceTaintRule
    from kubectl_dra.objects.snapshot import Snapshot

STRENGTH = (Effect.NONE, Effect.NO_SCHEDULE, Effect.NO_EXECUTE)
"""From harmless to not."""


def list_rules(run: Run) -> ExitStatus:
    """All rules of the cluster."""
    from kubectl_dra.report.tables.taints import TAINT_RULES
    from kubectl_dra.taint_rules.listing import rule_list

    found = rule_list(read_snapshot(run, kinds_of("taint-list")), run.environment.clock.now())
    formats.write(found, run.output, run.environment, TAINT_RULES, no_headers=run.no_headers)
    if not found.items and not found.unknown and formats.for_people(run.output):
        run.environment.stderr.write(f"{TAINT_RULES.empty}\n")
    return ExitStatus.OK


def show_rule(run: Run, name: str) -> ExitStatus:
    """What a rule does as it stands; of one without effect, what NoExecute would do."""
    snapshot = read(run)
    rule = _rule(snapshot, name)
    show(run, previewed(run, seen(run, snapshot, [rule])), [_planned(snapshot, rule)])
    return ExitStatus.OK


def change(run: Run, name: str, effect: Effect, *, up: bool, wait: bool, timeout: float | None, yes: bool) -> ExitStatus:
    """Give a rule a stronger effect (`up`), or a weaker one."""
    action = "promoted" if up else "demoted"
    refuse_file(run, f"taint {'promote' if up else 'demote'}")
    refuse_unasked(run.environment, yes=yes)
    snapshot = read(run)
    rule = _rule(snapshot, name)
    _refuse_direction(rule, effect, up=up)
    then = _with_effect(rule, effect)
    looked_at = seen(run, snapshot, [then])
    # the server sets the taint's time anew when its effect changes: tolerations count from then
    found = previewed(run, looked_at)
    show_before_asking(run, found, [_planned(snapshot, then)])
    with session(run) as opened:
        rules = opened.rules(snapshot.cluster)
        opened.refuse_missing("taint-promote" if up else "taint-demote")
        line = f"DeviceTaintRule {name}: {in_words(rule.spec.taint)} becomes {effect} on {selector_in_words(rule.spec.device_selector)}"
        confirm(run.environment, snapshot.cluster.server, snapshot.cluster.context, [line, *_losses(found, effect)], "Go on?", yes=yes)
        start = run.environment.clock.monotonic()
        changed = rules.change_effect(rule, effect)
        done = Outcome(f"{action} to {effect}", (name,))
        if effect is Effect.NO_EXECUTE and wait:
            gone = wait_for_pods(opened, rules, [changed], going(snapshot, [then]), timeout)
            done = Outcome(f"{action} to {effect}", (name,), gone, round(run.environment.clock.monotonic() - start, 1))
    show(run, msgspec.structs.replace(found, outcome=done), [_planned(snapshot, then)])
    return ExitStatus.OK


def _refuse_direction(rule: "DeviceTaintRule", effect: Effect, *, up: bool) -> None:
    name, now = rule.metadata.name, rule.spec.taint.effect
    if now not in tuple(STRENGTH):
        raise UsageError(f"rule {name} has the effect {now}, which is not known here", hint="kubectl edit devicetaintrule changes it.")
    before, after = STRENGTH.index(Effect(now)), STRENGTH.index(effect)
    if before == after:
        raise UsageError(f"rule {name} has the effect {effect} already: nothing was done")
    if (after > before) is not up:
        other = "demote" if up else "promote"
        raise UsageError(
            f"{effect} is {'weaker' if up else 'stronger'} than {now}, which rule {name} has: nothing was done",
            hint=f"kubectl dra taint {other} {name} --to {effect}",
        )


def _losses(found: TaintPreview, effect: Effect) -> list[str]:
    pods = found.client.pods
    if effect is not Effect.NO_EXECUTE or pods == 0:
        return []
    return [f"Deletes {'pods that are not known' if pods is None else f'{pods} pods'}, past all disruption budgets."]


def wait(run: Run, name: str, timeout: float | None) -> ExitStatus:
    """Wait until every pod that a rule takes is gone."""
    refuse_file(run, "taint wait")
    snapshot = read(run)
    rule = _rule(snapshot, name)
    if rule.spec.taint.effect != Effect.NO_EXECUTE:
        raise UsageError(
            f"rule {name} has the effect {rule.spec.taint.effect}: it evicts nobody",
            hint=f"kubectl dra taint promote {name} gives it the effect NoExecute.",
        )
    found = previewed(run, seen(run, snapshot, [rule]))
    start = run.environment.clock.monotonic()
    with session(run) as opened:
        wanted = going(snapshot, [rule], opened.read_pod)
        gone = wait_for_pods(opened, _to_read(opened), [rule], wanted, timeout)
    done = Outcome("waited for", (name,), gone, round(run.environment.clock.monotonic() - start, 1))
    show(run, msgspec.structs.replace(found, outcome=done), [_planned(snapshot, rule)])
    return ExitStatus.OK


def _to_read(opened: Session) -> Rules:
    """The rules where nothing is written: any version that has their status will do."""
    found = opened.discovery.find(GROUP, KIND)
    clock = opened.run.environment.clock
    return Rules(opened.transport, opened.writes, f"{GROUP}/v1" if found is None else found.api_version, clock, opened.say)


def delete(run: Run, names: Sequence[str], *, previews: bool, yes: bool) -> ExitStatus:
    """Delete rules by name, or those that previews have left; what becomes usable again is told before."""
    refuse_file(run, "taint delete")
    if previews == bool(names):
        raise UsageError("--previews and names exclude each other" if names else "the name of a rule, or --previews, is required")
    refuse_unasked(run.environment, yes=yes)
    snapshot = read(run)
    if previews:
        names = [each.metadata.name for each in snapshot.device_taint_rules if _is_left(each)]
        if not names:
            run.environment.stderr.write("No rule is left from a preview\n")
            return ExitStatus.OK
    chosen = [_rule(snapshot, name) for name in dict.fromkeys(names)]
    found = previewed(run, seen(run, snapshot, chosen))
    with session(run) as opened:
        rules = opened.rules(snapshot.cluster)
        opened.refuse_missing("taint-delete")
        cluster = snapshot.cluster
        confirm(run.environment, cluster.server, cluster.context, list(freed(snapshot, chosen)), "Delete?", yes=yes)
        for each in chosen:
            rules.remove(each.metadata.name, each.metadata.uid)
    done = Outcome("deleted", tuple(each.metadata.name for each in chosen))
    show(run, msgspec.structs.replace(found, outcome=done), [_planned(snapshot, each) for each in chosen])
    return ExitStatus.OK


def _is_left(rule: "DeviceTaintRule") -> bool:
    """Rules of previews that still have no effect: somebody may have promoted one."""
    return PREVIEW_LABEL in (rule.metadata.labels or {}) and rule.spec.taint.effect == Effect.NONE


def _rule(snapshot: "Snapshot", name: str) -> "DeviceTaintRule":
    found = next((each for each in snapshot.device_taint_rules if each.metadata.name == name), None)
    if found is not None:
        return found
    if not snapshot.device_taint_rules.known:
        raise ApiError(f"rules cannot be read: {snapshot.device_taint_rules.reason}", code=403, reason="Forbidden")
    raise ApiError(f'devicetaintrules.resource.k8s.io "{name}" not found', code=404, reason="NotFound", hint="kubectl dra taint list")


def _with_effect(rule: "DeviceTaintRule", effect: Effect) -> "DeviceTaintRule":
    taint = msgspec.structs.replace(rule.spec.taint, effect=effect.value, time_added=None)
    return msgspec.structs.replace(rule, spec=msgspec.structs.replace(rule.spec, taint=taint))


def _planned(snapshot: "Snapshot", rule: "DeviceTaintRule") -> PlannedRule:
    return planned(rule, snapshot.device_taint_rules.api_version or "resource.k8s.io/v1")
