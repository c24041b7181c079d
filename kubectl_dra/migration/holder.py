"""Who holds a lock: one process of one machine, told apart from every other, also from a later one with the same number."""

import os
import socket
from hashlib import sha256
from pathlib import Path

import msgspec


class Holder(msgspec.Struct, frozen=True):
    """A process: its machine, number and start (0 where the system does not tell), and the journal it works on."""

    host: str
    pid: int
    started: int
    journal: str

    def __str__(self) -> str:
        """As it stands in the Lease."""
        return f"{self.host}/{self.pid}/{self.started}/{self.journal}"

    @classmethod
    def read(cls, text: str) -> "Holder | None":
        """From the Lease; None for text that is no holder of ours."""
        parts = text.rsplit("/", 3)
        if len(parts) != 4 or not (parts[1].isdigit() and parts[2].isdigit()):
            return None
        return cls(parts[0], int(parts[1]), int(parts[2]), parts[3])

    @classmethod
    def this_process(cls, journal: str) -> "Holder":
        """The one that asks."""
        return cls.of(os.getpid(), journal)

    @classmethod
    def of(cls, pid: int, journal: str) -> "Holder":
        """A process of this machine."""
        return cls(host(), pid, _started(pid), journal)

    @property
    def dead(self) -> bool:
        """True when it was a process of this machine that is there no more. Of other machines nothing is known: False."""
        if self.host != host():
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            pass  # it is there, and somebody else's
        return self.started != _started(self.pid)


def host() -> str:
    """This machine's name, with what tells it from others of that name: the boot and the space of process numbers."""
    marks = [_text("/proc/sys/kernel/random/boot_id"), _link("/proc/self/ns/pid")]
    return f"{socket.gethostname()}.{sha256(' '.join(marks).encode()).hexdigest()[:8]}"


def _started(pid: int) -> int:
    """When the process began, in ticks since the boot (Linux: proc(5), stat, field 22); 0 where nobody tells. A zombie has ended."""
    fields = _text(f"/proc/{pid}/stat").rpartition(")")[2].split()
    if len(fields) < 20 or fields[0] in ("Z", "X"):
        return 0
    return int(fields[19])


def _text(path: str) -> str:
    try:
        return Path(path).read_text(errors="replace").strip()
    except OSError:
        return ""


def _link(path: str) -> str:
    try:
        return str(Path(path).readlink())
    except OSError:
        return ""
