"""The README's real cluster: one node on the plugin, one on DRA. What is shown is what is printed, live and from kubectl's file."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.bed.api import manifests
from tests.bed.cluster import Cluster
from tests.bed.two_nodes import start_two_nodes
from tests.bed.waiting import wait_until
from tests.readme import Example, examples, printed, steady
from tests.run import kubectl_dra

ONE_OF_EACH = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: idle}
spec:
  replicas: 0
  selector: {matchLabels: {a: idle}}
  template: {metadata: {labels: {a: idle}}, spec: {containers: [{name: c, image: i}]}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: nowhere}
spec:
  selector: {matchLabels: {a: nowhere}}
  template: {metadata: {labels: {a: nowhere}}, spec: {nodeSelector: {needs: nothing}, containers: [{name: c, image: i}]}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: idle}
spec: {suspend: true, template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: idle}
spec:
  suspend: true
  schedule: "0 0 * * *"
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}}
---
apiVersion: v1
kind: ReplicationController
metadata: {name: idle}
spec: {replicas: 0, selector: {a: rc}, template: {metadata: {labels: {a: rc}}, spec: {containers: [{name: c, image: i}]}}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: train}
spec: {maxUnavailable: 1, selector: {matchLabels: {app: train}}}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: gpus}
spec: {hard: {requests.example.com/gpu: "9"}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceTaintRule
metadata: {name: elsewhere}
spec: {deviceSelector: {device: none}, taint: {key: example.com/k, effect: None}}
---
apiVersion: storage.k8s.io/v1
kind: CSIDriver
metadata: {name: csi.example.com}
spec: {attachRequired: false}
"""
"""A kind of which kubectl's file has no object is unknown, not empty."""

LIVE = [example for example in examples() if not (example.offline or example.of_waiting_pods or example.of_devices_in_use)]
KINDS = (
    "nodes,pods,deviceclasses,resourceslices,resourceclaims,devicetaintrules,resourcequotas,poddisruptionbudgets,deployments,replicasets,"
    "statefulsets,daemonsets,jobs,cronjobs,replicationcontrollers,csidrivers"
)


@pytest.fixture
def two_nodes(own_cell: Callable[..., Cluster], short_path: Path) -> Iterator[Cluster]:
    """The cluster of the README, of this test alone."""
    with ExitStack() as stack:
        cluster = own_cell()
        start_two_nodes(cluster, short_path, stack)
        yield cluster


def test_what_the_readme_shows_and_what_kubectl_s_file_says(two_nodes: Cluster, tmp_path: Path) -> None:
    live = {"KUBECONFIG": str(two_nodes.kubeconfig)}
    assert len(LIVE) >= 3
    shown = {example.command: example.output for example in LIVE}
    assert {example.command: steady(printed(example, live)) for example in LIVE} == shown
    for manifest in manifests(ONE_OF_EACH):
        two_nodes.api.apply(manifest)
    wait_until(lambda: two_nodes.api.get("/api/v1/namespaces/default/resourcequotas/gpus")["status"].get("used"), "the quota is counted")
    path = tmp_path / "cluster.yaml"
    path.write_text(two_nodes.kubectl("get", KINDS, "-A", "-o", "yaml"))
    for example in LIVE:
        assert answer(example, variables=live) == answer(example, f"--from={path}")


def answer(example: Example, *more: str, variables: dict[str, str] | None = None) -> dict[str, Any]:
    """The document that a command prints, without what must differ: where and when it was read, and how old things were then."""
    ran = kubectl_dra(*example.words, *more, "-o=json", variables=variables)
    assert ran.code == 0, ran.stderr
    document: dict[str, Any] = json.loads(ran.stdout)
    document.pop("cluster", None)
    if document["kind"] == "AuditReport":
        # a file tells neither the server's version and gates, nor kinds of which there is no object, and nothing in it is settled
        of_objects = (each for each in document["findings"] if each["objects"])
        findings = [(each["code"], each["objects"], each["evidence"]) for each in of_objects]
        return {"names": document["names"], "findings": findings}
    for item in document.get("items", []):
        item.pop("ageSeconds", None)
    return document
