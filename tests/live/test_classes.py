"""The scheduler takes the class that `classes` names, and loses the mapping where `classes` warns that it may."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.bed.cluster import Cluster
from tests.bed.node import DraDriver, Node
from tests.run import kubectl_dra

GPU = "example.com/gpu"
CLASSES = "/apis/resource.k8s.io/v1/deviceclasses"

Apply = Callable[..., list[dict[str, Any]]]
WaitUntil = Callable[..., Any]


class Told:
    """What `classes` says of one cell."""

    def __init__(self, cell: Cluster) -> None:
        self._cell = cell

    def items(self, *argv: str, code: int = 0) -> list[dict[str, Any]]:
        result = kubectl_dra("classes", *argv, "-o", "json", "--kubeconfig", str(self._cell.kubeconfig))
        assert result.code == code, result.stderr
        items: list[dict[str, Any]] = json.loads(result.stdout)["items"]
        return items

    def winner(self) -> tuple[str, str | None]:
        """Who has the name, and why."""
        (winner,) = [item for item in self.items() if item["extendedResourceName"] == GPU and item["state"] in ("wins", "only")]
        return winner["class"], winner["why"]

    def steps(self) -> list[str]:
        """What to do about the only contested name."""
        result = kubectl_dra("classes", "-o", "json", "--kubeconfig", str(self._cell.kubeconfig))
        (warning,) = json.loads(result.stdout)["warnings"]
        assert warning["message"] in result.stderr
        steps: list[str] = warning["steps"]
        return steps


@pytest.fixture
def told(cell: Cluster, node: Callable[..., Node], dra_driver: Callable[..., DraDriver]) -> Told:
    """The tool, on a cell with a node that has eight devices."""
    dra_driver(node(), count=8)
    return Told(cell)


@pytest.fixture
def made(apply: Apply) -> Callable[[str], float]:
    """Makes a class that maps the name, and gives the second of its creation."""

    def make(name: str) -> float:
        (answer,) = apply(
            {
                "apiVersion": "resource.k8s.io/v1",
                "kind": "DeviceClass",
                "metadata": {"name": name},
                "spec": {"extendedResourceName": GPU, "selectors": [{"cel": {"expression": 'device.driver == "gpu.example.com"'}}]},
            }
        )
        created: str = answer["metadata"]["creationTimestamp"]
        return time.mktime(time.strptime(created, "%Y-%m-%dT%H:%M:%SZ"))

    return make


@pytest.fixture
def taken(cell: Cluster, namespace: str, apply: Apply, wait_until: WaitUntil) -> Callable[[str], str]:
    """Runs a pod that asks for one device, and gives the class that the scheduler took for it."""

    def run(name: str) -> str:
        apply(asking(name))
        path = f"/api/v1/namespaces/{namespace}/pods/{name}"
        wait_until(lambda: cell.api.get(path)["status"].get("phase") == "Running", f"pod {name} runs")
        claim = cell.api.get(path)["status"]["extendedResourceClaimStatus"]["resourceClaimName"]
        spec = cell.api.get(f"/apis/resource.k8s.io/v1/namespaces/{namespace}/resourceclaims/{claim}")["spec"]
        (request,) = spec["devices"]["requests"]
        return str(request["exactly"]["deviceClassName"])

    return run


@pytest.fixture
def refused(cell: Cluster, namespace: str, apply: Apply, wait_until: WaitUntil) -> Callable[[str], None]:
    """Makes a pod that asks for one device, and waits until the scheduler says that the name means nothing to it."""

    def run(name: str) -> None:
        apply(asking(name))
        path = f"/api/v1/namespaces/{namespace}/pods/{name}"

        def said() -> bool:
            conditions = cell.api.get(path)["status"].get("conditions", [])
            return any(f"Insufficient {GPU}" in each.get("message", "") for each in conditions)

        wait_until(said, f"pod {name} is told that there is none")

    return run


def asking(name: str) -> dict[str, Any]:
    resources = {"limits": {GPU: "1"}}
    spec = {"automountServiceAccountToken": False, "containers": [{"name": "main", "image": "busybox", "resources": resources}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def of_one_second(cell: Cluster, made: Callable[[str], float], wait_until: WaitUntil, *names: str) -> None:
    """Makes these classes in the same second, however often that has to be tried."""

    def tried() -> bool:
        if len({made(name) for name in names}) == 1:
            return True
        for name in names:
            cell.api.delete(f"{CLASSES}/{name}")
        return False

    wait_until(tried, "the classes are made in the same second")


def test_the_newer_class_is_taken(told: Told, made: Callable[[str], float], taken: Callable[[str], str], wait_until: WaitUntil) -> None:
    created = made("a-old")
    wait_until(lambda: time.mktime(time.gmtime()) > created, "the next second has come")
    later = made("b-new") - created
    assert told.winner() == ("b-new", f"created {later:.0f} s later")
    assert taken("one") == "b-new"
    assert [item["class"] for item in told.items("--duplicates", code=1)] == ["a-old", "b-new"]


def test_of_one_second_the_lower_name_is_taken(
    cell: Cluster, told: Told, made: Callable[[str], float], taken: Callable[[str], str], wait_until: WaitUntil
) -> None:
    of_one_second(cell, made, wait_until, "twin-b", "twin-a")
    assert told.winner() == ("twin-a", "same second, name sorts first")
    assert taken("one") == "twin-a"


def test_e1_after_a_rename_the_mapping_is_lost_until_the_survivor_is_updated(
    cell: Cluster,
    told: Told,
    made: Callable[[str], float],
    taken: Callable[[str], str],
    refused: Callable[[str], None],
    wait_until: WaitUntil,
) -> None:
    of_one_second(cell, made, wait_until, "a", "b")
    assert told.winner()[0] == "a"
    assert any(step.startswith("kubectl annotate deviceclass a ") for step in told.steps())
    cell.api.patch(f"{CLASSES}/a", {"spec": {"extendedResourceName": "example.com/other"}})
    assert told.winner() == ("b", None)
    refused("one")
    cell.api.patch(f"{CLASSES}/b", {"metadata": {"annotations": {"example.com/touched": "yes"}}})
    assert taken("two") == "b"


def test_e1_after_the_loser_is_cleared_the_mapping_is_lost_until_the_survivor_is_updated(
    cell: Cluster,
    told: Told,
    made: Callable[[str], float],
    taken: Callable[[str], str],
    refused: Callable[[str], None],
    wait_until: WaitUntil,
) -> None:
    of_one_second(cell, made, wait_until, "a", "b")
    cell.api.patch(f"{CLASSES}/b", {"spec": {"extendedResourceName": None}})
    assert told.winner() == ("a", None)
    refused("one")
    cell.api.patch(f"{CLASSES}/a", {"metadata": {"annotations": {"example.com/touched": "yes"}}})
    assert taken("two") == "a"


def test_e1_the_sequence_that_is_printed_is_safe_and_lets_waiting_pods_go_on(
    cell: Cluster,
    namespace: str,
    told: Told,
    made: Callable[[str], float],
    taken: Callable[[str], str],
    refused: Callable[[str], None],
    paste: Callable[[list[str]], None],
    wait_until: WaitUntil,
) -> None:
    of_one_second(cell, made, wait_until, "a", "b")
    steps = told.steps()
    cleared = steps.index("""kubectl patch deviceclass b --type=merge -p '{"spec":{"extendedResourceName":null}}'""")
    paste(steps[: cleared + 1])
    refused("waits")
    paste(steps[cleared + 1 :])
    wait_until(
        lambda: cell.api.get(f"/api/v1/namespaces/{namespace}/pods/waits")["status"].get("phase") == "Running",
        "the pod that waited runs",
    )
    assert taken("after") == "a"
    assert told.items("--duplicates") == []
