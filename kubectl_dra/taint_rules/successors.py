"""Whether pods that go come back: their successors are tried on what is left, one after the other, each taking what it gets (pure)."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from enum import StrEnum

import msgspec
from msgspec.structs import replace

from kubectl_dra.allocation.allocator import Allocator
from kubectl_dra.allocation.failure import AllocationError
from kubectl_dra.allocation.foreseen import foreseen
from kubectl_dra.allocation.pod import PodOnNode, PodPlanner, Verdict
from kubectl_dra.extended_resources.asked import make_of
from kubectl_dra.inventory.owners import Owner
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.pod import Pod, PodResourceClaimStatus, PodStatus
from kubectl_dra.objects.resource import DeviceTaintRule, ResourceClaim
from kubectl_dra.objects.snapshot import KindReading, Snapshot
from kubectl_dra.taint_rules.hits import PodHit

MOST_STEPS = 100_000
"""Of the search for one pod on one node; a search that takes more is left undecided."""


class ComesBack(StrEnum):
    """What becomes of the successor of a pod that is evicted."""

    FITS = "fits"
    WAITS = "waits"
    NEVER = "never"
    UNKNOWN = "unknown"


class Successor(msgspec.Struct, frozen=True):
    """The answer for one pod, and why."""

    comes_back: ComesBack
    why: str = ""


NOBODY = Successor(ComesBack.NEVER, "nothing makes it again")
NOT_KNOWN = Successor(ComesBack.UNKNOWN)
TOO_LATE = Successor(ComesBack.UNKNOWN, "not tried: the time for it was over")
_NO_ROOM = "no node has devices (or room) left for it"


def successors(
    snapshot: Snapshot, rules: Iterable[DeviceTaintRule], evicted: Sequence[tuple[PodHit, Owner]], expired: Callable[[], bool]
) -> Mapping[str, Successor]:
    """By UID of an evicted pod what becomes of its successor. `rules` are in force with their effect; `evicted` come with what makes them.

    Other pods that wait are not tried: they may take what is counted here. Where lists are not known the answer is unknown.
    """
    found = {hit.pod.metadata.uid or "": NOBODY for hit, owner in evicted if owner.kind == "Pod"}
    made_again = [(hit.pod, owner) for hit, owner in evicted if owner.kind != "Pod"]
    if not made_again:
        return found
    unknown = _unknown(snapshot)
    if unknown:
        return {**found, **{pod.metadata.uid or "": Successor(ComesBack.UNKNOWN, unknown) for pod, _ in made_again}}
    try:
        left, pods = _afterwards(snapshot, rules, [hit.pod for hit, _ in evicted], [pod for pod, _ in made_again])
        trial = _Trial(left, expired)
    except AllocationError as error:
        return {**found, **{pod.metadata.uid or "": Successor(ComesBack.UNKNOWN, error.text) for pod, _ in made_again}}
    for (old, owner), new in zip(made_again, pods, strict=True):
        found[old.metadata.uid or ""] = trial.tried(new, old, owner)
    return found


def _unknown(snapshot: Snapshot) -> str:
    for kind in ("nodes", "pods", "device_classes", "resource_slices", "resource_claims", "resource_claim_templates"):
        reading: KindReading[object] = getattr(snapshot, kind)
        if not reading.known:
            return f"{kind.replace('_', ' ')} are not known"
    return ""


def _afterwards(
    snapshot: Snapshot, rules: Iterable[DeviceTaintRule], gone: Sequence[Pod], made_again: Sequence[Pod]
) -> tuple[Snapshot, Sequence[Pod]]:
    """The cluster when these pods are gone and the rules in force, and the pods that controllers make instead, with their claims.

    Claims that were made for a pod go with it; others lose their devices when nobody is left who has them reserved.
    """
    uids = {pod.metadata.uid for pod in gone}
    claims = [each for each in map(lambda claim: _released(claim, uids), snapshot.resource_claims) if each is not None]
    names = {rule.metadata.name for rule in rules}
    others = [each for each in snapshot.device_taint_rules if each.metadata.name not in names]
    rules_then = replace(snapshot.device_taint_rules, items=(*others, *rules))
    left = replace(
        snapshot,
        pods=replace(snapshot.pods, items=tuple(pod for pod in snapshot.pods if pod.metadata.uid not in uids)),
        resource_claims=replace(snapshot.resource_claims, items=tuple(claims)),
        device_taint_rules=rules_then,
    )
    empty = replace(left, resource_claims=replace(left.resource_claims, items=()))
    pods: list[Pod] = []
    for old in made_again:
        made, pod = foreseen(empty, _new(old))
        claims += made.resource_claims.items
        pods.append(pod)
    return replace(left, resource_claims=replace(left.resource_claims, items=tuple(claims))), pods


def _released(claim: ResourceClaim, gone: Iterable[str | None]) -> ResourceClaim | None:
    owner = claim.metadata.controller
    if owner is not None and owner.kind == "Pod" and owner.uid in gone:
        return None
    reserved = claim.status.reserved_for or ()
    if claim.status.allocation is None or not reserved:
        return claim
    left = tuple(each for each in reserved if each.uid not in gone)
    if len(left) == len(reserved):
        return claim
    return replace(claim, status=replace(claim.status, reserved_for=left, allocation=claim.status.allocation if left else None))


def _new(old: Pod) -> Pod:
    """The pod that its controller makes instead. That claims are not needed for an entry stays as it was."""
    metadata = replace(old.metadata, uid=f"{old.metadata.uid}-next", deletion_timestamp=None)
    needless = [PodResourceClaimStatus(each.name) for each in old.status.resource_claim_statuses or () if each.resource_claim_name is None]
    return Pod(metadata, replace(old.spec, node_name=None), PodStatus("Pending", resource_claim_statuses=tuple(needless) or None))


class _Placing(PodPlanner):
    """A planner in which pods are placed."""

    def place(self, pod: Pod, node: str, answer: PodOnNode) -> None:
        """Go on as if the pod were bound there with what the answer gives it."""
        self._bound.setdefault(node, []).append(replace(pod, spec=replace(pod.spec, node_name=node)))
        for each in answer.allocation.allocations or ():
            self.state.add(each.result.devices.results or ())
            key = each.claim.metadata.namespace or "", each.claim.metadata.name
            if key in self._claims:
                self._claims[key] = replace(each.claim, status=replace(each.claim.status, allocation=each.result))
        self.allocator = Allocator(self.catalog, self.state)  # what is left of shared counters is worked out anew


def _make(pod: Pod) -> Hashable:
    """The same for pods that ask for the same: equal parts of one reading are one object (objects.sharing), and its pods live."""
    spec = pod.spec
    claims = tuple((each.resource_claim_name, each.resource_claim_template_name) for each in spec.resource_claims or ())
    return *make_of(spec), id(spec.node_selector), id(spec.affinity), id(spec.tolerations), pod.metadata.namespace, claims


class _Trial:
    """Successors on the nodes. What turned a pod away turns away all that ask for the same, for devices only become fewer."""

    def __init__(self, snapshot: Snapshot, expired: Callable[[], bool]) -> None:
        self._planner = _Placing(snapshot)
        self._nodes = tuple(snapshot.nodes)
        self._by_name = {node.metadata.name: node for node in self._nodes}
        self._expired = expired
        self._next: dict[Hashable, int] = {}
        """By what pods ask for the first node that has not turned one away yet."""

    def tried(self, pod: Pod, old: Pod, owner: Owner) -> Successor:
        """What becomes of the pod. A DaemonSet's is for its old node alone."""
        if owner.kind == "DaemonSet":
            node = self._by_name.get(old.node_name or "")
            return self._on(pod, (node,) if node is not None else ())[1]
        make = _make(pod)
        start = self._next.get(make, 0)
        passed, found = self._on(pod, self._nodes[start:])
        self._next[make] = start + passed
        return found

    def _on(self, pod: Pod, nodes: Sequence[Node]) -> tuple[int, Successor]:
        """How many of the nodes turned it away, and the answer."""
        undecided = ""
        for number, node in enumerate(nodes):
            if self._expired():
                return number, TOO_LATE
            answer = self._planner.on_node(pod, node, expired=self._expired, most_steps=MOST_STEPS)
            match answer.verdict:
                case Verdict.FITS if not answer.lost_at_bind:
                    self._planner.place(pod, node.metadata.name, answer)
                    plugin = ", ".join(answer.served.plugin)
                    return number, Successor(ComesBack.FITS, f"through the device plugin ({plugin})" if plugin else "")
                case Verdict.FATAL:
                    return number, Successor(ComesBack.WAITS, answer.allocation.error)
                case Verdict.UNDECIDED:
                    undecided = answer.allocation.error or f"not known: {', '.join(answer.unknown)}"
        return len(nodes), Successor(ComesBack.UNKNOWN, undecided) if undecided else Successor(ComesBack.WAITS, _NO_ROOM)
