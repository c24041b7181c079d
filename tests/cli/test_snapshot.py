"""`kubectl dra snapshot`: where it writes, what of, and what it says."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from kubectl_dra.objects.snapshot import Snapshot
from kubectl_dra.reading import read_path
from tests.reading.conftest import environment
from tests.reading.manifests import kubectl_json, kubectl_list, node, pod
from tests.run import kubectl_dra


@pytest.fixture
def source(tmp_path: Path) -> str:
    """A file as kubectl writes it, with a secret in it."""
    path = tmp_path / "source.json"
    secret: dict[str, Any] = {"containers": [{"name": "main", "env": [{"name": "PASSWORD", "value": "hunter2"}]}]}
    path.write_text(kubectl_json(kubectl_list([node("a"), pod("p", **secret), pod("q", "other")])))
    return str(path)


def of(path: Path | str) -> Snapshot:
    return read_path(str(path), environment())


def names(items: Any) -> list[str]:
    return [item.metadata.name for item in items]


def test_without_a_file_it_goes_to_stdout(source: str) -> None:
    for argv in (("snapshot", "--from", source), ("snapshot", "-", "--from", source)):
        result = kubectl_dra(*argv)
        assert (result.code, result.stderr) == (0, "")
        plain = json.loads(result.stdout)
        assert (plain["kind"], len(plain["items"])) == ("List", 3)
        assert "hunter2" not in result.stdout
        again = kubectl_dra("snapshot", "--from", "-", stdin=result.stdout.encode())
        assert again.stdout == result.stdout


@pytest.mark.parametrize("name", ["out.json", "out.json.gz"])
def test_a_file_is_written_and_nothing_said(source: str, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    result = kubectl_dra("snapshot", str(path), "--from", source)
    assert (result.code, result.stdout, result.stderr) == (0, "", "")
    assert of(path) == of(source)
    assert path.read_bytes().startswith(b"\x1f\x8b") == name.endswith(".gz")
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted([name, "source.json"])


def test_a_pipe_is_written_to_as_it_is(source: str, tmp_path: Path) -> None:
    result = kubectl_dra("snapshot", "/dev/null", "--from", source)
    assert (result.code, result.stderr) == (0, "")
    assert Path("/dev/null").is_char_device()


def test_a_namespace_narrows_files_too(source: str, tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    assert kubectl_dra("snapshot", str(path), "--from", source, "-n", "other").code == 0
    snapshot = of(path)
    assert (names(snapshot.pods), names(snapshot.nodes), snapshot.cluster.namespace) == (["q"], ["a"], "other")
    result = kubectl_dra("snapshot", "--from", str(path), "-n", "default")
    assert (result.code, result.stdout) == (3, "")
    assert "the snapshot has only namespace other, not default" in result.stderr
    assert kubectl_dra("snapshot", "--from", source, "-n", "other", "-A").stdout == kubectl_dra("snapshot", "--from", source).stdout


def test_a_custom_kind_of_ones_own(tmp_path: Path) -> None:
    item = {"apiVersion": "example.com/v1", "kind": "Trainer", "metadata": {"name": "t"}, "spec": {"pod": {"spec": pod("x")["spec"]}}}
    (tmp_path / "source.json").write_text(json.dumps(kubectl_list([item, node("a")])))
    path = tmp_path / "out.json.gz"
    assert (
        kubectl_dra("snapshot", str(path), "--from", str(tmp_path / "source.json"), "--pod-template=Trainer.example.com=spec.pod").code == 0
    )
    [found] = of(path).custom_workloads["Trainer.example.com"]
    assert [use.path for use in found.templates or ()] == ["spec.pod"]
    result = kubectl_dra("snapshot", "--from", str(path), "--pod-template", "Trainer")
    assert (result.code, "it takes KIND.GROUP=PATH" in result.stderr) == (2, True)


def test_strict_writes_nothing_that_is_not_whole(source: str, tmp_path: Path) -> None:
    result = kubectl_dra("snapshot", str(tmp_path / "out.json"), "--from", source, "--strict")
    assert (result.code, result.stdout) == (3, "")
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (gzip.compress(b'{"a": "' + b"x" * 100_000 + b'"}', mtime=0)[:60], "is cut short"),
        (b"\0" * 10_000_000, "binary data"),
        (b'{"apiVersion": "v1", "kind": "List", "items": [', "is cut short"),
        (b'{"apiVersion": "v1", "kind": "Secret", "data": {"password": "hunter2"}}', "found: 1 Secret"),
    ],
)
def test_a_bad_source_is_one_line_and_leaves_no_file(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "source").write_bytes(content)
    result = kubectl_dra("snapshot", str(tmp_path / "out.json"), "--from", str(tmp_path / "source"))
    assert (result.code, result.stdout) == (3, "")
    assert message in result.stderr.splitlines()[0]
    assert "Traceback" not in result.stderr
    assert "hunter2" not in result.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["source"]


def test_a_place_that_cannot_be_written_is_told(source: str, tmp_path: Path) -> None:
    result = kubectl_dra("snapshot", str(tmp_path / "nowhere" / "out.json"), "--from", source)
    assert result.code == 2
    assert "cannot be written: No such file or directory" in result.stderr
