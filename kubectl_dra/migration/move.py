"""One run on one node, as its steps see it: what was asked and decided, the cluster, the journal, and a place to say things."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import msgspec

from kubectl_dra.environment import Clock, Environment
from kubectl_dra.errors import DraError
from kubectl_dra.eviction.polling import Polling
from kubectl_dra.migration.document import Check
from kubectl_dra.migration.events import MoveObserver, StepChecked, StepNotes, StepWaits
from kubectl_dra.migration.journal import Journal
from kubectl_dra.migration.journal_writes import Journaling
from kubectl_dra.migration.lock import Lock
from kubectl_dra.migration.names import Direction, StepName, StepState
from kubectl_dra.migration.options import Options
from kubectl_dra.migration.profile import Profile
from kubectl_dra.migration.reach import Reach
from kubectl_dra.migration.stop import Stop
from kubectl_dra.migration.target import Target
from kubectl_dra.migration.timing import Timing
from kubectl_dra.migration.watch import Watch
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.snapshot import KindReading, Snapshot

NUMBERS = re.compile(r"\d+")
"""What changes in words that are said again and again."""


class GoBackError(DraError):
    """An earlier step has to be done again: a pod came in between, say. The runner goes there; it is no failure."""

    def __init__(self, step: StepName, message: str) -> None:
        """To which step, and why."""
        super().__init__(message)
        self.step = step


class RefusedError(DraError):
    """The cluster is not as the step needs it, and waiting would not help."""


@dataclass
class Notes:
    """What this run has seen and later steps or the summary want: pods that were sent off, in how many rounds; slices before the driver.

    `slices` is null when this run did not see the moment before `plug`.
    """

    evicted: list[Pod] = field(default_factory=list)
    rounds: int = 0
    slices: frozenset[tuple[str | None, str | None]] | None = None
    summary: list[str] = field(default_factory=list)


class Move:
    """The run. `step` is the one that is being done; its limit counts from `begun`."""

    def __init__(
        self,
        options: Options,
        timing: Timing,
        environment: Environment,
        reach: Reach,
        stop: Stop,
        observe: MoveObserver,
        *,
        snapshot: Snapshot,
        target: Target,
        journal: Journaling,
        lock: Lock,
    ) -> None:
        """Put it together; nothing is asked or written."""
        self.options = options
        self.timing = timing
        self.environment = environment
        self.reach = reach
        self.stop = stop
        self.snapshot = snapshot
        self.target = target
        self.journal = journal
        self.lock = lock
        self.notes = Notes()
        self.step = StepName.LOCK
        self._observe = observe
        self._begun = self.clock.monotonic()
        self._told = ""
        self._told_at = 0.0
        self.watch = Watch(reach, self.name, self.uid, journal.now.id, self.say)

    @property
    def clock(self) -> Clock:
        """The run's clock."""
        return self.environment.clock

    @property
    def name(self) -> str:
        """The node's."""
        return self.target.name

    @property
    def uid(self) -> str:
        """The node's: another node of that name is another node."""
        return self.target.node.metadata.uid or ""

    @property
    def id(self) -> str:
        """The journal's."""
        return self.journal.now.id

    @property
    def back(self) -> bool:
        """Whether this is the way back."""
        return self.target.direction is Direction.ROLLBACK

    @property
    def profile(self) -> Profile:
        """The installer's ways."""
        return self.target.profile

    @property
    def names(self) -> frozenset[str]:
        """All names that leave the plugin."""
        return self.target.names

    @property
    def written(self) -> Journal:
        """The journal as this run knows it."""
        return self.journal.now

    # saying

    def at(self) -> str:
        """Now, as events and journals have it."""
        return self.clock.now().strftime("%Y-%m-%dT%H:%M:%SZ")

    def say(self, message: str) -> None:
        """Something worth a line."""
        self._observe(StepNotes(at=self.at(), step=self.step, message=message))

    def checked(self, check: Check) -> None:
        """The result of a look."""
        self._observe(StepChecked(at=self.at(), step=self.step, check=check))

    def tell(self, message: str, waited: float, left: float | None) -> None:
        """It waits; the same words, with other numbers, are said again from time to time only."""
        now = self.clock.monotonic()
        stem = NUMBERS.sub("", message)
        if stem == self._told and now - self._told_at < self.timing.say:
            return
        self._told, self._told_at = stem, now
        rest = None if left is None else round(left, 1)
        self._observe(StepWaits(at=self.at(), step=self.step, message=message, waited=round(waited, 1), left=rest))

    # time

    def begin(self, step: StepName) -> None:
        """A step begins; its limit counts from now."""
        self.step = step
        self._begun = self.clock.monotonic()
        self._told = ""

    @property
    def left(self) -> float | None:
        """Seconds that the step's waits may still take; null for no limit."""
        limit = self.options.limit(self.step, self.timing)
        return None if limit is None else max(0.0, limit - (self.clock.monotonic() - self._begun))

    def polling(self, *, every: float | None = None, limit: float | None = None) -> Polling:
        """How this step waits: to its limit (or an earlier one), with an eye on the node."""
        left = self.left if limit is None else limit if self.left is None else min(limit, self.left)
        return Polling(self.clock, self.timing.poll if every is None else every, left, self.tell, self.guard)

    def until(self, look: Callable[[], str], *, hint: str = "", limit: float | None = None) -> None:
        """Wait until `look` has nothing more to say. Raises TimedOutError."""
        self.polling(limit=limit).until(look, hint)

    # guarding and writing down

    def guard(self) -> None:
        """What is looked at before anything else: Ctrl-C, the lock, the node."""
        self.check()
        self.watch.look()

    def check(self) -> None:
        """Ctrl-C and the lock alone."""
        self.stop.check()
        self.lock.check()

    def write_down(self, *changed: str) -> None:
        """Say in the journal that the step begins, and what it is about to change; this comes before the change."""
        self.check()
        self.journal.mark(self.step, StepState.RUNNING, changed=changed)
        self.journal.flush()

    # looking

    def node(self) -> Node:
        """The node as it is."""
        self.guard()
        found = self.reach.node(self.name)
        return found if found is not None else self.target.node

    def pods(self) -> tuple[Pod, ...]:
        """The pods bound to it."""
        return self.reach.pods_on(self.name)

    def fresh(self, **kinds: Iterable[object]) -> Snapshot:
        """The reading that decided, with some kinds as they are now."""
        readings = {name: KindReading(items=tuple(items)) for name, items in kinds.items()}
        return msgspec.structs.replace(self.snapshot, **readings)
