"""What preflight checks judge: one reading and the target, and what several checks need computed once."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cached_property

import msgspec

from kubectl_dra.allocation.node_fit import Misfit, NodeMisfit, misfits
from kubectl_dra.audit.case import Case
from kubectl_dra.eviction.filters import Action, Drain, Fate, PodName, fates, pod_name
from kubectl_dra.inventory.owners import Owner, Owners
from kubectl_dra.migration.facts import NOTHING_KNOWN, Facts
from kubectl_dra.migration.journal import Journal
from kubectl_dra.migration.marks import FENCE, is_ours
from kubectl_dra.migration.names import Direction, StepName, StepState
from kubectl_dra.migration.options import Options
from kubectl_dra.migration.profile import Action as ProfileAction
from kubectl_dra.migration.profile import Part, RemoveLabel, SetLabel
from kubectl_dra.migration.target import Target, holders
from kubectl_dra.objects.meta import ObjectMeta
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.pod import Pod, PodTemplateSpec
from kubectl_dra.objects.snapshot import Snapshot
from kubectl_dra.objects.workload import Workload


class Subject:
    """One node about to move, or to go back. Everything that it tells is computed when it is first asked for."""

    def __init__(self, snapshot: Snapshot, options: Options, target: Target, now: datetime, facts: Facts = NOTHING_KNOWN) -> None:
        """Take the reading, what was asked for and decided, the time, and what was found out besides."""
        self.snapshot = snapshot
        self.options = options
        self.target = target
        self.now = now
        self.facts = facts
        self.case = Case(snapshot)

    @property
    def node(self) -> Node:
        """The node as it was read."""
        return self.target.node

    @property
    def back(self) -> bool:
        """Whether this is the way back."""
        return self.target.direction is Direction.ROLLBACK

    # pods of the node

    @cached_property
    def pods(self) -> tuple[Pod, ...]:
        """The pods bound to the node, ended ones too, by namespace and name."""
        return tuple(sorted((pod for pod in self.snapshot.pods if pod.node_name == self.target.name), key=pod_name))

    @cached_property
    def holders(self) -> frozenset[PodName]:
        """The pods that hold what is taken from the node."""
        return frozenset(map(pod_name, holders(self.target, self.snapshot)))

    @cached_property
    def fates(self) -> tuple[Fate, ...]:
        """What a drain would do with each pod of the node."""
        drain = Drain(self.options.drain, self.now, self.snapshot.daemon_sets, self.holders, self.answered_for)
        return fates(self.pods, drain)

    def answered_for(self, pod: Pod) -> str:
        """The reason for pods that a move does not drain because another step answers for them; empty for all others."""
        return answered_for(self.target, pod)

    @property
    def drained(self) -> bool:
        """Whether an earlier run of this direction has drained the node: the pods that are here now have come since, through its gate.

        Those that hold what they must not are found by the run itself, which then goes back to the drain.
        """
        journal = self.target.journal
        if not isinstance(journal, Journal) or journal.direction is not self.target.direction:
            return False
        return journal.finished or journal.state(StepName.DRAIN) is StepState.DONE

    @property
    def unplugged(self) -> bool:
        """Whether a move that is not finished has taken the plugin away, or may have."""
        journal = self.target.open_journal
        if journal is None or self.back or journal.direction is not Direction.MOVE:
            return False
        return journal.state(StepName.UNPLUG) is not StepState.PENDING

    @cached_property
    def to_drain(self) -> tuple[Fate, ...]:
        """The fates that are still to come."""
        return () if self.drained or self.options.verify else self.fates

    @cached_property
    def leaving(self) -> tuple[Pod, ...]:
        """The pods that the drain will evict or delete."""
        return tuple(fate.pod for fate in self.to_drain if fate.action in (Action.EVICT, Action.DELETE))

    def owner(self, pod: Pod) -> Owner:
        """The top of a pod's chain of owners."""
        return self._owners.top_of(pod)

    @cached_property
    def _owners(self) -> Owners:
        return Owners(self.snapshot)

    # labels and DaemonSets

    @cached_property
    def labels_after_plugin(self) -> Node:
        """The node with the labels that make the plugin leave (on the way back: come)."""
        change = self.target.profile.unplug
        return with_labels(self.node, change.undo if self.back else change.do)

    @cached_property
    def labels_after_driver(self) -> Node:
        """The node with the labels that bring the driver (on the way back: make it leave)."""
        change = self.target.profile.plug
        return with_labels(self.node, change.undo if self.back else change.do)

    def daemon_sets_of(self, part: Part) -> tuple[Workload, ...]:
        """The DaemonSets that make the pods of the plugin or driver."""
        return tuple(each for each in self.snapshot.daemon_sets if any(marks.fits(would_make(each)) for marks in part.pods))


def answered_for(target: Target, pod: Pod) -> str:
    """The reason for pods of the node that no drain takes: the plugin's and the driver's own, and those that the profile leaves alone."""
    for part, what in ((target.profile.plugin, "the device plugin"), (target.profile.driver, "the DRA driver")):
        if any(marks.fits(pod) for marks in part.pods):
            return f"{what} itself"
    if is_ours(pod.metadata.name, pod.metadata.labels, target.name):
        return "the canary of an earlier run, which this one deletes"
    return next((each.why for each in target.profile.ignore if each.pods.fits(pod)), "")


def with_labels(node: Node, actions: Iterable[ProfileAction]) -> Node:
    """The node as it is after these actions; only those on labels can be foreseen."""
    labels: dict[str, str] = {**(node.metadata.labels or {})}
    for action in actions:
        match action:
            case SetLabel(key, value):
                labels[key] = value
            case RemoveLabel(key):
                labels.pop(key, None)
    return msgspec.structs.replace(node, metadata=msgspec.structs.replace(node.metadata, labels=labels))


def would_make(daemon_set: Workload) -> Pod:
    """A pod as the DaemonSet makes it, on no node."""
    template = daemon_set.spec.template or PodTemplateSpec()
    meta = ObjectMeta(f"{daemon_set.metadata.name}-00000", daemon_set.metadata.namespace, labels=template.metadata.labels)
    return Pod(meta, template.spec)


_TOLERATED_BY_DAEMON_SETS = "node.kubernetes.io/"
"""Their controller adds tolerations for the taints of the node's state (kubernetes pkg/controller/daemon/util/daemonset_util.go)."""


def against_daemon_pod(daemon_set: Workload, node: Node) -> tuple[NodeMisfit, ...]:
    """Why the DaemonSet has no pod on the node: a selector, an affinity, a taint. Empty when it has one.

    The fence of an earlier run does not count: it is lifted before plugin or driver comes.
    """
    taints = tuple(taint for taint in node.spec.taints or () if not taint.key.startswith(_TOLERATED_BY_DAEMON_SETS) and taint.key != FENCE)
    open_node = msgspec.structs.replace(node, spec=msgspec.structs.replace(node.spec, unschedulable=None, taints=taints or None))
    found = misfits(would_make(daemon_set), open_node, ())
    return tuple(each for each in found if each.misfit in (Misfit.AFFINITY, Misfit.TAINTED))


def asked_by_users(subject: Subject, names: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """Names among these, and who asks for each, as people say it."""
    wanted = set(names)
    return {name: tuple(map(str, refs)) for name, refs in subject.case.users_by_name.items() if name in wanted}
