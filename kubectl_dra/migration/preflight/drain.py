"""Emptying the node: who cannot leave, who would come back, who is hurt."""

from collections.abc import Iterator

from kubectl_dra.audit.words import count, listed
from kubectl_dra.eviction.filters import Action, Fate, pod_name
from kubectl_dra.inventory.move_cost import in_gang
from kubectl_dra.inventory.users import AskingPod
from kubectl_dra.migration.marks import FENCE
from kubectl_dra.migration.preflight.registry import Verdict, blocker, check, fine, warning
from kubectl_dra.migration.subject import Subject
from kubectl_dra.objects.pod import Pod

DEFAULT_BACKOFF_LIMIT = 6
"""Of a Job that names none (kubernetes pkg/apis/batch/v1/defaults.go)."""


@check("drain", ok="no pod has to leave", needs=("pods", "daemon_sets"), blocks=True)
def drain(subject: Subject) -> Iterator[Verdict]:
    """What kubectl's drain would refuse, by reason, and how many go."""
    refused: dict[str, list[str]] = {}
    for fate in subject.to_drain:
        if fate.action is Action.REFUSE:
            refused.setdefault(fate.reason, []).append(_shown(fate.pod))
    for reason, pods in sorted(refused.items()):
        yield blocker(f"{listed(pods)}: {reason}")
    going = count(len(subject.leaving), "pod")
    waited = [fate for fate in subject.to_drain if fate.action is Action.WAIT]
    if waited:
        yield fine(f"{count(len(waited), 'pod')} will be waited for: {listed(_shown(fate.pod) for fate in waited)}")
    elif subject.leaving and not refused:
        yield fine(f"{going} will leave; {count(len(subject.holders), 'holder')} of devices here")


@check("holders-leave", ok="every pod that holds a device leaves", needs=("pods",), blocks=True)
def holders_leave(subject: Subject) -> Iterator[Verdict]:
    """Devices that are still held are invisible to the other side, and would be given twice."""
    for fate in subject.to_drain:
        if pod_name(fate.pod) in subject.holders and fate.action is Action.IGNORE:
            yield blocker(f"{_shown(fate.pod)} holds a device and would stay: {fate.reason}")


@check("fence", ok="nothing that holds a device gets past the fence", needs=("pods",))
def fence(subject: Subject) -> Iterator[Verdict]:
    """A pod that tolerates every taint is back on the node at once."""
    found = [fate for fate in subject.to_drain if pod_name(fate.pod) in subject.holders and _passes(fate.pod) and _comes_back(fate)]
    if found:
        yield blocker(f"{listed(_shown(fate.pod) for fate in found)} tolerates every taint: deleted, it is back at once, fence or not")
    others = [
        _shown(pod)
        for pod in subject.snapshot.pods
        if pod.node_name is None and _passes(pod) and subject.target.names.intersection(subject.case.asked(pod.spec))
    ]
    if others:
        yield warning(f"{listed(others)} waits, and tolerates every taint: it may land here in the middle")


def _passes(pod: Pod) -> bool:
    """Whether it tolerates the fence's taint, whose value nobody can know before."""
    return any(
        each.operator == "Exists" and each.key in (None, "", FENCE) and each.effect in (None, "", "NoSchedule")
        for each in pod.spec.tolerations or ()
    )


def _comes_back(fate: Fate) -> bool:
    controller = fate.pod.metadata.controller
    return controller is not None and controller.kind == "DaemonSet"


@check("bare-pods", ok="controllers make every pod again", needs=("pods",))
def bare_pods(subject: Subject) -> Iterator[Verdict]:
    """Pods that are lost for good."""
    bare = [_shown(pod) for pod in subject.leaving if pod.metadata.controller is None]
    if bare:
        yield warning(f"{listed(bare)}: nothing makes it again; keep its manifest")


@check("gangs", ok="no pod takes others down with it", needs=("pods",))
def gangs(subject: Subject) -> Iterator[Verdict]:
    """One evicted pod stops all that work with it."""
    found = [_shown(pod) for pod in subject.leaving if in_gang(AskingPod(pod, {}, subject.owner(pod)))]
    if found:
        yield warning(f"{listed(found)} works in a group: one that leaves stops all of it")


@check("jobs", ok="no Job fails by it", needs=("pods", "jobs"))
def jobs(subject: Subject) -> Iterator[Verdict]:
    """An evicted pod counts as a failure of its Job."""
    leaving: dict[tuple[str, str], int] = {}
    for pod in subject.leaving:
        controller = pod.metadata.controller
        if controller is not None and controller.kind == "Job":
            key = (pod.metadata.namespace or "", controller.name)
            leaving[key] = leaving.get(key, 0) + 1
    for job in subject.snapshot.jobs:
        going = leaving.get((job.metadata.namespace or "", job.metadata.name))
        limit = DEFAULT_BACKOFF_LIMIT if job.spec.backoff_limit is None else job.spec.backoff_limit
        failed = job.status.failed or 0
        if going and failed + going > limit:
            name = f"{job.metadata.namespace}/{job.metadata.name}"
            yield warning(f"Job {name} may fail for good: {failed} pods failed, {going} leave here, its backoffLimit is {limit}")


def _shown(pod: Pod) -> str:
    return f"{pod.metadata.namespace}/{pod.metadata.name}"
