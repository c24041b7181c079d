"""Manifests beside a real cluster: its classes and nodes say how bad a fault is, and its API server takes what nothing is said of."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.bed.api import Manifest
from tests.bed.cluster import Cluster
from tests.run import Result, kubectl_dra

NAME = "written.example.com/gpu"
CLUSTER = f"""
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {{name: written-class}}
spec: {{extendedResourceName: {NAME}}}
---
apiVersion: v1
kind: Node
metadata: {{name: written-node}}
status:
  capacity: {{{NAME}: "4"}}
  allocatable: {{{NAME}: "4"}}
"""
WRITTEN = f"""
apiVersion: batch/v1
kind: Job
metadata: {{generateName: large-}}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{{name: main, image: registry.example/train, resources: {{limits: {{{NAME}: 33}}}}}}]
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: both}}
spec:
  serviceName: both
  selector: {{matchLabels: {{app: both}}}}
  template:
    metadata: {{labels: {{app: both}}}}
    spec:
      resourceClaims: [{{name: nic, resourceClaimTemplateName: nics}}]
      containers: [{{name: main, image: registry.example/train, resources: {{limits: {{{NAME}: 1}}, claims: [{{name: nic}}]}}}}]
"""


def audit(kubeconfig: Path | str, *argv: str) -> Result:
    return kubectl_dra("audit", "--manifests", "-", "-o", "json", *argv, stdin=WRITTEN.encode(), variables={"KUBECONFIG": str(kubeconfig)})


def severities(result: Result) -> list[tuple[str, str, int]]:
    found: list[dict[str, Any]] = json.loads(result.stdout)["findings"]
    return [(each["code"], each["severity"], each["places"][0]["line"]) for each in found]


def test_the_clusters_classes_and_nodes_say_how_bad_it_is(
    cell: Cluster, apply: Callable[..., list[Manifest]], few_rights: Callable[..., Path], tmp_path: Path
) -> None:
    apply(CLUSTER)
    beside = audit(cell.kubeconfig)
    assert (beside.code, severities(beside)) == (1, [("DRA401", "error", 2), ("DRA402", "error", 11)])
    assert json.loads(beside.stdout)["cluster"]["serverVersion"] == "v1.37.2"

    # who may read no class learns it once, and what is written is judged as far as that goes
    partly = audit(few_rights({"apiGroups": [""], "resources": ["nodes"], "verbs": ["list"]}))
    assert (partly.code, severities(partly)) == (0, [("DRA401", "info", 2)])
    (reason,) = [each["reason"] for each in json.loads(partly.stdout)["unknown"]]
    assert "DeviceClass" in reason and "forbidden (needs the verb list on deviceclasses.resource.k8s.io" in reason

    away = cell.write_kubeconfig(tmp_path / "away", server="https://127.0.0.1:1")
    alone = audit(away)
    assert (alone.code, severities(alone)) == (0, [("DRA401", "info", 2)])
    assert "no cluster was read beside the manifests (" in json.loads(alone.stdout)["unknown"][0]["reason"]
    assert audit(away, "--context", "bed").code == 3


def test_what_is_applied_is_what_was_judged(cell: Cluster, namespace: str, apply: Callable[..., list[Manifest]]) -> None:
    """The same objects, once they are in the cluster, give the same findings: a manifest is judged as what it becomes."""
    apply(CLUSTER)
    named = WRITTEN.replace("generateName: large-", "name: large")
    written = kubectl_dra(
        "audit", "--manifests", "-", "-n", namespace, "-o", "json", "--kubeconfig", str(cell.kubeconfig), stdin=named.encode()
    )
    apply(named)
    live = kubectl_dra("audit", "-n", namespace, "--select", "DRA401,DRA402", "-o", "json", "--kubeconfig", str(cell.kubeconfig))
    told = [[(each["code"], each["title"], each["cause"]) for each in json.loads(ran.stdout)["findings"]] for ran in (written, live)]
    assert told[0] == told[1]
    assert [code for code, _, _ in told[0]] == ["DRA401", "DRA402"]
