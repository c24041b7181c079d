"""The documents of the core's protocol: what may be asked, as Structs."""

from collections.abc import Iterator, Mapping

import msgspec

from kubectl_dra.allocation.allocated import AllocatedState
from kubectl_dra.allocation.amounts import nano, parsed
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.resource import CapacityRequestPolicy, Device, DeviceClass, DeviceTaintRule, ResourceClaim, ResourceSlice
from kubectl_dra.objects.shape import Object, QuantityText


class StateDevice(Object, frozen=True):
    """A device in use: whole, in a share, or so much of its capacities."""

    driver: str = ""
    pool: str = ""
    device: str = ""
    share_id: str = msgspec.field(default="", name="shareID")
    capacity: Mapping[str, QuantityText] | None = None


class State(Object, frozen=True):
    """What is in use beside the allocated claims."""

    devices: tuple[StateDevice, ...] | None = None
    shared: tuple[StateDevice, ...] | None = None
    capacity: tuple[StateDevice, ...] | None = None

    def add_to(self, state: AllocatedState) -> None:
        """Put it into the state. Raises AllocationError."""
        for each in self.devices or ():
            state.devices.add((each.driver, each.pool, each.device))
        for each in self.shared or ():
            state.shared.add((each.driver, each.pool, each.device))
        for each in self.capacity or ():
            state.consume((each.driver, each.pool, each.device), {name: nano(amount) for name, amount in (each.capacity or {}).items()})


class Step(Object, frozen=True):
    """One of several allocations: first `release` gives claims (`namespace/name`) back."""

    nodes: tuple[str, ...] | None = None
    claims: tuple[ResourceClaim, ...] | None = None
    release: tuple[str, ...] | None = None
    all_nodes: bool = False
    dry_run: bool = False


class Question(Object, frozen=True):
    """One document."""

    mode: str = ""
    node: Node | None = None
    nodes: tuple[Node, ...] | None = None
    slices: tuple[ResourceSlice, ...] | None = None
    classes: tuple[DeviceClass, ...] | None = None
    claims: tuple[ResourceClaim, ...] | None = None
    allocated: tuple[ResourceClaim, ...] | None = None
    taint_rules: tuple[DeviceTaintRule, ...] | None = None
    allocated_state: State | None = None
    features: Mapping[str, bool] | None = None
    allocator: str = ""
    no_defaults: bool = False
    timeout_millis: int = 0
    tracker: bool = False
    steps: tuple[Step, ...] | None = None
    expression: str = ""
    expressions: tuple[str, ...] | None = None
    driver: str = ""
    device: Device | None = None
    devices: tuple[Device, ...] | None = None
    env_type: str = ""
    cost_limit: int | None = None
    derived: bool = False
    estimate: bool = False


_DECODER = msgspec.json.Decoder(Question)


def question(text: bytes | msgspec.Raw) -> Question:
    """One document. Null is as if it was not there. Raises msgspec.ValidationError and QuantityError."""
    try:
        found = _DECODER.decode(text)
    except msgspec.ValidationError:
        found = msgspec.convert(without_nulls(msgspec.json.decode(text)), Question)
    for amount in _quantities(found):
        parsed(amount)
    return found


def without_nulls(value: object) -> object:
    """The value without the keys and items that are null, at any depth."""
    match value:
        case dict():
            return {key: without_nulls(item) for key, item in value.items() if item is not None}
        case list():
            return [without_nulls(item) for item in value if item is not None]
        case _:
            return value


def _quantities(asked: Question) -> Iterator[QuantityText | None]:
    """All quantities: upstream refuses a document that has one which is none."""
    devices = [*(asked.devices or ()), *((asked.device,) if asked.device else ())]
    for one in asked.slices or ():
        devices += one.spec.devices or ()
        for counter_set in one.spec.shared_counters or ():
            yield from (counter.value for counter in (counter_set.counters or {}).values())
    for device in devices:
        for capacity in (device.capacity or {}).values():
            yield capacity.value
            if capacity.request_policy is not None:
                yield from _of_policy(capacity.request_policy)
        for consumption in device.consumes_counters or ():
            yield from (counter.value for counter in (consumption.counters or {}).values())
    for claim in (*(asked.claims or ()), *(asked.allocated or ()), *(each for step in asked.steps or () for each in step.claims or ())):
        yield from _of_claim(claim)
    for used in (asked.allocated_state.capacity if asked.allocated_state else None) or ():
        yield from (used.capacity or {}).values()


def _of_policy(policy: CapacityRequestPolicy) -> Iterator[QuantityText | None]:
    yield policy.default
    yield from policy.valid_values or ()
    if policy.valid_range is not None:
        yield from (policy.valid_range.min, policy.valid_range.max, policy.valid_range.step)


def _of_claim(claim: ResourceClaim) -> Iterator[QuantityText | None]:
    for request in claim.spec.devices.requests or ():
        for spec in (request.exactly, *(request.first_available or ())):
            if spec is not None and spec.capacity is not None:
                yield from (spec.capacity.requests or {}).values()
    if claim.status.allocation is not None:
        for result in claim.status.allocation.devices.results or ():
            yield from (result.consumed_capacity or {}).values()
