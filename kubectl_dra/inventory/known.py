"""Which kinds of a snapshot are known, so that "none" means none."""

from collections.abc import Iterable
from typing import TypeVar

from kubectl_dra.inventory.document import Unknown
from kubectl_dra.objects.snapshot import KINDS, KindReading, ReadState, Snapshot

T = TypeVar("T")


def known(reading: KindReading[T]) -> bool:
    """True when "none" means none: the kind was read in full, or the server does not serve it at all."""
    return reading.state in (ReadState.READ, ReadState.UNSERVED)


def unknown_kinds(snapshot: Snapshot, fields: Iterable[str]) -> tuple[Unknown, ...]:
    """The kinds among `fields` (of Snapshot) that are not known, and the custom ones if `custom_workloads` is among them."""
    found = []
    for field in fields:
        if field == "custom_workloads":
            readings = sorted(snapshot.custom_workloads.items())
        elif field in KINDS:
            readings = [(KINDS[field], getattr(snapshot, field))]
        else:
            continue
        found += [Unknown(kind, reading.reason or reading.state.value) for kind, reading in readings if not known(reading)]
    return tuple(found)
