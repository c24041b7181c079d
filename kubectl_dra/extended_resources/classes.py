"""From a name to the DeviceClass that the scheduler uses for it, and why.

Rule (API doc of DeviceClassSpec.extendedResourceName; k8s.io/dynamic-resource-allocation extendedresourcecache.go): the class created
last, then the one whose name sorts first. Times have one second. Kubernetes 1.34 takes any of them (kubernetes/kubernetes#133693).
This is what the scheduler means to do; 1.37.0 to 1.37.2 may have lost the mapping since (kubernetes/kubernetes#141103).
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

from kubectl_dra.extended_resources.names import class_of_implicit_name
from kubectl_dra.objects.meta import timestamp
from kubectl_dra.objects.resource import DeviceClass
from kubectl_dra.objects.snapshot import Version

FIRST_WITH_A_RULE = Version(1, 35, 0)
"""Before it the scheduler takes any of the classes that share a name."""


class State(StrEnum):
    """Where a class stands with its extended resource name."""

    ONLY = "only"
    """No other class has the name."""
    WINS = "wins"
    """Others have it too; the scheduler takes this one."""
    LOSES = "loses"
    """The scheduler takes another one."""
    UNDEFINED = "undefined"
    """Others have it too, and nobody can tell which the scheduler takes."""
    NONE = "none"
    """The class has no extended resource name but the implicit one."""


class Reason(StrEnum):
    """Why one class is taken before another."""

    NEWER = "newer"
    NAME = "name"
    RANDOM = "random"
    NO_TIME = "no-time"


class Why(NamedTuple):
    """A reason, with the seconds between the two classes' creation where it is that. `lost`: it is told of the class that loses."""

    reason: Reason
    seconds: int = 0
    lost: bool = False

    def __str__(self) -> str:
        """In words: of the winner seen from the class that comes next, of a loser seen from the winner."""
        match self.reason:
            case Reason.NEWER:
                return f"created {span(self.seconds)} {'earlier' if self.lost else 'later'}"
            case Reason.NAME:
                return f"same second, name sorts {'later' if self.lost else 'first'}"
            case Reason.RANDOM:
                return "Kubernetes 1.34 takes any of them"
            case Reason.NO_TIME:
                return "no creation time is known"


class Standing(NamedTuple):
    """One class and its explicit name: the state, who wins (None: nobody knows, or there is no name), and why.

    `why` is None for classes without a rival. It tells a winner from the runner-up, and a loser from the winner.
    """

    device_class: DeviceClass
    name: str | None
    state: State
    winner: str | None = None
    why: Why | None = None


class Resolution(NamedTuple):
    """All classes, in the order of their names, and what each extended resource name means."""

    standings: tuple[Standing, ...]
    by_name: Mapping[str, DeviceClass]
    """Explicit names and their winners. Names of which nobody can tell are left out."""
    by_class: Mapping[str, DeviceClass]

    def device_class(self, name: str) -> DeviceClass | None:
        """The class that serves an extended resource, explicit or implicit; None when no class does or nobody can tell."""
        implicit = class_of_implicit_name(name)
        return self.by_name.get(name) if implicit is None else self.by_class.get(implicit)

    def class_names(self, names: Iterable[str]) -> dict[str, str]:
        """The mapping from names to class names that `requests.claim_requests` takes."""
        found = ((name, self.device_class(name)) for name in names)
        return {name: device_class.metadata.name for name, device_class in found if device_class is not None}

    def contenders(self, name: str) -> tuple[Standing, ...]:
        """All classes with this explicit name."""
        return tuple(standing for standing in self.standings if standing.name == name)

    @property
    def contested(self) -> tuple[str, ...]:
        """The names that more than one class has."""
        rivals = {standing.name for standing in self.standings if standing.state in (State.WINS, State.LOSES, State.UNDEFINED)}
        return tuple(sorted(name for name in rivals if name))


def resolve(classes: Iterable[DeviceClass], version: Version | None = None) -> Resolution:
    """What each name means to a scheduler of `version` (None: one that follows the rule)."""
    everything = sorted(classes, key=lambda each: each.metadata.name)
    named: dict[str, list[DeviceClass]] = {}
    for each in everything:
        if each.spec.extended_resource_name:
            named.setdefault(each.spec.extended_resource_name, []).append(each)
    standings = [Standing(each, None, State.NONE) for each in everything if not each.spec.extended_resource_name]
    for name, rivals in named.items():
        standings += _standings(name, rivals, version)
    return Resolution(
        tuple(sorted(standings, key=lambda standing: standing.device_class.metadata.name)),
        {standing.name: standing.device_class for standing in standings if standing.name and standing.state in (State.ONLY, State.WINS)},
        {each.metadata.name: each for each in everything},
    )


def _standings(name: str, rivals: list[DeviceClass], version: Version | None) -> list[Standing]:
    """The standings of all classes with one name."""
    if len(rivals) == 1:
        return [Standing(rivals[0], name, State.ONLY, rivals[0].metadata.name)]
    if version is not None and version < FIRST_WITH_A_RULE:
        return [Standing(each, name, State.UNDEFINED, None, Why(Reason.RANDOM)) for each in rivals]
    if any(_created(each) is None for each in rivals):
        return [Standing(each, name, State.UNDEFINED, None, Why(Reason.NO_TIME)) for each in rivals]
    # stable: equal times keep the order of names that `rivals` come in
    winner, *losers = sorted(rivals, key=lambda each: -(_created(each) or 0))
    return [
        Standing(winner, name, State.WINS, winner.metadata.name, _why(winner, losers[0])),
        *(Standing(loser, name, State.LOSES, winner.metadata.name, _why(winner, loser)._replace(lost=True)) for loser in losers),
    ]


def _why(winner: DeviceClass, other: DeviceClass) -> Why:
    seconds = (_created(winner) or 0) - (_created(other) or 0)
    return Why(Reason.NEWER, seconds) if seconds else Why(Reason.NAME)


def _created(device_class: DeviceClass) -> int | None:
    """The second of its creation; None for a class that only stands in a manifest."""
    moment = timestamp(device_class.metadata.creation_timestamp)
    return int(moment.timestamp()) if moment else None


def span(seconds: int) -> str:
    """A length of time in its two largest units: `41 s`, `3 min 20 s`, `4 d 3 h`."""
    if seconds < 120:
        return f"{seconds} s"
    parts: list[str] = []
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min"), (1, "s")):
        count, seconds = divmod(seconds, size)
        if parts or count:
            parts.append(f"{count} {unit}" if count else "")
    return " ".join(part for part in parts[:2] if part)
