"""resource.k8s.io in its v1 form: classes, slices, claims, templates and taint rules. Older versions are turned into this by the reader."""

from collections.abc import Mapping

from msgspec import field

from kubectl_dra.objects.meta import Condition, ObjectMeta
from kubectl_dra.objects.node import NodeSelector
from kubectl_dra.objects.shape import Object, QuantityText
from kubectl_dra.objects.tolerations import Toleration


class CELDeviceSelector(Object, frozen=True):
    """A CEL expression on a device."""

    expression: str = ""


class DeviceSelector(Object, frozen=True):
    """One selector of a class or request."""

    cel: CELDeviceSelector | None = None


class OpaqueDeviceConfiguration(Object, frozen=True):
    """For which driver a configuration is. Its parameters may hold people's secrets and are left out."""

    driver: str = ""


class DeviceClassConfiguration(Object, frozen=True):
    """A configuration that every claim of the class gets."""

    opaque: OpaqueDeviceConfiguration | None = None


class DeviceClassSpec(Object, frozen=True):
    """Which devices the class means, and which extended resource name it serves."""

    selectors: tuple[DeviceSelector, ...] | None = None
    extended_resource_name: str | None = None
    config: tuple[DeviceClassConfiguration, ...] | None = None


class DeviceClass(Object, frozen=True):
    """A device class."""

    metadata: ObjectMeta = ObjectMeta()
    spec: DeviceClassSpec = DeviceClassSpec()


class DeviceAttribute(Object, frozen=True):
    """One typed value of a device, or a list of such values (DRAListTypeAttributes)."""

    int_: int | None = field(default=None, name="int")
    bool_: bool | None = field(default=None, name="bool")
    string: str | None = None
    version: str | None = None
    ints: tuple[int, ...] | None = None
    bools: tuple[bool, ...] | None = None
    strings: tuple[str, ...] | None = None
    versions: tuple[str, ...] | None = None


class CapacityRequestPolicyRange(Object, frozen=True):
    """From, to and in which steps an amount may be had."""

    min: QuantityText | None = None
    max: QuantityText | None = None
    step: QuantityText | None = None


class CapacityRequestPolicy(Object, frozen=True):
    """Which amounts may be had, and which one is had unasked (DRAConsumableCapacity)."""

    default: QuantityText | None = None
    valid_values: tuple[QuantityText, ...] | None = None
    valid_range: CapacityRequestPolicyRange | None = None


class DeviceCapacity(Object, frozen=True):
    """An amount a device has."""

    value: QuantityText | None = None
    request_policy: CapacityRequestPolicy | None = None


class Counter(Object, frozen=True):
    """An amount that partitions of one device share."""

    value: QuantityText | None = None


class CounterSet(Object, frozen=True):
    """The counters of one set, by name."""

    name: str = ""
    counters: Mapping[str, Counter] | None = None


class DeviceCounterConsumption(Object, frozen=True):
    """What a device takes of a counter set while it is in use, and with which others it goes together."""

    counter_set: str = ""
    counters: Mapping[str, Counter] | None = None
    compatibility_groups: tuple[str, ...] | None = None


class DeviceTaint(Object, frozen=True):
    """A taint of a device, from its slice or from a rule."""

    key: str = ""
    value: str | None = None
    effect: str = ""
    time_added: str | None = None


class Device(Object, frozen=True):
    """A device as its driver publishes it."""

    name: str = ""
    attributes: Mapping[str, DeviceAttribute] | None = None
    capacity: Mapping[str, DeviceCapacity] | None = None
    consumes_counters: tuple[DeviceCounterConsumption, ...] | None = None
    node_name: str | None = None
    node_selector: NodeSelector | None = None
    all_nodes: bool | None = None
    taints: tuple[DeviceTaint, ...] | None = None
    binds_to_node: bool | None = None
    binding_conditions: tuple[str, ...] | None = None
    binding_failure_conditions: tuple[str, ...] | None = None
    allow_multiple_allocations: bool | None = None


class ResourcePool(Object, frozen=True):
    """Which pool the slice belongs to, in which generation, of how many slices."""

    name: str = ""
    generation: int = 0
    resource_slice_count: int = 0


class ResourceSliceSpec(Object, frozen=True):
    """The devices of one pool, or a part of them."""

    driver: str = ""
    pool: ResourcePool = ResourcePool()
    node_name: str | None = None
    node_selector: NodeSelector | None = None
    all_nodes: bool | None = None
    per_device_node_selection: bool | None = None
    devices: tuple[Device, ...] | None = None
    shared_counters: tuple[CounterSet, ...] | None = None
    skip_node_operations: tuple[str, ...] | None = None


class ResourceSlice(Object, frozen=True):
    """A slice."""

    metadata: ObjectMeta = ObjectMeta()
    spec: ResourceSliceSpec = ResourceSliceSpec()


class CapacityRequirements(Object, frozen=True):
    """How much of a device's capacities is asked for."""

    requests: Mapping[str, QuantityText] | None = None


class DeviceDerivedAttribute(Object, frozen=True):
    """An attribute that a request works out of the device's own (DRADerivedAttributes)."""

    name: str = ""
    expression: str = ""


class ExactDeviceRequest(Object, frozen=True):
    """One request of a claim."""

    device_class_name: str = ""
    selectors: tuple[DeviceSelector, ...] | None = None
    allocation_mode: str | None = None
    count: int | None = None
    admin_access: bool | None = None
    tolerations: tuple[Toleration, ...] | None = None
    capacity: CapacityRequirements | None = None
    derived_attributes: tuple[DeviceDerivedAttribute, ...] | None = None


class DeviceSubRequest(Object, frozen=True):
    """One alternative of a request."""

    name: str = ""
    device_class_name: str = ""
    selectors: tuple[DeviceSelector, ...] | None = None
    allocation_mode: str | None = None
    count: int | None = None
    tolerations: tuple[Toleration, ...] | None = None
    capacity: CapacityRequirements | None = None
    derived_attributes: tuple[DeviceDerivedAttribute, ...] | None = None


class DeviceRequest(Object, frozen=True):
    """Exactly one thing, or the first of several that can be had."""

    name: str = ""
    exactly: ExactDeviceRequest | None = None
    first_available: tuple[DeviceSubRequest, ...] | None = None


class DeviceConstraint(Object, frozen=True):
    """What the devices of some requests (none named: all) must have in common, or may not."""

    requests: tuple[str, ...] | None = None
    match_attribute: str | None = None
    distinct_attribute: str | None = None


class DeviceClaimConfiguration(Object, frozen=True):
    """A configuration for some requests (none named: all)."""

    requests: tuple[str, ...] | None = None
    opaque: OpaqueDeviceConfiguration | None = None


class DeviceClaim(Object, frozen=True):
    """All requests of a claim, and what holds for them together."""

    requests: tuple[DeviceRequest, ...] | None = None
    constraints: tuple[DeviceConstraint, ...] | None = None
    config: tuple[DeviceClaimConfiguration, ...] | None = None


class ResourceClaimSpec(Object, frozen=True):
    """What the claim asks for."""

    devices: DeviceClaim = DeviceClaim()


class DeviceRequestAllocationResult(Object, frozen=True):
    """One device given to one request."""

    request: str = ""
    driver: str = ""
    pool: str = ""
    device: str = ""
    admin_access: bool | None = None
    share_id: str | None = field(default=None, name="shareID")
    consumed_capacity: Mapping[str, QuantityText] | None = None
    tolerations: tuple[Toleration, ...] | None = None
    binding_conditions: tuple[str, ...] | None = None
    binding_failure_conditions: tuple[str, ...] | None = None
    skip_node_operations: tuple[str, ...] | None = None


class DeviceAllocationConfiguration(Object, frozen=True):
    """A configuration that came with the allocation: `source` is FromClass or FromClaim."""

    source: str = ""
    requests: tuple[str, ...] | None = None
    opaque: OpaqueDeviceConfiguration | None = None


class DeviceAllocationResult(Object, frozen=True):
    """All devices given to the claim."""

    results: tuple[DeviceRequestAllocationResult, ...] | None = None
    config: tuple[DeviceAllocationConfiguration, ...] | None = None


class AllocationResult(Object, frozen=True):
    """What the scheduler gave, and where it can be used."""

    devices: DeviceAllocationResult = DeviceAllocationResult()
    node_selector: NodeSelector | None = None
    allocation_timestamp: str | None = None


class AllocatedDeviceStatus(Object, frozen=True):
    """What a driver says of an allocated device; binding conditions are among its conditions."""

    driver: str = ""
    pool: str = ""
    device: str = ""
    share_id: str | None = field(default=None, name="shareID")
    conditions: tuple[Condition, ...] | None = None


class ResourceClaimConsumerReference(Object, frozen=True):
    """Who may use the claim (pods, as a rule)."""

    api_group: str | None = None
    resource: str = ""
    name: str = ""
    uid: str = ""


class ResourceClaimStatus(Object, frozen=True):
    """Allocated and reserved, or neither."""

    allocation: AllocationResult | None = None
    reserved_for: tuple[ResourceClaimConsumerReference, ...] | None = None
    devices: tuple[AllocatedDeviceStatus, ...] | None = None


class ResourceClaim(Object, frozen=True):
    """A claim."""

    metadata: ObjectMeta = ObjectMeta()
    spec: ResourceClaimSpec = ResourceClaimSpec()
    status: ResourceClaimStatus = ResourceClaimStatus()

    @property
    def extended(self) -> bool:
        """True for claims that the scheduler made for a pod's extended resources."""
        return (self.metadata.annotations or {}).get("resource.kubernetes.io/extended-resource-claim") == "true"


class ResourceClaimTemplateSpec(Object, frozen=True):
    """The claim that will be made."""

    metadata: ObjectMeta = ObjectMeta()
    spec: ResourceClaimSpec = ResourceClaimSpec()


class ResourceClaimTemplate(Object, frozen=True):
    """A template of claims."""

    metadata: ObjectMeta = ObjectMeta()
    spec: ResourceClaimTemplateSpec = ResourceClaimTemplateSpec()


class DeviceTaintSelector(Object, frozen=True):
    """What a rule taints. `{}` is every device. Class and CEL selectors are there in 1.33 and 1.34 only (v1alpha3)."""

    driver: str | None = None
    pool: str | None = None
    device: str | None = None
    device_class_name: str | None = None
    selectors: tuple[DeviceSelector, ...] | None = None


class DeviceTaintRuleSpec(Object, frozen=True):
    """A taint and its selector; null selects nothing (from 1.37.1 on)."""

    device_selector: DeviceTaintSelector | None = None
    taint: DeviceTaint = DeviceTaint()


class DeviceTaintRuleStatus(Object, frozen=True):
    """What the eviction controller says."""

    conditions: tuple[Condition, ...] | None = None


class DeviceTaintRule(Object, frozen=True):
    """A rule that taints devices from outside their driver."""

    metadata: ObjectMeta = ObjectMeta()
    spec: DeviceTaintRuleSpec = DeviceTaintRuleSpec()
    status: DeviceTaintRuleStatus = DeviceTaintRuleStatus()
