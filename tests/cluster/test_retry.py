"""What is tried again, how often, and what is not."""

from collections.abc import Sequence
from http import HTTPStatus

import pytest

from kubectl_dra.cluster.retry import ATTEMPTS, Patience
from kubectl_dra.errors import ApiError, DraError, UnreachableError
from kubectl_dra.progress import Retrying
from tests.cluster.connecting import Given, connection, transport
from tests.peers import Handler, Peer, Reply, Request, peer

LONG = b'{"items": [' + b'{"a": 1},' * 5000 + b'{"a": 2}]}'
BUSY = Reply(b"Too many requests, please try again later.\n", 429, {"Content-Type": "text/plain", "Retry-After": "2"})


def in_turn(*replies: Reply) -> Handler:
    """One reply after the other, the last one again and again."""
    left = list(replies)

    def answer(_: Request) -> Reply:
        return left.pop(0) if len(left) > 1 else left[0]

    return answer


def read(server: Peer) -> tuple[bytes, Given]:
    given = transport(server.url)
    with given.transport as client:
        return client.get("/api/v1/pods"), given


def refused(server: Peer) -> tuple[DraError, Given]:
    given = transport(server.url)
    with given.transport as client, pytest.raises(DraError) as caught:
        client.get("/api/v1/pods")
    return caught.value, given


def test_429_waits_as_long_as_the_server_asks() -> None:
    with peer(in_turn(BUSY, Reply())) as server:
        body, given = read(server)
    assert body == b"{}"
    assert given.events == [
        Retrying("GET /api/v1/pods", "GET /api/v1/pods: Too many requests, please try again later.", pytest.approx(2.0))  # type: ignore[arg-type]
    ]
    assert sum(given.slept) == pytest.approx(2.0)


def test_429_without_end() -> None:
    with peer(BUSY) as server:
        error, given = refused(server)
    assert isinstance(error, ApiError) and (error.code, error.retry_after) == (429, 2.0)
    assert (len(server.requests), len(given.events)) == (ATTEMPTS, ATTEMPTS - 1)


def test_a_wait_that_is_too_long_is_not_waited_for() -> None:
    body = b'{"kind": "Status", "code": 429, "message": "later", "details": {"retryAfterSeconds": 3600}}'
    with peer(Reply(body, 429)) as server:
        error, given = refused(server)
    assert isinstance(error, ApiError) and error.retry_after == 3600.0
    assert (len(server.requests), given.slept) == (1, [])


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_5xx(status: int) -> None:
    with peer(in_turn(Reply(b"", status, {}), Reply(b"", status, {}), Reply())) as server:
        body, given = read(server)
        message = f"127.0.0.1:{server.port} answers {status} {HTTPStatus(status).phrase}"
    assert body == b"{}"
    assert [event.why for event in given.events if isinstance(event, Retrying)] == [message, message]


def test_5xx_without_end() -> None:
    with peer(Reply(b"<html>", 502, {"Content-Type": "text/html"})) as server:
        error, _ = refused(server)
        assert isinstance(error, UnreachableError)
        assert error.message == f"127.0.0.1:{server.port} answers 502 Bad Gateway"
    assert (len(server.requests), error.status) == (ATTEMPTS, 3)


@pytest.mark.parametrize("status", [400, 403, 404, 410, 501])
def test_other_refusals_are_final(status: int) -> None:
    with peer(Reply(b'{"kind": "Status"}', status)) as server:
        refused(server)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "broken",
    [
        Reply(reset=True),
        Reply(LONG, cut=100),
        Reply(LONG, cut=len(LONG) - 1),
        Reply(LONG, cut=0),
        Reply(LONG, cut=100, chunked=True),
        Reply(LONG, cut=len(LONG), chunked=True),
    ],
)
def test_a_body_that_was_cut_off_is_read_again(broken: Reply) -> None:
    with peer(in_turn(broken, Reply(LONG))) as server:
        body, given = read(server)
    assert body == LONG
    assert len(given.events) == 1


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("polite", [False, True])
@pytest.mark.parametrize("timeout", [None, 20.0])
def test_a_body_that_is_always_cut_off_never_looks_complete(chunked: bool, polite: bool, timeout: float | None) -> None:
    with peer(Reply(LONG, cut=len(LONG) - 2, chunked=chunked, polite=polite)) as server:
        given = transport(connection(server.url, timeout=timeout))
        with given.transport as client, pytest.raises(UnreachableError) as caught:
            client.get("/api/v1/pods")
        assert caught.value.message == f"127.0.0.1:{server.port} ended the connection before its answer was complete"
    assert len(server.requests) == ATTEMPTS


def test_waits_grow_and_end() -> None:
    patience = Patience()
    waits: Sequence[float | None] = [patience.wait(None) for _ in range(ATTEMPTS)]
    for wait, longest in zip(waits, (0.5, 1.0, 2.0, 4.0), strict=False):
        assert wait is not None and longest / 2 <= wait <= longest
    assert waits[-1] is None
