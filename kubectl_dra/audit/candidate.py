"""What a check gives back: something that may be a finding, with the way to make sure of it; or a doubt."""

import msgspec

from kubectl_dra.audit.finding import ObjectRef, Severity


class Now(msgspec.Struct, frozen=True):
    """One look is enough: everything it rests on was seen in one object or list."""


class Again(msgspec.Struct, frozen=True):
    """Kinds are listed at different moments: read these objects once more, and keep what still shows."""

    objects: tuple[ObjectRef, ...]


def whole(kind: str) -> ObjectRef:
    """Stands for all objects of a kind, where what is missing now may come under any name."""
    return ObjectRef(kind, "", "")


class Later(msgspec.Struct, frozen=True):
    """Only time tells: read these objects once more after so many seconds."""

    objects: tuple[ObjectRef, ...]
    seconds: float


Settling = Now | Again | Later


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a check has seen.

    `cause` tells it from the check's other candidates and is the same in two readings of one fault: all pods
    that suffer from one cause stand in the `objects` of one candidate. `resources` are the extended resource names
    it is about (a blocking check blocks these). `severity`, `title`, `why` and `fix` are the page's unless given.
    """

    cause: str
    objects: tuple[ObjectRef, ...]
    evidence: str
    resources: tuple[str, ...] = ()
    severity: Severity | None = None
    title: str | None = None
    why: str | None = None
    fix: tuple[str, ...] = ()
    settling: Settling = Now()


class Doubt(msgspec.Struct, frozen=True):
    """A part that the check could not judge, and why. With a blocking check the verdict of `resources` is unknown then."""

    reason: str
    resources: tuple[str, ...] = ()


EVERY_NAME = ("*",)
"""The resources of a doubt about all names."""
