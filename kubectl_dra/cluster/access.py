"""What this user may do, as the server decides it (SelfSubjectAccessReview: every authorizer is asked, not RBAC alone)."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import msgspec

from kubectl_dra.cluster.writes import Writes
from kubectl_dra.objects.shape import Object

AT_ONCE = 8
"""Reviews on their way at the same time."""

REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"


class Access(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """One thing to be allowed: `verb` on `resource` (a plural) of `group` (empty: core). Without a namespace it means all of them.

    With a `path` (`/metrics`) it is that URL instead, and no resource.
    """

    verb: str
    resource: str = ""
    group: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    path: str = ""

    @property
    def rule(self) -> str:
        """The line of a ClusterRole that allows it."""
        if self.path:
            return f'{{nonResourceURLs: ["{self.path}"], verbs: ["{self.verb}"]}}'
        resource = f"{self.resource}/{self.subresource}" if self.subresource else self.resource
        return f'{{apiGroups: ["{self.group}"], resources: ["{resource}"], verbs: ["{self.verb}"]}}'


class Denied(msgspec.Struct, frozen=True):
    """An access that is not allowed; `reason` are the authorizers' own words and mostly empty."""

    access: Access
    reason: str = ""


class _ReviewStatus(Object, frozen=True):
    allowed: bool = False
    reason: str | None = None


class _Review(Object, frozen=True):
    status: _ReviewStatus = _ReviewStatus()


def missing(writes: Writes, wanted: Iterable[Access]) -> tuple[Denied, ...]:
    """Those of `wanted` that this user may not do, in their order. Raises what a write raises."""
    asked = tuple(dict.fromkeys(wanted))
    with ThreadPoolExecutor(AT_ONCE) as threads:
        reviews = threads.map(lambda access: writes.create(REVIEWS, _manifest(access), _Review, harmless=True), asked)
        return tuple(
            Denied(access, review.status.reason or "") for access, review in zip(asked, reviews, strict=True) if not review.status.allowed
        )


def _manifest(access: Access) -> dict[str, object]:
    attributes = {name: value for name, value in msgspec.structs.asdict(access).items() if value}
    return {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"nonResourceAttributes" if access.path else "resourceAttributes": attributes},
    }
