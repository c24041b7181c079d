"""What `migrate-node` was asked for, from its words: checked, and turned into what the room of migration takes."""

import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from kubectl_dra.cli.durations import seconds
from kubectl_dra.environment import Environment
from kubectl_dra.errors import UsageError

if TYPE_CHECKING:
    from kubectl_dra.migration.names import StepName
    from kubectl_dra.migration.profile import Profile
    from kubectl_dra.migration.timing import Timing
    from kubectl_dra.objects.labels import Selector

HOOKS = ("unplug", "plug", "remove", "replug")
"""The programs that profile `commands` needs, by the steps at which they run."""

TIMING = "KUBECTL_DRA_TIMING"
"""The variable that names a JSON file with other intervals and limits: for tests, which have no five minutes."""


def step(text: str, option: str) -> "StepName":
    """A step by its name. Raises UsageError."""
    from kubectl_dra.migration.names import StepName

    try:
        return StepName(text)
    except ValueError:
        raise UsageError(f'{option}: there is no step "{text}"', hint=f"Steps: {', '.join(StepName)}.") from None


def duration(text: str, option: str) -> float | None:
    """Seconds; None where nothing was said. Raises UsageError."""
    return seconds(text, option) if text else None


def step_timeouts(words: Iterable[str]) -> "Mapping[StepName, float]":
    """`STEP=DURATION`, each. Raises UsageError."""
    found = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            raise UsageError(f'--step-timeout="{word}" names no duration', hint="Give STEP=DURATION: --step-timeout settle=10m")
        found[step(name, "--step-timeout")] = seconds(text, "--step-timeout")
    return found


def profile(name: str, unplug_label: str, plug_label: str, hooks: Iterable[str]) -> "Profile":
    """The profile, filled from the command line where it is one of those that are. Raises UsageError and InputError."""
    from kubectl_dra.migration import profile_files

    found = profile_files.find(name)
    given = tuple(hooks)
    if found.name == profile_files.NODE_LABELS:
        if not unplug_label or not plug_label:
            raise UsageError("profile node-labels needs --unplug-label and --plug-label", hint=found.about.strip())
        return profile_files.with_labels(found, unplug_label, plug_label)
    if unplug_label or plug_label:
        raise UsageError(f"--unplug-label and --plug-label go with profile node-labels, not with {found.name}")
    if found.name == profile_files.COMMANDS:
        return _with_hooks(found, given)
    if given:
        raise UsageError(f"--hook goes with profile commands, not with {found.name}")
    return found


def _with_hooks(found: "Profile", words: Iterable[str]) -> "Profile":
    from kubectl_dra.migration import profile_files
    from kubectl_dra.migration.profile import Run

    runs: dict[str, Run] = {}
    for word in words:
        name, equals, line = word.partition("=")
        if not equals or name not in HOOKS:
            raise UsageError(f'--hook="{word}" is no hook', hint=f"Give STEP=PROGRAM with one of {', '.join(HOOKS)}.")
        try:
            command = tuple(shlex.split(line))
        except ValueError as error:
            raise UsageError(f'--hook="{word}": {error}') from error
        if not command:
            raise UsageError(f'--hook="{word}" names no program')
        runs[name] = Run(command)
    missing = [name for name in HOOKS if name not in runs]
    if missing:
        raise UsageError(f"profile commands needs --hook {missing[0]}=PROGRAM", hint=found.about.strip())
    return profile_files.with_commands(found, **runs)


def canary_text(path: str) -> str:
    """The manifest of one's own canary. Raises UsageError where it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise UsageError(f"cannot read the canary {path}: {reason}") from error


def selector(text: str, option: str) -> "Selector":
    """A label selector. Raises UsageError."""
    from kubectl_dra.objects.labels import SelectorError, parse

    try:
        return parse(text)
    except SelectorError as error:
        raise UsageError(f'{option}="{text}": {error}') from error


def timing(environment: Environment) -> "Timing":
    """The real intervals and limits, unless `KUBECTL_DRA_TIMING` names a file with others. Raises UsageError for one that is none."""
    import msgspec

    from kubectl_dra.migration.timing import REAL, Timing

    path = environment.variables.get(TIMING)
    if not path:
        return REAL
    try:
        return msgspec.json.decode(Path(path).read_bytes(), type=Timing)
    except (OSError, msgspec.DecodeError) as error:
        raise UsageError(f"{TIMING}={path}: {error}") from error
