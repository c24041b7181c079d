"""Waiting by asking again."""

from collections.abc import Iterator

import pytest

from tests.bed.waiting import wait_until


def answers(*values: object) -> Iterator[object]:
    """These, one after the other; an exception is raised."""
    yield from values


def ask(values: Iterator[object]) -> object:
    """The next answer."""
    value = next(values)
    if isinstance(value, Exception):
        raise value
    return value


def test_the_first_true_answer_is_given() -> None:
    values = answers(None, 0, AssertionError("not yet"), "there", "too late")

    assert wait_until(lambda: ask(values), "it is there") == "there"


def test_when_time_runs_out_the_last_answer_is_told() -> None:
    with pytest.raises(AssertionError, match=r"^it is there: not within -1 s; last seen: AssertionError\('not yet'\)$"):
        wait_until(lambda: ask(answers(AssertionError("not yet"))), "it is there", limit=-1)


def test_other_errors_are_not_waited_out() -> None:
    with pytest.raises(KeyError):
        wait_until(lambda: ask(answers(KeyError("broken"), "there")), "it is there")
