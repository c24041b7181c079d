"""A node that can be moved: a plugin and a driver that come and go by labels, a class, and a watch that no device is ever held twice."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.bed import operands
from tests.bed.api import Manifest
from tests.bed.cluster import Cluster
from tests.bed.held import Held
from tests.bed.node import Node
from tests.bed.operands import DRIVER, DRIVER_LABEL, PLUGIN, PLUGIN_LABEL, RESOURCE, Operands
from tests.bed.waiting import wait_until
from tests.live.conftest import make_namespace, remove_namespace
from tests.run import Result, kubectl_dra

SHORT: Mapping[str, float] = {
    "poll": 0.2,
    "retry": 0.3,
    "steadyZero": 0.5,
    "acceptedZero": 0.5,
    "slicesUnchanged": 1.5,
    "uncordoned": 0.3,
    "resync": 0.3,
    "lease": 3,
    "renew": 1,
}
"""Intervals that only the kubelet's own five minutes do not follow."""

IMAGE = "registry.example/pause"
"""A new kubelet tells of no image for its first 30 s."""


class Ground:
    """One cluster with nodes on the plugin. `operands` keeps plugins and drivers in step with their pods."""

    def __init__(self, cell: Cluster, namespace: str, nodes: Sequence[Node], kept: Operands, held: Held, files: Path) -> None:
        self.cell = cell
        self.namespace = namespace
        self.nodes = tuple(nodes)
        self.operands = kept
        self.held = held
        self.files = files
        self.timing = files / "timing.json"
        self.timing.write_text(json.dumps(SHORT))

    @property
    def node(self) -> Node:
        """The only, or the first, node."""
        return self.nodes[0]

    def arguments(self, *more: str, node: str = "", kubeconfig: Path | None = None) -> list[str]:
        """Of `kubectl dra`, for a run that does not wait for the five minutes."""
        return [
            "migrate-node",
            node or self.node.name,
            *("--profile", "example", "--yes", "-o", "json", "--canary-image", IMAGE, "--accept-allocatable-zero"),
            *("--kubeconfig", str(kubeconfig or self.cell.kubeconfig)),
            *more,
        ]

    @property
    def variables(self) -> dict[str, str]:
        """Of the command's environment."""
        return {"KUBECTL_DRA_TIMING": str(self.timing)}

    def run(self, *more: str, node: str = "", kubeconfig: Path | None = None) -> Result:
        """Run it in this process."""
        return self.call(self.arguments(*more, node=node, kubeconfig=kubeconfig))

    def call(self, arguments: Sequence[str]) -> Result:
        """Run just these arguments."""
        return kubectl_dra(*arguments, variables=self.variables)

    def start(self, *more: str, node: str = "", kubeconfig: Path | None = None) -> "subprocess.Popen[str]":
        """Run it in a process of its own, to be killed or interrupted."""
        return self.start_with(self.arguments(*more, node=node, kubeconfig=kubeconfig))

    def start_with(self, arguments: Sequence[str]) -> "subprocess.Popen[str]":
        """The same with just these arguments."""
        program = "import sys; from kubectl_dra.cli.main import main; sys.exit(main())"
        return subprocess.Popen(
            [sys.executable, "-c", program, *arguments],
            env=self.variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def journal(self, name: str = "") -> Manifest:
        """What stands on the node; empty for nothing."""
        text = self.node_object(name)["metadata"]["annotations"].get("kubectl-dra.io/migration")
        found: Manifest = json.loads(text) if text else {}
        return found

    def at(self, step: str, state: str = "running") -> bool:
        """Whether the journal has the step in this state."""
        return any(mark["step"] == step and mark["state"] == state for mark in self.journal().get("steps", ()))

    def move(self, *more: str, node: str = "") -> Manifest:
        """Move the node, well, and give the record."""
        return self._well(self.run(*more, node=node), "moved")

    def back(self, *more: str, node: str = "") -> Manifest:
        """Bring it back, well, and give the record."""
        return self._well(self.run("--rollback", *more, node=node), "returned")

    def _well(self, result: Result, phase: str) -> Manifest:
        assert result.code == 0, told(result)
        record: Manifest = json.loads(result.stdout)
        assert record["phase"] == phase
        return record

    def pods(self, **labels: str) -> list[Manifest]:
        """The test's pods with these labels that are not being deleted."""
        selector = ",".join(f"{key}={value}" for key, value in labels.items())
        found = self.cell.api.items(f"/api/v1/namespaces/{self.namespace}/pods", labelSelector=selector)
        return [pod for pod in found if not pod["metadata"].get("deletionTimestamp")]

    def running(self, count: int, **labels: str) -> list[Manifest]:
        """Wait until so many of them run, and give them."""

        def look() -> list[Manifest] | None:
            found = self.pods(**labels)
            return found if [pod["status"].get("phase") for pod in found] == ["Running"] * count else None

        return wait_until(look, f"{count} running pods {labels}", 60)

    def node_object(self, name: str = "") -> Manifest:
        """The node as it is."""
        return self.cell.api.get(f"/api/v1/nodes/{name or self.node.name}")

    def assert_clean(self, name: str = "", *, rules: bool = True) -> None:
        """Nothing of a run is left on the node or beside it but the journal's record. `rules` are not served everywhere."""
        found = self.node_object(name)
        assert not found["spec"].get("unschedulable")
        assert not [taint for taint in found["spec"].get("taints", []) if taint["key"].startswith("kubectl-dra.io/")]
        annotations = found["metadata"]["annotations"]
        assert json.loads(annotations["kubectl-dra.io/migration"])["finished"] is True
        assert {"cluster-autoscaler.kubernetes.io/scale-down-disabled", "karpenter.sh/do-not-disrupt"}.isdisjoint(annotations)
        mark = sha256((name or self.node.name).encode()).hexdigest()[:16]
        lease = f"/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kubectl-dra-{mark}"
        assert self.cell.api.find(lease) is None
        ours = f"kubectl-dra.io/node={mark}"
        assert not (rules and self.cell.api.items("/apis/resource.k8s.io/v1/devicetaintrules", labelSelector=ours))
        spaces = self.cell.api.items("/api/v1/namespaces", labelSelector=ours)
        assert not [each for each in spaces if not each["metadata"].get("deletionTimestamp")]


def told(result: Result) -> str:
    """What a run said, in short."""
    try:
        record = json.loads(result.stdout)
    except ValueError:
        return f"{result.code}: {result.stdout} {result.stderr}"
    steps = [(each["name"], each["state"], each.get("message", "")) for each in record["steps"]]
    blockers = [check["message"] for each in record["steps"] for check in each.get("checks", ()) if check["level"] == "blocker"]
    return f"{result.code}: {record['message']} {record['next']} {blockers} {steps} {record['summary']}"


def step(record: Manifest, name: str) -> Manifest:
    """A line of a record."""
    return next(each for each in record["steps"] if each["name"] == name)


@pytest.fixture
def grounds(cell: Cluster, namespace: str, node: Callable[..., Node], tmp_path: Path) -> Iterator[Callable[..., Ground]]:
    """A factory of grounds: `grounds(count=1, devices=4, cluster=None, withdraws=True, labels=..., **options of Node)`."""
    with ExitStack() as stack:

        def make(
            count: int = 1,
            devices: int = 4,
            *,
            cluster: Cluster | None = None,
            withdraws: bool = True,
            labels: Mapping[str, str] | None = None,
            tolerations: Sequence[Mapping[str, str]] = (),
            **options: Any,
        ) -> Ground:
            wanted = {PLUGIN_LABEL: "true"} if labels is None else labels
            home = cluster or cell
            nodes = [node(cluster=cluster, labels=wanted, **options) for _ in range(count)]
            if cluster is not None:
                make_namespace(cluster, namespace)
            place = f"{namespace}-devices"
            make_namespace(home, place)
            stack.callback(remove_namespace, home, place)
            home.api.create("/apis/resource.k8s.io/v1/deviceclasses", operands.CLASS)
            stack.callback(home.api.delete, f"/apis/resource.k8s.io/v1/deviceclasses/{operands.DRIVER_NAME}")
            kept = stack.enter_context(Operands(nodes, place, devices, withdraws=withdraws))
            held = stack.enter_context(Held(nodes))
            stack.callback(held.check)
            daemon_sets = f"/apis/apps/v1/namespaces/{place}/daemonsets"
            for name, label in ((PLUGIN, PLUGIN_LABEL), (DRIVER, DRIVER_LABEL)):
                home.api.create(daemon_sets, operands.daemon_set(name, label, tolerations))
                stack.callback(home.api.delete, f"{daemon_sets}/{name}", propagationPolicy="Background")
            for each in nodes if wanted.get(PLUGIN_LABEL) == "true" else ():
                offered = lambda each=each: each.read()["status"]["allocatable"].get(RESOURCE) == str(devices)  # noqa: E731
                wait_until(offered, "the plugin's devices are offered")
            return Ground(home, namespace, nodes, kept, held, tmp_path)

        yield make


@pytest.fixture
def ground(grounds: Callable[..., Ground]) -> Ground:
    """One node on the plugin, with four devices."""
    return grounds()
