"""An audit in the formats of code reviews and pipelines, held to their schemas."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest

from kubectl_dra.audit.finding import (
    Asked,
    AuditedCluster,
    AuditReport,
    Finding,
    ManifestsRead,
    ObjectRef,
    Place,
    Severity,
    Since,
    Unknown,
)
from kubectl_dra.audit.registry import page
from kubectl_dra.report import junit, sarif
from tests.report import json_schema, junit_rules

SCHEMA: Mapping[str, Any] = json.loads((Path(__file__).parent / "schemas" / "sarif-2.1.0.json").read_text())
TRAIN = ObjectRef("Deployment", "team", "train")


def finding(
    code: str = "DRA401", severity: Severity = Severity.ERROR, *, file: str = "", cause: str = "c", new: bool | None = None
) -> Finding:
    places = (Place(file, 12, TRAIN),) if file else ()
    return Finding(
        code, severity, True, "needs 40 devices", (TRAIN,), "asks 40 <\x00>", "because.", ("# ask for less",), (), cause, places, new
    )


def report(*findings: Finding, since: Since | None = None, fail_on: str = "error") -> AuditReport:
    asked = Asked(("DRA102", "DRA401", "DRA501"), Severity.INFO, fail_on=fail_on)
    return AuditReport(
        cluster=AuditedCluster("https://a:6443", "c", "v1.37.2", "2026-12-01T04:00:00Z"),
        names=(),
        findings=findings,
        unknown=(Unknown("DRA501", "ResourceQuota: forbidden"),),
        asked=asked,
        manifests=ManifestsRead("deploy", 3, 7),
        since=since,
    )


def log(told: AuditReport) -> Any:
    """The log, which fits the schema."""
    plain = json.loads(sarif.text(told))
    assert list(json_schema.faults(plain, SCHEMA, SCHEMA)) == []
    return plain["runs"][0]


def suite(told: AuditReport) -> ElementTree.Element:
    """The one suite of a report that readers take."""
    root = ElementTree.fromstring(junit.text(told))  # noqa: S314 (our own)
    assert list(junit_rules.faults(root)) == []
    (found,) = root
    return found


def test_a_result_stands_beside_the_line_it_is_about() -> None:
    (result,) = log(report(finding(file="deploy/team a/train.yaml")))["results"]
    assert (result["ruleId"], result["level"]) == ("DRA401", "error")
    assert result["message"]["text"].splitlines() == ["needs 40 devices.", "asks 40 <\x00>", "# ask for less"]
    assert result["locations"] == [
        {
            "physicalLocation": {"artifactLocation": {"uri": "deploy/team%20a/train.yaml"}, "region": {"startLine": 12}},
            "logicalLocations": [{"name": "train", "fullyQualifiedName": "Deployment team/train", "kind": "resource"}],
        }
    ]


def test_rules_are_the_pages_of_what_was_found() -> None:
    run = log(report(finding("DRA401"), finding("DRA102", Severity.INFO), finding("DRA401", cause="d")))
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["DRA102", "DRA401"]
    assert rules[1]["shortDescription"] == {"text": "a pod needs more devices than a claim can hold"}
    assert [result["ruleIndex"] for result in run["results"]] == [1, 0, 1]
    assert [result["level"] for result in run["results"]] == ["error", "note", "error"]


def test_what_could_not_be_looked_at_is_a_notification() -> None:
    (call,) = log(report())["invocations"]
    assert [each["message"]["text"] for each in call["toolExecutionNotifications"]] == ["DRA501: ResourceQuota: forbidden"]


def test_a_finding_keeps_its_fingerprint_when_lines_move_and_not_when_files_do() -> None:
    def print_of(told: Finding) -> str:
        found: str = log(report(told))["results"][0]["partialFingerprints"]["cause/v1"]
        return found

    here = finding(file="a.yaml")
    lower = msgspec.structs.replace(here, places=(Place("a.yaml", 99, TRAIN),))
    assert print_of(here) == print_of(lower)
    assert len({print_of(here), print_of(finding(file="b.yaml")), print_of(finding(file="a.yaml", cause="d"))}) == 3


def test_against_an_earlier_report_results_are_new_unchanged_or_absent() -> None:
    since = Since("old.json", "", False, (finding("DRA999", cause="gone"),), ())
    results = log(report(finding(new=True), finding(cause="d", new=False), since=since))["results"]
    assert [result.get("baselineState") for result in results] == ["new", "unchanged", "absent"]


def test_standard_input_has_no_address_and_an_absolute_path_has_a_scheme() -> None:
    (from_stdin,) = log(report(finding(file="-")))["results"]
    assert [list(location) for location in from_stdin["locations"]] == [["logicalLocations"]]
    (absolute,) = log(report(finding(file="/work tree/a.yaml")))["results"]
    assert absolute["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "file:///work%20tree/a.yaml"}


@pytest.mark.parametrize(
    "broken", [{"version": "2.0.0", "runs": []}, {"version": "2.1.0"}, {"version": "2.1.0", "runs": [{"results": []}]}]
)
def test_the_schema_is_really_held_against_it(broken: Any) -> None:
    assert list(json_schema.faults(broken, SCHEMA, SCHEMA))


def test_a_check_that_found_nothing_has_passed_and_one_that_could_not_look_is_skipped() -> None:
    cases = {(case.get("classname"), case.get("name")): [child.tag for child in case] for case in suite(report(finding(file="a.yaml")))}
    assert cases == {
        ("kubectl-dra.DRA102", page("DRA102").title): [],
        ("kubectl-dra.DRA401", "needs 40 devices (a.yaml:12)"): ["failure"],
        ("kubectl-dra.DRA501", f"{page('DRA501').title}: could not look everywhere"): ["skipped"],
    }


@pytest.mark.parametrize(
    ("fail_on", "tags"), [("error", ["failure", "system-out"]), ("warning", ["failure", "failure"]), ("never", ["system-out"] * 2)]
)
def test_a_failure_is_what_the_exit_status_rests_on(fail_on: str, tags: list[str]) -> None:
    found = suite(report(finding(), finding(severity=Severity.WARNING, cause="d"), fail_on=fail_on))
    cases = found.findall("testcase[@classname='kubectl-dra.DRA401']")
    assert [case[0].tag for case in cases] == tags
    assert (found.get("failures"), found.get("timestamp")) == (str(tags.count("failure")), "2026-12-01T04:00:00")


def test_what_was_there_before_does_not_fail() -> None:
    since = Since("old.json", "", False, (), ())
    found = suite(report(finding(new=False), finding(cause="d", new=True), since=since))
    assert [case[0].tag for case in found.findall("testcase[@classname='kubectl-dra.DRA401']")] == ["system-out", "failure"]


def test_what_xml_cannot_hold_is_shown_as_a_replacement() -> None:
    failure = suite(report(finding(file="a.yaml"))).find(".//failure")
    assert failure is not None
    assert str(failure.text).splitlines() == ["a.yaml:12", "asks 40 <\N{REPLACEMENT CHARACTER}>", "", "because.", "", "# ask for less"]
