"""Everybody who has to leaves, and is waited for."""

from collections.abc import Collection, Iterable

from kubectl_dra.eviction import evict, wait
from kubectl_dra.eviction.filters import Action, Fate
from kubectl_dra.eviction.polling import Polling
from kubectl_dra.migration.holding import claims_of
from kubectl_dra.migration.move import Move, RefusedError
from kubectl_dra.migration.steps.work import Work
from kubectl_dra.migration.subject import Subject
from kubectl_dra.objects.pod import Pod

ROUNDS = 5
"""Times in a run that new pods may come in behind those that were sent off."""


class Drain(Work):
    """List, show, evict all at once, wait by UID; again while somebody has come in between."""

    def do(self, move: Move) -> None:
        """Written down; the evictions themselves are made while waiting, for they may be refused for a while."""
        move.write_down()

    def wait(self, move: Move) -> str:
        """Until nobody is left who has to go. Raises RefusedError for pods that no option allows to be sent off."""
        sent: dict[str | None, Pod] = {}
        try:
            while fates := leaving(move):
                move.notes.rounds += 1
                if move.notes.rounds > ROUNDS:
                    names = ", ".join(f"{fate.pod.metadata.namespace}/{fate.pod.metadata.name}" for fate in fates)
                    raise RefusedError(
                        f"pods come to node {move.name} as fast as they are sent off, now {names}",
                        hint="they tolerate every taint, the fence too: scale their workload down, or keep it off this node, and run again",
                    )
                self._show(move, fates, sent)
                evict.evict(move.reach.writes, fates, self._rounds(move), grace=_grace(move), went=lambda fate: _note(sent, fate))
                wait.gone(
                    [fate.pod for fate in fates],
                    move.pods,
                    move.polling(),
                    surroundings=lambda: surroundings(move),
                    left=lambda pod: move.say(f"{pod.metadata.namespace}/{pod.metadata.name} is gone"),
                )
        finally:
            move.notes.evicted.extend(sent.values())
        count = len(sent)
        return f"{count} pod{'s have' if count != 1 else ' has'} left" if count else "nobody had to leave"

    def _rounds(self, move: Move) -> Polling:
        return move.polling(every=move.timing.retry)

    def _show(self, move: Move, fates: Collection[Fate], sent: Collection[str | None]) -> None:
        for fate in fates:
            if fate.pod.metadata.uid in sent:
                continue
            reason = f" ({fate.reason})" if fate.reason else ""
            move.say(f"{fate.action} {fate.pod.metadata.namespace}/{fate.pod.metadata.name}{reason}")


def leaving(move: Move) -> list[Fate]:
    """Those who go or are waited for, as things stand now."""
    move.guard()
    snapshot = move.fresh(pods=move.pods(), resource_claims=move.reach.claims())
    fates = Subject(snapshot, move.options, move.target, move.clock.now()).fates
    refused = [fate for fate in fates if fate.action is Action.REFUSE]
    if refused:
        words = "; ".join(f"{fate.pod.metadata.namespace}/{fate.pod.metadata.name}: {fate.reason}" for fate in refused)
        raise RefusedError(f"pods came to node {move.name} that may not be sent off: {words}")
    return [fate for fate in fates if fate.action in (Action.EVICT, Action.DELETE, Action.WAIT)]


def _note(sent: dict[str | None, Pod], fate: Fate) -> None:
    sent[fate.pod.metadata.uid] = fate.pod


def _grace(move: Move) -> int | None:
    """kubectl's `--grace-period`: negative is the pod's own."""
    return move.options.grace_period if move.options.grace_period >= 0 else None


def surroundings(move: Move) -> wait.Surroundings:
    """What explains pods that hang: the node's kubelet, and claims whose driver is gone."""
    here = {each.spec.driver for each in move.reach.slices_on(move.name)}
    drivers: dict[tuple[str, str], set[str]] = {}
    for claim in move.reach.claims():
        allocation = claim.status.allocation
        results: Iterable[str] = (each.driver for each in (allocation.devices.results or ()) if allocation) if allocation else ()
        drivers[claim.metadata.namespace or "", claim.metadata.name] = set(results)

    def drivers_of(pod: Pod) -> Collection[str]:
        namespace = pod.metadata.namespace or ""
        return {driver for name in claims_of(pod) for driver in drivers.get((namespace, name), ())}

    return wait.Surroundings(move.clock.now(), move.reach.node(move.name), here, drivers_of)
