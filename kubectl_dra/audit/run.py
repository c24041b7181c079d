"""An audit: look with every check, settle what can be settled, and put it in order.

    examine(case) ─► Examination ─► settle.settle(...) ─► report(...)

All checks run whatever is selected: the verdict of a name rests on all that block. The selection only decides what is shown.
"""

from collections.abc import Iterable, Iterator

import msgspec

from kubectl_dra.audit.candidate import EVERY_NAME, Candidate, Doubt, Now
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import Asked, AuditedCluster, AuditReport, Finding, NameVerdict, ObjectRef, Severity, Unknown
from kubectl_dra.audit.missing import gaps, in_words, usable
from kubectl_dra.audit.registry import Check, Page, checks
from kubectl_dra.audit.scope import Scope
from kubectl_dra.audit.selection import ALL_FINDINGS, Selection
from kubectl_dra.audit.verdict import verdicts
from kubectl_dra.objects.snapshot import ClusterInfo

PARTLY = "looked only in part: "
"""How the doubt of a check begins that did not see all kinds it would like to."""


class Sighting(msgspec.Struct, frozen=True):
    """A candidate, the page of its check, and whether it is settled."""

    page: Page
    candidate: Candidate
    settled: bool

    def finding(self) -> Finding:
        """As it is told: what the candidate does not say itself comes from the page."""
        seen, page = self.candidate, self.page
        return Finding(
            code=page.code,
            severity=seen.severity or page.severity,
            settled=self.settled,
            title=seen.title or page.title,
            objects=seen.objects,
            evidence=seen.evidence,
            why=seen.why or page.why,
            fix=tuple(map(_in_one_comment, seen.fix or page.fix)),
            source=page.source,
            cause=seen.cause,
        )


class Examination(msgspec.Struct, frozen=True):
    """What all checks saw in one reading. `doubtful` are the names that a blocking check could not judge."""

    sightings: tuple[Sighting, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    doubtful: frozenset[str] = frozenset()


def examine(case: Case, only: Iterable[str] | None = None) -> Examination:
    """Look with every check (or with those whose codes are in `only`)."""
    wanted = None if only is None else frozenset(only)
    sightings: list[Sighting] = []
    unknown: list[Unknown] = []
    doubtful: set[str] = set()
    for code, check in checks().items():
        if wanted is not None and code not in wanted:
            continue
        told: set[tuple[str, tuple[ObjectRef, ...], str]] = set()
        for seen in _judge(check, case):
            match seen:
                case Candidate():
                    # who makes pods is looked at by templates and by pods that differ from them: one fault may show in both
                    if (seen.cause, seen.objects, seen.evidence) in told:
                        continue
                    told.add((seen.cause, seen.objects, seen.evidence))
                    # A file cannot be asked again: nothing in it is settled.
                    settled = case.snapshot.cluster.live and isinstance(seen.settling, Now)
                    sightings.append(Sighting(check.page, seen, settled))
                case Doubt():
                    unknown.append(Unknown(code, seen.reason))
                    if check.page.blocks:
                        doubtful.update(seen.resources)
    return Examination(tuple(sightings), tuple(unknown), frozenset(doubtful))


def _in_one_comment(line: str) -> str:
    """A comment of one line: names and annotations may hold line breaks, and what follows these would be executed."""
    return " ".join(line.splitlines()) if line.startswith("#") else line


def _judge(check: Check, case: Case) -> Iterable[Candidate | Doubt]:
    """The check's own words, and a doubt for the kinds that it could not see."""
    page = check.page
    blind = gaps(case.snapshot, (kind for kind in page.needs if not usable(case.snapshot, kind)))
    if blind:
        yield Doubt(in_words(blind), resources=EVERY_NAME)
        return
    partly = gaps(case.snapshot, (*page.needs, *page.also))
    if partly:
        yield Doubt(f"{PARTLY}{in_words(partly)}")
    yield from check.judge(case)


def report(case: Case, examination: Examination, selection: Selection = ALL_FINDINGS) -> AuditReport:
    """The document: verdicts from everything seen, findings and doubts as selected, in a stable order."""
    findings = tuple(sighting.finding() for sighting in examination.sightings)
    return AuditReport(
        cluster=audited(case.snapshot.cluster),
        names=verdicts(case, _blocking(examination), examination.doubtful),
        findings=ordered(each for each in findings if selection.has(each.code, each.severity)),
        unknown=tuple(sorted({each for each in examination.unknown if selection.has_code(each.code)})),
        asked=asked(checks(), case.scope, selection),
    )


def asked(codes: Iterable[str], scope: Scope, selection: Selection) -> Asked:
    """What a report was asked about, of the checks that ran."""
    shown = tuple(code for code in codes if selection.has_code(code))
    return Asked(shown, selection.severity, scope.namespace, scope.nodes, scope.resources)


def _blocking(examination: Examination) -> Iterator[tuple[str, str]]:
    """Name and code of every finding that keeps a name from moving. What is only worth knowing keeps nothing."""
    for sighting in examination.sightings:
        severity = sighting.candidate.severity or sighting.page.severity
        if sighting.page.blocks and severity is not Severity.INFO:
            yield from ((name, sighting.page.code) for name in sighting.candidate.resources)


def audit(case: Case, selection: Selection = ALL_FINDINGS) -> AuditReport:
    """Examine and report, with one reading: what needs a second one stays unsettled."""
    return report(case, examine(case), selection)


def name_verdicts(case: Case) -> tuple[NameVerdict, ...]:
    """Whether each name can move, by the checks that can say no; what the others see is not looked for."""
    seen = examine(case, (code for code, check in checks().items() if check.page.blocks))
    return verdicts(case, _blocking(seen), seen.doubtful)


def audited(info: ClusterInfo) -> AuditedCluster:
    """Which cluster a reading is of."""
    version = info.git_version or (f"v{info.version}" if info.version else "")
    return AuditedCluster(server=info.server, context=info.context, server_version=version, read_at=info.read_at)


def ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The worst first, then by code and object."""
    return tuple(sorted(findings, key=_order))


def _order(finding: Finding) -> tuple[object, ...]:
    return (finding.severity.rank, finding.code, finding.objects, finding.evidence, finding.places)
