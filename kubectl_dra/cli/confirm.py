"""Consent before a write: what is about to be written, where, and a question. Without a person and without `--yes` nothing is done."""

from collections.abc import Iterable

from kubectl_dra.environment import Environment
from kubectl_dra.errors import DraError, UsageError
from kubectl_dra.exit_status import ExitStatus

YES = frozenset({"y", "yes"})


class DeclinedError(DraError):
    """The person said no."""

    status = ExitStatus.INTERRUPTED


def refuse_unasked(environment: Environment, *, yes: bool) -> None:
    """Raise UsageError where nobody could be asked and nobody said `--yes`: before anything is read or done."""
    if not yes and not environment.asks:
        raise UsageError("nobody is here to be asked, and --yes was not given: nothing was done", hint="Give --yes in scripts.")


def confirm(environment: Environment, server: str, context: str, objects: Iterable[str], question: str, *, yes: bool) -> None:
    """Show context, server and objects, and ask. With `--yes` nothing is asked; they are shown to a person all the same.

    Raises UsageError as `refuse_unasked` does, DeclinedError for any answer but y and yes.
    """
    refuse_unasked(environment, yes=yes)
    if environment.talks:
        where = f"Context {context}, " if context else ""
        environment.stderr.write("".join(f"{line}\n" for line in (f"{where}server {server}", *objects)))
    if yes:
        return
    environment.stderr.write(f"{question} [y/N] ")
    environment.stderr.flush()
    if environment.stdin.readline().strip().lower() not in YES:
        raise DeclinedError("nothing was done")
