"""A cluster for taints: node-a's three devices are in use, node-b has one that is free. Which pod has which device is always the same."""

from contextlib import ExitStack
from functools import partial
from pathlib import Path

from tests.bed.api import manifests
from tests.bed.cluster import Cluster
from tests.bed.node import DraDriver, Node
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
  replicas: 2
  serviceName: train
  selector: {matchLabels: {app: train}}
  template:
    metadata: {labels: {app: train}}
    spec:
      terminationGracePeriodSeconds: 0
      containers:
      - name: train
        image: registry.example/train
        resources: {limits: {example.com/gpu: "1"}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: train}
spec:
  minAvailable: 2
  selector: {matchLabels: {app: train}}
"""

NOTEBOOK = """
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: notebook}
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.example.com
        tolerations: [{key: example.com/maintenance, operator: Exists, effect: NoExecute, tolerationSeconds: 300}]
---
apiVersion: v1
kind: Pod
metadata: {name: notebook}
spec:
  terminationGracePeriodSeconds: 0
  resourceClaims: [{name: gpu, resourceClaimName: notebook}]
  containers:
  - name: notebook
    image: registry.example/notebook
    resources: {claims: [{name: gpu}]}
"""


def start_devices_in_use(cluster: Cluster, path: Path, stack: ExitStack) -> None:
    """Start both nodes, and three pods one after the other. `path` is a short one; needs root."""
    a = stack.enter_context(Node(cluster, "node-a", path / "a"))
    stack.enter_context(DraDriver(a, "gpu.example.com", count=3))
    b = stack.enter_context(Node(cluster, "node-b", path / "b"))
    stack.enter_context(DraDriver(b, "gpu.example.com", count=1))
    cluster.api.patch("/api/v1/nodes/node-b", {"spec": {"unschedulable": True}})
    for number, text in ((2, OBJECTS), (3, NOTEBOOK)):
        for manifest in manifests(text):
            cluster.api.apply(manifest)
        wait_until(partial(_runs, cluster, number), f"{number} running pods")
    budget = "/apis/policy/v1/namespaces/default/poddisruptionbudgets/train"
    wait_until(lambda: cluster.api.get(budget).get("status", {}).get("currentHealthy") == 2, "the budget counts both pods")
    cluster.api.patch("/api/v1/nodes/node-b", {"spec": {"unschedulable": None}})


def settle(cluster: Cluster) -> None:
    """Wait until the rules that evict have said that they are done, which takes them ten seconds, and all pods run again."""
    wait_until(lambda: _done(cluster), "nothing moves")


def _done(cluster: Cluster) -> bool:
    rules = cluster.api.items("/apis/resource.k8s.io/v1/devicetaintrules")
    evicting = [each for each in rules if each["spec"]["taint"]["effect"] == "NoExecute"]
    reasons = {condition["reason"] for each in evicting for condition in each.get("status", {}).get("conditions", [{"reason": ""}])}
    return reasons <= {"Completed"} and _runs(cluster, 3)


def _runs(cluster: Cluster, number: int) -> bool:
    pods = cluster.api.items("/api/v1/namespaces/default/pods")
    return sum(1 for pod in pods if pod["status"].get("phase") == "Running") == number
