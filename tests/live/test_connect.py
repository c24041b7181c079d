"""Connections to real API servers: who one is there, what goes wrong, and what is said then."""

import base64
import io
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Thread

import pytest

from kubectl_dra.cluster.discovery import discover
from kubectl_dra.cluster.feature_gates import parse
from kubectl_dra.cluster.transport import Transport
from kubectl_dra.environment import Environment
from kubectl_dra.errors import ApiError, DraError, KubeconfigError, NotKubernetesError, TimedOutError, UnreachableError
from kubectl_dra.kubeconfig import Overrides, connect
from kubectl_dra.objects.snapshot import Version
from kubectl_dra.progress import Event, Retrying, nobody
from tests.bed.cluster import Cluster
from tests.bed.proxy import FaultProxy
from tests.bed.waiting import wait_until
from tests.cluster.proxying import proxy as http_proxy
from tests.peers import Reply, certificate, peer

PODS = "/api/v1/pods"
V1 = "client.authentication.k8s.io/v1"


def opened(kubeconfig: Path | str = "", *, events: list[Event] | None = None, **flags: str) -> Transport:
    run = Environment(io.StringIO(), io.StringIO(), io.StringIO(), {"PATH": os.environ["PATH"], "KUBECONFIG": str(kubeconfig)})
    return Transport(connect(Overrides(**flags), run), run, events.append if events is not None else nobody)  # type: ignore[arg-type]


def identity(cell: Cluster, kubeconfig: Path, *flags: str) -> str:
    """Who the server says one is, asked by kubectl."""
    told = json.loads(cell.kubectl("auth", "whoami", "-o", "json", *flags, kubeconfig=kubeconfig))
    return str(told["status"]["userInfo"]["username"])


def seen_as(client: Transport) -> str:
    """Who the server says one is, from its refusal of something that nobody here may do."""
    with client, pytest.raises(ApiError) as caught:
        client.get("/api/v1/namespaces/kube-system/secrets/none")
    assert caught.value.code == 403
    return caught.value.message.partition('User "')[2].partition('"')[0]


def refused(client: Transport, path: str = PODS) -> DraError:
    with pytest.raises(DraError) as caught:
        client.get(path)
    return caught.value


def test_e66_a_user_with_few_rights(cell: Cluster, few_rights: Callable[..., Path]) -> None:
    kubeconfig = few_rights({"apiGroups": [""], "resources": ["nodes"], "verbs": ["list"]})
    with opened(kubeconfig) as client:
        assert json.loads(client.get("/api/v1/nodes"))["kind"] == "NodeList"
        error = refused(client, "/apis/resource.k8s.io/v1/resourceslices")
    who = identity(cell, kubeconfig)
    assert isinstance(error, ApiError) and (error.code, error.reason, error.status) == (403, "Forbidden", 3)
    assert error.message == (
        f'GET /apis/resource.k8s.io/v1/resourceslices: resourceslices.resource.k8s.io is forbidden: User "{who}" cannot list resource '
        '"resourceslices" in API group "resource.k8s.io" at the cluster scope'
    )
    assert seen_as(opened(kubeconfig)) == who


def plugin(folder: Path, status: Mapping[str, str] | None) -> dict[str, object]:
    """An exec plugin that prints these credentials; None: that fails."""
    file = folder / "login"
    answer = json.dumps({"kind": "ExecCredential", "apiVersion": V1, "status": status})
    file.write_text("#!/bin/sh\n" + (f"cat <<'END'\n{answer}\nEND\n" if status else "echo 'session is over' >&2\nexit 1\n"))
    file.chmod(0o755)
    return {"exec": {"apiVersion": V1, "command": str(file), "interactiveMode": "Never"}}


def test_exec_plugin_with_a_token(cell: Cluster, tmp_path: Path) -> None:
    user = plugin(tmp_path, {"token": cell.users["nobody"].token})
    kubeconfig = cell.write_kubeconfig(tmp_path / "config", user)
    assert seen_as(opened(kubeconfig)) == identity(cell, kubeconfig) == "nobody"


def test_exec_plugin_with_a_client_certificate(cell: Cluster, tmp_path: Path) -> None:
    nobody = cell.users["nobody"]
    user = plugin(
        tmp_path, {"clientCertificateData": nobody.client_certificate.read_text(), "clientKeyData": nobody.client_key.read_text()}
    )
    kubeconfig = cell.write_kubeconfig(tmp_path / "config", user)
    assert seen_as(opened(kubeconfig)) == identity(cell, kubeconfig) == "nobody"


def test_e73_exec_plugin_that_fails(cell: Cluster, proxy: Callable[..., FaultProxy], tmp_path: Path) -> None:
    before = proxy(cell)
    kubeconfig = cell.write_kubeconfig(tmp_path / "config", plugin(tmp_path, None), server=before.url)
    with opened(kubeconfig) as client:
        error = refused(client)
    assert isinstance(error, KubeconfigError)
    assert error.message == f'exec plugin "{tmp_path}/login" of user "bed" failed with exit status 1: session is over'
    assert (before.requests, error.status) == ([], 3)


def test_client_certificate_in_files_and_as_data(cell: Cluster, tmp_path: Path) -> None:
    nobody = cell.users["nobody"]
    files = {"client-certificate": str(nobody.client_certificate), "client-key": str(nobody.client_key)}
    data = {f"{name}-data": base64.b64encode(Path(path).read_bytes()).decode() for name, path in files.items()}
    for number, user in enumerate((files, data)):
        kubeconfig = cell.write_kubeconfig(tmp_path / f"{number}", user)
        assert seen_as(opened(kubeconfig)) == identity(cell, kubeconfig) == "nobody"


def test_token_file(cell: Cluster, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(f"{cell.users['nobody'].token}\n")
    kubeconfig = cell.write_kubeconfig(tmp_path / "config", {"tokenFile": "token"})
    assert seen_as(opened(kubeconfig)) == identity(cell, kubeconfig) == "nobody"


def test_e72_impersonation_of_the_kubeconfig_and_of_flags(cell: Cluster, tmp_path: Path) -> None:
    admin = {"token": cell.users["admin"].token}
    kubeconfig = cell.write_kubeconfig(tmp_path / "config", {**admin, "as": "bob", "as-groups": ["g"]})
    assert seen_as(opened(kubeconfig)) == identity(cell, kubeconfig) == "bob"
    assert seen_as(opened(kubeconfig, as_="eve")) == identity(cell, kubeconfig, "--as", "eve") == "eve"


def test_e71_the_first_current_context_wins(cell: Cluster, proxy: Callable[..., FaultProxy], tmp_path: Path) -> None:
    servers = (proxy(cell), proxy(cell))
    files = [
        cell.write_kubeconfig(tmp_path / f"{number}", server=server.url, context=f"context-{number}")
        for number, server in enumerate(servers)
    ]
    with opened(os.pathsep.join(map(str, files))) as client:
        client.get("/version")
        assert client.connection.context == "context-0"
    assert (len(servers[0].requests), len(servers[1].requests)) == (1, 0)


def test_an_unknown_token(cell: Cluster, tmp_path: Path) -> None:
    with opened(cell.write_kubeconfig(tmp_path / "config", {"token": "old"})) as client:
        error = refused(client)
    assert isinstance(error, ApiError) and error.code == 401
    assert error.message == f'{client.connection.host} does not accept the credentials of user "bed" (401 Unauthorized)'
    assert error.hint == "they may have expired, or belong to another cluster: log in again"


def test_wrong_authority(cell: Cluster) -> None:
    with opened(cell.kubeconfig, certificate_authority=certificate("other-authority")) as client:
        error = refused(client)
    assert isinstance(error, UnreachableError)
    assert error.message == f"the certificate of {client.connection.host} is signed by an unknown authority"


def test_e75_tls_server_name(cell: Cluster) -> None:
    with opened(cell.kubeconfig, tls_server_name="kubernetes.default.svc") as client:
        assert b"gitVersion" in client.get("/version")
    with opened(cell.kubeconfig, tls_server_name="elsewhere.example.com") as client:
        assert refused(client).message == f"the certificate of {client.connection.host} is not made out for elsewhere.example.com"


def test_e75_through_an_http_proxy(cell: Cluster, tmp_path: Path) -> None:
    with http_proxy(login="me:secret") as between:
        url = between.url.replace("//", "//me:secret@")
        with opened(cell.write_kubeconfig(tmp_path / "config", cluster={"proxy-url": url})) as client:
            assert b"gitVersion" in client.get("/version")
    assert between.asked == [f"CONNECT {client.connection.host}"]


def test_something_that_is_not_kubernetes() -> None:
    page = Reply(b"<html>Sign in</html>", headers={"Content-Type": "text/html"})
    with peer(page) as other, opened(server=other.url) as client, pytest.raises(NotKubernetesError) as caught:
        discover(client)
    assert caught.value.message == f"127.0.0.1:{other.port} is not a Kubernetes API server: it answers 200 OK with a web page"


def test_a_slow_server(cell: Cluster, proxy: Callable[..., FaultProxy], tmp_path: Path) -> None:
    before = proxy(cell)
    before.stall(PODS)
    with opened(cell.write_kubeconfig(tmp_path / "config", server=before.url), request_timeout="300ms") as client:
        error = refused(client)
    assert isinstance(error, TimedOutError)
    assert (error.message, error.status) == (f"{client.connection.host} did not answer in full within 0.3 s", 4)


def test_a_list_that_is_cut_off_is_read_again(cell: Cluster, proxy: Callable[..., FaultProxy], tmp_path: Path) -> None:
    before, events = proxy(cell), list[Event]()
    before.cut(PODS, 20)
    with opened(cell.write_kubeconfig(tmp_path / "config", server=before.url), events=events) as client:
        assert json.loads(client.get(PODS))["kind"] == "PodList"
    assert [event.what for event in events if isinstance(event, Retrying)] == [f"GET {PODS}"]


def test_a_server_that_resets_and_is_busy(cell: Cluster, proxy: Callable[..., FaultProxy], tmp_path: Path) -> None:
    before, events = proxy(cell), list[Event]()
    before.reset(PODS, forwarded=True)
    before.answer(PODS, 429, b"Too many requests", headers={"Retry-After": "1", "Content-Type": "text/plain"})
    with opened(cell.write_kubeconfig(tmp_path / "config", server=before.url), events=events) as client:
        assert json.loads(client.get(PODS))["kind"] == "PodList"
    assert [event.why for event in events if isinstance(event, Retrying)] == [
        f"{client.connection.host} ended the connection before its answer was complete",
        f"GET {PODS}: Too many requests",
    ]


def test_closing_in_the_middle_of_a_list(cell: Cluster, proxy: Callable[..., FaultProxy], tmp_path: Path) -> None:
    before = proxy(cell)
    held = before.hold(PODS, forwarded=False)
    client = opened(cell.write_kubeconfig(tmp_path / "config", server=before.url))
    errors: list[DraError] = []
    reader = Thread(target=lambda: errors.append(refused(client)))
    reader.start()
    assert held.reached.wait(30)
    client.close()
    reader.join(10)
    assert not reader.is_alive()
    assert errors[0].message == f"the connection to {client.connection.host} was closed by this run"


def test_e79_a_continue_token_that_is_too_old(own_cell: Callable[..., Cluster]) -> None:
    """A token of a state that etcd no longer has: the server's 410 carries another one, to go on with."""
    cell = own_cell(controllers=False, scheduler=False, flags={"apiserver": ["--etcd-compaction-interval=1s"]})
    with opened(cell.kubeconfig) as client:
        first = json.loads(client.get("/api/v1/namespaces", {"limit": "1"}))
        token = first["metadata"]["continue"]

        def expired() -> ApiError | None:
            cell.api.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"generateName": "x-"}})
            try:
                client.get("/api/v1/namespaces", {"limit": "1", "continue": token})
            except ApiError as error:
                return error
            return None

        error = wait_until(expired, "the token has expired")
        assert isinstance(error, ApiError) and (error.code, error.reason) == (410, "Expired")
        assert error.continue_token
        rest = json.loads(client.get("/api/v1/namespaces", {"continue": error.continue_token}))
    assert first["items"][0]["metadata"]["name"] not in [item["metadata"]["name"] for item in rest["items"]]


def test_discovery_finds_what_kubectl_finds(cell: Cluster, kubectl: Callable[..., str]) -> None:
    with opened(cell.kubeconfig) as client:
        found = discover(client)
        gates = parse(client.get("/metrics", accept="text/plain"))
    version = json.loads(kubectl("version", "-o", "json"))["serverVersion"]
    assert (found.git_version, found.version, found.emulated) == (version["gitVersion"], Version(1, 37, 2), Version(1, 37))
    listed = [line.split() for line in kubectl("api-resources", "-o", "wide", "--no-headers").splitlines()]
    best = {kind.plural + kind.api_version: kind for kind in found.kinds}
    for words in listed:
        at = next(number for number, word in enumerate(words) if word in ("true", "false"))
        kind = best[words[0] + words[at - 1]]
        assert (kind.kind, kind.namespaced, set(kind.verbs)) == (words[at + 1], words[at] == "true", set(words[at + 2].split(",")))
    assert found.failures == {}
    assert gates["DRAExtendedResource"] is True


def test_an_aggregated_api_whose_server_is_down(cell: Cluster) -> None:
    service = {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {"name": "v1beta1.metrics.k8s.io"},
        "spec": {
            "group": "metrics.k8s.io",
            "version": "v1beta1",
            "groupPriorityMinimum": 100,
            "versionPriority": 100,
            "insecureSkipTLSVerify": True,
            "service": {"name": "metrics-server", "namespace": "kube-system"},
        },
    }
    services = "/apis/apiregistration.k8s.io/v1/apiservices"
    cell.api.create(services, service)
    try:
        with opened(cell.kubeconfig) as client:
            found = wait_until(lambda: told if (told := discover(client)).failures else None, "the group is known to be down")
    finally:
        cell.api.delete(f"{services}/v1beta1.metrics.k8s.io")
    assert found.failure_of("metrics.k8s.io") == "the server behind this aggregated API does not answer"
    assert found.find("resource.k8s.io", "ResourceSlice") is not None


def test_e69_a_server_of_an_older_minor_with_an_older_api(own_cell: Callable[..., Cluster]) -> None:
    cell = own_cell(
        emulated_version="1.34",
        authorization_mode="RBAC",
        runtime_config="resource.k8s.io/v1=false,resource.k8s.io/v1beta1=true",
        controllers=False,
        scheduler=False,
    )
    with opened(cell.kubeconfig) as client:
        found = discover(client)
        slices = found.find("resource.k8s.io", "ResourceSlice")
        assert slices is not None and slices.version == "v1beta1"
        assert json.loads(client.get(f"{slices.prefix}/{slices.plural}"))["kind"] == "ResourceSliceList"
    assert (found.version, found.emulated) == (Version(1, 37, 2), Version(1, 34))
    assert found.find("resource.k8s.io", "DeviceTaintRule") is None
    assert found.versions_of("resource.k8s.io") == ("v1beta1",)


def test_an_expired_certificate_and_a_server_that_is_down(own_cell: Callable[..., Cluster]) -> None:
    cell = own_cell(serving_for="-1h", controllers=False, scheduler=False)
    with opened(cell.kubeconfig) as client:
        error = refused(client)
        assert isinstance(error, UnreachableError)
        assert error.message == f"the certificate of {client.connection.host} has expired"
    cell.stop("kube-apiserver")
    with opened(cell.kubeconfig) as client:
        error = refused(client)
        assert error.message == f"{client.connection.host} refuses the connection: nothing listens there"
