"""Several requests under way at once; their answers are taken by one thread, which alone decodes and shares."""

import queue
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from kubectl_dra.errors import DraError

AT_ONCE = 6
"""Requests under way at the same time: more make the server queue them (priority and fairness) and this process hold their answers."""

K = TypeVar("K")


class Gets(Protocol):
    """What a reading needs of a transport."""

    def get(self, path: str, query: Mapping[str, str] = ..., *, accept: str = ..., on_head: Callable[[bytes], None] | None = ...) -> bytes:
        """The body of a GET request; raises errors of the `errors` tree. Called by several threads."""


@dataclass(frozen=True, slots=True)
class Request:
    """One GET request."""

    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    accept: str = "application/json"


Follows = Callable[[bytes], Request | None]
"""From the head of an answer: the request that will come next, if that can be told."""


@dataclass(slots=True, eq=False)
class _Sent:
    """A request under way. It is `wanted` once somebody asked for it; one sent early waits for that with its answer."""

    request: Request
    follows: Follows | None
    wanted: bool
    next: Request | None = None
    answer: bytes | BaseException | None = None


class _Lane(Generic[K]):
    """The requests of one key, one after the other; the one that follows is sent as soon as the head of an answer tells it.

    Two threads take turns. There are not more, because malloc keeps what a thread has freed for that thread: pages of megabytes that
    came by turns through six threads would take six times their place.
    """

    def __init__(self, key: K, transport: Gets, turns: threading.Semaphore, answered: "Answered[K]") -> None:
        self._key, self._transport, self._turns, self._answered = key, transport, turns, answered
        self._lock = threading.Lock()
        self._early: _Sent | None = None
        self._turn = 0
        self._workers: list[queue.SimpleQueue[_Sent | None]] = []

    def want(self, request: Request, follows: Follows | None) -> None:
        """Send `request`, unless it is under way already."""
        with self._lock:
            early, self._early = self._early, None
            if early is None or early.request != request:
                self._send(_Sent(request, follows, wanted=True))
                return
            early.wanted = True
            self._send_next(early)
            if early.answer is not None:
                self._answered.put((self._key, early.answer))
                early.answer = None

    def close(self) -> None:
        """Let the threads go when they are done with what they do."""
        for worker in self._workers:
            worker.put(None)

    def _send(self, sent: _Sent) -> None:
        if self._turn == len(self._workers):
            self._workers.append(queue.SimpleQueue())
            name = f"reading {self._key}"
            threading.Thread(target=self._work, args=(self._workers[-1],), name=name, daemon=True).start()
        self._workers[self._turn].put(sent)

    def _send_next(self, sent: _Sent) -> None:
        """Send what follows `sent`, once that is known and `sent` itself is wanted: one page ahead, not more."""
        if sent.wanted and sent.next is not None and self._early is None:
            self._early = _Sent(sent.next, sent.follows, wanted=False)
            sent.next = None
            self._turn = 1 - self._turn  # the thread of `sent` is still busy with it
            self._send(self._early)

    def _work(self, sends: "queue.SimpleQueue[_Sent | None]") -> None:
        while (sent := sends.get()) is not None:
            with self._turns:
                answer = self._get(sent)
            with self._lock:
                if sent.wanted:
                    self._answered.put((self._key, answer))
                else:
                    sent.answer = answer
            del sent, answer  # a page: not to be held while the next request is waited for

    def _get(self, sent: _Sent) -> bytes | BaseException:
        def on_head(head: bytes) -> None:
            with self._lock:
                if sent.follows is not None:
                    sent.next = sent.follows(head)
                    self._send_next(sent)

        request = sent.request
        try:
            return self._transport.get(request.path, request.query, accept=request.accept, on_head=on_head if sent.follows else None)
        except BaseException as error:  # noqa: BLE001 - handed to the taker, who raises it
            return error


Answered = queue.SimpleQueue[tuple[K, bytes | BaseException]]


class Fetching(Generic[K]):
    """Asks and hands back. Its threads are daemons: Ctrl-C need not wait for an answer."""

    def __init__(self, transport: Gets, at_once: int = AT_ONCE) -> None:
        """Take the transport and how many requests may be under way."""
        self._transport = transport
        self._lanes: dict[K, _Lane[K]] = {}
        self._answered: Answered[K] = queue.SimpleQueue()
        self._turns = threading.Semaphore(at_once)
        self._open = 0

    def ask(self, key: K, request: Request, follows: Follows | None = None) -> None:
        """Send `request` as soon as it is its turn; its answer will come under `key`.

        `follows` tells from the head of the answer what will be asked next under this key; that is then sent early. It is called by
        another thread.
        """
        self._open += 1
        lane = self._lanes.get(key)
        if lane is None:
            lane = self._lanes[key] = _Lane(key, self._transport, self._turns, self._answered)
        lane.want(request, follows)

    def answers(self) -> Iterator[tuple[K, bytes | DraError]]:
        """The answers, or what went wrong, as they arrive; ends when nothing is asked any more. The taker may ask in between."""
        try:
            while self._open:
                key, answer = self._answered.get()
                self._open -= 1
                if isinstance(answer, BaseException) and not isinstance(answer, DraError):
                    raise answer
                yield key, answer
                del answer  # a page: not to be held while the next one is waited for
        finally:
            for lane in self._lanes.values():
                lane.close()
            self._lanes.clear()
