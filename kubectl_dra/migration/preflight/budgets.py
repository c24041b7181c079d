"""Disruption budgets that will hold the drain up."""

from collections.abc import Iterator

from kubectl_dra.audit.words import listed
from kubectl_dra.eviction.filters import Action
from kubectl_dra.migration.preflight.registry import Verdict, check, warning
from kubectl_dra.migration.subject import Subject
from kubectl_dra.objects.labels import matches
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.policy import PodDisruptionBudget


@check("budgets", ok="no disruption budget holds a pod back", needs=("pods", "pod_disruption_budgets"))
def budgets(subject: Subject) -> Iterator[Verdict]:
    """Pods whose eviction the API refuses as things stand (kubernetes pkg/registry/core/pod/storage/eviction.go)."""
    for fate in subject.to_drain:
        if fate.action is not Action.EVICT:
            continue
        pod = fate.pod
        guards = [each for each in subject.snapshot.pod_disruption_budgets if _guards(each, pod)]
        name = f"{pod.metadata.namespace}/{pod.metadata.name}"
        if len(guards) > 1:
            names = listed(each.metadata.name for each in guards)
            yield warning(
                f"{name}: {names} guard it, and the API evicts no pod that two budgets guard: delete one of them, or --disable-eviction"
            )
        for guard in guards[:1]:
            if _holds(guard, pod):
                yield warning(f"{name}: budget {guard.metadata.name} allows no disruption now ({_state(guard)}){_unhealthy(guard, pod)}")


def _guards(budget: PodDisruptionBudget, pod: Pod) -> bool:
    return budget.metadata.namespace == pod.metadata.namespace and matches(budget.spec.selector, pod.metadata.labels)


def _holds(budget: PodDisruptionBudget, pod: Pod) -> bool:
    if pod.status.phase == "Pending" or pod.metadata.deletion_timestamp:
        return False  # these are evicted without asking the budget
    if not _is_ready(pod) and budget.spec.unhealthy_pod_eviction_policy == "AlwaysAllow":
        return False
    return budget.status.disruptions_allowed is not None and budget.status.disruptions_allowed < 1


def _is_ready(pod: Pod) -> bool:
    ready = pod.condition("Ready")
    return ready is not None and ready.status == "True"


def _state(budget: PodDisruptionBudget) -> str:
    status = budget.status
    return f"{status.current_healthy if status.current_healthy is not None else '?'} healthy, {status.desired_healthy or 0} wanted"


def _unhealthy(budget: PodDisruptionBudget, pod: Pod) -> str:
    """Guarded pods that never become healthy hold a drain up for ever (kubernetes/kubernetes#72320)."""
    short = (budget.status.current_healthy or 0) < (budget.status.desired_healthy or 0)
    if _is_ready(pod) or not short:
        return ""
    return "; the pod itself is not healthy: unhealthyPodEvictionPolicy AlwaysAllow would let it go"
