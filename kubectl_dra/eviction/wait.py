"""Waiting until pods are gone: by UID, because a StatefulSet's new pod has the old one's name; and why one hangs in its deletion."""

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime

import msgspec

from kubectl_dra.eviction.evict import listed
from kubectl_dra.eviction.polling import Polling
from kubectl_dra.objects.meta import timestamp
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.pod import Pod

PATIENCE = 5
"""Seconds after a pod's time to end is over, before it is said to hang."""


class Surroundings(msgspec.Struct, frozen=True):
    """What explains that a pod does not go away: its node (null: not known, or there is none), and who holds claims of which driver.

    `drivers_here` are the DRA drivers that are at work on the node (null: not known); `drivers_of` tells the drivers of a pod's claims.
    """

    now: datetime
    node: Node | None = None
    drivers_here: Collection[str] | None = None
    drivers_of: Callable[[Pod], Collection[str]] = lambda pod: ()


def gone(
    pods: Iterable[Pod],
    present: Callable[[], Iterable[Pod]],
    polling: Polling,
    *,
    surroundings: Callable[[], Surroundings],
    left: Callable[[Pod], None] = lambda pod: None,
) -> None:
    """Wait until none of `pods` is among those `present`, told apart by UID, or until each has ended; `left` hears of each.

    Raises TimedOutError that says of each pod that is left why it hangs.
    """
    open_ = {pod.metadata.uid: pod for pod in pods}

    def look() -> str:
        there = {pod.metadata.uid: pod for pod in present()}
        for uid in [uid for uid in open_ if uid not in there or there[uid].finished]:
            left(open_.pop(uid))
        return still_there([there[uid] for uid in open_], polling.clock.now(), surroundings) if open_ else ""

    polling.until(look, hint="look at these pods with kubectl describe pod; then run the same command again")


def still_there(pods: Collection[Pod], now: datetime, surroundings: Callable[[], Surroundings]) -> str:
    """One line for pods that are not gone: those that hang with the reason, of the others how many. Reasons are looked for only then."""
    around = surroundings() if any(seconds_late(pod, now) >= PATIENCE for pod in pods) else Surroundings(now)
    reasons: dict[str, list[str]] = {}
    for pod in pods:
        why = hangs(pod, around)
        if why:
            reasons.setdefault(why, []).append(f"{pod.metadata.namespace}/{pod.metadata.name}")
    ending = len(pods) - sum(len(names) for names in reasons.values())
    parts = [f"{listed(names)} {why}" for why, names in reasons.items()]
    if ending:
        parts.append(f"{ending} {'pod is' if ending == 1 else 'pods are'} still ending")
    return "; ".join(parts)


def hangs(pod: Pod, around: Surroundings) -> str:
    """Why a pod that is being deleted is still there although its time is over; empty when it is not (yet) late."""
    late = seconds_late(pod, around.now)
    return f"should have ended {late:.0f} s ago: {_cause(pod, around)}" if late >= PATIENCE else ""


def seconds_late(pod: Pod, now: datetime) -> float:
    """For how long a pod that is being deleted is past its time; deletionTimestamp has the grace period in it (report E32)."""
    deadline = timestamp(pod.metadata.deletion_timestamp)
    return 0.0 if deadline is None else (now - deadline).total_seconds()


def _cause(pod: Pod, around: Surroundings) -> str:
    if around.node is not None and not is_ready(around.node):
        return f"node {around.node.metadata.name} does not answer, and only its kubelet can end the pod"
    missing = sorted(set(around.drivers_of(pod)) - set(around.drivers_here)) if around.drivers_here is not None else []
    if missing:
        return f"it holds a claim of {', '.join(missing)}, and that driver is not on the node any more: bring it back, so that it lets go"
    if pod.metadata.finalizers:
        return f"its finalizer {', '.join(pod.metadata.finalizers)} is not taken off by whoever set it"
    return "the kubelet has not ended it"


def is_ready(node: Node) -> bool:
    """Whether the node's kubelet answers."""
    return any(each.type == "Ready" and each.status == "True" for each in node.status.conditions or ())


def successors(evicted: Iterable[Pod], present: Iterable[Pod]) -> Mapping[str, Pod]:
    """By the UID of an evicted pod: a pod of the same controller that is newer. Each new pod stands for one old one only."""
    old = list(evicted)
    taken = {pod.metadata.uid for pod in old}
    new: dict[str, list[Pod]] = {}
    for pod in present:
        if pod.metadata.controller is not None and pod.metadata.uid not in taken:
            new.setdefault(pod.metadata.controller.uid, []).append(pod)
    found: dict[str, Pod] = {}
    for each in old:
        owner, uid = each.metadata.controller, each.metadata.uid
        rivals = [
            pod
            for pod in (new.get(owner.uid, ()) if owner is not None else ())
            if pod.metadata.uid not in taken and (pod.metadata.creation_timestamp or "") >= (each.metadata.creation_timestamp or "")
        ]
        chosen = next((pod for pod in rivals if pod.metadata.name == each.metadata.name), rivals[0] if rivals else None)
        if chosen is not None and uid is not None:
            taken.add(chosen.metadata.uid)
            found[uid] = chosen
    return found
