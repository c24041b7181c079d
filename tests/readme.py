"""The README's examples: each console block is a command and what it prints. `python -m tests.readme` writes the present output into it."""

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from kubectl_dra.cli.main import run
from kubectl_dra.environment import Environment

README = Path(__file__).parent.parent / "README.md"
BLOCK = re.compile(r"^```console\n\$ (?P<command>[^\n]+)\n(?P<output>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Example:
    """A command line as a reader would type it, and the output shown below it."""

    command: str
    output: str

    @property
    def words(self) -> list[str]:
        """The words behind `kubectl dra`."""
        words = shlex.split(self.command)
        if words[:2] != ["kubectl", "dra"]:
            raise ValueError(f"README: {self.command!r} is not a command of kubectl dra")
        return words[2:]

    @property
    def offline(self) -> bool:
        """True when it needs no cluster: it runs on the bundled one, or reads nothing."""
        return "--demo" in self.words or not {"audit", "inventory", "classes", "snapshot"} & set(self.words) or "--explain" in self.words


def examples() -> list[Example]:
    """All of them, in the README's order."""
    return [Example(found["command"], found["output"]) for found in BLOCK.finditer(README.read_text())]


def printed(example: Example, variables: dict[str, str] | None = None) -> str:
    """What a person sees: both streams, in the order of writing, with no terminal."""
    screen = StringIO()
    run(example.words, Environment(StringIO(), screen, screen, {"COLUMNS": "140", **(variables or {})}))
    return "\n".join(line.rstrip() for line in screen.getvalue().splitlines()) + "\n" if screen.getvalue() else ""


def rewrite(output_of: Callable[[Example], str | None]) -> None:
    """Put what `output_of` gives below each command; None leaves the example as it is."""

    def block(found: re.Match[str]) -> str:
        output = output_of(Example(found["command"], found["output"]))
        return found[0] if output is None else f"```console\n$ {found['command']}\n{output}```"

    README.write_text(BLOCK.sub(block, README.read_text()))


if __name__ == "__main__":
    rewrite(lambda example: printed(example) if example.offline else None)
