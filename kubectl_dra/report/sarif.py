"""An audit as SARIF 2.1.0, which code reviews show beside the lines of the manifests that it is about.

Source: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0. Findings about a cluster have no lines; they name
their objects as logical locations.
"""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import quote

import msgspec

import kubectl_dra
from kubectl_dra.audit.finding import AuditReport, Finding, ObjectRef, Severity, Unknown
from kubectl_dra.audit.registry import checks, page

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}

Node = dict[str, object]


def text(report: AuditReport) -> str:
    """The log: one run, with a rule for each code that was found and a result for each finding."""
    shown = (*report.findings, *(report.since.gone if report.since else ()))
    codes = sorted({finding.code for finding in shown})
    gone = len(report.findings)
    run: Node = {
        "tool": {"driver": {"name": "kubectl-dra", "semanticVersion": kubectl_dra.__version__, "rules": [_rule(code) for code in codes]}},
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": [_notification(each) for each in report.unknown]}],
        "results": [_result(finding, codes, gone=number >= gone) for number, finding in enumerate(shown)],
        "columnKind": "unicodeCodePoints",
    }
    log: Node = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return msgspec.json.format(msgspec.json.encode(log), indent=2).decode() + "\n"


def _rule(code: str) -> Node:
    if code not in checks():
        return {"id": code}  # of a later version's report: gone since
    told = page(code)
    steps = "\n".join(told.fix)
    return {
        "id": told.code,
        "shortDescription": {"text": told.title},
        "fullDescription": {"text": told.why},
        "help": {"text": f"{told.why}\n\n{steps}", "markdown": f"{told.why}\n\n```\n{steps}\n```\n\n{_sources(told.source)}"},
        "defaultConfiguration": {"level": _LEVELS[told.severity]},
    }


def _sources(sources: Iterable[str]) -> str:
    return "\n".join(f"- {source}" for source in sources)


def _result(finding: Finding, codes: list[str], *, gone: bool) -> Node:
    result: Node = {
        "ruleId": finding.code,
        "ruleIndex": codes.index(finding.code),
        "level": _LEVELS[finding.severity],
        "message": {"text": "\n".join((f"{finding.title}.", finding.evidence, *finding.fix))},
        "locations": list(_locations(finding)),
        "partialFingerprints": {"cause/v1": _fingerprint(finding)},
    }
    if gone:
        result["baselineState"] = "absent"
    elif finding.new is not None:
        result["baselineState"] = "new" if finding.new else "unchanged"
    return result


def _locations(finding: Finding) -> Iterator[Node]:
    if not finding.places:
        if finding.objects:
            yield {"logicalLocations": [_logical(each) for each in finding.objects]}
        return
    for place in finding.places:
        location: Node = {"logicalLocations": [_logical(place.object)]}
        if place.file != "-":
            location["physicalLocation"] = {"artifactLocation": {"uri": _uri(place.file)}, "region": {"startLine": place.line}}
        yield location


def _logical(ref: ObjectRef) -> Node:
    return {"name": ref.name, "fullyQualifiedName": str(ref), "kind": "resource"}


def _uri(file: str) -> str:
    """A path as it was given, as a relative reference; an absolute one with its scheme."""
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())


def _fingerprint(finding: Finding) -> str:
    """The same in every run that shows the same fault, whatever line it is on."""
    files = sorted({place.file for place in finding.places})
    return hashlib.sha256("\n".join((finding.code, finding.cause, *files)).encode()).hexdigest()[:32]


def _notification(unknown: Unknown) -> Node:
    return {"level": "warning", "message": {"text": f"{unknown.code}: {unknown.reason}"}}
