"""What a command wants read."""

from dataclasses import dataclass, field

from kubectl_dra.objects.event import ObjectReference


@dataclass(frozen=True, slots=True)
class Wanted:
    """Kinds as fields of Snapshot, with `custom_workloads` for all custom kinds that make pods and `feature_gates` for the API server's.

    `namespace` narrows every kind that lives in one; `pod_labels` (a label selector) narrows pods. What was narrowed is not the
    whole cluster: counts of free devices need all claims. `pod_templates` are further kinds (`KIND.GROUP=PATH`).
    `events_for` is the object whose events are wanted; without it, `events` are not read.
    """

    kinds: frozenset[str] = field(default_factory=frozenset)
    namespace: str | None = None
    pod_labels: str | None = None
    pod_templates: tuple[str, ...] = ()
    events_for: ObjectReference | None = None
