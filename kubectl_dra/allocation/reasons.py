"""Why not, as data: for every request each device of a node with the first thing against it, in the order in which upstream looks.

A device is judged by itself, as if it were the first to be chosen. Where each device alone would do and all together do not, it is the
number of devices or a constraint: `defeating_constraints`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from msgspec.structs import replace

from kubectl_dra.allocation.allocated import DeviceId
from kubectl_dra.allocation.allocator import Allocator, Claims, never
from kubectl_dra.allocation.attribute_values import find
from kubectl_dra.allocation.capacity import Amount
from kubectl_dra.allocation.cel import Reason
from kubectl_dra.allocation.claims import Request
from kubectl_dra.allocation.counters import Available, CompatibilityGroups, Consumed
from kubectl_dra.allocation.failure import AllocationError
from kubectl_dra.allocation.on_node import OnNode
from kubectl_dra.allocation.pools import Candidate
from kubectl_dra.allocation.selectors import Judge
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.resource import DeviceConstraint, DeviceTaint


class Against(StrEnum):
    """What stands between a device and a request."""

    IN_USE = "in use"
    BINDING_CONDITIONS = "binding conditions are off"
    CLASS_SELECTOR = "not selected by the class"
    REQUEST_SELECTOR = "not selected by the request"
    SELECTOR_FAILS = "a selector fails"
    OTHER_NODES = "for other nodes"
    CAPACITY = "not enough capacity"
    NODE_OPERATIONS = "the node cannot do without operations"
    PARTITIONS_OFF = "partitions are off"
    GROUPS = "its compatibility groups do not go together with those in use"
    COUNTERS = "not enough of a counter"
    TAINTED = "tainted"
    CONSTRAINT = "without the attribute of a constraint"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class DeviceReason:
    """A device and the first thing against it; null when it would do.

    With it comes what there is to tell: `selector` is the expression, `trace` the parts of it that made it false, `message` an error
    in upstream's words, `capacity` the amount that does not fit or the name of one that is missing, `counter` its set's and own name.
    """

    device: DeviceId
    against: Against | None = None
    selector: str = ""
    trace: tuple[Reason, ...] = ()
    message: str = ""
    capacity: Amount | str | None = None
    counter: tuple[str, str] | None = None
    taint: DeviceTaint | None = None
    attribute: str = ""


@dataclass(frozen=True, slots=True)
class RequestReasons:
    """A request of a claim: how many devices it wants (null: all) and what is against each."""

    claim: str
    request: str
    wanted: int | None
    devices: tuple[DeviceReason, ...]


@dataclass(frozen=True, slots=True)
class PoolReason:
    """A pool of which no device is taken; `why` is empty when it is only not complete."""

    driver: str
    pool: str
    incomplete: bool
    why: str


@dataclass(frozen=True, slots=True)
class NodeReasons:
    """All there is to tell of a node: its requests and its unusable pools, or the error that came before."""

    requests: tuple[RequestReasons, ...] = ()
    pools: tuple[PoolReason, ...] = ()
    error: str = ""


def reasons(allocator: Allocator, node: Node, claims: Claims) -> NodeReasons:
    """What is against the devices that the node sees. Costs more than allocating."""
    try:
        on_node = allocator.on_node(node, claims)
    except AllocationError as error:
        return NodeReasons(error=error.text)
    pools = tuple(PoolReason(*pool.id, pool.incomplete, pool.invalid) for pool in on_node.pools.pools if not pool.usable)
    return NodeReasons(tuple(_of_requests(on_node)), pools)


def _of_requests(on_node: OnNode) -> Iterator[RequestReasons]:
    for number, claim in enumerate(on_node.claims):
        constraints = claim.claim.spec.devices.constraints or ()
        for request in claim.requests():
            found = tuple(_reason(on_node, number, request, constraints, candidate) for candidate in on_node.candidates)
            yield RequestReasons(claim.name, request.full_name, None if request.every else request.count, found)


def _reason(on_node: OnNode, claim: int, request: Request, constraints: tuple[DeviceConstraint, ...], candidate: Candidate) -> DeviceReason:
    """The first thing against the device."""
    if not request.admin and candidate.id in on_node.state.devices:
        return DeviceReason(candidate.id, Against.IN_USE)
    try:
        return (
            _selection(on_node, claim, request, candidate)
            or _capacity(on_node, claim, request, candidate)
            or _partitions(on_node, candidate)
            or _taint(on_node, request, candidate)
            or _constraint(request, constraints, candidate)
            or DeviceReason(candidate.id)
        )
    except AllocationError as error:
        return DeviceReason(candidate.id, Against.UNDECIDED, message=error.text)


def _selection(on_node: OnNode, claim: int, request: Request, candidate: Candidate) -> DeviceReason | None:
    if candidate.device.binding_conditions and not on_node.features.device_binding_and_status:
        return DeviceReason(candidate.id, Against.BINDING_CONDITIONS)
    for judges, against in ((request.class_judges, Against.CLASS_SELECTOR), (request.judges, Against.REQUEST_SELECTOR)):
        for judge in judges:
            found = None if judge is None else _judged(judge, against, candidate)
            if found is not None:
                return found
    if candidate.slice.spec.per_device_node_selection and not on_node.reaches(candidate):
        return DeviceReason(candidate.id, Against.OTHER_NODES)
    return None


def _judged(judge: Judge, against: Against, candidate: Candidate) -> DeviceReason | None:
    answer = judge.answer(candidate)
    if answer.matches:
        return None
    if answer.matches is None:
        against = Against.SELECTOR_FAILS
    return DeviceReason(candidate.id, against, selector=judge.text, trace=judge.trace(candidate), message=answer.error)


def _capacity(on_node: OnNode, claim: int, request: Request, candidate: Candidate) -> DeviceReason | None:
    if not on_node.features.consumable_capacity:
        return None
    short = on_node.amounts(claim, request, candidate).first_short(on_node.state.capacity.get(candidate.id), None)
    return None if short is None else DeviceReason(candidate.id, Against.CAPACITY, capacity=short)


def _partitions(on_node: OnNode, candidate: Candidate) -> DeviceReason | None:
    features = on_node.features
    if not on_node.operable(candidate):
        return DeviceReason(candidate.id, Against.NODE_OPERATIONS)
    if not candidate.consumes:
        return None
    if not features.partitionable_devices:
        return DeviceReason(candidate.id, Against.PARTITIONS_OFF)
    shares = features.consumable_capacity and candidate.device.allow_multiple_allocations
    if shares and on_node.state.in_shares(candidate.id):
        return None
    pool, available = on_node.pools.by_id[candidate.pool], Available(on_node.state)
    if features.compatibility_groups and CompatibilityGroups(available).take(pool, candidate) is None:
        return DeviceReason(candidate.id, Against.GROUPS)
    short = Consumed(available).short_with(pool, candidate)
    return None if short is None else DeviceReason(candidate.id, Against.COUNTERS, counter=short)


def _taint(on_node: OnNode, request: Request, candidate: Candidate) -> DeviceReason | None:
    taint = on_node.tainted(request, candidate)
    return None if taint is None else DeviceReason(candidate.id, Against.TAINTED, taint=taint)


def _constraint(request: Request, constraints: tuple[DeviceConstraint, ...], candidate: Candidate) -> DeviceReason | None:
    """A device without the attribute is refused by itself; what else a constraint refuses depends on the other devices."""
    for each in constraints:
        name = each.match_attribute if each.match_attribute is not None else each.distinct_attribute
        concerned = not each.requests or request.full_name in each.requests or request.parent in each.requests
        if name is None or not concerned or name in request.derived:
            continue
        if find(candidate.device.attributes, candidate.pool[0], name) is None:
            return DeviceReason(candidate.id, Against.CONSTRAINT, attribute=name)
    return None


def defeating_constraints(
    allocator: Allocator, node: Node, claims: Claims, *, expired: Callable[[], bool] = never, most_steps: int = 100_000
) -> tuple[tuple[str, DeviceConstraint], ...]:
    """The constraints (with their claims' names) without any one of which the claims could be allocated on the node."""
    found = []
    for number, prepared in enumerate(claims):
        devices = prepared.claim.spec.devices
        for place, each in enumerate(devices.constraints or ()):
            fewer = (devices.constraints or ())[:place] + (devices.constraints or ())[place + 1 :]
            claim = replace(prepared.claim, spec=replace(prepared.claim.spec, devices=replace(devices, constraints=fewer)))
            others = (*claims[:number], *allocator.prepare([claim], defaults=False), *claims[number + 1 :])
            if allocator.allocate(node, others, expired=expired, most_steps=most_steps).allocations is not None:
                found.append((prepared.name, each))
    return tuple(found)
