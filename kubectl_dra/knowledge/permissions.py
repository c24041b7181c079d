"""What each command reads, and what a role has to allow for it (`permissions.toml`)."""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import msgspec

FEATURE_GATES = "feature_gates"
CUSTOM_WORKLOADS = "custom_workloads"
"""Wanted like kinds, but of no one resource: a URL, and as many kinds as `workloads.toml` knows."""


class Grant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Verbs on a resource (`pods`) or a part of one (`pods/eviction`)."""

    resource: str
    verbs: tuple[str, ...]
    group: str = ""


class Rights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The kinds that a command reads whole, those of which it reads single objects, and what it does besides: what it writes."""

    list: tuple[str, ...]
    get: tuple[str, ...] = ()
    also: tuple[Grant, ...] = ()


class Resource(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind as roles name it: API group (empty is core) and plural."""

    resource: str
    group: str = ""


class Rule(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """An RBAC PolicyRule."""

    api_groups: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    non_resource_urls: tuple[str, ...] = msgspec.field(default=(), name="nonResourceURLs")
    verbs: tuple[str, ...] = ()


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    commands: Mapping[str, Rights]
    kinds: Mapping[str, Resource]
    urls: Mapping[str, str]


@cache
def _table() -> _Table:
    return msgspec.toml.decode(Path(__file__).with_name("permissions.toml").read_bytes(), type=_Table)


def commands() -> tuple[str, ...]:
    """The commands that read a cluster."""
    return tuple(_table().commands)


def grants_of(command: str) -> tuple[Grant, ...]:
    """What `command` does beside reading; nothing, for most. Raises KeyError for commands that no role is for."""
    return _table().commands[command].also


def kinds_of(command: str) -> tuple[str, ...]:
    """The kinds that `command` reads: fields of a Snapshot, `custom_workloads`, `feature_gates`. Raises KeyError for other commands."""
    return _table().commands[command].list


def resource_of(kind: str) -> Resource | None:
    """How roles name a kind of the Snapshot; None for what is of no one resource."""
    return _table().kinds.get(kind)


def rules_of(names: Iterable[str], custom: Iterable[Resource] = ()) -> tuple[Rule, ...]:
    """The least rules for these commands together. `custom` are the custom kinds to allow where a command reads such.

    Resources of one group that need the same verbs share a rule; the core group comes first.
    """
    verbs: dict[tuple[str, str], set[str]] = {}
    urls: set[str] = set()
    for name in names:
        reads = _table().commands[name]
        wanted = [*((kind, "list") for kind in reads.list), *((kind, "get") for kind in reads.get)]
        for kind, verb in wanted:
            if kind == CUSTOM_WORKLOADS:
                resources = tuple(custom)
            elif kind in _table().urls:
                urls.add(_table().urls[kind])
                continue
            else:
                resources = (_table().kinds[kind],)
            for each in resources:
                verbs.setdefault((each.group, each.resource), set()).add(verb)
        for grant in reads.also:
            verbs.setdefault((grant.group, grant.resource), set()).update(grant.verbs)
    together: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (group, resource), needed in sorted(verbs.items()):
        together.setdefault((group, tuple(sorted(needed))), []).append(resource)
    rules = [Rule(api_groups=(group,), resources=tuple(resources), verbs=needed) for (group, needed), resources in together.items()]
    return (*rules, *(Rule(non_resource_urls=(url,), verbs=("get",)) for url in sorted(urls)))
