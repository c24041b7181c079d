"""What the audit answers: findings, what it could not look at, and a verdict per extended resource name."""

from enum import StrEnum

from kubectl_dra.document import Document, Part
from kubectl_dra.objects.meta import ObjectMeta


class Severity(StrEnum):
    """How bad a finding is. The words are those of `--severity` and `--fail-on`."""

    ERROR = "error"
    """Pods fail, or devices are given twice, now or at the next step."""
    WARNING = "warning"
    """Something does not do what it says, or will break later."""
    INFO = "info"
    """Worth knowing."""

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return tuple(Severity).index(self)

    def at_least(self, other: "Severity") -> bool:
        """True when this is as bad as `other`, or worse."""
        return self.rank <= other.rank


class ObjectRef(Part, frozen=True, order=True):
    """An object that a finding is about. `namespace` is empty for what belongs to none."""

    kind: str
    namespace: str
    name: str

    @classmethod
    def of(cls, kind: str, metadata: ObjectMeta) -> "ObjectRef":
        """The object of that kind with these names."""
        return cls(kind, metadata.namespace or "", metadata.name)

    def __str__(self) -> str:
        """As people say it: `Pod team-a/train-0`, `Node gpu-1`."""
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else f"{self.kind} {self.name}"


class Place(Part, frozen=True, order=True):
    """Where an object stands in a file of manifests. `line` counts from 1."""

    file: str
    line: int
    object: ObjectRef


class Finding(Part, frozen=True):
    """One fault, with everything needed to judge and mend it.

    `settled` says that it still stood when the live cluster was asked a second time, or that one look was enough;
    a snapshot cannot be asked again, so it is false there. `evidence` holds the values seen, `fix` steps that can be pasted,
    `source` public references. `cause` tells it from other findings of its code and is the same in every reading that shows the same
    fault. `places` are those of the `objects` that stand in manifests. `new` says whether an earlier report lacks it; null without one.
    """

    code: str
    severity: Severity
    settled: bool
    title: str
    objects: tuple[ObjectRef, ...]
    evidence: str
    why: str
    fix: tuple[str, ...]
    source: tuple[str, ...]
    cause: str = ""
    places: tuple[Place, ...] = ()
    new: bool | None = None


class Unknown(Part, frozen=True, order=True):
    """A check that could not look, or not everywhere; `reason` says what was missing and what would give it."""

    code: str
    reason: str


class NameVerdict(Part, frozen=True):
    """Whether an extended resource name can move to DRA.

    `verdict` is `ready`, `blocked`, `leave alone` or `unknown`; `codes` are the findings that block it.
    """

    name: str
    verdict: str
    codes: tuple[str, ...]


class AuditedCluster(Part, frozen=True):
    """Which cluster was looked at, and when (RFC 3339). Empty text is "not known"."""

    server: str
    context: str
    server_version: str
    read_at: str


class ManifestsRead(Part, frozen=True):
    """Which manifests were judged: where they are, in how many files, how many of kinds that are looked at."""

    path: str
    files: int
    objects: int


class Asked(Part, frozen=True):
    """What the audit was asked about: the codes of the checks whose findings are shown, the mildest severity, and the scope.

    An empty `namespace` is all of them, empty lists are all nodes and all extended resource names. `fail_on` is the mildest severity that
    makes the answer a "no": `error`, `warning` or `never`.
    """

    checks: tuple[str, ...]
    severity: Severity
    namespace: str = ""
    nodes: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    fail_on: str = Severity.ERROR.value


class Since(Part, frozen=True):
    """Against which earlier report or snapshot the findings are new.

    `gone` are findings that it has and that do not show any more, `unclear` those that do not show but whose check could not look
    everywhere now. `elsewhere` says that it is of another API server.
    """

    file: str
    read_at: str
    elsewhere: bool
    gone: tuple[Finding, ...]
    unclear: tuple[Finding, ...]


class AuditReport(Document, frozen=True, kw_only=True):
    """The whole answer of `audit`. Findings stand with the worst first, then by code and object.

    `manifests` is null for an audit of a cluster; with it, `names` is empty: whether a name can move is not a matter of manifests.
    `since` is null where there was no earlier report.
    """

    kind: str = "AuditReport"
    cluster: AuditedCluster
    names: tuple[NameVerdict, ...]
    findings: tuple[Finding, ...]
    unknown: tuple[Unknown, ...]
    asked: Asked
    manifests: ManifestsRead | None = None
    since: Since | None = None

    @property
    def failing(self) -> tuple[Finding, ...]:
        """The findings for which the exit status is 1: those bad enough, and of them with an earlier report only the new ones."""
        if self.asked.fail_on not in tuple(Severity):
            return ()
        threshold = Severity(self.asked.fail_on)
        return tuple(each for each in self.findings if each.severity.at_least(threshold) and (self.since is None or each.new))
