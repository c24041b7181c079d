"""An audit's second look, its end by Ctrl-C, and what is new since an earlier time, on a real cluster."""

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kubectl_dra.environment import Clock
from tests.bed.cluster import Cluster
from tests.bed.waiting import wait_until
from tests.run import Result, kubectl_dra

NAME = "twice.example.com/gpu"
HELD = f"""
apiVersion: v1
kind: Node
metadata: {{name: audit-twice}}
status:
  capacity: {{{NAME}: "4", pods: "9"}}
  allocatable: {{{NAME}: "0", pods: "9"}}
---
apiVersion: v1
kind: Pod
metadata: {{name: holds}}
spec:
  nodeName: audit-twice
  automountServiceAccountToken: false
  containers: [{{name: main, image: registry.example/train, resources: {{limits: {{{NAME}: "1"}}}}}}]
"""


@pytest.fixture
def held(cell: Cluster, namespace: str, apply: Callable[..., Any]) -> str:
    """A pod that holds what its node no longer offers (DRA209); its namespace."""
    apply(HELD)
    return namespace


def audit(cell: Cluster, *argv: str, clock: Clock | None = None) -> Result:
    select = ("--select", "DRA209", "--resource", NAME)
    return kubectl_dra("audit", *select, *argv, "--kubeconfig", str(cell.kubeconfig), clock=clock)


def findings(result: Result) -> list[tuple[str, bool, bool | None]]:
    return [(each["code"], each["settled"], each["new"]) for each in json.loads(result.stdout)["findings"]]


@pytest.mark.usefixtures("held")
def test_ctrl_c_while_it_waits_leaves_the_first_look(cell: Cluster) -> None:
    def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    result = audit(cell, "--settle", "6m", "-o", "json", clock=Clock(sleep=interrupted))
    assert (result.code, findings(result)) == (130, [("DRA209", False, None)])
    assert result.stderr.endswith("interrupted: this is the first look, the second one was not waited for\n")


def test_what_is_over_by_the_second_look_is_no_finding(cell: Cluster, held: str) -> None:
    def mended(seconds: float) -> None:
        cell.api.delete(f"/api/v1/namespaces/{held}/pods/holds", grace=0)
        wait_until(lambda: not cell.api.find(f"/api/v1/namespaces/{held}/pods/holds"), "the pod is gone")

    assert findings(audit(cell, "-o", "json")) == [("DRA209", True, None)]
    assert findings(audit(cell, "--settle", "6m", "-o", "json", clock=Clock(sleep=mended))) == []


@pytest.mark.usefixtures("held")
def test_a_person_sees_how_long_it_still_waits_and_may_end_it(cell: Cluster) -> None:
    command = [sys.executable, "-m", "kubectl_dra.cli", "audit", "--settle", "10m", "-o", "json", "--select", "DRA209", "--resource", NAME]
    ours, theirs = pty.openpty()
    variables = {
        **os.environ,
        "KUBECONFIG": str(cell.kubeconfig),
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "TERM": "xterm",
        "COLUMNS": "200",
    }
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, env=variables, text=True)
    try:
        os.close(theirs)
        shown = b""
        while b"waiting for a second reading; Ctrl-C shows the first (9m 5" not in shown:
            shown += os.read(ours, 4096)
        process.send_signal(signal.SIGINT)
        # what is written to a terminal has to be read, or its writer waits
        while b"the second one was not waited for" not in shown:
            shown += os.read(ours, 4096)
        stdout, _ = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    assert process.returncode == 130
    assert [each["code"] for each in json.loads(stdout)["findings"]] == ["DRA209"]
    assert b"Traceback" not in shown


def test_since_a_snapshot_and_since_a_report(cell: Cluster, held: str, tmp_path: Path) -> None:
    snapshot, report = tmp_path / "before.json.gz", tmp_path / "before.yaml"
    assert kubectl_dra("snapshot", str(snapshot), "--kubeconfig", str(cell.kubeconfig)).code == 0
    report.write_text(audit(cell, "-o", "yaml").stdout)
    for earlier in (snapshot, report):
        unchanged = audit(cell, "--since", str(earlier), "-o", "json")
        assert (unchanged.code, findings(unchanged)) == (0, [("DRA209", True, False)])
    cell.api.delete(f"/api/v1/namespaces/{held}/pods/holds", grace=0)
    wait_until(lambda: not cell.api.find(f"/api/v1/namespaces/{held}/pods/holds"), "the pod is gone")
    for earlier in (snapshot, report):
        mended = audit(cell, "--since", str(earlier))
        assert mended.code == 0
        assert mended.stderr.splitlines()[-1].endswith(": 0 new, 1 gone")
