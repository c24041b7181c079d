"""The documents `TaintPreview` and `TaintRuleList`."""

from kubectl_dra.document import Document, Part
from kubectl_dra.inventory.document import ObjectName, Unknown


class RuleSelector(Part, frozen=True):
    """The devices of a rule: what is null fits every device."""

    driver: str | None = None
    pool: str | None = None
    device: str | None = None


class RuleTaint(Part, frozen=True):
    """The taint of a rule. `time_added` is null for one that the server will set."""

    key: str
    value: str | None
    effect: str
    time_added: str | None


class Rule(Part, frozen=True):
    """A rule. A null selector selects no device, one whose parts are null selects all.

    `exists` when it is in the cluster, with the effect `effect_now` (null when it is not there).
    """

    name: str
    device_selector: RuleSelector | None
    taint: RuleTaint
    exists: bool = False
    effect_now: str | None = None


class Counts(Part, frozen=True):
    """The four numbers that the eviction controller tells of a rule with the effect None: of pods those that NoExecute would evict.

    A number is null when what it rests on could not be read.
    """

    published_devices: int | None
    allocated_devices: int | None
    pods: int | None
    namespaces: int | None


class RulePreview(Part, frozen=True):
    """One of several rules: its own numbers, and the cluster's if it was asked (else null, with the reason)."""

    rule: Rule
    client: Counts
    probe: Counts | None = None
    probe_reason: str = ""


class Workload(Part, frozen=True):
    """What makes a pod; a pod that nothing makes is its own."""

    kind: str
    name: str


class EvictedPod(Part, frozen=True):
    """A pod that NoExecute would evict; the controller looks at no phase, and counts pods that have ended while they hold a claim.

    `evict_after_seconds` counts from now (from when a rule that is not made yet is made), 0 is at once. `claims` and `devices`
    (`DRIVER/POOL/DEVICE`) are those that the rule hits. `comes_back` is fits (there are devices for its successor), waits (there are
    none), never (nothing makes it again), unknown; `why` says more. `budgets` select it, and do not protect it.
    """

    namespace: str
    name: str
    uid: str
    node: str
    workload: Workload
    priority: int
    claims: tuple[str, ...]
    devices: tuple[str, ...]
    evict_after_seconds: int
    phase: str = ""
    extended_resource: bool = False
    comes_back: str = "unknown"
    why: str = ""
    budgets: tuple[str, ...] = ()


class SparedPod(Part, frozen=True):
    """A pod that uses such a device and would stay. `reason` is a word: tolerates, notScheduled, terminating, notReserved, notOwner,
    notSupported (extended resources before 1.37.2); `detail` says more.
    """

    namespace: str
    name: str
    workload: Workload
    claims: tuple[str, ...]
    reason: str
    detail: str


class HitWorkload(Part, frozen=True):
    """A workload that loses pods at once: how many of the pods it has now. `replicas` is how many it wants, null when not known."""

    namespace: str
    kind: str
    name: str
    evicted: int
    pods: int
    replicas: int | None


class HitClaim(Part, frozen=True):
    """An allocated claim with such a device. `pods` are those that it is reserved for; several share it."""

    namespace: str
    name: str
    devices: tuple[str, ...]
    pods: tuple[str, ...]
    extended_resource: bool


class HitDevice(Part, frozen=True):
    """A device that the rule selects. `published` is false for one that only a claim still names."""

    driver: str
    pool: str
    device: str
    node: str | None
    published: bool
    claims: tuple[ObjectName, ...]
    taints: tuple[str, ...]
    """Taints that it has already: its driver's, and other rules'."""


class HitBudget(Part, frozen=True):
    """A disruption budget of pods that would be evicted past it."""

    namespace: str
    name: str
    pods: int
    disruptions_allowed: int | None


class HitClass(Part, frozen=True):
    """A class that loses devices to the rule: free ones that nobody will get any more, of all that are free now (null: not known)."""

    name: str
    selected: int
    free_lost: int | None
    free_now: int | None


class OtherTaint(Part, frozen=True):
    """A taint that selected devices have already: its driver's, or that of another rule."""

    taint: str
    rule: str | None
    devices: int


class Outcome(Part, frozen=True):
    """What was done: created, promoted, demoted, deleted or waited; pods that were seen to go, and the seconds that it took."""

    action: str
    rules: tuple[str, ...]
    pods_gone: int | None = None
    seconds: float | None = None


class TaintPreview(Document, frozen=True, kw_only=True):
    """What a rule would do. `rule` is null when there are several; `rules` are all of them, `client` counts what they hit together.

    `probe` is what the cluster says, or null with `probe_reason`. `differences` explain where the two disagree. `outcome` is null for a
    preview.
    """

    kind: str = "TaintPreview"
    rule: Rule | None
    rules: tuple[RulePreview, ...]
    client: Counts
    probe: Counts | None = None
    probe_reason: str = ""
    differences: tuple[str, ...] = ()
    pods: tuple[EvictedPod, ...] = ()
    spared: tuple[SparedPod, ...] = ()
    workloads: tuple[HitWorkload, ...] = ()
    claims: tuple[HitClaim, ...] = ()
    devices: tuple[HitDevice, ...] = ()
    classes: tuple[HitClass, ...] = ()
    budgets: tuple[HitBudget, ...] = ()
    taints: tuple[OtherTaint, ...] = ()
    warnings: tuple[str, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    outcome: Outcome | None = None


class RuleCondition(Part, frozen=True):
    """What the eviction controller says. `current` is false when it speaks of an older spec of the rule."""

    status: str
    reason: str
    message: str
    current: bool


class RuleItem(Part, frozen=True):
    """A rule that exists: devices that it selects now, pods that use them and would go or are going (null: not known)."""

    name: str
    selector: str
    taint: str
    created_at: str | None
    age_seconds: float | None
    published_devices: int | None
    allocated_devices: int | None
    pods: int | None
    preview: bool
    condition: RuleCondition | None


class TaintRuleList(Document, frozen=True, kw_only=True):
    """The rules of the cluster."""

    kind: str = "TaintRuleList"
    items: tuple[RuleItem, ...] = ()
    unknown: tuple[Unknown, ...] = ()
