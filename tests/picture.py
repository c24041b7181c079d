"""A picture of what `audit --demo` prints on a terminal, for the README (`python -m tests.readme` draws it anew)."""

import html
import io
import re
from pathlib import Path

from rich.console import Console
from rich.text import Text

from tests.run import kubectl_dra

FILE = Path(__file__).parent.parent / "docs" / "audit.svg"
COMMAND = "kubectl dra audit --demo"
WIDTH = 150
_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
_TEXT = re.compile(r"<text [^>]*\by=\"([\d.]+)\"[^>]*>(.*?)</text>", re.DOTALL)


def lines() -> list[str]:
    """The verdicts and the list of findings, in a terminal's colours: what stands before the first finding's details."""
    variables = {"TERM": "xterm-256color", "COLUMNS": str(WIDTH)}
    printed = kubectl_dra(*COMMAND.split()[2:], variables=variables, terminal=True).stdout
    return [f"$ {COMMAND}", *re.split(r"\n\n(?:\x1b\[[\d;]*m)?Errors \(", printed)[0].split("\n")]


def svg() -> str:
    """The picture. It loads no fonts from anywhere."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="standard", _environ={})
    for line in lines():
        console.print(Text.from_ansi(line), overflow="ellipsis", no_wrap=True)
    return _FONTS.sub("", console.export_svg(title="kubectl dra"))


def words(picture: str) -> list[str]:
    """The lines that a picture shows, without spaces, whose width nobody sees in it."""
    rows: dict[float, str] = {}
    for height, text in _TEXT.findall(picture):
        rows[float(height)] = rows.get(float(height), "") + html.unescape(text)
    return [re.sub(r"\s", "", row) for _, row in sorted(rows.items())]


def write() -> None:
    """Put it where the README shows it."""
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(svg())
