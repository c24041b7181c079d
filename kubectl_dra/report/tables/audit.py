"""How an audit reads: the verdict of each name, then the findings with the worst first, then what could not be looked at."""

import re
from collections.abc import Iterator
from itertools import groupby
from textwrap import fill

from kubectl_dra.audit.finding import AuditReport, Finding, ManifestsRead, NameVerdict, Severity, Since, Unknown
from kubectl_dra.audit.registry import Page
from kubectl_dra.audit.words import count
from kubectl_dra.report import junit, sarif
from kubectl_dra.report.view import Column, Section, Style, Table, Text, View

_VERDICTS = {"ready": Style.FINE, "blocked": Style.BAD, "leave alone": Style.FAINT, "unknown": Style.WARNING}
_SEVERITIES = {Severity.ERROR: Style.BAD, Severity.WARNING: Style.WARNING, Severity.INFO: Style.PLAIN}
_HEADINGS = {Severity.ERROR: "Errors", Severity.WARNING: "Warnings", Severity.INFO: "Worth knowing"}
_SHOWN_OBJECTS = 8
_MANY = 10
"""From so many findings on they are listed first, a line each."""
_UNSETTLED = "\nSeen once, and not read again: what passes by itself may have passed."
_WIDTH = 100
"""Of a page's prose."""

NAMES: Table[NameVerdict] = Table(
    (
        Column("NAME", lambda row: row.name),
        Column("VERDICT", lambda row: row.verdict, style=lambda row: _VERDICTS.get(row.verdict, Style.PLAIN)),
        Column("BLOCKED BY", lambda row: ",".join(row.codes)),
    )
)

_HOW_TO_WRITE_IT = re.compile(r' \("kubectl get [^"]+" writes it\)')
"""The audit's DRA001 says it once for all kinds."""


def _unknown(unknown: tuple[Unknown, ...], *, wide: bool) -> Iterator[Section]:
    """What was missing, and below it the checks that lack it."""
    by_reason: dict[str, list[str]] = {}
    for each in unknown:
        reason = each.reason if wide else _HOW_TO_WRITE_IT.sub("", each.reason)
        by_reason.setdefault(reason, []).append(each.code)
    for reason, codes in by_reason.items():
        yield Text(reason)
        yield Text(", ".join(dict.fromkeys(codes)), Style.FAINT, code=True)


LISTED: Table[Finding] = Table(
    (
        Column("CODE", lambda row: row.code),
        Column("SEVERITY", lambda row: row.severity, style=lambda row: _SEVERITIES[row.severity]),
        Column("TITLE", lambda row: row.title),
    )
)

FINDINGS: Table[Finding] = Table(
    (
        Column("CODE", lambda row: row.code),
        Column("SEVERITY", lambda row: row.severity),
        Column("TITLE", lambda row: row.title),
        Column("OBJECTS", lambda row: ", ".join(map(str, row.objects))),
        Column("PLACES", lambda row: ", ".join(f"{place.file}:{place.line}" for place in row.places)),
        Column("EVIDENCE", lambda row: row.evidence),
        Column("NEW", lambda row: None if row.new is None else "yes" if row.new else "no"),
    )
)
"""For programs that read tables."""


def sections(report: AuditReport, wide: bool) -> Iterator[Section]:
    """Verdicts, findings by severity (with why and sources when `wide`), what is gone, doubts."""
    if report.manifests is not None:
        yield Text(_judged(report.manifests))
    elif report.names:
        yield NAMES.of(report.names)
    else:
        yield Text("No extended resource is asked for, served or mapped.")
    if len(report.findings) >= _MANY:
        yield Text(f"Findings ({len(report.findings)})", Style.HEADING, level=2)
        yield LISTED.of(report.findings)
    settled = report.manifests is not None or any(finding.settled for finding in report.findings)
    for severity, findings in groupby(report.findings, key=lambda finding: finding.severity):
        all_ = tuple(findings)
        yield Text(f"{_HEADINGS[severity]} ({len(all_)})", _SEVERITIES[severity], level=2)
        for finding in all_:
            yield from _finding(finding, wide, settled)
    if report.findings and not settled:
        yield Text(_UNSETTLED, Style.FAINT, level=0)
    if report.since is not None:
        yield from _since(report.since)
    if report.unknown:
        yield Text(f"Not known ({len(report.unknown)})", Style.WARNING, level=2)
        yield from _unknown(report.unknown, wide=wide)


def _finding(finding: Finding, wide: bool, mark: bool) -> Iterator[Section]:
    doubt = " (seen once)" if mark and not finding.settled else ""
    new = "new: " if finding.new else ""
    yield Text(f"{finding.code} {new}{finding.title}{doubt}", _SEVERITIES[finding.severity], level=3)
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
    places = {place.object: f" ({place.file}:{place.line})" for place in finding.places}
    return ", ".join(f"{each}{places.get(each, '')}" for each in shown) + (f" and {rest} more" if rest else "")


def _judged(manifests: ManifestsRead) -> str:
    return (
        f"{count(manifests.objects, 'manifest')} in {count(manifests.files, 'file')} of {manifests.path}"
        if manifests.path != "-"
        else (f"{count(manifests.objects, 'manifest')} on standard input")
    )


def _since(since: Since) -> Iterator[Section]:
    if since.gone:
        yield Text(f"Gone since {since.read_at or since.file} ({len(since.gone)})", Style.FINE, level=2)
        yield LISTED.of(since.gone)
    if since.unclear:
        yield Text(f"Not seen again, but not everything could be looked at ({len(since.unclear)})", Style.WARNING, level=2)
        yield LISTED.of(since.unclear)


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
    table=lambda report: FINDINGS.of(report.findings),
    formats={"sarif": sarif.text, "junit": junit.text},
)

PAGE: View[Page] = View(sections=page_sections, names=lambda page: (page.code,))


def summary(report: AuditReport) -> str:
    """One line for stderr."""
    counts = [f"{sum(finding.severity is severity for finding in report.findings)} {severity}s" for severity in Severity]
    counts = [text.removesuffix("s") if text.startswith("1 ") else text for text in counts]
    doubts = f"; {len(report.unknown)} could not be judged" if report.unknown else ""
    told = f"{counts[0]}, {counts[1]}, {counts[2].replace('infos', 'notes').replace('info', 'note')}{doubts}"
    return told if report.since is None else f"{told}\n{_against(report, report.since)}"


def _against(report: AuditReport, since: Since) -> str:
    new = sum(bool(finding.new) for finding in report.findings)
    unasked = sum(finding.new is None for finding in report.findings)
    parts = [f"since {since.read_at or since.file}: {new} new, {len(since.gone)} gone"]
    if unasked:
        parts.append(f"{unasked} that it was not asked for")
    if since.elsewhere:
        parts.append("it is of another API server")
    return "; ".join(parts)
