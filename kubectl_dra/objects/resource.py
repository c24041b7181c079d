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


class DeviceClassSpec(Object, frozen=True):
    """Which devices the class means, and which extended resource name it serves."""

    selectors: tuple[DeviceSelector, ...] | None = None
    extended_resource_name: str | None = None


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


class DeviceCapacity(Object, frozen=True):
    """An amount a device has."""

    value: QuantityText | None = None


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
    node_name: str | None = None
    node_selector: NodeSelector | None = None
    all_nodes: bool | None = None
    taints: tuple[DeviceTaint, ...] | None = None
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


class ResourceSlice(Object, frozen=True):
    """A slice."""

    metadata: ObjectMeta = ObjectMeta()
    spec: ResourceSliceSpec = ResourceSliceSpec()


class ExactDeviceRequest(Object, frozen=True):
    """One request of a claim."""

    device_class_name: str = ""
    selectors: tuple[DeviceSelector, ...] | None = None
    allocation_mode: str | None = None
    count: int | None = None
    admin_access: bool | None = None
    tolerations: tuple[Toleration, ...] | None = None


class DeviceSubRequest(Object, frozen=True):
    """One alternative of a request."""

    name: str = ""
    device_class_name: str = ""
    selectors: tuple[DeviceSelector, ...] | None = None
    allocation_mode: str | None = None
    count: int | None = None
    tolerations: tuple[Toleration, ...] | None = None


class DeviceRequest(Object, frozen=True):
    """Exactly one thing, or the first of several that can be had."""

    name: str = ""
    exactly: ExactDeviceRequest | None = None
    first_available: tuple[DeviceSubRequest, ...] | None = None


class DeviceClaim(Object, frozen=True):
    """All requests of a claim."""

    requests: tuple[DeviceRequest, ...] | None = None


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
    tolerations: tuple[Toleration, ...] | None = None


class DeviceAllocationResult(Object, frozen=True):
    """All devices given to the claim."""

    results: tuple[DeviceRequestAllocationResult, ...] | None = None


class AllocationResult(Object, frozen=True):
    """What the scheduler gave, and where it can be used."""

    devices: DeviceAllocationResult = DeviceAllocationResult()
    node_selector: NodeSelector | None = None


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
