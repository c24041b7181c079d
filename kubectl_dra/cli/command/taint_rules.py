"""`kubectl dra taint list|show|promote|demote|wait|delete`."""

from enum import StrEnum
from typing import Annotated

import typer

from kubectl_dra.cli.dialect import command
from kubectl_dra.cli.options import OUTPUT, SOURCE, Run
from kubectl_dra.exit_status import ExitStatus

TIMEOUT = "10m"


class Stronger(StrEnum):
    """Effects to promote to."""

    NO_SCHEDULE = "NoSchedule"
    NO_EXECUTE = "NoExecute"


class Weaker(StrEnum):
    """Effects to demote to."""

    NONE = "None"
    NO_SCHEDULE = "NoSchedule"


Name = Annotated[str, typer.Argument(metavar="NAME", help="The rule.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Timeout = Annotated[str, typer.Option("--timeout", metavar="DURATION", help="Limit of the wait (exit 4); 0 is none.")]


@command(
    SOURCE,
    OUTPUT,
    examples="""
    # All rules; -o wide also has the eviction controller's words
    kubectl dra taint list -o wide
    """,
)
def list_(run: Run) -> ExitStatus:
    """The rules of the cluster.

    DEVICES are those that a rule selects now, ALLOCATED those of them that claims hold, PODS the pods that would go, or have not gone
    yet. CONDITION is the eviction controller's reason: NotStarted may mean done as well (it forgets what it did when it restarts).
    """
    from kubectl_dra.cli.taints.changing import list_rules

    return list_rules(run)


@command(
    SOURCE,
    OUTPUT,
    formats=("manifest",),
    examples="""
    # What a rule without effect would do if it had one
    kubectl dra taint show maintenance
    """,
)
def show(run: Run, rule: Name) -> ExitStatus:
    """What a rule does as it stands.

    The same as the preview of a rule that is not made yet. Of a rule with another effect it is told what NoExecute would do.
    """
    from kubectl_dra.cli.taints.changing import show_rule

    return show_rule(run, rule)


@command(
    SOURCE,
    OUTPUT,
    examples="""
    # From "keeps new pods off" to "evicts those that are there", and wait until they are gone
    kubectl dra taint promote maintenance
    """,
)
def promote(
    run: Run,
    rule: Name,
    to: Annotated[Stronger, typer.Option("--to", help="The effect.")] = Stronger.NO_EXECUTE,
    wait: Annotated[bool, typer.Option("--wait", help="With NoExecute, wait until the pods are gone.")] = True,
    timeout: Timeout = TIMEOUT,
    yes: Yes = False,
) -> ExitStatus:
    """Give a rule a stronger effect.

    A fresh preview is shown, and then asked. The rule is changed only if it is still what the preview saw (else exit 5). Tolerations
    count from then: the server sets the taint's time anew.
    """
    from kubectl_dra.cli.durations import seconds
    from kubectl_dra.cli.taints.changing import change
    from kubectl_dra.taint_rules.rule import Effect

    limit = seconds(timeout, "--timeout") or None
    return change(run, rule, Effect(to.value), up=True, wait=wait, timeout=limit, yes=yes)


@command(
    SOURCE,
    OUTPUT,
    examples="""
    # Evict nobody any more, but keep new pods off
    kubectl dra taint demote maintenance
    """,
)
def demote(
    run: Run, rule: Name, to: Annotated[Weaker, typer.Option("--to", help="The effect.")] = Weaker.NO_SCHEDULE, yes: Yes = False
) -> ExitStatus:
    """Give a rule a weaker effect.

    Pods that tolerate the taint for a while, and have not gone yet, stay. Pods that are gone do not come back.
    """
    from kubectl_dra.cli.taints.changing import change
    from kubectl_dra.taint_rules.rule import Effect

    return change(run, rule, Effect(to.value), up=False, wait=False, timeout=None, yes=yes)


@command(
    SOURCE,
    OUTPUT,
    examples="""
    # In a runbook: exit 4 if pods are still there after five minutes
    kubectl dra taint wait maintenance --timeout 5m
    """,
)
def wait(run: Run, rule: Name, timeout: Timeout = TIMEOUT) -> ExitStatus:
    """Wait until every pod that a rule evicts is gone.

    The rule's condition EvictionInProgress does not tell that: it is false at the start, while pods are ending, and after a restart of
    the controller. This waits until the controller has looked at the rule as it is, and then for the pods, each by its UID. While it
    waits it says how many are gone, and what keeps the slowest: a grace period, a finalizer, a driver that is gone.
    """
    from kubectl_dra.cli.durations import seconds
    from kubectl_dra.cli.taints.changing import wait as waited

    return waited(run, rule, seconds(timeout, "--timeout") or None)


@command(
    SOURCE,
    OUTPUT,
    examples="""
    # What a run that was killed has left
    kubectl dra taint delete --previews --yes
    """,
)
def delete(
    run: Run,
    rules: Annotated[list[str] | None, typer.Argument(metavar="[NAME...]", help="The rules.")] = None,
    previews: Annotated[bool, typer.Option("--previews", help="All rules that --probe has left and that still have no effect.")] = False,
    yes: Yes = False,
) -> ExitStatus:
    """Delete rules.

    What becomes usable again is told before the question.
    """
    from kubectl_dra.cli.taints.changing import delete as deleted

    return deleted(run, tuple(rules or ()), previews=previews, yes=yes)
