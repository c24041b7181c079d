"""The whole-pod call: (snapshot, pod, node) → which devices, or why none.

    planner = PodPlanner(snapshot)
    answer = planner.on_node(pod, node)

Rules: kubernetes pkg/scheduler/framework/plugins/dynamicresources (Filter, filterExtendedResources). Of 1.37; what of the cluster could not
be read makes the answer UNDECIDED, because it may decide.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from kubectl_dra.allocation.allocated import AllocatedState
from kubectl_dra.allocation.allocated_claims import usable_from
from kubectl_dra.allocation.allocator import Allocator, Answer, Catalog, Claims, never
from kubectl_dra.allocation.amounts import quantity
from kubectl_dra.allocation.device_taints import tainted_slices
from kubectl_dra.allocation.failure import FailureKind
from kubectl_dra.allocation.features import Features, from_gates
from kubectl_dra.allocation.hopeless import hopeless
from kubectl_dra.allocation.node_fit import Counted, NodeMisfit, misfits
from kubectl_dra.allocation.pod_claims import ClaimObstacle, PodClaims, pod_claims
from kubectl_dra.allocation.search import NO_LIMIT
from kubectl_dra.extended_resources.classes import resolve
from kubectl_dra.extended_resources.names import is_dra_extended_resource_name
from kubectl_dra.extended_resources.requests import ClaimRequests, claim_requests, scalar_requests
from kubectl_dra.knowledge.faults import fault
from kubectl_dra.objects.meta import ObjectMeta, timestamp
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.pod import Pod, RequestMapping
from kubectl_dra.objects.resource import DeviceClaim, DeviceRequest, DeviceTaintRule, ExactDeviceRequest, ResourceClaim, ResourceClaimSpec
from kubectl_dra.objects.snapshot import ReadState, Snapshot

SPECIAL_CLAIM = "<extended-resources>"
"""What the scheduler calls the claim for extended resources before it is stored."""


class Verdict(StrEnum):
    """What the scheduler would make of the pod on the node."""

    FITS = "fits"
    NO = "no"
    """Not on this node."""
    FATAL = "fatal"
    """The attempt ends, whatever other nodes have."""
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Served:
    """Who serves the pod's extended resources on the node: the device plugin, DRA (with the class), or nobody."""

    plugin: tuple[str, ...] = ()
    dra: Mapping[str, str] | None = None
    nobody: tuple[str, ...] = ()


NOT_TRIED = Answer()
"""The allocator was not asked."""


@dataclass(frozen=True, slots=True)
class PodOnNode:
    """The answer for one node. Without `misfits` and `unavailable` claims it is that of the `allocation`.

    With `unavailable` ones, which are allocated and cannot be used here, the `allocation` of the others tells whether it ends the attempt.
    `claims` are those that were to be allocated, the one for extended resources last, `mappings` what the pod's status would say of it.
    `lost_at_bind`: the pod fits, but the scheduler of 1.37.0 to 1.37.2 fails to bind it (user claims beside a mapped name on a node
    whose plugin serves that name).
    """

    node: str
    verdict: Verdict
    served: Served = Served()
    misfits: tuple[NodeMisfit, ...] = ()
    unavailable: tuple[str, ...] = ()
    allocation: Answer = NOT_TRIED
    claims: Claims = ()
    mappings: tuple[RequestMapping, ...] = ()
    obstacles: tuple[ClaimObstacle, ...] = ()
    unknown: tuple[str, ...] = ()
    lost_at_bind: bool = False


_KNOWN = frozenset({ReadState.READ, ReadState.UNSERVED})
"""A kind that the server does not serve has no object."""
_NO_RULES = _KNOWN | {ReadState.ABSENT}
"""A file without rules is taken by its slices' own taints."""


@dataclass(slots=True)
class _Demand:
    """What a pod wants, whatever the node."""

    pod: Pod
    names: tuple[str, ...]
    classes: Mapping[str, str]
    own: PodClaims
    unknown: tuple[str, ...]
    through_dra: dict[tuple[str, ...], tuple[ClaimRequests, Claims]] = field(default_factory=dict)
    """By the names that DRA serves: the requests of their claim, and all claims that are to be allocated."""


class PodPlanner:
    """Answers for pods of one snapshot; what pods have in common is worked out once."""

    def __init__(self, snapshot: Snapshot, features: Features | None = None, *, extended_resources: bool = True) -> None:
        """Take the cluster. `extended_resources`: classes serve names (DRAExtendedResource). Raises AllocationError for bad quantities.

        Without `features` they follow the gates that the API server tells, which its scheduler may not share.
        """
        self.snapshot = snapshot
        self.features = features if features is not None else from_gates(snapshot.cluster.feature_gates.get)
        everything = fault("rule-without-selector").affects(snapshot.cluster.version)
        slices = tainted_slices(snapshot.resource_slices, list(snapshot.device_taint_rules), everything_without_selector=bool(everything))
        self.catalog = Catalog(slices, snapshot.device_classes, self.features)
        self.state = AllocatedState(snapshot.resource_claims, consumable_capacity=self.features.consumable_capacity)
        self.allocator = Allocator(self.catalog, self.state)
        self._classes = resolve(
            snapshot.device_classes if extended_resources else (), snapshot.cluster.emulated or snapshot.cluster.version
        )
        self._class_names = frozenset(each.metadata.name for each in snapshot.device_classes)
        self._claims = {(each.metadata.namespace or "", each.metadata.name): each for each in snapshot.resource_claims}
        self._read_at = timestamp(snapshot.cluster.read_at)
        self._counted = Counted()
        self._last: _Demand | None = None
        self._bound: dict[str, list[Pod]] = {}
        for pod in snapshot.pods:
            if pod.node_name:
                self._bound.setdefault(pod.node_name, []).append(pod)

    def claims_of(self, pod: Pod) -> PodClaims:
        """The claims that the pod's spec names."""
        return pod_claims(pod, self._claims, self._class_names)

    @staticmethod
    def offers(node: Node, name: str) -> bool:
        """Whether a device plugin serves the name on the node."""
        return quantity((node.status.allocatable or {}).get(name)).value() > 0

    def served(self, pod: Pod, node: Node) -> Served:
        """By allocatable alone: above zero the plugin serves the name; else DRA, if a class has it; else nobody."""
        names, classes = self._demand(pod).names, self._demand(pod).classes
        offered = {name for name in names if self.offers(node, name)}
        return Served(
            tuple(name for name in names if name in offered),
            {name: classes[name] for name in names if name not in offered and name in classes},
            tuple(name for name in names if name not in offered and name not in classes),
        )

    def on_node(self, pod: Pod, node: Node, *, expired: Callable[[], bool] = never, most_steps: int = NO_LIMIT) -> PodOnNode:
        """The pod on the node, as things stand in the snapshot."""
        name, demand, served = node.metadata.name, self._demand(pod), self.served(pod, node)
        own, unknown = demand.own, demand.unknown
        against = misfits(pod, node, self._bound.get(name, ()), delegated=served.dra or (), counted=self._counted)
        if own.obstacles or unknown:
            verdict = Verdict.UNDECIDED if unknown else Verdict.NO
            return PodOnNode(name, verdict, served, against, obstacles=own.obstacles, unknown=unknown)
        unavailable = tuple(each.metadata.name for each in own.claims if not usable_from(each, node, self._read_at))
        requests, claims = self._claims_through_dra(demand, served)
        if against:
            found = NOT_TRIED
        elif hopeless(self.allocator, node, claims):
            found = Answer()
        else:
            found = self.allocator.allocate(node, claims, expired=expired, most_steps=most_steps)
        verdict = Verdict.NO if against else _verdict(found)
        if unavailable and verdict is Verdict.FITS:
            verdict = Verdict.NO
        mapped = any(name in demand.classes for name in served.plugin)
        lost = verdict is Verdict.FITS and bool(own.claims) and mapped and not requests.requests
        return PodOnNode(name, verdict, served, against, unavailable, found, claims, requests.mappings, lost_at_bind=lost)

    def _demand(self, pod: Pod) -> _Demand:
        """What the pod wants; worked out once for as long as the same pod is asked about."""
        if self._last is None or self._last.pod is not pod:
            names = tuple(scalar_requests(pod.spec))
            classes = self._classes.class_names(name for name in names if is_dra_extended_resource_name(name))
            self._last = _Demand(pod, names, classes, self.claims_of(pod), self._unknown(pod))
        return self._last

    def _claims_through_dra(self, demand: _Demand, served: Served) -> tuple[ClaimRequests, Claims]:
        """The claims that are to be allocated on a node where DRA serves these names."""
        key = tuple(served.dra or ())
        found = demand.through_dra.get(key)
        if found is None:
            requests = claim_requests(demand.pod.spec, served.dra or {})
            wanted = [each for each in demand.own.claims if each.status.allocation is None]
            if requests.requests:
                wanted.append(_special_claim(demand.pod, [(each.name, each.device_class_name, each.count) for each in requests.requests]))
            found = demand.through_dra[key] = requests, self.allocator.prepare(wanted)
        return found

    def on_all_nodes(self, pod: Pod, *, expired: Callable[[], bool] = never, most_steps: int = NO_LIMIT) -> tuple[PodOnNode, ...]:
        """The pod on every node, in the order of the snapshot."""
        return tuple(self.on_node(pod, node, expired=expired, most_steps=most_steps) for node in self.snapshot.nodes)

    def _unknown(self, pod: Pod) -> tuple[str, ...]:
        """The kinds that decide and were not read in full."""
        if not pod.spec.resource_claims and not any(map(is_dra_extended_resource_name, scalar_requests(pod.spec))):
            return ()
        kinds = ["device_classes", "resource_slices", "resource_claims"]
        if self.features.device_taints:
            kinds.append("device_taint_rules")
        unknown = [
            kind for kind in kinds if getattr(self.snapshot, kind).state not in (_KNOWN if kind != "device_taint_rules" else _NO_RULES)
        ]
        if "device_taint_rules" in kinds and any(map(_is_old, self.snapshot.device_taint_rules)):
            unknown.append("device_taint_rules")
        return tuple(unknown)


def _is_old(rule: DeviceTaintRule) -> bool:
    """Rules of 1.33 and 1.34 may select by class or CEL, which is not evaluated here."""
    selector = rule.spec.device_selector
    return selector is not None and bool(selector.device_class_name or selector.selectors)


def _special_claim(pod: Pod, requests: list[tuple[str, str, int]]) -> ResourceClaim:
    """The claim that the scheduler makes for extended resources."""
    found = tuple(
        DeviceRequest(name, ExactDeviceRequest(device_class_name=device_class, allocation_mode="ExactCount", count=count))
        for name, device_class, count in requests
    )
    return ResourceClaim(
        metadata=ObjectMeta(SPECIAL_CLAIM, pod.metadata.namespace), spec=ResourceClaimSpec(devices=DeviceClaim(requests=found))
    )


def _verdict(found: Answer) -> Verdict:
    match found.kind:
        case None:
            return Verdict.NO if found.allocations is None else Verdict.FITS
        case FailureKind.NODE:
            return Verdict.NO
        case FailureKind.UNDECIDED:
            return Verdict.UNDECIDED
        case _:
            return Verdict.FATAL
