"""argv and an Environment in, a status out: runs the command and turns what went wrong into one line and the status it deserves."""

import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NoReturn

from kubectl_dra.environment import Environment
from kubectl_dra.errors import DraError
from kubectl_dra.exit_status import ExitStatus

if TYPE_CHECKING:
    from kubectl_dra.cli.lazy import LazyGroup

TRACEBACKS_FROM = 6
"""The verbosity from which a fault of ours shows its traceback."""


def main() -> NoReturn:
    """The console script `kubectl-dra`."""
    try:
        _open_missing_streams()
        for stream in (sys.stdin, sys.stdout, sys.stderr):
            # Names in objects may be of any script, whatever the locale; kubectl, too, writes UTF-8 always.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
        _leave(_run_process(sys.argv[1:], Environment.of_process()))
    except KeyboardInterrupt:  # once more, while the first one was being obeyed
        os._exit(ExitStatus.INTERRUPTED)


def _open_missing_streams() -> None:
    """Whoever starts us may have closed a stream (`<&-`, a service manager): Python has None there, and nothing to read or tell."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))


def _run_process(argv: Sequence[str], environment: Environment) -> int:
    if argv[:1] == ["__complete"]:
        from kubectl_dra.cli import complete

        return complete.run(argv[1:], environment)
    return run(argv, environment)


def run(argv: Sequence[str], environment: Environment, commands: "Callable[[], LazyGroup] | None" = None) -> int:
    """Run one command line (without the program's name) and return its exit status. Raises nothing.

    `commands` makes the group of commands, if it is not that of the tool.
    """
    try:
        import typer

        from kubectl_dra.cli.lazy import root

        try:
            group = (commands or root)()
            context = group.make_context(group.name, list(argv), obj=environment)
            return int(group.invoke(context) or ExitStatus.OK)
        except typer.Exit as leave:
            return leave.exit_code
    except KeyboardInterrupt:
        return ExitStatus.INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has what they wanted: the end of a reading command, and no "no".
        return ExitStatus.OK
    except DraError as error:
        _tell(environment, error.message, error.hint)
        return error.status
    except MemoryError:
        _tell(environment, "there is not enough memory for this", "Narrow what is read, or run it where there is more.")
        return ExitStatus.CLUSTER
    except Exception as error:  # noqa: BLE001 (the edge: every fault of ours ends here as one line)
        _confess(environment, error, verbosity(argv))
        return ExitStatus.CLUSTER


def verbosity(argv: Sequence[str]) -> int:
    """The last `-v` of a command line, however it is spelled; 0 without one. For when the command line itself could not be read."""
    level = 0
    for word, after in zip(argv, (*argv[1:], ""), strict=False):
        text = after if word in ("-v", "--v") else word.removeprefix("--v=").removeprefix("-v").removeprefix("=")
        if (word in ("-v", "--v") or text != word) and text.isdecimal():
            level = int(text)
    return level


def _tell(environment: Environment, message: str, hint: str) -> None:
    lines = [f"error: {_one_line(message)}", *([_one_line(hint)] if hint else [])]
    environment.stderr.write("\n".join(lines) + "\n")


def _one_line(text: str) -> str:
    """Servers and plugins answer with line breaks and escape sequences; a message is one line of plain characters."""
    return "".join(character if character.isprintable() else " " for character in " ".join(text.split()))


def _confess(environment: Environment, error: Exception, level: int) -> None:
    """Say that it is a fault of ours. Never with local variables: they hold tokens."""
    if level >= TRACEBACKS_FROM:
        import traceback

        environment.stderr.write("".join(traceback.format_exception(error)))
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    hint = "" if level >= TRACEBACKS_FROM else f"Run it again with -v {TRACEBACKS_FROM} and report what it prints."
    _tell(environment, f"this is a fault of kubectl dra, not of your cluster ({what})", hint)


def _leave(status: int) -> NoReturn:
    """End the process: flush, and never let the interpreter complain about a reader that has left."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            # Python flushes once more at exit: let that go nowhere.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    if status == ExitStatus.INTERRUPTED:
        # Threads that wait for a server would hold the process for the rest of their time limit.
        os._exit(status)
    sys.exit(status)
