"""The fault proxy, in front of a plain server: it meets what it should, and passes everything else unchanged."""

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import urllib3

from tests.bed.proxy import FaultProxy

BODY = b"0123456789" * 1000


class Origin(ThreadingHTTPServer):
    """A server that answers everything with BODY and keeps what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        """Listen on loopback."""
        self.asked: list[tuple[str, str, bytes]] = []
        super().__init__(("127.0.0.1", 0), OriginHandler)


class OriginHandler(BaseHTTPRequestHandler):
    """Keeps the request, answers BODY."""

    protocol_version = "HTTP/1.1"
    server: Origin

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.asked.append((self.command, self.path, body))
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(BODY)

    do_POST = do_GET

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def origin() -> Iterator[Origin]:
    server = Origin()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def before(origin: Origin, proxy: Callable[..., FaultProxy]) -> FaultProxy:
    return proxy(f"http://127.0.0.1:{origin.server_port}")


@pytest.fixture
def client() -> Iterator[urllib3.PoolManager]:
    with urllib3.PoolManager(retries=False, timeout=20) as pool:
        yield pool


def test_what_no_fault_meets_passes_unchanged(origin: Origin, before: FaultProxy, client: urllib3.PoolManager) -> None:
    answer = client.request("POST", f"{before.url}/a?b=c", body=b"hello")

    assert (answer.status, answer.data, answer.headers["Content-Type"]) == (200, BODY, "text/plain")
    assert origin.asked == [("POST", "/a?b=c", b"hello")]
    assert [(passed.method, passed.path, passed.status) for passed in before.requests] == [("POST", "/a?b=c", 200)]


def test_after_and_times_choose_the_requests_that_are_met(origin: Origin, before: FaultProxy, client: urllib3.PoolManager) -> None:
    before.answer("^/pods", 429, b"slow down", headers={"Retry-After": "1"}, method="GET", after=1, times=2)

    answers = [client.request("GET", f"{before.url}/pods") for _ in range(4)]

    assert [answer.status for answer in answers] == [200, 429, 429, 200]
    assert (answers[1].data, answers[1].headers["Retry-After"]) == (b"slow down", "1")
    assert client.request("GET", f"{before.url}/nodes").status == 200
    assert len(origin.asked) == 3


@pytest.mark.parametrize(("forwarded", "asked"), [(False, 0), (True, 1)])
def test_a_reset_comes_before_or_after_the_server_acted(
    origin: Origin, before: FaultProxy, client: urllib3.PoolManager, forwarded: bool, asked: int
) -> None:
    before.reset("/", forwarded=forwarded)

    with pytest.raises(urllib3.exceptions.ProtocolError, match="Connection reset by peer"):
        client.request("POST", f"{before.url}/evict")

    assert len(origin.asked) == asked


def test_a_cut_answer_ends_in_the_middle(before: FaultProxy, client: urllib3.PoolManager) -> None:
    before.cut("/", 25)
    answer = client.request("GET", before.url, preload_content=False)

    assert answer.read1(25) == BODY[:25]
    with pytest.raises(urllib3.exceptions.ProtocolError):
        answer.read()
    answer.close()


def test_a_stalled_request_goes_on_when_released(before: FaultProxy, client: urllib3.PoolManager) -> None:
    fault = before.stall("/")
    answers: list[bytes] = []
    asking = threading.Thread(target=lambda: answers.append(client.request("GET", before.url).data))
    asking.start()
    assert fault.reached.wait(20)
    assert answers == []

    fault.release.set()

    asking.join()
    assert answers == [BODY]


def test_a_held_request_is_carried_out_and_never_answered(origin: Origin, before: FaultProxy, client: urllib3.PoolManager) -> None:
    fault = before.hold("/", forwarded=True)
    failures: list[Exception] = []

    def ask() -> None:
        try:
            client.request("POST", before.url)
        except urllib3.exceptions.ProtocolError as error:
            failures.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    assert fault.reached.wait(20)

    fault.release.set()

    asking.join()
    assert len(failures) == 1
    assert [method for method, _, _ in origin.asked] == ["POST"]
