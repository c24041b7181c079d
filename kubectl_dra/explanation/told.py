"""What the scheduler itself said, and where that does not agree with what the objects say: mappings that it has lost."""

import re
from collections.abc import Iterator

from kubectl_dra.audit.checks.lost_mappings import rejections
from kubectl_dra.explanation.before import other_scheduler
from kubectl_dra.explanation.case import PodCase
from kubectl_dra.explanation.document import Reason, Said
from kubectl_dra.objects.pod import Pod
from kubectl_dra.remedies.kubectl_line import kubectl
from kubectl_dra.remedies.lost_mapping import LOST_MAPPING, give_up_name, prove, update_survivor

FAILED_SCHEDULING = "FailedScheduling"
_NOBODY = re.compile(r"nil or empty request mappings")
_EXCEEDED = "exceeded quota"


def scheduler_message(pod: Pod) -> str:
    """Why the last attempt failed, in the scheduler's words; empty for a pod that has a node, or that was not tried."""
    if pod.node_name is not None:
        return ""
    scheduled = pod.condition("PodScheduled")
    return scheduled.message or "" if scheduled is not None and scheduled.status == "False" else ""


def said(case: PodCase) -> tuple[Said, ...]:
    """The scheduler's last words about a pod that waits, with their time if an event tells it."""
    message = scheduler_message(case.pod)
    if not message:
        return ()
    event = next((each for each in case.events if each.reason == FAILED_SCHEDULING and each.message == message), None)
    return (Said(case.pod.spec.scheduler_name or "default-scheduler", message, event.last_time if event is not None else None),)


def from_words(case: PodCase) -> tuple[Reason, ...]:
    """What only the scheduler's words show. Other schedulers may say the same words and mean something else."""
    if other_scheduler(case) is not None:
        return ()
    message = scheduler_message(case.pod)
    return (*_lost_mappings(case, message), *_binding(case, message), *_nominated(case))


def _lost_mappings(case: PodCase, message: str) -> Iterator[Reason]:
    """A mapped name is `Insufficient` only on nodes where a plugin serves it; on more nodes, and the scheduler does not know the mapping.

    Source: kubernetes pkg/scheduler/framework/plugins/noderesources/fit.go (shouldDelegateResourceToDRA).
    """
    if not (case.snapshot.nodes.known and case.snapshot.device_classes.known):
        return
    for name, number in rejections(message).items():
        device_class = case.classes.device_class(name) if name in case.names else None
        if device_class is None:
            continue
        served = sum(1 for node in case.snapshot.nodes if case.planner.offers(node, name))
        if number <= served:
            continue
        class_name, namespace = device_class.metadata.name, case.pod.metadata.namespace or "default"
        affected = LOST_MAPPING.affects(case.snapshot.cluster.version)
        detail = [
            f"it says Insufficient {name} of {number} nodes, and a device plugin offers {name} on {served}:"
            " of all others it would not say so if it knew the mapping"
        ]
        if affected:
            detail.append(
                "before 1.38 that comes of deleting, renaming or clearing another class with the name, and lasts until the class is"
                " updated or the scheduler restarts (kubernetes/kubernetes#141103)"
            )
        detail.append("if the class got the name back since, the pod has not been tried again: the deletion of a scheduled pod does that")
        yield Reason(
            "lost-mapping",
            f"class {class_name} maps {name}, and the scheduler did not know it when it tried the pod last",
            name,
            detail=tuple(detail),
            fix=(*_rival(case, name, class_name), *update_survivor(class_name), *prove(name, namespace)),
        )


def _rival(case: PodCase, name: str, class_name: str) -> tuple[str, ...]:
    """A class that loses its explicit name to another gets its implicit one only after it has given that up."""
    own = case.classes.by_class[class_name].spec.extended_resource_name
    winner = case.classes.device_class(own) if own and own != name else None
    if winner is None or winner.metadata.name == class_name:
        return ()
    return (*give_up_name(case.classes.by_class[class_name]), *update_survivor(winner.metadata.name))


def _binding(case: PodCase, message: str) -> Iterator[Reason]:
    """Errors of the attempt after a node was found."""
    if _EXCEEDED in message:
        namespace = case.pod.metadata.namespace or "default"
        fix = (kubectl("-n", namespace, "describe", "resourcequota"),)
        text = "a quota forbids the claim that the scheduler makes for the pod's extended resources"
        yield Reason("quota", text, detail=(message,), fix=fix)
    elif _NOBODY.search(message):
        text = "the scheduler found a node and could not bind the pod: the claim that it made has no request"
        why = "claims of its own beside a mapped name that a device plugin serves there, or an amount of devices that is no whole number"
        yield Reason("empty-claim", text, detail=(f"that is so of pods with {why}",))


_REFUSAL = re.compile(r"0/(?P<all>\d+) nodes are available: (?P<parts>.+)", re.DOTALL)
_PART = re.compile(r"(\d+) ([^,]+?)(?=, \d+ |\.(?: |$)|$)")
_JUDGED = (
    "Insufficient ",
    "Too many pods",
    "cannot allocate all claims",
    "cannot fit resource",
    "node(s) were unschedulable",
    "node(s) had untolerated taint",
    "node(s) didn't match Pod's node affinity/selector",
    "node(s) didn't match the requested node name",
    "resourceclaim not available on the node",
    "invalid resource pools were encountered",
    "request ",
    "claim ",
    "resourceclaim",
    'pod "',
    "waiting for ",
)
"""What is worked out here: words of NodeResourcesFit, DynamicResources, NodeUnschedulable, TaintToleration, NodeAffinity, NodeName."""


def not_judged(case: PodCase) -> tuple[Reason, ...]:
    """What the scheduler said of nodes that is not worked out here: affinity between pods, volumes, ports and the like.

    Without a number it is said of all nodes: then no node was looked at.
    """
    found = _REFUSAL.match(scheduler_message(case.pod).partition(" preemption:")[0])
    if found is None or other_scheduler(case) is not None:
        return ()
    told = [(int(number), text) for number, text in _PART.findall(found["parts"])]
    if not told:
        told = [(int(found["all"]), found["parts"].rstrip("."))]
    return tuple(
        Reason("said-by-scheduler", f"the scheduler said of {_nodes(number)}: {text}; that is not judged here", text, number)
        for number, text in told
        if not text.startswith(_JUDGED)
    )


def _nodes(number: int) -> str:
    return "1 node" if number == 1 else f"{number} nodes"


def failed_otherwise(case: PodCase) -> tuple[Reason, ...]:
    """An attempt that ended in an error that is not foreseen here."""
    scheduled = case.pod.condition("PodScheduled")
    if scheduled is None or scheduled.reason != "SchedulerError" or other_scheduler(case) is not None:
        return ()
    return (Reason("scheduler-error", "the scheduler's last attempt ended in an error", detail=(scheduler_message(case.pod),)),)


def _nominated(case: PodCase) -> Iterator[Reason]:
    """The scheduler names the node before it preempts pods there, and since 1.35 also while it binds the pod."""
    node = case.pod.status.nominated_node_name
    if node and case.pod.node_name is None:
        text = f"the scheduler has chosen {node} for it: it binds the pod, or waits until pods that it preempted there are gone"
        yield Reason("nominated", text, node)
