"""Nodes that have too few devices for the pod's only request: they need no search.

A search that fails tries every set of devices: of eight there are 256, of twenty a million, and all that for each of 2,000 nodes. The
answer is the same. Where upstream's own search would take so long that it may run into its limit of time, it is not cut short.
"""

from kubectl_dra.allocation.allocator import Allocator, Claims
from kubectl_dra.allocation.before_search import checked
from kubectl_dra.allocation.claims import Request
from kubectl_dra.allocation.failure import AllocationError
from kubectl_dra.allocation.on_node import OnNode
from kubectl_dra.objects.node import Node

MOST = 16
"""Devices of which upstream certainly tries all sets in time: it makes 100,000 steps a second or more."""


def hopeless(allocator: Allocator, node: Node, claims: Claims) -> bool:
    """Whether a search on the node can only fail, and without any error; false when that is not certain."""
    found = _only_request(claims)
    if found is None:
        return False
    number, request = found
    try:
        on_node = allocator.on_node(node, claims)
        if not on_node.combinations or any(pool.invalid for pool in on_node.pools.pools):
            return False
        checked(on_node)
        usable = _selectable(on_node, number, request)
    except AllocationError:
        return False
    return usable <= MOST and usable < request.count


def _only_request(claims: Claims) -> tuple[int, Request] | None:
    """The number of its claim, and the request, if there is just one, of so many devices, without constraints."""
    asking = [(number, claim) for number, claim in enumerate(claims) if claim.choices]
    if len(asking) != 1 or len(asking[0][1].choices) != 1 or asking[0][1].claim.spec.devices.constraints:
        return None
    number, claim = asking[0]
    request = claim.choices[0].alternatives[0] if len(claim.choices[0].alternatives) == 1 else None
    return (number, request) if isinstance(request, Request) and not request.every and not request.admin else None


def _selectable(on_node: OnNode, claim: int, request: Request) -> int:
    """The devices that are not in use and are selected; those that have too little capacity count.

    What is wrong with one of them is raised here as in the search: AllocationError.
    """
    usable = 0
    for candidate in on_node.candidates:
        if candidate.id not in on_node.state.devices and on_node.selectable(claim, request, candidate):
            usable += 1
            if on_node.features.consumable_capacity:
                on_node.amounts(claim, request, candidate)
            _ = candidate.consumes
    return usable
