"""The steps of a path, as the scanner finds them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Constant:
    """Text in quotes, a number, `true` or `false`: itself, whatever the input."""

    value: str | int | float | bool


@dataclass(frozen=True, slots=True)
class Field:
    """`.name`"""

    name: str


@dataclass(frozen=True, slots=True)
class Wildcard:
    """`.*`: every value of an object or a list."""


@dataclass(frozen=True, slots=True)
class Descent:
    """`..`: everything below that has something below it."""


@dataclass(frozen=True, slots=True)
class Slice:
    """`[start:stop:step]`. `[3]` is a slice of one (`single`), and so is `[-1]`, whose end is the list's."""

    start: int | None
    stop: int | None
    step: int | None
    single: bool = False


@dataclass(frozen=True, slots=True)
class Union:
    """`['a','b']`, `[0,2]`: the results of each path, one after the other."""

    paths: tuple["Path", ...]


@dataclass(frozen=True, slots=True)
class Filter:
    """`[?(@.x=="y")]`; without an operator, the items for which `left` finds something."""

    left: "Path"
    operator: str = ""
    right: "Path" = ()


@dataclass(frozen=True, slots=True)
class Keyword:
    """A bare word: `range`, `end`, or one that means nothing."""

    name: str


Node = Constant | Field | Wildcard | Descent | Slice | Union | Filter | Keyword
Path = tuple[Node, ...]
