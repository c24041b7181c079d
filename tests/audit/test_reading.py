"""DRA001: what could not be read, and what would allow it."""

import pytest

from kubectl_dra.audit.finding import Severity
from kubectl_dra.audit.registry import checks
from kubectl_dra.objects.snapshot import KindReading, ReadState
from tests.audit.given import cluster, findings, forbidden, only, report


def test_dra001_everything_read_is_no_finding() -> None:
    assert findings(cluster(), "DRA001") == ()


def test_dra001_forbidden_kinds_stand_in_one_finding_with_the_rule_that_allows_them() -> None:
    given = cluster(nodes=forbidden("nodes"), resource_slices=forbidden("slices"))
    finding = only(given, "DRA001")
    assert finding.severity is Severity.WARNING
    assert finding.title == "Node, ResourceSlice may not be read"
    assert finding.evidence.split("\n") == [
        'nodes: nodes is forbidden: User "viewer" cannot list resource',
        'resourceslices.resource.k8s.io: slices is forbidden: User "viewer" cannot list resource',
    ]
    assert finding.fix[1] == "kubectl create clusterrole kubectl-dra-audit --verb=list --resource=nodes,resourceslices.resource.k8s.io"


def test_dra001_a_server_without_dra_is_told_and_one_without_taint_rules_is_not() -> None:
    unserved: KindReading[object] = KindReading(state=ReadState.UNSERVED, reason="resource.k8s.io is not served")
    assert findings(cluster(device_taint_rules=unserved, custom_workloads={}), "DRA001") == ()
    finding = only(cluster(device_classes=unserved, resource_slices=unserved), "DRA001")
    assert finding.title == "DeviceClass, ResourceSlice: not served by this API server"
    assert finding.severity is Severity.WARNING


@pytest.mark.parametrize(
    ("state", "title", "severity"),
    [
        (ReadState.EXPIRED, "Pod: the list changed while it was read", Severity.WARNING),
        (ReadState.FAILED, "Pod: the server gave an error", Severity.WARNING),
        (ReadState.ABSENT, "Pod: not in the file", Severity.INFO),
    ],
)
def test_dra001_tells_how_reading_ended(state: ReadState, title: str, severity: Severity) -> None:
    finding = only(cluster(pods=KindReading(state=state, reason="so it was")), "DRA001")
    assert (finding.title, finding.severity, finding.evidence) == (title, severity, "pods: so it was")


def test_dra001_custom_kinds_count_too() -> None:
    given = cluster(custom_workloads={"JobSet.jobset.x-k8s.io": forbidden("jobsets"), "MPIJob.kubeflow.org": KindReading()})
    assert only(given, "DRA001").evidence.startswith("JobSet.jobset.x-k8s.io: jobsets is forbidden")


def looking_at(kind: str) -> list[str]:
    return [code for code, check in checks().items() if kind in (*check.page.needs, *check.page.also)]


def test_checks_that_could_not_look_say_so_and_no_other_does() -> None:
    given = report(cluster(nodes=forbidden("no")))
    assert [each.code for each in given.unknown] == looking_at("nodes")
    assert given.unknown[0].reason == 'Node: forbidden (needs the verb list on nodes; "kubectl dra rbac audit" prints the role)'


def test_a_check_that_saw_a_part_says_which_part_it_did_not_see() -> None:
    given = report(cluster(cron_jobs=forbidden("no")))
    assert [each.code for each in given.unknown] == looking_at("cron_jobs")
    assert {each.reason.partition(" (")[0] for each in given.unknown} == {"looked only in part: CronJob: forbidden"}
