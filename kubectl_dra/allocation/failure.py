"""Why allocating ended without an answer of yes or no: upstream's error and its kind, or that it cannot be decided here."""

from enum import StrEnum


class FailureKind(StrEnum):
    """What the scheduler makes of it (scheduler: dynamicresources.go, Filter)."""

    FATAL = "fatal"
    """The pod's scheduling attempt ends, on all nodes."""
    NODE = "node"
    """This node is out."""
    TIMEOUT = "timeout"
    """It took too long; the attempt ends."""
    PANIC = "panic"
    """Upstream's code crashes, and the scheduler with it."""
    UNDECIDED = "undecided"
    """We cannot tell what upstream would say: it depends on chance there, or is beyond what can be worked out here."""


class AllocationError(Exception):
    """Ends the allocation. `text` is upstream's own, except for the kind UNDECIDED."""

    def __init__(self, kind: FailureKind, text: str) -> None:
        """Take kind and text."""
        super().__init__(text)
        self.kind = kind
        self.text = text


def fatal(text: str) -> AllocationError:
    """An error that ends the pod's scheduling."""
    return AllocationError(FailureKind.FATAL, text)


def undecided(text: str) -> AllocationError:
    """What cannot be told here."""
    return AllocationError(FailureKind.UNDECIDED, text)


def nil_pointer() -> AllocationError:
    """A missing value that upstream does not look for."""
    return AllocationError(FailureKind.PANIC, "runtime error: invalid memory address or nil pointer dereference")


def divided_by_zero() -> AllocationError:
    """A step of zero, which the API server refuses."""
    return AllocationError(FailureKind.PANIC, "runtime error: integer divide by zero")
