"""DRA901, DRA902 and DRA903: rules that select everything or nothing, and rules that somebody forgot."""

import msgspec
import pytest

from kubectl_dra.audit.finding import Severity
from kubectl_dra.objects.resource import DeviceTaint, DeviceTaintRule, DeviceTaintRuleSpec, DeviceTaintSelector
from tests.audit.given import DRIVER, cluster, findings, forbidden, names, only, resource_slice, unknown
from tests.factories import claim, meta

EVERY = DeviceTaintSelector()


def rule(
    selector: DeviceTaintSelector | None = EVERY, effect: str = "NoExecute", *, created: str = "2026-01-01T23:59:00Z", preview: bool = False
) -> DeviceTaintRule:
    labels = {"kubectl-dra.io/preview": "x"} if preview else None
    return DeviceTaintRule(meta("rule", created=created, labels=labels), DeviceTaintRuleSpec(selector, DeviceTaint("sick", "yes", effect)))


# DRA901


@pytest.mark.parametrize(("version", "severity"), [("1.36.6", "error"), ("1.37.0", "error"), ("1.37.1", "info"), ("1.37.2", "info")])
@pytest.mark.parametrize("effect", ["NoSchedule", "NoExecute"])
def test_dra901_a_rule_without_selector(version: str, severity: str, effect: str) -> None:
    finding = only(cluster(version, device_taint_rules=[rule(None, effect)]), "DRA901")
    assert (finding.severity, names(finding)) == (severity, ["DeviceTaintRule rule"])
    assert finding.evidence == f"DeviceTaintRule rule has the taint sick=yes:{effect} and no spec.deviceSelector; the server is {version}"
    assert finding.fix[-1] == "kubectl delete devicetaintrule rule"


def test_dra901_rules_with_a_selector_without_effect_or_with_the_gate_off_are_no_finding() -> None:
    assert findings(cluster("1.37.0", device_taint_rules=[rule(EVERY), rule(None, "None")]), "DRA901") == ()
    assert findings(cluster("1.37.0", gates={"DRADeviceTaintRules": False}, device_taint_rules=[rule(None)]), "DRA901") == ()


def test_dra901_without_the_version_nobody_knows() -> None:
    (doubt,) = unknown(cluster("", device_taint_rules=[rule(None)]), "DRA901")
    assert "whether that is all devices or none depends on the scheduler's version" in doubt


@pytest.mark.parametrize("code", ["DRA901", "DRA902", "DRA903"])
def test_without_rules_nobody_knows(code: str) -> None:
    assert len(unknown(cluster(device_taint_rules=forbidden()), code)) == 1


# DRA902


def test_dra902_everything_is_evicted() -> None:
    given = cluster(
        device_taint_rules=[rule()], resource_slices=[resource_slice("a", 4)], resource_claims=[claim("c", ("a", "gpu-0"), pod="p")]
    )
    finding = only(given, "DRA902")
    assert (finding.severity, names(finding)) == (Severity.ERROR, ["DeviceTaintRule rule"])
    assert finding.evidence.split("\n") == [
        "DeviceTaintRule rule: spec.deviceSelector is {}, the taint is sick=yes:NoExecute",
        f"4 devices of {DRIVER} are published, 1 claim holds some of them",
    ]
    assert finding.fix[-1] == """kubectl patch devicetaintrule rule --type=merge -p '{"spec":{"taint":{"effect":"None"}}}'"""


def test_dra902_nothing_is_scheduled() -> None:
    assert only(cluster(device_taint_rules=[rule(effect="NoSchedule")]), "DRA902").severity is Severity.WARNING


@pytest.mark.parametrize(
    "selector",
    [None, DeviceTaintSelector(driver=DRIVER), DeviceTaintSelector(device="gpu-0"), DeviceTaintSelector(device_class_name="gpu")],
)
def test_dra902_rules_that_select_something_are_meant_so(selector: DeviceTaintSelector | None) -> None:
    assert findings(cluster(device_taint_rules=[rule(selector)]), "DRA902") == ()


def test_dra902_a_rule_without_effect_hurts_nobody() -> None:
    assert findings(cluster(device_taint_rules=[rule(effect="None")]), "DRA902") == ()


# DRA903


def test_dra903_a_preview_that_was_killed() -> None:
    old = rule(DeviceTaintSelector(driver=DRIVER), "None", created="2026-01-01T21:00:00Z", preview=True)
    finding = only(cluster(device_taint_rules=[old]), "DRA903")
    assert (finding.severity, finding.title) == (
        Severity.WARNING,
        "DeviceTaintRule rule has had no effect for 3 h, and is left from a preview",
    )
    assert finding.fix[-1] == "kubectl delete devicetaintrule rule"


@pytest.mark.parametrize(
    ("created", "preview", "found"),
    [
        ("2026-01-01T23:51:00Z", True, []),
        ("2026-01-01T23:49:00Z", True, [Severity.WARNING]),
        ("2026-01-01T01:00:00Z", False, []),
        ("2025-12-30T00:00:00Z", False, [Severity.INFO]),
    ],
)
def test_dra903_previews_are_short_and_others_may_look_for_a_day(created: str, preview: bool, found: list[Severity]) -> None:
    given = cluster(device_taint_rules=[rule(EVERY, "None", created=created, preview=preview)])
    assert [each.severity for each in findings(given, "DRA903")] == found


def test_dra903_rules_with_an_effect_are_in_use() -> None:
    assert findings(cluster(device_taint_rules=[rule(created="2025-01-01T00:00:00Z", preview=True)]), "DRA903") == ()


def test_dra903_without_times_nobody_knows() -> None:
    given = rule(effect="None")
    given = msgspec.structs.replace(given, metadata=msgspec.structs.replace(given.metadata, creation_timestamp=None))
    assert unknown(cluster(device_taint_rules=[given]), "DRA903") == ("it is not known how long DeviceTaintRule rule has been there",)
