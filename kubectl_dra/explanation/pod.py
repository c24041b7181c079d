"""The whole explanation of one pod: where it stands, and why."""

from collections.abc import Callable

from kubectl_dra.allocation.allocator import never
from kubectl_dra.allocation.foreseen import foreseen
from kubectl_dra.allocation.node_fit import NOT_JUDGED
from kubectl_dra.explanation import after, before, scheduling, told
from kubectl_dra.explanation.case import PodCase
from kubectl_dra.explanation.document import Asked, Explanation, NodeVerdict, OnNode, Reason, Verdict
from kubectl_dra.explanation.hints import hints
from kubectl_dra.explanation.quotas import quotas
from kubectl_dra.explanation.requests import asked
from kubectl_dra.explanation.summary import summary
from kubectl_dra.inventory.document import ObjectName, Unknown
from kubectl_dra.inventory.known import unknown_kinds
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.snapshot import Snapshot

READ = ("nodes", "pods", "device_classes", "resource_slices", "resource_claims", "device_taint_rules")
"""The kinds that the search for a node rests on."""
_NOT_JUDGED = tuple(each for each in NOT_JUDGED if each != "scheduling gates")
"""Gates are: they hold the pod before nodes are looked at."""
_STOPPING = frozenset({"lost-mapping", "quota", "empty-claim", "scheduler-error", "bypasses-scheduler"})
"""What of the scheduler's words keeps the pod waiting, whatever its nodes have."""
_SAMPLED_FROM = 100
"""From so many nodes on, the scheduler may find enough of them before it comes to one that ends the attempt
(kubernetes pkg/scheduler/schedule_one.go, numFeasibleNodesToFind)."""


def explain(
    snapshot: Snapshot,
    pod: Pod,
    *,
    node: str | None = None,
    devices: bool = False,
    exists: bool = True,
    expired: Callable[[], bool] = never,
) -> Explanation:
    """Explain one pod of the snapshot, or (`exists` false) one that would be made.

    `node` narrows the nodes to one, `devices` tells each device. `expired` limits the search: what is over is "unknown".
    Raises AllocationError for quantities that are none.
    """
    case = PodCase(snapshot, pod, exists=exists, expired=expired)
    if pod.finished:
        return _placed(case, Verdict.FINISHED, after.refused(case))
    if pod.metadata.deletion_timestamp:
        return _placed(case, Verdict.TERMINATING, after.ending(case))
    if pod.node_name is not None and exists:
        return _bound(case)
    return _waiting(case, node, devices=devices)


def _bound(case: PodCase) -> Explanation:
    if case.pod.status.phase == "Running":
        return _placed(case, Verdict.RUNS, after.running(case))
    return _placed(case, Verdict.BOUND, after.starting(case))


def _waiting(case: PodCase, node: str | None, *, devices: bool) -> Explanation:
    held = before.before(case)
    looked_at = _with_claims(case)
    everything = () if looked_at is None else scheduling.nodes(looked_at)
    words = _words(case, everything, held=bool(held))
    verdict = _verdict(case, held, words, everything)
    about_pod = (*held, *words, *hints(case, everything))
    first = next(iter(about_pod), None) or scheduling.nearest(everything)
    sentence = summary(case, verdict, first, everything)
    nodes = () if looked_at is None else scheduling.shown(looked_at, everything, node, devices=devices)
    return _answer(case, verdict, (*about_pod, *scheduling.commonest(nodes)), sentence, asked(case, everything), nodes)


def _words(case: PodCase, nodes: tuple[OnNode, ...], *, held: bool) -> tuple[Reason, ...]:
    """What is about the pod and does not follow from its nodes."""
    known = (*before.bypasses_scheduler(case), *before.judged_as_default(case), *told.from_words(case), *quotas(case))
    foreseen_error = any(each.verdict == NodeVerdict.ERROR for each in nodes) or any(each.code in _STOPPING for each in known)
    return (*known, *(() if held else told.not_judged(case)), *(() if foreseen_error else told.failed_otherwise(case)))


def _with_claims(case: PodCase) -> PodCase | None:
    """The case with those claims made that only wait for their controller; None when a claim stands in the way for every node."""
    snapshot, pod = foreseen(case.snapshot, case.pod)
    looked_at = case if pod is case.pod else case.of(snapshot, pod)
    return None if looked_at.planner.claims_of(pod).obstacles and snapshot.resource_claims.known else looked_at


def _verdict(case: PodCase, held: tuple[Reason, ...], words: tuple[Reason, ...], nodes: tuple[OnNode, ...]) -> Verdict:
    """In the order in which the scheduler would stop."""
    if held:
        return Verdict.HELD
    counts = scheduling.verdicts(nodes)
    if not case.snapshot.nodes.known or not nodes:
        return Verdict.WAITS if case.snapshot.nodes.known else Verdict.UNKNOWN
    if counts.get("error") and not (counts.get("fits") and len(nodes) >= _SAMPLED_FROM):
        return Verdict.FAILS
    if any(each.code in _STOPPING for each in words):
        return Verdict.WAITS
    if sum(each.nodes or 0 for each in words if each.code == "said-by-scheduler") >= counts.get("fits", 0) > 0:
        return Verdict.WAITS
    if any(each.verdict == NodeVerdict.FITS and not _quota_stops(each, words) for each in nodes):
        return Verdict.FITS
    if counts.get("fits"):
        return Verdict.WAITS
    return Verdict.UNKNOWN if counts.get("unknown") else Verdict.WAITS


def _quota_stops(node: OnNode, words: tuple[Reason, ...]) -> bool:
    """Whether a quota would stop the pod there: what the plugin serves alone has no claim."""
    return any(each.code == "quota-short" for each in words) and "plugin" not in node.served_by.values()


def _placed(case: PodCase, verdict: Verdict, reasons: tuple[Reason, ...]) -> Explanation:
    """Of a pod that needs no node any more."""
    return _answer(case, verdict, reasons, summary(case, verdict, next(iter(reasons), None), holds=after.holdings(case)), asked(case))


def _answer(
    case: PodCase,
    verdict: Verdict,
    reasons: tuple[Reason, ...],
    sentence: str,
    requests: tuple[Asked, ...],
    nodes: tuple[OnNode, ...] = (),
) -> Explanation:
    pod = case.pod
    return Explanation(
        pod=ObjectName(pod.metadata.namespace or "", pod.metadata.name),
        verdict=verdict.value,
        summary=sentence,
        exists=case.exists,
        phase=pod.status.phase,
        node=pod.node_name,
        reasons=reasons,
        requests=requests,
        nodes=nodes,
        holds=() if pod.finished else after.holdings(case),
        said=told.said(case),
        not_judged=_NOT_JUDGED if nodes else (),
        unknown=_unknown(case),
    )


def _unknown(case: PodCase) -> tuple[Unknown, ...]:
    """The kinds that could not be read and would say more."""
    kinds = list(READ)
    if any(each.resource_claim_template_name for each in case.pod.spec.resource_claims or ()):
        kinds.append("resource_claim_templates")
    return unknown_kinds(case.snapshot, kinds)
