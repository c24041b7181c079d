"""How a document looks to people: sections of text and tables. Each document's view is declared in `report/tables/`.

NODES = Table(
    (
        Column("NODE", lambda row: row.node),
        Column("STATE", lambda row: row.state, style=lambda row: STYLES[row.state]),
        Column("KUBELET", lambda row: row.kubelet_version, wide=True),
    )
)
INVENTORY_BY_NODE = View(sections=lambda inventory: [NODES.of(inventory.items)], names=lambda inventory: [f"node/{i.node}" for ...])
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Generic, TypeVar

D = TypeVar("D")
R = TypeVar("R")


class Style(Enum):
    """What a text means; `terminal` knows how that looks."""

    PLAIN = "plain"
    HEADING = "heading"
    FINE = "fine"
    WARNING = "warning"
    BAD = "bad"
    FAINT = "faint"


def _plain(row: object) -> Style:
    return Style.PLAIN


@dataclass(frozen=True, slots=True)
class Column(Generic[R]):
    """One column: its header, the text of a row (None prints `<none>`, as kubectl does), whether only `-o wide` shows it."""

    header: str
    value: Callable[[R], str | int | float | None]
    wide: bool = False
    style: Callable[[R], Style] = _plain


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as text with its meaning."""

    text: str
    style: Style = Style.PLAIN


@dataclass(frozen=True, slots=True)
class Grid:
    """A table ready to be laid out: headers and rows of cells, `wide` naming the positions that only `-o wide` shows."""

    headers: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]
    wide: frozenset[int] = frozenset()

    def narrow(self) -> "Grid":
        """Without the wide columns."""
        kept = [position for position in range(len(self.headers)) if position not in self.wide]
        return Grid(tuple(self.headers[at] for at in kept), [tuple(row[at] for at in kept) for row in self.rows])


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text (or several), as it stands. `level` is its depth as a heading in Markdown; 0 is a paragraph.

    `code` is text to paste or quote: Markdown fences it, a terminal indents it.
    """

    text: str
    style: Style = Style.PLAIN
    level: int = 0
    code: bool = False


Section = Grid | Text


@dataclass(frozen=True, slots=True)
class Table(Generic[R]):
    """The columns of one kind of row."""

    columns: tuple[Column[R], ...]

    def of(self, rows: Iterable[R]) -> Grid:
        """Lay `rows` out."""
        wide = frozenset(position for position, column in enumerate(self.columns) if column.wide)
        cells = [tuple(Cell(_text(column.value(row)), column.style(row)) for column in self.columns) for row in rows]
        return Grid(tuple(column.header for column in self.columns), cells, wide)


@dataclass(frozen=True, slots=True)
class View(Generic[D]):
    """A document for people. `sections` is given the document and whether it is `-o wide`; `names` are the lines of `-o name`.

    `empty` stands for a document without any row, on stderr, as kubectl's "No resources found". `table` is the one for `-o csv`; without
    it, that is the first of the sections. `formats` are further words for `-o` that only this document has.
    """

    sections: Callable[[D, bool], Iterable[Section]]
    names: Callable[[D], Iterable[str]]
    empty: str = "No resources found"
    table: Callable[[D], Grid] | None = None
    formats: Mapping[str, Callable[[D], str]] = field(default_factory=dict)


NONE = "<none>"
"""kubectl's word for nothing."""


def _text(value: str | int | float | None) -> str:
    return NONE if value is None or value == "" else str(value)
