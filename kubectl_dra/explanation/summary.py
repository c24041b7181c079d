"""The verdict in a sentence."""

from collections.abc import Sequence

from kubectl_dra.explanation.case import PodCase
from kubectl_dra.explanation.document import Holding, NodeVerdict, OnNode, Reason, Verdict
from kubectl_dra.explanation.scheduling import verdicts

_SHOWN = 4
"""Devices of a driver that the sentence names."""


def summary(case: PodCase, verdict: Verdict, first: Reason | None, nodes: Sequence[OnNode] = (), holds: Sequence[Holding] = ()) -> str:
    """What a person wants to know first. `first` is the reason that tells most."""
    pod = case.pod
    node, why = pod.node_name or "", f": {first.message}" if first is not None else ""
    match verdict:
        case Verdict.FINISHED:
            return f"has finished ({pod.status.phase}) and holds no device{why}"
        case Verdict.TERMINATING:
            return _terminating(case, why)
        case Verdict.RUNS:
            return f"runs on {node} and {_holds(case, holds)}"
        case Verdict.BOUND:
            return f"is bound to {node} and does not run there yet" + (why or f"; {_holds(case, holds)}")
        case _:
            return _unbound(case, verdict, first, nodes)


def _unbound(case: PodCase, verdict: Verdict, first: Reason | None, nodes: Sequence[OnNode]) -> str:
    why = "" if first is None else f": {first.message if verdict is Verdict.FAILS else _on_nodes(first, len(nodes))}"
    number = nodes[0].node if len(nodes) == 1 else f"none of {len(nodes)} nodes"
    waits = "waits" if case.exists else "would wait"
    match verdict:
        case Verdict.HELD:
            return f"{'is not' if case.exists else 'would not be'} scheduled yet{why}"
        case Verdict.FITS:
            return _fits(case, nodes)
        case Verdict.FAILS:
            return f"{'cannot' if case.exists else 'could not'} be scheduled on any node{why}"
        case Verdict.WAITS if verdicts(nodes).get("fits"):
            return f"{waits}{why}"
        case Verdict.WAITS:
            return f"{waits}: {number} {'cannot' if len(nodes) == 1 else 'can'} take it now{why}"
        case _:
            return f"cannot be explained in full: what decides could not be read, or cannot be told{why}"


def _on_nodes(reason: Reason, all_: int) -> str:
    """A reason, and on how many nodes it is so where it is not so on all."""
    if reason.nodes is None or reason.nodes == all_ or all_ < 2:
        return reason.message
    return f"on {reason.nodes} of them {reason.message}"


def _fits(case: PodCase, nodes: Sequence[OnNode]) -> str:
    fits = verdicts(nodes)["fits"]
    first = next(each.node for each in nodes if each.verdict == NodeVerdict.FITS)
    where = first if fits == 1 else f"{fits} of {len(nodes)} nodes"
    if not case.exists:
        return f"would fit on {where} now"
    tried = "has not tried it again yet" if case.pod.condition("PodScheduled") is not None else "has not tried it yet"
    return f"fits on {where} now: the scheduler {tried}, or something else keeps it"


def _terminating(case: PodCase, why: str) -> str:
    since = case.seconds_since(case.pod.metadata.deletion_timestamp)
    if case.pod.node_name is None:
        return "is being deleted: the scheduler leaves it alone"
    if since is not None and since < 0:
        return f"is being deleted and has {-since:.0f} s left to end"
    ago = f"{since:.0f} s ago" if since is not None else "already"
    return f"should have ended {ago} and is still there{why}"


def _holds(case: PodCase, holds: Sequence[Holding]) -> str:
    if holds:
        drivers = dict.fromkeys(each.driver for each in holds)
        return f"holds {' and '.join(_devices([each.device for each in holds if each.driver == driver], driver) for driver in drivers)}"
    if case.names:
        return f"has its {', '.join(case.names)} from the device plugin" if _from_plugin(case) else "holds no device that DRA knows of"
    return "asks for no device" if not case.pod.spec.resource_claims else "holds no device"


def _devices(names: Sequence[str], driver: str) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more} of {driver}"


def _from_plugin(case: PodCase) -> bool:
    node = case.nodes.get(case.pod.node_name or "")
    return node is not None and all(case.planner.offers(node, name) for name in case.names)
