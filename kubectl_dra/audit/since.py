"""What is new and what is gone since an earlier report, or since a snapshot; and what two readings together tell.

Pure. A finding is the same as an earlier one when its code and cause are (and, of manifests, its files). It is new all the same when it
is worse now, or is about more than before: pods aside, for these come and go while their fault stays.
"""

from collections.abc import Mapping

import msgspec

from kubectl_dra.audit import settle
from kubectl_dra.audit.candidate import Later
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import AuditReport, Finding, Since
from kubectl_dra.audit.run import Examination, Sighting, examine
from kubectl_dra.errors import UsageError
from kubectl_dra.objects.meta import timestamp

Key = tuple[str, str, tuple[str, ...]]

_COMING_AND_GOING = "Pod"


def compared(now: AuditReport, earlier: AuditReport, file: str) -> AuditReport:
    """`now`, each finding of which says whether it is new against `earlier` (read from `file`), with what is gone.

    A finding that the earlier audit was not asked for is neither new nor known: its `new` stays null.
    Raises UsageError when the two were asked about other things, so that nothing follows from what one of them lacks.
    """
    _refuse_unlike(now, earlier, file)
    before: dict[Key, Finding] = {_key(each): each for each in earlier.findings}
    after = {_key(each) for each in now.findings}
    missing = [each for key, each in before.items() if key not in after and _asked(now, each)]
    doubtful = {each.code for each in now.unknown}
    return msgspec.structs.replace(
        now,
        findings=tuple(
            msgspec.structs.replace(each, new=_is_new(each, before) if _asked(earlier, each) else None) for each in now.findings
        ),
        since=Since(
            file=file,
            read_at=earlier.cluster.read_at,
            elsewhere=bool(earlier.cluster.server and now.cluster.server and earlier.cluster.server != now.cluster.server),
            gone=tuple(each for each in missing if each.code not in doubtful),
            unclear=tuple(each for each in missing if each.code in doubtful),
        ),
    )


def told_apart(case: Case, examination: Examination, earlier: Case) -> Examination:
    """What only time can tell, told by an earlier reading of the same cluster: it is settled where that showed the same, long enough ago.

    Where the earlier reading shows a part of it only, it stays as it is.
    """
    seconds = _between(earlier, case)
    codes = {each.page.code for each in examination.sightings if isinstance(each.candidate.settling, Later)}
    if not codes or seconds <= 0:
        return examination
    then = settle.settle(earlier, examine(earlier, codes), case.snapshot, seconds)
    stood = {(each.page.code, each.candidate.cause): each for each in then.sightings if each.settled}
    return msgspec.structs.replace(examination, sightings=tuple(_stood(each, stood) for each in examination.sightings))


def _stood(seen: Sighting, stood: Mapping[tuple[str, str], Sighting]) -> Sighting:
    found = stood.get((seen.page.code, seen.candidate.cause))
    if not isinstance(seen.candidate.settling, Later) or found is None:
        return seen
    return found if set(seen.candidate.objects) <= set(found.candidate.objects) else seen


def _between(earlier: Case, now: Case) -> float:
    """Seconds between two readings of one cluster; 0 when that is not known."""
    first, second = earlier.snapshot.cluster, now.snapshot.cluster
    then, later = timestamp(first.read_at), timestamp(second.read_at)
    return (later - then).total_seconds() if then is not None and later is not None else 0.0


def _key(finding: Finding) -> Key:
    return finding.code, finding.cause, tuple(sorted({place.file for place in finding.places}))


def _is_new(finding: Finding, before: Mapping[Key, Finding]) -> bool:
    known = before.get(_key(finding))
    if known is None or not known.severity.at_least(finding.severity):
        return True
    had = set(known.objects)
    return any(each not in had for each in finding.objects if each.kind != _COMING_AND_GOING)


def _asked(report: AuditReport, finding: Finding) -> bool:
    return finding.code in report.asked.checks and finding.severity.at_least(report.asked.severity)


def _refuse_unlike(now: AuditReport, earlier: AuditReport, file: str) -> None:
    if (now.manifests is None) != (earlier.manifests is None):
        is_of = "manifests" if earlier.manifests is not None else "a cluster"
        raise UsageError(f"{file} is a report on {is_of}", hint="Manifests are compared with manifests, clusters with clusters.")
    for flag, mine, other in (
        ("--namespace", now.asked.namespace, earlier.asked.namespace),
        ("--node", ",".join(now.asked.nodes), ",".join(earlier.asked.nodes)),
        ("--resource", ",".join(now.asked.resources), ",".join(earlier.asked.resources)),
    ):
        if mine != other:
            with_it = f"with {flag} {other}" if other else f"without {flag}"
            raise UsageError(f"{file} is a report {with_it}", hint=f"Audit {with_it} to compare with it.")
