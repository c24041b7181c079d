"""Bounds on what one step may make or walk through here. Upstream has none: it would run for ever, or out of memory, and so would we."""

from kubectl_dra.allocation.cel.errors import Unsupported

MOST_ELEMENTS = 2_000_000
MOST_CHARACTERS = 20_000_000
_MOST_VISITS = 2_000_000
DEEPEST_VALUE = 16
"""Lists and maps inside each other, where a value is written out."""


class Walk:
    """Counts the values that a comparison or a traversal visits: a list in itself many times over can stand for billions."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        """Begin a walk."""
        self.left = _MOST_VISITS

    def visit(self, count: int) -> None:
        """So many values more. Raises Unsupported when there are too many."""
        self.left -= count
        if self.left < 0:
            raise Unsupported("a value is too large to be walked through here")


def small_enough(count: int, most: int) -> None:
    """Raises Unsupported when a value would get too large."""
    if count > most:
        raise Unsupported("a value gets too large to be made here")


def flat_enough(depth: int) -> None:
    """Raises Unsupported when a value is nested too deeply to be written out."""
    if depth > DEEPEST_VALUE:
        raise Unsupported("a value is nested too deeply to be written out here")
