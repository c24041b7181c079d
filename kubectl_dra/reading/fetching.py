"""Several requests under way at once; their answers are taken by one thread, which alone decodes and shares."""

import queue
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from kubectl_dra.errors import DraError

AT_ONCE = 6
"""Requests under way at the same time: more make the server queue them (priority and fairness) and this process hold their answers."""

K = TypeVar("K")


class Gets(Protocol):
    """What a reading needs of a transport."""

    def get(self, path: str, query: Mapping[str, str] = ..., *, accept: str = ...) -> bytes:
        """The body of a GET request; raises errors of the `errors` tree. Called by several threads."""


@dataclass(frozen=True, slots=True)
class Request:
    """One GET request."""

    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    accept: str = "application/json"


class Fetching(Generic[K]):
    """Asks and hands back. Its threads are daemons: Ctrl-C need not wait for an answer.

    Each key has a thread of its own, because malloc keeps what a thread has freed for that thread: pages of megabytes that came by
    turns through six threads would take six times their place.
    """

    def __init__(self, transport: Gets, at_once: int = AT_ONCE) -> None:
        """Take the transport and how many requests may be under way."""
        self._transport = transport
        self._asked: dict[K, queue.SimpleQueue[Request | None]] = {}
        self._answered: queue.SimpleQueue[tuple[K, bytes | BaseException]] = queue.SimpleQueue()
        self._turns = threading.Semaphore(at_once)
        self._open = 0

    def ask(self, key: K, request: Request) -> None:
        """Send `request` as soon as it is its turn; its answer will come under `key`."""
        self._open += 1
        asked = self._asked.get(key)
        if asked is None:
            asked = self._asked[key] = queue.SimpleQueue()
            threading.Thread(target=self._work, args=(key, asked), name=f"reading {key}", daemon=True).start()
        asked.put(request)

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
            for asked in self._asked.values():
                asked.put(None)
            self._asked.clear()

    def _work(self, key: K, asked: "queue.SimpleQueue[Request | None]") -> None:
        while (request := asked.get()) is not None:
            with self._turns:
                self._answered.put((key, self._get(request)))

    def _get(self, request: Request) -> bytes | BaseException:
        try:
            return self._transport.get(request.path, request.query, accept=request.accept)
        except BaseException as error:  # noqa: BLE001 - handed to the taker, who raises it
            return error
