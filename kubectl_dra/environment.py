"""What a run gets from outside: streams, terminal, variables and clock. Passed in, never looked up, so that tests build one."""

import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import IO, TextIO


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Clock:
    """Time as the run sees it. `now` is aware UTC; `sleep` takes seconds; `monotonic` counts seconds from anywhere."""

    now: Callable[[], datetime] = _now
    sleep: Callable[[float], None] = time.sleep
    monotonic: Callable[[], float] = time.monotonic


@dataclass(frozen=True, slots=True)
class Environment:
    """One run's surroundings. Data goes to `stdout`, talk to `stderr`."""

    stdin: TextIO
    stdout: TextIO
    stderr: TextIO
    variables: Mapping[str, str] = field(default_factory=dict)
    clock: Clock = field(default_factory=Clock)

    @classmethod
    def of_process(cls) -> "Environment":
        """The surroundings of this process."""
        return cls(sys.stdin, sys.stdout, sys.stderr, dict(os.environ))

    @property
    def binary_stdin(self) -> IO[bytes]:
        """Standard input as bytes (a snapshot on `-` may be compressed)."""
        buffer: IO[bytes] = self.stdin.buffer
        return buffer

    @property
    def talks(self) -> bool:
        """True when a person watches stderr: progress and prompts are for terminals only."""
        return self.stderr.isatty()

    @property
    def asks(self) -> bool:
        """True when a person is there to answer a question."""
        return self.stdin.isatty() and self.stderr.isatty()
