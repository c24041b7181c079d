"""What each step of the move says of itself to people. The way back's are in `rollback`."""

from collections.abc import Callable, Iterable, Mapping

import msgspec

from kubectl_dra.audit.words import count, lasting, listed
from kubectl_dra.eviction.filters import DaemonSetPods, DrainMode
from kubectl_dra.migration import marks
from kubectl_dra.migration.names import StepName
from kubectl_dra.migration.profile import Action, PodWait, Say, shown
from kubectl_dra.migration.subject import Subject
from kubectl_dra.migration.timing import Timing


class Texts(msgspec.Struct, frozen=True):
    """A step in four sentences; empty ones are not shown."""

    before: str = ""
    does: str = ""
    waits_for: str = ""
    undo: str = ""


TextsOf = Callable[[Subject, Timing], Texts]


def preflight(subject: Subject, timing: Timing) -> Texts:
    """The first step of every run."""
    return Texts(does="reads the cluster once, asks for every permission, and sends the canary as a server dry run")


def lock(subject: Subject, timing: Timing) -> Texts:
    """One run at a time."""
    lease = f"Lease {marks.LOCK_NAMESPACE}/{marks.lock_name(subject.target.name)}"
    return Texts(
        does=f"takes {lease}, renewed every {lasting(timing.renew)}; tells autoscalers to leave the node; reads once more what decides",
        waits_for=f"the lease of a run that stopped answering ({lasting(timing.lease)})",
        undo="released at the end; the autoscalers' annotations get their old values",
    )


def journal(subject: Subject, timing: Timing) -> Texts:
    """What makes a run resumable."""
    return Texts(
        does=f"writes annotation {marks.JOURNAL} on the node: what it was before, and every change before it is made",
        undo="becomes a short record",
    )


def cordon(subject: Subject, timing: Timing) -> Texts:
    """And the fence."""
    fence = f"taint {marks.FENCE}=ID:NoSchedule"
    rules = "; a DeviceTaintRule NoSchedule on each of the driver's pools here" if subject.target.pools else ""
    return Texts(
        does=f"makes the node unschedulable, and fences it against DaemonSets ({fence}){rules}",
        waits_for="both, read back",
        undo="the node stays cordoned" if subject.node.cordoned else "the fence goes; the node is made schedulable",
    )


def drain(subject: Subject, timing: Timing) -> Texts:
    """Who leaves."""
    options = subject.options.drain
    held = "devices of the plugin" if not subject.back else "devices of the driver"
    match options.mode:
        case DrainMode.WAIT:
            return Texts("no pod is refused", "evicts nobody", f"the pods that hold {held} to end by themselves")
        case DrainMode.HOLDERS:
            who = f"the pods that hold {held}"
        case DrainMode.EVICT:
            who = "all pods but those of DaemonSets, static and ended ones"
    daemon_pods = ", and deletes DaemonSets' pods that hold a device" if options.daemonset_pods is DaemonSetPods.DELETE else ""
    how = "deletes" if options.disable_eviction else "evicts"
    return Texts(
        before="no pod is refused: each has its reason",
        does=f"{how} {who}{daemon_pods} ({count(len(subject.leaving), 'pod')} now); refused ones again every {lasting(timing.retry)}",
        waits_for="each pod to be gone, or replaced by one of the same name",
        undo="their controllers made them again elsewhere",
    )


def empty(subject: Subject, timing: Timing) -> Texts:
    """Nothing may hold a device that the other side gives out next."""
    return Texts(
        waits_for=f"no pod here that has {listed(sorted(subject.target.names))} without a claim: such devices would be given twice"
    )


def unplug(subject: Subject, timing: Timing) -> Texts:
    """The profile's first action."""
    change = subject.target.profile.unplug
    gone = "the plugin's pod to be gone" if subject.target.profile.plugin.pods else "allocatable 0"
    return Texts(
        before="the node is empty",
        does=in_words(change.do, subject.target.name),
        waits_for=_with_waits(gone if not _says(change.do) else f"{gone}, once that is done", change.waits),
        undo=in_words(change.undo, subject.target.name),
    )


def zero(subject: Subject, timing: Timing) -> Texts:
    """From now on no pod can take a device of the plugin."""
    names = listed(sorted(subject.target.names))
    return Texts(waits_for=f"allocatable 0 of {names}, twice with {lasting(timing.steady_zero)} between, and the node still empty")


def forget(subject: Subject, timing: Timing) -> Texts:
    """The cure of F5 by the API alone."""
    return Texts(
        before="allocatable is 0, and the plugin left less than five minutes ago",
        does="binds a pod that asks for each name to the node, which the kubelet must reject: so it forgets the plugin's ended pods",
        waits_for="the rejection; an admitted pod means that the plugin is still there, and stops the move",
        undo="the pod is deleted",
    )


def settle(subject: Subject, timing: Timing) -> Texts:
    """The five minutes, or as much of them as people want."""
    if subject.options.accept_allocatable_zero:
        return Texts(before="forget is done", waits_for=f"allocatable 0 for {lasting(timing.accepted_zero)} (--accept-allocatable-zero)")
    return Texts(waits_for=f"capacity 0 of {listed(sorted(subject.target.names))}: a kubelet keeps it for {lasting(timing.plugin_grace)}")


def plug(subject: Subject, timing: Timing) -> Texts:
    """The profile's second action."""
    change = subject.target.profile.plug
    ready = "the driver's pod to be Ready" if subject.target.profile.driver.pods else "the driver's slices"
    return Texts(
        before="nothing of the plugin is left",
        does=f"lifts the fence's taint, leaves the cordon; {in_words(change.do, subject.target.name)}",
        waits_for=_with_waits(ready, change.waits),
        undo=in_words(change.undo, subject.target.name),
    )


def slices(subject: Subject, timing: Timing) -> Texts:
    """What the driver publishes."""
    wanted = listed(f"{each.devices} of {each.name}" for each in subject.target.moving)
    drivers = listed(subject.target.drivers) if subject.target.drivers else "the driver"
    return Texts(waits_for=f"complete pools of {drivers}, new or unchanged for {lasting(timing.slices_unchanged)}, with at least {wanted}")


def device_class(subject: Subject, timing: Timing) -> Texts:
    """Who maps the names."""
    classes = listed(f"{each.device_class or '?'} for {each.name}" for each in subject.target.moving)
    return Texts(waits_for=f"the class to be there and to win: {classes}")


def canary(subject: Subject, timing: Timing) -> Texts:
    """The proof."""
    where = subject.options.canary.namespace or "a namespace made for it"
    image = subject.options.canary.image or subject.facts.canary_image or "one that the node has"
    served = "the plugin" if subject.back else listed(subject.target.drivers) if subject.target.drivers else "the driver"
    return Texts(
        does=f"runs an unchanged pod with limits of 1 for each name in {where} (image: {image}), behind the cordon",
        waits_for=f"it to run with a device from {served} on this node; then it goes",
        undo="the pod, its claim and its namespace are deleted",
    )


def uncordon(subject: Subject, timing: Timing) -> Texts:
    """Users' pods return."""
    if subject.node.cordoned and subject.target.open_journal is None:
        return Texts(before="the canary was green", does="leaves the node cordoned, as it was; takes the fence away")
    watched = subject.options.settle if subject.options.settle is not None else timing.uncordoned
    return Texts(
        before="the canary was green",
        does="makes the node schedulable, takes the rest of the fence away",
        waits_for=f"{lasting(watched)} in which new pods get their devices the right way" if watched else "",
        undo="cordon",
    )


def close(subject: Subject, timing: Timing) -> Texts:
    """The end."""
    return Texts(does="writes an event on the node, shortens the journal, restores the autoscalers' annotations, releases the lock")


TEXTS: Mapping[StepName, TextsOf] = {
    StepName.PREFLIGHT: preflight,
    StepName.LOCK: lock,
    StepName.JOURNAL: journal,
    StepName.CORDON: cordon,
    StepName.DRAIN: drain,
    StepName.EMPTY: empty,
    StepName.UNPLUG: unplug,
    StepName.ZERO: zero,
    StepName.FORGET: forget,
    StepName.SETTLE: settle,
    StepName.PLUG: plug,
    StepName.SLICES: slices,
    StepName.CLASS: device_class,
    StepName.CANARY: canary,
    StepName.UNCORDON: uncordon,
    StepName.CLOSE: close,
}


def in_words(actions: Iterable[Action], node: str) -> str:
    """Several actions as one sentence."""
    return "; ".join(shown(action, node) for action in actions)


def _says(actions: Iterable[Action]) -> bool:
    return any(isinstance(action, Say) for action in actions)


def _with_waits(first: str, waits: Iterable[PodWait]) -> str:
    return "; ".join((first, *(each.why for each in waits)))
