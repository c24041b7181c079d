"""Events, read for one object where they are asked for."""

from kubectl_dra.objects.meta import ObjectMeta
from kubectl_dra.objects.shape import Object


class ObjectReference(Object, frozen=True):
    """What the event is about."""

    kind: str | None = None
    namespace: str | None = None
    name: str | None = None
    uid: str | None = None


class Event(Object, frozen=True):
    """A core/v1 event."""

    metadata: ObjectMeta = ObjectMeta()
    involved_object: ObjectReference = ObjectReference()
    reason: str | None = None
    message: str | None = None
    type: str | None = None
    count: int | None = None
    first_timestamp: str | None = None
    last_timestamp: str | None = None
    event_time: str | None = None
