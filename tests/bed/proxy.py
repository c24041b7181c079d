"""A proxy in front of an API server (or any HTTP server) that meets chosen requests with a fault. Everything else passes unchanged."""

import http.client
import re
import socket
import ssl
import struct
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Literal, Self
from urllib.parse import urlsplit

Action = Literal["answer", "reset", "cut", "stall", "hold"]

PATIENCE = 60.0
"""Seconds that a held request waits at most for its release, so that a test that forgets it ends."""


@dataclass
class Fault:
    """What happens to requests whose verb and path match; `FaultProxy`'s methods make them.

    `after` matching requests pass first, then `times` are met. `reached` is set when one is met; `release` lets a held or stalled one go
    on.
    """

    action: Action
    method: str
    path: str
    after: int = 0
    times: int = 1
    status: int = 500
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    length: int = 0
    seconds: float = PATIENCE
    forwarded: bool = False
    reached: threading.Event = field(default_factory=threading.Event)
    release: threading.Event = field(default_factory=threading.Event)
    seen: int = 0

    def meets(self, method: str, path: str) -> bool:
        """Count a request; true when it is one to be met."""
        if not re.fullmatch(self.method, method) or not re.search(self.path, path):
            return False
        self.seen += 1
        return self.after < self.seen <= self.after + self.times


@dataclass(frozen=True, slots=True)
class Passed:
    """A request that went by: `status` is what the client was (or would have been) told, 0 when nothing was."""

    method: str
    path: str
    status: int
    headers: Mapping[str, str]


class FaultProxy:
    """Listens on loopback; `url` is where. Each connection has a thread of its own.

    `path` is a regular expression searched in path and query, `method` one that must match the verb whole. The first fault that meets a
    request wins. `requests` is what went by so far.
    """

    def __init__(self, upstream: str, *, certificate_authority: Path | None = None, certificate: tuple[Path, Path] | None = None) -> None:
        """`upstream` is a URL, http or https (then `certificate_authority` is who vouches for it).

        With `certificate` (and key) it speaks TLS to its clients, else plain HTTP.
        """
        self.faults: list[Fault] = []
        self.requests: list[Passed] = []
        self._lock = threading.Lock()
        self._upstream = urlsplit(upstream)
        self._trust = ssl.create_default_context(cafile=str(certificate_authority)) if certificate_authority else None
        self._server = _Server(self, certificate)
        self.url = f"{'https' if certificate else 'http'}://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()

    def answer(
        self,
        path: str,
        status: int,
        body: bytes = b"",
        *,
        headers: Mapping[str, str] | None = None,
        method: str = ".*",
        after: int = 0,
        times: int = 1,
    ) -> Fault:
        """Answer in the server's place; it never sees the request."""
        return self._add(Fault("answer", method, path, after, times, status=status, body=body, headers=headers or {}))

    def reset(self, path: str, *, forwarded: bool, method: str = ".*", after: int = 0, times: int = 1) -> Fault:
        """Reset the connection: before the server saw the request, or (`forwarded`) when it has carried it out."""
        return self._add(Fault("reset", method, path, after, times, forwarded=forwarded))

    def cut(self, path: str, length: int, *, method: str = ".*", after: int = 0, times: int = 1) -> Fault:
        """Give so many bytes of the answer's body, then reset."""
        return self._add(Fault("cut", method, path, after, times, length=length))

    def stall(self, path: str, seconds: float = PATIENCE, *, method: str = ".*", after: int = 0, times: int = 1) -> Fault:
        """Wait for `seconds`, or for the release, and then go on as if nothing had been."""
        return self._add(Fault("stall", method, path, after, times, seconds=seconds))

    def hold(self, path: str, *, forwarded: bool, method: str = ".*", after: int = 0, times: int = 1) -> Fault:
        """Keep the client waiting until the release, then reset. `forwarded`: the server has carried it out."""
        return self._add(Fault("hold", method, path, after, times, forwarded=forwarded))

    def clear(self) -> None:
        """Forget all faults, and let go what they hold."""
        with self._lock:
            for fault in self.faults:
                fault.release.set()
            self.faults.clear()

    def close(self) -> None:
        """Let go of what is held and stop listening."""
        self.clear()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _add(self, fault: Fault) -> Fault:
        with self._lock:
            self.faults.append(fault)
        return fault

    def _meeting(self, method: str, path: str) -> Fault | None:
        with self._lock:
            return next((fault for fault in self.faults if fault.meets(method, path)), None)

    def _note(self, passed: Passed) -> None:
        with self._lock:
            self.requests.append(passed)

    def _connect(self) -> http.client.HTTPConnection:
        host, port = self._upstream.hostname or "", self._upstream.port
        if self._trust:
            return http.client.HTTPSConnection(host, port, context=self._trust, timeout=PATIENCE)
        return http.client.HTTPConnection(host, port, timeout=PATIENCE)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, proxy: FaultProxy, certificate: tuple[Path, Path] | None) -> None:
        self.proxy = proxy
        self._tls: ssl.SSLContext | None = None
        if certificate:
            self._tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            self._tls.load_cert_chain(*certificate)
        super().__init__(("127.0.0.1", 0), _Handler)

    def get_request(self) -> tuple[socket.socket, tuple[str, int]]:
        connection, address = super().get_request()
        # Else an answer's last short packet waits 40 ms for the client's delayed acknowledgement.
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._tls:
            # The handshake is the connection's thread's business: a client that never begins one holds up nobody.
            connection = self._tls.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
        return connection, address

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away in the middle is what these tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    upstream: http.client.HTTPConnection | None = None
    """Stays open as long as the client's connection: a TLS handshake for every request costs more than the request."""

    def finish(self) -> None:
        """The client has gone."""
        self._hang_up()
        super().finish()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: `requests` has it."""

    def do_GET(self) -> None:
        """Any request: read it, see whether a fault meets it, pass it on."""
        proxy = self.server.proxy
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fault = proxy._meeting(self.command, self.path)
        if fault:
            fault.reached.set()
        if fault and fault.action == "answer":
            self._note(fault.status)
            self._answer(fault)
            return
        if fault and fault.action == "stall":
            fault.release.wait(fault.seconds)
        if fault and fault.action in ("reset", "hold") and not fault.forwarded:
            self._note(0)
            self._wait_and_reset(fault)
            return
        self._pass(body, fault)

    do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = do_GET

    def _pass(self, body: bytes, fault: Fault | None) -> None:
        own = {"connection", "keep-alive", "transfer-encoding"}
        headers = {name: value for name, value in self.headers.items() if name.lower() not in own}
        whole = False
        try:
            answer = self._asked(body, headers)
            self._note(answer.status)
            if fault and fault.action in ("reset", "hold"):
                answer.read()
                self._wait_and_reset(fault)
                return
            self._relay(answer, fault.length if fault and fault.action == "cut" else None)
            whole = answer.isclosed() and not answer.will_close
        finally:
            if not whole:
                self._hang_up()

    def _asked(self, body: bytes, headers: Mapping[str, str]) -> http.client.HTTPResponse:
        """Over the open connection, or a new one; one that the server has closed meanwhile is replaced for reads."""
        kept = self.upstream is not None
        connection = self.upstream = self.upstream or self.server.proxy._connect()
        try:
            connection.request(self.command, self.path, body or None, headers)
            return connection.getresponse()
        except (http.client.HTTPException, OSError):
            self._hang_up()
            if not kept or self.command != "GET":
                raise
        connection = self.upstream = self.server.proxy._connect()
        connection.request(self.command, self.path, body or None, headers)
        return connection.getresponse()

    def _hang_up(self) -> None:
        if self.upstream is not None:
            self.upstream.close()
            self.upstream = None

    def _relay(self, answer: http.client.HTTPResponse, limit: int | None) -> None:
        """Pass the answer on as it comes, chunked, for a watch never ends; a limited one is reset after so many bytes."""
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("transfer-encoding", "connection", "content-length", "date", "server"):
                self.send_header(name, value)
        bodiless = self.command == "HEAD" or answer.status in (204, 304)
        self.send_header(*(("Content-Length", "0") if bodiless else ("Transfer-Encoding", "chunked")))
        self.end_headers()
        for block in () if bodiless else _blocks(answer, limit):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(block), block))
        if limit is not None:
            self._reset()
        elif not bodiless:
            self.wfile.write(b"0\r\n\r\n")

    def _answer(self, fault: Fault) -> None:
        self.send_response(fault.status)
        headers = {"Content-Type": "application/json", "Content-Length": str(len(fault.body)), **fault.headers}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(fault.body)

    def _wait_and_reset(self, fault: Fault) -> None:
        if fault.action == "hold":
            fault.release.wait(PATIENCE)
        self._reset()

    def _reset(self) -> None:
        """RST, not FIN: what a router does when it forgets a connection."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        with suppress(OSError):
            # The stream's own closing would say goodbye first. The file objects keep the descriptor, so it is closed under them.
            socket.socket(fileno=self.connection.detach()).close()

    def _note(self, status: int) -> None:
        self.server.proxy._note(Passed(self.command, self.path, status, dict(self.headers.items())))


def _blocks(answer: http.client.HTTPResponse, limit: int | None) -> Iterator[bytes]:
    left = limit
    while left is None or left > 0:
        block = answer.read1(65536 if left is None else min(left, 65536))
        if not block:
            return
        if left is not None:
            left -= len(block)
        yield block
