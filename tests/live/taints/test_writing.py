"""What is written to a real API server and what is not: interrupts, lost answers, few rights, conflicts, budgets, and its own words."""

import json
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
import yaml

from kubectl_dra.errors import UsageError
from kubectl_dra.objects.resource import DeviceTaint, DeviceTaintSelector
from kubectl_dra.taint_rules.manifest import manifest
from kubectl_dra.taint_rules.rule import rule
from kubectl_dra.taint_rules.validation import refuse_invalid
from tests.bed.api import Manifest, RefusedError
from tests.bed.cluster import Cluster
from tests.bed.node import DraDriver, Node
from tests.bed.proxy import Fault, FaultProxy
from tests.live.taints.ground import API, DRIVER, KEY, RULES, Ground, devices
from tests.run import kubectl_dra

PROBE = ("taint", f"{KEY}:NoExecute", "--driver", DRIVER, "--probe", "--yes")
MAKE = ("taint", f"{KEY}:NoSchedule", "--driver", DRIVER, "--name", "made", "--yes")
AT_RULES = r"/devicetaintrules"


@pytest.fixture
def ground(cell: Cluster) -> Iterator[Ground]:
    """A pool without a node, and a tool for which it is an hour old, so that rules may be written at once."""
    spec = {"driver": DRIVER, "allNodes": True, "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1}, "devices": devices([0])}
    body = {"apiVersion": API, "kind": "ResourceSlice", "metadata": {"name": "taints-p"}, "spec": spec}
    cell.api.create(f"/apis/{API}/resourceslices", body)
    made = Ground(cell, later=timedelta(hours=1))
    yield made
    for name in made.rules():
        cell.api.delete(f"{RULES}/{name}")
    cell.api.delete(f"/apis/{API}/resourceslices/taints-p")


Faulty = Callable[[FaultProxy], Fault]
STAGES: dict[str, tuple[tuple[str, ...], Faulty]] = {
    "asking, before the server saw it": (PROBE, lambda p: p.hold(AT_RULES, method="POST", forwarded=False)),
    "asking, and it was done": (PROBE, lambda p: p.hold(AT_RULES, method="POST", forwarded=True)),
    "waiting for the answer": (PROBE, lambda p: p.hold(rf"{AT_RULES}/kubectl-dra-preview-", method="GET", forwarded=False, after=1)),
    "deleting the question": (PROBE, lambda p: p.hold(AT_RULES, method="DELETE", forwarded=False)),
    "making a rule, before the server saw it": (MAKE, lambda p: p.hold(AT_RULES, method="POST", forwarded=False)),
    "making a rule, and it was done": (MAKE, lambda p: p.hold(AT_RULES, method="POST", forwarded=True)),
}


def test_an_interrupt_leaves_no_rule(ground: Ground, proxy: Callable[..., FaultProxy], tmp_path: Path) -> None:
    for stage, (words, faulty) in STAGES.items():
        before = proxy(ground.cell)
        fault = faulty(before)
        run = ground.start(*words, kubeconfig=ground.cell.write_kubeconfig(tmp_path / "config", server=before.url))
        with run:
            assert fault.reached.wait(60), stage
            run.send_signal(signal.SIGINT)
            said = run.communicate(timeout=30)
        assert (run.returncode, ground.rules()) == (130, set()), (stage, said)


def test_a_run_that_was_killed_is_cleaned_up_after(ground: Ground, proxy: Callable[..., FaultProxy], tmp_path: Path) -> None:
    before = proxy(ground.cell)
    fault = before.hold(AT_RULES, method="DELETE", forwarded=False)
    with ground.start(*PROBE, kubeconfig=ground.cell.write_kubeconfig(tmp_path / "config", server=before.url)) as run:
        assert fault.reached.wait(60)
        run.kill()
    (left,) = ground.rules()
    listed = ground.told("taint", "list")["items"]
    assert [(each["name"], each["preview"], each["taint"]) for each in listed] == [(left, True, f"{KEY}:None")]
    result = ground.run("taint", "delete", "--previews", "--yes")
    assert (result.code, result.stdout) == (0, f"devicetaintrule.resource.k8s.io/{left} deleted\n")
    assert ground.rules() == set()
    assert ground.run("taint", "delete", "--previews", "--yes").stderr == "No rule is left from a preview\n"


def test_a_lost_answer_changes_nothing(ground: Ground, proxy: Callable[..., FaultProxy], tmp_path: Path) -> None:
    before = proxy(ground.cell)
    config = ground.cell.write_kubeconfig(tmp_path / "config", server=before.url)
    for method in ("POST", "DELETE"):
        fault = before.reset(AT_RULES, method=method, forwarded=True)
        found = ground.told(*PROBE, kubeconfig=config)
        assert (fault.reached.is_set(), found["probe"], ground.rules()) == (True, found["client"], set())


def role(command: str) -> list[Manifest]:
    rules: list[Manifest] = yaml.safe_load(kubectl_dra("rbac", command).stdout)["rules"]
    return rules


def test_the_roles_are_enough_and_without_them_the_line_is_told(ground: Ground, few_rights: Callable[..., Path]) -> None:
    only_reads = few_rights(*role("taint-preview"))
    found = ground.told(*PROBE, kubeconfig=only_reads)
    assert (found["client"]["publishedDevices"], found["probe"]) == (1, None)
    line = '{apiGroups: ["resource.k8s.io"], resources: ["devicetaintrules"], verbs: ["create"]}'
    assert found["probeReason"].startswith("you may not create devicetaintrules, delete devicetaintrules")
    assert line in found["probeReason"]
    refused = ground.run(*MAKE, kubeconfig=only_reads)
    assert (refused.code, ground.rules()) == (3, set())
    assert "would be example.com/drain:NoSchedule" in refused.stdout
    assert line in refused.stderr
    for command, words in {
        "taint-probe": PROBE,
        "taint-create": MAKE,
        "taint-promote": ("taint", "promote", "made", "--yes"),
        "taint-demote": ("taint", "demote", "made", "--to=None", "--yes"),
        "taint-delete": ("taint", "delete", "made", "--yes"),
    }.items():
        result = ground.run(*words, "-o", "json", kubeconfig=few_rights(*role(command)))
        assert result.code == 0, (command, result.stderr)
        found = json.loads(result.stdout)
        assert found["unknown"] == []
        assert (found["probe"] is not None) == (command == "taint-probe")
    assert ground.rules() == set()


@contextmanager
def changed_meanwhile(cell: Cluster, fault: Fault, path: str) -> Iterator[None]:
    from threading import Thread

    def change() -> None:
        fault.reached.wait(60)
        cell.api.patch(path, {"metadata": {"labels": {"changed": "yes"}}})
        fault.release.set()

    thread = Thread(target=change)
    thread.start()
    yield
    thread.join()


def test_conflicts(ground: Ground, proxy: Callable[..., FaultProxy], tmp_path: Path) -> None:
    assert ground.run(*MAKE).code == 0
    again = ground.run(*MAKE)
    assert again.code == 5
    assert 'devicetaintrules.resource.k8s.io "made" already exists: nothing was done' in again.stderr
    before = proxy(ground.cell)
    config = ground.cell.write_kubeconfig(tmp_path / "config", server=before.url)
    with changed_meanwhile(ground.cell, before.stall(f"{AT_RULES}/made", method="PATCH"), f"{RULES}/made"):
        promoted = ground.run("taint", "promote", "made", "--yes", kubeconfig=config)
    assert promoted.code == 5
    assert "rule made was changed by somebody else meanwhile: nothing was done" in promoted.stderr
    assert ground.cell.api.get(f"{RULES}/made")["spec"]["taint"]["effect"] == "NoSchedule"
    same = ground.run("taint", "promote", "made", "--to=NoSchedule", "--yes")
    assert (same.code, "has the effect NoSchedule already" in same.stderr) == (2, True)
    weaker = ground.run("taint", "demote", "made", "--to=NoSchedule", "--yes")
    assert weaker.code == 2
    assert ground.run("taint", "wait", "made").code == 2
    assert ground.run("taint", "show", "none").code == 3


def test_the_server_checks_a_rule_and_keeps_nothing(ground: Ground) -> None:
    words = [word for word in MAKE if word != "--yes"]
    result = ground.run(*words, "--dry-run=server")
    assert result.code == 0, result.stderr
    assert result.stdout.endswith("devicetaintrule.resource.k8s.io/made created (server dry run)\n")
    assert ground.rules() == set()


LONG = "x" * 64
INVALID = [
    rule(DeviceTaint(key, value, effect), DeviceTaintSelector(driver, pool, device), name)
    for key, value, effect, driver, pool, device, name in (
        ("", None, "None", "d", None, None, "x"),
        ("-a", None, "None", "d", None, None, "x"),
        ("a/b/c", None, "None", "d", None, None, "x"),
        ("/b", None, "None", "d", None, None, "x"),
        ("A.com/b", None, "None", "d", None, None, "x"),
        (f"a/{LONG}", None, "None", "d", None, None, "x"),
        ("a", "-", "None", "d", None, None, "x"),
        ("a", LONG, "None", "d", None, None, "x"),
        ("a", "ü", "None", "d", None, None, "x"),
        ("a", None, "Never", "d", None, None, "x"),
        ("a", None, "", "d", None, None, "x"),
        ("a", None, "None", "", None, None, "x"),
        ("a", None, "None", "D.example.com", None, None, "x"),
        ("a", None, "None", "d_", None, None, "x"),
        ("a", None, "None", LONG, None, None, "x"),
        ("a", None, "None", f"{LONG}_", None, None, "x"),
        ("a", None, "None", None, "", None, "x"),
        ("a", None, "None", None, "a/b", None, "x"),
        ("a", None, "None", None, "a//b", None, "x"),
        ("a", None, "None", None, "A/B", None, "x"),
        ("a", None, "None", None, "x" * 254, None, "x"),
        ("a", None, "None", None, None, "", "x"),
        ("a", None, "None", None, None, "a.b", "x"),
        ("a", None, "None", None, None, LONG, "x"),
        ("a", None, "None", None, None, "A" * 64, "x"),
        ("a", None, "None", "d", None, None, "X"),
        ("a", None, "None", "d", None, None, "x" * 254),
        ("", "-", "Never", "", "", "", "X"),
        ("a", None, "None", "d", "p", "gpu-0", "x"),
        ("example.com/a", "b", "NoExecute", "d", "p/q", None, "x.y"),
    )
]


@pytest.mark.parametrize("made", INVALID, ids=lambda each: json.dumps(manifest(each)["spec"])[:70])
def test_what_the_server_refuses_is_told_before_in_its_words(cell: Cluster, made: object) -> None:
    from kubectl_dra.objects.resource import DeviceTaintRule

    assert isinstance(made, DeviceTaintRule)
    try:
        refuse_invalid(made)
        ours = ""
    except UsageError as error:
        ours = error.message
    body = json.loads(json.dumps(manifest(made)))
    body["spec"]["taint"].setdefault("effect", "")
    body["spec"]["taint"].setdefault("key", "")
    try:
        cell.api.request("POST", RULES, body, fieldValidation="Strict", dryRun="All")
        theirs = ""
    except RefusedError as error:
        theirs = str(error).partition(": ")[2]
    assert ours == theirs


def test_the_manifest_is_kubectls(cell: Cluster, kubectl: Callable[..., str]) -> None:
    words = ("taint", "example.com/a=1:NoExecute", "--driver", DRIVER, "--pool", "p", "--device", "gpu-0")
    for more in ((), ("--time-added", "2026-12-01T10:00:00+01:00"), ("--name", "true")):
        ours = kubectl_dra(*words, *more, "--kubeconfig", str(cell.kubeconfig), "--dry-run=client", "-o", "manifest")
        assert ours.code == 0, ours.stderr
        assert kubectl("create", "-f", "-", "--dry-run=client", "-o", "yaml", stdin=ours.stdout) == ours.stdout


def pods_that_a_budget_guards(grace: int = 0) -> Iterable[Manifest]:
    labels = {"app": "guarded"}
    claim = {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "guarded"}}]}}
    selectors = [{"cel": {"expression": f'device.driver == "{DRIVER}"'}}]
    yield {"apiVersion": API, "kind": "DeviceClass", "metadata": {"name": "guarded"}, "spec": {"selectors": selectors}}
    yield {"apiVersion": API, "kind": "ResourceClaimTemplate", "metadata": {"name": "guarded"}, "spec": {"spec": claim}}
    container = {"name": "main", "image": "busybox", "resources": {"claims": [{"name": "gpu"}]}}
    spec = {
        "automountServiceAccountToken": False,
        "terminationGracePeriodSeconds": grace,
        "containers": [container],
        "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "guarded"}],
    }
    for number in range(2):
        yield {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"guarded-{number}", "labels": labels}, "spec": spec}
    budget = {"selector": {"matchLabels": labels}, "maxUnavailable": 0}
    yield {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "guard"}, "spec": budget}


def test_eviction_asks_budgets_and_a_wait_outlasts_a_server_that_is_away(
    cell: Cluster,
    namespace: str,
    apply: Callable[..., list[Manifest]],
    node: Callable[..., Node],
    dra_driver: Callable[..., DraDriver],
    wait_until: Callable[..., object],
    proxy: Callable[..., FaultProxy],
    tmp_path: Path,
) -> None:
    ground, on = Ground(cell), node()
    dra_driver(on, DRIVER, count=2)
    apply(pods_that_a_budget_guards())
    pods = f"/api/v1/namespaces/{namespace}/pods"
    wait_until(lambda: [each["status"].get("phase") for each in cell.api.items(pods)] == ["Running"] * 2, "both pods run")
    budget = f"/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets/guard"
    wait_until(lambda: cell.api.get(budget).get("status", {}).get("currentHealthy") == 2, "the budget counts both")
    words = ("taint", f"{KEY}:NoSchedule", "--node", on.name, "--evict", "--name", "guarded", "--yes")
    held = ground.run(*words, "--timeout=3s")
    assert held.code == 4
    assert "may not be evicted: " in held.stderr
    assert (ground.rules(), len(cell.api.items(pods))) == ({"guarded"}, 2)
    assert "budget " in held.stdout
    cell.api.delete(budget)
    done = ground.told(*words, "--timeout=60s")
    assert (done["outcome"]["podsGone"], cell.api.items(pods)) == (2, [])
    # the pods wait for the device of a server that does not answer while it is asked for them
    apply(next(each for each in pods_that_a_budget_guards() if each["kind"] == "Pod"))
    cell.api.delete(f"{RULES}/guarded")
    wait_until(lambda: [each["status"].get("phase") for each in cell.api.items(pods)] == ["Running"], "the pod runs")
    before = proxy(cell)
    config = cell.write_kubeconfig(tmp_path / "config", server=before.url)
    fault = before.answer("/pods/guarded-0", 503, b"{}", times=100)
    making = ("taint", f"{KEY}:NoExecute", "--node", on.name, "--name", "gone", "--yes")
    away = ground.run(*making, "--timeout=1s", kubeconfig=config)
    assert (away.code, fault.reached.is_set(), "the API server does not answer" in away.stderr) == (4, True, True), away.stderr
    assert "rule gone is in force" in away.stderr
    before.clear()
    waited = ground.told("taint", "wait", "gone", "--timeout=60s", kubeconfig=config)
    assert (waited["outcome"]["action"], cell.api.items(pods)) == ("waited for", [])
    assert ground.run("taint", "delete", "gone", "--yes").code == 0


def test_a_pod_that_hangs_because_its_driver_is_gone(
    cell: Cluster,
    namespace: str,
    apply: Callable[..., list[Manifest]],
    node: Callable[..., Node],
    dra_driver: Callable[..., DraDriver],
    wait_until: Callable[..., object],
    proxy: Callable[..., FaultProxy],
    tmp_path: Path,
) -> None:
    ground, on = Ground(cell), node()
    driver = dra_driver(on, DRIVER, count=1)
    guarded = [each for each in pods_that_a_budget_guards(grace=1) if each["kind"] != "PodDisruptionBudget"]
    apply(guarded[:-1])
    pods = f"/api/v1/namespaces/{namespace}/pods"
    wait_until(lambda: [each["status"].get("phase") for each in cell.api.items(pods)] == ["Running"], "the pod runs")
    driver.close()
    slices = f"/apis/{API}/resourceslices"
    wait_until(lambda: not cell.api.items(slices, fieldSelector=f"spec.nodeName={on.name}"), "the kubelet has removed its slices", limit=90)
    words = ("taint", f"{KEY}:NoExecute", "--node", on.name, "--name", "hangs", "--yes")
    hangs = ground.run(*words, "--timeout=15s")
    assert hangs.code == 4
    assert "published devices selected   0" in hangs.stdout
    assert f"0 of 1 pod gone; {namespace}/guarded-0 should have ended " in hangs.stderr
    assert f"it holds a claim of {DRIVER}, and that driver is not on the node any more: bring it back" in hangs.stderr
    before = proxy(cell)
    fault = before.hold("/pods/guarded-0", method="GET", forwarded=False, after=1)
    config = cell.write_kubeconfig(tmp_path / "config", server=before.url)
    with ground.start("taint", "wait", "hangs", kubeconfig=config) as run:
        assert fault.reached.wait(60)
        run.send_signal(signal.SIGINT)
        said = run.communicate(timeout=30)
    assert (run.returncode, "rule hangs is in force: kubectl dra taint wait hangs goes on waiting" in said[1]) == (130, True), said
    dra_driver(on, DRIVER, count=1)
    waited = ground.told("taint", "wait", "hangs", "--timeout=90s")
    assert (waited["outcome"]["podsGone"], cell.api.items(pods)) == (1, [])
    assert ground.run("taint", "delete", "hangs", "--yes").code == 0
