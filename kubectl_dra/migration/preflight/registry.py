"""Where preflight checks stand, and how they are run."""

from collections.abc import Callable, Iterator
from importlib import import_module

import msgspec

from kubectl_dra.audit.missing import gaps, in_words, usable
from kubectl_dra.migration.document import Check
from kubectl_dra.migration.names import Direction, Level
from kubectl_dra.migration.subject import Subject

FAMILIES = ("node", "mapping", "users", "drain", "budgets", "operands", "rights", "elsewhere")
"""The modules of this folder, in the order in which people read."""

BOTH = (Direction.MOVE, Direction.ROLLBACK)
MOVE = (Direction.MOVE,)
BACK = (Direction.ROLLBACK,)


class Verdict(msgspec.Struct, frozen=True):
    """One thing that a check has found."""

    level: Level
    message: str
    known: bool = True


def blocker(message: str) -> Verdict:
    """It must not be done."""
    return Verdict(Level.BLOCKER, message)


def warning(message: str) -> Verdict:
    """It can be done, and people should know."""
    return Verdict(Level.WARNING, message)


def fine(message: str) -> Verdict:
    """Looked at, and told in more words than the check's own."""
    return Verdict(Level.OK, message)


def unknown(message: str, *, blocks: bool = False) -> Verdict:
    """It could not look; `blocks` where what it looks for would ruin pods."""
    return Verdict(Level.BLOCKER if blocks else Level.WARNING, message, known=False)


Judgement = Callable[[Subject], Iterator[Verdict]]


class _Registered(msgspec.Struct, frozen=True):
    name: str
    ok: str
    judge: Judgement
    needs: tuple[str, ...]
    blocks: bool
    directions: tuple[Direction, ...]


_checks: dict[str, _Registered] = {}


def check(
    name: str, *, ok: str, needs: tuple[str, ...] = (), blocks: bool = False, directions: tuple[Direction, ...] = BOTH
) -> Callable[[Judgement], Judgement]:
    """Register a check under its name, which is for ever. `ok` is said when it finds nothing.

    `needs` are the Snapshot's fields without which it cannot look in full; `blocks` says that not knowing must stop a move.
    """

    def register(judge: Judgement) -> Judgement:
        if name in _checks:
            raise ValueError(f"{name} is registered twice")
        _checks[name] = _Registered(name, ok, judge, needs, blocks, directions)
        return judge

    return register


BEFORE_BEGINNING = frozenset({"node-system", "kubelet", "mapped", "pod-size", "driver-only-here", "plugin-change"})
"""Checks of what a move would do to others: they have to be asked before the plugin leaves."""

VERIFIED = frozenset(
    {
        "node-ready",
        "kubelet",
        "feature-gate",
        "resources",
        "journal",
        "mapped",
        "one-class",
        "mapping-kept",
        "class-selects",
        "unasked",
        "permissions",
        "canary",
    }
)
"""What `--verify` looks at: nobody is drained, and nothing is taken away or brought."""


def preflight(subject: Subject) -> tuple[Check, ...]:
    """Every check of the direction, by subject; of one that finds nothing, that it found nothing."""
    verify = subject.options.verify
    wanted = [each for each in registered() if subject.target.direction in each.directions and (not verify or each.name in VERIFIED)]
    made = tuple(check for each in wanted for check in _made(each, subject))
    return tuple(map(_too_late, made)) if subject.unplugged else made


def _too_late(made: Check) -> Check:
    """Where the plugin has left already, what speaks against beginning keeps nobody from the end: the node would stay closed for it."""
    late = made.name in BEFORE_BEGINNING and made.level is Level.BLOCKER
    return msgspec.structs.replace(made, level=Level.WARNING) if late else made


def registered() -> tuple[_Registered, ...]:
    """All checks, family by family."""
    for family in FAMILIES:
        import_module(f"kubectl_dra.migration.preflight.{family}")
    return tuple(_checks.values())


def kinds() -> tuple[str, ...]:
    """The Snapshot's fields that the checks look at, sorted."""
    return tuple(sorted({field for each in registered() for field in each.needs}))


def _made(each: _Registered, subject: Subject) -> Iterator[Check]:
    missing = gaps(subject.snapshot, each.needs)
    if missing:
        level = Level.BLOCKER if each.blocks else Level.WARNING
        yield Check(each.name, level, f"not known: {in_words(missing, 'migrate-node')}", known=False)
        if not all(usable(subject.snapshot, field) for field in each.needs):
            return
    verdicts = tuple(each.judge(subject))
    for verdict in verdicts:
        yield Check(each.name, verdict.level, verdict.message, verdict.known)
    if not verdicts and not missing:
        yield Check(each.name, Level.OK, each.ok)
