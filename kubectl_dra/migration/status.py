"""Where nodes stand: from the journals on them, fences, locks, and rules of this tool. Pure: a reading in, a document out."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from kubectl_dra.audit.missing import gaps, in_words
from kubectl_dra.errors import UsageError
from kubectl_dra.migration.document import Holder, MigrationStatus, NodeStatus
from kubectl_dra.migration.journal import Journal, of_node
from kubectl_dra.migration.marks import FENCE, NODE_LABEL, lock_name, node_hash
from kubectl_dra.migration.names import Direction, Phase
from kubectl_dra.objects.meta import ObjectMeta, timestamp
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.policy import Lease
from kubectl_dra.objects.snapshot import Snapshot

LOOKED_AT = ("nodes", "leases", "device_taint_rules", "namespaces", "pods")
"""Where a run leaves something."""


def status(snapshot: Snapshot, now: datetime, node: str = "") -> MigrationStatus:
    """Every node on which a run has left something; with `node`, that one in any case. Raises UsageError for one that does not exist."""
    looked = Looked(snapshot, now)
    missing = gaps(snapshot, LOOKED_AT)
    unknown = (in_words(missing, "migrate-node"),) if missing else ()
    if node:
        found = next((each for each in snapshot.nodes if each.metadata.name == node), None)
        if found is None and not looked.of_gone(node):
            raise UsageError(f'there is no node "{node}"', hint="`kubectl dra migrate-node --status` lists those that a run has touched.")
        return MigrationStatus(items=(looked.node(found) if found is not None else looked.gone(node),), unknown=unknown)
    items = [looked.node(each) for each in snapshot.nodes if looked.touched(each)]
    return MigrationStatus(items=tuple(sorted((*items, *looked.lost()), key=lambda item: item.node)), unknown=unknown)


class Looked:
    """What runs have left in one reading, by the nodes' hashes."""

    def __init__(self, snapshot: Snapshot, now: datetime) -> None:
        """Take the reading and the time."""
        self._snapshot = snapshot
        self._now = now
        self._locks = {each.metadata.name: each for each in snapshot.leases if each.metadata.name.startswith("kubectl-dra-")}
        self._made: dict[str, list[str]] = {}
        self._rules: dict[str, list[str]] = {}
        for kind, reading in (("DeviceTaintRule", snapshot.device_taint_rules), ("Namespace", snapshot.namespaces), ("Pod", snapshot.pods)):
            for meta in metas(reading):
                label = (meta.labels or {}).get(NODE_LABEL)
                if label is not None:
                    name = f"{meta.namespace}/{meta.name}" if meta.namespace else meta.name
                    self._made.setdefault(label, []).append(f"{kind} {name}")
                    if kind == "DeviceTaintRule":
                        self._rules.setdefault(label, []).append(meta.name)

    def touched(self, node: Node) -> bool:
        """Whether a run has left anything on or for the node."""
        name = node.metadata.name
        return of_node(node) is not None or fenced(node) or lock_name(name) in self._locks or node_hash(name) in self._made

    def node(self, node: Node) -> NodeStatus:
        """Where one node stands."""
        name = node.metadata.name
        journal = of_node(node)
        readable = journal if isinstance(journal, Journal) else None
        phase = phase_of(readable)
        lock = self._holder(self._locks.get(lock_name(name)))
        last = readable.last if readable else None
        return NodeStatus(
            node=name,
            phase=phase,
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
            rules=tuple(self._rules.get(node_hash(name), ())),
            leftovers=() if phase in (Phase.MOVING, Phase.RETURNING) or _alive(lock) else self._leftovers(node, lock),
            message=_message(node, journal, lock),
            next=_next(name, readable, lock, left=bool(self._leftovers(node, lock)), unreadable=isinstance(journal, str)),
        )

    def of_gone(self, node: str) -> bool:
        """Whether a run has left something for a node that is there no more."""
        return lock_name(node) in self._locks or node_hash(node) in self._made

    def gone(self, node: str) -> NodeStatus:
        """A node that is there no more."""
        left = self._made.get(node_hash(node), [])
        lock = self._holder(self._locks.get(lock_name(node)))
        lease = (f"Lease kube-system/{lock_name(node)}",) if lock is not None and lock.expired else ()
        return NodeStatus(
            node=node,
            phase=Phase.NONE,
            lock=lock,
            rules=tuple(self._rules.get(node_hash(node), ())),
            leftovers=(*left, *lease),
            message="the node is gone",
            next=f"kubectl dra migrate-node {node} --status --clean",
        )

    def lost(self) -> Iterator[NodeStatus]:
        """What belongs to no node that is there: of deleted nodes only the hash of the name is known."""
        hashes = {node_hash(each.metadata.name) for each in self._snapshot.nodes}
        marked = {lock.removeprefix("kubectl-dra-") for lock in self._locks} | set(self._made)
        if not self._snapshot.nodes.known:
            return
        for each in sorted(marked - hashes):
            lock = self._holder(self._locks.get(f"kubectl-dra-{each}"))
            lease = (f"Lease kube-system/kubectl-dra-{each}",) if lock is not None and lock.expired else ()
            yield NodeStatus(
                node=f"(gone, {each})",
                phase=Phase.NONE,
                lock=lock,
                rules=tuple(self._rules.get(each, ())),
                leftovers=(*self._made.get(each, ()), *lease),
                message="of a node that is there no more",
                next="kubectl dra migrate-node --status --clean",
            )

    def _holder(self, lease: Lease | None) -> Holder | None:
        if lease is None or not lease.spec.holder_identity:
            return None
        renewed = timestamp(lease.spec.renew_time)
        limit = lease.spec.lease_duration_seconds or 0
        expired = renewed is None or (self._now - renewed).total_seconds() > limit
        return Holder(lease.spec.holder_identity, lease.spec.renew_time or "", expired)

    def _leftovers(self, node: Node, lock: Holder | None) -> tuple[str, ...]:
        """Things of a run that nobody holds any more."""
        name = node.metadata.name
        found = [*self._made.get(node_hash(name), ())]
        if fenced(node):
            found.append(f"taint {FENCE}")
        if lock is not None and lock.expired:
            found.append(f"Lease kube-system/{lock_name(name)}")
        if isinstance(of_node(node), str):
            found.append("the journal, which cannot be read")
        return tuple(found)


def metas(reading: Iterable[object]) -> Iterator[ObjectMeta]:
    """The objects' metadata."""
    for each in reading:
        meta = getattr(each, "metadata", None)
        if isinstance(meta, ObjectMeta):
            yield meta


def fenced(node: Node) -> bool:
    """Whether the node has a fence of any run."""
    return any(taint.key == FENCE for taint in node.spec.taints or ())


def phase_of(journal: Journal | None) -> Phase:
    """Where the journal says that the node stands."""
    if journal is None:
        return Phase.NONE
    if journal.direction is Direction.MOVE:
        return Phase.MOVED if journal.finished else Phase.MOVING
    return Phase.RETURNED if journal.finished else Phase.RETURNING


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


def _next(node: str, journal: Journal | None, lock: Holder | None, *, left: bool, unreadable: bool) -> str:
    """The command to go on with."""
    command = f"kubectl dra migrate-node {node}"
    if _alive(lock):
        return ""
    if journal is not None and not journal.finished:
        back = " --rollback" if journal.direction is Direction.ROLLBACK else ""
        return f"{command} --profile {journal.profile}{back} --yes"
    if left or unreadable:
        return f"{command} --status --clean"
    return f"{command} --profile {journal.profile} --verify --yes" if journal is not None and phase_of(journal) is Phase.MOVED else ""
