"""Kept-alive connections to one server, straight or through a proxy, that can be cut off at once."""

import socket
import warnings
from collections.abc import Iterable
from contextlib import suppress
from typing import Any
from urllib.parse import unquote, urlsplit
from weakref import WeakSet

from urllib3 import BaseHTTPResponse, HTTPConnectionPool, HTTPHeaderDict, PoolManager, ProxyManager, Timeout, make_headers

from kubectl_dra.cluster.tls import context
from kubectl_dra.errors import KubeconfigError
from kubectl_dra.kubeconfig import Connection
from kubectl_dra.kubeconfig.connection import Trust
from kubectl_dra.kubeconfig.credentials import ClientCertificate

KEPT = 32
"""Connections that stay open between requests: more than are ever used at once."""

Header = tuple[str, str]


class Pool:
    """The connections that show one client certificate (None: no certificate)."""

    def __init__(self, connection: Connection, certificate: ClientCertificate | None) -> None:
        """Open nothing yet. Raises KubeconfigError for TLS material or a proxy that cannot be used."""
        self.certificate = certificate
        self._sockets: WeakSet[socket.socket] = WeakSet()
        self._prefix = urlsplit(connection.server).path
        self._headers: tuple[Header, ...] = ()
        manager = _manager(connection, certificate)
        manager.pool_classes_by_scheme = {
            scheme: _tracked(pool_class, self._sockets, insecure=connection.trust.insecure)
            for scheme, pool_class in manager.pool_classes_by_scheme.items()
        }
        url = urlsplit(connection.server)
        if url.scheme == "http" and isinstance(manager, ProxyManager) and manager.proxy is not None and not _is_socks(connection.proxy):
            # a proxy wants the whole URL of a plain request, and its own credentials with it
            self._prefix = connection.server
            self._headers = (("Host", connection.host), *manager.proxy_headers.items())
        self._pool = manager.connection_from_host(url.hostname, url.port, url.scheme)

    def get(self, target: str, headers: Iterable[Header], timeout: Timeout) -> BaseHTTPResponse:
        """The head of the answer, its body still to be read. `target` begins with a slash. Raises urllib3's HTTPError."""
        return self.send("GET", target, headers, timeout)

    def send(
        self, method: str, target: str, headers: Iterable[Header], timeout: Timeout, body: bytes | str | None = None
    ) -> BaseHTTPResponse:
        """The same with any verb. Nothing is sent twice."""
        together = HTTPHeaderDict()
        for name, value in (*headers, *self._headers):
            together.add(name, value)  # Impersonate-Group comes once for each group
        return self._pool.urlopen(
            method,
            self._prefix + target,
            body=body,
            headers=together,
            timeout=timeout,
            retries=False,
            redirect=False,
            preload_content=False,
            assert_same_host=False,
        )

    def close(self) -> None:
        """End everything, also what other threads are waiting for."""
        for opened in list(self._sockets):
            with suppress(OSError):  # it may be gone already
                # not SSLSocket's own shutdown, which takes the session from under the thread that reads
                socket.socket.shutdown(opened, socket.SHUT_RDWR)
        self._pool.close()


def _is_socks(proxy: str) -> bool:
    return urlsplit(proxy).scheme in ("socks5", "socks5h")


def _manager(connection: Connection, certificate: ClientCertificate | None) -> PoolManager:
    options: dict[str, Any] = {"maxsize": KEPT}
    if connection.server.startswith("https://"):
        trust = connection.trust
        options["ssl_context"] = context(trust, certificate)
        if trust.server_name:
            options["server_hostname"] = trust.server_name
    if not connection.proxy:
        return PoolManager(**options)
    if _is_socks(connection.proxy):
        return _socks_manager(connection, options)
    url = urlsplit(connection.proxy)
    if url.scheme not in ("http", "https"):
        raise KubeconfigError(f'the proxy {connection.proxy_host or "of the environment"} has no scheme that is known: "{url.scheme}"')
    headers = make_headers(proxy_basic_auth=f"{unquote(url.username)}:{unquote(url.password or '')}") if url.username else {}
    # Go judges a proxy's certificate by the same authority as the server's
    own = (options.get("ssl_context") or context(Trust(), None)) if url.scheme == "https" else None
    return ProxyManager(f"{url.scheme}://{connection.proxy_host}", proxy_headers=headers, proxy_ssl_context=own, **options)


def _socks_manager(connection: Connection, options: dict[str, Any]) -> PoolManager:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # urllib3 warns before the import fails
            from urllib3.contrib.socks import SOCKSProxyManager
    except ImportError:
        raise KubeconfigError(
            f"the proxy {connection.proxy_host} speaks SOCKS, and the Python package PySocks is not installed", hint="pip install PySocks"
        ) from None
    # Go lets the SOCKS proxy look names up: socks5h in curl's and urllib3's words
    return SOCKSProxyManager("socks5h://" + connection.proxy.partition("://")[2], **options)


def _tracked(pool_class: type[HTTPConnectionPool], sockets: "WeakSet[socket.socket]", *, insecure: bool) -> type[HTTPConnectionPool]:
    """The same class, noting the sockets that it opens."""

    class Connected(pool_class.ConnectionCls):  # type: ignore[misc,name-defined] # the class comes in as a value
        def connect(self) -> None:
            super().connect()
            if insecure:
                self.is_verified = True  # people chose so, in writing: urllib3 need not warn them at every connection
            opened = getattr(self.sock, "socket", self.sock)  # TLS within the TLS of a proxy is no socket, but has one
            if isinstance(opened, socket.socket):
                sockets.add(opened)

    class Opened(pool_class):  # type: ignore[misc,valid-type] # as above
        ConnectionCls = Connected

    return Opened
