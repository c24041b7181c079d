"""Two nodes one after the other: the workload goes to and fro, and is never short of more than one pod."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.bed.api import Manifest
from tests.bed.waiting import wait_until
from tests.live.moves.conftest import Ground
from tests.live.moves.test_disturbed import deployment

PODS = 4


@contextmanager
def watched(ground: Ground) -> Iterator[list[tuple[int, int]]]:
    """Ready pods and closed nodes, as often as they can be counted."""
    seen: list[tuple[int, int]] = []
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(0.05):
            ready = sum(1 for pod in ground.pods(app="web") if {"type": "Ready", "status": "True"}.items() <= _ready(pod).items())
            closed = sum(1 for node in ground.nodes if node.read()["spec"].get("unschedulable"))
            seen.append((ready, closed))

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield seen
    finally:
        ended.set()
        thread.join()


def _ready(pod: Manifest) -> Manifest:
    return next((each for each in pod["status"].get("conditions", ()) if each["type"] == "Ready"), {})


def test_two_nodes_in_turn(grounds: Callable[..., Ground], apply: Callable[..., list[Manifest]]) -> None:
    ground = grounds(2)
    web = deployment("web")
    web["spec"]["replicas"] = PODS
    budget = {"maxUnavailable": 1, "selector": {"matchLabels": {"app": "web"}}}
    apply([web, {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "web"}, "spec": budget}])
    ground.running(PODS, app="web")
    path = f"/apis/policy/v1/namespaces/{ground.namespace}/poddisruptionbudgets/web"
    wait_until(lambda: ground.cell.api.get(path).get("status", {}).get("currentHealthy") == PODS, "the budget counts its pods")
    with watched(ground) as seen:
        for node in ground.nodes:
            ground.move(node=node.name)
            ground.assert_clean(node.name)
        ground.running(PODS, app="web")
    assert min(ready for ready, _ in seen) >= PODS - 1, seen
    assert max(closed for _, closed in seen) == 1
    assert all("extendedResourceClaimStatus" in pod["status"] for pod in ground.running(PODS, app="web"))
    assert min(ground.held.seen.values()) > 0
