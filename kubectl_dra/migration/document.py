"""What `migrate-node` answers: the plan, the record of a run, and where nodes stand."""

from kubectl_dra.document import Document, Part
from kubectl_dra.migration.names import Direction, Level, Phase, StepName, StepState


class Check(Part, frozen=True):
    """What one look has found. `known` is false when it could not look; the message then says what was missing."""

    name: str
    level: Level
    message: str
    known: bool = True


class Step(Part, frozen=True, kw_only=True):
    """One line of the checklist.

    `started_at` is RFC 3339, `seconds` how long it took; null until then. `before` (what is looked at before anything is done), `does`,
    `waits_for` and `undo` are sentences for people, `timeout_seconds` is the limit of its waits (null: none). `message` says where it
    stands, why it was left out or what went wrong.
    """

    name: StepName
    state: StepState = StepState.PENDING
    started_at: str | None = None
    seconds: float | None = None
    checks: tuple[Check, ...] = ()
    before: str = ""
    does: str = ""
    waits_for: str = ""
    undo: str = ""
    timeout_seconds: float | None = None
    message: str = ""


class MovedResource(Part, frozen=True):
    """One extended resource of the move: how many devices the plugin offered before (capacity), the class and driver that take over.

    Class and driver are empty where none is known: a name that the move drops, or a class still to be made.
    """

    name: str
    devices: int
    device_class: str = ""
    driver: str = ""
    dropped: bool = False


class PodMove(Part, frozen=True):
    """A pod of the node and its fate: `evict`, `delete`, `ignore`, `wait` or `refuse`, with the reason.

    `successor` is where its controller's new pod runs (`NAMESPACE/NAME on NODE`), once it is known.
    """

    namespace: str
    name: str
    workload: str
    fate: str
    reason: str
    successor: str = ""


class Where(Part, frozen=True):
    """Which cluster this is about. Empty text is "not known"."""

    server: str = ""
    context: str = ""


class _Course(Document, frozen=True, kw_only=True):
    """What plan and record have in common. `id` is the journal's; empty before there is one.

    `resources` are the names that leave the plugin, `devices` tells of each how many and who takes over.
    """

    node: str
    profile: str
    direction: Direction = Direction.MOVE
    resources: tuple[str, ...] = ()
    devices: tuple[MovedResource, ...] = ()
    phase: Phase
    steps: tuple[Step, ...] = ()
    pods: tuple[PodMove, ...] = ()
    id: str = ""
    cluster: Where = Where()

    @property
    def blockers(self) -> tuple[Check, ...]:
        """Every check that forbids to go on."""
        return tuple(check for step in self.steps for check in step.checks if check.level is Level.BLOCKER)


class MigrationPlan(_Course, frozen=True, kw_only=True):
    """What a run would do, with the result of every check that can be made now. Nothing was written.

    `command` is the command line of the run, without `--rollback` and `--yes`.
    """

    kind: str = "MigrationPlan"
    command: str = ""


class MigrationRecord(_Course, frozen=True, kw_only=True):
    """What a run did. `exit_status` is that of the command; `message` why it ended so, `next` lines to paste to go on or back.

    `summary` are sentences: pods evicted and where their successors run, devices free and in use, what to know from now on.
    `until` is the step after which the run was told to stop (null: to the end).
    """

    kind: str = "MigrationRecord"
    started_at: str | None = None
    seconds: float | None = None
    exit_status: int = 0
    message: str = ""
    next: str = ""
    until: StepName | None = None
    summary: tuple[str, ...] = ()


class Holder(Part, frozen=True):
    """Who holds the lock of a node; `renewed_at` is RFC 3339."""

    identity: str
    renewed_at: str
    expired: bool


class NodeStatus(Part, frozen=True, kw_only=True):
    """Where one node stands, and what a run left there.

    `step` is the last that the journal names. `leftovers` are things that no run holds any more, as `KIND/NAME: what`.
    `next` is the command to go on, back, or clean up with.
    """

    node: str
    phase: Phase
    direction: Direction = Direction.MOVE
    id: str = ""
    profile: str = ""
    resources: tuple[str, ...] = ()
    step: StepName | None = None
    state: StepState | None = None
    since: str | None = None
    cordoned: bool = False
    fenced: bool = False
    lock: Holder | None = None
    rules: tuple[str, ...] = ()
    leftovers: tuple[str, ...] = ()
    message: str = ""
    next: str = ""


class MigrationStatus(Document, frozen=True, kw_only=True):
    """Every node with a journal, fence, lease or rule of this tool; with a node named, that one. Sorted by name.

    `leftovers` belong to no node: rules of previews of `taint` that nobody waits for any more.
    """

    kind: str = "MigrationStatus"
    items: tuple[NodeStatus, ...] = ()
    leftovers: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


class ProfileSummary(Part, frozen=True):
    """A profile and what was recognised of it on the node or in the cluster (empty: nothing, or nobody looked)."""

    name: str
    title: str
    builtin: bool
    detected: tuple[str, ...] = ()


class ProfileList(Document, frozen=True, kw_only=True):
    """The profiles there are."""

    kind: str = "ProfileList"
    items: tuple[ProfileSummary, ...]
