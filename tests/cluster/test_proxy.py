"""E75: through a proxy, as `proxy-url` or the environment says."""

import importlib.util
import socket
from contextlib import suppress
from pathlib import Path

import pytest
from urllib3.connection import HTTPSConnection
from urllib3.exceptions import NewConnectionError

from kubectl_dra.cluster.trouble import explained
from kubectl_dra.errors import DraError, KubeconfigError, UnreachableError
from kubectl_dra.kubeconfig.connection import Connection, Impersonation, Trust
from tests.cluster.connecting import connection, transport
from tests.cluster.proxying import proxy
from tests.peers import Reply, certificate, peer

OTHER = Path(certificate("other-authority")).read_bytes()


def refused(to: Connection) -> DraError:
    with transport(to).transport as client, pytest.raises(DraError) as caught:
        client.get("/version")
    return caught.value


def test_e75_a_tls_server_through_a_proxy() -> None:
    with peer(Reply(), tls="server") as server, proxy() as between:
        to = connection(f"https://api.example.com:{server.port}", proxy=between.url)
        with transport(to).transport as client:
            assert client.get("/version") == b"{}"
            assert client.get("/version") == b"{}"
    assert between.asked == [f"CONNECT api.example.com:{server.port}"]
    assert [(request.path, request.server_name) for request in server.requests] == [("/version", "api.example.com")] * 2


def test_e75_a_plain_server_through_a_proxy() -> None:
    acting = Impersonation("bob", groups=("g1", "g2"))
    with peer(Reply()) as server, proxy(login="me:pass word") as between:
        url = between.url.replace("//", "//me:pass%20word@")
        to = connection(f"http://api.example.com:{server.port}/k8s", proxy=url, impersonation=acting)
        with transport(to).transport as client:
            assert client.get("/version") == b"{}"
    assert between.asked == [f"GET http://api.example.com:{server.port}/k8s/version"]
    assert server.requests[0].one("host") == f"api.example.com:{server.port}"


def test_e75_a_proxy_with_a_password() -> None:
    with peer(Reply(), tls="server") as server, proxy(login="me:pass word") as between:
        to = connection(server.url, proxy=between.url.replace("//", "//me:pass%20word@"))
        with transport(to).transport as client:
            assert client.get("/version") == b"{}"
        error = refused(connection(server.url, proxy=between.url))
    assert isinstance(error, UnreachableError)
    assert error.message == f"the proxy {between.host} wants a username and password (407)"
    assert server.requests[0].all("proxy-authorization") == ()


def test_e75_a_proxy_that_does_not_let_us_through() -> None:
    with proxy(refuses=403) as between:
        error = refused(connection("https://api.example.com:6443", proxy=between.url))
    assert error.message == f"the proxy {between.host} does not let us through to api.example.com:6443 (403 Forbidden)"
    assert error.status == 3


def test_e75_a_proxy_that_is_down() -> None:
    with proxy() as between:
        pass
    error = refused(connection("https://api.example.com:6443", proxy=between.url))
    assert error.message == f"the proxy {between.host} refuses the connection"
    error = refused(connection("https://api.example.com:6443", proxy="http://proxy.invalid:3128"))
    assert error.message == "the proxy proxy.invalid:3128 has a name that cannot be found (DNS)"


def test_a_proxy_that_is_down_on_a_port_with_407_in_it() -> None:
    with socket.socket() as bound:  # bound, and nobody listens
        for port in (14071, 24073, 34079, 40701, 40702):
            with suppress(OSError):
                bound.bind(("127.0.0.1", port))
                break
        address = f"127.0.0.1:{bound.getsockname()[1]}"
        error = refused(connection("https://api.example.com:6443", proxy=f"http://{address}"))
    assert "407" in address
    assert error.message == f"the proxy {address} refuses the connection"


def test_e75_the_certificate_of_a_server_behind_a_proxy_counts() -> None:
    with peer(Reply(), tls="expired") as server, proxy() as between:
        error = refused(connection(server.url, proxy=between.url))
        assert error.message == f"the certificate of 127.0.0.1:{server.port} has expired"


def test_e75_a_proxy_that_speaks_tls() -> None:
    """As in Go, the cluster's authority vouches for the proxy, too."""
    with peer(Reply(), tls="server") as server, proxy(tls="server") as between:
        with transport(connection(server.url, proxy=between.url)).transport as client:
            assert client.get("/version") == b"{}"
        assert between.asked == [f"CONNECT 127.0.0.1:{server.port}"]
        error = refused(connection(server.url, proxy=between.url, trust=Trust(OTHER)))
        assert error.message == f"the proxy {between.host} shows a certificate that is not trusted, or does not speak TLS"
    with proxy() as between:
        error = refused(connection("https://api.example.com:6443", proxy=between.url.replace("http://", "https://")))
        assert error.message == f"the proxy {between.host} shows a certificate that is not trusted, or does not speak TLS"


def test_e75_a_socks_proxy_that_is_down() -> None:
    """The error that urllib3 makes of it does not say which of the two refused."""
    to = connection("https://api.example.com:6443", proxy="socks5://me:top-secret@proxy:1080")
    cause = NewConnectionError(HTTPSConnection("api.example.com"), "Connection refused")
    assert explained(cause, to).args == ("api.example.com:6443 cannot be reached through the proxy proxy:1080",)


@pytest.mark.skipif(importlib.util.find_spec("socks") is not None, reason="PySocks is installed")
def test_e75_socks_without_pysocks_is_said() -> None:
    error = refused(connection("https://api.example.com:6443", proxy="socks5://me:top-secret@proxy:1080"))
    assert isinstance(error, KubeconfigError)
    assert error.message == "the proxy proxy:1080 speaks SOCKS, and the Python package PySocks is not installed"
    assert error.hint == "pip install PySocks"
