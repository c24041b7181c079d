"""A snapshot file gives back what was written, is understood by others, and has nothing in it that the Structs do not name."""

import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from kubectl_dra.errors import InputError, OutputError
from kubectl_dra.objects.sharing import Sharing
from kubectl_dra.objects.snapshot import KINDS, ClusterInfo, KindReading, ReadState, Snapshot, Version, absent
from kubectl_dra.objects.workload import CustomWorkload
from kubectl_dra.reading import kept, read_path
from kubectl_dra.reading.kinds import ALL
from kubectl_dra.reading.snapshot_file import write_snapshot, write_snapshot_file
from tests.reading.conftest import environment
from tests.reading.filled import filled

Read = Callable[..., Snapshot]


def everything() -> Snapshot:
    """Two objects of each kind with every field that is kept, and each state that a kind can be in."""
    share = Sharing()
    readings: dict[str, KindReading[Any]] = {}
    for kind in ALL:
        items = tuple(kept.keeper(kind.struct)(filled(kind.struct), share) for _ in range(2))
        readings[kind.field] = KindReading(items, api_version=kind.api_version, served=("v1", "v1beta1"))
    readings["resource_claims"] = replace(readings["resource_claims"], api_version="resource.k8s.io/v1beta1")
    readings["resource_quotas"] = KindReading(state=ReadState.FORBIDDEN, reason="no", api_version="v1")
    readings["device_taint_rules"] = KindReading(state=ReadState.UNSERVED, reason="not here", served=("v1beta1",))
    readings["jobs"] = KindReading(readings["jobs"].items, ReadState.EXPIRED, "of two moments")
    readings["cron_jobs"] = KindReading(state=ReadState.FAILED, reason="boom")
    readings["csi_drivers"] = KindReading()
    readings["events"] = absent()
    custom = kept.custom_workload(replace(filled(CustomWorkload), api_version="example.com/v1", kind="Trainer"), share)
    cluster = ClusterInfo(
        "https://127.0.0.1:6443", "ctx", "2026-01-01T00:00:00Z", "v1.37.2+x", Version(1, 37, 2), Version(1, 36), {"A": True}, "team-a"
    )
    bare = Snapshot(
        cluster=cluster,
        custom_workloads={
            "Trainer.example.com": KindReading((custom,), api_version="example.com/v1"),
            "Other.example.com": KindReading(state=ReadState.FORBIDDEN, reason="no"),
        },
        feature_gates_state=ReadState.READ,
    )
    return replace(bare, **readings)


def text_of(snapshot: Snapshot) -> bytes:
    text = io.BytesIO()
    write_snapshot(snapshot, text.write)
    return text.getvalue()


def test_what_was_written_is_read_back_equal(read: Read, tmp_path: Path) -> None:
    snapshot = everything()
    assert {getattr(snapshot, field).state for field in KINDS} == set(ReadState)
    assert read(text_of(snapshot)) == snapshot
    for name in ("a.json", "a.json.gz"):
        write_snapshot_file(snapshot, str(tmp_path / name))
        assert read_path(str(tmp_path / name), environment()) == snapshot
    assert read_path("-", environment((tmp_path / "a.json.gz").read_bytes())) == snapshot


def test_a_large_one_is_read_back_equal_too(read: Read) -> None:
    snapshot = everything()
    many = replace(snapshot, pods=replace(snapshot.pods, items=snapshot.pods.items * 1000))
    assert len(text_of(many)) > 1 << 20
    assert read(text_of(many)) == many


def test_an_empty_cluster_is_read_back_equal(read: Read) -> None:
    assert read(text_of(Snapshot())) == Snapshot()


def test_the_same_with_kubectls_formatting_and_as_yaml(read: Read) -> None:
    """People look at it with jq, and convert it."""
    import yaml

    snapshot = everything()
    snapshot = replace(snapshot, nodes=replace(snapshot.nodes, items=snapshot.nodes.items * 300))
    plain = json.loads(text_of(snapshot))
    assert len(yaml.safe_dump(plain)) > 1 << 18
    assert read(json.dumps(plain, indent=4, sort_keys=True)) == snapshot
    assert read(yaml.safe_dump(plain), "a.yaml") == snapshot


def test_a_live_snapshot_is_no_longer_live(read: Read) -> None:
    live = replace(everything(), cluster=replace(everything().cluster, live=True))
    assert read(text_of(live)) == everything()


def test_it_is_a_list_with_an_item_a_line(tmp_path: Path) -> None:
    text = text_of(everything()).decode()
    plain = json.loads(text)
    assert list(plain) == ["apiVersion", "kind", "metadata", "snapshot", "items"]
    assert (plain["apiVersion"], plain["kind"]) == ("v1", "List")
    lines = text.splitlines()
    assert len(lines) == len(plain["items"]) + 2
    assert [json.loads(line.removesuffix(",")) for line in lines[1:-1]] == plain["items"]
    assert {item["apiVersion"] for item in plain["items"] if item["kind"] == "ResourceClaim"} == {"resource.k8s.io/v1"}


def test_its_head_tells_tool_version_moment_and_what_was_not_read() -> None:
    head = json.loads(text_of(everything()))["snapshot"]
    assert head["format"] == 1
    assert head["tool"].startswith("kubectl-dra ")
    assert head["cluster"]["readAt"] == "2026-01-01T00:00:00Z"
    assert head["kinds"]["resource_quotas"] == {"state": "forbidden", "count": 0, "reason": "no", "apiVersion": "v1", "served": []}
    assert head["kinds"]["device_taint_rules"]["state"] == "unserved"
    assert "events" not in head["kinds"]


def test_equal_snapshots_make_equal_files(tmp_path: Path) -> None:
    write_snapshot_file(everything(), str(tmp_path / "a.json.gz"))
    write_snapshot_file(everything(), str(tmp_path / "b.json.gz"))
    assert (tmp_path / "a.json.gz").read_bytes() == (tmp_path / "b.json.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.json.gz").read_bytes()) == text_of(everything())


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("before")
    broken = replace(everything(), pods=KindReading((object(),)))
    with pytest.raises(TypeError):
        write_snapshot_file(broken, str(path))
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"a\.json cannot be written: No such file or directory"):
        write_snapshot_file(everything(), str(tmp_path / "nowhere" / "a.json"))
    with pytest.raises(OutputError, match="is a folder"):
        write_snapshot_file(everything(), str(tmp_path))
    with pytest.raises(OutputError, match=r'^"" is a folder$'):
        write_snapshot_file(everything(), "")


def test_a_later_format_is_refused_in_words(read: Read) -> None:
    text = text_of(everything()).replace(b'"format":1,"tool":"', b'"format":2,"quantum":[],"tool":"kubectl-dra 9.9, not ', 1)
    with pytest.raises(InputError) as told:
        read(text)
    assert "is a snapshot of format 2, written by kubectl-dra 9.9, not " in told.value.message
    assert told.value.message.endswith("this version reads up to 1")
    assert "update kubectl-dra" in told.value.hint


def test_new_fields_in_a_known_format_are_passed_over(read: Read) -> None:
    text = text_of(everything()).replace(b'"format":1,', b'"format":1,"future":{"a":1},', 1)
    assert read(text) == everything()


def test_a_damaged_head_is_told(read: Read) -> None:
    text = text_of(everything()).replace(b'"state":"forbidden"', b'"state":"dunno"', 1)
    with pytest.raises(InputError, match="the `snapshot` key is damaged"):
        read(text)


def test_a_snapshot_that_lost_objects_is_told(read: Read) -> None:
    lines = text_of(everything()).splitlines(keepends=True)
    del lines[1]
    with pytest.raises(InputError, match="the snapshot says that it has 2 nodes, but 1 are there"):
        read(b"".join(lines))


@pytest.mark.parametrize("part", [0.3, 0.6, 0.9, 0.999])
def test_a_snapshot_that_was_cut_is_told(read: Read, part: float) -> None:
    text = text_of(everything())
    with pytest.raises(InputError, match="is cut short"):
        read(text[: int(len(text) * part)])


def test_two_snapshots_in_one_folder_are_refused(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        write_snapshot_file(everything(), str(tmp_path / name))
    with pytest.raises(InputError, match=r"b\.json: a second snapshot"):
        read_path(str(tmp_path), environment())


SECRET = "hunter2"


def full_of_secrets() -> list[dict[str, Any]]:
    """Objects with a secret in every place that people put them."""
    env = [
        {"name": "PASSWORD", "value": SECRET},
        {"name": "URL", "value": f"postgres://u:{SECRET}@db"},
        {"name": "FROM", "valueFrom": {"secretKeyRef": {"name": SECRET, "key": SECRET}}},
        {"name": SECRET, "value": "x"},
        {"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"},
    ]
    probe = {"exec": {"command": ["sh", "-c", SECRET]}, "httpGet": {"httpHeaders": [{"name": "Authorization", "value": SECRET}]}}
    container = {
        "name": "main",
        "image": f"registry.example/{SECRET}:latest",
        "command": ["run", f"--password={SECRET}"],
        "args": [SECRET, f"--feature-gates=X={SECRET}"],
        "env": env,
        "envFrom": [{"secretRef": {"name": SECRET}}],
        "workingDir": f"/{SECRET}",
        "livenessProbe": probe,
        "readinessProbe": probe,
        "startupProbe": probe,
        "lifecycle": {"postStart": probe, "preStop": probe},
        "volumeMounts": [{"name": "v", "mountPath": f"/{SECRET}", "subPath": SECRET}],
        "resources": {"limits": {"example.com/gpu": "1"}},
    }
    meta = {
        "name": "x",
        "namespace": "ns",
        "annotations": {
            "kubectl.kubernetes.io/last-applied-configuration": json.dumps({"password": SECRET}),
            "vault.hashicorp.com/token": SECRET,
            SECRET: "x",
        },
        "managedFields": [{"manager": SECRET, "fieldsV1": {"f:spec": {SECRET: {}}}}],
    }
    spec = {
        "containers": [container],
        "initContainers": [container],
        "ephemeralContainers": [{**container, "targetContainerName": SECRET}],
        "volumes": [
            {"name": "a", "secret": {"secretName": SECRET}},
            {"name": "b", "csi": {"driver": "d", "volumeAttributes": {"password": SECRET}}},
            {"name": "c", "projected": {"sources": [{"secret": {"name": SECRET}}]}},
            {"name": "d", "nfs": {"server": SECRET, "path": SECRET}},
        ],
        "imagePullSecrets": [{"name": SECRET}],
        "serviceAccountName": SECRET,
        "hostAliases": [{"ip": "1.2.3.4", "hostnames": [SECRET]}],
        "securityContext": {"seLinuxOptions": {"user": SECRET}},
    }
    conditions = [
        {"type": kind, "status": "False", "message": SECRET, "reason": SECRET} for kind in ("Initialized", "DiskPressure", SECRET)
    ]
    status = {
        "phase": "Running",
        "conditions": conditions,
        "containerStatuses": [{"name": "main", "state": {"terminated": {"message": SECRET}}, "imageID": SECRET}],
        "podIP": SECRET,
    }
    template = {"metadata": meta, "spec": spec}
    workloads = [
        {"apiVersion": "apps/v1", "kind": kind, "metadata": meta, "spec": {"template": template}, "status": {"conditions": conditions}}
        for kind in ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet")
    ]
    job = {"spec": {"template": template}}
    config = [{"opaque": {"driver": "d", "parameters": {"password": SECRET}}}]
    claim_spec = {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "c"}}], "config": config}}
    allocation = {"devices": {"results": [], "config": [{"source": "FromClass", **config[0]}]}}
    resource = "resource.k8s.io/v1"
    return [
        {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec, "status": status},
        {"apiVersion": "v1", "kind": "Node", "metadata": meta, "status": {"conditions": conditions, "images": [{"names": [SECRET]}]}},
        {"apiVersion": "v1", "kind": "Namespace", "metadata": meta},
        {"apiVersion": "v1", "kind": "Secret", "metadata": meta, "data": {"password": SECRET}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {"password": SECRET}},
        {"apiVersion": "v1", "kind": "ReplicationController", "metadata": meta, "spec": {"template": template}},
        *workloads,
        {"apiVersion": "batch/v1", "kind": "Job", "metadata": meta, **job},
        {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": meta, "spec": {"jobTemplate": {"metadata": meta, **job}}},
        {"apiVersion": "argoproj.io/v1alpha1", "kind": "Rollout", "metadata": meta, "spec": {"template": template, "x": SECRET}},
        {
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "Workflow",
            "metadata": meta,
            "spec": {"templates": [{"name": SECRET, "script": {**container, "source": SECRET}}]},
        },
        {"apiVersion": resource, "kind": "DeviceClass", "metadata": meta, "spec": {"config": config}},
        {
            "apiVersion": resource,
            "kind": "ResourceClaim",
            "metadata": meta,
            "spec": claim_spec,
            "status": {"allocation": allocation, "devices": [{"data": SECRET}]},
        },
        {"apiVersion": resource, "kind": "ResourceClaimTemplate", "metadata": meta, "spec": {"metadata": meta, "spec": claim_spec}},
        {"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": meta, "spec": {"tokenRequests": [{"audience": SECRET}]}},
    ]


def test_secrets_of_every_kind_stay_out(read: Read) -> None:
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": full_of_secrets()})
    assert text.count(SECRET) > 500
    snapshot = read(text)
    assert sum(len(getattr(snapshot, field)) for field in KINDS) == 14
    written = text_of(snapshot).decode()
    assert SECRET not in written
    assert written.count('{"name":"NVIDIA_VISIBLE_DEVICES","value":"all"}') == 3 * 9 + 1
    assert written.count('"example.com/gpu":"1"') == 3 * 9 + 1


def test_nothing_but_the_fields_of_the_structs_is_written() -> None:
    structs = {kind.kind: kind.struct for kind in ALL}
    for item in json.loads(text_of(everything()))["items"]:
        fields = msgspec.structs.fields(structs.get(item["kind"], CustomWorkload))
        assert set(item) <= {"apiVersion", "kind", *(field.encode_name for field in fields)}
