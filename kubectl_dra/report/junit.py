"""An audit as JUnit's XML, which pipelines show as tests: a check that found nothing has passed, one that could not look is skipped.

There is no one schema. This keeps to what Ant's JUnit task, Maven's Surefire and Jenkins have in common (jenkinsci/xunit-plugin:
junit-10.xsd).
"""

import re
from xml.etree import ElementTree

from kubectl_dra.audit.finding import AuditReport, Finding
from kubectl_dra.audit.registry import page

_SUITE = "kubectl dra audit"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, not even escaped."""


def text(report: AuditReport) -> str:
    """One suite. A finding for which the exit status is 1 is a failure; others are cases that passed, with their words as output."""
    failing = set(map(id, report.failing))
    suite = ElementTree.Element("testsuite", {"name": _SUITE})
    if report.cluster.read_at:
        suite.set("timestamp", report.cluster.read_at.removesuffix("Z"))
    skipped = 0
    for code in report.asked.checks:
        found = [finding for finding in report.findings if finding.code == code]
        reasons = [unknown.reason for unknown in report.unknown if unknown.code == code]
        for finding in found:
            _finding(suite, finding, failed=id(finding) in failing)
        if reasons:
            skipped += 1
            _case(suite, code, f"{page(code).title}: could not look everywhere", "skipped", "; ".join(reasons))
        elif not found:
            _case(suite, code, page(code).title)
    counts = {"tests": str(len(suite)), "failures": str(len(failing)), "errors": "0"}
    suite.attrib.update({**counts, "skipped": str(skipped), "time": "0"})
    root = ElementTree.Element("testsuites", {"name": _SUITE, **counts})
    root.append(suite)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _finding(suite: ElementTree.Element, finding: Finding, *, failed: bool) -> None:
    places = [f"{place.file}:{place.line}" for place in finding.places]
    words = "\n".join((*places, finding.evidence, "", finding.why, "", *finding.fix))
    where = f" ({', '.join(places)})" if places else ""
    case = _case(suite, finding.code, f"{finding.title}{where}")
    if failed:
        failure = ElementTree.SubElement(case, "failure", {"type": finding.severity.value, "message": _xml(finding.title)})
        failure.text = _xml(words)
    else:
        ElementTree.SubElement(case, "system-out").text = _xml(f"{finding.severity}\n{words}")


def _case(suite: ElementTree.Element, code: str, name: str, tag: str = "", message: str = "") -> ElementTree.Element:
    case = ElementTree.SubElement(suite, "testcase", {"classname": f"kubectl-dra.{code}", "name": _xml(name), "time": "0"})
    if tag:
        ElementTree.SubElement(case, tag, {"message": _xml(message)})
    return case


def _xml(words: str) -> str:
    """`words` without the characters that XML does not know; names in objects may have any."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", words)
