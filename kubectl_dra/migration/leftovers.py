"""What runs have left in a cluster and no run holds any more. Pure: a reading in; `clean` removes them."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from enum import StrEnum

import msgspec

from kubectl_dra.migration.document import Holder
from kubectl_dra.migration.journal import Journal, of_node
from kubectl_dra.migration.marks import FENCE, LOCK_NAMESPACE, NODE_LABEL, node_hash
from kubectl_dra.objects.meta import ObjectMeta, timestamp
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.policy import Lease
from kubectl_dra.objects.snapshot import Snapshot
from kubectl_dra.taint_rules.rule import PREVIEW_LABEL, Effect

PREVIEW_SECONDS = 600
"""After so long nobody waits for the answer of a preview any more."""

_LOCK = "kubectl-dra-"


class LeftKind(StrEnum):
    """What it is."""

    RULE = "DeviceTaintRule"
    NAMESPACE = "Namespace"
    POD = "Pod"
    LEASE = "Lease"
    TAINT = "taint"
    """The fence on a node; its name is the node's."""
    JOURNAL = "journal"
    """A journal that cannot be read or is of an earlier node; its name is the node's."""


class Leftover(msgspec.Struct, frozen=True, order=True):
    """One thing. `uid` is that of the object (of the node, for a taint or a journal): nothing made anew since is touched."""

    kind: LeftKind
    namespace: str
    name: str
    uid: str

    def __str__(self) -> str:
        """As people say it."""
        match self.kind:
            case LeftKind.TAINT:
                return f"taint {FENCE} on node {self.name}"
            case LeftKind.JOURNAL:
                return f"journal on node {self.name}"
            case _:
                return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else f"{self.kind} {self.name}"


class Traces:
    """What runs have left in one reading, in use or not, by the hashes of the nodes' names."""

    def __init__(self, snapshot: Snapshot, now: datetime) -> None:
        """Take the reading and the time."""
        self._now = now
        self._made: dict[str, list[Leftover]] = {}
        self.locks = {each.metadata.name.removeprefix(_LOCK): each for each in snapshot.leases if each.metadata.name.startswith(_LOCK)}
        readings: tuple[tuple[LeftKind, Iterable[object]], ...] = (
            (LeftKind.RULE, snapshot.device_taint_rules),
            (LeftKind.NAMESPACE, snapshot.namespaces),
            (LeftKind.POD, snapshot.pods),
        )
        for kind, reading in readings:
            for meta in _metas(reading):
                of_node_ = (meta.labels or {}).get(NODE_LABEL)
                if of_node_ is not None and meta.deletion_timestamp is None:
                    self._made.setdefault(of_node_, []).append(Leftover(kind, meta.namespace or "", meta.name, meta.uid or ""))
        self.previews = tuple(sorted(self._previews(snapshot)))

    @property
    def hashes(self) -> frozenset[str]:
        """The nodes that something is left for beside what stands on them."""
        return frozenset((*self._made, *self.locks))

    def made(self, node: str) -> tuple[Leftover, ...]:
        """Objects that were made for the node of that hash."""
        return tuple(sorted(self._made.get(node, ())))

    def holder(self, node: str) -> Holder | None:
        """Who holds the lock of the node of that hash; None where there is none."""
        lease = self.locks.get(node)
        if lease is None:
            return None
        renewed = timestamp(lease.spec.renew_time)
        expired = renewed is None or (self._now - renewed).total_seconds() > (lease.spec.lease_duration_seconds or 0)
        return Holder(lease.spec.holder_identity or "", lease.spec.renew_time or "", expired)

    def left_for(self, node: str) -> tuple[Leftover, ...]:
        """What is left for the node of that hash when no run holds it; nothing while one does."""
        holder = self.holder(node)
        if holder is not None and not holder.expired:
            return ()
        lease = self.locks.get(node)
        return (*self.made(node), *((_lease(lease),) if lease is not None else ()))

    def left(self, node: Node) -> tuple[Leftover, ...]:
        """What is left on and for the node; nothing while a run holds it, or a journal tells how to go on."""
        name, journal = node.metadata.name, of_node(node)
        holder = self.holder(node_hash(name))
        if holder is not None and not holder.expired:
            return ()
        strange = isinstance(journal, str) or (isinstance(journal, Journal) and journal.node_uid != node.metadata.uid)
        if isinstance(journal, Journal) and not strange and not journal.finished:
            return ()
        uid = node.metadata.uid or ""
        found = [*self.left_for(node_hash(name))]
        found += [Leftover(LeftKind.TAINT, "", name, uid)] if fenced(node) else []
        found += [Leftover(LeftKind.JOURNAL, "", name, uid)] if strange else []
        return tuple(sorted(found))

    def _previews(self, snapshot: Snapshot) -> Iterator[Leftover]:
        for rule in snapshot.device_taint_rules:
            made = timestamp(rule.metadata.creation_timestamp)
            preview = PREVIEW_LABEL in (rule.metadata.labels or {}) and rule.spec.taint.effect == Effect.NONE
            if preview and made is not None and (self._now - made).total_seconds() > PREVIEW_SECONDS:
                yield Leftover(LeftKind.RULE, "", rule.metadata.name, rule.metadata.uid or "")


def leftovers(snapshot: Snapshot, now: datetime, node: str = "") -> tuple[Leftover, ...]:
    """All of it; with `node`, what belongs to that one alone."""
    traces = Traces(snapshot, now)
    nodes = [each for each in snapshot.nodes if not node or each.metadata.name == node]
    found = [left for each in nodes for left in traces.left(each)]
    if node:
        return tuple(found if nodes else traces.left_for(node_hash(node)))
    there = {node_hash(each.metadata.name) for each in nodes}
    gone = sorted(traces.hashes - there) if snapshot.nodes.known else []
    return (*found, *(left for each in gone for left in traces.left_for(each)), *traces.previews)


def fenced(node: Node) -> bool:
    """Whether the node has a fence of any run."""
    return any(taint.key == FENCE for taint in node.spec.taints or ())


def _lease(lease: Lease) -> Leftover:
    return Leftover(LeftKind.LEASE, lease.metadata.namespace or LOCK_NAMESPACE, lease.metadata.name, lease.metadata.uid or "")


def _metas(reading: Iterable[object]) -> Iterator[ObjectMeta]:
    for each in reading:
        meta = getattr(each, "metadata", None)
        if isinstance(meta, ObjectMeta):
            yield meta
