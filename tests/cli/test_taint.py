"""`kubectl dra taint`: its words, what is refused before anything is read, and the preview of the bundled cluster."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from kubectl_dra.cli.complete import complete
from kubectl_dra.environment import Environment
from tests.run import Result, Stream

Run = Callable[..., Result]
TAINT = "example.com/maintenance=drain:NoExecute"
NOWHERE = {"KUBECONFIG": "/nowhere"}
"""A kubeconfig that is not there: whoever comes so far fails with 3."""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("delte", "x"), 'unknown command "delte" for "kubectl dra taint"\nDid you mean "delete"?'),
        (("example.com/x=y",), '"example.com/x=y" looks like a taint without its effect\nWrite example.com/x=y:NoSchedule, '),
        (("x.y",), '"x.y" looks like a taint without its effect'),
        (
            ("maintenance",),
            '"maintenance" is neither a taint (KEY[=VALUE]:EFFECT) nor a command of "kubectl dra taint"\nA taint has a colon; ',
        ),
        ((TAINT, "--driver", "d", "--frob"), "unknown flag: --frob\nSee 'kubectl dra taint --help' for usage."),
        (("list", "--driver", "d"), "unknown flag: --driver\nSee 'kubectl dra taint list --help' for usage."),
        (("promote",), "argument NAME is required\nSee 'kubectl dra taint promote --help' for usage."),
        (("--driver", "d"), "a taint is required: KEY[=VALUE]:EFFECT"),
    ],
)
def test_the_first_word(kubectl_dra: Run, words: tuple[str, ...], message: str) -> None:
    result = kubectl_dra("taint", *words, variables=NOWHERE)
    assert (result.code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"error: {message}")


def test_options_may_stand_before_the_word(kubectl_dra: Run) -> None:
    plain = kubectl_dra("taint", TAINT, "--driver", "gpu.nvidia.com", "--demo")
    assert plain.code == 0
    assert kubectl_dra("taint", "--driver", "gpu.nvidia.com", TAINT, "--demo") == plain
    assert kubectl_dra("--demo", "taint", "--driver=gpu.nvidia.com", "--", TAINT) == plain
    assert kubectl_dra("taint", "--demo", "list") == kubectl_dra("taint", "list", "--demo")
    assert kubectl_dra("taint", "-o", "name", "list", "--demo").code == 0


def test_help_of_the_group_and_of_its_commands(kubectl_dra: Run) -> None:
    whole = kubectl_dra("taint", "--help")
    assert whole.code == 0
    assert "Commands for rules that exist:\n  list " in whole.stdout
    assert "Usage:\n  kubectl dra taint [KEY[=VALUE]:EFFECT] [options]\n" in whole.stdout
    assert kubectl_dra("taint") == kubectl_dra("taint", "help") == kubectl_dra("help", "taint") == whole
    assert "Usage:\n  kubectl dra taint wait NAME [options]\n" in kubectl_dra("taint", "wait", "--help").stdout
    assert kubectl_dra("taint", "help", "wait") == kubectl_dra("taint", "wait", "--help")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((TAINT,), "no device is selected"),
        ((TAINT, "--driver=d", "--all-devices"), "--all-devices and a narrower selection exclude each other"),
        ((TAINT, "--node=n", "--device=d"), "--node and --device exclude each other"),
        ((TAINT, "--driver=d", "--probe", "--dry-run"), "--probe and --dry-run exclude each other"),
        ((TAINT, "--driver=d", "--evict"), "--evict goes with the effect NoSchedule"),
        ((TAINT, "--driver=d", "-f", "x"), "KEY[=VALUE]:EFFECT and --filename exclude each other"),
        (("--driver=d", "-f", "x"), "--driver and --filename exclude each other"),
        (("-f", "/nowhere.yaml"), "cannot read /nowhere.yaml: No such file or directory"),
        ((TAINT, "--driver=d_"), 'DeviceTaintRule.resource.k8s.io "maintenance-'),
        (("a=b c:NoExecute", "--node=n"), 'DeviceTaintRule.resource.k8s.io "a-'),
        ((TAINT, "--driver=d", "--name=X"), 'DeviceTaintRule.resource.k8s.io "X" is invalid: metadata.name: Invalid value: "X"'),
        ((TAINT, "--driver=d", "--time-added=now"), '"now" is no time for --time-added'),
        ((TAINT, "--driver=d", "--timeout=soon"), '"soon" is no duration for --timeout'),
        ((TAINT, "--driver=d", "-o", "manifests"), 'unable to match a printer suitable for the output format "manifests"'),
        ((TAINT, "--driver=d"), "nobody is here to be asked, and --yes was not given: nothing was done"),
        ((TAINT, "--driver=d", "--probe"), "nobody is here to be asked, and --yes was not given: nothing was done"),
        (("promote", "x"), "nobody is here to be asked, and --yes was not given: nothing was done"),
        (("delete", "x"), "nobody is here to be asked, and --yes was not given: nothing was done"),
        (("delete",), "the name of a rule, or --previews, is required"),
        (("delete", "x", "--previews"), "--previews and names exclude each other"),
        (("wait", "x", "--demo"), "taint wait needs a cluster, not --demo"),
        (("promote", "x", "--from=f"), "taint promote needs a cluster, not --from"),
        ((TAINT, "--driver=d", "--demo", "--probe"), "--probe needs a cluster, not --demo"),
        ((TAINT, "--driver=d", "--demo", "--dry-run=server"), "--dry-run=server needs a cluster, not --demo"),
        ((TAINT, "--class=gpu.nvidia.com", "--demo"), "rules do not select by class (since 1.35)"),
        ((TAINT, "--node=arc-01", "--demo"), "node arc-01 has no devices of its own"),
    ],
)
def test_what_does_not_go_together(kubectl_dra: Run, words: tuple[str, ...], message: str) -> None:
    result = kubectl_dra("taint", *words, variables=NOWHERE)
    assert (result.code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"error: {message}")


def test_a_rule_of_a_file_that_nothing_narrows(kubectl_dra: Run, tmp_path: Path) -> None:
    rule = {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceTaintRule", "metadata": {"name": "x"}}
    cases: tuple[tuple[dict[str, object], str], ...] = (({}, "has no selector"), ({"deviceSelector": {}}, "selects every device"))
    for spec, words in cases:
        path = tmp_path / "rule.yaml"
        path.write_text(yaml.safe_dump({**rule, "spec": {**spec, "taint": {"key": "a", "effect": "NoExecute"}}}))
        refused = kubectl_dra("taint", "-f", str(path), "--demo")
        assert refused.code == 2
        assert f"line 1: the rule {words}" in refused.stderr
        assert kubectl_dra("taint", "-f", str(path), "--demo", "--all-devices").code == 0


def test_a_file_with_several_rules(kubectl_dra: Run, tmp_path: Path) -> None:
    def rule(name: str, effect: str, pool: str) -> dict[str, object]:
        spec = {"deviceSelector": {"driver": "gpu.nvidia.com", "pool": pool}, "taint": {"key": name, "effect": effect}}
        return {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceTaintRule", "metadata": {"name": name}, "spec": spec}

    path = tmp_path / "rules.yaml"
    path.write_text(yaml.safe_dump_all([rule("a", "NoExecute", "gpu-04"), rule("b", "NoExecute", "gpu-05")]))
    shown = kubectl_dra("taint", "-f", str(path), "--demo")
    assert shown.stdout.startswith("2 DeviceTaintRules\n\nRULE   TAINT         SELECTOR ")
    found = json.loads(kubectl_dra("taint", "-f", str(path), "--demo", "-o", "json").stdout)
    assert (found["rule"], [each["rule"]["name"] for each in found["rules"]]) == (None, ["a", "b"])
    assert found["client"]["publishedDevices"] == sum(each["client"]["publishedDevices"] for each in found["rules"]) == 16
    path.write_text(yaml.safe_dump_all([rule("a", "NoExecute", "gpu-04"), rule("b", "NoSchedule", "gpu-05")]))
    mixed = kubectl_dra("taint", "-f", str(path), "--demo")
    assert (mixed.code, "different effects: NoExecute, NoSchedule" in mixed.stderr) == (2, True)


def test_a_gate_for_runbooks(kubectl_dra: Run) -> None:
    words = ("taint", "--driver", "gpu.nvidia.com", "--demo", "--fail-on-eviction")
    assert kubectl_dra(*words, TAINT).code == 1
    assert kubectl_dra(*words, "a:None").code == 1
    assert kubectl_dra(*words, "a:NoSchedule").code == 0
    assert kubectl_dra(*words, "a:NoSchedule", "--evict").code == 1
    assert kubectl_dra(*words, TAINT, "--pool=gpu-07").code == 0


def test_formats(kubectl_dra: Run) -> None:
    words = ("taint", TAINT, "--driver", "gpu.nvidia.com", "--pool", "gpu-06", "--demo")
    found = json.loads(kubectl_dra(*words, "-o", "json").stdout)
    assert (found["apiVersion"], found["kind"], found["rule"]["taint"]["effect"]) == ("kubectl-dra/v1", "TaintPreview", "NoExecute")
    listed = json.loads(kubectl_dra("devices", "--driver=gpu.nvidia.com", "--pool=gpu-06", "--demo", "-o", "json").stdout)["items"]
    numbers = found["client"]
    assert numbers["publishedDevices"] == len(listed)
    assert numbers["allocatedDevices"] == sum(each["state"] == "allocated" for each in listed)
    assert numbers["pods"] == len(found["pods"]) == len({each["pod"] for each in listed if each["pod"]})
    assert [found["probe"], found["outcome"]] == [None, None]
    manifest = kubectl_dra(*words, "-o", "manifest").stdout
    assert yaml.safe_load(manifest)["spec"]["deviceSelector"] == {"driver": "gpu.nvidia.com", "pool": "gpu-06"}
    name = f"devicetaintrule.resource.k8s.io/{found['rule']['name']}\n"
    assert kubectl_dra(*words, "-o", "name").stdout == name
    assert kubectl_dra(*words, "-o", "csv").stdout.startswith("NAMESPACE,POD,WORKLOAD,NODE,GOES,COMES BACK,CLAIM")
    assert kubectl_dra(*words, "-o", "jsonpath={.client.pods}").stdout == str(numbers["pods"])
    both = kubectl_dra("taint", TAINT, "--node", "lab-01", "--demo", "-o", "manifest").stdout
    assert [each["kind"] for each in yaml.safe_load_all(both)] == ["DeviceTaintRule"] * both.count("kind: ")


def test_without_a_cluster_nobody_is_asked(kubectl_dra: Run) -> None:
    result = kubectl_dra("taint", TAINT, "--driver=d", variables=NOWHERE, terminal=True)
    assert (result.code, result.stdout) == (3, "")


def words(*line: str) -> list[str]:
    return [each.word for each in complete(line, Environment(Stream(), Stream(), Stream(), {"KUBECONFIG": "/nowhere"})).candidates]


def test_completion() -> None:
    assert words("taint", "") == ["list", "show", "promote", "demote", "wait", "delete"]
    assert words("taint", "pro") == ["promote"]
    assert words("taint", "example.com/a=b:") == [f"example.com/a=b:{effect}" for effect in ("None", "NoSchedule", "NoExecute")]
    assert words("taint", "a:None", "--all") == ["--all-devices", "--all-namespaces"][:1]
    assert words("taint", "--probe", "--evi") == ["--evict"]
    assert words("taint", "promote", "x", "--to", "") == ["NoSchedule", "NoExecute"]
    assert words("taint", "a:None", "--dry-run=") == ["none", "client", "server"]
