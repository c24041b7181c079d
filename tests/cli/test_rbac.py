"""`kubectl dra rbac`. `tests/live` runs the commands with the roles."""

import json
from collections.abc import Callable

import pytest
import yaml

from kubectl_dra.knowledge.permissions import commands
from tests.run import Result


@pytest.mark.parametrize("command", commands())
def test_a_role_for_each_command(kubectl_dra: Callable[..., Result], command: str) -> None:
    result = kubectl_dra("rbac", command)
    role = yaml.safe_load(result.stdout)
    assert (result.code, result.stderr) == (0, "")
    assert (role["apiVersion"], role["kind"], role["metadata"]) == (
        "rbac.authorization.k8s.io/v1",
        "ClusterRole",
        {"name": f"kubectl-dra-{command}"},
    )
    assert {"apiGroups": [""], "resources": ["nodes"], "verbs": ["list"]}.keys() == role["rules"][0].keys()


def test_a_role_for_a_command_that_writes(kubectl_dra: Callable[..., Result]) -> None:
    rules = yaml.safe_load(kubectl_dra("rbac", "migrate-node").stdout)["rules"]
    assert {"apiGroups": [""], "resources": ["pods/eviction"], "verbs": ["create"]} in rules
    assert {"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list", "patch"]} in rules


def test_without_a_command_one_role_for_all(kubectl_dra: Callable[..., Result]) -> None:
    role = yaml.safe_load(kubectl_dra("rbac").stdout)
    everything = yaml.safe_load(kubectl_dra("rbac", *commands()).stdout)
    assert role["metadata"]["name"] == "kubectl-dra"
    assert role["rules"] == everything["rules"]


def test_as_json(kubectl_dra: Callable[..., Result]) -> None:
    assert json.loads(kubectl_dra("rbac", "classes", "-o=json").stdout) == yaml.safe_load(kubectl_dra("rbac", "classes").stdout)


def test_custom_workloads_can_be_left_out(kubectl_dra: Callable[..., Result]) -> None:
    assert "ray.io" in kubectl_dra("rbac", "audit").stdout
    assert "ray.io" not in kubectl_dra("rbac", "audit", "--custom-workloads=false").stdout


def test_a_command_that_needs_none(kubectl_dra: Callable[..., Result]) -> None:
    assert kubectl_dra("rbac", "version") == Result(
        2, "", f'error: "version" is no command that needs permissions\nCommands that read a cluster: {", ".join(commands())}.\n'
    )


def test_another_format(kubectl_dra: Callable[..., Result]) -> None:
    assert kubectl_dra("rbac", "-o", "table") == Result(
        2, "", 'error: invalid argument "table" for "-o, --output" flag: must be yaml or json\n'
    )
