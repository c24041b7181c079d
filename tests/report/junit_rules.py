"""Holds XML to what readers of JUnit's reports take: Jenkins' junit-10.xsd, and that the counts are right, which it cannot say."""

from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element

CHILDREN: Mapping[str, set[str]] = {
    "testsuites": {"testsuite"},
    "testsuite": {"testsuite", "properties", "testcase", "system-out", "system-err"},
    "testcase": {"skipped", "error", "failure", "system-out", "system-err"},
    "properties": {"property"},
    "property": set(), "skipped": set(), "error": set(), "failure": set(), "system-out": set(), "system-err": set(),
}  # fmt: skip
ATTRIBUTES: Mapping[str, set[str]] = {
    "testsuites": {"name", "time", "tests", "failures", "errors"},
    "testsuite": {"name", "tests", "failures", "errors", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"},
    "testcase": {"name", "time", "classname", "group"},
    "failure": {"type", "message"}, "error": {"type", "message"}, "skipped": {"type", "message"}, "property": {"name", "value"},
}  # fmt: skip
REQUIRED: Mapping[str, set[str]] = {
    "testsuite": {"name", "tests", "failures", "errors"}, "testcase": {"name"}, "property": {"name", "value"},
}  # fmt: skip


def faults(element: Element) -> Iterator[str]:
    """What is wrong with a report, a line each."""
    tag = element.tag
    yield from (f"{tag} has {child.tag}" for child in element if child.tag not in CHILDREN[tag])
    yield from (f"{tag} has attribute {name}" for name in element.attrib.keys() - ATTRIBUTES.get(tag, set()))
    yield from (f"{tag} lacks {name}" for name in REQUIRED.get(tag, set()) - element.attrib.keys())
    if tag in ("testsuites", "testsuite"):
        cases = list(element.iter("testcase"))
        counts = {"tests": len(cases), **{f"{word}s": sum(case.find(word) is not None for case in cases) for word in ("failure", "error")}}
        counts["skipped"] = sum(case.find("skipped") is not None for case in cases)
        yield from (
            f"{tag} says {name}={element.get(name)}" for name in counts if element.get(name, str(counts[name])) != str(counts[name])
        )
    for child in element:
        yield from faults(child)
