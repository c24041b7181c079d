"""Where nodes stand: from the journals on them, fences, locks, and rules of this tool. Pure: a reading in, a document out."""

from datetime import datetime

from kubectl_dra.audit.missing import gaps, in_words
from kubectl_dra.errors import UsageError
from kubectl_dra.migration.document import Holder, MigrationStatus, NodeStatus
from kubectl_dra.migration.journal import Journal, of_node
from kubectl_dra.migration.leftovers import LeftKind, Leftover, Traces, fenced
from kubectl_dra.migration.marks import node_hash
from kubectl_dra.migration.names import Direction, Phase
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.snapshot import Snapshot

LOOKED_AT = ("nodes", "leases", "device_taint_rules", "namespaces", "pods")
"""Where a run leaves something."""


def status(snapshot: Snapshot, now: datetime, node: str = "") -> MigrationStatus:
    """Every node on which a run has left something; with `node`, that one in any case. Raises UsageError for one that does not exist."""
    traces = Traces(snapshot, now)
    missing = gaps(snapshot, LOOKED_AT)
    unknown = (in_words(missing, "migrate-node"),) if missing else ()
    if node:
        found = next((each for each in snapshot.nodes if each.metadata.name == node), None)
        if found is None and node_hash(node) not in traces.hashes:
            raise UsageError(f'there is no node "{node}"', hint="`kubectl dra migrate-node --status` lists those that a run has touched.")
        return MigrationStatus(items=(of(found, traces) if found is not None else _gone(node, node_hash(node), traces),), unknown=unknown)
    items = [of(each, traces) for each in snapshot.nodes if _touched(each, traces)]
    if snapshot.nodes.known:
        there = {node_hash(each.metadata.name) for each in snapshot.nodes}
        items += [_gone(f"(gone: {each})", each, traces) for each in traces.hashes - there]
    previews = tuple(map(str, traces.previews))
    return MigrationStatus(items=tuple(sorted(items, key=lambda item: item.node)), leftovers=previews, unknown=unknown)


def of(node: Node, traces: Traces) -> NodeStatus:
    """Where one node stands."""
    name, journal = node.metadata.name, of_node(node)
    readable = journal if isinstance(journal, Journal) else None
    lock, left = traces.holder(node_hash(name)), traces.left(node)
    last = readable.last if readable else None
    return NodeStatus(
        node=name,
        phase=phase_of(readable),
        direction=readable.direction if readable else Direction.MOVE,
        id=readable.id if readable else "",
        profile=readable.profile if readable else "",
        resources=readable.resources if readable else (),
        step=last.step if last else None,
        state=last.state if last else None,
        since=last.at if last else None,
        cordoned=node.cordoned,
        fenced=fenced(node),
        lock=lock,
        rules=_rules(traces.made(node_hash(name))),
        leftovers=tuple(map(str, left)),
        message=_message(node, journal, lock),
        next=_next(name, readable, lock, left),
    )


def phase_of(journal: Journal | None) -> Phase:
    """Where the journal says that the node stands."""
    if journal is None:
        return Phase.NONE
    if journal.direction is Direction.MOVE:
        return Phase.MOVED if journal.finished else Phase.MOVING
    return Phase.RETURNED if journal.finished else Phase.RETURNING


def _touched(node: Node, traces: Traces) -> bool:
    """Whether a run has left anything on or for the node."""
    return of_node(node) is not None or fenced(node) or node_hash(node.metadata.name) in traces.hashes


def _gone(name: str, hash_: str, traces: Traces) -> NodeStatus:
    """A node that is there no more; of one that nobody named, only the hash of the name is known."""
    left, lock = traces.left_for(hash_), traces.holder(hash_)
    return NodeStatus(
        node=name,
        phase=Phase.NONE,
        lock=lock,
        rules=_rules(traces.made(hash_)),
        leftovers=tuple(map(str, left)),
        message="the node is there no more",
        next="kubectl dra migrate-node --status --clean" if left else "",
    )


def _rules(made: tuple[Leftover, ...]) -> tuple[str, ...]:
    return tuple(each.name for each in made if each.kind is LeftKind.RULE)


def _alive(lock: Holder | None) -> bool:
    return lock is not None and not lock.expired


def _message(node: Node, journal: Journal | str | None, lock: Holder | None) -> str:
    if isinstance(journal, str):
        return f"the journal cannot be read: {journal}"
    if journal is None:
        return "no journal"
    if journal.node_uid != node.metadata.uid:
        return "the journal is that of an earlier node of this name"
    last = journal.last
    where = f"{last.step} {last.state}{f': {last.message}' if last.message else ''}" if last else "nothing done yet"
    if journal.finished:
        return "finished"
    return f"a run is at work: {where}" if _alive(lock) else f"stopped: {where}"


def _next(node: str, journal: Journal | None, lock: Holder | None, left: tuple[Leftover, ...]) -> str:
    """The command to go on with."""
    command = f"kubectl dra migrate-node {node}"
    if _alive(lock):
        return ""
    if left:
        return f"{command} --status --clean"
    if journal is None:
        return ""
    if not journal.finished:
        back = " --rollback" if journal.direction is Direction.ROLLBACK else ""
        return f"{command} --profile {journal.profile}{back} --yes"
    return f"{command} --profile {journal.profile} --verify --yes" if journal.direction is Direction.MOVE else ""
