"""metav1.Status, the API server's word on a request that failed."""

from msgspec import field

from kubectl_dra.objects.shape import Object


class StatusCause(Object, frozen=True):
    """One reason behind it."""

    reason: str | None = None
    message: str | None = None
    field_: str | None = field(default=None, name="field")


class StatusDetails(Object, frozen=True):
    """What it is about."""

    name: str | None = None
    group: str | None = None
    kind: str | None = None
    causes: tuple[StatusCause, ...] | None = None
    retry_after_seconds: int | None = None


class StatusMeta(Object, frozen=True):
    """Carries the continue token of an inconsistent list after a 410."""

    continue_: str | None = field(default=None, name="continue")


class Status(Object, frozen=True):
    """The answer of a failed request."""

    kind: str | None = None
    status: str | None = None
    code: int | None = None
    reason: str | None = None
    message: str | None = None
    details: StatusDetails | None = None
    metadata: StatusMeta | None = None
