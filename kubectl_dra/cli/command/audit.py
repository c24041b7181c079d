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
    from kubectl_dra.audit.selection import Selection


_LONGEST = 24 * 3600.0
"""Seconds that a second reading may wait."""


def _codes_like(incomplete: str) -> list[tuple[str, str]]:
    """For completion: the codes that begin so, with what they find; of a list with commas the last one is completed."""
    from kubectl_dra.audit.registry import checks

    before = incomplete[: incomplete.rfind(",") + 1]
    return [(before + code, check.page.title) for code, check in checks().items() if code.startswith(incomplete.removeprefix(before))]


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
    formats=("sarif", "junit"),
    examples="""
    # What stands between this cluster and the move to DRA
    kubectl dra audit

    # Only what is about classes, for one name
    kubectl dra audit --select DRA1 --resource nvidia.com/gpu

    # Manifests before they run, for a code review
    kubectl dra audit --manifests deploy/ -o sarif > audit.sarif

    # Only what is new since yesterday; exits 1 if any of it is an error
    kubectl dra audit --since yesterday.json

    # What a check is about, without a cluster
    kubectl dra audit --explain DRA101
    """,
)
def audit(
    run: Run,
    explain: Annotated[
        str | None,
        typer.Option("--explain", metavar="CODE", help="Print a check's page and read no cluster.", autocompletion=_codes_like),
    ] = None,
    select: Annotated[
        list[str] | None,
        typer.Option(
            "--select",
            metavar="CODES",
            help="Only findings with these codes or prefixes; may be repeated or have commas.",
            autocompletion=_codes_like,
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option("--ignore", metavar="CODES", help="No findings with these codes or prefixes.", autocompletion=_codes_like),
    ] = None,
    severity: Annotated[Shown, typer.Option("--severity", help="Only findings this bad or worse.")] = Shown.INFO,
    fail_on: Annotated[FailOn, typer.Option("--fail-on", help="Exit 1 if a finding that is shown is this bad or worse.")] = FailOn.ERROR,
    node: Annotated[list[str] | None, typer.Option("--node", metavar="GLOB", help="Only nodes with such names, and pods on them.")] = None,
    resource: Annotated[list[str] | None, typer.Option("--resource", metavar="GLOB", help="Only such extended resource names.")] = None,
    settle: Annotated[
        str, typer.Option("--settle", metavar="DURATION", help="Look again after so long (10s, 6m); without it, at once where it matters.")
    ] = "0s",
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="FILE", help="Tell what is new and gone since this report (-o json or yaml) or snapshot."),
    ] = None,
    manifests: Annotated[
        list[str] | None,
        typer.Option(
            "--manifests",
            metavar="PATH",
            help="Judge the manifests in this file, folder or - (stdin) instead of what runs; may be repeated.",
        ),
    ] = None,
) -> ExitStatus:
    """What stands between this cluster and the move to DRA, as checks with codes.

    First the verdict of each extended resource name: ready (nothing found stands in the way), blocked (by the findings beside it), leave
    alone (nobody moves this name) or unknown. Then the findings, the worst first, each with what was seen and how to mend it. What could
    not be looked at is told as not known. Exit status 1 means findings at or above --fail-on; with --since, new ones.

    --manifests judges what is to run: workloads of all kinds, their templates, classes. The cluster, if there is one, gives the classes and
    nodes; --from and --demo may stand for it. Findings carry file and line, for people and in -o sarif; -o junit is for pipelines.

    --settle waits for what only time can tell, such as a plugin that only restarts; Ctrl-C then shows what was seen so far.
    """
    from kubectl_dra.audit.scope import Scope
    from kubectl_dra.cli.auditing import Request
    from kubectl_dra.cli.auditing import answer as answered
    from kubectl_dra.report import formats
    from kubectl_dra.report.tables.audit import AUDIT, summary

    if explain is not None:
        return _explain(run, explain)
    if since == "":
        raise UsageError("--since names no file", hint="Give a report or a snapshot.")
    scope = Scope(run.only_namespace or "", listed(node), listed(resource))
    request = Request(scope, _selection(select, ignore, severity), _seconds(settle), since or "", fail_on.value)
    answer = answered(run, request, tuple(manifests or ()))
    formats.write(answer.report, run.output, run.environment, AUDIT, no_headers=run.no_headers)
    for note in (*answer.notes, summary(answer.report)):
        run.environment.stderr.write(f"{note}\n")
    if answer.interrupted:
        run.environment.stderr.write("interrupted: this is the first look, the second one was not waited for\n")
        return ExitStatus.INTERRUPTED
    return ExitStatus.NO if answer.report.failing else ExitStatus.OK


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
