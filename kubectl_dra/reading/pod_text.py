"""Pods read quickly: what is written alike in many of them is decoded once.

Most of a pod's text is its workload's: tolerations, labels, resources and variables of 50,000 pods are a few hundred different texts.
These fields are left as text when a list is decoded, and each different text is then decoded, and what matters of it kept, one time.
What comes of a pod is the same as `kept.pod` makes of it (a test holds both together).
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Generic, TypeVar, cast

import msgspec

from kubectl_dra.objects.meta import ObjectMeta, OwnerReference
from kubectl_dra.objects.pod import (
    Affinity,
    Container,
    EnvVar,
    Pod,
    PodResourceClaim,
    PodSchedulingGate,
    PodSpec,
    PodStatus,
    ResourceRequirements,
    Volume,
)
from kubectl_dra.objects.shape import Object, ResourceList
from kubectl_dra.objects.sharing import Sharing
from kubectl_dra.objects.tolerations import Toleration
from kubectl_dra.reading import kept

T = TypeVar("T")

REMEMBERED = 4 << 20
"""Bytes of texts that are remembered of each field: of some clusters' pods no two are labelled alike."""

_NO_TEXT = msgspec.Raw()


class MetaText(Object, frozen=True):
    """ObjectMeta with maps and lists as text."""

    name: str = ""
    namespace: str | None = None
    uid: str | None = None
    generation: int | None = None
    resource_version: str | None = None
    generate_name: str | None = None
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    labels: msgspec.Raw = _NO_TEXT
    annotations: msgspec.Raw = _NO_TEXT
    owner_references: msgspec.Raw = _NO_TEXT
    finalizers: msgspec.Raw = _NO_TEXT


class ContainerText(Object, frozen=True):
    """Container with everything but its name and restart policy as text."""

    name: str = ""
    image: msgspec.Raw = _NO_TEXT
    args: msgspec.Raw = _NO_TEXT
    command: msgspec.Raw = _NO_TEXT
    resources: msgspec.Raw = _NO_TEXT
    restart_policy: str | None = None
    env: msgspec.Raw = _NO_TEXT


class SpecText(Object, frozen=True):
    """PodSpec with maps and lists as text, but for the containers: mounts tell pods' containers apart that are alike for us."""

    containers: tuple[ContainerText, ...] | None = None
    init_containers: tuple[ContainerText, ...] | None = None
    node_name: str | None = None
    node_selector: msgspec.Raw = _NO_TEXT
    affinity: msgspec.Raw = _NO_TEXT
    tolerations: msgspec.Raw = _NO_TEXT
    overhead: msgspec.Raw = _NO_TEXT
    priority: int | None = None
    priority_class_name: str | None = None
    preemption_policy: str | None = None
    scheduler_name: str | None = None
    runtime_class_name: str | None = None
    resource_claims: msgspec.Raw = _NO_TEXT
    volumes: msgspec.Raw = _NO_TEXT
    scheduling_gates: msgspec.Raw = _NO_TEXT
    ephemeral_containers: tuple[ContainerText, ...] | None = None


class PodText(Object, frozen=True):
    """A pod, half decoded."""

    metadata: MetaText = MetaText()
    spec: SpecText = SpecText()
    status: PodStatus = PodStatus()


class _Once(Generic[T]):
    """Decodes a text to a value of `of`, and keeps of it what `keep` gives; an equal text gives the very same object again."""

    def __init__(self, of: object, keep: Callable[[T], T | None]) -> None:
        self._decode = msgspec.json.Decoder(of).decode
        self._keep = keep
        self._seen: dict[bytes, T | None] = {b"null": None}
        self._bytes = 0

    def __call__(self, raw: msgspec.Raw) -> T | None:
        """What is kept of the text. Raises msgspec.ValidationError."""
        if raw is _NO_TEXT:
            return None
        text = bytes(raw)
        try:
            return self._seen[text]
        except KeyError:
            found = self._keep(cast(T, self._decode(text)))
        if self._bytes < REMEMBERED:
            self._bytes += len(text)
            self._seen[text] = found
        return found


class PodTexts:
    """Makes Pods of half decoded ones, for one reading."""

    def __init__(self, share: Sharing) -> None:
        """Take the reading's table."""
        self._share = share
        strings = Mapping[str, str]
        self._labels = _Once[Mapping[str, str]](strings, share.mapping)
        self._annotations = _Once[Mapping[str, str]](strings, lambda value: kept.annotations(value, share))
        self._owners = _Once[tuple[OwnerReference, ...]](tuple[OwnerReference, ...], share.sequence)
        self._finalizers = _Once[tuple[str, ...]](tuple[str, ...], share.sequence)
        self._resources = _Once[ResourceRequirements](ResourceRequirements, lambda value: kept.resources(value, share))
        self._env = _Once[tuple[EnvVar, ...]](tuple[EnvVar, ...], kept.env)
        self._selector = _Once[Mapping[str, str]](strings, share.mapping)
        self._affinity = _Once[Affinity](Affinity, lambda value: kept.affinity(value, share))
        self._tolerations = _Once[tuple[Toleration, ...]](tuple[Toleration, ...], share.sequence)
        self._overhead = _Once[ResourceList](ResourceList, share.mapping)
        self._claims = _Once[tuple[PodResourceClaim, ...]](tuple[PodResourceClaim, ...], share.sequence)
        self._volumes = _Once[tuple[Volume, ...]](tuple[Volume, ...], lambda value: kept.volumes(value, share))
        self._gates = _Once[tuple[PodSchedulingGate, ...]](tuple[PodSchedulingGate, ...], share.sequence)

    def pod(self, value: PodText) -> Pod:
        """What is kept of a pod. Raises msgspec.ValidationError for a field of another type than it should have."""
        meta = self._meta(value.metadata)
        return Pod(
            meta,
            self._spec(value.spec, control_plane=kept.is_control_plane(meta, value.spec.node_name)),
            kept.pod_status(value.status, self._share),
        )

    def _meta(self, value: MetaText) -> ObjectMeta:
        text = self._share.text
        return ObjectMeta(
            value.name,
            text(value.namespace),
            value.uid,
            value.generation,
            value.resource_version,
            text(value.generate_name),
            text(value.creation_timestamp),
            text(value.deletion_timestamp),
            self._labels(value.labels),
            self._annotations(value.annotations),
            self._owners(value.owner_references),
            self._finalizers(value.finalizers),
        )

    def _spec(self, value: SpecText, *, control_plane: bool) -> PodSpec:
        text, volumes = self._share.text, self._volumes(value.volumes)
        special = control_plane or kept.is_operand(volumes)
        return PodSpec(
            self._containers(value.containers, special=special, control_plane=control_plane),
            self._containers(value.init_containers, special=special, control_plane=control_plane),
            text(value.node_name),
            self._selector(value.node_selector),
            self._affinity(value.affinity),
            self._tolerations(value.tolerations),
            self._overhead(value.overhead),
            value.priority,
            text(value.priority_class_name),
            text(value.preemption_policy),
            text(value.scheduler_name),
            text(value.runtime_class_name),
            self._claims(value.resource_claims),
            volumes,
            self._gates(value.scheduling_gates),
            self._containers(value.ephemeral_containers, special=special, control_plane=control_plane),
        )

    def _containers(self, value: tuple[ContainerText, ...] | None, *, special: bool, control_plane: bool) -> tuple[Container, ...] | None:
        if value is None:
            return None
        return self._share.together(tuple(self._each_container(value, special=special, control_plane=control_plane)))

    def _each_container(self, value: tuple[ContainerText, ...], *, special: bool, control_plane: bool) -> Iterator[Container]:
        for each in value:
            image, args = _image_and_flags(each, control_plane=control_plane) if special else (None, None)
            asked, variables = self._resources(each.resources), self._env(each.env)
            yield kept.container(each.name, asked, each.restart_policy, variables, self._share, image=image, args=args)


def _image_and_flags(value: ContainerText, *, control_plane: bool) -> tuple[str | None, tuple[str, ...] | None]:
    """What is kept of the containers of device plugins, drivers and the control plane alone; the flags only of the last."""
    fields = {name: msgspec.json.decode(text) for name in ("image", "args", "command") if (text := bytes(getattr(value, name)))}
    found = msgspec.convert(fields, Container)
    return found.image, kept.flags(found) if control_plane else None
