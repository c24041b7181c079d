"""What long work reports while it runs. The work knows an Observer; whether that is a terminal, a log or nobody is not its business."""

from typing import Protocol

import msgspec


class ReadingKind(msgspec.Struct, frozen=True, tag=True):
    """So many objects of a kind have been read; `done` when the list is complete."""

    kind: str
    count: int
    done: bool = False


class Waiting(msgspec.Struct, frozen=True, tag=True):
    """The work stands still on purpose: for what, and for how many seconds at most, counted from the event."""

    what: str
    seconds: float


class Retrying(msgspec.Struct, frozen=True, tag=True):
    """A request is sent once more."""

    what: str
    why: str
    seconds: float


Event = ReadingKind | Waiting | Retrying


class Observer(Protocol):
    """Somebody who wants to know."""

    def __call__(self, event: Event, /) -> None:
        """Take note of `event`; must not raise."""


def nobody(event: Event, /) -> None:
    """The observer of runs that nobody watches."""
