"""Checks of disruption budgets."""

import pytest
from msgspec.structs import replace

from kubectl_dra.eviction.filters import DrainOptions
from kubectl_dra.objects.meta import Condition
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.policy import PodDisruptionBudget
from tests.factories import budget, forbidden
from tests.migration.given import checks, cluster, web


def ready_web(name: str = "web-1", *, ready: bool = True) -> Pod:
    of = web(name, labels={"app": "web"})
    return replace(of, status=replace(of.status, conditions=(Condition("Ready", "True" if ready else "False"),)))


def guard(name: str = "web", *, allowed: int | None, healthy: int = 1, policy: str | None = None, app: str = "web") -> PodDisruptionBudget:
    of = budget(name, {"app": app}, allowed=allowed)
    return replace(
        of,
        spec=replace(of.spec, unhealthy_pod_eviction_policy=policy),
        status=replace(of.status, current_healthy=healthy, desired_healthy=1),
    )


def test_a_budget_without_disruptions_left() -> None:
    assert checks(cluster(ready_web(), guard(allowed=0)), "budgets") == [
        ("warning", "default/web-1: budget web allows no disruption now (1 healthy, 1 wanted)")
    ]


@pytest.mark.parametrize("of", [guard(allowed=1), guard(allowed=None), guard(allowed=0, app="db")])
def test_budgets_that_hold_nobody(of: PodDisruptionBudget) -> None:
    assert checks(cluster(ready_web(), of), "budgets") == [("ok", "no disruption budget holds a pod back")]


def test_two_budgets_for_one_pod() -> None:
    """The API answers 500 to every eviction."""
    ((level, message),) = checks(cluster(ready_web(), guard("one", allowed=1), guard("two", allowed=1)), "budgets")
    assert level == "warning"
    assert message.startswith("default/web-1: one and two guard it, and the API evicts no pod that two budgets guard")


def test_a_pod_that_never_gets_healthy() -> None:
    """kubernetes/kubernetes#72320: the drain hangs for ever."""
    ((_, message),) = checks(cluster(ready_web(ready=False), guard(allowed=0, healthy=0)), "budgets")
    assert message.endswith("the pod itself is not healthy: unhealthyPodEvictionPolicy AlwaysAllow would let it go")
    allowed = guard(allowed=0, healthy=0, policy="AlwaysAllow")
    assert checks(cluster(ready_web(ready=False), allowed), "budgets")[0][0] == "ok"


def test_pods_that_are_deleted_are_not_held() -> None:
    past = DrainOptions(ignore_daemonsets=True, disable_eviction=True)
    assert checks(cluster(ready_web(), guard(allowed=0)), "budgets", drain=past)[0][0] == "ok"
    pending = replace(ready_web(), status=replace(ready_web().status, phase="Pending"))
    assert checks(cluster(pending, guard(allowed=0)), "budgets")[0][0] == "ok"


def test_budgets_that_cannot_be_read() -> None:
    assert checks(cluster(ready_web(), pod_disruption_budgets=forbidden("poddisruptionbudgets.policy")), "budgets")[0][0] == "warning?"
