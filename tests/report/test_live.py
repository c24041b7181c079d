"""The line that counts while a cluster is read."""

from dataclasses import dataclass

from kubectl_dra.environment import Clock, Environment
from kubectl_dra.progress import Observer, ReadingKind, Retrying, Waiting, nobody
from kubectl_dra.report.live import SECONDS_UNSEEN, watching
from tests.run import Stream


@dataclass
class Time:
    """A clock that stands still until it is moved."""

    seconds: float = 0

    def read(self) -> float:
        return self.seconds


def environment(time: Time, *, terminal: bool, variables: dict[str, str] | None = None) -> tuple[Environment, Stream]:
    stderr = Stream(terminal=terminal)
    return Environment(Stream(), Stream(), stderr, variables or {"TERM": "xterm", "COLUMNS": "80"}, Clock(monotonic=time.read)), stderr


def work(observer: Observer, time: Time) -> None:
    observer(ReadingKind("nodes", 10, done=True))
    time.seconds += SECONDS_UNSEEN
    observer(ReadingKind("pods", 12000))
    observer(Retrying("pods", "the server is busy", 2))
    observer(Waiting("a second look", 10))
    observer(ReadingKind("pods", 12001, done=True))


def test_on_a_terminal_it_counts_on_stderr_and_wipes_the_line() -> None:
    time = Time()
    surroundings, stderr = environment(time, terminal=True)
    with watching(surroundings) as observer:
        work(observer, time)
    shown = stderr.text()
    assert "Reading: 1 kind done, pods 12,000" in shown
    assert shown.endswith("\x1b[?25h\r\x1b[1A\x1b[2K")


def test_a_wait_is_shown_from_its_beginning_with_what_is_left_of_it() -> None:
    time = Time()
    surroundings, stderr = environment(time, terminal=True)
    with watching(surroundings) as observer:
        observer(Waiting("a second reading", 372))
        assert "waiting for a second reading (6m 12s left)" in stderr.text()


def test_what_is_quick_shows_nothing() -> None:
    surroundings, stderr = environment(Time(), terminal=True)
    with watching(surroundings) as observer:
        observer(ReadingKind("nodes", 10, done=True))
    assert stderr.text() == ""


def test_without_a_terminal_nobody_watches() -> None:
    for terminal, variables in ((False, None), (True, {"TERM": "dumb"})):
        surroundings, stderr = environment(Time(), terminal=terminal, variables=variables)
        with watching(surroundings) as observer:
            assert observer is nobody
        assert stderr.text() == ""
