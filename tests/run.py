"""Runs the tool in this process, as its console script would, with streams and variables of the test's own."""

import io
from collections.abc import Mapping
from dataclasses import dataclass

from kubectl_dra.cli.main import run
from kubectl_dra.environment import Clock, Environment


@dataclass(frozen=True, slots=True)
class Result:
    """What a run leaves."""

    code: int
    stdout: str
    stderr: str


class Stream(io.TextIOWrapper):
    """Text over bytes, like a process' own; `terminal` makes it say that it is one."""

    def __init__(self, content: bytes = b"", *, terminal: bool = False) -> None:
        super().__init__(io.BytesIO(content), encoding="utf-8", newline="", write_through=True)
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal

    def text(self) -> str:
        raw = self.buffer
        assert isinstance(raw, io.BytesIO)
        return raw.getvalue().decode()


def kubectl_dra(
    *argv: str,
    variables: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    terminal: bool = False,
    clock: Clock | None = None,
) -> Result:
    """Run `kubectl dra ARGV...`. Nothing of the caller's variables, home or kubeconfig is seen unless `variables` has it."""
    stdout, stderr = Stream(terminal=terminal), Stream(terminal=terminal)
    environment = Environment(Stream(stdin, terminal=terminal), stdout, stderr, dict(variables or {}), clock or Clock())
    code = run(argv, environment)
    return Result(code, stdout.text(), stderr.text())
