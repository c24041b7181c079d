"""The names of what a run leaves in a cluster: journal, fence, lock, rules, canary. By these it is found again, and cleaned up."""

from collections.abc import Mapping
from hashlib import sha256

PREFIX = "kubectl-dra.io"

JOURNAL = f"{PREFIX}/migration"
"""The annotation of a Node that holds the journal."""

FENCE = f"{PREFIX}/moving"
"""The taint that keeps even DaemonSets' pods off a node; its value is the journal's id."""

NODE_LABEL = f"{PREFIX}/node"
"""On what a run makes beside the node (rules, the canary and its namespace): the node's hash, as in the lock's name."""

ID_LABEL = f"{PREFIX}/id"
"""On the same: the journal's id."""

LOCK_NAMESPACE = "kube-system"
"""Never kube-node-lease: there the kubelet's own lease has the node's name."""

SCALE_DOWN_DISABLED = "cluster-autoscaler.kubernetes.io/scale-down-disabled"
DO_NOT_DISRUPT = "karpenter.sh/do-not-disrupt"
AUTOSCALERS = (SCALE_DOWN_DISABLED, DO_NOT_DISRUPT)
"""Annotations by which autoscalers leave a node alone; "true" turns both on."""


def node_hash(node: str) -> str:
    """A node's name as a label's value and part of a name: names of nodes may be too long for both."""
    return sha256(node.encode()).hexdigest()[:16]


def lock_name(node: str) -> str:
    """The name of the node's Lease in `LOCK_NAMESPACE`."""
    return f"kubectl-dra-{node_hash(node)}"


CANARY, PROBE = "canary", "probe"
"""The two pods that a run makes."""


def pod_name(what: str, node: str) -> str:
    """The name of one of them: in a shared namespace, nodes do not get in each other's way."""
    return f"kubectl-dra-{what}-{node_hash(node)}"


def is_ours(name: str, labels: Mapping[str, str] | None, node: str) -> bool:
    """Whether a pod of this name and labels is a canary or probe of a run on the node: the run that finds it deletes it."""
    return is_of_a_run(name, labels) and (labels or {}).get(NODE_LABEL) == node_hash(node)


def is_of_a_run(name: str, labels: Mapping[str, str] | None) -> bool:
    """Whether a pod is a canary or probe, of whatever node."""
    mark = (labels or {}).get(NODE_LABEL)
    return mark is not None and name in (f"kubectl-dra-{CANARY}-{mark}", f"kubectl-dra-{PROBE}-{mark}")
