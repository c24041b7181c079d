"""The bed's sub-commands as child processes: a line of JSON when they are ready, lines in and lines out, and they end with their stdin."""

import json
import selectors
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Self, TypeVar

import msgspec

Answer = TypeVar("Answer")

READY = 90.0
"""Seconds for a component to get ready; a loaded machine takes many times the usual two."""


class BedError(Exception):
    """A component did not start, died, or refused; the text has the end of its log."""


class Process(msgspec.Struct, frozen=True):
    """A component that a supervisor holds."""

    pid: int
    log: Path


class Supervised:
    """One running `bed` sub-command. Ends when closed, and when this process is gone, however it went."""

    name: str
    stderr: Path

    def __init__(self, command: list[str | Path], name: str, stderr: Path) -> None:
        """Start it; `stderr` is the file for what it has to complain about."""
        self.name = name
        self.stderr = stderr
        with stderr.open("ab") as log:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, bufsize=0)
        self._lock = threading.Lock()
        RUNNING.append(self)

    @property
    def pid(self) -> int:
        """The supervisor's own process id."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def line(self, kind: type[Answer], limit: float = READY) -> Answer:
        """The next line of JSON, as a `kind`; an error that it tells is raised."""
        stdout = self._pipe(self._process.stdout)
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            if not selector.select(limit):
                raise BedError(f"{self.name} said nothing for {limit:.0f} s\n{self.tail()}")
        text = stdout.readline()
        if not text:
            raise BedError(f"{self.name} ended with status {self._process.wait()}\n{self.tail()}")
        told = json.loads(text)
        if isinstance(told, dict) and isinstance(told.get("error"), str):
            raise BedError(f"{self.name}: {told['error']}")
        return msgspec.convert(told, kind, dec_hook=_path)

    def command(self, text: str, kind: type[Answer]) -> Answer:
        """Send one line and give the answer to it."""
        with self._lock:
            stdin = self._pipe(self._process.stdin)
            stdin.write(text.encode() + b"\n")
            stdin.flush()
            return self.line(kind)

    def logs(self) -> Mapping[str, Path]:
        """Where it and what it holds write to, by name."""
        return {self.name: self.stderr}

    def tail(self, lines: int = 15) -> str:
        """The last lines of every log."""
        return "\n".join(f"--- {name}\n{_tail(path, lines)}" for name, path in self.logs().items())

    def close(self) -> None:
        """Close its stdin, and wait until it and all it started are gone."""
        if self in RUNNING:
            RUNNING.remove(self)
        self._pipe(self._process.stdin).close()
        try:
            self._process.wait(READY)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise BedError(f"{self.name} did not end within {READY:.0f} s of its stdin's closing") from None
        finally:
            self._pipe(self._process.stdout).close()

    def kill(self) -> None:
        """End it at once, as the kernel does when memory runs out."""
        self._process.kill()
        self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @staticmethod
    def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
        if pipe is None:
            raise BedError("the process has no pipe")
        return pipe


RUNNING: list[Supervised] = []
"""What runs now; the report of a failed test shows their logs."""


@contextmanager
def closed_on_error(process: Supervised) -> Iterator[None]:
    """For constructors that go on after the start: what then goes wrong ends the process."""
    try:
        yield
    except BaseException:
        process.close()
        raise


def _path(kind: type, value: object) -> object:
    if kind is not Path or not isinstance(value, str):
        raise NotImplementedError(kind)
    return Path(value)


def _tail(path: Path, lines: int) -> str:
    try:
        return "\n".join(path.read_text(errors="replace").splitlines()[-lines:])
    except OSError as error:
        return str(error)
