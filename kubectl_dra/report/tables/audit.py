"""How an audit reads: the verdict of each name, then the findings with the worst first, then what could not be looked at."""

from collections.abc import Iterator
from itertools import groupby
from textwrap import fill

from kubectl_dra.audit.finding import AuditReport, Finding, NameVerdict, Severity, Unknown
from kubectl_dra.audit.registry import Page
from kubectl_dra.report.view import Column, Section, Style, Table, Text, View

_VERDICTS = {"ready": Style.FINE, "blocked": Style.BAD, "leave alone": Style.FAINT, "unknown": Style.WARNING}
_SEVERITIES = {Severity.ERROR: Style.BAD, Severity.WARNING: Style.WARNING, Severity.INFO: Style.PLAIN}
_HEADINGS = {Severity.ERROR: "Errors", Severity.WARNING: "Warnings", Severity.INFO: "Worth knowing"}
_SHOWN_OBJECTS = 8
_UNSETTLED = "\nSeen once: in a file nothing can be read again, so what passes by itself may have passed."
_WIDTH = 100
"""Of a page's prose."""

NAMES: Table[NameVerdict] = Table(
    (
        Column("NAME", lambda row: row.name),
        Column("VERDICT", lambda row: row.verdict, style=lambda row: _VERDICTS.get(row.verdict, Style.PLAIN)),
        Column("BLOCKED BY", lambda row: ",".join(row.codes)),
    )
)

UNKNOWN: Table[Unknown] = Table(
    (Column("CODE", lambda row: row.code), Column("COULD NOT LOOK", lambda row: " / ".join(row.reason.split("\n"))))
)


def sections(report: AuditReport, wide: bool) -> Iterator[Section]:
    """Verdicts, findings by severity (with why and sources when `wide`), doubts."""
    if report.names:
        yield NAMES.of(report.names)
    else:
        yield Text("No extended resource is asked for, served or mapped.")
    settled = any(finding.settled for finding in report.findings)
    for severity, findings in groupby(report.findings, key=lambda finding: finding.severity):
        all_ = tuple(findings)
        yield Text(f"{_HEADINGS[severity]} ({len(all_)})", _SEVERITIES[severity], level=2)
        for finding in all_:
            yield from _finding(finding, wide, settled)
    if report.findings and not settled:
        yield Text(_UNSETTLED, Style.FAINT, level=0)
    if report.unknown:
        yield Text(f"Not known ({len(report.unknown)})", Style.WARNING, level=2)
        yield UNKNOWN.of(report.unknown)


def _finding(finding: Finding, wide: bool, mark: bool) -> Iterator[Section]:
    doubt = " (seen once)" if mark and not finding.settled else ""
    yield Text(f"{finding.code} {finding.title}{doubt}", _SEVERITIES[finding.severity], level=3)
    if finding.objects:
        yield Text(f"  objects: {_objects(finding, wide)}")
    yield Text("  seen:")
    yield Text(finding.evidence, Style.FAINT, code=True)
    if wide:
        yield Text(f"  why: {finding.why}")
    yield Text("  to mend it:")
    yield Text("\n".join(finding.fix), code=True)
    if wide:
        yield Text(f"  sources: {', '.join(finding.source)}", Style.FAINT)


def _objects(finding: Finding, wide: bool) -> str:
    shown = finding.objects if wide or len(finding.objects) <= _SHOWN_OBJECTS + 1 else finding.objects[:_SHOWN_OBJECTS]
    rest = len(finding.objects) - len(shown)
    return ", ".join(map(str, shown)) + (f" and {rest} more" if rest else "")


def page_sections(page: Page, wide: bool) -> Iterator[Section]:
    """A check's page."""
    yield Text(f"{page.code} {page.title} ({page.severity})", Style.HEADING, level=1)
    yield Text("Why it matters", Style.HEADING, level=2)
    yield Text(fill(page.why, _WIDTH, break_long_words=False, break_on_hyphens=False))
    yield Text("How to mend it", Style.HEADING, level=2)
    yield Text("\n".join(page.fix), code=True)
    yield Text("Sources", Style.HEADING, level=2)
    yield Text("\n".join(f"- {source}" for source in page.source))
    if wide and page.needs:
        yield Text("Reads", Style.HEADING, level=2)
        yield Text("\n".join(f"- {field}" for field in (*page.needs, *page.also)))


AUDIT: View[AuditReport] = View(
    sections=sections,
    names=lambda report: dict.fromkeys(finding.code for finding in report.findings),
)

PAGE: View[Page] = View(sections=page_sections, names=lambda page: (page.code,))


def summary(report: AuditReport) -> str:
    """One line for stderr."""
    counts = [f"{sum(finding.severity is severity for finding in report.findings)} {severity}s" for severity in Severity]
    counts = [text.removesuffix("s") if text.startswith("1 ") else text for text in counts]
    doubts = f"; {len(report.unknown)} could not be judged" if report.unknown else ""
    return f"{counts[0]}, {counts[1]}, {counts[2].replace('infos', 'notes').replace('info', 'note')}{doubts}"
