"""A small real HTTP server on loopback, with or without TLS, that answers (or fails to) as a test tells it."""

import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

CERTIFICATES = Path(__file__).parent / "certificates"


def certificate(name: str) -> str:
    """The path of a certificate of the tests."""
    return str(CERTIFICATES / f"{name}.crt")


def key(name: str) -> str:
    """The path of its key."""
    return str(CERTIFICATES / f"{name}.key")


@dataclass(frozen=True)
class Request:
    """What came in. `headers` in order, names in lower case; `client` is the common name of the client certificate."""

    method: str
    path: str
    headers: tuple[tuple[str, str], ...]
    body: bytes = b""
    client: str = ""
    server_name: str = ""

    def all(self, name: str) -> tuple[str, ...]:
        """The values of a header."""
        return tuple(value for header, value in self.headers if header == name)

    def one(self, name: str) -> str:
        """The value of a header that comes once or not at all."""
        return next(iter(self.all(name)), "")


@dataclass(frozen=True)
class Reply:
    """An answer, or the beginning of one.

    After `cut` bytes of the body the connection is reset (`polite`: closed).
    With `hold` it waits first (`hold_at`: after so many bytes of the body).
    """

    body: bytes = b"{}"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})
    cut: int | None = None
    polite: bool = False
    reset: bool = False
    chunked: bool = False
    hold: threading.Event | None = None
    hold_at: int = 0


Connected = socket.socket | tuple[bytes, socket.socket]

Handler = Callable[[Request], Reply]


class _OneConnection(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60
    server: "_Server"

    def log_message(self, format: str, *args: object) -> None:
        pass

    def handle(self) -> None:
        self.server.peer.connections += 1
        with suppress(ConnectionError, ssl.SSLError):  # the client went away, which some tests are about
            super().handle()

    def answer(self) -> None:
        request = Request(
            self.command,
            self.path,
            tuple((name.lower(), value) for name, value in self.headers.items()),
            self.rfile.read(int(self.headers.get("Content-Length") or 0)),
            _common_name(self.connection),
            getattr(self.connection, "server_name_sent", ""),
        )
        self.server.peer.requests.append(request)
        self.send(self.server.peer.answer(request))

    do_GET = do_POST = answer

    def send(self, reply: Reply) -> None:
        if reply.hold is not None and not reply.hold_at:
            reply.hold.wait(60)
        if reply.reset:
            self.hang_up()
            return
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        body = reply.body if reply.cut is None else reply.body[: reply.cut]
        if reply.chunked:
            self.send_header("Transfer-Encoding", "chunked")
            body = b"%x\r\n%s\r\n" % (len(body), body) + (b"0\r\n\r\n" if reply.cut is None else b"")
        else:
            self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(body[: reply.hold_at])
        if reply.hold is not None and reply.hold_at:
            reply.hold.wait(60)
        self.wfile.write(body[reply.hold_at :])
        if reply.cut is not None and reply.polite:
            self.close_connection = True
        elif reply.cut is not None:
            self.hang_up()

    def hang_up(self) -> None:
        """End the connection with a reset, as a server does that dies."""
        self.close_connection = True
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        socket.socket.close(self.connection)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, peer: "Peer", tls: ssl.SSLContext | None, host: str) -> None:
        self.peer = peer
        self.tls = tls
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, 0), _OneConnection)

    def finish_request(self, request: Connected, client_address: object) -> None:
        if self.tls is not None and isinstance(request, socket.socket):
            try:
                request = self.tls.wrap_socket(request, server_side=True)
            except OSError:
                return  # a handshake that fails is the client's affair
        try:
            super().finish_request(request, client_address)
        finally:
            if isinstance(request, ssl.SSLSocket):
                request.close()  # the server itself only knows the socket below


class Peer:
    """A server under way; `requests` has what it was asked, `connections` how often somebody connected."""

    def __init__(self, answer: Handler, tls: ssl.SSLContext | None, host: str) -> None:
        self.answer = answer
        self.requests: list[Request] = []
        self.connections = 0
        self._server = _Server(self, tls, host)
        self.port = self._server.server_port
        self.host = f"[{host}]" if ":" in host else host
        self.url = f"{'https' if tls else 'http'}://{self.host}:{self.port}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def _common_name(connection: socket.socket) -> str:
    shown = connection.getpeercert() if isinstance(connection, ssl.SSLSocket) else None
    subject: Any = shown.get("subject", ()) if shown else ()
    return next((value for part in subject for name, value in part if name == "commonName"), "")


def tls_server(name: str = "server") -> ssl.SSLContext:
    """A TLS context that shows a certificate of the tests and asks clients for one of theirs."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate(name), key(name))
    context.load_verify_locations(certificate("authority"))
    context.verify_mode = ssl.CERT_OPTIONAL

    def note(connection: ssl.SSLObject | ssl.SSLSocket, server_name: str | None, _: ssl.SSLContext) -> None:
        setattr(connection, "server_name_sent", server_name or "")  # noqa: B010 # a note of ours on it

    context.sni_callback = note
    return context


@contextmanager
def peer(answer: Handler | Reply, *, tls: str = "", host: str = "127.0.0.1") -> Iterator[Peer]:
    """Serve until the block ends. `tls` names the certificate to show; empty means plain HTTP."""
    handler: Handler = (lambda _: answer) if isinstance(answer, Reply) else answer
    server = Peer(handler, tls_server(tls) if tls else None, host)
    try:
        yield server
    finally:
        server.close()
