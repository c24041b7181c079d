"""A small real HTTP proxy on loopback: CONNECT for TLS, whole URLs for plain requests."""

import base64
import http.client
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from tests.peers import tls_server


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "Proxy"

    def log_message(self, format: str, *args: object) -> None:
        pass

    def handle(self) -> None:
        with suppress(ConnectionError, ssl.SSLError):
            super().handle()

    def _let_in(self) -> bool:
        self.server.asked.append(f"{self.command} {self.path}")
        if self.server.refuses:
            self.send_error(self.server.refuses)
            return False
        wanted = self.server.login and "Basic " + base64.b64encode(self.server.login.encode()).decode()
        if wanted and self.headers.get("Proxy-Authorization") != wanted:
            self.send_error(407)
            return False
        return True

    def do_CONNECT(self) -> None:
        if not self._let_in():
            return
        host, _, port = self.path.rpartition(":")
        with socket.create_connection((self.server.names.get(host, host.strip("[]")), int(port))) as there:
            self.send_response(200)
            self.end_headers()
            self.close_connection = True
            back = threading.Thread(target=_copy, args=(there, self.connection), daemon=True)
            back.start()
            _copy(self.connection, there)
            back.join()

    def do_GET(self) -> None:
        if not self._let_in():
            return
        url = urlsplit(self.path)
        there = http.client.HTTPConnection(self.server.names.get(url.hostname or "", url.hostname or ""), url.port)
        there.request("GET", url.path, headers=dict(self.headers.items()))
        answer = there.getresponse()
        body = answer.read()
        there.close()
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.headers["Content-Type"])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _copy(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while block := source.recv(65536):
            sink.sendall(block)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_WR)


class Proxy(ThreadingHTTPServer):
    """`asked` has what it was asked; `names` are hosts that only it can find."""

    daemon_threads = True

    def __init__(self, tls: str, login: str, refuses: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[str] = []
        self.names = {"api.example.com": "127.0.0.1"}
        self.login = login
        self.refuses = refuses
        self._tls = tls_server(tls) if tls else None
        self.host = f"127.0.0.1:{self.server_port}"
        self.url = f"{'https' if tls else 'http'}://{self.host}"

    def finish_request(self, request: socket.socket | tuple[bytes, socket.socket], client_address: object) -> None:
        if self._tls is None or not isinstance(request, socket.socket):
            super().finish_request(request, client_address)
            return
        with suppress(OSError), self._tls.wrap_socket(request, server_side=True) as wrapped:
            super().finish_request(wrapped, client_address)


@contextmanager
def proxy(*, tls: str = "", login: str = "", refuses: int = 0) -> Iterator[Proxy]:
    """Serve until the block ends. `login` is `user:password`; `refuses` is the status that everybody gets."""
    server = Proxy(tls, login, refuses)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
