"""A fresh healthy cluster is quiet: one node on its plugin, one on its driver, their pods, and pods that run on both."""

import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.bed.api import manifests
from tests.bed.cluster import Cluster
from tests.bed.two_nodes import start_two_nodes
from tests.bed.waiting import wait_until
from tests.run import Result, kubectl_dra

DAEMONS = """
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: example-device-plugin, namespace: kube-system}
spec:
  selector: {matchLabels: {app: example-device-plugin}}
  template:
    metadata: {labels: {app: example-device-plugin}}
    spec:
      nodeSelector: {kubernetes.io/hostname: node-a}
      automountServiceAccountToken: false
      containers: [{name: plugin, image: registry.example/device-plugin}]
      volumes: [{name: plugins, hostPath: {path: /var/lib/kubelet/device-plugins}}]
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: dra-example-driver, namespace: kube-system}
spec:
  selector: {matchLabels: {app: dra-example-driver}}
  template:
    metadata: {labels: {app: dra-example-driver}}
    spec:
      nodeSelector: {kubernetes.io/hostname: node-b}
      automountServiceAccountToken: false
      containers: [{name: driver, image: registry.k8s.io/dra-example-driver/dra-example-driver}]
      volumes: [{name: plugins, hostPath: {path: /var/lib/kubelet/plugins/gpu.example.com}}]
"""


def test_a_fresh_healthy_cluster_has_no_finding_above_info(own_cell: Callable[..., Cluster], short_path: Path) -> None:
    with ExitStack() as stack:
        cluster = own_cell()
        start_two_nodes(cluster, short_path, stack)
        for manifest in manifests(DAEMONS):
            cluster.api.apply(manifest)
        wait_until(lambda: _ready(cluster) == 2, "the plugin's pod and the driver's are ready")
        ran = kubectl_dra("audit", "--fail-on", "warning", "-o", "json", "--kubeconfig", str(cluster.kubeconfig))
        report = json.loads(ran.stdout)
        assert [(each["code"], each["evidence"]) for each in report["findings"] if each["severity"] != "info"] == []
        assert {each["code"] for each in report["findings"]} <= NOTES
        assert {each["code"] for each in report["unknown"]} <= MANAGED
        assert report["names"] == [{"name": "example.com/gpu", "verdict": "ready", "codes": []}]
        assert ran.code == 0
        _waits_for_nothing(ran, cluster)


NOTES = {"DRA703"}
"""Faults of 1.37.2 that are to be kept in mind during a move."""
MANAGED = {"DRA702"}
"""The bed's control plane runs in no pods, as a managed one: what its scheduler's gates are nobody can see."""


def _waits_for_nothing(ran: Result, cluster: Cluster) -> None:
    """Nothing was seen that a second look would have to settle, so none is advised."""
    assert "--settle" not in ran.stderr
    told = kubectl_dra("audit", "--severity", "warning", "--kubeconfig", str(cluster.kubeconfig))
    assert told.stdout.startswith("NAME              VERDICT   BLOCKED BY\nexample.com/gpu   ready     <none>\n")


def _ready(cluster: Cluster) -> int:
    def ready(pod: dict[str, Any]) -> bool:
        return any(each["type"] == "Ready" and each["status"] == "True" for each in pod["status"].get("conditions", []))

    return sum(map(ready, cluster.api.items("/api/v1/namespaces/kube-system/pods")))
