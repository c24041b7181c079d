"""Profiles as files: those that come with this tool, and people's own (`--profile FILE`)."""

from functools import cache
from pathlib import Path

import msgspec
import yaml

from kubectl_dra.errors import InputError, UsageError
from kubectl_dra.migration.profile import Change, Profile, RemoveLabel, Run, SetLabel
from kubectl_dra.reading.yaml_text import documents

FOLDER = Path(__file__).parent / "profiles"
NODE_LABELS = "node-labels"
COMMANDS = "commands"
LARGEST = 1 << 20
"""Bytes; a profile is a page."""


@cache
def builtin() -> tuple[Profile, ...]:
    """The profiles that come with this tool, sorted by name. `node-labels` and `commands` are filled from the command line."""
    return tuple(_parsed(path.read_text(encoding="utf-8"), path.name) for path in sorted(FOLDER.glob("*.yaml")))


def find(name: str) -> Profile:
    """The profile that `--profile` says: one of ours by name, else a file. Raises UsageError and InputError."""
    ours = {profile.name: profile for profile in builtin()}
    if name in ours:
        return ours[name]
    path = Path(name)
    if not path.exists():
        hint = f"Profiles: {', '.join(ours)}; or the path of a file. `kubectl dra migrate-node --list-profiles` says what they do."
        raise UsageError(f'there is no profile "{name}", and no file of that name', hint=hint)
    return read(path)


def read(path: Path) -> Profile:
    """A profile from a file. Raises InputError where it cannot be read or is none, with the place of the fault."""
    try:
        if path.stat().st_size > LARGEST:
            raise InputError(f"{path} is larger than a profile can be (1 MiB)")
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InputError(f"cannot read the profile {path}: {reason}") from error
    return _parsed(text, str(path))


def _parsed(text: str, name: str) -> Profile:
    try:
        found = list(documents(text))
    except yaml.YAMLError as error:
        raise InputError(f"{name} is no YAML: {' '.join(str(error).split())}") from error
    if len(found) != 1:
        raise InputError(f"{name} holds {len(found)} documents; a profile is one")
    try:
        # every scalar is a text yet, so that a label's "true" stays one
        profile = msgspec.convert(found[0], Profile, strict=False)
    except msgspec.ValidationError as error:
        raise InputError(f"{name} is no profile: {error}", hint="The README says what a profile may have, and shows one.") from error
    filled = profile.name in (NODE_LABELS, COMMANDS)
    for what, change in (("unplug", profile.unplug), ("plug", profile.plug)):
        if not filled and not (change.do and change.undo):
            raise InputError(f"{name} is no profile: {what} needs both do and undo", hint="What cannot be undone cannot be rolled back.")
    return profile


def with_labels(profile: Profile, unplug: str, plug: str) -> Profile:
    """`node-labels` with the two labels of the command line, each `KEY=NOW` or `KEY=NOW/AFTERWARDS`.

    NOW is the value that makes the plugin leave (the driver come), AFTERWARDS the one that takes it back; without it, or where a value is
    empty, the label is removed. Raises UsageError.
    """
    return msgspec.structs.replace(profile, unplug=_by_label(unplug, "--unplug-label"), plug=_by_label(plug, "--plug-label"))


def _by_label(text: str, option: str) -> Change:
    key, equals, values = text.partition("=")
    if not key or not equals:
        raise UsageError(
            f'{option}="{text}" is no label', hint=f"Give KEY=NOW or KEY=NOW/AFTERWARDS: {option} example.com/plugin=false/true"
        )
    now, _, afterwards = values.partition("/")
    if now == afterwards:
        raise UsageError(f'{option}="{text}" changes nothing: both values are "{now}"')
    return Change((_label(key, now),), (_label(key, afterwards),))


def _label(key: str, value: str) -> SetLabel | RemoveLabel:
    return SetLabel(key, value) if value else RemoveLabel(key)


def with_commands(profile: Profile, unplug: Run, replug: Run, plug: Run, remove: Run) -> Profile:
    """`commands` with the four programs of the command line: for the plugin to leave and come back, for the driver to come and leave."""
    return msgspec.structs.replace(profile, unplug=Change((unplug,), (replug,)), plug=Change((plug,), (remove,)))
