"""The roles that `rbac` prints are enough, and no more than enough: with them the commands read everything; each rule is needed."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubectl_dra.knowledge.permissions import commands, grants_of
from tests.bed.cluster import Cluster
from tests.bed.proxy import FaultProxy
from tests.run import Result, kubectl_dra

READERS = [command for command in commands() if not grants_of(command)]
"""Commands that write are held to their roles by tests of their own."""


POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "train"},
    "spec": {"automountServiceAccountToken": False, "containers": [{"name": "main", "image": "i"}]},
}

RULE = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "DeviceTaintRule",
    "metadata": {"name": "gone"},
    "spec": {"deviceSelector": {"driver": "gone.example.com"}, "taint": {"key": "example.com/gone", "effect": "NoExecute"}},
}


@pytest.fixture
def words(namespace: str, apply: Callable[..., object]) -> Callable[[str], list[str]]:
    """The command line of a command: those that are about a pod or a rule get one."""
    apply([POD, RULE])
    of = {
        "explain": ["explain", "pod", "train", "-n", namespace],
        "taint-preview": ["taint", "example.com/gone:NoExecute", "--all-devices", "--dry-run"],
        "taint-list": ["taint", "list"],
        "taint-show": ["taint", "show", "gone"],
        "taint-wait": ["taint", "wait", "gone", "--timeout=60s"],
    }
    return lambda command: of.get(command, [command])


@pytest.mark.parametrize("command", READERS)
def test_the_role_of_a_command_is_all_it_needs(few_rights: Callable[..., Path], words: Callable[[str], list[str]], command: str) -> None:
    rules: list[dict[str, Any]] = yaml.safe_load(kubectl_dra("rbac", command).stdout)["rules"]
    result = kubectl_dra(*words(command), "--kubeconfig", str(few_rights(*rules)), "--strict")
    assert (result.code, "forbidden" in result.stdout + result.stderr) in ((0, False), (1, False)), result.stderr


def test_a_snapshot_with_the_role_has_no_gap(few_rights: Callable[..., Path], tmp_path: Path) -> None:
    rules: list[dict[str, Any]] = yaml.safe_load(kubectl_dra("rbac", "snapshot").stdout)["rules"]
    file = tmp_path / "cluster.json"
    assert kubectl_dra("snapshot", str(file), "--kubeconfig", str(few_rights(*rules))) == Result(0, "", "")
    told = json.loads(file.read_text())["snapshot"]
    assert not told.get("forbidden")


@pytest.mark.parametrize("command", READERS)
def test_the_role_of_a_command_is_no_more_than_it_asks_for(
    cell: Cluster, proxy: Callable[..., FaultProxy], tmp_path: Path, words: Callable[[str], list[str]], command: str
) -> None:
    before = proxy(cell)
    kubectl_dra(*words(command), "--kubeconfig", str(cell.write_kubeconfig(tmp_path / command, server=before.url)))
    assert {request.method for request in before.requests} == {"GET"}
    paths = {request.path.partition("?")[0] for request in before.requests}
    rules = yaml.safe_load(kubectl_dra("rbac", command, "--custom-workloads=false").stdout)["rules"]
    allowed = {(group, resource) for rule in rules for group in rule.get("apiGroups", ()) for resource in rule.get("resources", ())}
    urls = {url for rule in rules for url in rule.get("nonResourceURLs", ())}
    asked = {path for path in paths if not _discovery(path)}
    assert {path for path in asked if path in urls} == urls
    assert {_resource(path) for path in asked - urls} == allowed - UNSERVED


UNSERVED = {("coordination.k8s.io", "leasecandidates")}
"""What this cluster does not serve."""


def _discovery(path: str) -> bool:
    return path in ("/version", "/api", "/apis", "/api/v1") or (path.startswith("/apis/") and path.count("/") == len("///"))


def _resource(path: str) -> tuple[str, str]:
    """`/apis/apps/v1/namespaces/x/deployments` as group and plural."""
    parts = path.strip("/").split("/")
    group, rest = ("", parts[2:]) if parts[0] == "api" else (parts[1], parts[3:])
    if rest[:1] == ["namespaces"] and len(rest) > 2:
        rest = rest[2:]
    return group, rest[0]
