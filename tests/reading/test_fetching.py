"""Requests under way at once, and their answers in one thread."""

import threading
from collections.abc import Callable, Mapping

import pytest

from kubectl_dra.errors import ApiError
from kubectl_dra.reading.fetching import Fetching, Request


class Server:
    """Answers with the path. Requests wait at a barrier until so many are there at once; `most` is how many there ever were."""

    def __init__(self, together: int = 1) -> None:
        self.most = 0
        self.threads: dict[str, set[int]] = {}
        self._now = 0
        self._lock = threading.Lock()
        self._barrier = threading.Barrier(together)

    def get(
        self,
        path: str,
        query: Mapping[str, str] | None = None,
        *,
        accept: str = "",
        on_head: Callable[[bytes], None] | None = None,
    ) -> bytes:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
            self.threads.setdefault(path, set()).add(threading.get_ident())
        self._barrier.wait(20)
        with self._lock:
            self._now -= 1
        if path == "/refused":
            raise ApiError("no", code=403)
        if path == "/broken":
            raise ZeroDivisionError
        return f"{path} {dict(query or {})} {accept}".encode()


def test_answers_come_under_their_keys() -> None:
    fetching: Fetching[str] = Fetching(Server())
    fetching.ask("a", Request("/a", {"limit": "1"}))
    fetching.ask("b", Request("/b", accept="text/plain"))
    assert dict(fetching.answers()) == {"a": b"/a {'limit': '1'} application/json", "b": b"/b {} text/plain"}


def test_so_many_requests_are_under_way_at_once_and_no_more() -> None:
    server = Server(together=3)
    fetching: Fetching[int] = Fetching(server, at_once=3)
    for number in range(12):
        fetching.ask(number, Request(f"/{number}"))
    assert sorted(key for key, _ in fetching.answers()) == list(range(12))
    assert server.most == 3


def test_the_taker_may_ask_on_and_a_key_keeps_its_thread() -> None:
    server = Server()
    fetching: Fetching[str] = Fetching(server)
    fetching.ask("pages", Request("/pages"))
    taken = 0
    for key, _ in fetching.answers():
        taken += 1
        if taken < 5:
            fetching.ask(key, Request("/pages"))
    assert taken == 5
    assert len(server.threads["/pages"]) == 1


def test_a_refusal_is_an_answer_and_a_fault_of_ours_is_raised() -> None:
    fetching: Fetching[str] = Fetching(Server())
    fetching.ask("a", Request("/refused"))
    [(key, answer)] = fetching.answers()
    assert (key, type(answer)) == ("a", ApiError)
    fetching.ask("b", Request("/broken"))
    with pytest.raises(ZeroDivisionError):
        list(fetching.answers())


class Pages:
    """Five pages, each of which tells its number in its head. `held` pages end only when they are let go; `asked` are the pages so far."""

    def __init__(self, held: int | None = None) -> None:
        self.asked: list[int] = []
        self.held = held
        self.let_go = threading.Event()
        self.came: dict[int, threading.Event] = {number: threading.Event() for number in range(5)}

    def get(
        self,
        path: str,
        query: Mapping[str, str] | None = None,
        *,
        accept: str = "",
        on_head: Callable[[bytes], None] | None = None,
    ) -> bytes:
        number = int(path)
        self.asked.append(number)
        self.came[number].set()
        assert on_head is not None
        on_head(path.encode())
        on_head(path.encode())  # a request that is repeated has its head twice
        if number == self.held:
            assert self.let_go.wait(20)
        return path.encode()


def follows(head: bytes) -> Request | None:
    return Request(str(int(head) + 1)) if int(head) < 4 else None


def test_the_next_page_is_asked_for_when_one_begins_to_arrive_and_each_only_once() -> None:
    pages = Pages(held=0)
    fetching: Fetching[str] = Fetching(pages)
    fetching.ask("list", Request("0"), follows)
    assert pages.came[1].wait(20)  # while page 0 is still on its way
    pages.let_go.set()
    taken = []
    for key, answer in fetching.answers():
        assert isinstance(answer, bytes)
        taken.append(int(answer))
        if following := follows(answer):
            fetching.ask(key, following, follows)
    assert (taken, sorted(pages.asked)) == ([0, 1, 2, 3, 4], [0, 1, 2, 3, 4])


def test_no_more_than_one_page_is_read_ahead() -> None:
    pages = Pages()
    fetching: Fetching[str] = Fetching(pages)
    fetching.ask("list", Request("0"), follows)
    answers = fetching.answers()
    assert next(answers) == ("list", b"0")
    assert pages.came[1].wait(20)
    fetching.ask("list", Request("1"), follows)
    assert next(answers) == ("list", b"1")
    assert pages.came[2].wait(20)
    assert 3 not in pages.asked


def test_a_page_that_was_asked_for_early_and_is_not_wanted_is_dropped() -> None:
    pages = Pages()
    fetching: Fetching[str] = Fetching(pages)
    fetching.ask("list", Request("0"), follows)
    answers = fetching.answers()
    assert next(answers) == ("list", b"0")
    assert pages.came[1].wait(20)
    fetching.ask("list", Request("4"), follows)  # the list is begun again
    assert list(answers) == [("list", b"4")]
