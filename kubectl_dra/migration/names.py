"""Words of a move: its steps, where they and the whole stand, how grave a check is. Scripts read them: a word never changes meaning."""

from enum import StrEnum


class StepName(StrEnum):
    """Steps of the move and of the way back, in no order; `FORWARD` and `BACKWARD` have the orders."""

    PREFLIGHT = "preflight"
    LOCK = "lock"
    JOURNAL = "journal"
    CORDON = "cordon"
    """Unschedulable, and the fence."""
    DRAIN = "drain"
    EMPTY = "empty"
    """No pod holds a device of the plugin."""
    UNPLUG = "unplug"
    """The device plugin leaves the node."""
    ZERO = "zero"
    """Allocatable is 0 and stays 0."""
    FORGET = "forget"
    """The kubelet drops what it remembers of plugin pods."""
    SETTLE = "settle"
    """Capacity is 0 or gone."""
    PLUG = "plug"
    """The DRA driver comes to the node."""
    SLICES = "slices"
    CLASS = "class"
    CANARY = "canary"
    UNCORDON = "uncordon"
    CLOSE = "close"
    CLAIMS = "claims"
    """Way back: no pod and no claim has a device of the driver on this node."""
    REMOVE = "remove"
    """Way back: the DRA driver leaves the node."""
    GONE = "gone"
    """Way back: the driver's slices are gone."""
    RECHECK = "recheck"
    """Way back: no claim, once more, before devices are offered by the plugin."""
    REPLUG = "replug"
    """Way back: the device plugin comes to the node."""
    CAPACITY = "capacity"
    """Way back: the node offers as many devices as it did before the move."""


FORWARD = (
    StepName.PREFLIGHT,
    StepName.LOCK,
    StepName.JOURNAL,
    StepName.CORDON,
    StepName.DRAIN,
    StepName.EMPTY,
    StepName.UNPLUG,
    StepName.ZERO,
    StepName.FORGET,
    StepName.SETTLE,
    StepName.PLUG,
    StepName.SLICES,
    StepName.CLASS,
    StepName.CANARY,
    StepName.UNCORDON,
    StepName.CLOSE,
)
"""The move, plugin to driver."""

BACKWARD = (
    StepName.PREFLIGHT,
    StepName.LOCK,
    StepName.JOURNAL,
    StepName.CORDON,
    StepName.DRAIN,
    StepName.CLAIMS,
    StepName.REMOVE,
    StepName.GONE,
    StepName.RECHECK,
    StepName.REPLUG,
    StepName.CAPACITY,
    StepName.CANARY,
    StepName.UNCORDON,
    StepName.CLOSE,
)
"""The way back, driver to plugin."""

VERIFICATION = (
    StepName.PREFLIGHT,
    StepName.LOCK,
    StepName.EMPTY,
    StepName.ZERO,
    StepName.SLICES,
    StepName.CLASS,
    StepName.CANARY,
    StepName.CLOSE,
)
"""`--verify`, on a node that was moved earlier: it stays open meanwhile."""


class Direction(StrEnum):
    """Which way a run goes."""

    MOVE = "move"
    ROLLBACK = "rollback"

    @property
    def steps(self) -> tuple[StepName, ...]:
        """All steps, in order."""
        return FORWARD if self is Direction.MOVE else BACKWARD


class StepState(StrEnum):
    """Where a step stands."""

    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"
    SKIPPED = "skipped"
    """Not needed here, or left out by an option; the step's message says which."""
    BLOCKED = "blocked"
    """A check forbids it; nothing was done."""
    FAILED = "failed"
    TIMED_OUT = "timed out"
    INTERRUPTED = "interrupted"
    UNDONE = "undone"
    """It was done, and the way back has taken it back."""


class Level(StrEnum):
    """How grave the result of a check is."""

    BLOCKER = "blocker"
    WARNING = "warning"
    OK = "ok"


class Phase(StrEnum):
    """Where a node stands as a whole."""

    NONE = "none"
    """Never touched."""
    PLANNED = "planned"
    """A plan without blockers; nothing written."""
    BLOCKED = "blocked"
    """A plan with blockers; nothing written."""
    MOVING = "moving"
    """Under way to the driver, or stopped on the way: a rerun goes on."""
    MOVED = "moved"
    RETURNING = "returning"
    """Under way back to the plugin, or stopped on the way."""
    RETURNED = "returned"
