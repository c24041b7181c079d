"""Servers that cannot be reached or trusted, each in one line."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread

import pytest
from urllib3 import HTTPConnectionPool
from urllib3.exceptions import ConnectTimeoutError, ReadTimeoutError

from kubectl_dra.cluster.trouble import explained
from kubectl_dra.errors import ApiError, DraError, KubeconfigError, TimedOutError, UnreachableError
from kubectl_dra.kubeconfig.connection import Connection, Trust
from kubectl_dra.kubeconfig.credentials import Material, StoredCredentials
from tests.cluster.connecting import AUTHORITY, connection, transport
from tests.peers import Reply, certificate, key, peer

OTHER = Path(certificate("other-authority")).read_bytes()


def client_of(name: str, key_of: str = "") -> StoredCredentials:
    return StoredCredentials(certificate=Material(path=certificate(name)), key=Material(path=key(key_of or name)), monotonic=lambda: 0.0)


def refused(to: Connection) -> DraError:
    with transport(to).transport as client, pytest.raises(DraError) as caught:
        client.get("/version")
    return caught.value


@contextmanager
def listening() -> Iterator[int]:
    """A port where somebody listens but never says a word."""
    with socket.create_server(("127.0.0.1", 0), backlog=8) as server:
        yield server.getsockname()[1]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def has_ipv6() -> bool:
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False


def test_server_down() -> None:
    host = f"127.0.0.1:{free_port()}"
    error = refused(connection(f"https://{host}"))
    assert isinstance(error, UnreachableError)
    assert error.message == f"{host} refuses the connection: nothing listens there"
    assert error.hint == 'check the server of cluster "a" in the kubeconfig; does the API server run?'
    assert error.status == 3


def test_a_name_that_does_not_exist() -> None:
    error = refused(connection("https://nowhere.invalid:6443"))
    assert isinstance(error, UnreachableError)
    assert error.message == "the name of the server nowhere.invalid:6443 cannot be found (DNS)"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_server_slow(scheme: str) -> None:
    with listening() as port:
        error = refused(connection(f"{scheme}://127.0.0.1:{port}", timeout=0.2))
    assert isinstance(error, TimedOutError)
    assert (error.message, error.status) == (f"127.0.0.1:{port} did not answer in full within 0.2 s", 4)


def test_a_body_that_stalls() -> None:
    stalled = Event()
    with peer(Reply(b"x" * 100, hold=stalled, hold_at=50)) as server:
        error = refused(connection(server.url, timeout=0.2))
        stalled.set()
    assert isinstance(error, TimedOutError)
    assert error.message == f"127.0.0.1:{server.port} did not answer in full within 0.2 s"


def test_30_seconds_of_silence_are_waited_for_by_default() -> None:
    to = connection("https://a.example.com")
    assert explained(ReadTimeoutError(HTTPConnectionPool("a"), "/", ""), to).args == ("a.example.com was silent for 30 s",)
    assert explained(ConnectTimeoutError(), to).args == ("no connection to a.example.com within 30 s",)


def test_expired_certificate() -> None:
    with peer(Reply(), tls="expired") as server:
        error = refused(connection(server.url))
        assert isinstance(error, UnreachableError)
        assert error.message == f"the certificate of 127.0.0.1:{server.port} has expired"
    assert server.requests == []


def test_certificate_of_the_future() -> None:
    with peer(Reply(), tls="future") as server:
        error = refused(connection(server.url))
        assert error.message == f"the certificate of 127.0.0.1:{server.port} is not valid yet"
    assert error.hint == "compare the clocks of this machine and of the server"


def test_unknown_authority() -> None:
    with peer(Reply(), tls="server") as server:
        for trust in (Trust(OTHER), Trust(None)):
            error = refused(connection(server.url, trust=trust))
            assert error.message == f"the certificate of 127.0.0.1:{server.port} is signed by an unknown authority"
    assert server.requests == []


def test_a_certificate_for_another_name() -> None:
    with peer(Reply(), tls="elsewhere") as server:
        error = refused(connection(server.url))
        assert error.message == f"the certificate of 127.0.0.1:{server.port} is not made out for 127.0.0.1:{server.port}"
        assert error.hint == "use a name that is in it, or give one with --tls-server-name"
        error = refused(connection(server.url.replace("127.0.0.1", "localhost")))
        assert error.message == f"the certificate of localhost:{server.port} is not made out for localhost:{server.port}"


def test_e75_tls_server_name() -> None:
    with peer(Reply(), tls="elsewhere") as server:
        with transport(connection(server.url, trust=Trust(AUTHORITY, "elsewhere.example.com"))).transport as client:
            assert client.get("/version") == b"{}"
        error = refused(connection(server.url, trust=Trust(AUTHORITY, "other.example.com")))
        assert error.message == f"the certificate of 127.0.0.1:{server.port} is not made out for other.example.com"
    assert [request.server_name for request in server.requests] == ["elsewhere.example.com"]


def test_insecure_takes_any_certificate_without_a_warning() -> None:
    for shown in ("expired", "elsewhere"):
        with peer(Reply(), tls=shown) as server:
            for trust in (Trust(insecure=True), Trust(server_name="n", insecure=True)):
                with transport(connection(server.url, trust=trust)).transport as client:
                    assert client.get("/version") == b"{}"


def test_a_server_certificate_may_be_the_authority_itself() -> None:
    with peer(Reply(), tls="server") as server:
        pinned = Trust(Path(certificate("server")).read_bytes())
        with transport(connection(server.url, trust=pinned)).transport as client:
            assert client.get("/version") == b"{}"


@pytest.mark.parametrize("authority", [b"", b"nothing", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
def test_an_authority_that_is_no_pem(authority: bytes) -> None:
    error = refused(connection("https://127.0.0.1:1", trust=Trust(authority)))
    assert isinstance(error, KubeconfigError)
    assert error.message == "the certificate authority of the cluster is not PEM with certificates"


def test_https_to_a_port_that_speaks_http() -> None:
    with peer(Reply()) as server:
        error = refused(connection(server.url.replace("http://", "https://")))
        assert error.message == f"127.0.0.1:{server.port} does not speak TLS"


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no ::1")
def test_an_ipv6_server() -> None:
    with peer(Reply(), tls="server", host="::1") as server, transport(server.url).transport as client:
        assert client.get("/version") == b"{}"


def test_client_certificate() -> None:
    with peer(Reply(), tls="server") as server, transport(connection(server.url, credentials=client_of("alice"))).transport as client:
        client.get("/version")
    assert [request.client for request in server.requests] == ["alice"]


def test_client_certificate_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with peer(Reply(), tls="server") as server, transport(connection(server.url, credentials=client_of("alice"))).transport as client:
        client.get("/version")
    assert refused(connection(server.url, credentials=client_of("alice", "bob"))).message == (
        "the client certificate and its key do not belong together"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_client_certificate_that_is_no_pem() -> None:
    source = StoredCredentials(certificate=Material("eA=="), key=Material("eA=="), monotonic=lambda: 0.0)
    error = refused(connection("https://127.0.0.1:1", credentials=source))
    assert error.message == "the client certificate and its key are not PEM, or the key is encrypted"


def test_an_expired_client_certificate_is_the_reason_of_a_401() -> None:
    with peer(Reply(b'{"kind": "Status", "code": 401, "message": "Unauthorized"}', 401)) as server:
        error = refused(connection(server.url, credentials=client_of("alice-expired")))
    assert isinstance(error, ApiError)
    assert error.message == f'127.0.0.1:{server.port} does not accept the credentials of user "u" (401 Unauthorized)'
    assert error.hint == "the client certificate expired at 2021-01-02 03:04 UTC: renew it (kubeadm certs renew, or your provider's login)"


def test_a_server_that_hangs_up() -> None:
    with peer(Reply(reset=True)) as server:
        error = refused(connection(server.url))
        assert error.message == f"127.0.0.1:{server.port} ended the connection before its answer was complete"


def test_closing_ends_what_threads_wait_for() -> None:
    """Ctrl-C in the middle of a list: the threads that read must not hold the process for 30 seconds."""
    never = Event()
    with peer(Reply(hold=never), tls="server") as server:
        client = transport(server.url).transport
        caught: list[DraError] = []

        def read() -> None:
            try:
                client.get("/api/v1/pods")
            except DraError as error:
                caught.append(error)

        thread = Thread(target=read)
        thread.start()
        while not server.requests:
            thread.join(0.01)
        client.close()
        thread.join(10)
        never.set()
    assert not thread.is_alive()
    assert [error.message for error in caught] == [f"the connection to 127.0.0.1:{server.port} was closed by this run"]
    with pytest.raises(UnreachableError):
        client.get("/version")


def test_no_error_shows_a_token() -> None:
    with peer(Reply(b'{"kind": "Status", "code": 401}', 401)) as server:
        error = refused(replace(connection(server.url), credentials=StoredCredentials(token="top-secret", monotonic=lambda: 0.0)))
    assert "top-secret" not in error.message + error.hint + repr(error) + repr(error.__cause__) + repr(error.__context__)
