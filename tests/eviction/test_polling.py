"""Waiting with a limit, on a clock of the test's own."""

from collections.abc import Iterator

import pytest

from kubectl_dra.environment import Clock
from kubectl_dra.errors import TimedOutError
from kubectl_dra.eviction.polling import Polling


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    @property
    def clock(self) -> Clock:
        return Clock(sleep=self.sleep, monotonic=lambda: self.now)


def answers(*texts: str) -> Iterator[str]:
    yield from texts


def test_it_looks_until_nothing_is_missing() -> None:
    time, told, looks = Time(), list[tuple[str, float, float | None]](), answers("two", "one", "")
    Polling(time.clock, 2.0, 10.0, lambda *each: told.append(each)).until(lambda: next(looks))
    assert told == [("two", 0.0, 10.0), ("one", 2.0, 8.0)]
    assert time.slept == [2.0, 2.0]


def test_it_gives_up_with_the_last_words_and_looks_once_at_least() -> None:
    time, looks = Time(), answers("a", "b", "c")
    with pytest.raises(TimedOutError) as caught:
        Polling(time.clock, 2.0, 3.0).until(lambda: next(looks), hint="look there")
    assert (caught.value.message, caught.value.hint, caught.value.status) == ("after 3 s: c", "look there", 4)
    assert time.slept == [2.0, 1.0]
    with pytest.raises(TimedOutError, match="after 0 s: still"):
        Polling(time.clock, 2.0, 0.0).until(lambda: "still")
    Polling(time.clock, 2.0, 0.0).until(lambda: "")


def test_what_comes_before_each_look_may_end_it() -> None:
    time = Time()

    def stop() -> None:
        if time.slept:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Polling(time.clock, 1.0, None, before_each=stop).until(lambda: "more")
    assert time.slept == [1.0]
