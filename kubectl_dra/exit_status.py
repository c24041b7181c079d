"""The exit statuses of every command. Scripts depend on them: a meaning never changes."""

from enum import IntEnum


class ExitStatus(IntEnum):
    """What a command tells the shell."""

    OK = 0
    """Done, and the answer is "fine"."""
    NO = 1
    """Done, and the answer is "no": findings, a blocked migration, pods that would be evicted."""
    USAGE = 2
    """The command line, or a file named on it, cannot be used."""
    CLUSTER = 3
    """The cluster, or the file that stands for it, cannot be reached, refuses, or could not be read in full."""
    TIMEOUT = 4
    """A limit of time has passed."""
    CONFLICT = 5
    """Another run holds the object."""
    INTERRUPTED = 130
    """Ctrl-C (128 + SIGINT)."""
