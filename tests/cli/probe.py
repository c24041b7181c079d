"""Commands that do nothing but tell how they were called."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

import typer

from kubectl_dra.cli.commands import Entry
from kubectl_dra.cli.dialect import command
from kubectl_dra.cli.lazy import LazyGroup
from kubectl_dra.cli.main import run
from kubectl_dra.cli.options import OUTPUT, SCOPE, SELECTOR, SOURCE, Run
from kubectl_dra.environment import Environment
from kubectl_dra.exit_status import ExitStatus
from tests.run import Result, Stream


class By(StrEnum):
    """Rows."""

    NAME = "name"
    NODE = "node"
    POD = "pod"


@dataclass
class Calls:
    """The last call: its Run and its own values."""

    run: Run | None = None
    values: dict[str, object] = field(default_factory=dict)


CALLS = Calls()


@command(SCOPE, SELECTOR, SOURCE, OUTPUT, examples="kubectl dra probe --by node")
def probe(
    run: Run,
    things: Annotated[list[str] | None, typer.Argument(help="Things to look at.")] = None,
    by: Annotated[By, typer.Option("--by", help="What a row is.")] = By.NAME,
    count: Annotated[int, typer.Option("--count", "-c", help="How many.")] = 1,
    wait: Annotated[bool, typer.Option("--wait", help="Wait for it.")] = True,
    dry_run: Annotated[str, typer.Option("--dry-run", help="client or server.")] = "none",
    resource: Annotated[list[str] | None, typer.Option("--resource", help="Names.")] = None,
) -> ExitStatus:
    """Tell how it was called.

    In two paragraphs.
    """
    CALLS.run = run
    CALLS.values = {"things": things, "by": by, "count": count, "wait": wait, "dry_run": dry_run, "resource": resource}
    return ExitStatus.OK


@command()
def needy(run: Run, node: Annotated[str, typer.Argument(help="The node.")]) -> None:
    """Want a node."""
    CALLS.values = {"node": node}


@command()
def broken(run: Run) -> None:
    """Fail in a way that nobody foresaw."""
    secret = run.token
    raise LookupError("no such thing\n  here") if secret != "never" else AssertionError


@command()
def interrupted(run: Run) -> None:
    """Be interrupted."""
    raise KeyboardInterrupt


@command()
def unread(run: Run) -> None:
    """Write to a reader that has left."""
    raise BrokenPipeError


def _entry(name: str) -> Entry:
    return Entry("tests.cli.probe", name, f"The command {name}")


INNER = LazyGroup("inner", "A group in a group.", {"probe": _entry("probe"), "needy": _entry("needy")})


def group() -> LazyGroup:
    """All of them."""
    names = ("probe", "needy", "broken", "interrupted", "unread")
    return LazyGroup("kubectl dra", "Probes.", {**{name: _entry(name) for name in names}, "inner": _entry("INNER")})


def call(*argv: str) -> Result:
    """Run one command line on the probes."""
    CALLS.run, CALLS.values = None, {}
    stdout, stderr = Stream(), Stream()
    code = run(argv, Environment(Stream(), stdout, stderr), group)
    return Result(code, stdout.text(), stderr.text())


def said(*argv: str) -> Run:
    """The Run that a command line makes; the command line must be right."""
    result = call(*argv)
    assert (result.code, result.stderr) == (0, "")
    assert CALLS.run is not None
    return CALLS.run
