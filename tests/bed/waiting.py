"""Waiting for something to become so: never for a fixed time."""

import time
from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")


def wait_until(condition: Callable[[], Value | None], what: str, limit: float = 30.0) -> Value:
    """Ask again and again until the answer is true; that answer is given. `limit` is in seconds, generous, and no measure of speed.

    An AssertionError of the condition counts as not yet; the last one is told when time runs out.
    """
    deadline = time.monotonic() + limit
    while True:
        try:
            answer = condition()
            last: object = answer
        except AssertionError as error:
            answer, last = None, error
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {limit:.0f} s; last seen: {last!r}")
        time.sleep(0.05)
