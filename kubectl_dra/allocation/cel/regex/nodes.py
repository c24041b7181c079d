"""The parts of a parsed pattern."""

from collections.abc import Callable
from dataclasses import dataclass

Matcher = Callable[[str], bool]
"""Tells whether a character is meant."""


@dataclass(frozen=True, slots=True)
class Char:
    """One character; `text` is set when it is exactly that one."""

    matches: Matcher
    text: str = ""


@dataclass(frozen=True, slots=True)
class Assertion:
    """A place: begin or end of the text (`A`, `z`) or of a line (`^`, `$`), a word's border or not (`b`, `B`)."""

    kind: str


@dataclass(frozen=True, slots=True)
class Sequence:
    """One after the other; empty matches the empty text."""

    parts: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """The first of these that leads to a match."""

    parts: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """From `least` to `most` times (None: no limit); `greedy` takes as many as it can."""

    part: "Node"
    least: int
    most: int | None
    greedy: bool


Node = Char | Assertion | Sequence | Choice | Repeat
