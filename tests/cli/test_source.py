"""Where a snapshot comes from, and what does not go together."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from kubectl_dra.cli.options import Run
from kubectl_dra.cli.source import read_snapshot
from kubectl_dra.environment import Environment
from kubectl_dra.errors import IncompleteReadingError, UsageError
from tests.run import Result, Stream

NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}}


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A file with one node."""
    path = tmp_path / "nodes.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [NODE]}), encoding="utf-8")
    return str(path)


def run(**options: object) -> Run:
    return Run(environment=Environment(Stream(), Stream(), Stream()), **options)  # type: ignore[arg-type]


def test_a_file_stands_for_a_cluster(file: str) -> None:
    snapshot = read_snapshot(run(from_=file), ["nodes"])
    assert [node.metadata.name for node in snapshot.nodes] == ["a"]


def test_strict_wants_every_kind_in_full(file: str) -> None:
    assert read_snapshot(run(from_=file, strict=True), ["nodes"]).nodes.known
    with pytest.raises(IncompleteReadingError, match=r"^--strict: not read in full: pods \(absent\), resource claims \(absent\)$"):
        read_snapshot(run(from_=file, strict=True), ["resource_claims", "nodes", "pods"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"from_": "x", "demo": True}, "--demo and --from do not go together"),
        ({"from_": ""}, "--from names no file"),
        ({"from_": "x", "context": "prod"}, "--context and --from do not go together"),
        ({"demo": True, "kubeconfig": "f"}, "--kubeconfig and --demo do not go together"),
        ({"demo": True, "as_groups": ("a",)}, "--as-group and --demo do not go together"),
        ({"demo": True, "insecure_skip_tls_verify": True}, "--insecure-skip-tls-verify and --demo do not go together"),
    ],
)
def test_what_does_not_go_together(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError) as failure:
        read_snapshot(run(**options), ["nodes"])
    assert failure.value.message == message


def test_a_namespace_and_a_timeout_go_with_a_file(file: str) -> None:
    assert len(read_snapshot(run(from_=file, namespace="x", request_timeout="5s"), ["nodes"]).nodes) == 1


@pytest.mark.parametrize("spelling", [("--from", ""), ("--from=",)])
def test_an_empty_name_of_a_file_never_means_the_kubeconfigs_cluster(kubectl_dra: Callable[..., Result], spelling: tuple[str, ...]) -> None:
    result = kubectl_dra("classes", *spelling, "--server", "http://127.0.0.1:1")
    assert (result.code, result.stdout, result.stderr.splitlines()[0]) == (2, "", "error: --from names no file")


def test_no_kubeconfig_at_all_is_one_line(kubectl_dra: Callable[..., Result]) -> None:
    result = kubectl_dra("snapshot")
    assert (result.code, result.stdout) == (3, "")
    assert result.stderr.startswith("error: ")
    assert "Traceback" not in result.stderr
