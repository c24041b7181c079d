"""Sections as lines of text: columns aligned with spaces as kubectl does, or Markdown."""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence

from kubectl_dra.report.terminal import plain
from kubectl_dra.report.view import Grid, Section, Style, Text

GAP = 3
"""Spaces between columns (cli-runtime: printers/tablegenerator.go)."""

CODE_INDENT = "    "

Paint = Callable[[str, Style], str]


def lines(sections: Iterable[Section], paint: Paint, *, wide: bool, headers: bool) -> Iterator[str]:
    """The sections for a terminal or a pipe, an empty line between a table and what stands beside it."""
    last: Section | None = None
    for section in sections:
        if last is not None and (isinstance(section, Grid) or isinstance(last, Grid) or section.level):
            yield ""
        if isinstance(section, Text):
            indent = CODE_INDENT if section.code else ""
            yield from (paint(plain(indent + line), section.style) for line in section.text.splitlines() or [""])
        else:
            yield from _aligned(section if wide else section.narrow(), paint, headers)
        last = section


def markdown(sections: Iterable[Section]) -> Iterator[str]:
    """The sections as Markdown, wide columns included; names show as they are."""
    last: Section | None = None
    for section in sections:
        if last is not None:
            yield ""
        if isinstance(section, Text) and section.code:
            fence = "```" if "```" not in section.text else "~~~~"
            yield from (fence, *(plain(line) for line in section.text.splitlines()), fence)
        elif isinstance(section, Text):
            prefix = f"{'#' * section.level} " if section.level else ""
            yield from (prefix + _escaped(line) for line in section.text.splitlines() or [""])
        else:
            yield _row(section.headers)
            yield _row("---" for _ in section.headers)
            yield from (_row(_escaped(cell.text).replace("|", "\\|") for cell in row) for row in section.rows)
        last = section


def _aligned(grid: Grid, paint: Paint, headers: bool) -> Iterator[str]:
    texts = [[plain(cell.text) for cell in row] for row in grid.rows]
    first = [list(grid.headers)] if headers else []
    widths = [max(map(width, column), default=0) + GAP for column in zip(*first, *texts, strict=True)]
    if headers:
        yield _line(grid.headers, [Style.HEADING] * len(widths), widths, paint)
    for row, cells in zip(grid.rows, texts, strict=True):
        yield _line(cells, [cell.style for cell in row], widths, paint)


def _line(cells: Sequence[str], styles: Sequence[Style], widths: Sequence[int], paint: Paint) -> str:
    """One row. The last cell is not padded; colours come after the padding is known."""
    padded = [paint(cell, style) + " " * (size - width(cell)) for cell, style, size in zip(cells, styles, widths, strict=True)]
    return "".join(padded).rstrip(" ")


def width(text: str) -> int:
    """How many columns of a terminal `text` takes: East Asian letters take two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    """Text that Markdown shows as it is: no HTML, no emphasis out of `*` or `_` in names."""
    text = plain(text).replace("&", "&amp;").replace("<", "&lt;")
    return "".join(f"\\{character}" if character in "\\`*[]" else character for character in text)
