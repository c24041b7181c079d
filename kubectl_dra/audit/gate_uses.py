"""What in a cluster needs which feature gate: a gate that is off matters where something rests on it."""

from collections.abc import Iterable, Iterator, Mapping

from kubectl_dra.audit.control_plane import API_SERVER, CONTROLLERS, SCHEDULER
from kubectl_dra.objects.resource import Device, DeviceClaim, ResourceSlice
from kubectl_dra.objects.snapshot import Snapshot

READERS: Mapping[str, tuple[str, ...]] = {
    "DRADeviceTaints": (API_SERVER, SCHEDULER, CONTROLLERS),
    "DRADeviceTaintRules": (API_SERVER, SCHEDULER, CONTROLLERS),
    "DRAPartitionableDevices": (API_SERVER, SCHEDULER),
    "DRAConsumableCapacity": (API_SERVER, SCHEDULER),
    "DRADeviceBindingConditions": (API_SERVER, SCHEDULER),
    "DRAPrioritizedList": (API_SERVER, SCHEDULER),
    "DRAAdminAccess": (API_SERVER, SCHEDULER),
    "DRAOptionalNodeOperations": (SCHEDULER,),
    "DRAListTypeAttributes": (API_SERVER, SCHEDULER),
    "DRADeviceCompatibilityGroups": (API_SERVER, SCHEDULER),
}
"""Which components read each gate (kubernetes pkg/features/kube_features.go). Of node operations DRA305 tells more."""


def uses(snapshot: Snapshot) -> Mapping[str, str]:
    """The gates that something in the cluster rests on, each with an example of what."""
    found: dict[str, str] = {}
    for gate, what in _all(snapshot):
        found.setdefault(gate, what)
    return dict(sorted(found.items()))


def _all(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    for rule in snapshot.device_taint_rules:
        yield "DRADeviceTaints", f"DeviceTaintRule {rule.metadata.name}"
        yield "DRADeviceTaintRules", f"DeviceTaintRule {rule.metadata.name}"
    for one in snapshot.resource_slices:
        yield from _of_slice(one)
    for claim in snapshot.resource_claims:
        yield from _of_claim(claim.spec.devices, f"ResourceClaim {claim.metadata.namespace}/{claim.metadata.name}")


def _of_slice(one: ResourceSlice) -> Iterator[tuple[str, str]]:
    spec, name = one.spec, f"ResourceSlice {one.metadata.name}"
    if spec.shared_counters or spec.per_device_node_selection:
        yield "DRAPartitionableDevices", name
    if spec.skip_node_operations:
        yield "DRAOptionalNodeOperations", name
    yield from ((gate, f"device {device} in {name}") for gate, device in _of_devices(spec.devices or ()))


def _of_devices(devices: Iterable[Device]) -> Iterator[tuple[str, str]]:
    for device in devices:
        if device.taints:
            yield "DRADeviceTaints", device.name
        if device.consumes_counters:
            yield "DRAPartitionableDevices", device.name
            if any(each.compatibility_groups for each in device.consumes_counters):
                yield "DRADeviceCompatibilityGroups", device.name
        if device.allow_multiple_allocations:
            yield "DRAConsumableCapacity", device.name
        if device.binding_conditions:
            yield "DRADeviceBindingConditions", device.name
        if device.attributes and any(each.ints or each.strings or each.bools or each.versions for each in device.attributes.values()):
            yield "DRAListTypeAttributes", device.name


def _of_claim(devices: DeviceClaim, name: str) -> Iterator[tuple[str, str]]:
    for request in devices.requests or ():
        if request.first_available:
            yield "DRAPrioritizedList", name
        if request.exactly is not None and request.exactly.admin_access:
            yield "DRAAdminAccess", name
