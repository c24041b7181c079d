"""Whether a claim that is allocated already can be used on a node.

Rules: kubernetes pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (Filter, isClaimReadyForBinding, isClaimTimeout).
"""

from datetime import datetime

from kubectl_dra.allocation.node_match import NodeSelectorError, selects
from kubectl_dra.allocation.on_node import OPTIONAL_NODE_OPERATIONS
from kubectl_dra.objects.meta import Condition, timestamp
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.resource import AllocationResult, DeviceRequestAllocationResult, ResourceClaim

BINDING_TIMEOUT = 600.0
"""Seconds that the scheduler waits for binding conditions, if its configuration says nothing else."""


def usable_from(claim: ResourceClaim, node: Node, now: datetime | None = None) -> bool:
    """Whether an allocated claim can be used on the node; one that is not allocated is no obstacle.

    `now` tells whether the time for binding conditions is over; without it they have all the time.
    """
    allocation = claim.status.allocation
    if allocation is None:
        return True
    return _reaches(allocation, node) and _operable(allocation, node) and not _binding_is_over(claim, allocation, now)


def _reaches(allocation: AllocationResult, node: Node) -> bool:
    try:
        return allocation.node_selector is None or selects(allocation.node_selector, node)
    except NodeSelectorError:
        return False


def _operable(allocation: AllocationResult, node: Node) -> bool:
    """Whether the node can leave out the operations that a device was allocated without."""
    skips = any(each.skip_node_operations for each in allocation.devices.results or ())
    return not skips or OPTIONAL_NODE_OPERATIONS in (node.status.declared_features or ())


def _binding_is_over(claim: ResourceClaim, allocation: AllocationResult, now: datetime | None) -> bool:
    """Whether a device failed to become ready, or took too long: the scheduler then looks for other devices."""
    for result in allocation.devices.results or ():
        if not result.binding_conditions:
            continue
        conditions = _conditions(claim, result)
        if any(_is_true(conditions, each) for each in result.binding_failure_conditions or ()):
            return True
        if not all(_is_true(conditions, each) for each in result.binding_conditions):
            began = timestamp(allocation.allocation_timestamp)
            return began is not None and now is not None and (now - began).total_seconds() > BINDING_TIMEOUT
    return False


def _conditions(claim: ResourceClaim, result: DeviceRequestAllocationResult) -> tuple[Condition, ...]:
    named = (result.driver, result.pool, result.device, result.share_id)
    found = (each for each in claim.status.devices or () if (each.driver, each.pool, each.device, each.share_id) == named)
    return next((each.conditions or () for each in found), ())


def _is_true(conditions: tuple[Condition, ...], name: str) -> bool:
    return any(each.type == name and each.status == "True" for each in conditions)
