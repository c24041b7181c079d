"""A cluster with nodes to move: two on a device plugin, which goes by a label and for which a DRA driver comes by another, and pods."""

from contextlib import ExitStack
from functools import partial
from pathlib import Path

from tests.bed.api import Manifest
from tests.bed.cluster import Cluster
from tests.bed.node import Node
from tests.bed.operands import CLASS, DRIVER, DRIVER_LABEL, PLUGIN, PLUGIN_LABEL, RESOURCE, Operands, daemon_set
from tests.bed.waiting import wait_until

NODES = ("gpu-1", "gpu-2")
DEVICES = 4
NAMESPACE = "example-devices"


def start_movable(cluster: Cluster, path: Path, stack: ExitStack) -> None:
    """Start gpu-1 and gpu-2 with four devices each, and wait until seven pods run, four of which hold a device. Needs root."""
    nodes = [stack.enter_context(Node(cluster, name, path / name, labels={PLUGIN_LABEL: "true"})) for name in NODES]
    for name in (NAMESPACE, "team"):
        cluster.api.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        account = f"/api/v1/namespaces/{name}/serviceaccounts/default"
        wait_until(partial(cluster.api.find, account), f"service account of namespace {name}")
    cluster.api.create("/apis/resource.k8s.io/v1/deviceclasses", CLASS)
    stack.enter_context(Operands(nodes, NAMESPACE, DEVICES))
    for name, label in ((PLUGIN, PLUGIN_LABEL), (DRIVER, DRIVER_LABEL)):
        cluster.api.create(f"/apis/apps/v1/namespaces/{NAMESPACE}/daemonsets", daemon_set(name, label))
    for node in nodes:
        wait_until(partial(_offered, node), f"the plugin's devices on {node.name}", 60)
    cluster.api.apply(_deployment("train", 4, {RESOURCE: "1"}), "team")
    cluster.api.apply(_deployment("web", 3, {}), "team")
    wait_until(lambda: _running(cluster) == 7, "seven running pods", 60)


def _offered(node: Node) -> bool:
    return bool(node.read()["status"]["allocatable"].get(RESOURCE) == str(DEVICES))


def _deployment(name: str, replicas: int, limits: dict[str, str]) -> Manifest:
    container = {"name": "main", "image": "registry.example/main", "resources": {"limits": limits}}
    spec = {"terminationGracePeriodSeconds": 0, "containers": [container]}
    template = {"metadata": {"labels": {"app": name}}, "spec": spec}
    fields = {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": fields}


def _running(cluster: Cluster) -> int:
    return sum(1 for pod in cluster.api.items("/api/v1/namespaces/team/pods") if pod["status"].get("phase") == "Running")
