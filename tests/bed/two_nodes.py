"""The smallest cluster in the middle of a move: one node on a device plugin, one on a DRA driver, and pods that know of neither."""

from contextlib import ExitStack
from pathlib import Path

from tests.bed.api import manifests
from tests.bed.cluster import Cluster
from tests.bed.node import DevicePlugin, DraDriver, Node
from tests.bed.waiting import wait_until

OBJECTS = """
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu.example.com}
spec:
  extendedResourceName: example.com/gpu
  selectors: [{cel: {expression: device.driver == "gpu.example.com"}}]
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: train}
spec:
  replicas: 8
  serviceName: train
  podManagementPolicy: Parallel
  selector: {matchLabels: {app: train}}
  template:
    metadata: {labels: {app: train}}
    spec:
      terminationGracePeriodSeconds: 0
      containers:
      - name: train
        image: registry.example/train
        resources: {limits: {example.com/gpu: "1"}}
"""


def start_two_nodes(cluster: Cluster, path: Path, stack: ExitStack) -> None:
    """Start node-a and node-b with four devices each, and wait until eight pods run on them. `path` is a short one; needs root."""
    a = stack.enter_context(Node(cluster, "node-a", path / "a"))
    stack.enter_context(DevicePlugin(a, "example.com/gpu", count=4))
    wait_until(lambda: a.read()["status"]["allocatable"].get("example.com/gpu") == "4", "four devices of the plugin")
    b = stack.enter_context(Node(cluster, "node-b", path / "b"))
    stack.enter_context(DraDriver(b, "gpu.example.com", count=4, attributes={"productName": "Example GPU"}))
    for manifest in manifests(OBJECTS):
        cluster.api.apply(manifest)
    wait_until(lambda: _running(cluster) == 8, "eight running pods")


def _running(cluster: Cluster) -> int:
    return sum(1 for pod in cluster.api.items("/api/v1/namespaces/default/pods") if pod["status"].get("phase") == "Running")
