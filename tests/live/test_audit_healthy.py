"""A fresh healthy cluster is quiet: one node on its plugin, one on its driver, their pods, and pods that run on both.

Then three faults are made, and mended by pasting what the audit prints, as someone would who knows nothing else.
"""

import json
import os
import subprocess
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
        _mended_by_what_is_printed(cluster, short_path)


NOTES = {"DRA703"}
"""Faults of 1.37.2 that are to be kept in mind during a move."""
MANAGED = {"DRA702"}
"""The bed's control plane runs in no pods, as a managed one: what its scheduler's gates are nobody can see."""


def _waits_for_nothing(ran: Result, cluster: Cluster) -> None:
    """Nothing was seen that a second look would have to settle, so none is advised."""
    assert "--settle" not in ran.stderr
    told = kubectl_dra("audit", "--severity", "warning", "--kubeconfig", str(cluster.kubeconfig))
    assert told.stdout.startswith("NAME              VERDICT   BLOCKED BY\nexample.com/gpu   ready     <none>\n")


FAULTS = """
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: second}
spec:
  extendedResourceName: example.com/gpu
  selectors: [{cel: {expression: device.driver == "gpu.example.com"}}]
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: gpus, namespace: default}
spec: {hard: {example.com/gpu: "10"}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceTaintRule
metadata: {name: everything}
spec: {deviceSelector: {}, taint: {key: example.com/maintenance, effect: NoSchedule}}
"""


def _mended_by_what_is_printed(cluster: Cluster, folder: Path) -> None:
    cluster.kubectl("scale", "statefulset", "train", "--replicas=6")
    wait_until(lambda: len(cluster.api.items("/api/v1/namespaces/default/pods")) == 6, "two devices are free for the pod that proves it")
    for manifest in manifests(FAULTS):
        cluster.api.apply(manifest)
    found = _above_info(cluster)
    assert [each["code"] for each in found] == ["DRA101", "DRA501", "DRA902"]
    # the rule first: while it keeps pods off all devices, the pod that proves DRA101's cure may wait, as its comment says
    _paste(cluster, folder, [step for each in reversed(found) for step in each["fix"]])
    assert _above_info(cluster) == []


def _above_info(cluster: Cluster) -> list[dict[str, Any]]:
    ran = kubectl_dra("audit", "--severity", "warning", "-o", "json", "--kubeconfig", str(cluster.kubeconfig))
    found: list[dict[str, Any]] = json.loads(ran.stdout)["findings"]
    return sorted(found, key=lambda each: str(each["code"]))


def _paste(cluster: Cluster, folder: Path, lines: list[str]) -> None:
    """As a person would, into a shell that has kubectl on its PATH."""
    command = folder / "bin" / "kubectl"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {cluster.bed} kubectl "$@"\n')
    command.chmod(0o755)
    environment = {**os.environ, "KUBECONFIG": str(cluster.kubeconfig), "PATH": f"{command.parent}:{os.environ['PATH']}"}
    ran = subprocess.run(
        ["/bin/sh", "-e"], input="\n".join(lines), env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def _ready(cluster: Cluster) -> int:
    def ready(pod: dict[str, Any]) -> bool:
        return any(each["type"] == "Ready" and each["status"] == "True" for each in pod["status"].get("conditions", []))

    return sum(map(ready, cluster.api.items("/api/v1/namespaces/kube-system/pods")))
