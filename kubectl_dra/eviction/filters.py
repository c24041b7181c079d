"""Which pods of a node go when it is drained, and why the others do not: a list of small functions, each giving a pod's fate.

Rules, order and options are those of kubectl's drain (k8s.io/kubectl pkg/drain/filters.go): the first filter that keeps a pod decides.
Different on purpose: pods that are finished are left alone, because they hold nothing (kubectl deletes them); and pods that hold what
is about to be taken from the node can be asked for apart.
"""

from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from enum import StrEnum

import msgspec

from kubectl_dra.objects.labels import Selector
from kubectl_dra.objects.meta import timestamp
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.snapshot import KindReading, absent
from kubectl_dra.objects.workload import Workload

PodName = tuple[str, str]
"""Namespace and name."""


class Action(StrEnum):
    """What becomes of a pod."""

    EVICT = "evict"
    """Through policy/v1, which keeps disruption budgets."""
    DELETE = "delete"
    """By a plain DELETE: `--disable-eviction`, and pods of DaemonSets."""
    WAIT = "wait"
    """Nobody touches it; the run waits until it has ended."""
    IGNORE = "ignore"
    """It stays, and that is right."""
    REFUSE = "refuse"
    """It would stay, and must not: nothing is evicted until an option allows it."""


class DrainMode(StrEnum):
    """Who has to leave."""

    EVICT = "evict"
    """All pods, as kubectl's drain has it."""
    HOLDERS = "holders"
    """Only pods that hold what is taken away."""
    WAIT = "wait"
    """Nobody is evicted: holders are waited for."""


class DaemonSetPods(StrEnum):
    """What becomes of a DaemonSet's pods that hold what is taken away."""

    IGNORE = "ignore"
    DELETE = "delete"


class Fate(msgspec.Struct, frozen=True):
    """What becomes of one pod and why. `warns` when people should read the reason although nothing forbids it."""

    pod: Pod
    action: Action
    reason: str = ""
    warns: bool = False


class DrainOptions(msgspec.Struct, frozen=True):
    """The options, with kubectl's names and defaults, and ours: mode, and what becomes of holders in DaemonSets.

    `skip_wait_for_delete_timeout` are seconds after a pod's deletion time; 0 skips nobody.
    """

    ignore_daemonsets: bool = False
    delete_emptydir_data: bool = False
    force: bool = False
    pod_selector: Selector = Selector()
    disable_eviction: bool = False
    skip_wait_for_delete_timeout: int = 0
    mode: DrainMode = DrainMode.EVICT
    daemonset_pods: DaemonSetPods = DaemonSetPods.IGNORE


class Drain(msgspec.Struct, frozen=True):
    """What filters look at beside the pod.

    `holders` hold what is taken away. `ours` gives the reason for pods that somebody else answers for (the plugin's own, the canary),
    empty text for all others.
    """

    options: DrainOptions
    now: datetime
    daemon_sets: KindReading[Workload] = msgspec.field(default_factory=absent)
    holders: Collection[PodName] = ()
    ours: Callable[[Pod], str] = lambda pod: ""


def fates(pods: Iterable[Pod], drain: Drain) -> tuple[Fate, ...]:
    """The fate of every pod, in the order given. `pods` are those bound to the node (or those that were chosen otherwise)."""
    return tuple(_fate(pod, drain) for pod in pods)


def pod_name(pod: Pod) -> PodName:
    """Namespace and name."""
    return pod.metadata.namespace or "", pod.metadata.name


def _fate(pod: Pod, drain: Drain) -> Fate:
    warning = ""
    for each in FILTERS:
        found = each(pod, drain)
        if isinstance(found, Fate):
            return found
        warning = found or warning
    action = Action.DELETE if drain.options.disable_eviction else Action.EVICT
    return Fate(pod, action, warning, warns=bool(warning))


Filter = Callable[[Pod, Drain], "Fate | str"]
"""A fate ends the matter; a text is a warning of a pod that goes; empty text is "no objection"."""


def unselected(pod: Pod, drain: Drain) -> Fate | str:
    """`--pod-selector`: others are not looked at."""
    return "" if drain.options.pod_selector.matches(pod.metadata.labels) else Fate(pod, Action.IGNORE, "--pod-selector leaves it out")


def long_deleted(pod: Pod, drain: Drain) -> Fate | str:
    """`--skip-wait-for-delete-timeout`: its time to end was over so long ago that nobody waits for it."""
    limit = drain.options.skip_wait_for_delete_timeout
    deleted = timestamp(pod.metadata.deletion_timestamp)
    if limit <= 0 or deleted is None:
        return ""
    over = int((drain.now - deleted).total_seconds())
    return Fate(pod, Action.IGNORE, f"should have ended {over} s ago", warns=True) if over > limit else ""


def ours(pod: Pod, drain: Drain) -> Fate | str:
    """Pods that somebody else answers for."""
    reason = drain.ours(pod)
    return Fate(pod, Action.IGNORE, reason) if reason else ""


def finished(pod: Pod, drain: Drain) -> Fate | str:
    """Succeeded and Failed pods hold nothing, and their logs may be wanted."""
    return Fate(pod, Action.IGNORE, f"has ended ({pod.status.phase})") if pod.finished else ""


def of_daemon_set(pod: Pod, drain: Drain) -> Fate | str:
    """A DaemonSet's pod: evicting it is of no use, it comes back. Orphans go with `--force`."""
    controller = pod.metadata.controller
    if controller is None or controller.kind != "DaemonSet" or controller.api_version not in (None, "apps/v1"):
        return ""
    if not drain.daemon_sets.known:
        return Fate(pod, Action.REFUSE, f"whether DaemonSet {controller.name} is still there is not known: {drain.daemon_sets.reason}")
    namespace = pod.metadata.namespace
    there = any(each.metadata.name == controller.name and each.metadata.namespace == namespace for each in drain.daemon_sets)
    if not there:
        gone = f"its DaemonSet {controller.name} is gone"
        return gone if drain.options.force else Fate(pod, Action.REFUSE, f"{gone}: --force deletes it for good")
    if pod_name(pod) in drain.holders and drain.options.daemonset_pods is DaemonSetPods.DELETE:
        return Fate(pod, Action.DELETE, f"of DaemonSet {controller.name}, and holds a device", warns=True)
    if pod_name(pod) in drain.holders:
        return Fate(pod, Action.REFUSE, f"of DaemonSet {controller.name}, and holds a device: --daemonset-pods=delete")
    if not drain.options.ignore_daemonsets:
        return Fate(pod, Action.REFUSE, f"of DaemonSet {controller.name}: --ignore-daemonsets leaves it")
    return Fate(pod, Action.IGNORE, f"of DaemonSet {controller.name}")


def mirror(pod: Pod, drain: Drain) -> Fate | str:
    """A static pod: the API server only mirrors it, and its node starts it again."""
    if not pod.mirror:
        return ""
    if pod_name(pod) in drain.holders:
        return Fate(pod, Action.REFUSE, "a static pod that holds a device: take its manifest off the node")
    return Fate(pod, Action.IGNORE, "a static pod")


def by_mode(pod: Pod, drain: Drain) -> Fate | str:
    """`--drain=holders` and `--drain=wait` leave everybody else alone."""
    match drain.options.mode:
        case DrainMode.EVICT:
            return ""
        case DrainMode.HOLDERS:
            return "" if pod_name(pod) in drain.holders else Fate(pod, Action.IGNORE, "holds no device")
        case DrainMode.WAIT:
            if pod_name(pod) in drain.holders:
                return Fate(pod, Action.WAIT, "holds a device: it is waited for until it ends")
            return Fate(pod, Action.IGNORE, "holds no device")


def local_storage(pod: Pod, drain: Drain) -> Fate | str:
    """An emptyDir's data goes with its pod."""
    if not any(volume.empty_dir is not None for volume in pod.spec.volumes or ()):
        return ""
    if drain.options.delete_emptydir_data:
        return "the data in its emptyDir goes with it"
    return Fate(pod, Action.REFUSE, "the data in its emptyDir would go with it: --delete-emptydir-data allows it")


def unmanaged(pod: Pod, drain: Drain) -> Fate | str:
    """A pod that no controller would make again."""
    if pod.metadata.controller is not None:
        return ""
    if drain.options.force:
        return "nothing makes it again"
    return Fate(pod, Action.REFUSE, "nothing makes it again: --force deletes it for good")


FILTERS: tuple[Filter, ...] = (unselected, long_deleted, ours, finished, of_daemon_set, mirror, by_mode, local_storage, unmanaged)
"""In order. Those of kubectl stand in kubectl's order."""
