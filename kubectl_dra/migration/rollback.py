"""The way back: its steps in words, and which of them a move that did not get to its end leaves to be done."""

from collections.abc import Collection, Mapping

from kubectl_dra.audit.words import lasting, listed
from kubectl_dra.migration import step_texts
from kubectl_dra.migration.journal import Journal
from kubectl_dra.migration.names import FORWARD, Direction, StepName, StepState
from kubectl_dra.migration.step_texts import Texts, TextsOf, in_words
from kubectl_dra.migration.subject import Subject
from kubectl_dra.migration.timing import Timing


def cordon(subject: Subject, timing: Timing) -> Texts:
    """As on the way there, with a fence on the driver's side in any case."""
    texts = step_texts.cordon(subject, timing)
    rules = "a DeviceTaintRule NoSchedule on each of the driver's pools here, until the canary"
    does = texts.does.partition("; a DeviceTaintRule")[0]
    return Texts(texts.before, f"{does}; {rules}", texts.waits_for, texts.undo)


def claims(subject: Subject, timing: Timing) -> Texts:
    """The proof without which pods hang in Terminating for ever."""
    drivers = listed(subject.target.drivers) if subject.target.drivers else "the driver"
    return Texts(
        waits_for=f"no pod here with a claim, and no claim that has devices of {drivers} here, reserved or not: without the driver"
        " such pods never end",
    )


def remove(subject: Subject, timing: Timing) -> Texts:
    """The driver leaves."""
    change = subject.target.profile.plug
    gone = "the driver's pod to be gone" if subject.target.profile.driver.pods else "the driver's slices to be gone"
    return Texts("no claim is left", in_words(change.undo, subject.target.name), gone, in_words(change.do, subject.target.name))


def gone(subject: Subject, timing: Timing) -> Texts:
    """What a kubelet deletes when the driver has left."""
    drivers = listed(subject.target.drivers) if subject.target.drivers else "the driver"
    return Texts(waits_for=f"the slices of {drivers} on this node to be deleted (the kubelet does, 30 s after the driver has left)")


def recheck(subject: Subject, timing: Timing) -> Texts:
    """The same proof again: something may have been allocated in between."""
    return Texts(waits_for="still no claim with devices here")


def replug(subject: Subject, timing: Timing) -> Texts:
    """The plugin comes back."""
    change = subject.target.profile.unplug
    ready = "the plugin's pod to be Ready" if subject.target.profile.plugin.pods else "allocatable above 0"
    return Texts(
        before="nothing of the driver is left",
        does=f"lifts the fence's taint, leaves the cordon; {in_words(change.undo, subject.target.name)}",
        waits_for=ready,
        undo=in_words(change.do, subject.target.name),
    )


def capacity(subject: Subject, timing: Timing) -> Texts:
    """As many devices as there were."""
    wanted = listed(f"{each.devices} of {each.name}" for each in subject.target.resources)
    return Texts(waits_for=f"capacity and allocatable as recorded: {wanted}, twice with {lasting(timing.steady_zero)} between")


BACK_TEXTS: Mapping[StepName, TextsOf] = {
    **step_texts.TEXTS,
    StepName.CORDON: cordon,
    StepName.CLAIMS: claims,
    StepName.REMOVE: remove,
    StepName.GONE: gone,
    StepName.RECHECK: recheck,
    StepName.REPLUG: replug,
    StepName.CAPACITY: capacity,
}


_BEGUN = frozenset({StepState.RUNNING, StepState.DONE, StepState.FAILED, StepState.TIMED_OUT, StepState.INTERRUPTED})


def begun(journal: Journal | None) -> Collection[StepName]:
    """The steps of the move that have changed something, or may have: what a way back has to undo.

    Without a journal nobody knows how the node came to be moved, so everything is undone.
    """
    if journal is None or (journal.finished and journal.direction is Direction.MOVE):
        return FORWARD
    if journal.direction is Direction.ROLLBACK:
        return journal.done
    return tuple(mark.step for mark in journal.steps if mark.state in _BEGUN)


def not_needed_back(subject: Subject) -> Mapping[StepName, str]:
    """The steps of the way back that there is nothing to do for, each with the reason.

    A driver that was here before the move stays, as it was; its claims must be gone all the same before the plugin returns.
    """
    journal = subject.target.journal
    done = begun(journal if isinstance(journal, Journal) else None)
    found: dict[StepName, str] = {}
    if StepName.PLUG not in done:
        why = "the move did not get to plug"
        found |= dict.fromkeys((StepName.REMOVE, StepName.GONE), why)
        if not subject.target.pools:
            found |= dict.fromkeys((StepName.DRAIN, StepName.CLAIMS, StepName.RECHECK), f"{why}, and no driver publishes here")
    if StepName.UNPLUG not in done:
        why = "the plugin never left"
        found |= dict.fromkeys(
            (StepName.DRAIN, StepName.CLAIMS, StepName.RECHECK, StepName.REPLUG, StepName.CAPACITY, StepName.CANARY), why
        )
    if StepName.CORDON not in done:
        found |= dict.fromkeys((StepName.CORDON, StepName.UNCORDON), "the move did not get to cordon")
    return found
