"""The end of a run that came through: an event, a short journal, nothing left behind."""

from collections.abc import Mapping
from http import HTTPStatus

import msgspec

from kubectl_dra.cluster.writes import Written
from kubectl_dra.errors import ApiError
from kubectl_dra.eviction.evict import listed
from kubectl_dra.eviction.wait import successors
from kubectl_dra.migration import canary_run
from kubectl_dra.migration.holding import held_claims
from kubectl_dra.migration.journal import Journal
from kubectl_dra.migration.marks import AUTOSCALERS
from kubectl_dra.migration.move import Move
from kubectl_dra.migration.steps.work import Work
from kubectl_dra.migration.target import slices_of
from kubectl_dra.objects.pod import Pod

EVENTS = "/api/v1/namespaces/default/events"
"""Where events about what has no namespace are."""


class Close(Work):
    """The lock is the runner's to release."""

    def do(self, move: Move) -> None:
        """Namespace, event, and in one write the journal and the annotations."""
        canary_run.namespace_gone(move)
        if move.options.verify:
            return
        if move.options.until is not None or move.options.only is not None:
            return
        self._event(move)
        now = move.written
        move.journal.now = msgspec.structs.replace(now, finished=True, changed=(), done=())
        move.journal.flush(annotations_before(now))

    def wait(self, move: Move) -> str:
        """What to know from now on."""
        move.notes.summary.extend(_successors(move))
        if move.options.verify:
            return "verified"
        if not move.back:
            move.notes.summary.append(_devices(move))
            move.notes.summary.append("kubectl describe node shows 0 from now on: `kubectl dra inventory --by node` shows the devices")
        return "the node is back on the plugin" if move.back else "the node is moved"

    def _event(self, move: Move) -> None:
        """Its name is of this journal, so that one that was written already is no second one."""
        moment = move.at()
        names = ", ".join(sorted(move.names))
        words = f"{names}: back from DRA to the device plugin" if move.back else f"{names}: moved from the device plugin to DRA"
        event = {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": f"kubectl-dra-{move.id}-{move.target.direction}", "namespace": "default"},
            # kubelets give a node's name for its uid, and kubectl describe node looks for that (kubectl pkg/describe/describe.go)
            "involvedObject": {"apiVersion": "v1", "kind": "Node", "name": move.name, "uid": move.name},
            "reason": "MovedToDevicePlugin" if move.back else "MovedToDRA",
            "message": f"{words} (kubectl dra migrate-node, {move.id})",
            "type": "Normal",
            "source": {"component": "kubectl-dra"},
            "firstTimestamp": moment,
            "lastTimestamp": moment,
            "count": 1,
        }
        try:
            move.reach.insist(lambda: move.reach.writes.create(EVENTS, event, Written))
        except ApiError as error:
            if error.code != HTTPStatus.CONFLICT:
                raise


def annotations_before(journal: Journal) -> Mapping[str, str | None]:
    """The autoscalers' annotations as they were. A journal is not trusted: of other annotations it has nothing to say."""
    before = journal.before.annotations
    return {key: before[key] for key in AUTOSCALERS if key in before and f"annotation {key}" in journal.changed}


def _devices(move: Move) -> str:
    """How many there are here now, and how many of them claims have."""
    published = slices_of(move.reach.slices_on(move.name), move.name, move.target.drivers)
    count = sum(len(each.devices or ()) for each in (one.spec for one in published))
    pools = {(each.spec.driver, each.spec.pool.name) for each in published}
    used = sum(each.devices for each in held_claims(move.reach.claims(), move.target.drivers, pools, move.name))
    return f"{count} devices of {', '.join(move.target.drivers)} here: {used} in use, {count - used} free"


def _successors(move: Move) -> list[str]:
    """Where the pods that were sent off run now."""
    evicted = move.notes.evicted
    if not evicted:
        return []
    present = move.reach.items("/api/v1/pods", Pod)
    found = successors(evicted, present)
    lines = []
    for pod in evicted:
        new = found.get(pod.metadata.uid or "")
        name = f"{pod.metadata.namespace}/{pod.metadata.name}"
        if new is None:
            lines.append(f"{name}: nothing has made it again")
        else:
            there = f"on {new.node_name}" if new.node_name else "waits"
            lines.append(f"{name}: {new.metadata.namespace}/{new.metadata.name} {there}")
    count = len(evicted)
    return [f"{count} pod{'s' if count != 1 else ''} left: {listed(lines)}"]
