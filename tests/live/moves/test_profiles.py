"""Other ways to take the plugin off and bring the driver: programs, people, labels of one's own; and a canary of one's own."""

import json
from collections.abc import Callable
from pathlib import Path

import yaml

from tests.bed.api import Manifest
from tests.bed.operands import DRIVER_LABEL, PLUGIN_LABEL, RESOURCE
from tests.bed.waiting import wait_until
from tests.live.moves.conftest import Ground, step, told


def with_profile(ground: Ground, name: str, *more: str) -> list[str]:
    """The arguments of a run with another profile."""
    arguments = ground.arguments(*more, "--resource", RESOURCE)
    arguments[arguments.index("example")] = name
    return arguments


def hook(ground: Ground, name: str, label: str, value: str) -> str:
    """A program that notes what it was told, and sets a label."""
    program = ground.files / name
    lines = [
        "#!/bin/sh",
        f'echo "$STEP $NODE $PROFILE $RESOURCES $CONTEXT" >> {ground.files}/told',
        f"export KUBECACHEDIR={ground.files}",
        f"exec {ground.cell.bed} kubectl --kubeconfig {ground.cell.kubeconfig} label node $NODE --overwrite {label}{value}",
    ]
    program.write_text("\n".join(lines))
    program.chmod(0o755)
    return f"{name}={program}"


def test_programs_and_a_canary_of_ones_own(ground: Ground, tmp_path: Path) -> None:
    ways = (
        ("unplug", PLUGIN_LABEL, "=false"),
        ("plug", DRIVER_LABEL, "=true"),
        ("remove", DRIVER_LABEL, "-"),
        ("replug", PLUGIN_LABEL, "=true"),
    )
    hooks = [word for way in ways for word in ("--hook", hook(ground, *way))]
    canary = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"labels": {"team": "mine"}},
        "spec": {"containers": [{"name": "mine", "image": "registry.example/mine", "resources": {"limits": {RESOURCE: "2"}}}]},
    }
    (tmp_path / "canary.yaml").write_text(yaml.safe_dump(canary))
    own = ["--canary", str(tmp_path / "canary.yaml"), "--canary-namespace", ground.namespace]
    arguments = with_profile(ground, "commands", *hooks, *own)
    at = arguments.index("--canary-image")
    del arguments[at : at + 2]
    result = ground.call(arguments)
    assert result.code == 0, told(result)
    proof = step(json.loads(result.stdout), "canary")["message"]
    assert (proof.count("gpu.example.com/"), "through a claim" in proof) == (2, True)
    result = ground.call([*arguments, "--rollback"])
    assert result.code == 0, told(result)
    name = f"{ground.node.name} commands {RESOURCE} bed"
    heard = (ground.files / "told").read_text().splitlines()
    assert heard == [f"unplug {name}", f"plug {name}", f"remove {name}", f"replug {name}"]
    assert ground.pods(team="mine") == []
    ground.assert_clean()


def test_a_program_that_fails_stops_the_move(ground: Ground) -> None:
    program = ground.files / "unplug"
    program.write_text("#!/bin/sh\necho no ticket, no change\nexit 7\n")
    program.chmod(0o755)
    hooks = [word for name in ("unplug", "plug", "remove", "replug") for word in ("--hook", f"{name}={program}")]
    result = ground.call(with_profile(ground, "commands", *hooks))
    assert result.code == 3, told(result)
    record: Manifest = json.loads(result.stdout)
    assert record["message"] == f"step unplug: {program} ended with status 7: no ticket, no change"
    assert "no ticket, no change" in result.stderr
    program.write_text("#!/bin/sh\n")  # nothing has changed, so that nothing is to be done on the way back
    result = ground.call(with_profile(ground, "commands", *hooks, "--rollback"))
    assert result.code == 0, told(result)
    ground.assert_clean()


def test_a_person_does_it(ground: Ground) -> None:
    path = f"/api/v1/nodes/{ground.node.name}"

    def label(key: str, value: str | None) -> None:
        ground.cell.api.patch(path, {"metadata": {"labels": {key: value}}})

    def asked(process_step: str) -> Callable[[], bool]:
        return lambda: ground.at(process_step) or ground.at(process_step, "done")

    with ground.start_with(with_profile(ground, "manual")) as process:
        wait_until(asked("unplug"), "a person is asked to stop the plugin", 60)
        label(PLUGIN_LABEL, "false")
        wait_until(asked("plug"), "a person is asked to start the driver", 60)
        label(DRIVER_LABEL, "true")
        stdout, stderr = process.communicate(timeout=120)
    assert process.returncode == 0, (stdout[-2000:], stderr[-2000:])
    assert f"to do by hand: stop the device plugin on node {ground.node.name}, for good" in stderr
    assert json.loads(stdout)["phase"] == "moved"
    ground.assert_clean()


def test_labels_given_on_the_command_line(ground: Ground) -> None:
    labels = ["--unplug-label", f"{PLUGIN_LABEL}=false/true", "--plug-label", f"{DRIVER_LABEL}=true/"]
    for way, phase in (([], "moved"), (["--rollback"], "returned")):
        result = ground.call(with_profile(ground, "node-labels", *labels, *way))
        assert result.code == 0, told(result)
        assert json.loads(result.stdout)["phase"] == phase
        ground.assert_clean()
