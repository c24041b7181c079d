"""Older versions of resource.k8s.io, turned into the form of v1.

v1beta2 has the fields of v1 (api/resource/v1beta2/types.go). v1beta1 puts a device's fields under `basic` and a request's beside
its name instead of under `exactly`; clusters before 1.32 wrote a capacity as a plain quantity (api/resource/v1beta1/types.go).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from kubectl_dra.objects.meta import ObjectMeta
from kubectl_dra.objects.node import NodeSelector
from kubectl_dra.objects.resource import (
    CapacityRequirements,
    CounterSet,
    Device,
    DeviceAttribute,
    DeviceCapacity,
    DeviceClaim,
    DeviceClaimConfiguration,
    DeviceConstraint,
    DeviceCounterConsumption,
    DeviceDerivedAttribute,
    DeviceRequest,
    DeviceSelector,
    DeviceSubRequest,
    DeviceTaint,
    ExactDeviceRequest,
    ResourceClaim,
    ResourceClaimSpec,
    ResourceClaimStatus,
    ResourceClaimTemplate,
    ResourceClaimTemplateSpec,
    ResourcePool,
    ResourceSlice,
    ResourceSliceSpec,
)
from kubectl_dra.objects.shape import Object, QuantityText
from kubectl_dra.objects.tolerations import Toleration
from kubectl_dra.reading.kinds import Kind


class BasicDevice(Object, frozen=True):
    """v1beta1: what a device is, apart from its name."""

    attributes: Mapping[str, DeviceAttribute] | None = None
    capacity: Mapping[str, DeviceCapacity | QuantityText] | None = None
    consumes_counters: tuple[DeviceCounterConsumption, ...] | None = None
    node_name: str | None = None
    node_selector: NodeSelector | None = None
    all_nodes: bool | None = None
    taints: tuple[DeviceTaint, ...] | None = None
    binds_to_node: bool | None = None
    binding_conditions: tuple[str, ...] | None = None
    binding_failure_conditions: tuple[str, ...] | None = None
    allow_multiple_allocations: bool | None = None


class NamedDevice(Object, frozen=True):
    """v1beta1: a device. Without `basic` nothing is known of it but its name."""

    name: str = ""
    basic: BasicDevice | None = None


class OldSliceSpec(Object, frozen=True):
    """v1beta1: the spec of a slice."""

    driver: str = ""
    pool: ResourcePool = ResourcePool()
    node_name: str | None = None
    node_selector: NodeSelector | None = None
    all_nodes: bool | None = None
    per_device_node_selection: bool | None = None
    devices: tuple[NamedDevice, ...] | None = None
    shared_counters: tuple[CounterSet, ...] | None = None
    skip_node_operations: tuple[str, ...] | None = None


class OldSlice(Object, frozen=True):
    """v1beta1: a slice."""

    metadata: ObjectMeta = ObjectMeta()
    spec: OldSliceSpec = OldSliceSpec()


class FlatRequest(Object, frozen=True):
    """v1beta1: a request, with the fields of `exactly` beside its name."""

    name: str = ""
    device_class_name: str | None = None
    selectors: tuple[DeviceSelector, ...] | None = None
    allocation_mode: str | None = None
    count: int | None = None
    admin_access: bool | None = None
    first_available: tuple[DeviceSubRequest, ...] | None = None
    tolerations: tuple[Toleration, ...] | None = None
    capacity: CapacityRequirements | None = None
    derived_attributes: tuple[DeviceDerivedAttribute, ...] | None = None


class FlatClaim(Object, frozen=True):
    """v1beta1: the requests of a claim, and what holds for them together."""

    requests: tuple[FlatRequest, ...] | None = None
    constraints: tuple[DeviceConstraint, ...] | None = None
    config: tuple[DeviceClaimConfiguration, ...] | None = None


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
    return Device(
        name=old.name,
        attributes=basic.attributes,
        capacity=None
        if basic.capacity is None
        else {name: amount if isinstance(amount, DeviceCapacity) else DeviceCapacity(amount) for name, amount in basic.capacity.items()},
        consumes_counters=basic.consumes_counters,
        node_name=basic.node_name,
        node_selector=basic.node_selector,
        all_nodes=basic.all_nodes,
        taints=basic.taints,
        binds_to_node=basic.binds_to_node,
        binding_conditions=basic.binding_conditions,
        binding_failure_conditions=basic.binding_failure_conditions,
        allow_multiple_allocations=basic.allow_multiple_allocations,
    )


def _slice(old: OldSlice) -> ResourceSlice:
    spec = old.spec
    return ResourceSlice(
        metadata=old.metadata,
        spec=ResourceSliceSpec(
            driver=spec.driver,
            pool=spec.pool,
            node_name=spec.node_name,
            node_selector=spec.node_selector,
            all_nodes=spec.all_nodes,
            per_device_node_selection=spec.per_device_node_selection,
            devices=None if spec.devices is None else tuple(map(_device, spec.devices)),
            shared_counters=spec.shared_counters,
            skip_node_operations=spec.skip_node_operations,
        ),
    )


def _request(old: FlatRequest) -> DeviceRequest:
    if old.first_available:
        return DeviceRequest(name=old.name, first_available=old.first_available)
    return DeviceRequest(
        name=old.name,
        exactly=ExactDeviceRequest(
            device_class_name=old.device_class_name or "",
            selectors=old.selectors,
            allocation_mode=old.allocation_mode,
            count=old.count,
            admin_access=old.admin_access,
            tolerations=old.tolerations,
            capacity=old.capacity,
            derived_attributes=old.derived_attributes,
        ),
    )


def _claim_spec(old: OldClaimSpec) -> ResourceClaimSpec:
    devices = old.devices
    return ResourceClaimSpec(
        devices=DeviceClaim(
            requests=None if devices.requests is None else tuple(map(_request, devices.requests)),
            constraints=devices.constraints,
            config=devices.config,
        )
    )


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
