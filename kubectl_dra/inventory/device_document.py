"""The document `DeviceList`. What could not be had is null, and `unknown` says why."""

from collections.abc import Mapping

from kubectl_dra.document import Document, Part
from kubectl_dra.inventory.document import ObjectName, Unknown


class Trial(Part, frozen=True):
    """What an expression says of a device: `matches`, with the parts that made it false, or null and the scheduler's error.

    `reasons` are the smallest sub-expressions that decided, each with the values it saw; of an error the one that fails.
    """

    matches: bool | None
    reasons: tuple[str, ...] = ()
    error: str = ""


class Share(Part, frozen=True):
    """A share of a device that a claim holds, and the pods that may use it."""

    claim: ObjectName
    pods: tuple[str, ...]
    consumed: Mapping[str, str]


class DeviceItem(Part, frozen=True):
    """A device, where it is and whose.

    `state` is allocated, shared, incomplete or invalid (its pool), tainted, free or unknown: the first of these that is so. `node` is
    null for devices of several nodes, and `nodes` says of which. `classes` select the device, the selectors of `failing` fail on it
    (each with the scheduler's words). `claim` and `pod` hold it whole; `shares` are those of a device that several claims hold, and
    `sharedPercent` is what is taken of the capacity of which most is taken (null where that cannot be told). `taints` are those that
    keep pods away, of the driver and of rules. `where` is what the expression of `--where` says.
    """

    node: str | None
    nodes: str
    driver: str
    pool: str
    device: str
    classes: tuple[str, ...] | None
    state: str
    claim: ObjectName | None = None
    pod: str | None = None
    pods: tuple[str, ...] = ()
    shares: tuple[Share, ...] = ()
    shared_percent: int | None = None
    taints: tuple[str, ...] = ()
    failing: Mapping[str, str] = {}
    note: str = ""
    attributes: Mapping[str, int | bool | str | tuple[int | bool | str, ...]] = {}
    capacity: Mapping[str, str] = {}
    where: Trial | None = None


class DeviceList(Document, frozen=True, kw_only=True):
    """The answer of `kubectl dra devices`."""

    kind: str = "DeviceList"
    items: tuple[DeviceItem, ...]
    where: str | None = None
    unknown: tuple[Unknown, ...] = ()
