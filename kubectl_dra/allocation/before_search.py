"""What is checked of all claims before any device is chosen (incubating/allocator_incubating.go, Allocate and validateDeviceRequest)."""

from collections.abc import Mapping, Sequence

from kubectl_dra.allocation.claims import MOST_DEVICES, PreparedClaim, Request, RequestChoice
from kubectl_dra.allocation.failure import AllocationError, FailureKind, fatal
from kubectl_dra.allocation.on_node import OnNode
from kubectl_dra.allocation.pools import Candidate

Everything = Mapping[Request, Sequence[Candidate]]
"""The devices of each request in mode All."""


def checked(on_node: OnNode) -> Everything:
    """The devices of all requests in mode All. Raises AllocationError for what is wrong first."""
    everything: dict[Request, Sequence[Candidate]] = {}
    for number, claim in enumerate(on_node.claims):
        _check(on_node, number, claim, everything)
    return everything


def _check(on_node: OnNode, number: int, claim: PreparedClaim, everything: dict[Request, Sequence[Candidate]]) -> None:
    total = 0
    for choice in claim.choices:
        least = _least(on_node, number, choice, everything)
        if least > MOST_DEVICES - total:
            raise fatal(
                f"claim {claim.name}, request {choice.name}: adding {least} devices exceeds the claim limit of {MOST_DEVICES},"
                f" with {total} already accounted for"
            )
        total += least
    if total < 0:
        raise AllocationError(FailureKind.PANIC, "runtime error: makeslice: cap out of range")
    if claim.fault is not None:
        raise claim.fault


def _least(on_node: OnNode, claim: int, choice: RequestChoice, everything: dict[Request, Sequence[Candidate]]) -> int:
    """The fewest devices that one of the alternatives needs."""
    if choice.fault is not None:
        raise choice.fault
    counts = []
    for request in choice.alternatives:
        if isinstance(request, AllocationError):
            raise request
        if request.every:
            everything[request] = _all_devices(on_node, claim, request)
        counts.append(len(everything[request]) if request.every else request.count)
    return min(counts)


def _all_devices(on_node: OnNode, claim: int, request: Request) -> list[Candidate]:
    """Every device that the request means, in use or not. A pool that is not usable makes it impossible to tell, whatever it holds."""
    found = []
    for pool in on_node.pools.pools:
        if not pool.usable:
            why = "currently being updated" if pool.incomplete else "currently invalid"
            raise fatal(
                f"claim {on_node.claims[claim].name}, request {request.name}: asks for all devices, but resource pool {pool} is {why}"
            )
        for candidate in pool.candidates:
            if not on_node.selectable(claim, request, candidate):
                continue
            # what others use of it is looked at later: a device that is full makes the whole request fail
            if on_node.features.consumable_capacity and not on_node.amounts(claim, request, candidate, shown=candidate.device.name).fits(
                None, None
            ):
                continue
            found.append(candidate)
    return found
