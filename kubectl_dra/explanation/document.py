"""The document `Explanation`. Codes and verdicts are for scripts and keep their meaning; messages are for people and may change."""

from collections.abc import Mapping
from enum import StrEnum

from kubectl_dra.document import Document, Part
from kubectl_dra.inventory.document import ObjectName, Unknown


class Verdict(StrEnum):
    """Where the pod stands."""

    RUNS = "runs"
    """It runs on a node."""
    BOUND = "bound"
    """It has a node and does not run there (yet)."""
    TERMINATING = "terminating"
    """It is being deleted and still there."""
    FINISHED = "finished"
    """It has succeeded or failed."""
    HELD = "held"
    """The scheduler does not look for a node: something has to happen first."""
    FITS = "fits"
    """A node would take it now."""
    WAITS = "waits"
    """No node takes it now."""
    FAILS = "fails"
    """Each attempt to schedule it ends in an error, whatever the nodes have."""
    UNKNOWN = "unknown"
    """What decides could not be read, or cannot be told."""


class NodeVerdict(StrEnum):
    """What the scheduler would make of the pod on one node."""

    FITS = "fits"
    NO = "no"
    ERROR = "error"
    """The attempt ends here, for all nodes."""
    UNKNOWN = "unknown"


class Reason(Part, frozen=True):
    """One thing that stands in the way, or that is good to know.

    `subject` is what it is about (a class, a resource, a claim, a taint). `nodes` is on how many nodes it is so (null: it is about the
    pod). `detail` are lines with names and values, `fix` lines that can be pasted, with comments.
    """

    code: str
    message: str
    subject: str = ""
    nodes: int | None = None
    detail: tuple[str, ...] = ()
    fix: tuple[str, ...] = ()


class Asked(Part, frozen=True):
    """What the pod asks for, and where that is written.

    `source` is `extended resource`, `claim` or `template`. `containers` use it; `resource` is the extended resource name. `claim` is the
    claim's name (`<extended-resources>` for one that the scheduler would make; null for what only a device plugin can serve), `request`
    its request, an alternative as REQUEST/SUBREQUEST. `count` null is all devices. `servedBy` counts nodes by who serves an extended
    resource there: `plugin`, `dra`, `nobody`.
    """

    source: str
    containers: tuple[str, ...]
    resource: str | None
    claim: str | None
    request: str | None
    device_class: str | None
    count: int | None
    served_by: Mapping[str, int] = {}


class DeviceVerdict(Part, frozen=True):
    """A device as one request sees it: `against` is the first thing that stands in the way, null when it would do."""

    claim: str
    request: str
    driver: str
    pool: str
    device: str
    against: str | None
    message: str = ""


class OnNode(Part, frozen=True):
    """One node. `servedBy` says for each extended resource who serves it there: `plugin`, `dra`, `nobody`."""

    node: str
    verdict: str
    reasons: tuple[Reason, ...] = ()
    served_by: Mapping[str, str] = {}
    devices: tuple[DeviceVerdict, ...] = ()


class Holding(Part, frozen=True):
    """A device that the pod's claim holds, and the containers that get it (null: the pod's resource maps it to none)."""

    claim: str
    request: str
    driver: str
    pool: str
    device: str
    containers: tuple[str, ...]


class Said(Part, frozen=True):
    """The last words of a component about the pod. `at` is null where only the pod's condition has them."""

    by: str
    message: str
    at: str | None = None


class Explanation(Document, frozen=True, kw_only=True):
    """The answer of `kubectl dra explain pod`.

    `summary` is the verdict in a sentence. `reasons` are about the pod first, then those of nodes, the commonest first. `nodes` is empty
    for a pod that has a node, and holds just the one of `--node`. `notJudged` is what may keep a pod off a node beside.
    """

    kind: str = "Explanation"
    pod: ObjectName
    verdict: str
    summary: str
    exists: bool = True
    phase: str | None = None
    node: str | None = None
    reasons: tuple[Reason, ...] = ()
    requests: tuple[Asked, ...] = ()
    nodes: tuple[OnNode, ...] = ()
    holds: tuple[Holding, ...] = ()
    said: tuple[Said, ...] = ()
    not_judged: tuple[str, ...] = ()
    unknown: tuple[Unknown, ...] = ()
