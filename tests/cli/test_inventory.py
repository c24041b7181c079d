"""`inventory` and `classes` as commands: flags, exit status, what goes where."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from kubectl_dra.audit.registry import checks
from kubectl_dra.knowledge.permissions import kinds_of
from kubectl_dra.objects.snapshot import Snapshot, absent
from kubectl_dra.reading.snapshot_file import write_snapshot_file
from tests.factories import GPU, budget, claim, device_class, node, pod, quota, resource_slice, snapshot, workload
from tests.run import Result, kubectl_dra

CLUSTER = snapshot(
    node("node-a", gpu=8, labels={"zone": "x"}),
    node("node-b", gpu="0", cordoned=True),
    node("node-c", capacity={GPU: 8}, allocatable={GPU: 0}),
    node("cpu-only"),
    device_class("gpu", GPU),
    resource_slice("node-b", 4),
    claim("one-x", ("node-b", "gpu-0"), pod="two"),
    pod("one", 2, node="node-a", labels={"app": "train"}),
    pod("two", 1, node="node-b", claim="one-x"),
    pod("waits", 1, namespace="team"),
    quota("q", {f"requests.{GPU}": "4"}, namespace="team"),
    budget("b", {"app": "train"}),
    deployments=[workload("off", 1, namespace="team", replicas=0)],
)


@pytest.fixture
def file(tmp_path: Path) -> str:
    return write(CLUSTER, tmp_path)


def write(taken: Snapshot, folder: Path) -> str:
    path = folder / "cluster.json"
    write_snapshot_file(taken, str(path))
    return str(path)


def run(*argv: str) -> Result:
    result = kubectl_dra(*argv)
    assert "Traceback" not in result.stderr
    return result


def items(*argv: str) -> list[dict[str, Any]]:
    result = run(*argv, "-o", "json")
    assert result.code == 0, result.stderr
    found: list[dict[str, Any]] = json.loads(result.stdout)["items"]
    return found


def test_by_name_with_the_audit_s_verdict(file: str) -> None:
    (item,) = items("inventory", "--from", file)
    (verdict,) = json.loads(run("audit", "--from", file, "-o", "json").stdout)["names"]
    assert {"name": item["name"], "verdict": item["verdict"], "codes": item["codes"]} == verdict
    assert item["plugin"] == {"nodes": 1, "capacity": 16, "allocatable": 8}
    assert item["dra"] == {"class": "gpu", "nodes": 1, "devices": 4, "approximate": False, "note": ""}
    assert item["asked"] == {
        "pods": 3,
        "running": 2,
        "pending": 1,
        "devices": 4,
        "workloads": 4,
        "workloadsAtZero": 1,
        "workloadsAtZeroSeen": 1,
    }


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("name", ["resource/example.com/gpu"]),
        ("node", ["node/cpu-only", "node/node-a", "node/node-b", "node/node-c"]),
        ("namespace", ["namespace/default", "namespace/team"]),
        ("pod", ["pod/one", "pod/two", "pod/waits"]),
        ("workload", ["pod/one", "pod/two", "deployment/off", "pod/waits"]),
    ],
)
def test_each_way_to_look(file: str, by: str, expected: list[str]) -> None:
    assert run("inventory", "--from", file, "--by", by, "-o", "name").stdout.splitlines() == expected


def test_by_node(file: str) -> None:
    states = {
        item["node"]: [resource["state"] for resource in item["resources"]] for item in items("inventory", "--from", file, "--by=node")
    }
    assert states == {"cpu-only": [], "node-a": ["plugin"], "node-b": ["dra"], "node-c": ["inactive"]}


def test_the_table_by_node(file: str) -> None:
    assert run("inventory", "--by", "node", "--from", file).stdout == (
        "NODE     KUBELET   SCHEDULING   RESOURCE          STATE      PLUGIN   ASKED   DRA   HELD   FREE   TAINTED\n"
        "node-a   v1.37.2   open         example.com/gpu   plugin     8/8      2       -     -      -      -\n"
        "node-b   v1.37.2   cordoned     example.com/gpu   dra        -        1       4     1      3      0\n"
        "node-c   v1.37.2   open         example.com/gpu   inactive   0/8      0       -     -      -      -\n"
        "\n"
        "1 more node has no extended resource.\n"
    )


def test_which_node_to_move_first(file: str) -> None:
    found = items("inventory", "--from", file, "--by", "node", "--sort", "move-cost")
    assert [(item["node"], item["moveCost"] and item["moveCost"]["holders"]) for item in found] == [
        ("node-c", 0), ("node-a", 1), ("cpu-only", None), ("node-b", None),
    ]  # fmt: skip


def test_scopes(file: str) -> None:
    assert [item["pod"] for item in items("inventory", "--by", "pod", "-n", "team", "--from", file)] == ["waits"]
    assert [item["pod"] for item in items("inventory", "--by", "pod", "-n", "team", "-A", "--from", file)] == ["one", "two", "waits"]
    assert [item["pod"] for item in items("inventory", "--by", "pod", "-l", "app=train", "--from", file)] == ["one"]
    assert [item["node"] for item in items("inventory", "--by", "node", "--nodes", "zone in (x)", "--from", file)] == ["node-a"]
    assert [item["name"] for item in items("inventory", "--resource", "example.com/*,a/b", "--from", file)] == ["a/b", GPU]


def test_a_name_that_nobody_has_heard_of_is_said(file: str) -> None:
    result = run("inventory", "--resource", f"{GPU},a/b,c/*", "--from", file)
    assert (result.code, result.stderr) == (0, "nobody asks for a/b here, no node lists it and no class maps it\n")


def test_a_name_that_nobody_has_heard_of_may_stand_in_what_could_not_be_read(tmp_path: Path) -> None:
    result = run("inventory", "--resource", "a/b", "--from", write(replace(CLUSTER, pods=absent()), tmp_path))
    assert result.stderr == "nobody asks for a/b here, no node lists it and no class maps it, as far as could be read\n"


def test_nothing_found_is_told_on_stderr(file: str) -> None:
    result = run("inventory", "--by", "pod", "-n", "nowhere", "--from", file)
    assert (result.code, result.stdout, result.stderr) == (0, "", "No resources found in nowhere namespace.\n")
    assert run("inventory", "--by", "pod", "-n", "nowhere", "--from", file, "-o", "name").stderr == ""


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("--sort", "move-cost"), "--sort move-cost goes with --by node, not with --by name"),
        (("--nodes", "a b"), "--nodes a b: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
        (("-l", "a in b"), "-l a in b: found 'b' expected: '('"),
        (("-o", "nonsense"), 'unable to match a printer suitable for the output format "nonsense"'),
        (("--by", "rack"), "rack"),
    ],
)
def test_wrong_command_lines(file: str, argv: tuple[str, ...], message: str) -> None:
    result = run("inventory", "--from", file, *argv)
    assert (result.code, result.stdout) == (2, "")
    assert message in result.stderr


# classes

OLD, NEW = device_class("old", GPU, release="driver"), device_class("new", GPU, created="2026-01-01T00:00:41Z")


def test_classes(tmp_path: Path) -> None:
    result = run("classes", "--from", write(snapshot(OLD, NEW, device_class("plain")), tmp_path))
    assert result.code == 0
    assert result.stdout == (
        "CLASS   RESOURCE          STATE   WINNER   WHY                    DEVICES   PODS   AGE   HELM RELEASE\n"
        "new     example.com/gpu   wins    new      created 41 s later     0         0      23h   <none>\n"
        "old     example.com/gpu   loses   new      created 41 s earlier   0         0      24h   drivers/driver\n"
        "plain   <none>            none    <none>   <none>                 0         0      24h   <none>\n"
        "\n"
        "old: the scheduler may lack the implicit name of a class that lost (kubernetes/kubernetes#141103)\n"
    )
    assert result.stderr.startswith(f"warning: Kubernetes 1.37.2: removing either duplicate of {GPU}")
    assert "kubectl annotate deviceclass new --overwrite" in result.stderr


def test_duplicates_exit_1_if_there_are_any(tmp_path: Path) -> None:
    contested = run("classes", "--duplicates", "-o", "name", "--from", write(snapshot(OLD, NEW, device_class("plain")), tmp_path))
    assert (contested.code, contested.stdout.splitlines()) == (1, ["deviceclass.resource.k8s.io/new", "deviceclass.resource.k8s.io/old"])
    fine = run("classes", "--duplicates", "--from", write(snapshot(NEW), tmp_path))
    assert (fine.code, fine.stdout, fine.stderr) == (0, "", "No resources found\n")


def test_a_class_that_is_not_there(tmp_path: Path) -> None:
    result = run("classes", "new", "missing", "-o", "name", "--from", write(snapshot(OLD, NEW), tmp_path))
    assert (result.code, result.stdout) == (3, "deviceclass.resource.k8s.io/new\n")
    assert 'deviceclasses.resource.k8s.io "missing" not found' in result.stderr


def test_the_inventory_reads_all_that_the_verdict_rests_on() -> None:
    blocking = (check.page for check in checks().values() if check.page.blocks)
    assert {kind for page in blocking for kind in (*page.needs, *page.also)} <= set(kinds_of("inventory"))


def test_tables_fit_120_columns(file: str) -> None:
    for by in ("name", "node", "namespace", "pod", "workload"):
        assert max(map(len, run("inventory", "--by", by, "--from", file).stdout.splitlines())) <= 120


def test_a_kind_that_nobody_knows_counts_with_its_pod_template(tmp_path: Path) -> None:
    pod = {"containers": [{"name": "c", "resources": {"limits": {"example.com/gpu": 2}}}]}
    trainer = {
        "apiVersion": "example.com/v1",
        "kind": "Trainer",
        "metadata": {"name": "t", "namespace": "ml"},
        "spec": {"pod": {"spec": pod}},
    }
    (tmp_path / "trainer.json").write_text(json.dumps(trainer))
    result = kubectl_dra("inventory", "--by=workload", "--from", str(tmp_path), "--pod-template=Trainer.example.com=spec.pod", "-o=json")
    assert [(item["kind"], item["name"], item["resources"]) for item in json.loads(result.stdout)["items"]] == [
        ("Trainer", "t", {"example.com/gpu": 2})
    ]


@pytest.mark.parametrize(
    ("command", "options"), [("classes", ()), ("classes", ("-o", "name")), ("audit", ()), ("audit", ("-o", "markdown"))]
)
def test_names_in_a_file_reach_no_terminal_as_commands(tmp_path: Path, command: str, options: tuple[str, ...]) -> None:
    evil = "evil\x1b]0;title\x07\u202e"
    taken = snapshot(node("a"), device_class(evil, GPU), device_class("x", GPU, release=evil))
    result = kubectl_dra(command, "--from", write(taken, tmp_path), *options)
    assert result.code in (0, 1)
    assert "evil" in result.stdout
    assert (result.stdout + result.stderr).replace("\n", "").isprintable()
