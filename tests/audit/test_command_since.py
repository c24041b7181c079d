"""`audit --since` on reports and snapshots in files."""

import gzip
import json
from pathlib import Path

import msgspec
import pytest

from kubectl_dra.cli.command.audit import audit as audit_command
from kubectl_dra.objects.snapshot import Snapshot
from kubectl_dra.reading import write_snapshot
from kubectl_dra.report.tables.audit import AUDIT
from tests.audit.given import GPU, cluster, device_class, quota
from tests.run import Result, kubectl_dra

TWINS = [device_class("old", GPU, created="2026-11-30T10:00:00Z"), device_class("new", GPU, created="2026-11-30T10:00:41Z")]
BEFORE = cluster(device_classes=TWINS)
AFTER = cluster(device_classes=TWINS[1:], resource_quotas=[quota("gpus", {GPU: "8"})])


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, snapshot in (("before", BEFORE), ("after", AFTER)):
        write(tmp_path / f"{name}.json", snapshot)
    for output in ("json", "yaml"):
        report = kubectl_dra("audit", "--from", str(tmp_path / "before.json"), "-o", output).stdout
        (tmp_path / f"report.{output}").write_text(report)
    with gzip.open(tmp_path / "report.json.gz", "wt") as packed:
        packed.write((tmp_path / "report.json").read_text())
    return tmp_path


def write(path: Path, snapshot: Snapshot) -> None:
    with path.open("wb") as stream:
        write_snapshot(snapshot, stream.write)


def audit(files: Path, since: str, *argv: str, stdin: bytes = b"") -> Result:
    source = since if since == "-" else str(files / since)
    return kubectl_dra("audit", "--from", str(files / "after.json"), "--since", source, *argv, stdin=stdin)


@pytest.mark.parametrize("earlier", ["report.json", "report.yaml", "report.json.gz", "before.json"])
def test_what_is_new_and_what_is_gone(files: Path, earlier: str) -> None:
    report = json.loads(audit(files, earlier, "-o", "json").stdout)
    assert {each["code"]: each["new"] for each in report["findings"]} == {"DRA501": True, "DRA106": False}
    assert [each["code"] for each in report["since"]["gone"]] == ["DRA101", "DRA106"]
    assert (report["since"]["file"], report["since"]["elsewhere"]) == (str(files / earlier), False)


def test_as_people_read_it(files: Path) -> None:
    result = audit(files, "report.json")
    lines = result.stdout.splitlines()
    assert "DRA501 new: a quota on example.com/gpu that nothing counts" in lines
    assert lines[lines.index("Gone since 2026-01-02T00:00:00Z (2)") :][2].split() == ["CODE", "SEVERITY", "TITLE"]
    assert result.stderr.splitlines()[-1] == "since 2026-01-02T00:00:00Z: 1 new, 2 gone"


def test_a_report_from_standard_input(files: Path) -> None:
    piped = audit(files, "-", stdin=(files / "report.yaml").read_bytes())
    assert piped.stderr == audit(files, "report.yaml").stderr


@pytest.mark.parametrize(
    ("earlier", "argv", "code"),
    [
        ("before.json", ("--fail-on", "warning"), 1),
        ("after.json", ("--fail-on", "warning"), 0),
        ("before.json", (), 0),
        ("before.json", ("--fail-on", "warning", "--ignore", "DRA501"), 0),
    ],
)
def test_only_what_is_new_makes_it_fail(files: Path, earlier: str, argv: tuple[str, ...], code: int) -> None:
    assert audit(files, earlier, *argv).code == code


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"apiVersion": "kubectl-dra/v1", "kind": "Inventory"}', "is of kind Inventory, not an audit's report"),
        ('{"apiVersion": "kubectl-dra/v1", "kind": "AuditReport"}', "is no whole report of an audit: Object missing required field"),
        ('{"apiVersion": "kubectl-dra/v1", "kind": "AuditRep', "is no whole report of an audit: Input data was truncated"),
        ("apiVersion: kubectl-dra/v1\nkind: [", "is no whole report of an audit: "),
        ("", "is empty"),
    ],
)
def test_what_is_no_report_is_refused(files: Path, text: str, said: str) -> None:
    (files / "bad").write_text(text)
    result = audit(files, "bad")
    assert (result.code, result.stdout) == (3, "")
    assert result.stderr.startswith(f"error: {files}/bad {said}")


def test_a_damaged_or_missing_file_is_told(files: Path) -> None:
    (files / "cut.gz").write_bytes((files / "report.json.gz").read_bytes()[:40])
    assert audit(files, "cut.gz").stderr.startswith(f"error: {files}/cut.gz cannot be read: ")
    assert audit(files, "none").stderr.startswith(f"error: {files}/none cannot be read: No such file or directory")


def test_usage(files: Path) -> None:
    assert kubectl_dra("audit", "--demo", "--since", "").code == 2
    both = kubectl_dra("audit", "--from", "-", "--since", "-")
    assert (both.code, both.stderr.splitlines()[0]) == (2, "error: standard input can be read for one thing only: --from or --since")
    narrowed = audit(files, "report.json", "-n", "team")
    assert (narrowed.code, narrowed.stderr.splitlines()[0]) == (2, f"error: {files}/report.json is a report without --namespace")


def test_a_snapshot_of_one_namespace_is_compared_with_that_namespace(files: Path) -> None:
    narrow = msgspec.structs.replace(BEFORE, cluster=msgspec.structs.replace(BEFORE.cluster, namespace="team"))
    write(files / "narrow.json", narrow)
    assert audit(files, "narrow.json").stderr.startswith(f"error: {files}/narrow.json has only namespace team\nAudit with -n team")
    assert audit(files, "narrow.json", "-n", "team").code == 0


def test_the_formats_that_only_an_audit_has_are_declared() -> None:
    assert audit_command.formats == tuple(AUDIT.formats)
    assert kubectl_dra("inventory", "--demo", "-o", "sarif").code == 2
