"""The node itself: its state, system, kubelet, and what an earlier run left there."""

from collections.abc import Iterator, Mapping

from kubectl_dra.audit.words import listed
from kubectl_dra.inventory.servers import amount
from kubectl_dra.knowledge.faults import fault
from kubectl_dra.migration.journal import Journal
from kubectl_dra.migration.names import Direction
from kubectl_dra.migration.preflight.registry import MOVE, Verdict, blocker, check, fine, unknown, warning
from kubectl_dra.migration.subject import Subject
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.snapshot import Version

OLDEST_KUBELET = Version(1, 36)
"""The first kubelet with DRAExtendedResource on by default (kubernetes pkg/features/kube_features.go)."""


@check("node-ready", ok="the node is Ready", needs=("nodes",), blocks=True)
def ready(subject: Subject) -> Iterator[Verdict]:
    """Pods on a node that does not answer never vanish (kubernetes/kubernetes#85577)."""
    state = next((each for each in subject.node.status.conditions or () if each.type == "Ready"), None)
    if state is None:
        yield unknown("the node does not say whether it is Ready", blocks=True)
    elif state.status != "True":
        why = f" ({state.reason}: {state.message})" if state.message else ""
        yield blocker(f"the node is not Ready: {state.status}{why}; evicted pods would never vanish")


@check("node-system", ok="a Linux node", needs=("nodes",), blocks=True, directions=MOVE)
def system(subject: Subject) -> Iterator[Verdict]:
    """DRA does not work on Windows (kubernetes/kubernetes#141841)."""
    if _system(subject.node) == "windows":
        yield blocker("a Windows node: DRA does not work there (kubernetes/kubernetes#141841)")


def _system(node: Node) -> str:
    told = node.status.node_info.operating_system if node.status.node_info else None
    return told or (node.metadata.labels or {}).get("kubernetes.io/os", "")


@check("kubelet", ok="the kubelet serves extended resources through DRA", needs=("nodes",), blocks=True, directions=MOVE)
def kubelet(subject: Subject) -> Iterator[Verdict]:
    """Older kubelets start containers without their device, or lock up."""
    told = subject.node.kubelet_version
    version = Version.of(told)
    deadlock = fault("kubelet-deadlock")
    if version is None:
        yield unknown(f'the kubelet\'s version is not known ("{told}")', blocks=True)
    elif version < OLDEST_KUBELET:
        locks = "; it also stops preparing devices after 30 idle minutes" if deadlock.affects(version) else ""
        yield blocker(f"kubelet {told}: below 1.36 extended resources through DRA are off by default, and containers start without{locks}")


@check("feature-gate", ok="the cluster serves extended resources through DRA", directions=MOVE)
def gate(subject: Subject) -> Iterator[Verdict]:
    """The scheduler's side of the same gate."""
    on = subject.case.extended_resources_on
    if on is False:
        yield blocker("the feature gate DRAExtendedResource is off in this cluster: classes map nothing")
    elif on is None:
        yield unknown("whether the feature gate DRAExtendedResource is on could not be told (needs get on /metrics)")


@check("resources", ok="the device plugin serves these names here", needs=("nodes",), blocks=True, directions=MOVE)
def resources(subject: Subject) -> Iterator[Verdict]:
    """There has to be something to move."""
    node, target = subject.node, subject.target
    if not target.moving:
        of = listed(target.profile.resources) if target.profile.resources else "a plugin"
        named = "; --resource names what DRA serves here" if subject.options.verify else ""
        yield blocker(f"nothing to {'prove' if subject.options.verify else 'move'}: the node has no devices of {of}{named}")
    if subject.options.verify:
        return
    for each in target.moving:
        capacity, allocatable = amount(node.status.capacity, each.name), amount(node.status.allocatable, each.name)
        if target.open_journal is not None or _moved(subject):
            continue  # 0 is what an earlier run has brought about
        if not capacity:
            yield blocker(f"the node has no {each.name}")
        elif not allocatable:
            yield blocker(
                f"the node has {capacity} {each.name} and offers none: the plugin left less than five minutes ago, or all its devices are"
                " unhealthy; a node that was moved by hand is proved with --verify"
            )
        elif allocatable < capacity:
            yield warning(f"{capacity - allocatable} of {capacity} {each.name} are unhealthy: DRA may publish as many fewer")


def _moved(subject: Subject) -> bool:
    journal = subject.target.journal
    return isinstance(journal, Journal) and journal.finished and journal.direction is Direction.MOVE


@check("journal", ok="no other run has left anything here", needs=("nodes",), blocks=True)
def journal(subject: Subject) -> Iterator[Verdict]:
    """A run goes on where its own journal says, and never over somebody else's."""
    found, target, node = subject.target.journal, subject.target, subject.node
    if found is None:
        return
    if isinstance(found, str):
        yield blocker(f"the journal on the node cannot be read: {found}; --status --clean removes it once the node is as it should be")
    elif found.node_uid != node.metadata.uid:
        yield blocker("the journal on the node is another node's: this one was made anew since; --status --clean removes it")
    elif found.profile != target.profile.name and not found.finished:
        yield blocker(f"a run with profile {found.profile} is not finished here: go on with that one")
    elif subject.options.verify:
        if found.direction is not Direction.MOVE or not found.finished:
            yield blocker("the node is not moved: --verify proves a move that was finished")
    elif found.finished:
        if found.direction is target.direction:
            what = "moved" if target.direction is Direction.MOVE else "brought back"
            yield warning(f"the node was {what} already (journal {found.id}); --verify proves it again")
    elif found.direction is Direction.ROLLBACK and target.direction is Direction.MOVE:
        yield blocker("the node is on its way back: finish that first (--rollback)")
    else:
        where = f" at {found.last.step}" if found.last else ""
        yield fine(f"goes on with journal {found.id}{where}")


@check("cordoned", ok="the node is open, and will be open again", needs=("nodes",))
def cordoned(subject: Subject) -> Iterator[Verdict]:
    """A node that somebody cordoned stays so."""
    if subject.node.cordoned and subject.target.open_journal is None:
        yield warning("the node is cordoned already: it stays so at the end")


@check("autoscaler", ok="no autoscaler is known to look after the node", needs=("nodes", "pods"))
def autoscaler(subject: Subject) -> Iterator[Verdict]:
    """Who may take the node away in the middle, or replace it by one on the plugin."""
    labels = subject.node.metadata.labels or {}
    pool = next((key for key in _POOL_LABELS if key in labels), None)
    if pool is not None:
        yield warning(
            f"{pool}={labels[pool]}: a node that replaces this one comes back on the plugin, unless its pool's template has the labels"
        )
    scalers = sorted({str(app) for pod in subject.snapshot.pods if not pod.finished and (app := _scaler(pod.metadata.labels or {}))})
    if scalers:
        yield warning(f"{listed(scalers)} runs: pods that wait meanwhile may make it add nodes; this node is marked as not to be removed")


_POOL_LABELS = (
    "karpenter.sh/nodepool",
    "cloud.google.com/gke-nodepool",
    "eks.amazonaws.com/nodegroup",
    "kubernetes.azure.com/agentpool",
    "node.cluster.x-k8s.io/owner-name",
)
_SCALERS = frozenset({"cluster-autoscaler", "karpenter"})


def _scaler(labels: Mapping[str, str]) -> str:
    """The autoscaler whose pod has these labels; empty for all others."""
    names = (labels.get("app.kubernetes.io/name", ""), labels.get("app", ""), labels.get("k8s-app", ""))
    return next((scaler for name in names for scaler in _SCALERS if scaler in name), "")


@check("five-minutes", ok="", directions=MOVE)
def five_minutes(subject: Subject) -> Iterator[Verdict]:
    """What makes a move take that long."""
    version = Version.of(subject.node.kubelet_version)
    if subject.options.accept_allocatable_zero:
        yield warning(
            "--accept-allocatable-zero: the canary runs while the kubelet still remembers the plugin's capacity; what happens after"
            " its five minutes is not seen"
        )
    else:
        yield warning("a kubelet keeps the capacity of a plugin that is gone for five minutes: step settle waits for that")
    affects = fault("plugin-remembered").affects(version)
    if affects and subject.facts.topology_manager not in (None, "", "none"):
        yield fine(f"topology manager policy {subject.facts.topology_manager}: the kubelet forgets plugin pods by itself")


@check("cautions", ok="nothing more to know of this profile", needs=("nodes",))
def cautions(subject: Subject) -> Iterator[Verdict]:
    """What the profile warns of."""
    labels = subject.node.metadata.labels or {}
    for each in subject.target.profile.warnings:
        if not each.node_label or each.node_label in labels:
            yield warning(each.text.strip())
