"""What happens while a node is moved, as it happens: the screen draws from it, `-o jsonl` prints it, one event a line.

`at` is RFC 3339 in UTC. Every event names its step.
"""

from typing import Protocol

import msgspec

from kubectl_dra.migration.document import Check
from kubectl_dra.migration.names import StepName, StepState


class _Event(msgspec.Struct, frozen=True, kw_only=True, rename="camel", tag=True, tag_field="type"):
    """An event's moment and step."""

    at: str
    step: StepName


class StepStarted(_Event, frozen=True, kw_only=True):
    """A step begins; `resumed` when an earlier run began it. `limit` are the seconds its waits may take (null: no limit)."""

    resumed: bool = False
    limit: float | None = None


class StepChecked(_Event, frozen=True, kw_only=True):
    """A look before or in the middle of a step."""

    check: Check


class StepWaits(_Event, frozen=True, kw_only=True):
    """It stands and waits: for what, since how many seconds, and for how many more at most (null: no limit)."""

    message: str
    waited: float
    left: float | None = None


class StepNotes(_Event, frozen=True, kw_only=True):
    """Something worth a line: a write that was made, a retry with the server's words, a pod that is gone."""

    message: str


class StepEnded(_Event, frozen=True, kw_only=True):
    """A step is over, one way or the other."""

    state: StepState
    seconds: float
    message: str = ""


MoveEvent = StepStarted | StepChecked | StepWaits | StepNotes | StepEnded


class MoveObserver(Protocol):
    """Somebody who wants to know how a move gets on."""

    def __call__(self, event: MoveEvent, /) -> None:
        """Take note of `event`; must not raise."""


def unobserved(event: MoveEvent, /) -> None:
    """The observer of moves that nobody watches."""
