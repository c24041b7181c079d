"""The plugin's and the driver's own pods on the node, and waiting for them."""

from collections.abc import Iterable

from kubectl_dra.migration.move import Move
from kubectl_dra.migration.profile import Change, Part
from kubectl_dra.migration.target import pods_of
from kubectl_dra.objects.pod import Pod


def still_there(move: Move, part: Part, what: str) -> str:
    """Which of its pods are still on the node; empty for none."""
    found = pods_of(part, move.pods())
    return f"{what}'s pod {_names(found)} is still there" if found else ""


def not_ready(move: Move, part: Part, what: str) -> str:
    """What its pod lacks to be Ready on the node; empty when all are. Where it runs outside of Kubernetes nothing is asked."""
    if not part.pods:
        return ""
    found = [pod for pod in pods_of(part, move.pods()) if not pod.metadata.deletion_timestamp]
    if not found:
        return f"no pod of {what} is on the node yet"
    waiting = [pod for pod in found if not is_ready(pod)]
    return f"{what}'s pod {_names(waiting)} is not Ready yet" if waiting else ""


def waits(move: Move, change: Change) -> str:
    """What the profile wants to see besides."""
    pods = move.pods()
    for each in change.waits:
        found = [pod for pod in pods if not pod.finished and each.pods.fits(pod)]
        if (each.until == "gone" and found) or (each.until == "ready" and not (found and all(map(is_ready, found)))):
            return each.why
    return ""


def is_ready(pod: Pod) -> bool:
    """Whether its containers say that they are ready."""
    ready = pod.condition("Ready")
    return ready is not None and ready.status == "True"


def _names(pods: Iterable[Pod]) -> str:
    return ", ".join(f"{pod.metadata.namespace}/{pod.metadata.name}" for pod in pods)
