"""From a name to a class as Kubernetes 1.35 to 1.37 really remember it: one entry a name, changed by each event of a class.

`classes.resolve` is what is meant, and what 1.38 does. This is what the scheduler has after the events that it has seen: entries are
deleted by name, whoever they belong to, and an event of a class that loses is left half done (kubernetes/kubernetes#141103). So the same
classes may mean different things, by what happened before. The API server and the controllers keep the same for quotas.

Rules: dynamic-resource-allocation deviceclass/extendedresourcecache/extendedresourcecache.go (0.37.2).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kubectl_dra.extended_resources.names import implicit_name
from kubectl_dra.objects.meta import timestamp
from kubectl_dra.objects.resource import DeviceClass


@dataclass(frozen=True, slots=True)
class ClassEvent:
    """What happened to a class: added (`before` is null), deleted (`after` is null) or updated."""

    before: DeviceClass | None = None
    after: DeviceClass | None = None


class RememberedClasses:
    """The entries after the events so far."""

    def __init__(self, events: Iterable[ClassEvent] = ()) -> None:
        """Replay a history, the oldest event first."""
        self._entries: dict[str, DeviceClass] = {}
        for event in events:
            self.see(event)

    def see(self, event: ClassEvent) -> None:
        """Take one more event. One with neither a class before nor one after changes nothing."""
        if event.after is None:
            self._forget(event.before)
            return
        new, name = event.after, event.after.spec.extended_resource_name
        if name is not None and name in self._entries and not _goes_before(new, self._entries[name]):
            return  # neither are the entries of its former name removed, nor does it get its implicit one
        self._forget(event.before)
        if name is not None:
            self._entries[name] = new
        self._entries[implicit_name(new.metadata.name)] = new

    def device_class(self, name: str) -> DeviceClass | None:
        """The class that an explicit or implicit name means to the scheduler, as it was when the entry was made; None for no entry."""
        return self._entries.get(name)

    def _forget(self, old: DeviceClass | None) -> None:
        """Delete the entries of the names that a class had, whoever has them now."""
        if old is None:
            return
        self._entries.pop(implicit_name(old.metadata.name), None)
        if old.spec.extended_resource_name is not None:
            self._entries.pop(old.spec.extended_resource_name, None)


@dataclass(frozen=True, slots=True)
class AtStart:
    """What a scheduler has that starts now: names that it certainly knows, and those that it knows or not, by chance."""

    certain: Mapping[str, DeviceClass]
    by_chance: frozenset[str]


def at_start(classes: Iterable[DeviceClass]) -> AtStart:
    """After the first list of classes, which comes in the random order of a Go map (client-go tools/cache/reflector.go, watchList).

    Whoever wins a name wins it in any order. A class that loses gets its implicit name only if it comes before the one that beats it.
    """
    everything, winners = tuple(classes), dict[str, DeviceClass]()
    for each in everything:
        name = each.spec.extended_resource_name
        if name is not None and (name not in winners or _goes_before(each, winners[name])):
            winners[name] = each
    losers = [each for each in everything if each.spec.extended_resource_name is not None and each not in winners.values()]
    implicit = {implicit_name(each.metadata.name): each for each in everything if each not in losers}
    return AtStart({**winners, **implicit}, frozenset(implicit_name(each.metadata.name) for each in losers))


def _goes_before(new: DeviceClass, current: DeviceClass) -> bool:
    """Whether the class takes the name from the one that has it: it is newer, or as old with a name that sorts first.

    Times in objects have whole seconds. A class without a time counts as older than all others, as Go's zero time does.
    """
    created, other = (timestamp(each.metadata.creation_timestamp) for each in (new, current))
    if created != other:
        return other is None or (created is not None and created > other)
    return new.metadata.name.encode() < current.metadata.name.encode()
