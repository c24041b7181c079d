"""Tolerations of pods and of device requests: the same shape, the same rule."""

from kubectl_dra.objects.shape import Object


class Toleration(Object, frozen=True):
    """A toleration; an empty operator is Equal, an empty effect is every effect."""

    key: str | None = None
    operator: str | None = None
    value: str | None = None
    effect: str | None = None
    toleration_seconds: int | None = None
