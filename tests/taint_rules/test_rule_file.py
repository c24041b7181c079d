"""Rules of files: what is in them, and what must not be."""

import json
from pathlib import Path

import pytest

from kubectl_dra.environment import Environment
from kubectl_dra.errors import UsageError
from kubectl_dra.objects.resource import DeviceTaintSelector
from kubectl_dra.taint_rules.manifest import PlannedRule, to_send
from kubectl_dra.taint_rules.rule_file import read_rules
from tests.run import Stream

RULE = """
apiVersion: resource.k8s.io/v1
kind: DeviceTaintRule
metadata:
  name: drain
  labels: {team: hardware}
spec:
  deviceSelector: {driver: gpu.example.com, pool: node-7}
  taint: {key: example.com/maintenance, value: "1", effect: NoExecute}
"""


def rules(text: str, tmp_path: Path) -> tuple[PlannedRule, ...]:
    path = tmp_path / "rule.yaml"
    path.write_text(text)
    return read_rules(str(path), Environment(Stream(), Stream(), Stream()))


def refusal(text: str, tmp_path: Path) -> UsageError:
    with pytest.raises(UsageError) as caught:
        rules(text, tmp_path)
    return caught.value


def test_a_rule_keeps_its_labels(tmp_path: Path) -> None:
    (one,) = rules(RULE, tmp_path)
    assert (one.name, one.rule.spec.device_selector) == ("drain", DeviceTaintSelector("gpu.example.com", "node-7"))
    assert one.manifest["metadata"] == {"name": "drain", "labels": {"team": "hardware"}}


def test_a_name_that_is_left_to_the_server_is_made_here(tmp_path: Path) -> None:
    """So that a rule whose making was interrupted can be found, and removed."""
    (one,) = rules(RULE.replace("  name: drain", "  generateName: drain-"), tmp_path)
    assert one.name.startswith("drain-")
    assert len(one.name) > len("drain-")
    assert one.manifest["metadata"] == {"generateName": "drain-", "labels": {"team": "hardware"}}
    sent = to_send(one, "resource.k8s.io/v1beta2").manifest
    assert sent["metadata"] == {"name": one.name, "labels": {"team": "hardware"}}
    assert sent["apiVersion"] == "resource.k8s.io/v1beta2"


def test_standard_input_and_json() -> None:
    document = {
        "apiVersion": "resource.k8s.io/v1beta2",
        "kind": "DeviceTaintRule",
        "metadata": {"name": "x"},
        "spec": {"taint": {"key": "a", "effect": "None"}},
    }
    (one,) = read_rules("-", Environment(Stream(json.dumps(document).encode()), Stream(), Stream()))
    assert (one.name, one.rule.spec.device_selector, one.manifest["apiVersion"]) == ("x", None, "resource.k8s.io/v1beta2")


def test_several_documents(tmp_path: Path) -> None:
    found = rules(f"{RULE}---\n{RULE.replace('name: drain', 'name: other')}---\n# nothing\n", tmp_path)
    assert [each.name for each in found] == ["drain", "other"]
    assert 'has two rules named "drain"' in refusal(f"{RULE}---\n{RULE}", tmp_path).message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("driver:", "Driver:"), 'unknown field "spec.deviceSelector.Driver"'),
        (("{key:", "{until: now, key:"), 'unknown field "spec.taint.until"'),
        (("spec:", "specs: {}\nspec:"), 'unknown field "specs"'),
        (("kind: DeviceTaintRule", "kind: Pod"), "resource.k8s.io/v1 Pod is no DeviceTaintRule"),
        (("resource.k8s.io/v1", "resource.k8s.io/v2"), "resource.k8s.io/v2 DeviceTaintRule is no DeviceTaintRule"),
        (("effect: NoExecute", "effect: Never"), 'spec.taint.effect: Unsupported value: "Never"'),
        (("name: drain", "name: Drain"), "metadata.name: Invalid value"),
        (("  name: drain\n", ""), "metadata.name: Required value: name or generateName is required"),
    ],
)
def test_what_the_server_would_refuse(change: tuple[str, str], message: str, tmp_path: Path) -> None:
    told = refusal(RULE.replace(*change), tmp_path).message
    assert message in told
    assert "rule.yaml, line 2: " in told


def test_a_class_would_have_become_every_device(tmp_path: Path) -> None:
    error = refusal(RULE.replace("driver: gpu.example.com, pool: node-7", "deviceClassName: gpu"), tmp_path)
    assert error.message.endswith('unknown field "spec.deviceSelector.deviceClassName"')
    assert "would select every device" in error.hint


def test_no_rule_at_all(tmp_path: Path) -> None:
    assert "has no DeviceTaintRule in it" in refusal("# nothing\n", tmp_path).message
    assert "no object" in refusal("- a\n", tmp_path).message
    assert "is not YAML" in refusal("a: [\n", tmp_path).message
    with pytest.raises(UsageError, match="cannot read"):
        read_rules(str(tmp_path / "none"), Environment(Stream(), Stream(), Stream()))
