"""Feature gates by version (`gates.toml`)."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from kubectl_dra.objects.snapshot import Version

EXTENDED_RESOURCE = "DRAExtendedResource"
"""The gate of extended resources through DRA."""


class Stage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A gate from one minor on: its stage, what it is unless told otherwise, and whether that can be changed."""

    since: str
    stage: Literal["alpha", "beta", "GA"]
    default: bool
    locked: bool = False


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    gates: Mapping[str, tuple[Stage, ...]]


@cache
def gates() -> Mapping[str, tuple[Stage, ...]]:
    """The stages of each gate, oldest first."""
    return msgspec.toml.decode(Path(__file__).with_name("gates.toml").read_bytes(), type=_Table).gates


def stage(gate: str, emulated: Version) -> Stage | None:
    """The gate as a component of that emulated version has it; None when it does not have it. Raises KeyError for unknown gates."""
    reached = [
        each for each in gates()[gate] if Version.of(each.since) is not None and _minor(each.since) <= (emulated.major, emulated.minor)
    ]
    return reached[-1] if reached else None


def enabled(gate: str, emulated: Version | None, observed: Mapping[str, bool]) -> bool | None:
    """Whether the gate is on: by the component's own word, else where its version alone decides; None when nobody can tell.

    A gate that can be changed is None even if it is on by default: it may have been turned off.
    """
    if gate in observed:
        return observed[gate]
    if emulated is None:
        return None
    found = stage(gate, emulated)
    if found is None:
        return False
    return found.default if found.locked else None


def enabled_by_default(gate: str, emulated: Version | None, observed: Mapping[str, bool]) -> bool | None:
    """Whether the gate is on as far as one can see: what `enabled` knows, else the default; None when the version is not known."""
    known = enabled(gate, emulated, observed)
    if known is not None or emulated is None:
        return known
    found = stage(gate, emulated)
    return found.default if found else False


def _minor(text: str) -> tuple[int, int]:
    found = Version.of(text)
    if found is None:
        raise ValueError(f"gates.toml: {text} is no version")
    return found.major, found.minor
