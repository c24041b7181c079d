"""What a request looks like, and what becomes of its answer."""

import base64
import gzip
import re
from dataclasses import replace
from threading import Thread

import pytest

from kubectl_dra.cluster.transport import Transport
from kubectl_dra.errors import ApiError, DraError, KubeconfigError, NotKubernetesError
from kubectl_dra.kubeconfig.connection import Impersonation
from kubectl_dra.kubeconfig.credentials import StoredCredentials
from tests.cluster.connecting import connection, transport
from tests.peers import Handler, Reply, Request, peer

HTML = {"Content-Type": "text/html; charset=utf-8"}
TEXT = {"Content-Type": "text/plain"}
JSON = {"Content-Type": "application/json"}


def status(code: int, reason: str, message: str, more: str = "") -> Reply:
    body = f'{{"kind": "Status", "status": "Failure", "code": {code}, "reason": "{reason}", "message": "{message}"{more}}}'
    return Reply(body.encode(), code)


def test_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    with peer(Reply(b'{"a": 1}')) as server, transport(f"{server.url}/k8s").transport as client:
        assert client.get("/api/v1/pods", {"limit": "5", "fieldSelector": "a=b,c=d"}) == b'{"a": 1}'
    request = server.requests[0]
    assert (request.method, request.path) == ("GET", "/k8s/api/v1/pods?limit=5&fieldSelector=a%3Db%2Cc%3Dd")
    assert request.all("authorization") == ("Bearer secret",)
    assert request.all("accept") == ("application/json",)
    assert request.all("accept-encoding") == ("identity",)
    assert re.fullmatch(r"kubectl-dra/\S+ \(linux/amd64\)", request.one("user-agent"))
    assert client.server == f"{server.url}/k8s"


def test_connections_are_kept_open() -> None:
    with peer(Reply()) as server, transport(server.url).transport as client:
        for _ in range(5):
            client.get("/version")
    assert (server.connections, len(server.requests)) == (1, 5)


def test_many_threads() -> None:
    def echo(request: Request) -> Reply:
        return Reply(f'{{"path": "{request.path}"}}'.encode(), chunked=True)

    answers: dict[int, bytes] = {}
    with peer(echo, tls="server") as server, transport(server.url).transport as client:
        threads = [Thread(target=lambda n=n: answers.update({n: client.get(f"/{n}")})) for n in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert answers == {n: f'{{"path": "/{n}"}}'.encode() for n in range(20)}


def test_a_compressed_answer() -> None:
    body = gzip.compress(b'{"a": 1}')
    with peer(Reply(body, headers={**JSON, "Content-Encoding": "gzip"})) as server, transport(server.url).transport as client:
        assert client.get("/version") == b'{"a": 1}'


def test_compression_is_asked_for_on_a_network_only() -> None:
    def asked(url: str, off: bool = False) -> str:
        client = Transport(connection(url, disable_compression=off), transport(url).transport._environment)
        return dict(client._common)["Accept-Encoding"]

    assert asked("https://k.example.com") == "gzip"
    assert asked("https://k.example.com", off=True) == "identity"
    assert asked("https://127.0.0.1:6443") == asked("https://[::1]:6443") == asked("http://localhost:8080") == "identity"


def test_username_and_password() -> None:
    source = StoredCredentials(username="me", password="secret", monotonic=lambda: 0.0)
    with peer(Reply()) as server, transport(connection(server.url, credentials=source)).transport as client:
        client.get("/version")
    assert server.requests[0].one("authorization") == "Basic bWU6c2VjcmV0"


def test_e72_impersonation_headers() -> None:
    acting = Impersonation("bob", "7", ("g1", "g,2"), (("scopes/x", ("a", "b")), ("A_b", ("c",))))
    with peer(Reply()) as server, transport(connection(server.url, impersonation=acting)).transport as client:
        client.get("/version")
    sent = [(name, value) for name, value in server.requests[0].headers if name.startswith("impersonate")]
    assert sent == [
        ("impersonate-user", "bob"),
        ("impersonate-uid", "7"),
        ("impersonate-group", "g1"),
        ("impersonate-group", "g,2"),
        ("impersonate-extra-scopes%2fx", "a"),
        ("impersonate-extra-scopes%2fx", "b"),
        ("impersonate-extra-a_b", "c"),
    ]


def test_names_in_any_script_are_sent_as_utf_8() -> None:
    source = StoredCredentials(username="m\u00fcller", password="\u5bc6", monotonic=lambda: 0.0)
    to = connection("http://", credentials=source, impersonation=Impersonation("\u540d", groups=("m\u00fc",)))
    with peer(Reply()) as server, transport(replace(to, server=server.url)).transport as client:
        client.get("/version")
    request = server.requests[0]
    assert base64.b64decode(request.one("authorization").removeprefix("Basic ")).decode() == "m\u00fcller:\u5bc6"
    assert request.one("impersonate-user").encode("latin-1").decode() == "\u540d"
    assert request.one("impersonate-group").encode("latin-1").decode() == "m\u00fc"


def test_a_name_with_a_line_break_is_refused() -> None:
    with pytest.raises(KubeconfigError, match="holds characters that cannot be sent"):
        transport(connection("http://127.0.0.1:1", impersonation=Impersonation("a\nb")))


def test_a_token_with_a_line_break_is_refused_without_being_shown() -> None:
    source = StoredCredentials(token="top-secret\n", monotonic=lambda: 0.0)
    client = transport(connection("http://127.0.0.1:1", credentials=source)).transport
    with pytest.raises(DraError) as caught:
        client.get("/version")
    assert caught.value.message == "the token holds characters that cannot be sent (a line break?)"
    assert "top-secret" not in repr(caught.value) + repr(caught.value.__context__)


def refused(answer: Handler | Reply, path: str = "/api/v1/pods") -> DraError:
    with peer(answer) as server:
        given = transport(server.url)
        with given.transport as client, pytest.raises(DraError) as caught:
            client.get(path)
    caught.value.args = (str(caught.value).replace(f"127.0.0.1:{server.port}", "HOST"),)
    caught.value.message = caught.value.message.replace(f"127.0.0.1:{server.port}", "HOST")
    return caught.value


def test_403() -> None:
    error = refused(status(403, "Forbidden", "pods is forbidden"))
    assert isinstance(error, ApiError)
    assert (error.code, error.reason, error.message) == (403, "Forbidden", "GET /api/v1/pods: pods is forbidden")
    assert (error.hint, error.status) == ("kubectl dra rbac prints the role that allows it", 3)


def test_404() -> None:
    error = refused(status(404, "NotFound", "the server could not find the requested resource"))
    assert isinstance(error, ApiError) and (error.code, error.reason) == (404, "NotFound")
    error = refused(Reply(b"404 page not found\n", 404, TEXT))
    assert isinstance(error, ApiError) and (error.code, error.message) == (404, "GET /api/v1/pods: 404 page not found")


def test_e79_410_gives_the_token_to_go_on_with() -> None:
    error = refused(status(410, "Expired", "too old", ', "metadata": {"continue": "next"}'))
    assert isinstance(error, ApiError)
    assert (error.code, error.reason, error.continue_token) == (410, "Expired", "next")
    error = refused(status(410, "Expired", "too old", ', "metadata": {}'))
    assert isinstance(error, ApiError) and error.continue_token is None


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Reply(b"<html>Login</html>", 200, HTML), "HOST is not a Kubernetes API server: it answers 200 OK with a web page"),
        (Reply(b"<html>No</html>", 403, HTML), "HOST is not a Kubernetes API server: it answers 403 Forbidden with a web page"),
        (Reply(b'{"error": "x"}', 404), "HOST is not a Kubernetes API server: it answers 404 Not Found with JSON of another kind"),
        (Reply(b"x", 200, {}), "HOST is not a Kubernetes API server: it answers 200 OK with no type"),
        (Reply(b"", 404, {}), "HOST is not a Kubernetes API server: it answers 404 Not Found with no type"),
    ],
)
def test_something_that_is_not_kubernetes(answer: Reply, message: str) -> None:
    error = refused(answer)
    assert isinstance(error, NotKubernetesError)
    assert error.message == message


def test_text_is_fine_when_it_was_asked_for() -> None:
    with peer(Reply(b"ok", headers=TEXT)) as server, transport(server.url).transport as client:
        assert client.get("/readyz", accept="text/plain") == b"ok"


def test_plain_http_to_a_tls_port() -> None:
    error = refused(Reply(b"Client sent an HTTP request to an HTTPS server.\n", 400, TEXT))
    assert (error.message, error.hint) == ("HOST speaks TLS", "the server's URL should begin with https://")


def test_a_redirect_on_the_same_server_is_followed() -> None:
    def answer(request: Request) -> Reply:
        return Reply() if request.path == "/api/?x=1" else Reply(b"", 301, {"Location": "/api/?x=1"})

    with peer(answer) as server, transport(server.url).transport as client:
        assert client.get("/api") == b"{}"


def test_a_redirect_to_another_host_is_not_followed() -> None:
    with peer(Reply()) as other:
        error = refused(Reply(b"", 302, {"Location": f"{other.url}/login?state=secret"}))
    assert isinstance(error, NotKubernetesError)
    assert error.message == f"HOST sends us elsewhere (302 Found, to 127.0.0.1:{other.port}); credentials are not sent on"
    assert other.requests == []


def test_redirects_without_end() -> None:
    error = refused(Reply(b"", 302, {"Location": "/api"}))
    assert isinstance(error, NotKubernetesError)
