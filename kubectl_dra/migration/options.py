"""What the command line asks of a move."""

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from kubectl_dra.eviction.filters import DrainMode, DrainOptions
from kubectl_dra.migration.names import Direction, StepName
from kubectl_dra.migration.timing import PATIENCE, Timing


class DryRun(StrEnum):
    """kubectl's three."""

    NONE = "none"
    CLIENT = "client"
    """Only the plan."""
    SERVER = "server"
    """The plan, and every write sent with dryRun=All."""


class OnFailure(StrEnum):
    """What a run that fails leaves behind."""

    KEEP = "keep"
    """Everything as it is: cordoned, fenced, the journal telling where it stands."""
    ROLLBACK = "rollback"
    UNCORDON = "uncordon"
    """Open the node again, up to step `empty`; after that it means keep."""


UNCORDON_UNTIL = StepName.EMPTY
"""The last step up to which the node is still what it was before, and may be opened again."""


class CanaryOptions(msgspec.Struct, frozen=True):
    """The canary: its image (empty: one that the node has), a manifest of one's own (the file's text), where it runs, or none at all."""

    image: str = ""
    manifest: str = ""
    namespace: str = ""
    skip: bool = False


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """All of it. Empty text and null mean "not said".

    `resources` narrows the move to these names; `dropped` are names that the node may stop serving for good. `settle` are the seconds
    for which new pods are watched at the end (null: Timing's). `only` and `until` are steps: just that one; up to and with that one.
    `words` are the options of the command line, ready for a shell, with which the same run is asked for again (without `--yes`,
    `--rollback` and what else is of one call). `drain_timeout` is kubectl's `--timeout` in seconds; 0 waits for ever, null is Timing's.
    """

    node: str
    direction: Direction = Direction.MOVE
    verify: bool = False
    resources: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    driver: str = ""
    device_class: str = ""
    expect_devices: int | None = None
    drain: DrainOptions = DrainOptions(ignore_daemonsets=True)
    grace_period: int = -1
    drain_timeout: float | None = None
    canary: CanaryOptions = CanaryOptions()
    accept_allocatable_zero: bool = False
    step_timeouts: Mapping[StepName, float] = {}
    dry_run: DryRun = DryRun.NONE
    on_failure: OnFailure = OnFailure.KEEP
    only: StepName | None = None
    until: StepName | None = None
    settle: float | None = None
    force_unlock: bool = False
    words: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        """The command line of the same run, without `--rollback` and `--yes`."""
        return " ".join(("kubectl dra migrate-node", self.node, *self.words))

    def limit(self, step: StepName, timing: Timing) -> float | None:
        """How many seconds the step's waits may take; None is for ever, which only `--timeout=0` gives."""
        if step in self.step_timeouts:
            return self.step_timeouts[step]
        if step is StepName.DRAIN and self.drain_timeout is not None:
            return self.drain_timeout or None
        if step is StepName.DRAIN and self.drain.mode is DrainMode.WAIT and step not in timing.limits:
            return PATIENCE
        return timing.limit(step)
