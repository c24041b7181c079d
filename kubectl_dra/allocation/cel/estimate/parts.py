"""What a call's estimate is made from, and what it says."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from kubectl_dra.allocation.cel.estimate.device_sizes import size_at
from kubectl_dra.allocation.cel.estimate.ranges import ONE, UNKNOWN, Range
from kubectl_dra.allocation.cel.syntax import Literal, Node
from kubectl_dra.allocation.cel.types import Type

TEXT, PATTERN = 0.1, 0.25


class Part(NamedTuple):
    """An argument: its expression, its type, the size that is known of it, and the path in the device that it stands for."""

    node: Node | None
    type: Type
    known: Range | None
    path: tuple[str, ...] | None

    @property
    def size(self) -> Range:
        """Its size by all that is known."""
        return self.known or size_at(self.path) or UNKNOWN


class Estimate(NamedTuple):
    """What a call costs beside its arguments, and how large its result is (None: nothing is known)."""

    cost: Range
    size: Range | None = None


Estimator = Callable[[Part | None, Sequence[Part]], Estimate | None]


def number(part: Part, otherwise: int) -> int:
    """A literal number, not below zero."""
    value = part.node.value if isinstance(part.node, Literal) else None
    return max(value, 0) if type(value) is int else otherwise


def element(part: Part) -> Part | None:
    """An element of a list (of any type with parameters: the first)."""
    if not part.type.parameters:
        return None
    return Part(None, part.type.parameters[0], None, None if part.path is None else (*part.path, "@items"))


def matched(text: Range, pattern: Range) -> Range:
    """A text held against a pattern."""
    return text.plus(ONE).scaled(TEXT).times(pattern.scaled(PATTERN))
