"""A cluster of pods that wait, each for another reason: node-a has a device plugin with one GPU, node-b a DRA driver with two."""

from contextlib import ExitStack
from pathlib import Path

from tests.bed.api import Manifest, manifests
from tests.bed.cluster import Cluster
from tests.bed.node import DevicePlugin, DraDriver, Node
from tests.bed.waiting import wait_until

CLASSES = """
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu.example.com}
spec:
  extendedResourceName: example.com/gpu
  selectors: [{cel: {expression: device.driver == "gpu.example.com"}}]
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: large-gpu.example.com}
spec:
  extendedResourceName: example.com/large-gpu
  selectors:
  - {cel: {expression: 'device.driver == "gpu.example.com" && device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0'}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: nic.example.com}
spec:
  extendedResourceName: example.com/nic
  selectors: [{cel: {expression: device.driver == "nic.example.com"}}]
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: tpu.example.com}
spec:
  extendedResourceName: example.com/tpu
  selectors: [{cel: {expression: device.driver == "tpu.example.com"}}]
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: old-tpu.example.com}
spec:
  extendedResourceName: example.com/tpu
  selectors: [{cel: {expression: device.driver == "tpu.example.com"}}]
"""
SLICES = """
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: node-b-nic.example.com}
spec:
  driver: nic.example.com
  nodeName: node-b
  pool: {name: node-b, generation: 3, resourceSliceCount: 2}
  devices: [{name: nic-0}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: node-b-tpu.example.com}
spec:
  driver: tpu.example.com
  nodeName: node-b
  pool: {name: node-b, generation: 1, resourceSliceCount: 1}
  devices: [{name: tpu-0}]
"""
"""Of the first pool one of two slices is there."""

HOLDERS = (("train-0", "node-b"), ("train-1", "node-b"), ("eval", "node-a"))
"""One after the other: the order decides who has which device."""
WAITING = {
    "large": ("example.com/large-gpu", 1),
    "busy": ("example.com/gpu", 1),
    "network": ("example.com/nic", 1),
    "tpu": ("example.com/tpu", 1),
    "many": ("example.com/gpu", 33),
}
"""A class that selects nothing; everything in use; an incomplete pool; a lost mapping; more than 32 devices."""
PODS = "/api/v1/namespaces/default/pods"


def start_waiting_pods(cluster: Cluster, path: Path, stack: ExitStack) -> tuple[Node, Node, DraDriver]:
    """Start both nodes and all pods, and wait until the scheduler has said why it places none of those that wait. Needs root."""
    a = stack.enter_context(Node(cluster, "node-a", path / "a"))
    stack.enter_context(DevicePlugin(a, "example.com/gpu", count=1))
    wait_until(lambda: a.read()["status"]["allocatable"].get("example.com/gpu") == "1", "the plugin's device")
    b = stack.enter_context(Node(cluster, "node-b", path / "b"))
    driver = stack.enter_context(DraDriver(b, "gpu.example.com", count=2, capacity={"memory": "16Gi"}))
    for manifest in manifests(CLASSES + "---" + SLICES):
        cluster.api.apply(manifest)
    cluster.api.delete("/apis/resource.k8s.io/v1/deviceclasses/old-tpu.example.com")
    for name, node in HOLDERS:
        cluster.api.create(PODS, pod(name, "example.com/gpu", node=node))
        wait_until(lambda name=name: cluster.api.get(f"{PODS}/{name}")["status"].get("phase") == "Running", f"pod {name} runs")  # type: ignore[misc]
    for name, (resource, count) in WAITING.items():
        cluster.api.create(PODS, pod(name, resource, count))
    for name in WAITING:
        wait_until(lambda name=name: told(cluster, name), f"the scheduler says why {name} waits")  # type: ignore[misc]
    return a, b, driver


def pod(name: str, resource: str, count: int = 1, *, node: str | None = None) -> Manifest:
    """A pod that asks for so many of a resource."""
    spec: Manifest = {
        "automountServiceAccountToken": False,
        "terminationGracePeriodSeconds": 0,
        "containers": [{"name": "main", "image": "registry.example/train", "resources": {"limits": {resource: str(count)}}}],
    }
    if node is not None:
        spec["nodeSelector"] = {"kubernetes.io/hostname": node}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"}, "spec": spec}


def told(cluster: Cluster, name: str) -> bool:
    """Whether the pod's condition and an event have the same words: the last ones."""
    conditions = cluster.api.get(f"{PODS}/{name}")["status"].get("conditions", ())
    message = next((each.get("message") for each in conditions if each["type"] == "PodScheduled" and each["status"] == "False"), None)
    events = cluster.api.items("/api/v1/namespaces/default/events", fieldSelector=f"involvedObject.name={name}")
    return message is not None and any(each["message"] == message for each in events)
