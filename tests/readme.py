"""The README's examples: each console block is a command and what it prints. `python -m tests.readme` writes the present output
into it (`... offline` only that of commands that need no cluster)."""

import re
import shlex
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from kubectl_dra.audit.registry import checks
from kubectl_dra.cli.main import run
from kubectl_dra.environment import Environment
from tests import picture
from tests.bed.build import binaries
from tests.bed.cluster import Cluster
from tests.bed.devices_in_use import settle, start_devices_in_use
from tests.bed.two_nodes import start_two_nodes
from tests.bed.waiting_pods import start_waiting_pods

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
        return self.words[0] not in ("audit", "inventory", "classes", "devices", "explain", "taint", "snapshot") or bool(
            {"--demo", "--explain"} & set(self.words)
        )

    @property
    def of_waiting_pods(self) -> bool:
        """True when it is run on the cluster of pods that wait, False for the others."""
        return not self.offline and self.words[0] == "explain"

    @property
    def of_devices_in_use(self) -> bool:
        """True when it is run on the cluster for taints; what is neither this nor the one before is run on that with two nodes."""
        return not self.offline and self.words[0] == "taint"


def examples() -> list[Example]:
    """All of them, in the README's order."""
    return [Example(found["command"], found["output"]) for found in BLOCK.finditer(README.read_text())]


def printed(example: Example, variables: dict[str, str] | None = None) -> str:
    """What a person sees: both streams, in the order of writing, with no terminal."""
    screen = StringIO()
    run(example.words, Environment(StringIO(), screen, screen, {"COLUMNS": "140", **(variables or {})}))
    return "\n".join(line.rstrip() for line in screen.getvalue().splitlines()) + "\n" if screen.getvalue() else ""


def rewrite(output_of: Callable[[Example], str]) -> None:
    """Put what `output_of` gives below each command."""

    def block(found: re.Match[str]) -> str:
        return f"```console\n$ {found['command']}\n{output_of(Example(found['command'], found['output']))}```"

    README.write_text(BLOCK.sub(block, README.read_text()))


CODES = re.compile(r"(?<=^<!-- codes -->\n).*?(?=^<!-- /codes -->$)", re.MULTILINE | re.DOTALL)


def codes() -> str:
    """The table of all checks, from their pages."""
    rows = ("| code | severity | finds | manifests |", "|---|---|---|---|")
    pages = (check.page for check in checks().values())
    return "\n".join((*rows, *(f"| {p.code} | {p.severity} | {p.title} | {'•' if p.manifests else ''} |" for p in pages))) + "\n"


def steady(text: str) -> str:
    """Output without what differs from one start of the same cluster to the next: ages, times, what the server adds to names."""
    text = re.sub(r"\b\d+s\b *", lambda age: "12s".ljust(len(age[0])), text)
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "2026-12-01T09:30:00Z", text)
    return re.sub(r"-extended-resources-[a-z0-9]{5}\b", "-extended-resources-x7k2p", text)


def main() -> None:
    """Write what the commands print now: of the bundled cluster, and of those on the bed."""
    picture.write()
    README.write_text(CODES.sub(lambda _: codes(), README.read_text()))
    if sys.argv[1:] == ["offline"]:
        rewrite(lambda example: printed(example) if example.offline else example.output)
        return
    with tempfile.TemporaryDirectory(prefix="bed-") as folder, ExitStack() as stack:
        live = {}
        for start in (start_two_nodes, start_waiting_pods, start_devices_in_use):
            path = Path(folder) / start.__name__[-4:]
            cluster = stack.enter_context(Cluster(binaries().bed, path / "c"))
            start(cluster, path, stack)
            live[start] = {"KUBECONFIG": str(cluster.kubeconfig)}
            in_use = cluster  # the last one

        def output(example: Example) -> str:
            if example.offline:
                return printed(example)
            if example.of_devices_in_use:
                settle(in_use)
            ground = start_devices_in_use if example.of_devices_in_use else start_waiting_pods
            return steady(printed(example, live[ground if example.of_waiting_pods or example.of_devices_in_use else start_two_nodes]))

        rewrite(output)


if __name__ == "__main__":
    main()
