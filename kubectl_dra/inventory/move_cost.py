"""What moving a node would disturb: which node to move first."""

from collections.abc import Iterable

from kubectl_dra.inventory.document import MoveCost
from kubectl_dra.inventory.known import known
from kubectl_dra.inventory.users import AskingPod
from kubectl_dra.objects.labels import matches
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.policy import PodDisruptionBudget
from kubectl_dra.objects.snapshot import Snapshot

_GANG_LABELS = frozenset(
    {
        "batch.kubernetes.io/job-completion-index",
        "jobset.sigs.k8s.io/jobset-name",
        "kueue.x-k8s.io/pod-group-name",
        "leaderworkerset.sigs.k8s.io/name",
        "pod-group.scheduling.sigs.k8s.io",
        "ray.io/cluster",
        "scheduling.x-k8s.io/pod-group",
        "training.kubeflow.org/job-name",
        "volcano.sh/job-name",
    }
)
"""Labels of pods that live and die together (indexed Jobs, JobSet, Kueue, LeaderWorkerSet, coscheduling, KubeRay, Kubeflow, Volcano)."""

_GANG_KINDS = frozenset(
    {"JobSet", "LeaderWorkerSet", "MPIJob", "PyTorchJob", "TFJob", "XGBoostJob", "PaddleJob", "JAXJob", "TrainJob", "RayCluster", "RayJob"}
)
"""Kinds whose pods live and die together; Volcano's Job is known by its label."""


class MoveCosts:
    """The costs of one snapshot's nodes."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Take the reading, and sort its budgets by namespace."""
        self._budgets_known = known(snapshot.pod_disruption_budgets)
        self._budgets: dict[str, list[PodDisruptionBudget]] = {}
        for budget in snapshot.pod_disruption_budgets:
            self._budgets.setdefault(budget.metadata.namespace or "", []).append(budget)

    def of(self, holders: Iterable[AskingPod]) -> MoveCost:
        """The cost of a node with these pods, which hold devices that would move."""
        listed = tuple(holders)
        budgets = [self._of_pod(asking.pod) for asking in listed]
        return MoveCost(
            holders=len(listed),
            bare=sum(1 for asking in listed if asking.owner.kind == "Pod"),
            in_gangs=sum(1 for asking in listed if in_gang(asking)),
            without_budget=sum(1 for each in budgets if not each) if self._budgets_known else None,
            # the API refuses to evict a pod that two budgets guard (kubernetes pkg/registry/core/pod/storage/eviction.go)
            blocked_by_budget=sum(1 for each in budgets if len(each) > 1 or any(_holds(budget) for budget in each))
            if self._budgets_known
            else None,
        )

    def _of_pod(self, pod: Pod) -> list[PodDisruptionBudget]:
        budgets = self._budgets.get(pod.metadata.namespace or "", ())
        return [budget for budget in budgets if matches(budget.spec.selector, pod.metadata.labels)]


def in_gang(asking: AskingPod) -> bool:
    """Whether losing the pod stops others that work with it."""
    return asking.owner.kind in _GANG_KINDS or bool(_GANG_LABELS & (asking.pod.metadata.labels or {}).keys())


def order(cost: MoveCost | None) -> tuple[int, int, int, int, int]:
    """What nodes are sorted by: those with something to move first, the least disturbing one at the head."""
    if cost is None:
        return 1, 0, 0, 0, 0
    return 0, cost.holders, cost.bare, cost.in_gangs, cost.without_budget or 0


def _holds(budget: PodDisruptionBudget) -> bool:
    return budget.status.disruptions_allowed is not None and budget.status.disruptions_allowed < 1
