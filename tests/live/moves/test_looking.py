"""What people do before, between and after runs: the plan by a cluster, parts, where it stands, consent, what is left over."""

import json
import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from kubectl_dra.migration.names import FORWARD
from tests.bed.api import Manifest
from tests.bed.operands import RESOURCE
from tests.bed.proxy import FaultProxy
from tests.bed.waiting import wait_until
from tests.live.moves.conftest import IMAGE, Ground, step, told
from tests.run import Result, kubectl_dra

ADMISSION = "admissionregistration.k8s.io/v1"


def plan(ground: Ground, *more: str, kubeconfig: Path | None = None) -> Result:
    """The plan with every check, as a document."""
    where = str(kubeconfig or ground.cell.kubeconfig)
    return kubectl_dra(
        *("migrate-node", ground.node.name, "--profile", "example", "--dry-run=client", "-o", "json"),
        *("--canary-image", IMAGE, "--kubeconfig", where, *more),
    )


def bad(result: Result) -> dict[str, str]:
    """What stands in the way, by check."""
    document = json.loads(result.stdout)
    return {check["name"]: check["message"] for line in document["steps"] for check in line["checks"] if check["level"] == "blocker"}


def standing(ground: Ground) -> Manifest:
    """Where the node stands."""
    result = kubectl_dra("migrate-node", ground.node.name, "--status", "-o", "json", "--kubeconfig", str(ground.cell.kubeconfig))
    assert result.code == 0, result.stderr
    (item,) = json.loads(result.stdout)["items"]
    assert isinstance(item, dict)
    return item


def test_the_plan_writes_nothing_and_asks_for_every_right(
    ground: Ground, few_rights: Callable[..., Path], proxy: Callable[..., FaultProxy], tmp_path: Path
) -> None:
    before = ground.node_object()
    between = proxy(ground.cell)
    kubeconfig = ground.cell.write_kubeconfig(tmp_path / "proxied", server=between.url)
    result = plan(ground, kubeconfig=kubeconfig)
    assert (result.code, bad(result)) == (0, {}), result.stdout + result.stderr
    document = json.loads(result.stdout)
    assert (document["phase"], document["cluster"]["server"]) == ("planned", between.url)
    checks = {check["name"]: check for check in document["steps"][0]["checks"]}
    assert checks["permissions"]["message"] == "every permission of the later steps is there"
    assert checks["canary"]["message"] == f"the canary's image is {IMAGE}"
    assert all(check["known"] for check in checks.values())
    written = [request for request in between.requests if request.method != "GET"]
    assert written, "it asked for permissions"
    assert [each for each in written if "selfsubjectaccessreviews" not in each.path and "dryRun=All" not in each.path] == []
    after = ground.node_object()
    assert (after["spec"], after["metadata"].get("annotations")) == (before["spec"], before["metadata"].get("annotations"))

    # somebody who may only look is told every right that is missing, and cannot begin
    looks = {
        "apiGroups": ["", "apps", "batch", "policy", "resource.k8s.io", "coordination.k8s.io"],
        "resources": ["*"],
        "verbs": ["get", "list"],
    }
    reader = few_rights(looks)
    blocked = plan(ground, kubeconfig=reader)
    assert blocked.code == 1
    missing = {
        check["message"].partition(" (")[0] for check in json.loads(blocked.stdout)["steps"][0]["checks"] if check["name"] == "permissions"
    }
    assert {"not allowed: patch nodes", "not allowed: create pods/eviction", "not allowed: create leases in kube-system"} <= missing
    refused = ground.run(kubeconfig=reader)
    assert (refused.code, json.loads(refused.stdout)["phase"]) == (1, "blocked"), told(refused)
    assert "kubectl-dra.io/migration" not in ground.node_object()["metadata"].get("annotations", {})


def test_a_server_dry_run_tries_every_write_once(
    ground: Ground, apply: Callable[..., list[Manifest]], proxy: Callable[..., FaultProxy], tmp_path: Path
) -> None:
    apply([web("held"), web("free"), budget("held")])
    ground.running(1, app="held")
    ground.running(1, app="free")
    kept = f"/apis/policy/v1/namespaces/{ground.namespace}/poddisruptionbudgets/held"
    wait_until(lambda: ground.cell.api.get(kept).get("status", {}).get("currentHealthy") == 1, "the budget counts its pod")
    before = ground.node_object()
    between = proxy(ground.cell)
    result = plan(ground, "--dry-run=server", kubeconfig=ground.cell.write_kubeconfig(tmp_path / "proxied", server=between.url))
    assert result.code == 0, result.stdout + result.stderr
    lines = {line["name"]: line["checks"] for line in json.loads(result.stdout)["steps"] if line["name"] != "preflight"}
    said = {name: [(check["level"], check["message"]) for check in checks] for name, checks in lines.items() if checks}
    assert set(said) == {"lock", "journal", "cordon", "drain", "unplug", "plug"}
    assert said["cordon"] == [("ok", "the node can be cordoned and fenced")]
    assert said["unplug"] == [("ok", "the node's labels can be changed (example.com/device-plugin=false)")]
    ((level, words),) = said["drain"]
    assert level == "warning"
    assert re.fullmatch(rf"{ground.namespace}/held-\S+ may not be evicted now: .*disruption budget.*", words)

    tried = [request for request in between.requests if request.method != "GET" and "selfsubjectaccessreviews" not in request.path]
    assert [request for request in tried if "dryRun=All" not in request.path] == []
    assert sum("/eviction" in request.path for request in tried) == 2, "each pod once"
    after = ground.node_object()
    assert (after["spec"], after["metadata"]["labels"]) == (before["spec"], before["metadata"]["labels"])
    assert len(ground.running(1, app="held")) == 1

    # what the server would refuse blocks: here an admission policy on nodes
    apply([refusing("nodes"), binding("nodes")])
    wait_until(lambda: plan(ground, "--dry-run=server").code == 1, "the policy is in force")
    found = bad(plan(ground, "--dry-run=server"))
    assert "nobody cordons here" in found["server-dry-run"]


def web(name: str) -> Manifest:
    container = {"name": "main", "image": "registry.example/main", "resources": {"limits": {RESOURCE: "1"}}}
    spec = {"terminationGracePeriodSeconds": 0, "containers": [container]}
    template = {"metadata": {"labels": {"app": name}}, "spec": spec}
    fields = {"replicas": 1, "selector": {"matchLabels": {"app": name}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": fields}


def budget(name: str) -> Manifest:
    spec = {"minAvailable": 1, "selector": {"matchLabels": {"app": name}}}
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name}, "spec": spec}


def refusing(name: str) -> Manifest:
    """An admission policy under which nobody may make a node unschedulable."""
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["UPDATE"], "resources": ["nodes"]}
    validation = {"expression": "!has(object.spec.unschedulable) || !object.spec.unschedulable", "message": "nobody cordons here"}
    spec = {"failurePolicy": "Fail", "matchConstraints": {"resourceRules": [rule]}, "validations": [validation]}
    return {"apiVersion": ADMISSION, "kind": "ValidatingAdmissionPolicy", "metadata": {"name": name}, "spec": spec}


def binding(name: str) -> Manifest:
    spec = {"policyName": name, "validationActions": ["Deny"]}
    return {"apiVersion": ADMISSION, "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": name}, "spec": spec}


def test_nothing_is_done_without_consent(ground: Ground) -> None:
    words = [word for word in ground.arguments() if word != "--yes"]
    alone = kubectl_dra(*words, variables=ground.variables)
    assert (alone.code, alone.stdout) == (2, "")
    no = kubectl_dra(*words, variables={**ground.variables, "TERM": "dumb"}, stdin=b"n\n", terminal=True)
    assert no.code == 130, no.stderr
    assert "Ready: nothing was written." in no.stderr
    assert no.stderr.rstrip().endswith("nothing was done")
    assert "kubectl-dra.io/migration" not in ground.node_object()["metadata"].get("annotations", {})

    # with consent, on a terminal: the checklist is drawn, and taken away again
    screen = {**ground.variables, "TERM": "xterm", "COLUMNS": "80"}
    yes = kubectl_dra(*words, "--until", "cordon", "-o", "table", variables=screen, stdin=b"y\n", terminal=True)
    assert yes.code == 0, yes.stderr
    assert "Go on? [y/N]" in yes.stderr
    drawn = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", yes.stderr)
    assert "[x] journal" in drawn
    assert "[-] unplug" in drawn
    assert f"Node {ground.node.name}: from the device plugin to DRA" in yes.stdout
    ground.back()
    ground.assert_clean()


def test_a_move_in_parts_with_its_events_and_where_it_stands(ground: Ground, tmp_path: Path) -> None:
    assert (standing(ground)["phase"], standing(ground)["message"]) == ("none", "no journal")
    # up to the drain; events as they happen, the record last and in a file
    kept = tmp_path / "record.json"
    result = ground.run("--until", "drain", "-o", "jsonl", "--record", str(kept))
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.code == 0, result.stdout + result.stderr
    events, record = lines[:-1], lines[-1]
    assert record == json.loads(kept.read_text())
    assert {event["type"] for event in events} >= {"StepStarted", "StepChecked", "StepEnded"}
    ended = [(event["step"], event["state"]) for event in events if event["type"] == "StepEnded"]
    assert ended == [(str(name), "done") for name in FORWARD[: FORWARD.index("drain") + 1]]
    assert (record["kind"], record["phase"], step(record, "unplug")["state"]) == ("MigrationRecord", "moving", "skipped")

    stopped = standing(ground)
    assert (stopped["phase"], stopped["step"], stopped["state"], stopped["profile"]) == ("moving", "drain", "done", "example")
    assert (stopped["cordoned"], stopped["fenced"], stopped["lock"], stopped["leftovers"]) == (True, True, None, [])
    assert stopped["next"] == f"kubectl dra migrate-node {ground.node.name} --profile example --yes"

    # the plan knows what is done, and the run goes on there
    again = {line["name"]: line["state"] for line in json.loads(plan(ground).stdout)["steps"]}
    assert (again["cordon"], again["drain"], again["unplug"]) == ("done", "done", "pending")
    record = ground.move()
    assert standing(ground)["phase"] == "moved"
    assert "kubectl dra migrate-node" in standing(ground)["next"]

    # the way back undoes all of it
    ground.back()
    assert standing(ground)["phase"] == "returned"
    ground.assert_clean()


def test_what_a_lost_journal_leaves_is_cleaned_up(ground: Ground, few_rights: Callable[..., Path]) -> None:
    name, api = ground.node.name, ground.cell.api
    mark = sha256(name.encode()).hexdigest()[:16]
    labels = {"kubectl-dra.io/node": mark, "kubectl-dra.io/id": "lost"}
    taint = {"key": "kubectl-dra.io/moving", "value": "lost", "effect": "NoSchedule"}
    api.patch(f"/api/v1/nodes/{name}", {"spec": {"taints": [taint], "unschedulable": True}})
    rule = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceTaintRule",
        "metadata": {"name": f"kubectl-dra-{mark}", "labels": labels},
        "spec": {"deviceSelector": {"driver": "none.example.com"}, "taint": {"key": "x.example/y", "effect": "NoSchedule"}},
    }
    rules = "/apis/resource.k8s.io/v1/devicetaintrules"
    api.create(rules, rule)
    lease = {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": f"kubectl-dra-{mark}", "namespace": "kube-system"},
        "spec": {"holderIdentity": "gone/1/2/lost", "leaseDurationSeconds": 15, "renewTime": "2020-01-01T00:00:00.000000Z"},
    }
    leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
    api.create(leases, lease)

    left = standing(ground)["leftovers"]
    assert left == [
        f"DeviceTaintRule kubectl-dra-{mark}",
        f"Lease kube-system/kubectl-dra-{mark}",
        f"taint kubectl-dra.io/moving on node {name}",
    ]
    clean = ("migrate-node", name, "--status", "--clean", "--kubeconfig", str(ground.cell.kubeconfig))
    assert kubectl_dra(*clean).code == 2, "nobody was asked"
    assert standing(ground)["leftovers"] == left
    result = kubectl_dra(*clean, "--yes")
    assert (result.code, result.stderr) == (0, "")
    assert standing(ground)["leftovers"] == []
    found = ground.node_object()["spec"]
    assert "taints" not in found or not [each for each in found["taints"] if each["key"] == "kubectl-dra.io/moving"]
    assert found["unschedulable"] is True, "whether it may be opened, a person decides"
    assert api.find(f"{rules}/kubectl-dra-{mark}") is None
    assert api.find(f"{leases}/kubectl-dra-{mark}") is None
