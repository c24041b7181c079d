"""A second look. Lists are read at different moments, so a fault may be only their difference: what counts shows twice.

Pure: the caller reads `to_read(...)` again and gives the Snapshot of just those objects to `settle`.
"""

from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar

import msgspec

from kubectl_dra.audit.candidate import Again, Candidate, Later, Now
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import ObjectRef
from kubectl_dra.audit.run import Examination, Sighting, examine
from kubectl_dra.objects.meta import ObjectMeta
from kubectl_dra.objects.snapshot import KINDS, KindReading, Snapshot


class Named(Protocol):
    """An object with names."""

    @property
    def metadata(self) -> ObjectMeta:
        """Its names."""


N = TypeVar("N", bound=Named)

SOON = 10.0
"""Seconds that an audit waits unasked for what only time can tell."""


def soon(examination: Examination) -> float:
    """Seconds after which what settles soon can be read again; 0 when nothing does."""
    return max((seconds for seconds in _waits(examination) if seconds <= SOON), default=0.0)


def wait_left(examination: Examination) -> float:
    """Seconds that the second reading of what is not settled yet has to wait; 0 when time would tell nothing more."""
    return max(_waits(examination), default=0.0)


def _waits(examination: Examination) -> Iterator[float]:
    for sighting in examination.sightings:
        if isinstance(sighting.candidate.settling, Later) and not sighting.settled:
            yield sighting.candidate.settling.seconds


def to_read(examination: Examination, waited: float = 0.0) -> tuple[ObjectRef, ...]:
    """The objects to read again, sorted, once `waited` seconds have passed since the first reading."""
    wanted: set[ObjectRef] = set()
    for sighting in examination.sightings:
        wanted.update(_objects(sighting.candidate, waited))
    return tuple(sorted(wanted))


def settle(case: Case, examination: Examination, second: Snapshot, waited: float = 0.0) -> Examination:
    """Keep what shows in both readings.

    `second` holds the objects of `to_read(examination, waited)`: of each kind all that still exist. A kind that it could not
    read settles nothing: what rests on it stays, unsettled.
    """
    asked = to_read(examination, waited)
    again = examine(Case(overlay(case.snapshot, second, asked), case.scope, waited), {s.page.code for s in examination.sightings})
    seen = {(sighting.page.code, sighting.candidate.cause): sighting.candidate for sighting in again.sightings}
    kept = []
    for sighting in examination.sightings:
        objects = _objects(sighting.candidate, waited)
        if not objects or any(not _read(second, each.kind) for each in objects):
            kept.append(sighting)
            continue
        still = seen.get((sighting.page.code, sighting.candidate.cause))
        both = None if still is None else _both(sighting.candidate, still)
        if both is not None:
            kept.append(Sighting(sighting.page, both, settled=True))
    return msgspec.structs.replace(examination, sightings=tuple(kept))


def overlay(first: Snapshot, second: Snapshot, objects: Iterable[ObjectRef]) -> Snapshot:
    """`first` with those objects as `second` shows them, with those that have come since, and without those that are gone from it.

    An object without a name stands for its whole kind (`candidate.whole`).
    """
    names: dict[str, set[tuple[str, str]]] = {}
    for each in objects:
        names.setdefault(each.kind, set()).add((each.namespace, each.name))
    changed = {}
    for field, kind in KINDS.items():
        if kind in names and _read(second, kind):
            everything = ("", "") in names[kind]
            changed[field] = getattr(second, field) if everything else _overlaid(getattr(first, field), getattr(second, field), names[kind])
    return msgspec.structs.replace(first, **changed)


def _overlaid(first: KindReading[N], second: KindReading[N], names: set[tuple[str, str]]) -> KindReading[N]:
    """Some faults are that an object is missing: one that only the second reading has is added."""
    fresh = {key: item for item in second if (key := _key(item)) in names}
    items = [fresh.pop(key, None) if (key := _key(item)) in names else item for item in first]
    return msgspec.structs.replace(first, items=tuple(item for item in (*items, *fresh.values()) if item is not None))


def _key(item: Named) -> tuple[str, str]:
    return (item.metadata.namespace or "", item.metadata.name)


def _objects(candidate: Candidate, waited: float) -> tuple[ObjectRef, ...]:
    match candidate.settling:
        case Now():
            return ()
        case Again(objects):
            return objects
        case Later(objects, seconds):
            return objects if waited >= seconds else ()


def _read(second: Snapshot, kind: str) -> bool:
    field = next(field for field, name in KINDS.items() if name == kind)
    reading: KindReading[object] = getattr(second, field)
    return reading.known


def _both(before: Candidate, after: Candidate) -> Candidate | None:
    """The second look, without objects that only it has; None when it is about other objects altogether."""
    had = set(before.objects)
    objects = tuple(each for each in after.objects if each in had)
    return None if before.objects and not objects else msgspec.structs.replace(after, objects=objects)
