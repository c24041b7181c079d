"""Credentials that change while a transport lives."""

import base64
import io
import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kubectl_dra.cluster.transport import Transport
from kubectl_dra.environment import Clock, Environment
from kubectl_dra.errors import ApiError, KubeconfigError
from kubectl_dra.kubeconfig import Overrides, connect
from tests.kubeconfig.writing import kubeconfig, trusting
from tests.peers import Handler, Reply, Request, certificate, key, peer

UNAUTHORIZED = Reply(b'{"kind": "Status", "code": 401, "reason": "Unauthorized", "message": "Unauthorized"}', 401)


def wants(token: str) -> Handler:
    def answer(request: Request) -> Reply:
        return Reply() if request.one("authorization") == f"Bearer {token}" else UNAUTHORIZED

    return answer


def opened(server: str, folder: Path, **user: object) -> Transport:
    file = kubeconfig(folder / "config", clusters={"a": trusting(server)}, users={"u": user})
    run = Environment(
        io.StringIO(), io.StringIO(), io.StringIO(), {"PATH": os.environ["PATH"]}, Clock(now=lambda: datetime(2026, 1, 1, tzinfo=UTC))
    )
    return Transport(connect(Overrides(kubeconfig=str(file)), run), run)


def plugin(folder: Path, *outputs: str) -> dict[str, str]:
    """A plugin that prints one output after the other and fails after the last."""
    for number, output in enumerate(outputs):
        (folder / f"out{number}").write_text(output)
    file = folder / "plugin"
    count = "n=$(cat n 2>/dev/null || echo 0)\necho $((n + 1)) > n"
    file.write_text(f'#!/bin/sh\ncd {folder}\n{count}\ncat out$n 2>/dev/null || {{ echo "login is over" >&2; exit 1; }}\n')
    file.chmod(0o755)
    return {"apiVersion": "client.authentication.k8s.io/v1", "command": str(file), "interactiveMode": "Never"}


def credential(**status: str) -> str:
    return json.dumps({"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1", "status": status})


def test_a_401_runs_the_plugin_once_more(tmp_path: Path) -> None:
    made = plugin(tmp_path, credential(token="old"), credential(token="new"))
    with peer(wants("new"), tls="server") as server, opened(server.url, tmp_path, exec=made) as client:
        assert client.get("/version") == b"{}"
        assert client.get("/version") == b"{}"
    assert [request.one("authorization") for request in server.requests] == ["Bearer old", "Bearer new", "Bearer new"]


def test_a_second_401_is_final(tmp_path: Path) -> None:
    made = plugin(tmp_path, credential(token="old"), credential(token="new"), credential(token="newer"))
    with peer(UNAUTHORIZED, tls="server") as server, opened(server.url, tmp_path, exec=made) as client:
        with pytest.raises(ApiError) as caught:
            client.get("/version")
        assert caught.value.message == f'127.0.0.1:{server.port} does not accept the credentials of user "u" (401 Unauthorized)'
    assert (caught.value.code, len(server.requests)) == (401, 2)


def test_e73_a_plugin_that_fails_sends_nothing(tmp_path: Path) -> None:
    with (
        peer(Reply(), tls="server") as server,
        opened(server.url, tmp_path, exec=plugin(tmp_path)) as client,
        pytest.raises(KubeconfigError) as caught,
    ):
        client.get("/version")
    assert caught.value.message == f'exec plugin "{tmp_path}/plugin" of user "u" failed with exit status 1: login is over'
    assert (server.requests, caught.value.status) == ([], 3)


def test_a_plugin_s_client_certificate_is_changed_after_a_401(tmp_path: Path) -> None:
    def pair(name: str) -> str:
        return credential(clientCertificateData=Path(certificate(name)).read_text(), clientKeyData=Path(key(name)).read_text())

    def answer(request: Request) -> Reply:
        return Reply() if request.client == "bob" else UNAUTHORIZED

    made = plugin(tmp_path, pair("alice"), pair("bob"))
    with peer(answer, tls="server") as server, opened(server.url, tmp_path, exec=made) as client:
        assert client.get("/version") == b"{}"
    assert [request.client for request in server.requests] == ["alice", "bob"]


def test_a_rotated_token_file_is_used_after_a_401(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("old")

    def answer(request: Request) -> Reply:
        file.write_text("new")
        return Reply() if request.one("authorization") == "Bearer new" else UNAUTHORIZED

    with peer(answer, tls="server") as server, opened(server.url, tmp_path, tokenFile="token") as client:
        assert client.get("/version") == b"{}"


def test_a_fixed_token_is_not_tried_twice(tmp_path: Path) -> None:
    with (
        peer(UNAUTHORIZED, tls="server") as server,
        opened(server.url, tmp_path, token="t") as client,
        pytest.raises(ApiError) as caught,
    ):
        client.get("/version")
    assert caught.value.hint == "they may have expired, or belong to another cluster: log in again"
    assert len(server.requests) == 1


def jwt(expires: int) -> str:
    return f"h.{base64.urlsafe_b64encode(json.dumps({'exp': expires}).encode()).decode().rstrip('=')}.s"


def test_oidc_asks_its_provider_and_tells_it_nothing_of_the_cluster(tmp_path: Path) -> None:
    old, new = jwt(1), jwt(4_000_000_000)

    def answer(request: Request) -> Reply:
        if request.method == "POST":
            return Reply(json.dumps({"id_token": new}).encode())
        return Reply(json.dumps({"token_endpoint": f"{provider.url}/token"}).encode())

    with peer(answer, tls="server") as provider, peer(wants(new), tls="server") as server:
        config = {
            "idp-issuer-url": f"{provider.url}/realm",
            "client-id": "me",
            "id-token": old,
            "refresh-token": "r&1",
            "idp-certificate-authority": certificate("authority"),
        }
        with opened(server.url, tmp_path, **{"auth-provider": {"name": "oidc", "config": config}}) as client:
            assert client.get("/version") == b"{}"
    assert [(request.method, request.path, request.body) for request in provider.requests] == [
        ("GET", "/realm/.well-known/openid-configuration", b""),
        ("POST", "/token", b"grant_type=refresh_token&refresh_token=r%261&client_id=me"),
    ]
    assert all(request.all("authorization") == () for request in provider.requests)
    assert [request.one("authorization") for request in server.requests] == [f"Bearer {new}"]
    assert new in (tmp_path / "config").read_text()
