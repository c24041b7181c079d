"""`kubectl dra audit`."""

import math
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from kubectl_dra.cli.comma_lists import listed
from kubectl_dra.cli.dialect import command
from kubectl_dra.cli.options import OUTPUT, SCOPE, SOURCE, Run
from kubectl_dra.errors import UsageError
from kubectl_dra.exit_status import ExitStatus

if TYPE_CHECKING:
    from kubectl_dra.audit.case import Case
    from kubectl_dra.audit.run import Examination
    from kubectl_dra.audit.selection import Selection


_LONGEST = 24 * 3600.0
"""Seconds that a second reading may wait."""


class Shown(StrEnum):
    """The mildest severity to show."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class FailOn(StrEnum):
    """The mildest severity that makes the answer a "no"."""

    ERROR = "error"
    WARNING = "warning"
    NEVER = "never"


@command(
    SCOPE,
    SOURCE,
    OUTPUT,
    examples="""
    # What stands between this cluster and the move to DRA
    kubectl dra audit

    # Only what is about classes, for one name
    kubectl dra audit --select DRA1 --resource nvidia.com/gpu

    # What a check is about, without a cluster
    kubectl dra audit --explain DRA101
    """,
)
def audit(
    run: Run,
    explain: Annotated[str | None, typer.Option("--explain", metavar="CODE", help="Print a check's page and read no cluster.")] = None,
    select: Annotated[
        list[str] | None,
        typer.Option("--select", metavar="CODES", help="Only findings with these codes or prefixes; may be repeated or have commas."),
    ] = None,
    ignore: Annotated[list[str] | None, typer.Option("--ignore", metavar="CODES", help="No findings with these codes or prefixes.")] = None,
    severity: Annotated[Shown, typer.Option("--severity", help="Only findings this bad or worse.")] = Shown.INFO,
    fail_on: Annotated[FailOn, typer.Option("--fail-on", help="Exit 1 if a finding that is shown is this bad or worse.")] = FailOn.ERROR,
    node: Annotated[list[str] | None, typer.Option("--node", metavar="GLOB", help="Only nodes with such names, and pods on them.")] = None,
    resource: Annotated[list[str] | None, typer.Option("--resource", metavar="GLOB", help="Only such extended resource names.")] = None,
    settle: Annotated[
        str, typer.Option("--settle", metavar="DURATION", help="Look again after so long (10s, 6m); without it, at once where it matters.")
    ] = "0s",
) -> ExitStatus:
    """What stands between this cluster and the move to DRA, as checks with codes.

    First the verdict of each extended resource name: ready (nothing found stands in the way), blocked (by the findings beside it), leave
    alone (nobody moves this name) or unknown. Then the findings, the worst first, each with what was seen and how to mend it. What could
    not be looked at is told as not known. Exit status 1 means findings at or above --fail-on.
    """
    from kubectl_dra.audit.finding import Severity
    from kubectl_dra.audit.run import report
    from kubectl_dra.report import formats
    from kubectl_dra.report.tables.audit import AUDIT, summary

    if explain is not None:
        return _explain(run, explain)
    selection = _selection(select, ignore, severity)
    case, examination = _examined(run, listed(node), listed(resource), settle)
    answer = report(case, examination, selection)
    formats.write(answer, run.output, run.environment, AUDIT, no_headers=run.no_headers)
    for absent in (*case.nodes_not_there, *case.resources_not_there):
        run.environment.stderr.write(f"there is no {absent} in this cluster\n")
    run.environment.stderr.write(f"{summary(answer)}\n")
    if fail_on is FailOn.NEVER:
        return ExitStatus.OK
    return ExitStatus.NO if any(each.severity.at_least(Severity(fail_on.value)) for each in answer.findings) else ExitStatus.OK


def _explain(run: Run, code: str) -> ExitStatus:
    from kubectl_dra.audit.registry import page
    from kubectl_dra.report import formats
    from kubectl_dra.report.tables.audit import PAGE

    formats.write(page(code), run.output, run.environment, PAGE, no_headers=run.no_headers)
    return ExitStatus.OK


def _selection(select: list[str] | None, ignore: list[str] | None, severity: Shown) -> "Selection":
    """Raises UsageError for codes that no check has."""
    from kubectl_dra.audit.finding import Severity
    from kubectl_dra.audit.registry import checks
    from kubectl_dra.audit.selection import Selection, unmatched

    wanted, unwanted = _codes(select), _codes(ignore)
    wrong = unmatched((*wanted, *unwanted), checks())
    if wrong:
        raise UsageError(f'no check has the code or prefix "{wrong[0]}"', hint=f"The codes are {', '.join(checks())}.")
    return Selection(wanted, unwanted, Severity(severity.value))


def _codes(words: list[str] | None) -> tuple[str, ...]:
    return tuple(code.upper() for code in listed(words))


def _examined(run: Run, nodes: tuple[str, ...], resources: tuple[str, ...], settle: str) -> "tuple[Case, Examination]":
    """Read, look, and look again where one look is not enough."""
    from kubectl_dra.audit import settle as settling
    from kubectl_dra.audit.case import Case
    from kubectl_dra.audit.run import examine
    from kubectl_dra.audit.scope import Scope
    from kubectl_dra.cli.source import read_again, read_snapshot
    from kubectl_dra.knowledge.permissions import kinds_of

    seconds = _seconds(settle)
    snapshot = read_snapshot(run, kinds_of("audit"), namespace=run.only_namespace)
    case = Case(snapshot, Scope(run.only_namespace or "", nodes, resources))
    examination = examine(case)
    objects = settling.to_read(examination, seconds)
    if snapshot.cluster.live and objects:
        again = read_again(run, ((each.kind, each.namespace, each.name) for each in objects), after=seconds)
        examination = settling.settle(case, examination, again, seconds)
    return case, examination


def _seconds(text: str) -> float:
    """Raises UsageError for what is no duration."""
    from kubectl_dra.kubeconfig import timeout

    try:
        seconds = timeout.seconds(text) or 0.0
    except UsageError:
        seconds = math.inf
    if text.startswith("-") or seconds > _LONGEST:
        raise UsageError(f'"{text}" is no duration for --settle', hint="Give seconds, or numbers with units: 10s, 6m; 24h at most.")
    return seconds
