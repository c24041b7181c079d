"""Colours, where there are any. With `live`, the only module that touches rich, and only when the output is a terminal."""

from collections.abc import Mapping
from typing import TextIO

from kubectl_dra.report.view import Style

RICH: Mapping[Style, str] = {
    Style.HEADING: "bold",
    Style.FINE: "green",
    Style.WARNING: "yellow",
    Style.BAD: "bold red",
    Style.FAINT: "dim",
}
"""rich's name for each meaning."""


def coloured(stream: TextIO, variables: Mapping[str, str]) -> bool:
    """True when `stream` is a terminal that shows colours and nobody has turned them off (NO_COLOR, TERM=dumb)."""
    return stream.isatty() and not variables.get("NO_COLOR") and variables.get("TERM") != "dumb"


class Brush:
    """Paints text for one stream; on what is no terminal it leaves text alone."""

    def __init__(self, stream: TextIO, variables: Mapping[str, str]) -> None:
        """Look at the stream once."""
        self._on = coloured(stream, variables)

    def __call__(self, text: str, style: Style) -> str:
        """`text` in the colours of `style`."""
        if not self._on or style not in RICH or not text:
            return text
        from rich.color import ColorSystem
        from rich.style import Style as RichStyle

        return RichStyle.parse(RICH[style]).render(text, color_system=ColorSystem.STANDARD)


def plain(text: str) -> str:
    """`text` without what a terminal would obey: escape sequences in names and messages are shown, not executed.

    kubectl does the same (cli-runtime: printers/terminal.go).
    """
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else _visible(character) for character in text)


def _visible(character: str) -> str:
    match character:
        case "\x1b":
            return "^["
        case "\n" | "\r" | "\t":
            return " "
        case _:
            return character.encode("unicode_escape").decode()
