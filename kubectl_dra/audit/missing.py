"""Kinds that a reading does not know in full: which, why, and what would give them."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

import msgspec

from kubectl_dra.knowledge.permissions import resource_of
from kubectl_dra.objects.snapshot import KINDS, KindReading, ReadState, Snapshot

NEEDED = frozenset({"device_classes", "resource_slices", "resource_claims"})
"""Fields without which there is no DRA. Other kinds that a server does not serve are simply not there."""


T = TypeVar("T")


class Gap(msgspec.Struct, frozen=True):
    """One kind that is not known in full. `resource` is as RBAC and kubectl have it: `resourceslices.resource.k8s.io`."""

    kind: str
    resource: str
    state: ReadState
    reason: str


def usable(snapshot: Snapshot, field: str) -> bool:
    """True when a check that needs this kind can look at least at a part of it."""
    return field == "custom_workloads" or getattr(snapshot, field).state in (ReadState.READ, ReadState.EXPIRED)


def gaps(snapshot: Snapshot, fields: Iterable[str]) -> tuple[Gap, ...]:
    """What of these fields is not known in full. A kind that nobody needs and nobody serves is known: there is none."""
    return tuple(gap for field in fields for gap in _gaps(snapshot, field))


def in_words(found: Iterable[Gap], command: str = "audit") -> str:
    """A sentence for the reason of an `unknown`, with what would help: one clause for each way in which reading ended.

    `command` is the one whose role would allow it.
    """
    by_state: dict[ReadState, list[Gap]] = {}
    for gap in found:
        by_state.setdefault(gap.state, []).append(gap)
    return "; ".join(_clause(state, of_state, command) for state, of_state in by_state.items())


def _clause(state: ReadState, found: list[Gap], command: str) -> str:
    kinds = ", ".join(gap.kind for gap in found)
    resources = ",".join(gap.resource for gap in found)
    match state:
        case ReadState.FORBIDDEN:
            return f'{kinds}: forbidden (needs the verb list on {resources}; "kubectl dra rbac {command}" prints the role)'
        case ReadState.UNSERVED:
            return f"{kinds}: not served by this API server"
        case ReadState.EXPIRED:
            return f"{kinds}: the list changed while it was read (look again)"
        case ReadState.FAILED:
            return f"{kinds}: the server answered: {found[0].reason}"
        case _:
            return f'{kinds}: not in the file ("kubectl get {resources} -A -o json" writes it)'


def _gaps(snapshot: Snapshot, field: str) -> Iterator[Gap]:
    if field == "custom_workloads":
        for name, reading in sorted(snapshot.custom_workloads.items()):
            yield from _gap(reading, name.partition(".")[0], name)
    else:
        needless = field not in NEEDED and getattr(snapshot, field).state is ReadState.UNSERVED
        yield from () if needless else _gap(getattr(snapshot, field), KINDS[field], _resource(field))


def _gap(reading: KindReading[T], kind: str, resource: str) -> Iterator[Gap]:
    if not reading.known:
        yield Gap(kind, resource, reading.state, reading.reason)


def _resource(field: str) -> str:
    found = resource_of(field)
    if found is None:
        return field
    return f"{found.resource}.{found.group}" if found.group else found.resource
