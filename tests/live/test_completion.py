"""kubectl completes `kubectl dra` through this tool's executable."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bed.api import Manifest
from tests.bed.cluster import Cluster
from tests.bed.waiting import wait_until

ROOT = Path(__file__).parents[2]


@pytest.fixture
def kubectl_completes(bed: Path, cell: Cluster, tmp_path: Path) -> Callable[..., str]:
    """Runs kubectl's own completion with the two executables of this tool on the PATH; gives what it tells the shell."""
    for name, module in (("kubectl-dra", "kubectl_dra.cli"), ("kubectl_complete-dra", "kubectl_dra.cli.complete")):
        call = f"-m {module}" if module.endswith("cli") else f"-c 'from {module} import main; main()'"
        (tmp_path / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {call} "$@"\n', encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    variables = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "KUBECONFIG": str(cell.kubeconfig),
        "HOME": str(tmp_path),
    }

    def complete(*words: str) -> str:
        done = subprocess.run([bed, "kubectl", "__complete", *words], env=variables, capture_output=True, text=True, check=False)
        return done.stdout

    return complete


def test_kubectl_completes_commands_flags_and_values(kubectl_completes: Callable[..., str]) -> None:
    assert kubectl_completes("dra", "aud").startswith("audit\t")
    assert kubectl_completes("dra", "rbac", "--custom").startswith("--custom-workloads\t")
    assert kubectl_completes("dra", "version", "-o", "ya") == "yaml\n:4\n"
    assert kubectl_completes("dra", "version", "--context", "") == "bed\n:4\n"
    assert kubectl_completes("dra", "version", "--kubeconfig", "").endswith(":0\n")


def test_kubectl_completes_names_of_the_cluster(
    kubectl_completes: Callable[..., str], namespace: str, apply: Callable[..., list[Manifest]]
) -> None:
    """On a machine this busy an answer may come too late for its key: what counts is what it is once it comes in time."""
    apply(NAMES)

    def completes(*words: str, to: str) -> None:
        wait_until(lambda: kubectl_completes("dra", *words) == f"{to}\n:4\n", f"kubectl completes {words} to {to}", 60)

    completes("audit", "-n", "completed-names", to="completed-namespace")
    completes("audit", "--node", "completed-n", to="completed-node")
    completes("audit", "--node", "a,completed-n", to="a,completed-node")
    completes("classes", "completed-c", to="completed-class")
    completes("devices", "--class=completed-c", to="completed-class")
    completes("audit", "--resource", "completed.example.com/g", to="completed.example.com/gpu")
    completes("audit", "--resource", "completed.example.com/n", to="completed.example.com/nic")
    completes("taint", "show", "completed-r", to="completed-rule")
    completes("explain", "pod", "-n", namespace, "completed-p", to="completed-pod")


def test_who_may_read_nothing_completes_nothing(kubectl_completes: Callable[..., str], few_rights: Callable[..., Path]) -> None:
    assert kubectl_completes("dra", "audit", "--kubeconfig", str(few_rights()), "--node", "") == ":4\n"
    assert kubectl_completes("dra", "audit", "--demo", "--node", "") == ":4\n"


NAMES = """
apiVersion: v1
kind: Namespace
metadata: {name: completed-namespace}
---
apiVersion: v1
kind: Node
metadata: {name: completed-node}
status:
  capacity: {completed.example.com/nic: "1"}
  allocatable: {completed.example.com/nic: "1"}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: completed-class}
spec: {extendedResourceName: completed.example.com/gpu}
---
apiVersion: resource.k8s.io/v1
kind: DeviceTaintRule
metadata: {name: completed-rule}
spec: {deviceSelector: {device: none}, taint: {key: example.com/completed, effect: None}}
---
apiVersion: v1
kind: Pod
metadata: {name: completed-pod}
spec:
  nodeSelector: {nowhere: at-all}
  automountServiceAccountToken: false
  containers: [{name: main, image: registry.example/none}]
"""
