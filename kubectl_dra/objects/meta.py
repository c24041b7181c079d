"""Names, owners, labels and times that every object carries."""

from collections.abc import Mapping
from datetime import UTC, datetime

from kubectl_dra.objects.shape import Object


class OwnerReference(Object, frozen=True):
    """One owner; `controller` marks the managing one."""

    kind: str = ""
    name: str = ""
    uid: str = ""
    api_version: str | None = None
    controller: bool | None = None


class ObjectMeta(Object, frozen=True):
    """ObjectMeta, without what may hold people's data: of the annotations only those in `KEPT_ANNOTATIONS` are kept by the reader."""

    name: str = ""
    namespace: str | None = None
    uid: str | None = None
    generation: int | None = None
    resource_version: str | None = None
    generate_name: str | None = None
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    labels: Mapping[str, str] | None = None
    annotations: Mapping[str, str] | None = None
    owner_references: tuple[OwnerReference, ...] | None = None
    finalizers: tuple[str, ...] | None = None

    @property
    def controller(self) -> OwnerReference | None:
        """The managing owner, if there is one."""
        return next((owner for owner in self.owner_references or () if owner.controller), None)


KEPT_ANNOTATIONS = frozenset(
    {
        "cluster-autoscaler.kubernetes.io/scale-down-disabled",
        "karpenter.sh/do-not-disrupt",
        "kubectl-dra.io/migration",
        "kubernetes.io/config.mirror",
        "meta.helm.sh/release-name",
        "meta.helm.sh/release-namespace",
        "resource.kubernetes.io/extended-resource-claim",
        "resource.kubernetes.io/pod-claim-name",
    }
)
"""The annotations that checks read. All others stay out of memory and out of the snapshot file."""


class Condition(Object, frozen=True):
    """A status condition of a pod, node, claim or rule."""

    type: str = ""
    status: str = ""
    reason: str | None = None
    message: str | None = None
    last_transition_time: str | None = None
    observed_generation: int | None = None


class LabelSelectorRequirement(Object, frozen=True):
    """One expression of a label selector."""

    key: str = ""
    operator: str = ""
    values: tuple[str, ...] | None = None


class LabelSelector(Object, frozen=True):
    """metav1.LabelSelector: null selects nothing, empty selects everything."""

    match_labels: Mapping[str, str] | None = None
    match_expressions: tuple[LabelSelectorRequirement, ...] | None = None


def timestamp(text: str | None) -> datetime | None:
    """RFC 3339 text of an object as an aware time; null and unreadable text give None."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
