"""Events, read for one object where they are asked for."""

from kubectl_dra.objects.meta import ObjectMeta
from kubectl_dra.objects.shape import Object


class ObjectReference(Object, frozen=True):
    """What the event is about."""

    kind: str | None = None
    namespace: str | None = None
    name: str | None = None
    uid: str | None = None


class EventSeries(Object, frozen=True):
    """That the same happened again and again."""

    count: int = 0
    last_observed_time: str | None = None


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
    series: EventSeries | None = None

    @property
    def last_time(self) -> str | None:
        """When it happened last: recorders of the old and of the new kind put it in different places."""
        return (self.series.last_observed_time if self.series else None) or self.last_timestamp or self.event_time or self.first_timestamp
