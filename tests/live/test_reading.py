"""Reading a real cluster: all of it, with few rights, of other versions, through faults, and the same as from files."""

import base64
import json
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest

from kubectl_dra.cluster.discovery import discover
from kubectl_dra.cluster.transport import Transport
from kubectl_dra.environment import Clock, Environment
from kubectl_dra.errors import ApiError, UnreachableError
from kubectl_dra.kubeconfig import Overrides, connect
from kubectl_dra.objects.event import ObjectReference
from kubectl_dra.objects.snapshot import KINDS, ReadState, Snapshot, Version
from kubectl_dra.progress import Event, ReadingKind, nobody
from kubectl_dra.reading import Wanted, pages, read_live, read_path
from kubectl_dra.reading.kinds import ALL
from tests.bed.api import RefusedError
from tests.bed.cluster import Cluster
from tests.bed.proxy import FaultProxy
from tests.run import kubectl_dra

Plain = dict[str, Any]
Apply = Callable[..., list[Plain]]
WaitUntil = Callable[..., Any]

EVERYTHING = frozenset(KINDS) | {"custom_workloads", "feature_gates"}
RESOURCE = "resource.k8s.io/v1"


def environment() -> Environment:
    """Without a terminal, and with no patience: waits between retries take no time."""
    return Environment(TextIOWrapper(BytesIO()), StringIO(), StringIO(), {}, Clock(sleep=lambda seconds: None))


def read(kubeconfig: Path, *kinds: str, observer: Callable[[Event], None] = nobody, **wanted: Any) -> Snapshot:
    """Read a cluster as a command does."""
    surroundings = environment()
    with Transport(connect(Overrides(kubeconfig=str(kubeconfig)), surroundings), surroundings) as transport:
        what = Wanted(kinds=frozenset(kinds) or EVERYTHING, **wanted)
        return read_live(transport, discover(transport), what, surroundings, observer)


def names(reading: Any) -> list[str]:
    return [item.metadata.name for item in reading]


def pod(name: str, **spec: Any) -> Plain:
    container = {"name": "main", "image": "busybox", "resources": {"limits": {"example.com/gpu": 1}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"app": name}},
        "spec": {"automountServiceAccountToken": False, "containers": [container], **spec},
    }


def objects() -> list[Plain]:
    """Something of most kinds. No node is there, so nothing of it moves."""
    template = {"metadata": {"labels": {"app": "none"}}, "spec": pod("x")["spec"]}
    selector = {"matchLabels": {"app": "none"}}
    requests = [{"name": "gpu", "exactly": {"deviceClassName": "reading-gpu", "count": 2}}]
    devices = [{"name": "gpu-0", "attributes": {"model": {"string": "A100"}}, "capacity": {"memory": {"value": "80Gi"}}}]
    return [
        {
            "apiVersion": RESOURCE,
            "kind": "DeviceClass",
            "metadata": {"name": "reading-gpu"},
            "spec": {
                "extendedResourceName": "example.com/gpu",
                "selectors": [{"cel": {"expression": 'device.driver == "gpu.example.com"'}}],
            },
        },
        {
            "apiVersion": RESOURCE,
            "kind": "ResourceSlice",
            "metadata": {"name": "reading-slice"},
            "spec": {
                "driver": "gpu.example.com",
                "pool": {"name": "reading", "generation": 1, "resourceSliceCount": 1},
                "allNodes": True,
                "devices": devices,
            },
        },
        {
            "apiVersion": RESOURCE,
            "kind": "DeviceTaintRule",
            "metadata": {"name": "reading-rule"},
            "spec": {"deviceSelector": {"driver": "other.example.com"}, "taint": {"key": "k", "effect": "None"}},
        },
        {"apiVersion": RESOURCE, "kind": "ResourceClaim", "metadata": {"name": "claim"}, "spec": {"devices": {"requests": requests}}},
        {
            "apiVersion": RESOURCE,
            "kind": "ResourceClaimTemplate",
            "metadata": {"name": "template"},
            "spec": {"spec": {"devices": {"requests": requests}}},
        },
        {"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": "csi.example.com"}, "spec": {}},
        {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "quota"}, "spec": {"hard": {"requests.example.com/gpu": "9"}}},
        {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": "budget"},
            "spec": {"maxUnavailable": 1, "selector": selector},
        },
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "zero"},
            "spec": {"replicas": 0, "selector": selector, "template": template},
        },
        {
            "apiVersion": "apps/v1",
            "kind": "StatefulSet",
            "metadata": {"name": "set"},
            "spec": {"replicas": 0, "serviceName": "s", "selector": selector, "template": template},
        },
        {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "all"}, "spec": {"selector": selector, "template": template}},
        {
            "apiVersion": "batch/v1",
            "kind": "CronJob",
            "metadata": {"name": "nightly"},
            "spec": {
                "schedule": "0 0 * * *",
                "suspend": True,
                "jobTemplate": {"spec": {"template": {"spec": {**template["spec"], "restartPolicy": "Never"}}}},
            },
        },
        {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": "once"},
            "spec": {"suspend": True, "parallelism": 3, "template": {"spec": {**template["spec"], "restartPolicy": "Never"}}},
        },
        pod("waiting"),
        pod("other", priority=None, nodeSelector={"gpu": "yes"}),
    ]


def settled(cell: Cluster, namespace: str) -> bool:
    """True when the controllers have written all that they will."""
    root = f"/apis/apps/v1/namespaces/{namespace}"
    generations = [
        item["metadata"]["generation"] == item.get("status", {}).get("observedGeneration")
        for plural in ("deployments", "replicasets", "statefulsets", "daemonsets")
        for item in cell.api.items(f"{root}/{plural}")
    ]
    quota = cell.api.get(f"/api/v1/namespaces/{namespace}/resourcequotas/quota")
    waiting = cell.api.items(f"/api/v1/namespaces/{namespace}/pods")
    return (
        len(generations) == 4
        and all(generations)
        and quota.get("status", {}).get("used", {}).get("requests.example.com/gpu") == "4"  # two pods, and two devices of the claim
        and all(item["status"].get("conditions") for item in waiting)
    )


def test_a_live_cluster_and_kubectls_files_of_it_give_the_same(
    cell: Cluster, namespace: str, apply: Apply, wait_until: WaitUntil, tmp_path: Path
) -> None:
    apply(objects())
    wait_until(lambda: settled(cell, namespace), "controllers have done their work")
    gone = "namespaces of earlier tests are gone: between two readings they would go"
    wait_until(lambda: not any("deletionTimestamp" in each["metadata"] for each in cell.api.items("/api/v1/namespaces")), gone, 120)
    kinds = [kind for kind in ALL if kind.field not in ("leases", "lease_candidates", "events")]
    wanted = ",".join(f"{kind.plural}.{kind.group}" if kind.group else kind.plural for kind in kinds)
    asked = ("get", wanted, "-A", "-o")

    def all_three() -> tuple[Snapshot, Snapshot, Snapshot]:
        live = read(cell.kubeconfig)
        for output in ("json", "yaml"):
            (tmp_path / f"cluster.{output}").write_text(cell.kubectl(*asked, output))
        of_files = [read_path(str(tmp_path / f"cluster.{output}"), environment()) for output in ("json", "yaml")]
        return live, of_files[0], of_files[1]

    live, of_json, of_yaml = all_three()
    for kind in kinds:
        here, there, elsewhere = (getattr(snapshot, kind.field) for snapshot in (live, of_json, of_yaml))
        assert here.known, kind.field
        assert here.items == there.items == elsewhere.items, kind.field
    full = [kind.field for kind in kinds if getattr(live, kind.field)]
    assert set(full) >= {kind.field for kind in kinds} - {"nodes", "replication_controllers"}


def test_what_was_read_survives_the_snapshot_file_and_kubectl_takes_it(
    cell: Cluster, namespace: str, apply: Apply, kubectl: Callable[..., str], tmp_path: Path
) -> None:
    apply(objects())
    path = tmp_path / "cluster.json.gz"
    result = kubectl_dra("snapshot", str(path), "--kubeconfig", str(cell.kubeconfig))
    assert (result.code, result.stdout, result.stderr) == (0, "", "")
    snapshot = read_path(str(path), environment())
    cluster = snapshot.cluster
    assert (cluster.server, cluster.version, cluster.emulated, cluster.live) == (cell.server, Version(1, 37, 2), Version(1, 37), False)
    assert cluster.feature_gates["DRAExtendedResource"] is True
    assert {"waiting", "other"} <= set(names(snapshot.pods))
    (tmp_path / "plain.json").write_text(kubectl_dra("snapshot", "--from", str(path)).stdout)
    assert read_path(str(tmp_path / "plain.json"), environment()) == snapshot
    listed = kubectl("create", "--dry-run=client", "--validate=false", "-o", "name", "-f", str(tmp_path / "plain.json"))
    assert {"deviceclass.resource.k8s.io/reading-gpu", "pod/waiting", "deployment.apps/zero"} <= set(listed.split())


def test_who_may_read_little_gets_that_and_the_rules_that_are_missing(
    cell: Cluster, namespace: str, apply: Apply, few_rights: Callable[..., Path]
) -> None:
    apply(objects())
    kubeconfig = few_rights({"apiGroups": ["", "resource.k8s.io"], "resources": ["pods", "deviceclasses"], "verbs": ["list"]})
    snapshot = read(kubeconfig)
    assert {"waiting", "other"} <= set(names(snapshot.pods))
    assert names(snapshot.device_classes) == ["reading-gpu"]
    assert {field for field in KINDS if getattr(snapshot, field).known} == {"pods", "device_classes"}
    assert (snapshot.nodes.state, len(snapshot.nodes)) == (ReadState.FORBIDDEN, 0)
    assert snapshot.nodes.reason.endswith('a ClusterRole rule allows it: {apiGroups: [""], resources: ["nodes"], verbs: ["list"]}')
    assert 'resources: ["resourceslices"]' in snapshot.resource_slices.reason
    assert snapshot.feature_gates_state is ReadState.FORBIDDEN
    result = kubectl_dra("snapshot", "--strict", "--kubeconfig", str(kubeconfig))
    assert (result.code, result.stdout) == (3, "")
    assert "--strict: not read in full" in result.stderr
    result = kubectl_dra("snapshot", "--kubeconfig", str(kubeconfig))
    assert result.code == 0
    assert "warning: nodes are not in the snapshot in full: GET /api/v1/nodes: nodes is forbidden" in result.stderr


def test_who_may_read_nothing_is_told_so_in_one_line(few_rights: Callable[..., Path]) -> None:
    kubeconfig = few_rights()
    with pytest.raises(ApiError, match=r"this user may read nothing that is needed: .* forbidden") as told:
        read(kubeconfig, "pods", "nodes")
    assert (told.value.code, told.value.reason) == (403, "Forbidden")
    result = kubectl_dra("snapshot", "--kubeconfig", str(kubeconfig))
    assert (result.code, result.stdout, len(result.stderr.strip().splitlines())) == (3, "", 2)
    assert "kubectl dra rbac" in result.stderr


def test_a_namespace_narrows_and_so_do_labels(cell: Cluster, namespace: str, apply: Apply) -> None:
    apply([pod("a"), pod("b")])
    snapshot = read(cell.kubeconfig, "pods", "namespaces", namespace=namespace, pod_labels="app in (a,c)")
    assert names(snapshot.pods) == ["a"]
    assert {namespace, "default", "kube-system"} <= set(names(snapshot.namespaces))
    assert snapshot.cluster.namespace == namespace
    assert snapshot.nodes.state is ReadState.ABSENT


def test_only_the_events_of_the_object_asked_for_are_read(cell: Cluster, namespace: str, apply: Apply, wait_until: WaitUntil) -> None:
    made = apply([pod("a"), pod("b")])
    about = ObjectReference("Pod", namespace, "a", made[0]["metadata"]["uid"])
    events = wait_until(lambda: read(cell.kubeconfig, "events", events_for=about).events.items, "an event of pod a")
    assert {event.involved_object.name for event in events} == {"a"}
    assert "FailedScheduling" in {event.reason for event in events}
    assert read(cell.kubeconfig, "events", "pods").events.state is ReadState.ABSENT


def served(cell: Cluster, path: str) -> bool:
    """True when a new kind can be listed; at first it is not there, then "storage is (re)initializing"."""
    try:
        return cell.api.find(f"/apis/{path}") is not None
    except RefusedError as refused:
        assert refused.status == 429
        return False


def test_custom_workloads_are_read_where_they_are_served(cell: Cluster, namespace: str, apply: Apply, wait_until: WaitUntil) -> None:
    def definition(kind: str, plural: str, group: str) -> Plain:
        schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
        return {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{group}"},
            "spec": {
                "group": group,
                "scope": "Namespaced",
                "names": {"kind": kind, "plural": plural, "singular": kind.lower()},
                "versions": [{"name": "v1alpha2", "served": True, "storage": True, "schema": schema}],
            },
        }

    apply([definition("JobSet", "jobsets", "jobset.x-k8s.io"), definition("Trainer", "trainers", "reading.example.com")])
    for path in ("jobset.x-k8s.io/v1alpha2/jobsets", "reading.example.com/v1alpha2/trainers"):
        wait_until(partial(served, cell, path), f"{path} is served")
    template = {"spec": pod("x")["spec"]}
    jobs = [{"name": "workers", "replicas": 2, "template": {"spec": {"parallelism": 4, "template": template}}}]
    for manifest in (
        {
            "apiVersion": "jobset.x-k8s.io/v1alpha2",
            "kind": "JobSet",
            "metadata": {"name": "js"},
            "spec": {"suspend": True, "replicatedJobs": jobs},
        },
        {"apiVersion": "reading.example.com/v1alpha2", "kind": "Trainer", "metadata": {"name": "t"}, "spec": {"pods": [template]}},
    ):
        apply(manifest)
    snapshot = read(cell.kubeconfig, "custom_workloads", pod_templates=("Trainer.reading.example.com=spec.pods[*]",))
    assert sorted(snapshot.custom_workloads) == ["JobSet.jobset.x-k8s.io", "Trainer.reading.example.com"]
    [jobset] = snapshot.custom_workloads["JobSet.jobset.x-k8s.io"]
    assert (jobset.metadata.name, jobset.suspended, jobset.api_version) == ("js", True, "jobset.x-k8s.io/v1alpha2")
    assert [(use.path, use.replicas) for use in jobset.templates or ()] == [("spec.replicatedJobs[0].template.spec.template", 8)]
    [trainer] = snapshot.custom_workloads["Trainer.reading.example.com"]
    assert [(use.path, use.replicas) for use in trainer.templates or ()] == [("spec.pods[0]", None)]


SECRET = "hunter2-of-the-cluster"


def test_a_cluster_full_of_secrets_leaves_none_in_the_snapshot(
    cell: Cluster, namespace: str, apply: Apply, kubectl: Callable[..., str], tmp_path: Path
) -> None:
    container = {
        "name": "main",
        "image": f"registry.example/{SECRET}:1",
        "command": ["run", SECRET],
        "args": [f"--password={SECRET}"],
        "env": [
            {"name": "PASSWORD", "value": SECRET},
            {"name": "KEY", "valueFrom": {"secretKeyRef": {"name": SECRET, "key": SECRET}}},
            {"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"},
        ],
        "lifecycle": {"preStop": {"exec": {"command": [SECRET]}}},
        "livenessProbe": {"exec": {"command": [SECRET]}},
    }
    annotations = {"token": SECRET}
    spec = {
        "automountServiceAccountToken": False,
        "containers": [container],
        "volumes": [{"name": "s", "secret": {"secretName": SECRET}}, {"name": "h", "hostPath": {"path": "/dev"}}],
    }
    template = {"metadata": {"labels": {"app": "x"}, "annotations": annotations}, "spec": spec}
    config = [{"opaque": {"driver": "d.example.com", "parameters": {"password": SECRET}}}]
    meta = {"name": "secretive", "namespace": namespace, "annotations": annotations}
    everything = [
        {"apiVersion": "v1", "kind": "Secret", "metadata": meta, "stringData": {"a": SECRET}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {"a": SECRET}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec},
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": meta,
            "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "x"}}, "template": template},
        },
        {
            "apiVersion": RESOURCE,
            "kind": "DeviceClass",
            "metadata": {"name": "secretive", "annotations": annotations},
            "spec": {"config": config},
        },
        {
            "apiVersion": RESOURCE,
            "kind": "ResourceClaim",
            "metadata": meta,
            "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "secretive"}}], "config": config}},
        },
    ]
    apply(everything[4])
    # As people do it: the annotation last-applied-configuration repeats it all.
    kubectl("apply", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": [*everything[:4], everything[5]]}))
    there = kubectl(
        "get", "secrets,configmaps,pods,deployments,deviceclasses,resourceclaims", "-n", namespace, "-o", "yaml", "--show-managed-fields"
    )
    assert there.count(SECRET) > 40
    path = tmp_path / "snapshot.json"
    assert kubectl_dra("snapshot", str(path), "--kubeconfig", str(cell.kubeconfig)).code == 0
    text = path.read_text()
    assert SECRET not in text
    assert base64.b64encode(SECRET.encode()).decode() not in text
    assert '"name":"secretive"' in text
    assert '{"name":"NVIDIA_VISIBLE_DEVICES","value":"all"}' in text
    assert '"hostPath":{"path":"/dev"}' in text
    assert "managedFields" not in text


def test_static_pods_of_the_control_plane_keep_image_and_gates(cell: Cluster, apply: Apply, tmp_path: Path) -> None:
    def static(name: str) -> Plain:
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": f"{name}-cp-1", "namespace": "kube-system", "annotations": {"kubernetes.io/config.mirror": "hash"}},
            "spec": {
                "nodeName": "cp-1",
                "terminationGracePeriodSeconds": 0,
                "automountServiceAccountToken": False,
                "containers": [
                    {
                        "name": name,
                        "image": f"registry.k8s.io/{name}:v1.37.2",
                        "command": [name, f"--token={SECRET}", "--feature-gates=DRAExtendedResource=false", "--emulated-version=1.36"],
                    }
                ],
            },
        }

    apply([static("kube-scheduler"), static("etcd")])
    found = {each.metadata.name: each for each in read(cell.kubeconfig, "pods").pods}
    [scheduler], [etcd] = found["kube-scheduler-cp-1"].spec.containers or (), found["etcd-cp-1"].spec.containers or ()
    assert scheduler.image == "registry.k8s.io/kube-scheduler:v1.37.2"
    assert scheduler.args == ("--feature-gates=DRAExtendedResource=false", "--emulated-version=1.36")
    assert (etcd.image, etcd.args, etcd.command) == (None, None, None)


@pytest.fixture
def pages_of_three(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small pages, so that few objects make several."""
    monkeypatch.setattr(pages, "PAGE", 3)


@pytest.fixture
def eight(namespace: str, apply: Apply) -> list[str]:
    """The names of eight pods in the namespace."""
    return [made["metadata"]["name"] for made in apply([pod(f"p{index}") for index in range(8)])]


@pytest.mark.usefixtures("pages_of_three")
def test_pages_make_a_whole(cell: Cluster, namespace: str, eight: list[str]) -> None:
    events: list[Event] = []
    snapshot = read(cell.kubeconfig, "pods", namespace=namespace, observer=events.append)
    assert names(snapshot.pods) == eight
    assert events == [ReadingKind("pods", 3), ReadingKind("pods", 6), ReadingKind("pods", 8, done=True)]


def expired_status(cell: Cluster, namespace: str) -> bytes:
    """What the server says of an old token: with another one, for the rest as it is now (apiserver: etcd3/store.go, errors.go)."""
    first = cell.api.get(f"/api/v1/namespaces/{namespace}/pods?limit=3")
    token = json.loads(base64.urlsafe_b64decode(first["metadata"]["continue"] + "=="))
    inconsistent = base64.urlsafe_b64encode(json.dumps({**token, "rv": -1}).encode()).decode().rstrip("=")
    status = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {"continue": inconsistent},
        "status": "Failure",
        "message": "The provided continue parameter is too old to display a consistent list result.",
        "reason": "Expired",
        "code": 410,
    }
    return json.dumps(status).encode()


Proxy = Callable[..., FaultProxy]


@pytest.fixture
def behind(cell: Cluster, proxy: Proxy, tmp_path: Path) -> tuple[FaultProxy, Path]:
    """A fault proxy before the cell, and a kubeconfig that goes through it."""
    one = proxy(cell)
    return one, cell.write_kubeconfig(tmp_path / "proxy.kubeconfig", server=one.url)


@pytest.mark.usefixtures("pages_of_three")
def test_a_token_that_expires_once_begins_the_list_again(
    cell: Cluster, namespace: str, eight: list[str], behind: tuple[FaultProxy, Path]
) -> None:
    one, kubeconfig = behind
    one.answer("/pods.*continue=", 410, expired_status(cell, namespace), headers={"Content-Type": "application/json"}, after=1)
    snapshot = read(kubeconfig, "pods", namespace=namespace)
    assert (names(snapshot.pods), snapshot.pods.state) == (eight, ReadState.READ)
    assert [passed.status for passed in one.requests if "/pods" in passed.path] == [200, 200, 410, 200, 200, 200]


@pytest.mark.usefixtures("pages_of_three")
def test_a_token_that_expires_twice_is_told_as_an_inconsistent_reading(
    cell: Cluster, namespace: str, eight: list[str], behind: tuple[FaultProxy, Path]
) -> None:
    one, kubeconfig = behind
    one.answer("/pods.*continue=", 410, expired_status(cell, namespace), headers={"Content-Type": "application/json"}, times=2)
    snapshot = read(kubeconfig, "pods", "namespaces", namespace=namespace)
    assert names(snapshot.pods) == eight  # the rest by the token of the 410, which this server takes
    assert (snapshot.pods.state, snapshot.pods.known) == (ReadState.EXPIRED, False)
    assert "its pages are of different moments" in snapshot.pods.reason
    assert snapshot.namespaces.known
    assert [passed.status for passed in one.requests if "/pods" in passed.path] == [200, 410, 200, 410, 200, 200]


@pytest.mark.usefixtures("pages_of_three")
@pytest.mark.parametrize("length", [0, 200, 2000])
def test_a_list_that_is_cut_in_the_middle_never_looks_complete(
    namespace: str, eight: list[str], behind: tuple[FaultProxy, Path], length: int
) -> None:
    one, kubeconfig = behind
    one.cut("/pods.*continue=", length, times=1000)
    snapshot = read(kubeconfig, "pods", "namespaces", namespace=namespace)
    assert (snapshot.pods.state, len(snapshot.pods)) == (ReadState.FAILED, 0)
    assert snapshot.namespaces.known
    assert eight


def test_a_kind_that_fails_does_not_take_the_others_along(cell: Cluster, behind: tuple[FaultProxy, Path]) -> None:
    one, kubeconfig = behind
    one.answer("/api/v1/nodes", 500, b"{}", times=1000)
    snapshot = read(kubeconfig, "nodes", "namespaces")
    assert snapshot.nodes.state is ReadState.FAILED
    assert "default" in names(snapshot.namespaces)


def test_a_cluster_that_goes_away_while_it_is_read_is_an_error(behind: tuple[FaultProxy, Path]) -> None:
    one, kubeconfig = behind
    one.reset("/api/v1/|/apis/.*/.*/", forwarded=False, times=1000)
    with pytest.raises(UnreachableError):
        read(kubeconfig, "nodes", "namespaces", "deployments")


def test_ctrl_c_in_the_middle_of_a_list_ends_at_once_and_leaves_no_file(behind: tuple[FaultProxy, Path], tmp_path: Path) -> None:
    one, kubeconfig = behind
    held = one.hold("/api/v1/pods", forwarded=True)
    (tmp_path / "out").mkdir()
    command = [sys.executable, "-m", "kubectl_dra.cli", "snapshot", str(tmp_path / "out" / "a.json"), "--kubeconfig", str(kubeconfig)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert held.reached.wait(30)
        process.send_signal(signal.SIGINT)
        # The request that is under way is held for much longer than this.
        stdout, stderr = process.communicate(timeout=20)
    held.release.set()
    assert (process.returncode, stdout) == (130, "")
    assert "Traceback" not in stderr
    assert list((tmp_path / "out").iterdir()) == []


def test_a_server_with_v1beta1_alone_is_read_into_the_form_of_v1(own_cell: Callable[..., Cluster]) -> None:
    cluster = own_cell(
        authorization_mode="RBAC",
        runtime_config="resource.k8s.io/v1=false,resource.k8s.io/v1beta1=true",
        controllers=False,
        scheduler=False,
    )
    root = "/apis/resource.k8s.io/v1beta1"
    version = "resource.k8s.io/v1beta1"
    device = {"name": "gpu-0", "basic": {"attributes": {"model": {"string": "A100"}}, "capacity": {"memory": {"value": "80Gi"}}}}
    pool = {"name": "p", "generation": 1, "resourceSliceCount": 1}
    cluster.api.create(
        f"{root}/resourceslices",
        {
            "apiVersion": version,
            "kind": "ResourceSlice",
            "metadata": {"name": "s"},
            "spec": {"driver": "gpu.example.com", "nodeName": "a", "pool": pool, "devices": [device]},
        },
    )
    request = {"name": "gpu", "deviceClassName": "gpu", "count": 2, "allocationMode": "ExactCount"}
    claim = {"apiVersion": version, "kind": "ResourceClaim", "metadata": {"name": "c"}, "spec": {"devices": {"requests": [request]}}}
    cluster.api.create(f"{root}/namespaces/default/resourceclaims", claim)
    cluster.api.create(
        f"{root}/deviceclasses",
        {"apiVersion": version, "kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {"extendedResourceName": "example.com/gpu"}},
    )
    snapshot = read(cluster.kubeconfig)
    [slice_] = snapshot.resource_slices
    assert snapshot.resource_slices.api_version == version
    assert slice_.spec.devices is not None
    assert (slice_.spec.devices[0].name, slice_.spec.node_name) == ("gpu-0", "a")
    assert {name: each.string for name, each in (slice_.spec.devices[0].attributes or {}).items()} == {"model": "A100"}
    assert {name: each.value for name, each in (slice_.spec.devices[0].capacity or {}).items()} == {"memory": "80Gi"}
    [found] = snapshot.resource_claims
    [asked] = found.spec.devices.requests or ()
    assert asked.exactly is not None
    assert (asked.name, asked.exactly.device_class_name, asked.exactly.count) == ("gpu", "gpu", 2)
    assert [each.spec.extended_resource_name for each in snapshot.device_classes] == ["example.com/gpu"]
    rules = snapshot.device_taint_rules
    assert (rules.state, rules.served) == (ReadState.UNSERVED, ("v1beta1",))
    assert rules.reason == ("the server serves devicetaintrules at none of v1, v1beta2, v1alpha3; of resource.k8s.io it has v1beta1")


def test_an_emulated_version_is_told_apart_from_the_binarys(own_cell: Callable[..., Cluster]) -> None:
    cluster = own_cell(emulated_version="1.34", controllers=False, scheduler=False)
    snapshot = read(cluster.kubeconfig)
    assert (snapshot.cluster.version, snapshot.cluster.emulated) == (Version(1, 37, 2), Version(1, 34))
    assert snapshot.cluster.git_version.startswith("v1.37.2")
    assert snapshot.cluster.feature_gates["DRAExtendedResource"] is False
    assert snapshot.device_taint_rules.state is ReadState.UNSERVED
    assert snapshot.device_classes.known
