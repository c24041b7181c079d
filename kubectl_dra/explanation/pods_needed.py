"""Which nodes' pods decide. Most nodes are out for other reasons, and the pods of a large cluster take longest to read."""

from kubectl_dra.allocation.foreseen import foreseen
from kubectl_dra.explanation.case import PodCase
from kubectl_dra.explanation.on_node import pods_matter
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.snapshot import Snapshot

MOST = 60
"""From more nodes on, reading all pods is quicker than asking for those of each node."""


def nodes_needed(snapshot: Snapshot, pod: Pod, node: str | None = None) -> tuple[str, ...] | None:
    """The nodes whose pods have to be known to explain the pod, of a snapshot without pods; None is all pods.

    A pod that has its node needs none. One with a priority may be above pods that hold its devices, wherever they are. `node` is asked
    about: of it everything is told.
    """
    if pod.node_name is not None or pod.finished or pod.metadata.deletion_timestamp:
        return ()
    if (pod.spec.priority or 0) > 0 or len(snapshot.nodes) <= MOST:
        return None
    case = PodCase(*foreseen(snapshot, pod))
    needed = tuple(each.metadata.name for each in snapshot.nodes if each.metadata.name == node or pods_matter(case, each))
    return needed if len(needed) <= MOST else None
