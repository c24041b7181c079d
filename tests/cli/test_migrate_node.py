"""`kubectl dra migrate-node`, in process, on the bundled cluster."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from kubectl_dra.migration.names import BACKWARD, FORWARD
from tests.run import Result

PLAN = ("migrate-node", "gpu-01", "--profile", "nvidia-gpu-operator", "--dry-run=client", "--demo")
Call = Callable[..., Result]


def test_the_plan_says_why_it_is_blocked(kubectl_dra: Call) -> None:
    result = kubectl_dra(*PLAN)
    assert (result.code, result.stderr) == (1, "")
    assert result.stdout.startswith("Node gpu-01: from the device plugin to DRA (profile nvidia-gpu-operator)\n")
    assert "  blocker  one-class: gpu.nvidia.com and nvidia-gpus have nvidia.com/gpu\n" in result.stdout
    assert result.stdout.endswith("Blocked: nothing was written. The blockers above have to go first.\n")


@pytest.mark.parametrize("output", [(), ("-o", "wide")])
def test_it_reads_well_at_eighty_columns(kubectl_dra: Call, output: tuple[str, ...]) -> None:
    lines = kubectl_dra(*PLAN, *output).stdout.splitlines()
    assert len(lines) > 50
    assert [line for line in lines if len(line) > 80] == []


def test_the_plan_as_a_document(kubectl_dra: Call) -> None:
    result = kubectl_dra(*PLAN, "-o", "json")
    plan = json.loads(result.stdout)
    assert (plan["apiVersion"], plan["kind"], plan["node"], plan["phase"]) == ("kubectl-dra/v1", "MigrationPlan", "gpu-01", "blocked")
    assert [step["name"] for step in plan["steps"]] == [str(name) for name in FORWARD]
    assert plan["resources"] == ["nvidia.com/gpu"]
    assert plan["devices"] == [
        {"name": "nvidia.com/gpu", "devices": 8, "deviceClass": "nvidia-gpus", "driver": "gpu.nvidia.com", "dropped": False}
    ]
    levels = {check["level"] for check in plan["steps"][0]["checks"]}
    assert levels == {"blocker", "warning", "ok"}
    assert {"name", "state", "startedAt", "seconds", "checks"} <= plan["steps"][0].keys()


def test_the_way_back(kubectl_dra: Call) -> None:
    result = kubectl_dra(
        "migrate-node", "gpu-04", "--profile=nvidia-gpu-operator", "--rollback", "--dry-run=client", "--demo", "-o", "json"
    )
    plan = json.loads(result.stdout)
    assert plan["direction"] == "rollback"
    assert [step["name"] for step in plan["steps"]] == [str(name) for name in BACKWARD]


def test_a_page_for_the_runbook(kubectl_dra: Call) -> None:
    page = kubectl_dra(*PLAN, "--drain", "holders", "-o", "markdown").stdout
    assert page.startswith("# Node gpu-01: from the device plugin to DRA\n")
    assert "kubectl dra migrate-node gpu-01 --profile nvidia-gpu-operator --drain holders --yes --record gpu-01.json\n" in page, (
        "with the options of this call"
    )
    for heading in ("Commands", "Checks (", "Pods of the node", "Steps", "Exit statuses"):
        assert f"\n## {heading}" in page
    assert all(f"\n| {name} |" in page for name in FORWARD)
    assert all(f"\n| {status} |" in page for status in (0, 1, 2, 3, 4, 5, 130))


def test_profiles(kubectl_dra: Call) -> None:
    result = kubectl_dra("migrate-node", "--list-profiles")
    assert (result.code, result.stderr) == (0, "")
    assert [line.split()[0] for line in result.stdout.splitlines()[1:]] == [
        "commands",
        "example",
        "manual",
        "node-labels",
        "nvidia-gpu-operator",
        "nvidia-standalone",
    ]
    assert kubectl_dra("migrate-node", "--list-profiles", "-o", "name").stdout.splitlines()[0] == "commands"
    seen = json.loads(kubectl_dra("migrate-node", "gpu-01", "--list-profiles", "--demo", "-o", "json").stdout)
    # operator and chart run the same image; only the operator's label tells them apart
    detected = {item["name"]: item["detected"] for item in seen["items"] if item["detected"]}
    assert list(detected) == ["nvidia-gpu-operator", "nvidia-standalone"]
    assert ["label" in sentences[0] for sentences in detected.values()] == [True, False]


def test_the_profile_is_proposed_and_never_taken_unasked(kubectl_dra: Call) -> None:
    result = kubectl_dra("migrate-node", "gpu-01", "--dry-run=client", "--demo")
    assert (result.code, result.stdout) == (2, "")
    assert "\nSeen on the node: --profile nvidia-gpu-operator (label nvidia.com/gpu.deploy.device-plugin on gpu-01;" in result.stderr
    nothing = kubectl_dra("migrate-node", "arc-02", "--dry-run=client", "--demo")
    assert nothing.stderr.endswith("Nothing of a known installer is seen on the node: `kubectl dra migrate-node --list-profiles`.\n")


def test_the_profile_of_an_earlier_run_is_proposed_first(kubectl_dra: Call, tmp_path: Path) -> None:
    journal = '{"id": "j1", "nodeUid": "u", "profile": "mine"}'
    labels = {"example.com/device-plugin": "true"}
    node = {"metadata": {"name": "a", "uid": "u", "labels": labels, "annotations": {"kubectl-dra.io/migration": journal}}}
    file = tmp_path / "cluster.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Node", **node}]}))
    result = kubectl_dra("migrate-node", "a", "--rollback", "--dry-run=client", "--from", str(file))
    assert (result.code, result.stderr.splitlines()[1]) == (2, "An earlier run on the node had --profile mine.")
    assert json.loads(kubectl_dra("migrate-node", "--status", "--from", str(file), "-ojson").stdout)["items"][0]["phase"] == "moving"


def test_a_profile_of_ones_own(kubectl_dra: Call, tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text(
        "name: mine\ntitle: x\nresources: ['nvidia.com/*']\n"
        "unplug: {do: [{action: say, text: 'stop it on {node}'}], undo: [{action: say, text: start it}]}\n"
        "plug: {do: [{action: say, text: start it}], undo: [{action: say, text: stop it}]}\n"
    )
    plan = json.loads(kubectl_dra("migrate-node", "gpu-01", "--profile", str(mine), "--dry-run=client", "--demo", "-ojson").stdout)
    assert plan["profile"] == "mine"
    assert next(step["does"] for step in plan["steps"] if step["name"] == "unplug") == "stop it on gpu-01"
    assert plan["command"] == f"kubectl dra migrate-node gpu-01 --profile {mine}"


def test_status(kubectl_dra: Call) -> None:
    assert kubectl_dra("migrate-node", "--status", "--demo") == Result(0, "", "No node has been touched by a move\n")
    one = kubectl_dra("migrate-node", "gpu-01", "--status", "--demo")
    assert one.code == 0
    assert one.stdout.splitlines()[0].split() == ["NODE", "PHASE", "STEP", "CORDONED", "FENCED", "LOCK"]
    assert "gpu-01: no journal\n" in one.stdout
    assert json.loads(kubectl_dra("migrate-node", "--status", "--demo", "-ojson").stdout)["items"] == []


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ((), "argument NODE is required"),
        (("gpu-01", "--status", "--rollback"), "--status and --rollback do not go together"),
        (("gpu-01", "--rollback", "--verify"), "--rollback and --verify do not go together"),
        (("gpu-01", "--clean"), "--clean goes with --status"),
        (("--status", "--clean", "--demo"), "--clean needs a cluster, not --from or --demo"),
        (("gpu-01", "--dry-run=client", "-o", "jsonl"), "-o jsonl is for runs: what happens, as it happens"),
        (("gpu-01", "--only", "drain", "--until", "drain"), "--only and --until do not go together"),
        (("gpu-01", "--only", "drian"), '--only: there is no step "drian"'),
        (("gpu-01", "--until", "replug"), "--until=replug: that is no step of the move"),
        (("gpu-01", "--rollback", "--until", "unplug"), "--until=unplug: that is no step of the way back"),
        (("gpu-01", "--step-timeout", "drain"), '--step-timeout="drain" names no duration'),
        (("gpu-01", "--step-timeout", "drain=soon"), '"soon" is no duration for --step-timeout'),
        (("gpu-01", "--timeout", "-5s"), '"-5s" is no duration for --timeout'),
        (("gpu-01", "--resource", "a/b", "--drop-resource", "a/b"), "a/b cannot be both moved and dropped (--resource, --drop-resource)"),
        (("gpu-01", "--no-canary", "--canary-image", "x"), "--no-canary goes with no other option of the canary"),
        (("gpu-01", "--canary", "/no/such/file"), "cannot read the canary /no/such/file: No such file or directory"),
        (("gpu-01", "--pod-selector", "a=b=c"), '--pod-selector="a=b=c": '),
        (("gpu-01", "--drain", "none"), 'invalid argument "none" for "--drain" flag: must be evict, holders or wait'),
        (("gpu-01", "--profile", "manual", "--hook", "plug=x"), "--hook goes with profile commands, not with manual"),
        (
            ("gpu-01", "--profile", "manual", "--plug-label", "a=b"),
            "--unplug-label and --plug-label go with profile node-labels, not with manual",
        ),
        (("gpu-01", "--profile", "node-labels"), "profile node-labels needs --unplug-label and --plug-label"),
        (("gpu-01", "--profile", "commands", "--hook", "plug=x"), "profile commands needs --hook unplug=PROGRAM"),
        (("gpu-01", "--profile", "commands", "--hook", "plog=x"), '--hook="plog=x" is no hook'),
        (("gpu-01", "--profile", "manual", "--demo"), "a run needs a cluster"),
        (("gpu-01", "--profile", "manual", "--demo", "--dry-run=server"), "a run needs a cluster"),
        (("gpu-01", "--profile", "manual", "--dry-run=server", "-o", "jsonl"), "-o jsonl is for runs: what happens, as it happens"),
        (("gpu-99", "--profile", "manual", "--demo", "--dry-run=client"), 'there is no node "gpu-99"'),
        (("gpu-01", "--profile", "manual"), "nobody is here to be asked, and --yes was not given: nothing was done"),
    ],
)
def test_what_does_not_go(kubectl_dra: Call, argv: tuple[str, ...], message: str) -> None:
    result = kubectl_dra("migrate-node", *argv)
    assert (result.code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"error: {message}")


def test_labels_and_programs_fill_their_profiles(kubectl_dra: Call) -> None:
    common = ("migrate-node", "gpu-01", "--dry-run=client", "--demo", "-ojson", "--resource", "nvidia.com/gpu")
    by_label = kubectl_dra(*common, "--profile=node-labels", "--unplug-label=example.com/p=off/on", "--plug-label=example.com/d=on")
    does = {step["name"]: step["does"] for step in json.loads(by_label.stdout)["steps"]}
    assert does["unplug"] == "set label example.com/p=off on node gpu-01"
    hooks = [f"--hook={step}=./{step}.sh --now" for step in ("unplug", "plug", "remove", "replug")]
    by_program = json.loads(kubectl_dra(*common, "--profile=commands", *hooks).stdout)
    assert next(step["undo"] for step in by_program["steps"] if step["name"] == "plug").endswith("run ./remove.sh --now")
    assert "--hook 'unplug=./unplug.sh --now'" in by_program["command"]


def test_other_limits_come_from_a_file(kubectl_dra: Call, tmp_path: Path) -> None:
    short = tmp_path / "timing.json"
    short.write_text('{"poll": 0.1, "limits": {"settle": 12}}')
    plan = json.loads(kubectl_dra(*PLAN, "-ojson", variables={"KUBECTL_DRA_TIMING": str(short)}).stdout)
    assert next(step["timeoutSeconds"] for step in plan["steps"] if step["name"] == "settle") == 12
    short.write_text('{"pol": 1}')
    wrong = kubectl_dra(*PLAN, variables={"KUBECTL_DRA_TIMING": str(short)})
    assert (wrong.code, wrong.stderr) == (2, f"error: KUBECTL_DRA_TIMING={short}: Object contains unknown field `pol`\n")


def test_tokens_are_not_repeated(kubectl_dra: Call) -> None:
    """What is printed lands in logs and runbooks."""
    from kubectl_dra.cli.command.migrate_node import migrate_node
    from kubectl_dra.cli.options import Run
    from kubectl_dra.cli.repeated import repeated
    from kubectl_dra.environment import Environment

    run = Run(Environment.of_process(), context="prod us", token="hunter2", as_groups=("ops",))
    assert repeated(migrate_node, {"force": True, "ignore_daemonsets": False, "yes": True}, run, without={"yes"}) == (
        "--context",
        "'prod us'",
        "--as-group",
        "ops",
        "--ignore-daemonsets=false",
        "--force",
    )


def test_names_are_completed_from_the_cluster() -> None:
    from kubectl_dra.cli.cluster_names import CLASSES, EXTENDED_RESOURCES, NAMESPACES, NODES, names_for

    assert names_for("migrate-node", "node") == NODES
    assert names_for("migrate-node", "device_class") == CLASSES
    assert names_for("migrate-node", "canary_namespace") == NAMESPACES
    assert names_for("migrate-node", "resource") == names_for("migrate-node", "drop_resource") == EXTENDED_RESOURCES


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("--profile", "nv"), ["nvidia-gpu-operator", "nvidia-standalone"]),
        (("--only", "un"), ["unplug", "uncordon"]),
        (("--drain", ""), ["evict", "holders", "wait"]),
    ],
)
def test_words_are_completed(words: tuple[str, ...], found: list[str]) -> None:
    from kubectl_dra.cli.complete import complete
    from kubectl_dra.environment import Environment
    from tests.run import Stream

    environment = Environment(Stream(), Stream(), Stream())
    assert [each.word for each in complete(["migrate-node", "gpu-01", *words], environment).candidates] == found
