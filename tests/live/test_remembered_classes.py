"""Histories of classes, played to a real scheduler: after each event it takes the class that `RememberedClasses` says, or none.

Which class it takes is read from the claims that it makes for pods. All histories are played at once, each with names of its own; the
nodes and devices are objects only, because nothing has to run.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import msgspec
import pytest

from kubectl_dra.extended_resources.cache import ClassEvent, RememberedClasses, at_start
from kubectl_dra.extended_resources.classes import resolve
from kubectl_dra.extended_resources.names import class_of_implicit_name, implicit_name
from kubectl_dra.objects.resource import DeviceClass
from tests.bed.api import Manifest
from tests.bed.cluster import Cluster
from tests.bed.waiting import wait_until
from tests.live.conftest import make_namespace

CLASSES = "/apis/resource.k8s.io/v1/deviceclasses"
HISTORIES = 16
STEPS = 5
SLICES = 4
NODE = "remembered"
DRIVER = "remembered.example.com"

Action = tuple[str, str, str]
"""What is done, to which class, and the extended resource name that it gets."""
Script = list[list[Action]]
"""What is done at each step."""

SCRIPTS: tuple[Script, ...] = (
    # the swap that the enhancement proposal recommends, and its cure
    [[("create", "a", "x")], [("create", "b", "x")], [("clear", "a", "")], [("touch", "b", "")]],
    [[("create", "a", "x")], [("create", "b", "x")], [("delete", "a", "")], [("touch", "b", "")]],
    [[("create", "a", "x")], [("create", "b", "x")], [("delete", "b", "")], [("touch", "a", "")]],
    [[("create", "a", "x")], [("create", "b", "x")], [("rename", "b", "y")], [("touch", "a", "")]],
    [[("create", "a", "x")], [("create", "b", "y")], [("rename", "a", "y")], [("delete", "b", "")], [("touch", "a", "")]],
    # of the same second, as a rule: the one that loses lacks its implicit name
    [[("create", "a", "x"), ("create", "b", "x"), ("create", "c", "x")], [("touch", "c", "")], [("delete", "a", "")]],
    [[("create", "b", "x"), ("create", "c", "x")], [("clear", "b", "")], [("rename", "c", "y")]],
)


@dataclass
class History:
    """Two or three classes that share one or two names."""

    number: int
    random: random.Random
    script: Script = field(default_factory=list)
    classes: dict[str, Manifest] = field(default_factory=dict)
    remembered: RememberedClasses = field(default_factory=RememberedClasses)

    def name(self, letter: str) -> str:
        return f"history{self.number}.example.com/{letter}"

    def class_name(self, letter: str) -> str:
        return f"history{self.number}-{letter}"

    def play(self, cluster: Cluster) -> None:
        """Do what comes next."""
        for action in self.script.pop(0) if self.script else (self.some_action() for _ in range(self.random.choice((1, 1, 2)))):
            self.do(cluster, *action)

    def some_action(self) -> Action:
        """Anything that can be done to some class."""
        letter = self.random.choice("abc")
        if letter not in self.classes:
            return "create", letter, self.random.choice("xxy")
        return self.random.choice(("touch", "clear", "rename", "rename", "delete")), letter, self.random.choice("xy")

    def do(self, cluster: Cluster, action: str, letter: str, name: str) -> None:
        """Do one thing to a class, and remember what the server made of it."""
        before, path = self.classes.pop(letter, None), f"{CLASSES}/{self.class_name(letter)}"
        after: Manifest | None
        match action:
            case "create":
                spec = {"extendedResourceName": self.name(name), "selectors": [{"cel": {"expression": f'device.driver == "{DRIVER}"'}}]}
                metadata = {"name": self.class_name(letter)}
                body = {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": metadata, "spec": spec}
                after = cluster.api.create(CLASSES, body)
            case "delete":
                cluster.api.delete(path)
                after = None
            case "touch":
                after = cluster.api.patch(path, {"metadata": {"annotations": {"touched": str(self.random.random())}}})
            case _:
                after = cluster.api.patch(path, {"spec": {"extendedResourceName": None if action == "clear" else self.name(name)}})
        if after is not None:
            self.classes[letter] = after
        self.remembered.see(ClassEvent(decoded(before), decoded(after)))

    def expected(self) -> Iterator[tuple[str, str | None]]:
        """Each name, and the class that it means to the scheduler."""
        for name in (*map(self.name, "xy"), *(implicit_name(self.class_name(letter)) for letter in self.classes)):
            found = self.remembered.device_class(name)
            yield name, None if found is None else found.metadata.name


def decoded(manifest: Manifest | None) -> DeviceClass | None:
    return None if manifest is None else msgspec.convert(manifest, DeviceClass)


def lay_ground(cluster: Cluster) -> None:
    """A node without a kubelet, and devices on it."""
    cluster.api.create("/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE}})
    cluster.api.patch(f"/api/v1/nodes/{NODE}/status", {"status": {"allocatable": {"pods": "5000", "cpu": "64", "memory": "64Gi"}}})
    pool = {"name": NODE, "generation": 1, "resourceSliceCount": SLICES}
    for number in range(SLICES):
        devices = [{"name": f"gpu-{number}-{device}"} for device in range(128)]
        spec = {"driver": DRIVER, "pool": pool, "nodeName": NODE, "devices": devices}
        meta = {"name": f"{NODE}-{number}"}
        cluster.api.apply({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": meta, "spec": spec})


@pytest.fixture
def ground(cell: Cluster) -> Iterator[None]:
    lay_ground(cell)
    yield
    for number in range(SLICES):
        cell.api.delete(f"/apis/resource.k8s.io/v1/resourceslices/{NODE}-{number}")
    cell.api.delete(f"/api/v1/nodes/{NODE}")


def some_histories() -> list[History]:
    scripts = dict(enumerate(SCRIPTS))
    return [History(number, random.Random(number), list(scripts.get(number, ()))) for number in range(HISTORIES)]  # noqa: S311 - no secret


@pytest.fixture
def histories(cell: Cluster, ground: None) -> Iterator[list[History]]:
    yield some_histories()
    for each in cell.api.items(CLASSES):
        if each["metadata"]["name"].startswith(("history", "seen")):
            cell.api.delete(f"{CLASSES}/{each['metadata']['name']}")


def test_the_scheduler_takes_the_class_that_is_remembered(cell: Cluster, namespace: str, histories: list[History]) -> None:
    lost = loser = stale = 0
    for step in range(STEPS):
        for history in histories:
            history.play(cell)
        has_seen(cell, namespace, step)
        expected = {name: found for history in histories for name, found in history.expected()}
        assert taken(cell, namespace, step, expected) == expected
        meant = resolve([found for history in histories for each in history.classes.values() if (found := decoded(each))])
        lost += sum(found is None and meant.device_class(name) is not None for name, found in expected.items())
        loser += sum(found is None and meant.device_class(name) is not None for name, found in expected.items() if "kubernetes.io/" in name)
        stale += sum(found is not None and meant.device_class(name) is None for name, found in expected.items())
    assert lost > loser > 0 and stale > 0, "the histories reach every fault"


def test_a_scheduler_that_starts_knows_what_the_list_of_classes_gives(own_cell: Callable[..., Cluster]) -> None:
    """Whatever it had lost before. The list comes in random order, and that decides of the implicit names of classes that lose."""
    cluster, histories = own_cell(), some_histories()
    lay_ground(cluster)
    make_namespace(cluster, "restarted")
    for _ in range(2):
        for history in histories:
            history.play(cluster)
    cluster.stop("kube-scheduler")
    cluster.start("kube-scheduler")
    known = at_start(found for history in histories for each in history.classes.values() if (found := decoded(each)))
    names = [name for history in histories for name, _ in history.expected()]
    took = taken(cluster, "restarted", 0, names)
    certain = {name: device_class.metadata.name for name, device_class in known.certain.items()}
    assert {name: took[name] for name in names if name not in known.by_chance} == {
        name: certain.get(name) for name in names if name not in known.by_chance
    }
    assert len(known.by_chance) >= 8
    assert all(took[name] in (None, class_of_implicit_name(name)) for name in known.by_chance)


def has_seen(cell: Cluster, namespace: str, step: int) -> None:
    """Wait until the scheduler has had all events so far: they come in order, and it places a pod by a class that was made last."""
    name = f"seen{step}"
    cell.api.create(CLASSES, {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": name}, "spec": SELECTS})
    make_pod(cell, namespace, name, implicit_name(name))
    pods = f"/api/v1/namespaces/{namespace}/pods/{name}"
    wait_until(lambda: cell.api.get(pods)["spec"].get("nodeName"), "the scheduler knows the class that was made last")


SELECTS = {"selectors": [{"cel": {"expression": f'device.driver == "{DRIVER}"'}}]}


def make_pod(cell: Cluster, namespace: str, name: str, resource: str) -> None:
    container = {"name": "main", "image": "i", "resources": {"limits": {resource: "1"}}}
    spec = {
        "automountServiceAccountToken": False,
        "terminationGracePeriodSeconds": 0,
        "tolerations": [{"operator": "Exists"}],
        "affinity": ON_THE_NODE,
        "containers": [container],
    }
    path = f"/api/v1/namespaces/{namespace}/pods"
    cell.api.create(path, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec})


ON_THE_NODE = {
    "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [NODE]}]}]
        }
    }
}


def taken(cell: Cluster, namespace: str, step: int, names: Iterable[str]) -> dict[str, str | None]:
    """For each name the class of the claim that the scheduler makes for a pod that asks for it; None where it says Insufficient."""
    pods = {f"step{step}-{number}": name for number, name in enumerate(names)}
    for pod, name in pods.items():
        make_pod(cell, namespace, pod, name)
    path = f"/api/v1/namespaces/{namespace}/pods"

    def told() -> list[Manifest] | None:
        found = [each for each in cell.api.items(path) if each["metadata"]["name"] in pods]
        return found if all(map(answered, found)) else None

    found = {each["metadata"]["name"]: each for each in wait_until(told, "the scheduler has answered all pods")}
    claims = {each["metadata"]["name"]: each for each in cell.api.items(f"/apis/resource.k8s.io/v1/namespaces/{namespace}/resourceclaims")}
    answers = {name: device_class_of(found[pod], name, claims) for pod, name in pods.items()}
    cell.api.delete(path, grace=0)
    wait_until(lambda: not cell.api.items(path), "the pods are gone")
    return answers


def answered(pod: Manifest) -> bool:
    """Whether the scheduler has decided; an error, which can pass, is tried again."""
    return any(each["type"] == "PodScheduled" and each.get("reason") != "SchedulerError" for each in pod["status"].get("conditions", ()))


def device_class_of(pod: Manifest, name: str, claims: Mapping[str, Manifest]) -> str | None:
    status = pod["status"].get("extendedResourceClaimStatus")
    if status is None:
        (message,) = (each["message"] for each in pod["status"]["conditions"] if each["type"] == "PodScheduled")
        assert f"1 Insufficient {name}" in message
        return None
    (request,) = claims[status["resourceClaimName"]]["spec"]["devices"]["requests"]
    return str(request["exactly"]["deviceClassName"])
