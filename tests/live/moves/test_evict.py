"""Evictions as the API server answers them, of pods that no kubelet looks after."""

import io
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from kubectl_dra.cluster.writes import Writes
from kubectl_dra.environment import Environment
from kubectl_dra.errors import ApiError, TimedOutError
from kubectl_dra.eviction.evict import evict, refusals
from kubectl_dra.eviction.filters import Action, Fate
from kubectl_dra.eviction.polling import Polling
from kubectl_dra.kubeconfig import Overrides, connect
from kubectl_dra.objects.meta import ObjectMeta
from kubectl_dra.objects.pod import Pod
from tests.bed.api import Manifest
from tests.bed.cluster import Cluster
from tests.bed.waiting import wait_until


@contextmanager
def opened(cell: Cluster) -> Iterator[tuple[Writes, Environment]]:
    environment = Environment(io.StringIO(), io.StringIO(), io.StringIO(), {"KUBECONFIG": str(cell.kubeconfig)})
    with Writes(connect(Overrides(), environment), environment) as writes:
        yield writes, environment


def running(cell: Cluster, namespace: str, apply: Callable[..., list[Manifest]], *names: str) -> list[Fate]:
    """Pods that say that they run and are ready, without a node."""
    root, fates = f"/api/v1/namespaces/{namespace}/pods", []
    for name in names:
        spec = {"containers": [{"name": "main", "image": "i"}], "schedulerName": "nobody", "terminationGracePeriodSeconds": 0}
        (made,) = apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": "x"}}, "spec": spec})
        status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
        cell.api.patch(f"{root}/{name}/status", {"status": status})
        fates.append(Fate(Pod(ObjectMeta(name, namespace, made["metadata"]["uid"])), Action.EVICT))
    return fates


def budget(cell: Cluster, namespace: str, apply: Callable[..., list[Manifest]], name: str, minimum: int, healthy: int) -> str:
    spec = {"minAvailable": minimum, "selector": {"matchLabels": {"app": "x"}}}
    apply({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name}, "spec": spec})
    path = f"/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets/{name}"
    wait_until(lambda: cell.api.get(path).get("status", {}).get("currentHealthy") == healthy, f"budget {name} counts its pods")
    return path


def test_all_at_once_and_again_until_the_budget_yields(cell: Cluster, namespace: str, apply: Callable[..., list[Manifest]]) -> None:
    fates = running(cell, namespace, apply, "a", "b", "c")
    path = budget(cell, namespace, apply, "stay", 2, 3)
    words = "The disruption budget stay needs 2 healthy pods and has 2 currently"
    told, gone = list[str](), list[str]()
    held = threading.Event()

    def tell(message: str, waited: float, left: float | None) -> None:
        told.append(message)
        held.set()

    with opened(cell) as (writes, environment):
        assert refusals(writes, fates) == ()  # one at a time each of them might go
        thread = threading.Thread(target=lambda: held.wait(30) and cell.api.patch(path, {"spec": {"minAvailable": 0}}))
        thread.start()
        evict(writes, fates, Polling(environment.clock, 0.3, 30.0, tell), went=lambda fate: gone.append(fate.pod.metadata.name))
        thread.join()
    assert sorted(gone) == ["a", "b", "c"]
    # of several requests at once the server answers some with the budget's numbers, and some with only that it is busy with others
    assert told[0].startswith(f"{namespace}/")
    assert {each.partition(": ")[2] for each in told[0].split("; ")} <= {
        words,
        "The disruption budget stay does not allow evicting pods currently",
    }
    assert cell.api.items(f"/api/v1/namespaces/{namespace}/pods") == []


def test_a_budget_that_never_yields(cell: Cluster, namespace: str, apply: Callable[..., list[Manifest]]) -> None:
    fates = running(cell, namespace, apply, "a")
    budget(cell, namespace, apply, "stay", 1, 1)
    with opened(cell) as (writes, environment):
        (refusal,) = refusals(writes, fates)
        assert (refusal.pod, refusal.why) == (
            f"{namespace}/a",
            "The disruption budget stay needs 1 healthy pods and has 1 currently",
        )
        with pytest.raises(TimedOutError, match="The disruption budget stay needs 1 healthy pods"):
            evict(writes, fates, Polling(environment.clock, 0.2, 1.0))
        deleted = [Fate(fate.pod, Action.DELETE) for fate in fates]
        evict(writes, deleted, Polling(environment.clock, 0.2, 5.0))  # --disable-eviction
        evict(writes, fates, Polling(environment.clock, 0.2, 5.0))  # it is gone: that is fine


def test_e29_two_budgets_for_one_pod(cell: Cluster, namespace: str, apply: Callable[..., list[Manifest]]) -> None:
    """The API answers 500, and no patience helps."""
    fates = running(cell, namespace, apply, "a", "b")
    for name in ("one", "two"):
        budget(cell, namespace, apply, name, 0, 2)
    with opened(cell) as (writes, environment), pytest.raises(ApiError, match="more than one PodDisruptionBudget") as caught:
        evict(writes, fates, Polling(environment.clock, 0.2, 5.0))
    assert "--disable-eviction" in caught.value.hint


def test_another_pod_of_that_name_stays(cell: Cluster, namespace: str, apply: Callable[..., list[Manifest]]) -> None:
    (fate,) = running(cell, namespace, apply, "a")
    old = Fate(Pod(ObjectMeta("a", namespace, "another")), Action.EVICT)
    with opened(cell) as (writes, environment):
        for action in (Action.EVICT, Action.DELETE):
            evict(writes, [Fate(old.pod, action)], Polling(environment.clock, 0.2, 5.0))
        evict(writes, [Fate(fate.pod, Action.IGNORE), Fate(fate.pod, Action.WAIT)], Polling(environment.clock, 0.2, 5.0))
    (left,) = cell.api.items(f"/api/v1/namespaces/{namespace}/pods")
    assert left["metadata"]["uid"] == fate.pod.metadata.uid
