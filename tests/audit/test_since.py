"""What is new and what is gone since an earlier report, and what two readings tell together."""

from collections.abc import Iterable, Iterator

import msgspec
import pytest

from kubectl_dra.audit import registry, since
from kubectl_dra.audit.candidate import Candidate, Doubt, Later
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import AuditReport, Finding, ObjectRef, Severity, Unknown
from kubectl_dra.audit.registry import Check, check
from kubectl_dra.audit.run import audit, examine
from kubectl_dra.audit.scope import Scope
from kubectl_dra.audit.selection import Selection
from kubectl_dra.errors import UsageError
from kubectl_dra.objects.snapshot import Snapshot
from tests.audit.given import GPU, cluster, device_class, node, pod, quota

OLD = device_class("old", GPU, created="2026-11-30T10:00:00Z")
NEW = device_class("new", GPU, created="2026-11-30T10:00:41Z")


def report(snapshot: Snapshot, *select: str, severity: Severity = Severity.INFO, scope: Scope = Scope()) -> AuditReport:  # noqa: B008 (frozen)
    return audit(Case(snapshot, scope), Selection(select, severity=severity))


def told(now: AuditReport, earlier: AuditReport) -> tuple[dict[str, bool | None], list[str]]:
    """Codes with whether they are new, and the codes that are gone."""
    answer = since.compared(now, earlier, "old.json")
    assert answer.since is not None
    return {each.code: each.new for each in answer.findings}, [each.code for each in answer.since.gone]


def test_what_was_there_before_is_not_new_and_what_is_mended_is_gone() -> None:
    before = report(cluster(device_classes=[OLD, NEW]), "DRA101", "DRA501")
    after = report(cluster(device_classes=[NEW], resource_quotas=[quota("q", {GPU: 8})]), "DRA101", "DRA501")
    assert told(before, before) == ({"DRA101": False}, [])
    assert told(after, before) == ({"DRA501": True}, ["DRA101"])


def test_a_finding_that_got_worse_is_new() -> None:
    def with_severity(severity: Severity) -> AuditReport:
        found = report(cluster(device_classes=[OLD, NEW]), "DRA101")
        return msgspec.structs.replace(found, findings=tuple(msgspec.structs.replace(each, severity=severity) for each in found.findings))

    assert told(with_severity(Severity.ERROR), with_severity(Severity.WARNING)) == ({"DRA101": True}, [])
    assert told(with_severity(Severity.WARNING), with_severity(Severity.ERROR)) == ({"DRA101": False}, [])


def test_one_node_more_is_new_one_pod_more_is_not() -> None:
    def kubelets(*names: str) -> AuditReport:
        return report(cluster(nodes=[node(name, 4, kubelet="v1.34.0") for name in names]), "DRA203")

    def pods(*names: str) -> AuditReport:
        gone = node("a", allocatable={GPU: 0}, capacity={GPU: 4})
        return report(cluster(nodes=[gone], pods=[pod(name, {GPU: 1}, on="a") for name in names]), "DRA209")

    assert told(kubelets("a", "b"), kubelets("a")) == ({"DRA203": True}, [])
    assert told(kubelets("a"), kubelets("a", "b")) == ({"DRA203": False}, [])
    assert told(pods("x-8f2", "x-9c1"), pods("x-1aa")) == ({"DRA209": False}, [])


def test_what_the_earlier_report_was_not_asked_for_is_neither_new_nor_known() -> None:
    snapshot = cluster(device_classes=[OLD, NEW], resource_quotas=[quota("q", {GPU: 8})])
    assert told(report(snapshot), report(snapshot, "DRA101"))[0]["DRA501"] is None
    assert told(report(snapshot), report(snapshot, severity=Severity.ERROR))[0]["DRA501"] is None
    assert told(report(snapshot, "DRA101"), report(snapshot)) == ({"DRA101": False}, [])


def test_what_a_check_that_could_not_look_does_not_show_is_not_gone() -> None:
    before = report(cluster(device_classes=[OLD, NEW]), "DRA101")
    blind = msgspec.structs.replace(before, findings=(), unknown=(Unknown("DRA101", "DeviceClass: forbidden"),))
    answer = since.compared(blind, before, "old.json")
    assert answer.since is not None
    assert (answer.since.gone, [each.code for each in answer.since.unclear]) == ((), ["DRA101"])


def test_only_what_is_new_counts_for_the_exit_status() -> None:
    before = report(cluster(device_classes=[OLD, NEW]), "DRA101")
    assert [each.code for each in before.failing] == ["DRA101"]
    assert since.compared(before, before, "old.json").failing == ()
    empty = report(cluster(), "DRA101")
    assert [each.code for each in since.compared(before, empty, "old.json").failing] == ["DRA101"]


@pytest.mark.parametrize("other", [Scope(namespace="team"), Scope(nodes=("a",)), Scope(resources=("a/*",))])
def test_reports_on_other_things_are_not_compared(other: Scope) -> None:
    everything, part = report(cluster()), report(cluster(), scope=other)
    for now, earlier in ((everything, part), (part, everything)):
        with pytest.raises(UsageError, match="is a report with"):
            since.compared(now, earlier, "old.json")


def test_another_server_is_noticed() -> None:
    before = report(cluster())
    moved = msgspec.structs.replace(before, cluster=msgspec.structs.replace(before.cluster, server="https://elsewhere:6443"))
    answer = since.compared(before, moved, "old.json")
    assert answer.since is not None and answer.since.elsewhere


@pytest.fixture
def only_time_tells() -> Iterator[None]:
    """A check whose findings settle after five minutes: nodes whose allocatable is 0."""

    @check(
        "DRA999",
        title="nothing allocatable",
        severity=Severity.WARNING,
        why="Only for this test, and long enough to say so in a whole sentence that a page could have.",
        fix=("# wait",),
        source=("kubernetes/kubernetes#1",),
        needs=("nodes",),
    )
    def nothing_allocatable(case: Case) -> Iterator[Candidate | Doubt]:
        """Each such node."""
        for each in case.nodes():
            if case.allocatable(each, GPU) == 0:
                ref = ObjectRef.of("Node", each.metadata)
                yield Candidate(
                    cause=each.metadata.name, objects=(ref,), evidence=f"watched {case.watched:.0f}s", settling=Later((ref,), 300.0)
                )

    yield
    checks: dict[str, Check] = registry._checks
    del checks["DRA999"]


def seen(now: Iterable[object], earlier: Iterable[object], *, minutes: int) -> list[tuple[str, bool, str]]:
    """Findings by object, whether they are settled, and their evidence, of two readings so many minutes apart."""

    def case(nodes: Iterable[object], minute: int) -> Case:
        made = cluster(live=False, nodes=nodes)
        return Case(msgspec.structs.replace(made, cluster=msgspec.structs.replace(made.cluster, read_at=f"2026-12-01T10:{minute:02}:00Z")))

    present = case(now, minutes)
    examination = since.told_apart(present, examine(present, ["DRA999"]), case(earlier, 0))
    findings: list[Finding] = [each.finding() for each in examination.sightings]
    return [(each.objects[0].name, each.settled, each.evidence) for each in findings]


GONE, THERE = node("a", allocatable={GPU: 0}), node("a", 4)


@pytest.mark.usefixtures("only_time_tells")
def test_two_snapshots_tell_what_only_time_can_tell() -> None:
    assert seen([GONE], [GONE], minutes=6) == [("a", True, "watched 360s")]
    assert seen([GONE], [GONE], minutes=4) == [("a", False, "watched 0s")]
    assert seen([GONE], [THERE], minutes=6) == [("a", False, "watched 0s")]
    assert seen([THERE], [GONE], minutes=6) == []


def test_dra202_two_snapshots_tell_a_plugin_that_is_gone_from_devices_that_are_unhealthy() -> None:
    def case(minute: int) -> Case:
        made = cluster(live=False, nodes=[node("a", allocatable={GPU: 0}, capacity={GPU: 4})])
        return Case(msgspec.structs.replace(made, cluster=msgspec.structs.replace(made.cluster, read_at=f"2026-12-01T10:{minute:02}:00Z")))

    now = case(6)
    (apart,) = since.told_apart(now, examine(now, ["DRA202"]), case(0)).sightings
    assert apart.settled
    assert "all of its devices are unhealthy" in apart.finding().evidence
    (doubtful,) = since.told_apart(now, examine(now, ["DRA202"]), case(5)).sightings
    assert not doubtful.settled
    assert "all of its devices are unhealthy" not in doubtful.finding().evidence
