"""Older versions of resource.k8s.io, turned into the form of v1.

v1beta2 has the fields of v1 (api/resource/v1beta2/types.go). v1beta1 puts a device's fields under `basic` and a request's beside
its name instead of under `exactly`; clusters before 1.32 wrote a capacity as a plain quantity (api/resource/v1beta1/types.go).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from kubectl_dra.objects.meta import ObjectMeta
from kubectl_dra.objects.resource import (
    Device,
    DeviceCapacity,
    DeviceClaim,
    DeviceRequest,
    DeviceSubRequest,
    ExactDeviceRequest,
    ResourceClaim,
    ResourceClaimSpec,
    ResourceClaimStatus,
    ResourceClaimTemplate,
    ResourceClaimTemplateSpec,
    ResourceSlice,
    ResourceSliceSpec,
)
from kubectl_dra.objects.shape import Object, QuantityText
from kubectl_dra.reading.kinds import Kind

S = TypeVar("S", bound=Object)


class BasicDevice(Device, frozen=True):
    """v1beta1: what a device is, apart from its name, which stands beside it."""

    capacity: Mapping[str, DeviceCapacity | QuantityText] | None = None  # type: ignore[assignment]  # wider than v1's


class NamedDevice(Object, frozen=True):
    """v1beta1: a device. Without `basic` nothing is known of it but its name."""

    name: str = ""
    basic: BasicDevice | None = None


class OldSliceSpec(ResourceSliceSpec, frozen=True):
    """v1beta1: the spec of a slice, with devices of that form."""

    devices: tuple[NamedDevice, ...] | None = None  # type: ignore[assignment]


class OldSlice(Object, frozen=True):
    """v1beta1: a slice."""

    metadata: ObjectMeta = ObjectMeta()
    spec: OldSliceSpec = OldSliceSpec()


class FlatRequest(ExactDeviceRequest, frozen=True):
    """v1beta1: a request, with the fields of `exactly` beside its name."""

    name: str = ""
    first_available: tuple[DeviceSubRequest, ...] | None = None


class FlatClaim(DeviceClaim, frozen=True):
    """v1beta1: the requests of a claim, and what holds for them together."""

    requests: tuple[FlatRequest, ...] | None = None  # type: ignore[assignment]


class OldClaimSpec(Object, frozen=True):
    """v1beta1: the spec of a claim."""

    devices: FlatClaim = FlatClaim()


class OldClaim(Object, frozen=True):
    """v1beta1: a claim. Its status has the form of v1."""

    metadata: ObjectMeta = ObjectMeta()
    spec: OldClaimSpec = OldClaimSpec()
    status: ResourceClaimStatus = ResourceClaimStatus()


class OldTemplateSpec(Object, frozen=True):
    """v1beta1: the claim that a template makes."""

    metadata: ObjectMeta = ObjectMeta()
    spec: OldClaimSpec = OldClaimSpec()


class OldTemplate(Object, frozen=True):
    """v1beta1: a template."""

    metadata: ObjectMeta = ObjectMeta()
    spec: OldTemplateSpec = OldTemplateSpec()


def _device(old: NamedDevice) -> Device:
    basic = old.basic or BasicDevice()
    capacity = basic.capacity and {
        name: amount if isinstance(amount, DeviceCapacity) else DeviceCapacity(amount) for name, amount in basic.capacity.items()
    }
    return _as(Device, basic, name=old.name, capacity=capacity)


def _slice(old: OldSlice) -> ResourceSlice:
    devices = None if old.spec.devices is None else tuple(map(_device, old.spec.devices))
    return ResourceSlice(metadata=old.metadata, spec=_as(ResourceSliceSpec, old.spec, devices=devices))


def _request(old: FlatRequest) -> DeviceRequest:
    if old.first_available:
        return DeviceRequest(name=old.name, first_available=old.first_available)
    return DeviceRequest(name=old.name, exactly=_as(ExactDeviceRequest, old))


def _claim_spec(old: OldClaimSpec) -> ResourceClaimSpec:
    requests = None if old.devices.requests is None else tuple(map(_request, old.devices.requests))
    return ResourceClaimSpec(devices=_as(DeviceClaim, old.devices, requests=requests))


def _as(kind: type[S], old: S, **changed: object) -> S:
    """The fields that v1 has, as they are in an older form that was derived from it, but for what changed."""
    kept = {name: getattr(old, name) for name in kind.__struct_fields__ if name not in changed}
    return kind(**kept, **changed)


def _claim(old: OldClaim) -> ResourceClaim:
    return ResourceClaim(metadata=old.metadata, spec=_claim_spec(old.spec), status=old.status)


def _template(old: OldTemplate) -> ResourceClaimTemplate:
    return ResourceClaimTemplate(
        metadata=old.metadata, spec=ResourceClaimTemplateSpec(metadata=old.spec.metadata, spec=_claim_spec(old.spec.spec))
    )


@dataclass(frozen=True, slots=True)
class Form:
    """How objects of a kind look at one version: the Struct to decode, and the way from there to v1 (None: it is v1's form)."""

    struct: type[Object]
    to_v1: Callable[[Any], Object] | None = None


_V1BETA1: Mapping[str, Form] = {
    "ResourceSlice": Form(OldSlice, cast(Callable[[Any], Object], _slice)),
    "ResourceClaim": Form(OldClaim, cast(Callable[[Any], Object], _claim)),
    "ResourceClaimTemplate": Form(OldTemplate, cast(Callable[[Any], Object], _template)),
}


def form(kind: Kind, version: str) -> Form:
    """The form of `kind` at `version`; a version that is not known here is taken to have the form of the best one."""
    if kind.group == "resource.k8s.io" and version == "v1beta1":
        return _V1BETA1.get(kind.kind, Form(kind.struct))
    return Form(kind.struct)
