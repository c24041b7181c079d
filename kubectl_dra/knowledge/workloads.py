"""Custom kinds that make pods (`workloads.toml`)."""

from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

Form = Literal["template", "spec", "container", "resources", "gpu", "device", "argo"]
"""What stands at a template's path: see the head of `workloads.toml`."""


class TemplatePath(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """Where a pod template stands in objects of a kind, and the paths whose product is its number of pods (null: nobody knows)."""

    path: str
    form: Form = "template"
    replicas: tuple[str, ...] | None = None
    less_one: str | None = None


class Between(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind between a custom kind and its pods. What it owns has the custom object's name in `label`; without one it has that name."""

    kind: str
    label: str = ""


class Finished(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a kind's status says that an object makes no more pods: a true condition of these types, or one of `values` at `path`."""

    conditions: tuple[str, ...] = ()
    path: str = ""
    values: tuple[str, ...] = ()


class CustomKind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A custom kind that makes pods. `suspended` and `active` are paths to its own switch; `note` says what cannot be known.

    `between` are kinds that are not read, `repeats` says that it only repeats its owners' templates: see the head of `workloads.toml`.
    """

    kind: str
    group: str
    templates: tuple[TemplatePath, ...]
    plural: str = ""
    source: str = ""
    note: str = ""
    suspended: tuple[str, ...] = ()
    active: tuple[str, ...] = ()
    finished: Finished = Finished()
    between: tuple[Between, ...] = ()
    repeats: bool = False

    @property
    def name(self) -> str:
        """`Kind.group`, the key of `Snapshot.custom_workloads`."""
        return f"{self.kind}.{self.group}"


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kinds: tuple[CustomKind, ...]


@cache
def custom_kinds() -> tuple[CustomKind, ...]:
    """All custom kinds that this tool knows."""
    return msgspec.toml.decode(Path(__file__).with_name("workloads.toml").read_bytes(), type=_Table).kinds
