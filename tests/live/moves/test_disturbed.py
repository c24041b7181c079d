"""What happens to a cluster while a node is moved, and what the run makes of it."""

import json
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from kubectl_dra.environment import Clock
from tests.bed import operands
from tests.bed.api import Manifest
from tests.bed.operands import RESOURCE
from tests.bed.proxy import FaultProxy
from tests.bed.waiting import wait_until
from tests.live.moves.conftest import Ground, step, told
from tests.run import Result, kubectl_dra

WAITING = ("--drain", "wait", "-o", "json")


def busy(name: str = "busy", *, limit: int | None = None, **more: object) -> Manifest:
    """A Job with a device, which ends by itself after `limit` seconds."""
    container = {"name": "main", "image": "registry.example/main", "resources": {"limits": {RESOURCE: "1"}}}
    spec = {"restartPolicy": "Never", "terminationGracePeriodSeconds": 0, "containers": [container], **more}
    if limit is not None:
        spec["activeDeadlineSeconds"] = limit
    template = {"metadata": {"labels": {"app": name}}, "spec": spec}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": {"backoffLimit": 0, "template": template}}


@contextmanager
def at_drain(ground: Ground, *more: str, kubeconfig: Path | None = None) -> Iterator["Running"]:
    """A run that waits for a Job that never ends; killed at the end if it still runs."""
    with ground.start(*WAITING, *more, kubeconfig=kubeconfig) as process:
        try:
            wait_until(lambda: ground.at("drain") or process.poll() is not None, "the run waits for the job", 60)
            yield Running(ground, process)
        finally:
            process.kill()


class Running:
    """A run in a process of its own."""

    def __init__(self, ground: Ground, process: object) -> None:
        self.ground = ground
        self.process = process

    def says(self, words: str) -> None:
        """Wait until it says so; what it said before that is not given again."""
        assert any(words in line for line in self.process.stderr), f"it ended without saying {words}"  # type: ignore[attr-defined]

    def ended(self) -> Result:
        """Wait for its end."""
        stdout, stderr = self.process.communicate(timeout=120)  # type: ignore[attr-defined]
        return Result(self.process.returncode, stdout, stderr)  # type: ignore[attr-defined]


def end(ground: Ground) -> None:
    """The job is over: its pod goes, and nothing makes it again."""
    ground.cell.api.delete(f"/apis/batch/v1/namespaces/{ground.namespace}/jobs/busy")
    ground.cell.api.delete(f"/api/v1/namespaces/{ground.namespace}/pods", labelSelector="app=busy")


def test_both_on_the_node_and_a_job_that_ends_by_itself(grounds: Callable[..., Ground], apply: Callable[..., list[Manifest]]) -> None:
    """The driver publishes already; its devices are fenced by a rule while the plugin's are still held."""
    ground = grounds(labels={operands.PLUGIN_LABEL: "true", operands.DRIVER_LABEL: "true"})
    slices = "/apis/resource.k8s.io/v1/resourceslices"
    wait_until(lambda: ground.cell.api.items(slices, fieldSelector=f"spec.nodeName={ground.node.name}"), "the driver publishes")
    apply(busy(limit=6))
    (pod,) = ground.running(1, app="busy")
    assert "extendedResourceClaimStatus" not in pod["status"]
    with at_drain(ground) as run:
        rules = ground.cell.api.items("/apis/resource.k8s.io/v1/devicetaintrules")
        assert [rule["spec"]["taint"]["effect"] for rule in rules] == ["NoSchedule"]
        result = run.ended()
    assert result.code == 0, told(result)
    record = json.loads(result.stdout)
    assert [check["level"] for check in step(record, "preflight")["checks"] if check["name"] == "both-sides"] == ["warning"]
    (ended,) = ground.pods(app="busy")
    assert (ended["metadata"]["uid"], ended["status"]["phase"]) == (pod["metadata"]["uid"], "Failed")
    assert ended["status"]["reason"] == "DeadlineExceeded"
    ground.assert_clean()


def test_a_second_run_and_ctrl_c_once_and_twice(ground: Ground, apply: Callable[..., list[Manifest]]) -> None:
    apply(busy())
    ground.running(1, app="busy")
    with at_drain(ground) as run:
        second = ground.run(*WAITING)
        assert (second.code, json.loads(second.stdout)["exitStatus"]) == (5, 5), told(second)
        assert f"node {ground.node.name} is being moved by another run" in json.loads(second.stdout)["message"]
        run.process.send_signal(signal.SIGINT)  # type: ignore[attr-defined]
        result = run.ended()
    record = json.loads(result.stdout)
    assert (result.code, record["exitStatus"], record["phase"]) == (130, 130, "moving"), told(result)
    assert record["message"] == "step drain: stopped by Ctrl-C"
    assert "--rollback" in record["next"]
    assert ground.at("drain", "interrupted")
    assert ground.node_object()["spec"]["unschedulable"] is True
    with at_drain(ground) as run:
        run.process.send_signal(signal.SIGINT)  # type: ignore[attr-defined]
        run.process.send_signal(signal.SIGINT)  # type: ignore[attr-defined]
        assert run.ended().code == 130
    end(ground)
    ground.move()
    ground.assert_clean()


def test_a_closed_pipe_ends_nothing(ground: Ground, apply: Callable[..., list[Manifest]]) -> None:
    apply(busy())
    ground.running(1, app="busy")
    with at_drain(ground, "-o", "jsonl") as run:
        assert json.loads(run.process.stdout.readline())["type"] == "StepStarted"  # type: ignore[attr-defined]
        run.process.stdout.close()  # type: ignore[attr-defined]
        run.process.stderr.close()  # type: ignore[attr-defined]
        end(ground)
        wait_until(lambda: ground.journal().get("finished"), "the node is moved all the same", 120)
        run.process.wait(60)  # type: ignore[attr-defined]
    ground.assert_clean()


def test_somebody_uncordons_and_takes_the_fence_off(ground: Ground, apply: Callable[..., list[Manifest]]) -> None:
    apply(busy())
    ground.running(1, app="busy")
    path = f"/api/v1/nodes/{ground.node.name}"

    def closed() -> bool:
        spec = ground.node_object()["spec"]
        return bool(spec.get("unschedulable")) and any(taint["key"] == "kubectl-dra.io/moving" for taint in spec.get("taints", []))

    with at_drain(ground) as run:
        ground.cell.api.patch(path, {"spec": {"unschedulable": None, "taints": None}})
        wait_until(closed, "both are put back")
        ground.cell.api.patch(path, {"spec": {"unschedulable": None}})
        result = run.ended()
    assert result.code == 3, told(result)
    assert json.loads(result.stdout)["message"] == f"step drain: node {ground.node.name} was uncordoned by somebody else, again"
    assert f"node {ground.node.name} was uncordoned by somebody else; put back, this once" in result.stderr
    end(ground)
    ground.move()
    ground.assert_clean()


def test_the_node_is_deleted_in_the_middle(ground: Ground, apply: Callable[..., list[Manifest]]) -> None:
    apply(busy())
    ground.running(1, app="busy")
    with at_drain(ground) as run:
        ground.cell.api.delete(f"/api/v1/nodes/{ground.node.name}")
        result = run.ended()
    assert result.code == 3, told(result)
    assert json.loads(result.stdout)["message"] == f"step drain: node {ground.node.name} has been deleted"
    ground.node.restart_kubelet()
    assert ground.journal() == {}  # a new node, on the plugin as before


def deployment(name: str, grace: int = 0, **more: object) -> Manifest:
    container = {"name": "main", "image": "registry.example/main", "resources": {"limits": {RESOURCE: "1"}}}
    spec = {"terminationGracePeriodSeconds": grace, "containers": [container], **more}
    template = {"metadata": {"labels": {"app": name}}, "spec": spec}
    selector = {"matchLabels": {"app": name}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {"replicas": 1, "selector": selector, "template": template},
    }


def test_e35_pods_that_hang_because_their_driver_is_gone(ground: Ground, apply: Callable[..., list[Manifest]]) -> None:
    ground.move()
    apply(deployment("held", grace=1))
    (pod,) = ground.running(1, app="held")
    ground.operands.lies.add(operands.DRIVER)
    slices = "/apis/resource.k8s.io/v1/resourceslices"
    gone = lambda: not ground.cell.api.items(slices, fieldSelector=f"spec.nodeName={ground.node.name}")  # noqa: E731
    wait_until(gone, "the driver has left, slices and all")
    result = ground.run("--rollback", "--timeout", "12s")
    assert result.code == 4, told(result)
    message = json.loads(result.stdout)["message"]
    assert f"{ground.namespace}/{pod['metadata']['name']} should have ended" in message
    assert "it holds a claim of gpu.example.com, and that driver is not on the node any more: bring it back" in message
    ground.operands.lies.clear()
    ground.back()
    ground.assert_clean()


def test_pods_that_come_back_through_the_fence(ground: Ground, apply: Callable[..., list[Manifest]]) -> None:
    apply(deployment("back", tolerations=[{"operator": "Exists"}]))
    ground.running(1, app="back")
    result = ground.run()
    assert result.code == 3, told(result)
    assert f"pods come to node {ground.node.name} as fast as they are sent off, now {ground.namespace}/back-" in result.stdout
    ground.cell.api.patch(f"/apis/apps/v1/namespaces/{ground.namespace}/deployments/back", {"spec": {"replicas": 0}})
    wait_until(lambda: not ground.pods(app="back"), "nobody comes any more")
    ground.move()
    ground.assert_clean()


@pytest.mark.parametrize("way", ["there", "back"])
def test_a_server_that_is_busy_fails_and_resets(ground: Ground, proxy: Callable[..., FaultProxy], tmp_path: Path, way: str) -> None:
    """429, 500, 409 and resets, on reads and writes, all along."""
    if way == "back":
        ground.move()
    before = proxy(ground.cell)
    config = ground.cell.write_kubeconfig(tmp_path / "config", server=before.url)
    busy_ = {"Retry-After": "1", "Content-Type": "text/plain"}
    conflict = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Conflict", "code": 409, "message": "was changed"}
    before.answer("/nodes/", 409, json.dumps(conflict).encode(), method="PATCH", after=1, times=2)
    before.answer("/nodes/", 500, b"{}", method="PATCH", after=3)
    before.reset("/nodes/", forwarded=True, method="PATCH", after=5)
    before.reset("/nodes/", forwarded=False, method="PATCH", after=7)
    before.answer("/pods", 429, b"busy", headers=busy_, method="POST", after=2)
    before.reset("/pods", forwarded=True, method="DELETE")
    before.answer("/api/v1/nodes/", 503, b"{}", method="GET", after=12, times=8)
    before.cut("/resourceslices", 30, method="GET", after=2)
    result = ground.run(*(["--rollback"] if way == "back" else []), kubeconfig=config)
    assert result.code == 0, told(result)
    ground.assert_clean()


def test_the_api_server_is_away_for_a_while(
    ground: Ground, apply: Callable[..., list[Manifest]], proxy: Callable[..., FaultProxy], tmp_path: Path
) -> None:
    """Nobody answers in the middle of a wait; the run says so, and goes on. The lock outlives it."""
    apply(busy())
    ground.running(1, app="busy")
    before = proxy(ground.cell)
    config = ground.cell.write_kubeconfig(tmp_path / "config", server=before.url)
    with at_drain(ground, kubeconfig=config) as run:
        before.reset("", forwarded=False, times=10_000)
        run.says("the API server is away")
        before.clear()
        end(ground)
        result = run.ended()
    assert result.code == 0, told(result)
    ground.assert_clean()


def test_a_pod_that_takes_a_device_at_the_last_moment(ground: Ground, proxy: Callable[..., FaultProxy], tmp_path: Path) -> None:
    """It comes past the scheduler after the last look, before the plugin goes: back to the drain, never on to the driver."""
    before = proxy(ground.cell)
    config = ground.cell.write_kubeconfig(tmp_path / "config", server=before.url)
    # journal, cordon written down, cordon, drain, unplug written down; then the label
    label = before.stall(rf"/api/v1/nodes/{ground.node.name}\?", method="PATCH", after=5)
    with ground.start("--force", kubeconfig=config) as process:
        assert label.reached.wait(60)
        container = {"name": "main", "image": "registry.example/main", "resources": {"limits": {RESOURCE: "1"}}}
        spec = {"nodeName": ground.node.name, "terminationGracePeriodSeconds": 0, "containers": [container]}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "late", "labels": {"app": "late"}}, "spec": spec}
        ground.cell.api.create(f"/api/v1/namespaces/{ground.namespace}/pods", pod)
        ground.running(1, app="late")
        label.release.set()
        stdout, stderr = process.communicate(timeout=120)
    result = Result(process.returncode, stdout, stderr)
    assert result.code == 0, told(result)
    assert f"{ground.namespace}/late holds a device of the plugin; drained once more" in stderr
    assert ground.pods(app="late") == []
    ground.assert_clean()


def test_e16_the_label_flips_while_the_run_waits(ground: Ground) -> None:
    ground.operands.lies.add(operands.DRIVER)  # the run waits for slices that do not come
    with ground.start() as process:
        wait_until(lambda: ground.at("plug") or ground.at("plug", "done") or process.poll() is not None, "the driver is asked for", 60)
        ground.cell.api.patch(f"/api/v1/nodes/{ground.node.name}", {"metadata": {"labels": {operands.PLUGIN_LABEL: "true"}}})
        stdout, stderr = process.communicate(timeout=120)
    result = Result(process.returncode, stdout, stderr)
    assert result.code == 3, told(result)
    words = f'label {operands.PLUGIN_LABEL} of node {ground.node.name} is "true" again, this run has set it to "false"'
    assert words in json.loads(stdout)["message"]
    assert ground.node_object()["spec"]["unschedulable"] is True
    ground.operands.lies.clear()
    ground.back()
    ground.assert_clean()


def test_clocks_that_differ_by_an_hour(ground: Ground) -> None:
    """This machine is ahead on the way there, and behind on the way back."""
    for hours, way, phase in ((1, (), "moved"), (-1, ("--rollback",), "returned")):
        clock = Clock(now=lambda hours=hours: datetime.now(UTC) + timedelta(hours=hours))  # type: ignore[misc]
        result = kubectl_dra(*ground.arguments(*way), variables=ground.variables, clock=clock)
        assert (result.code, json.loads(result.stdout)["phase"]) == (0, phase), told(result)
        ground.assert_clean()
