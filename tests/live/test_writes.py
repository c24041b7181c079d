"""Writes to a real API server: as whom, what it refuses, and what becomes of a write whose answer is lost."""

import base64
import io
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kubectl_dra.cluster.access import Access, missing
from kubectl_dra.cluster.writes import Writes, Written
from kubectl_dra.environment import Environment
from kubectl_dra.errors import ApiError, DraError, UnreachableError
from kubectl_dra.kubeconfig import Overrides, connect
from kubectl_dra.objects.pod import Pod
from kubectl_dra.progress import Event, Retrying, nobody
from tests.bed.api import Manifest
from tests.bed.cluster import Cluster
from tests.bed.proxy import FaultProxy
from tests.bed.waiting import wait_until

BROKEN_OFF = "ended the connection before its answer was complete"


@contextmanager
def opened(kubeconfig: Path, *, events: list[Event] | None = None, **flags: str) -> Iterator[Writes]:
    run = Environment(io.StringIO(), io.StringIO(), io.StringIO(), {"PATH": os.environ["PATH"], "KUBECONFIG": str(kubeconfig)})
    observer = events.append if events is not None else nobody
    with Writes(connect(Overrides(**flags), run), run, observer) as writes:  # type: ignore[arg-type]
        yield writes


def pods(namespace: str) -> str:
    return f"/api/v1/namespaces/{namespace}/pods"


def pod(name: str, **labels: str) -> Manifest:
    """One that no scheduler looks at, so that nobody changes it meanwhile."""
    spec = {
        "containers": [{"name": "main", "image": "registry.example/main"}],
        "terminationGracePeriodSeconds": 0,
        "schedulerName": "nobody",
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels}, "spec": spec}


def refused(write: Callable[[], object]) -> ApiError:
    with pytest.raises(ApiError) as caught:
        write()
    return caught.value


def retries(events: list[Event]) -> list[str]:
    return [event.why for event in events if isinstance(event, Retrying)]


def test_create_patch_and_delete(cell: Cluster, namespace: str) -> None:
    with opened(cell.kubeconfig) as writes:
        made = writes.create(pods(namespace), pod("a", app="x"), Pod)
        assert (made.metadata.name, made.metadata.namespace, made.status.phase) == ("a", namespace, "Pending")
        path = f"{pods(namespace)}/a"
        assert cell.api.get(path)["metadata"]["managedFields"][0]["manager"] == "kubectl-dra"

        test = {"op": "test", "path": "/metadata/labels/app", "value": "x"}
        changed = writes.patch_json(path, [test, {"op": "replace", "path": "/metadata/labels/app", "value": "y"}], Pod)
        assert changed.metadata.labels == {"app": "y"}
        error = refused(lambda: writes.patch_json(path, [test, {"op": "remove", "path": "/metadata/labels/app"}], Written))
        assert (error.code, error.reason, cell.api.get(path)["metadata"]["labels"]) == (422, "Invalid", {"app": "y"})

        version = changed.metadata.resource_version
        assert writes.patch_merge(path, {"metadata": {"labels": {"b": "1"}}}, Written, resource_version=version).metadata.labels == {
            "app": "y",
            "b": "1",
        }
        error = refused(lambda: writes.patch_merge(path, {"metadata": {"labels": {"b": "2"}}}, Written, resource_version=version))
        assert (error.code, error.reason) == (409, "Conflict")
        writes.patch_merge(path, {"metadata": {"labels": {"b": None}}}, Written)
        assert cell.api.get(path)["metadata"]["labels"] == {"app": "y"}

        uid = str(made.metadata.uid)
        assert not writes.delete(path, uid="another")
        assert writes.delete(path, uid=uid)
        assert not writes.delete(path, uid=uid)
    assert cell.api.find(path) is None


def test_a_dry_run_changes_nothing(cell: Cluster, namespace: str, apply: Callable[..., list[Manifest]]) -> None:
    (there,) = apply(pod("a"))
    path = f"{pods(namespace)}/a"
    with opened(cell.kubeconfig) as writes:
        assert writes.create(pods(namespace), pod("b"), Written, dry_run=True).metadata.name == "b"
        assert writes.patch_json(
            path, [{"op": "add", "path": "/metadata/labels", "value": {"a": "b"}}], Written, dry_run=True
        ).metadata.labels
        assert writes.patch_merge(path, {"metadata": {"labels": {"a": "b"}}}, Written, dry_run=True).metadata.labels
        assert writes.delete(path, dry_run=True)
        assert writes.evict(namespace, "a", dry_run=True)
    assert [(item["metadata"]["name"], item["metadata"]["uid"]) for item in cell.api.items(pods(namespace))] == [
        ("a", there["metadata"]["uid"])
    ]
    assert not cell.api.get(path)["metadata"].get("labels")


def test_unknown_fields_are_refused(cell: Cluster, namespace: str, apply: Callable[..., list[Manifest]]) -> None:
    apply(pod("a"))
    with opened(cell.kubeconfig) as writes:
        unknown = pod("b")
        unknown["spec"]["containers"][0]["resource"] = {}
        each: tuple[Callable[[], object], ...] = (
            lambda: writes.create(pods(namespace), unknown, Written),
            lambda: writes.patch_merge(f"{pods(namespace)}/a", {"spec": {"nodeNam": "x"}}, Written),
            lambda: writes.patch_json(f"{pods(namespace)}/a", [{"op": "add", "path": "/spec/nodeNam", "value": "x"}], Written),
        )
        for write in each:
            error = refused(write)
            assert (error.code in (400, 422), "unknown field" in error.message) == (True, True)
    assert [item["metadata"]["name"] for item in cell.api.items(pods(namespace))] == ["a"]


def test_create_what_is_there(cell: Cluster, namespace: str, apply: Callable[..., list[Manifest]]) -> None:
    apply(pod("a"))
    with opened(cell.kubeconfig) as writes:
        error = refused(lambda: writes.create(pods(namespace), pod("a"), Written))
    assert (error.code, error.reason) == (409, "AlreadyExists")


def test_an_eviction_that_a_budget_forbids(cell: Cluster, namespace: str, apply: Callable[..., list[Manifest]]) -> None:
    made = apply([pod("a", app="x"), pod("b", app="y")])
    uids = [each["metadata"]["uid"] for each in made]
    running = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    for name in "ab":
        cell.api.patch(f"{pods(namespace)}/{name}/status", {"status": running})
    budget = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "stay"}}
    apply({**budget, "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "x"}}}})
    path = f"/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets/stay"
    wait_until(lambda: cell.api.get(path).get("status", {}).get("currentHealthy") == 1, "the budget counts its pod")
    with opened(cell.kubeconfig) as writes:
        for dry_run in (True, False):
            error = refused(lambda dry_run=dry_run: writes.evict(namespace, "a", uid=uids[0], dry_run=dry_run))  # type: ignore[misc]
            assert (error.code, error.reason) == (429, "TooManyRequests")
            assert error.causes == (("DisruptionBudget", "The disruption budget stay needs 1 healthy pods and has 1 currently"),)
        assert not writes.evict(namespace, "b", uid="another")
        assert cell.api.find(f"{pods(namespace)}/b")
        assert writes.evict(namespace, "b", uid=uids[1])
        assert not writes.evict(namespace, "b", uid=uids[1])
    assert cell.api.find(f"{pods(namespace)}/b") is None


def test_few_rights(cell: Cluster, namespace: str, few_rights: Callable[..., Path]) -> None:
    kubeconfig = few_rights({"apiGroups": [""], "resources": ["pods"], "verbs": ["create"]})
    can, cannot = Access(verb="create", resource="pods"), Access(verb="create", resource="pods", subresource="eviction")
    lease = Access(verb="patch", resource="leases", group="coordination.k8s.io", namespace="kube-system", name="x")
    with opened(kubeconfig) as writes:
        assert writes.create(pods(namespace), pod("a"), Written).metadata.name == "a"
        error = refused(lambda: writes.delete(f"{pods(namespace)}/a"))
        assert (error.code, error.hint) == (403, "kubectl dra rbac prints the role that allows it")
        assert error.message.startswith(f'DELETE {pods(namespace)}/a: pods "a" is forbidden: User "system:serviceaccount:{namespace}:')
        assert [denied.access for denied in missing(writes, (can, cannot, lease))] == [cannot, lease]
        metrics = Access(verb="get", path="/metrics")
        assert [denied.access.rule for denied in missing(writes, (metrics,))] == ['{nonResourceURLs: ["/metrics"], verbs: ["get"]}']
    assert cannot.rule == '{apiGroups: [""], resources: ["pods/eviction"], verbs: ["create"]}'
    with opened(cell.kubeconfig) as writes:
        assert missing(writes, (can, cannot, lease)) == ()


def test_as_whom(cell: Cluster, tmp_path: Path) -> None:
    """Exec plugin, client certificate and impersonation with groups are those of reading."""
    nobody_, admin = cell.users["nobody"], cell.users["admin"]
    credential = {"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": nobody_.token}}
    program = tmp_path / "login"
    program.write_text(f"#!/bin/sh\necho '{json.dumps(credential)}'\n")
    program.chmod(0o755)
    entries: list[tuple[dict[str, object], str]] = [
        ({"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(program), "interactiveMode": "Never"}}, "nobody"),
        ({"client-certificate": str(nobody_.client_certificate), "client-key": str(nobody_.client_key)}, "nobody"),
        ({"token": admin.token, "as": "bob", "as-groups": ["g", "h"]}, "bob"),
    ]
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    for number, (user, name) in enumerate(entries):
        with opened(cell.write_kubeconfig(tmp_path / f"{number}", user)) as writes:
            told = writes.create("/apis/authentication.k8s.io/v1/selfsubjectreviews", review, dict, harmless=True)
        info = told["status"]["userInfo"]
        assert (info["username"], {"g", "h"} <= set(info["groups"])) == (name, name == "bob")
    authority = base64.b64decode(
        json.loads(cell.write_kubeconfig(tmp_path / "x").read_text())["clusters"][0]["cluster"]["certificate-authority-data"]
    )
    (tmp_path / "authority").write_bytes(authority)
    with opened(cell.kubeconfig, certificate_authority=str(tmp_path / "authority")) as writes:
        assert writes.create("/apis/authentication.k8s.io/v1/selfsubjectreviews", review, dict)["kind"] == "SelfSubjectReview"


@pytest.mark.parametrize("acted", [False, True])
def test_a_write_whose_answer_is_lost(
    cell: Cluster, namespace: str, proxy: Callable[..., FaultProxy], tmp_path: Path, *, acted: bool
) -> None:
    before, events, root = proxy(cell), list[Event](), pods(namespace)
    with opened(cell.write_kubeconfig(tmp_path / "config", server=before.url), events=events) as writes:

        def losing(write: Callable[[], object]) -> object:
            events.clear()
            fault = before.reset(namespace, method="POST|PATCH|DELETE", forwarded=acted)
            told = write()
            assert (fault.reached.wait(0), retries(events)) == (True, [f"{writes.connection.host} {BROKEN_OFF}"])
            return told

        made = losing(lambda: writes.create(root, pod("a", app="x"), Pod))
        assert isinstance(made, Pod) and made.metadata.uid == cell.api.get(f"{root}/a")["metadata"]["uid"]
        test = {"op": "test", "path": "/metadata/labels/app", "value": "x"}
        losing(lambda: writes.patch_json(f"{root}/a", [test, {"op": "replace", "path": "/metadata/labels/app", "value": "y"}], Written))
        version = cell.api.get(f"{root}/a")["metadata"]["resourceVersion"]
        losing(lambda: writes.patch_merge(f"{root}/a", {"metadata": {"labels": {"b": "1"}}}, Written, resource_version=version))
        assert cell.api.get(f"{root}/a")["metadata"]["labels"] == {"app": "y", "b": "1"}
        assert losing(lambda: writes.evict(namespace, "a", uid=made.metadata.uid))
        assert cell.api.find(f"{root}/a") is None
        writes.create(root, pod("a"), Written)
        assert losing(lambda: writes.delete(f"{root}/a"))
    assert cell.api.items(root) == []


def test_what_must_not_be_sent_twice(cell: Cluster, namespace: str, proxy: Callable[..., FaultProxy], tmp_path: Path) -> None:
    before, events, root = proxy(cell), list[Event](), pods(namespace)
    generated = pod("")
    generated["metadata"] = {"generateName": "a-"}
    unguarded = [{"op": "add", "path": "/metadata/finalizers", "value": ["example.com/a"]}]
    with opened(cell.write_kubeconfig(tmp_path / "config", server=before.url), events=events) as writes:
        each: tuple[Callable[[], object], ...] = (
            lambda: writes.create(root, generated, Written),
            lambda: writes.patch_json(f"{root}/x", unguarded, Written),
        )
        for write in each:
            before.reset(root, method="POST|PATCH", forwarded=True)
            with pytest.raises(UnreachableError, match=BROKEN_OFF):
                write()
            before.answer(root, 500, b"{}", method="POST|PATCH")
            with pytest.raises(DraError, match="500"):
                write()
        assert (len(cell.api.items(root)), events) == (1, [])
        before.answer(root, 429, b"busy", headers={"Retry-After": "1", "Content-Type": "text/plain"}, method="POST")
        writes.create(root, generated, Written)  # the server said that it did nothing
        before.answer(root, 500, b"{}", method="POST")
        writes.create(root, pod("named"), Written)
    assert (len(cell.api.items(root)), len(retries(events))) == (3, 2)


def test_a_lost_creation_is_not_taken_for_somebody_elses(
    cell: Cluster, namespace: str, proxy: Callable[..., FaultProxy], tmp_path: Path
) -> None:
    """Both want the name; ours is lost before the server saw it, the other's comes in between."""
    before, events, root = proxy(cell), list[Event](), pods(namespace)

    def in_between(event: Event) -> None:
        events.append(event)
        cell.api.create(root, pod("a", whose="other"))

    config = cell.write_kubeconfig(tmp_path / "config", server=before.url)
    run = Environment(io.StringIO(), io.StringIO(), io.StringIO(), {"KUBECONFIG": str(config)})
    before.reset(root, method="POST", forwarded=False)
    with Writes(connect(Overrides(), run), run, in_between) as writes:
        error = refused(lambda: writes.create(root, pod("a", whose="ours"), Written))
    assert (error.code, error.reason, len(events)) == (409, "AlreadyExists", 1)
