"""Run a command once and say what it took: wall and CPU seconds, peak memory."""

import os
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile


class FailedError(Exception):
    """A command did not do what is measured; what it did instead would look quick."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What one run took. `anonymous` is the peak of memory that is the process's own (MB), without mapped files."""

    wall: float
    cpu: float
    anonymous: float
    status: int
    output: bytes


def _anonymous(pid: int) -> float:
    """MB of anonymous memory of the process now; 0 when it is gone."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) / 1024
    return 0.0


def _watch(process: "subprocess.Popen[bytes]", peak: list[float], over: threading.Event) -> None:
    while not over.wait(0.01):
        peak[0] = max(peak[0], _anonymous(process.pid))


def run(command: Sequence[str], *, keep: bool = False, environment: Mapping[str, str] | None = None) -> Taken:
    """Run `command` to its end; its output is thrown away unless `keep`. Raises FailedError where it does not end with 0."""
    begin = time.monotonic()
    with (
        TemporaryFile() as complaints,
        subprocess.Popen(
            command,
            stdout=subprocess.PIPE if keep else subprocess.DEVNULL,
            stderr=complaints,
            env={**os.environ, **(environment or {})},
        ) as process,
    ):
        peak, over = [0.0], threading.Event()
        watcher = threading.Thread(target=_watch, args=(process, peak, over))
        watcher.start()
        output = process.stdout.read() if process.stdout else b""
        _, status, used = os.wait4(process.pid, 0)
        wall = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        over.set()
        watcher.join()
        if process.returncode != 0:
            complaints.seek(0)
            raise FailedError(f"{' '.join(command)}: status {process.returncode}: {complaints.read().decode(errors='replace')}")
    return Taken(wall, used.ru_utime + used.ru_stime, peak[0], process.returncode, output)


def best(command: Sequence[str], *, times: int = 3, keep: bool = False, environment: Mapping[str, str] | None = None) -> Taken:
    """The quickest of several runs, by CPU seconds: the others were disturbed."""
    return min((run(command, keep=keep, environment=environment) for _ in range(times)), key=lambda taken: taken.cpu)


def alternately(*commands: Sequence[str], times: int = 4) -> tuple[Taken, ...]:
    """The quickest run of each command by the clock, one after the other and again: what disturbs one disturbs all."""
    rounds = [[run(command) for command in commands] for _ in range(times)]
    return tuple(min(runs, key=lambda taken: taken.wall) for runs in zip(*rounds, strict=True))


def fed(document: Path, *commands: Sequence[str], times: int = 4) -> tuple[Taken, ...]:
    """As `alternately`, for commands that read the document on stdin."""
    shell = [["/bin/sh", "-c", 'exec "$@" < "$0"', str(document), *command] for command in commands]
    return alternately(*shell, times=times)
