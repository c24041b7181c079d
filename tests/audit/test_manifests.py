"""Manifests judged before they run."""

import json
import socket
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kubectl_dra.audit import manifests
from kubectl_dra.audit.finding import AuditReport, Finding
from kubectl_dra.audit.registry import checks
from kubectl_dra.audit.scope import Scope
from kubectl_dra.audit.selection import Selection
from kubectl_dra.objects.manifests import ManifestKey, ManifestLayer, ManifestPlace, Manifests
from kubectl_dra.objects.snapshot import KindReading, Snapshot
from kubectl_dra.reading import write_snapshot
from tests.audit.given import GPU, cluster, device_class, forbidden, node, pod
from tests.run import Result, kubectl_dra

BUNDLED = "tests/audit/manifests"
FAULTS = {"DRA102", "DRA401", "DRA402", "DRA403", "DRA405", "DRA410"}
NO_KUBECONFIG = {"KUBECONFIG": "/nowhere/config"}


def written(*, file: str = "a.yaml", **kinds: Iterable[Any]) -> ManifestLayer:
    """A layer of these objects, each on the line of its number."""
    groups = {"pods": ("", "Pod"), "device_classes": ("resource.k8s.io", "DeviceClass")}
    readings = {field: KindReading(tuple(items)) for field, items in kinds.items()}
    places = {
        ManifestKey(*groups[field], item.metadata.namespace or "", item.metadata.name): ManifestPlace(file, line)
        for field, reading in readings.items()
        for line, item in enumerate(reading, 1)
    }
    return ManifestLayer(msgspec.structs.replace(Snapshot(), **readings), places)


def judged(*layers: ManifestLayer, beside: Snapshot | None = None, select: str = "DRA401", scope: Scope = Scope()) -> AuditReport:  # noqa: B008 (frozen)
    return manifests.judge(Manifests("deploy", layers), beside, scope=scope, selection=Selection((select,)))


def only(report: AuditReport) -> Finding:
    (finding,) = report.findings
    return finding


def test_a_finding_stands_at_its_manifest_and_tells_what_to_change_there() -> None:
    finding = only(judged(written(pods=[pod("small", {GPU: 1}), pod("large", {GPU: 40})])))
    assert [(place.file, place.line, str(place.object)) for place in finding.places] == [("a.yaml", 2, "Pod team/large")]
    assert finding.settled
    assert finding.fix and all(step.startswith("#") for step in finding.fix)


def test_the_clusters_own_users_are_not_judged() -> None:
    running = cluster(pods=[pod("running", {GPU: 40})], device_classes=[device_class("gpu", GPU)])
    assert judged(written(pods=[pod("small", {GPU: 1})]), beside=running).findings == ()


def test_the_clusters_classes_say_how_bad_it_is() -> None:
    layer = written(pods=[pod("large", {GPU: 40})])
    severities = [only(judged(layer, beside=each)).severity for each in (None, cluster(), cluster(device_classes=[device_class("g", GPU)]))]
    assert severities == ["warning", "warning", "error"]


def test_a_class_in_the_manifests_counts_and_replaces_that_of_the_cluster() -> None:
    layer = written(pods=[pod("large", {GPU: 40})], device_classes=[device_class("gpu", GPU)])
    assert only(judged(layer)).severity == "error"
    mapped = cluster(device_classes=[device_class("gpu", GPU)])
    freed = written(pods=[pod("large", {GPU: 40})], device_classes=[device_class("gpu")])
    assert only(judged(freed, beside=mapped)).severity == "warning"


def test_classes_of_one_overlay_serve_the_others() -> None:
    first, second = (
        written(file="a.yaml", device_classes=[device_class("gpu", GPU)]),
        written(file="b.yaml", pods=[pod("large", {GPU: 40})]),
    )
    assert only(judged(first, second)).severity == "error"


def test_two_manifests_of_one_object_are_two_findings() -> None:
    layers = [written(file=file, pods=[pod("large", {GPU: 40})]) for file in ("base.yaml", "prod.yaml")]
    assert [finding.places[0].file for finding in judged(*layers).findings] == ["base.yaml", "prod.yaml"]


def test_a_class_of_the_cluster_is_no_matter_of_the_manifests() -> None:
    bad = device_class("c" * 64)
    beside = cluster(device_classes=[bad])
    assert judged(written(pods=[pod("a")]), beside=beside, select="DRA102").findings == ()
    assert only(judged(written(device_classes=[bad]), select="DRA102")).places[0].line == 1


def test_a_scope_narrows_what_is_judged() -> None:
    layer = written(pods=[pod("large", {GPU: 40}), pod("other", {GPU: 40}, namespace="elsewhere")])
    assert [each.objects[0].name for each in judged(layer, scope=Scope("team")).findings] == ["large"]
    assert judged(layer, scope=Scope(resources=("a/*",))).findings == ()


def test_what_was_not_read_is_told_once() -> None:
    layer = written(pods=[pod("a", {GPU: 1})])
    (alone,) = judged(layer, select="DRA").unknown
    assert alone.code == "DRA001"
    assert alone.reason.startswith("no cluster was read beside the manifests: which classes map a name is known from the manifests alone")
    (partly,) = judged(layer, select="DRA", beside=cluster(nodes=forbidden("nodes"))).unknown
    assert partly.reason.startswith(
        "of the cluster beside the manifests not everything is known: Node: forbidden (needs the verb list on nodes"
    )
    torn = Manifests("deploy", (layer,), unread=("a.yaml:3 is not YAML",))
    assert [each.reason for each in manifests.judge(torn, cluster()).unknown] == ["a.yaml:3 is not YAML"]


def test_quotas_and_taint_rules_are_judged_with_no_word_on_what_nobody_looked_at() -> None:
    text = b"""
apiVersion: v1
kind: ResourceQuota
metadata: {name: q, namespace: ml}
spec: {hard: {nvidia.com/gpu: "4"}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceTaintRule
metadata: {name: all}
spec: {deviceSelector: {}, taint: {key: example.com/b, effect: NoExecute}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: t, namespace: ml}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: g, tolerations: [{key: example.com/c, operator: Exists}]}}]}}}
"""
    findings = json.loads(audit("--manifests", "-", "-o", "json", stdin=text).stdout)["findings"]
    assert [(each["code"], each["places"][0]["line"]) for each in findings] == [("DRA902", 7), ("DRA501", 2), ("DRA904", 12)]
    assert [each["evidence"].splitlines()[1:] for each in findings] == [[], [], []]


def test_no_verdict_is_given_on_names() -> None:
    assert judged(written(pods=[pod("a", {GPU: 1})]), beside=cluster(device_classes=[device_class("gpu", GPU)])).names == ()


def test_what_is_read_beside_manifests_is_no_more_than_what_the_checks_look_at() -> None:
    assert "device_classes" in manifests.kinds_beside()
    assert not set(manifests.kinds_beside()) & manifests.USERS


def test_what_the_cluster_did_not_tell_is_not_known_to_be_absent() -> None:
    joined = manifests.beside(Snapshot(), cluster(nodes=forbidden("nodes")))
    assert joined.pods.known and joined.device_classes.known
    assert not joined.nodes.known
    assert not manifests.beside(Snapshot(), None).device_classes.known


def test_every_check_of_manifests_makes_sense_of_the_bundled_folder_without_a_cluster() -> None:
    assert set(manifests.codes()) >= FAULTS
    assert all(checks()[code].page.manifests for code in manifests.codes())


# the command, on the bundled folder


def audit(*argv: str, stdin: bytes = b"") -> Result:
    return kubectl_dra("audit", *argv, variables=NO_KUBECONFIG, stdin=stdin)


def test_twenty_manifests_with_six_faults() -> None:
    result = audit("--manifests", BUNDLED, "-o", "json")
    report = json.loads(result.stdout)
    assert report["manifests"] == {"path": BUNDLED, "files": 13, "objects": 20}
    found = {(each["code"], Path(place["file"]).name[:6]) for each in report["findings"] for place in each["places"]}
    assert found == {(code, code) for code in FAULTS}
    assert result.code == 1
    assert "there is no kubeconfig" in report["unknown"][0]["reason"]


def test_each_fault_is_told_with_its_line() -> None:
    told = audit("--manifests", BUNDLED).stdout
    assert told.startswith(f"20 manifests in 13 files of {BUNDLED}\n")
    assert f"  objects: StatefulSet ml/large ({BUNDLED}/prod/DRA401-large.yaml:16)\n" in told
    assert "Seen once" not in told


def test_one_of_them_mended_is_gone(tmp_path: Path) -> None:
    before = tmp_path / "before.json"
    before.write_text(audit("--manifests", BUNDLED, "-o", "json").stdout)
    again = audit("--manifests", BUNDLED, "--since", str(before))
    assert (again.code, again.stderr.splitlines()[-1].partition(": ")[2]) == (0, "0 new, 0 gone")
    folder = tmp_path / "deploy"
    for file in Path(BUNDLED).rglob("*.y*ml"):
        copy = folder / file.relative_to(BUNDLED)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(file.read_text().replace('"20"', '"16"'))
    moved = tmp_path / "moved.yaml"
    moved.write_text(audit("--manifests", str(folder), "-o", "yaml").stdout)
    broken = folder / "prod" / "DRA401-large.yaml"
    broken.write_text(broken.read_text().replace('"16"', '"20"'))
    worse = audit("--manifests", str(folder), "--since", str(moved), "-o", "json")
    assert [(each["code"], each["new"]) for each in json.loads(worse.stdout)["findings"] if each["new"]] == [("DRA401", True)]
    assert worse.code == 1
    moved.write_text(worse.stdout)
    broken.write_text(broken.read_text().replace('"20"', '"16"'))
    mended = audit("--manifests", str(folder), "--since", str(moved))
    assert mended.code == 0
    assert (
        f"Gone since {moved} (1)\n\nCODE     SEVERITY   TITLE\nDRA401   error      StatefulSet ml/large needs 40 devices a pod"
        in mended.stdout
    )
    assert mended.stderr.splitlines()[-1] == f"since {moved}: 0 new, 1 gone"


def test_standard_input_with_a_cluster_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "cluster.json"
    with path.open("wb") as stream:
        write_snapshot(cluster(nodes=[node("a", 4)], device_classes=[device_class("gpu", GPU)]), stream.write)
    manifest = Path(BUNDLED, "jobs", "DRA402-both.yaml").read_bytes()
    report = json.loads(audit("--manifests", "-", "--from", str(path), "-o", "json", stdin=manifest).stdout)
    assert [(each["code"], each["severity"], each["places"][0]["file"], each["places"][0]["line"]) for each in report["findings"]] == [
        ("DRA402", "error", "-", 1)
    ]
    assert report["cluster"]["serverVersion"] == "v1.37.2"


def test_sarif_names_files_as_a_review_has_them() -> None:
    results = json.loads(audit("--manifests", BUNDLED, "-o", "sarif").stdout)["runs"][0]["results"]
    assert {each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for each in results} == {
        f"{BUNDLED}/{name}" for name in (
            "DRA102-class.yaml", "jobs/DRA402-both.yaml", "prod/DRA401-large.yaml", "prod/DRA403-fraction.yaml",
            "prod/DRA405-unasked.yaml", "prod/DRA410-scheduler.yml",
        )
    }  # fmt: skip


@pytest.mark.parametrize(
    ("argv", "code", "said"),
    [
        (("--manifests", ""), 2, "error: --manifests names no file\n"),
        (("--manifests", BUNDLED, "--node", "a"), 2, "error: --manifests and --node do not go together\n"),
        (("--manifests", BUNDLED, "--settle", "6m"), 2, "error: --manifests and --settle do not go together\n"),
        (("--manifests", "-", "--from", "-"), 2, "error: standard input can be read for one thing only"),
        (("--manifests", "/nowhere"), 3, "error: /nowhere cannot be read: No such file or directory\n"),
        (("--manifests", BUNDLED, "--context", "prod"), 3, "error: "),
        (("--manifests", BUNDLED, "--strict"), 3, "error: there is no kubeconfig"),
        (("--manifests", BUNDLED, "--since", BUNDLED), 2, f"error: {BUNDLED} is no report\n"),
    ],
)
def test_what_cannot_be_judged(argv: tuple[str, ...], code: int, said: str) -> None:
    result = audit(*argv)
    assert (result.code, result.stdout) == (code, "")
    assert result.stderr.startswith(said)


def test_that_no_class_maps_a_name_is_said_only_where_classes_are_known() -> None:
    layer = written(pods=[pod("large", {GPU: 40}), pod("share", {"nvidia.com/gpu.shared": 1})])
    unknown, known = "whether a class maps example.com/gpu is not known", "no class maps example.com/gpu yet"
    assert [only(judged(layer, beside=each)).evidence.splitlines()[1] for each in (None, cluster())] == [unknown, known]
    titles = [only(judged(layer, beside=each, select="DRA412")).title for each in (None, cluster())]
    assert [title.partition(" class")[0] for title in titles] == ["no known", "no"]


def test_several_paths_and_one_of_them_standard_input() -> None:
    fraction = Path(BUNDLED, "prod", "DRA403-fraction.yaml").read_bytes()
    report = json.loads(audit("--manifests", f"{BUNDLED}/jobs", "--manifests", "-", "-o", "json", stdin=fraction).stdout)
    assert report["manifests"] == {"path": f"{BUNDLED}/jobs, -", "files": 4, "objects": 10}
    assert {(each["code"], each["places"][0]["file"]) for each in report["findings"]} >= {("DRA403", "-")}
    nothing = audit("--manifests", BUNDLED, "--manifests", f"{BUNDLED}/values.yaml")
    assert (nothing.code, nothing.stderr.splitlines()[0]) == (3, f"error: {BUNDLED}/values.yaml has no Kubernetes manifest")
    assert audit("--manifests", "-", "--manifests", "-").code == 2


def test_a_cluster_that_nobody_named_and_that_does_not_answer_holds_no_review_up(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:  # it takes connections, and says nothing
        path = tmp_path / "config"
        cluster_entry = f'{{name: c, cluster: {{server: "http://127.0.0.1:{silent.getsockname()[1]}"}}}}'
        path.write_text(f"current-context: a\ncontexts: [{{name: a, context: {{cluster: c}}}}]\nclusters: [{cluster_entry}]\n")
        argv = ("audit", "--manifests", f"{BUNDLED}/classes.yaml", "--request-timeout=200ms", "-o", "json")
        alone = kubectl_dra(*argv, variables={"KUBECONFIG": str(path)})
        named = kubectl_dra(*argv, "--context", "a", variables={"KUBECONFIG": str(path)})
    assert alone.code == 0
    assert json.loads(alone.stdout)["unknown"][0]["reason"].startswith("no cluster was read beside the manifests (")
    assert (named.code, named.stdout) == (4, "")
