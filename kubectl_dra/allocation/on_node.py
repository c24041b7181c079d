"""One node as the allocator looks at it: the checks on a single device, in the words and the order of upstream.

Rules: incubating/allocator_incubating.go (isSelectable, CmpRequestOverCapacity, taintPreventsAllocation).
"""

from dataclasses import dataclass, field

from kubectl_dra.allocation.allocated import AllocatedState
from kubectl_dra.allocation.capacity import Amounts, Capacities
from kubectl_dra.allocation.claims import PreparedClaim, Request
from kubectl_dra.allocation.counters import Available
from kubectl_dra.allocation.device_taints import untolerated
from kubectl_dra.allocation.failure import fatal
from kubectl_dra.allocation.features import Features, Implementation
from kubectl_dra.allocation.node_match import NodeSelectorError, node_matches
from kubectl_dra.allocation.pools import Candidate, NodePools
from kubectl_dra.allocation.selectors import all_match
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.resource import DeviceTaint

OPTIONAL_NODE_OPERATIONS = "DRAOptionalNodeOperations"
"""What a node declares that can leave out operations (component-helpers: nodedeclaredfeatures)."""


@dataclass(slots=True, eq=False)
class OnNode:
    """A node, the pools it sees, what is in use, and the claims that are to be allocated."""

    features: Features
    implementation: Implementation
    node: Node
    pools: NodePools
    state: AllocatedState
    available: Available
    capacities: Capacities
    claims: tuple[PreparedClaim, ...]
    candidates: tuple[Candidate, ...] = ()
    _selectable: dict[tuple[Request, Candidate], bool] = field(default_factory=dict)

    @property
    def combinations(self) -> bool:
        """Whether each set of devices is tried once. The stable allocator tries all permutations."""
        return self.implementation is not Implementation.STABLE

    def selectable(self, claim: int, request: Request, candidate: Candidate) -> bool:
        """Whether class and request select the device, and it is for this node. Raises AllocationError when a selector fails."""
        key = (request, candidate)
        found = self._selectable.get(key)
        if found is None:
            found = self._selectable[key] = self._selects(claim, request, candidate)
        return found

    def _selects(self, claim: int, request: Request, candidate: Candidate) -> bool:
        device = candidate.device
        if device.binding_conditions and not self.features.device_binding_and_status:
            return False
        if not all_match(request.class_judges, f"class {request.device_class.metadata.name}", candidate):
            return False
        if not all_match(request.judges, f"claim {self.claims[claim].name}", candidate):
            return False
        return not candidate.slice.spec.per_device_node_selection or self.reaches(candidate)

    def reaches(self, candidate: Candidate) -> bool:
        """Whether a device with a node selection of its own is for this node. Raises AllocationError."""
        device = candidate.device
        try:
            return node_matches(self.node, device.node_name, device.all_nodes, device.node_selector)
        except NodeSelectorError as error:
            raise fatal(str(error)) from None

    def amounts(self, claim: int, request: Request, candidate: Candidate, *, shown: str = "") -> Amounts:
        """What the request takes of the device's capacities. Raises AllocationError. `shown` is how the message names the device."""
        found = self.capacities.of(request.asked, request.asked_key, candidate.device)
        if found.crash is not None:
            raise found.crash
        if found.error:
            where = f"claim {self.claims[claim].name}, request {request.name}"
            raise fatal(f"{where}: checking capacity for device {shown or candidate}: {found.error}")
        return found

    def operable(self, candidate: Candidate) -> bool:
        """Whether the node can do without the operations that the device's slice says to skip; only the experimental allocator asks."""
        skipped = candidate.slice.spec.skip_node_operations
        if not skipped or self.implementation is not Implementation.EXPERIMENTAL:
            return True
        return self.features.optional_node_operations and OPTIONAL_NODE_OPERATIONS in (self.node.status.declared_features or ())

    def tainted(self, request: Request, candidate: Candidate) -> DeviceTaint | None:
        """The taint that keeps the request away from the device."""
        if not self.features.device_taints:
            return None
        return untolerated(candidate.device.taints or (), request.tolerations)
