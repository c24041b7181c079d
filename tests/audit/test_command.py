"""`kubectl dra audit` in this process, on files that stand for a cluster."""

import json
from pathlib import Path

import pytest

from kubectl_dra.audit.registry import checks
from kubectl_dra.objects.snapshot import Snapshot
from kubectl_dra.reading import write_snapshot
from tests.audit.given import GPU, cluster, device_class, forbidden, node, pod, quota
from tests.run import Result, kubectl_dra

TWINS = [device_class("old", GPU, created="2026-11-30T10:00:00Z"), device_class("new", GPU, created="2026-11-30T10:00:41Z")]
GIVEN = cluster(
    nodes=[node("a", allocatable={GPU: "4"})],
    pods=[pod("p", {GPU: 1}, on="a", owner=("Job", "train"))],
    device_classes=TWINS,
    resource_quotas=[quota("gpus", {GPU: "8"})],
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return written(GIVEN, tmp_path)


def written(snapshot: Snapshot, folder: Path) -> Path:
    path = folder / "cluster.json"
    with path.open("wb") as stream:
        write_snapshot(snapshot, stream.write)
    return path


def audit(path: Path, *argv: str) -> Result:
    return kubectl_dra("audit", "--from", str(path), *argv)


def test_the_report_as_people_read_it(file: Path) -> None:
    result = audit(file, "--select", "DRA501")
    assert result.code == 0
    assert result.stdout.splitlines() == [
        "NAME              VERDICT   BLOCKED BY",
        "example.com/gpu   blocked   DRA101",
        "",
        "Warnings (1)",
        "",
        "DRA501 a quota on example.com/gpu that nothing counts",
        "  objects: ResourceQuota team/gpus",
        "  seen:",
        "    spec.hard[example.com/gpu] is 8, status.used has no value for it; what is counted is requests.example.com/gpu",
        "  to mend it:",
        "    # from then on the quota limits new pods: look at what runs first",
        "    kubectl -n team patch resourcequota gpus --type=json -p"
        """ '[{"op":"move","from":"/spec/hard/example.com~1gpu","path":"/spec/hard/requests.example.com~1gpu"}]'""",
        "",
        "Seen once, and not read again: what passes by itself may have passed.",
    ]
    assert result.stderr == "0 errors, 1 warning, 0 notes\n"


def test_wide_says_why_and_from_where(file: Path) -> None:
    wide = audit(file, "--select", "DRA501", "-o", "wide").stdout
    assert "  why: Kubernetes counts extended resources in a quota only under requests.NAME" in wide
    assert "  sources: https://kubernetes.io/docs/concepts/policy/resource-quotas/, " in wide


def test_commands_can_be_copied_out_of_markdown(file: Path) -> None:
    lines = audit(file, "--select", "DRA501", "-o", "markdown").stdout.splitlines()
    command = next(line for line in lines if line.startswith("kubectl "))
    assert command.endswith("""'[{"op":"move","from":"/spec/hard/example.com~1gpu","path":"/spec/hard/requests.example.com~1gpu"}]'""")
    assert lines.count("```") == 4


def test_the_document(file: Path) -> None:
    report = json.loads(audit(file, "-o", "json").stdout)
    assert list(report) == ["apiVersion", "kind", "cluster", "names", "findings", "unknown", "asked", "manifests", "since"]
    assert (report["apiVersion"], report["kind"]) == ("kubectl-dra/v1", "AuditReport")
    assert list(report["cluster"]) == ["server", "context", "serverVersion", "readAt"]
    assert report["names"] == [{"name": GPU, "verdict": "blocked", "codes": ["DRA101"]}]
    assert [each["code"] for each in report["findings"]] == ["DRA101", "DRA501", "DRA106", "DRA106", "DRA703"]
    fields = ["code", "severity", "settled", "title", "objects", "evidence", "why", "fix", "source", "cause", "places", "new"]
    assert list(report["findings"][0]) == fields
    assert report["findings"][0]["objects"] == [
        {"kind": "DeviceClass", "namespace": "", "name": "new"},
        {"kind": "DeviceClass", "namespace": "", "name": "old"},
    ]
    assert all(finding["settled"] is False for finding in report["findings"])
    assert report["unknown"] == []
    assert report["asked"] == {
        "checks": list(checks()), "severity": "info", "namespace": "", "nodes": [], "resources": [], "failOn": "error",
    }  # fmt: skip
    assert (report["manifests"], report["since"]) == (None, None)


def test_the_same_cluster_gives_the_same_bytes(file: Path) -> None:
    assert audit(file, "-o", "yaml") == audit(file, "-o", "yaml")


def test_names_are_codes_to_be_explained_and_templates_reach_everything(file: Path) -> None:
    assert audit(file, "-o", "name").stdout == "DRA101\nDRA501\nDRA106\nDRA703\n"
    assert audit(file, "-o", "jsonpath={.findings[*].severity}").stdout == "error warning info info info"


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        ((), 1),
        (("--fail-on", "never"), 0),
        (("--fail-on=warning", "--ignore", "DRA1"), 1),
        (("--ignore", "DRA101"), 0),
        (("--select", "dra5"), 0),
        (("--select", "DRA5,DRA2", "--fail-on", "warning"), 1),
        (("--severity", "error"), 1),
        (("--severity", "error", "--ignore", "DRA101", "--fail-on", "warning"), 0),
        (("--resource", "nvidia.com/*"), 0),
        (("--resource", "example.com/*"), 1),
        (("-n", "elsewhere", "--ignore", "DRA101", "--fail-on", "warning"), 0),
    ],
)
def test_the_exit_status_is_that_of_the_findings_shown(file: Path, argv: tuple[str, ...], code: int) -> None:
    assert audit(file, *argv).code == code


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("--select", "DRA999"), 'error: no check has the code or prefix "DRA999"\nThe codes are DRA001, '),
        (("--ignore", "nonsense"), 'error: no check has the code or prefix "NONSENSE"\n'),
        (("--severity", "bad"), 'error: invalid argument "bad" for "--severity" flag: must be error, warning or info\n'),
        (("--fail-on", "info"), 'error: invalid argument "info" for "--fail-on" flag: must be error, warning or never\n'),
        (("--settle", "soon"), 'error: "soon" is no duration for --settle\n'),
        (("--settle", "-1s"), 'error: "-1s" is no duration for --settle\n'),
        (("--settle", "25h"), 'error: "25h" is no duration for --settle\n'),
        (("--explain", ""), 'error: there is no check ""\n'),
        (("-o", "nonsense"), "error: "),
    ],
)
def test_what_cannot_be_understood_is_a_usage_error(file: Path, argv: tuple[str, ...], said: str) -> None:
    result = audit(file, *argv)
    assert (result.code, result.stdout) == (2, "")
    assert result.stderr.startswith(said)


def test_a_page_needs_no_cluster() -> None:
    result = kubectl_dra("audit", "--explain", "dra101")
    assert result.code == 0
    assert result.stdout.startswith("DRA101 two device classes map one extended resource name (error)\n\nWhy it matters\n")
    assert "    kubectl annotate deviceclass WINNER" in result.stdout
    document = json.loads(kubectl_dra("audit", "--explain", "DRA101", "-o", "json").stdout)
    assert (document["kind"], document["code"], document["severity"]) == ("CheckPage", "DRA101", "error")


@pytest.mark.parametrize("code", checks())
def test_every_code_can_be_explained(code: str) -> None:
    assert kubectl_dra("audit", "--explain", code, "-o", "markdown").code == 0


def test_a_wrong_code_gets_a_suggestion() -> None:
    result = kubectl_dra("audit", "--explain", "DRO101")
    assert (result.code, result.stdout) == (2, "")
    assert result.stderr.startswith('error: there is no check "DRO101"\nDid you mean DRA101')


def test_what_could_not_be_read_is_told_and_strict_refuses_it(tmp_path: Path) -> None:
    path = written(cluster(device_classes=forbidden("deviceclasses is forbidden")), tmp_path)
    result = audit(path)
    assert result.code == 0
    number = sum("device_classes" in (*check.page.needs, *check.page.also) for check in checks().values())
    assert f"Not known ({number})" in result.stdout
    assert result.stderr == f"0 errors, 1 warning, 0 notes; {number} could not be judged\n"
    assert audit(path, "--strict").code == 3


def test_an_empty_cluster_is_fine(tmp_path: Path) -> None:
    result = audit(written(cluster(), tmp_path))
    assert (result.code, result.stdout) == (0, "No extended resource is asked for, served or mapped.\n")
    assert result.stderr == "0 errors, 0 warnings, 0 notes\n"


def test_names_that_are_not_there_are_told(file: Path) -> None:
    result = audit(file, "--node", "a", "--node", "b", "--node", "c*", "--resource", "example.com/gqu", "--fail-on", "never")
    assert result.stderr == (
        "there is no node b in this cluster\nthere is no extended resource example.com/gqu in this cluster\n0 errors, 0 warnings, 0 notes\n"
    )


def test_what_kubectl_wrote_is_audited_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "classes.yaml"
    path.write_text(
        """
apiVersion: v1
kind: List
items:
- {apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: b, creationTimestamp: "2026-11-30T10:00:00Z"},
   spec: {extendedResourceName: example.com/gpu}}
- {apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: a, creationTimestamp: "2026-11-30T10:00:00Z"},
   spec: {extendedResourceName: example.com/gpu}}
"""
    )
    result = audit(path, "-o", "json")
    report = json.loads(result.stdout)
    assert result.code == 1
    assert [(each["code"], each["severity"]) for each in report["findings"]] == [("DRA101", "error"), ("DRA001", "info")]
    assert report["findings"][0]["evidence"].startswith("DeviceClass a (created 2026-11-30T10:00:00Z) wins: same second, name sorts first")
    unseen = [code for code, check in checks().items() if {*check.page.needs, *check.page.also} - {"device_classes"}]
    assert sorted({each["code"] for each in report["unknown"]}) == sorted({"DRA101", *unseen})


def test_objects_with_missing_null_and_nonsensical_fields_are_no_trouble(tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    items = [
        {"kind": "Pod", "apiVersion": "v1"},
        {"kind": "Pod", "apiVersion": "v1", "metadata": None, "spec": None, "status": None},
        {"kind": "Pod", "apiVersion": "v1", "spec": {"containers": [{"resources": {"limits": {GPU: "many", "a/b": None}}}]}},
        {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n"}, "status": {"allocatable": {GPU: "x"}, "nodeInfo": None}},
        {
            "kind": "DeviceClass",
            "apiVersion": "resource.k8s.io/v1",
            "metadata": {"name": "x"},
            "spec": {"selectors": [{"cel": None}, None]},
        },
        {"kind": "ResourceSlice", "apiVersion": "resource.k8s.io/v1", "metadata": {"name": "s"}, "spec": {}},
        {"kind": "ResourceQuota", "apiVersion": "v1", "metadata": {"name": "q"}, "spec": {"hard": {GPU: None, "": "", "/": 1}}},
    ]
    path.write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": items}))
    result = audit(path)
    assert result.code == 0
    assert result.stderr.startswith("0 errors, 0 warnings, 1 note; ")


def test_the_schema_that_scripts_may_rely_on() -> None:
    schema = json.loads(kubectl_dra("schema", "AuditReport").stdout)
    assert schema["required"] == ["apiVersion", "kind", "cluster", "names", "findings", "unknown", "asked", "manifests", "since"]
    definitions = schema["$defs"]
    assert {name: list(each.get("properties", each.get("enum"))) for name, each in definitions.items()} == {
        "Asked": ["checks", "severity", "namespace", "nodes", "resources", "failOn"],
        "AuditedCluster": ["server", "context", "serverVersion", "readAt"],
        "Finding": ["code", "severity", "settled", "title", "objects", "evidence", "why", "fix", "source", "cause", "places", "new"],
        "ManifestsRead": ["path", "files", "objects"],
        "NameVerdict": ["name", "verdict", "codes"],
        "ObjectRef": ["kind", "namespace", "name"],
        "Place": ["file", "line", "object"],
        "Severity": ["error", "info", "warning"],
        "Since": ["file", "readAt", "elsewhere", "gone", "unclear"],
        "Unknown": ["code", "reason"],
    }
