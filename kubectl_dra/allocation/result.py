"""What was chosen, in the form of a claim's status (incubating/allocator_incubating.go, end of Allocate, createNodeSelector)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kubectl_dra.allocation.claims import PreparedClaim, Request, RequestChoice
from kubectl_dra.allocation.failure import fatal
from kubectl_dra.allocation.features import Implementation
from kubectl_dra.allocation.on_node import OnNode
from kubectl_dra.allocation.search import Chosen
from kubectl_dra.objects.node import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from kubectl_dra.objects.resource import (
    AllocationResult,
    DeviceAllocationConfiguration,
    DeviceAllocationResult,
    DeviceRequestAllocationResult,
    OpaqueDeviceConfiguration,
    ResourceClaim,
)

FROM_CLASS, FROM_CLAIM = "FromClass", "FromClaim"


@dataclass(frozen=True, slots=True)
class ConfigOrigin:
    """Where a configuration of an allocation comes from: the class' name, or null for the claim itself, and its place in the list there.

    Parameters of configurations are not kept in memory; whoever has the object finds them by this.
    """

    class_name: str | None
    number: int


@dataclass(frozen=True, slots=True)
class ClaimAllocation:
    """What one claim gets."""

    claim: ResourceClaim
    result: AllocationResult
    origins: tuple[ConfigOrigin, ...]
    """Of each of the result's configurations."""


def claim_allocation(
    on_node: OnNode, number: int, chosen: Sequence[Chosen], selected: Mapping[tuple[int, int], int], share_ids: Sequence[str]
) -> ClaimAllocation:
    """The result for one claim. `share_ids` name the shares, by place in the list of devices. Raises AllocationError."""
    prepared = on_node.claims[number]
    requests = tuple(_taken(choice, selected.get((number, at), 0)) for at, choice in enumerate(prepared.choices))
    configs, origins = _configs(prepared, requests)
    devices = DeviceAllocationResult(
        tuple(_device(on_node, *each) for each in zip(chosen, share_ids, strict=True)) or None, configs or None
    )
    return ClaimAllocation(prepared.claim, AllocationResult(devices, _node_selector(on_node, prepared, chosen)), origins)


def _taken(choice: RequestChoice, selected: int) -> Request:
    found = choice.alternatives[selected]
    if not isinstance(found, Request):
        raise found
    return found


def _device(on_node: OnNode, chosen: Chosen, share_id: str) -> DeviceRequestAllocationResult:
    request, candidate, features = chosen.request, chosen.candidate, on_node.features
    device = candidate.device
    amounts = chosen.amounts.amounts if chosen.amounts is not None else ()
    return DeviceRequestAllocationResult(
        request=request.full_name,
        driver=candidate.id[0],
        pool=candidate.id[1],
        device=candidate.id[2],
        admin_access=True if request.admin else None,
        share_id=share_id if chosen.amounts is not None else None,
        consumed_capacity={each.name: str(each.taken) for each in amounts} or None,
        tolerations=request.tolerations or None,
        binding_conditions=device.binding_conditions if features.device_binding_and_status else None,
        binding_failure_conditions=device.binding_failure_conditions if features.device_binding_and_status else None,
        skip_node_operations=candidate.slice.spec.skip_node_operations if on_node.implementation is Implementation.EXPERIMENTAL else None,
    )


def _configs(
    prepared: PreparedClaim, requests: Sequence[Request]
) -> tuple[tuple[DeviceAllocationConfiguration, ...], tuple[ConfigOrigin, ...]]:
    """Those of the classes, each once, then those of the claim that concern what was taken."""
    found: list[tuple[str, tuple[str, ...], OpaqueDeviceConfiguration | None, ConfigOrigin]] = []
    users: dict[str, list[str]] = {}
    for request in requests:
        users.setdefault(request.device_class.metadata.name, []).append(request.full_name)
    classes = {request.device_class.metadata.name: request.device_class for request in requests}
    for name, names in users.items():
        for number, config in enumerate(classes[name].spec.config or ()):
            found.append((FROM_CLASS, tuple(names), config.opaque, ConfigOrigin(name, number)))
    concerned = {name for request in requests for name in (request.full_name, request.parent or request.name)}
    for number, own in enumerate(prepared.claim.spec.devices.config or ()):
        if not own.requests or concerned.intersection(own.requests):
            found.append((FROM_CLAIM, own.requests or (), own.opaque, ConfigOrigin(None, number)))
    configs = tuple(
        DeviceAllocationConfiguration(source, None if _covers(names, requests) else names or None, opaque)
        for source, names, opaque, _ in found
    )
    return configs, tuple(origin for *_, origin in found)


def _covers(names: Sequence[str], requests: Sequence[Request]) -> bool:
    """Whether the names are those of all requests, which is told by naming none."""
    return all(request.full_name in names or (request.parent or request.name) in names for request in requests)


def _node_selector(on_node: OnNode, prepared: PreparedClaim, chosen: Sequence[Chosen]) -> NodeSelector | None:
    """Where the allocation can be used: this node only, the nodes that fit all devices, or (null) everywhere."""
    fields: list[NodeSelectorRequirement] = []
    expressions: list[NodeSelectorRequirement] = []
    for each in chosen:
        spec, device = each.candidate.slice.spec, each.candidate.device
        place = device if spec.per_device_node_selection else spec
        bound = device.binds_to_node and on_node.implementation is not Implementation.STABLE
        if place.node_name is not None or bound:
            here = place.node_name if on_node.implementation is Implementation.STABLE else on_node.node.metadata.name
            only = NodeSelectorRequirement("metadata.name", "In", (here or "",))
            return NodeSelector((NodeSelectorTerm(match_fields=(only,)),))
        terms = (place.node_selector.node_selector_terms if place.node_selector is not None else None) or ()
        if len(terms) > 1:
            raise fatal(
                f"create NodeSelector for claim {prepared.claim.metadata.name}:"
                f" unsupported ResourceSlice.NodeSelector with {len(terms)} terms"
            )
        for term in terms:
            _merge(fields, term.match_fields or ())
            _merge(expressions, term.match_expressions or ())
    if not fields and not expressions:
        return None
    return NodeSelector((NodeSelectorTerm(tuple(expressions) or None, tuple(fields) or None),))


def _merge(into: list[NodeSelectorRequirement], more: Sequence[NodeSelectorRequirement]) -> None:
    """Add what is not there yet; the order of the values does not count."""
    for each in more:
        if not any(
            (each.key, each.operator, set(each.values or ())) == (known.key, known.operator, set(known.values or ())) for known in into
        ):
            into.append(each)
