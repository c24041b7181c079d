"""The entry: a cluster's slices and classes, what is in use, and then claims on a node.

    catalog = Catalog(slices, classes)
    allocator = Allocator(catalog, AllocatedState(claims))
    answer = allocator.allocate(node, allocator.prepare(new_claims))

Rules: dynamic-resource-allocation structured/allocator.go and structured/internal/{incubating,experimental}.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import permutations

from kubectl_dra.allocation.allocated import AllocatedState
from kubectl_dra.allocation.attribute_values import find
from kubectl_dra.allocation.before_search import checked
from kubectl_dra.allocation.capacity import Capacities
from kubectl_dra.allocation.cel import CelError, Unsupported
from kubectl_dra.allocation.claims import Preparation, PreparedClaim, Request, defaulted
from kubectl_dra.allocation.constraints import Constraint, constraint
from kubectl_dra.allocation.counters import Available
from kubectl_dra.allocation.derived import derived
from kubectl_dra.allocation.failure import AllocationError, FailureKind, fatal, undecided
from kubectl_dra.allocation.features import Features, Implementation, implementation
from kubectl_dra.allocation.on_node import OnNode
from kubectl_dra.allocation.pools import Candidate, NodePools, Slices
from kubectl_dra.allocation.result import ClaimAllocation, claim_allocation
from kubectl_dra.allocation.search import NO_LIMIT, Search
from kubectl_dra.allocation.selectors import Judges
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.resource import DeviceAttribute, DeviceClass, ResourceClaim, ResourceSlice

Claims = tuple[PreparedClaim, ...]
_MOST_PERMUTED = 4
"""The stable allocator tries pools in random order. So many are tried here in every order, to see whether it matters."""


def never() -> bool:
    """The time is never over."""
    return False


@dataclass(frozen=True, slots=True)
class Answer:
    """What allocating the claims on a node gives.

    `allocations`: one for each claim, in order; null when there is no way, or when it failed (`kind` and `error`). `steps` is how often
    upstream would have called itself.
    """

    allocations: tuple[ClaimAllocation, ...] | None = None
    kind: FailureKind | None = None
    error: str = ""
    steps: int = 0


class Catalog:
    """What does not change from pod to pod: slices, classes, features. Slices carry the taints of rules already."""

    def __init__(
        self,
        slices: Iterable[ResourceSlice],
        classes: Iterable[DeviceClass],
        features: Features = Features(),  # noqa: B008 - an immutable value
        allowed: Iterable[Implementation] = tuple(Implementation),
    ) -> None:
        """Take the slices in the order in which they are listed. Raises AllocationError when no allocator supports the features."""
        allowed = tuple(allowed)
        chosen = implementation(features, allowed)
        if chosen is None:
            names = ", ".join(each for each in Implementation if each in allowed)
            text = f"internal error: no allocator available for feature set {features}, enabled allocators: {names}"
            raise AllocationError(FailureKind.FATAL, text)
        self.features = features
        self.implementation = chosen
        stable = chosen is Implementation.STABLE
        self.slices = Slices(slices, features, stable=stable)
        self.judges = Judges(shares=not stable)
        self.capacities = Capacities(fractional=features.fractional_capacity_range)
        self.preparation = Preparation(features, chosen, {each.metadata.name: each for each in classes}, self.judges)


class Allocator:
    """Allocates claims, given what is in use. Nothing that it allocates is remembered."""

    def __init__(self, catalog: Catalog, state: AllocatedState) -> None:
        """Take the cluster and what is in use."""
        self.catalog = catalog
        self.state = state.without_shares() if catalog.implementation is Implementation.STABLE else state
        self._available = Available(self.state)

    def prepare(self, claims: Iterable[ResourceClaim], *, defaults: bool = True) -> Claims:
        """The claims of a pod, in the order of its spec. With `defaults` they get those of the API server first."""
        return tuple(self.catalog.preparation.of(defaulted(claim) if defaults else claim) for claim in claims)

    def allocate(self, node: Node, claims: Claims, *, expired: Callable[[], bool] = never, most_steps: int = NO_LIMIT) -> Answer:
        """Allocate the claims on the node, all or none. Errors are answers."""
        try:
            on_node = self.on_node(node, claims)
        except AllocationError as error:
            return _failed(error, 0)
        pools = on_node.pools.pools
        if self.catalog.implementation is not Implementation.STABLE or len(pools) < 2:
            return self._allocate(on_node, expired, most_steps)
        if len(pools) > _MOST_PERMUTED:
            return _failed(undecided("the stable allocator tries pools in random order"), 0)
        answers = []
        for order in permutations(pools):
            in_order = NodePools(order)
            answers.append(self._allocate(replace(on_node, pools=in_order, candidates=in_order.candidates), expired, most_steps))
        if any(
            (each.allocations, each.kind, each.error) != (answers[0].allocations, answers[0].kind, answers[0].error) for each in answers
        ):
            return _failed(undecided("the answer depends on the order of the pools, which is random in the stable allocator"), 0)
        return answers[0]

    def _allocate(self, on_node: OnNode, expired: Callable[[], bool], most_steps: int) -> Answer:
        claims, search = on_node.claims, None
        try:
            search = Search(on_node, claims, checked(on_node), self._constraints(claims), expired=expired, most_steps=most_steps)
            if search.run():
                return Answer(tuple(_allocation(on_node, search, number) for number in range(len(claims))), steps=search.steps)
        except AllocationError as error:
            return _failed(error, search.steps if search is not None else 0)
        if any(pool.invalid for pool in on_node.pools.pools):
            return Answer(None, FailureKind.NODE, "invalid resource pools were encountered", search.steps)
        return Answer(steps=search.steps)

    def on_node(self, node: Node, claims: Claims) -> OnNode:
        """The node as the claims meet it. Raises AllocationError."""
        catalog = self.catalog
        pools = catalog.slices.seen_from(node)
        return OnNode(
            features=catalog.features,
            implementation=catalog.implementation,
            node=node,
            pools=pools,
            state=self.state,
            available=self._available,
            capacities=catalog.capacities,
            claims=claims,
            candidates=pools.candidates,
        )

    def _constraints(self, claims: Claims) -> list[list[Constraint]]:
        lists = self.catalog.features.list_type_attributes
        return [
            [constraint(each, _attribute, lists=lists) for each in prepared.claim.spec.devices.constraints or ()] for prepared in claims
        ]


def _failed(error: AllocationError, steps: int) -> Answer:
    return Answer(None, error.kind, error.text, steps)


def _attribute(request: Request, candidate: Candidate, name: str) -> DeviceAttribute | None:
    if name in request.derived:
        try:
            return derived(name, request.derived[name], candidate.pool[0], candidate.device, str(candidate))
        except Unsupported as error:
            raise undecided(error.message) from None
        except CelError as error:
            raise fatal(error.message) from None
    return find(candidate.device.attributes, candidate.pool[0], name)


def _allocation(on_node: OnNode, search: Search, number: int) -> ClaimAllocation:
    """Shares get names that tell claim and place; upstream's are random."""
    chosen = search.chosen[number]
    names = [f"00000000-0000-0000-{number:04d}-{place:012d}" for place in range(len(chosen))]
    return claim_allocation(on_node, number, chosen, search.selected, names)
