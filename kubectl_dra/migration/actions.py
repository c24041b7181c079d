"""Carrying out a profile's actions on one node. Each may be done twice."""

import subprocess
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

from kubectl_dra.migration.move import Move, RefusedError
from kubectl_dra.migration.node_writes import set_labels
from kubectl_dra.migration.profile import Action, RemoveLabel, Run, Say, SetLabel

OUTPUT = 2000
"""Characters of a program's output that an error shows: its end."""


def perform(move: Move, actions: Iterable[Action]) -> None:
    """Do them in order. Raises RefusedError for a program that fails, TimedOutError where somebody else does not finish with a label."""
    for action in actions:
        move.check()
        match action:
            case SetLabel():
                _wait_for_others(move, action)
                set_labels(move.reach, move.name, move.uid, {action.key: action.value})
            case RemoveLabel():
                set_labels(move.reach, move.name, move.uid, {action.key: None})
            case Run():
                _run(move, action)
            case Say():
                move.say(f"to do by hand: {action.text.replace('{node}', move.name).strip()}")


def labels_of(actions: Iterable[Action]) -> Mapping[str, str | None]:
    """The labels that the node has when they are done; null for one that is taken off."""
    labels: dict[str, str | None] = {}
    for action in actions:
        match action:
            case SetLabel():
                labels[action.key] = action.value
            case RemoveLabel():
                labels[action.key] = None
            case Run() | Say():
                pass
    return labels


def hold_labels(move: Move, actions: Iterable[Action]) -> str:
    """Why the labels of these actions have to be set again; empty when they stand, and have to stay from here on."""
    labels = labels_of(actions)
    node = move.reach.node(move.name)
    present = (node.metadata.labels or {}) if node is not None else {}
    wrong = [key for key, value in labels.items() if present.get(key) != value]
    if wrong:
        return f"label {', '.join(wrong)} is not as it was left"
    move.watch.labels.update(labels)
    return ""


def _wait_for_others(move: Move, action: SetLabel) -> None:
    """An operator that is at work says so in the label's value (`paused-for-driver-upgrade`): that is its own to take away."""
    if not action.wait_while:
        return

    def look() -> str:
        node = move.reach.node(move.name)
        value = ((node.metadata.labels or {}) if node is not None else {}).get(action.key, "")
        return f"label {action.key} is {value}: somebody else is at work" if fnmatchcase(value, action.wait_while) else ""

    move.until(look, hint="see what the operator is doing on this node; then run the same command again")


def _run(move: Move, action: Run) -> None:
    """The words of a command line, no shell; its output is kept and told."""
    told = {
        "NODE": move.name,
        "STEP": move.step.value,
        "PROFILE": move.profile.name,
        "RESOURCES": " ".join(sorted(move.names)),
        "CONTEXT": move.reach.transport.connection.context,
    }
    line = " ".join(action.command)
    try:
        ran = subprocess.run(  # noqa: S603 # the user's own profile names it
            action.command,
            env={**move.environment.variables, **told},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=action.timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise RefusedError(f"{line} did not end within {action.timeout:g} s", hint="give it more time in the profile") from None
    except OSError as error:
        raise RefusedError(f"{line} cannot be run: {error.strerror}") from None
    for words in ran.stdout.splitlines():
        move.say(f"{action.command[0]}: {words}")
    if ran.returncode:
        end = ran.stdout.strip()[-OUTPUT:]
        raise RefusedError(f"{line} ended with status {ran.returncode}" + (f": {end}" if end else ""))
