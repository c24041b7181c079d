"""The tool as a process of its own: pipes that close, Ctrl-C, full disks, odd locales."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOL = (sys.executable, "-m", "kubectl_dra.cli")
BIG = {
    "apiVersion": "v1",
    "kind": "List",
    "items": [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"n{i}"}} for i in range(9000)],
}


def variables(**more: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **more}


def test_python_m_runs_it() -> None:
    done = subprocess.run([*TOOL, "version", "-o", "jsonpath={.kind}"], capture_output=True, text=True, check=False, env=variables())
    assert (done.returncode, done.stdout, done.stderr) == (0, "Version", "")


@pytest.mark.parametrize(("closing", "shown"), [("<&-", True), (">&-", False), ("2>&-", True), ("<&- >&- 2>&-", False)])
def test_streams_that_were_closed_before_it_began(closing: str, shown: bool) -> None:
    line = f'exec "$0" "$@" {closing}'
    argv = ("classes", "--demo", "--duplicates", "-o", "jsonpath={.kind}")
    done = subprocess.run(["/bin/sh", "-c", line, *TOOL, *argv], capture_output=True, text=True, check=False, env=variables())
    assert (done.returncode, done.stdout) == (1, "ClassList" if shown else "")
    assert "Error" not in done.stderr


@pytest.mark.parametrize("argv", [("rbac",), ("--help",), ("schema", "AuditReport"), ("options",)])
def test_a_reader_that_leaves_is_no_error(argv: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([*TOOL, *argv], stdout=writing, stderr=subprocess.PIPE, text=True, check=False, env=variables())
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_reader_that_leaves_in_the_middle(tmp_path: Path) -> None:
    (tmp_path / "cluster.json").write_text(json.dumps(BIG), encoding="utf-8")
    process = subprocess.Popen(
        [*TOOL, "snapshot", "--from", str(tmp_path / "cluster.json")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=variables()
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.read(10)
    process.stdout.close()
    assert (process.stderr.read(), process.wait(60)) == (b"", 0)
    process.stderr.close()


@pytest.mark.parametrize("argv", [("rbac",), ("--help",), ("version",)])
def test_a_full_disk_is_said(argv: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*TOOL, *argv], stdout=full, stderr=subprocess.PIPE, text=True, check=False, env=variables())
    assert (done.returncode, done.stderr) == (2, "error: cannot write the output: No space left on device\n")


@pytest.mark.parametrize("locale", [{"LC_ALL": "C"}, {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}])
def test_names_of_any_script_in_any_locale(tmp_path: Path, locale: dict[str, str]) -> None:
    (tmp_path / "template").write_text("日本{.kind}\n", encoding="utf-8")
    command = [*TOOL, "version", "-o", f"jsonpath-file={tmp_path}/template"]
    done = subprocess.run(command, capture_output=True, check=False, env=variables(**locale))
    assert (done.returncode, done.stdout, done.stderr) == (0, "日本Version\n".encode(), b"")


class _Silent(BaseHTTPRequestHandler):
    """Takes a request and never answers."""

    asked = threading.Event()
    over = threading.Event()

    def do_GET(self) -> None:
        self.asked.set()
        self.over.wait(60)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def silent_server() -> Iterator[str]:
    """The URL of a server that takes requests and never answers."""
    _Silent.asked.clear()
    _Silent.over.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Silent)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    _Silent.over.set()
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize("argv", [("snapshot",), ("version", "--with-server")])
def test_ctrl_c_ends_it_at_once_with_130_and_no_word(silent_server: str, argv: tuple[str, ...]) -> None:
    process = subprocess.Popen(
        [*TOOL, *argv, "--server", silent_server, "--kubeconfig", os.devnull],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=variables(),
        start_new_session=True,
    )
    assert _Silent.asked.wait(30)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=20)  # far less than the 30 s that a request may take
    assert (process.returncode, stdout, stderr) == (130, b"", b"")


def test_a_second_ctrl_c_changes_nothing(silent_server: str) -> None:
    process = subprocess.Popen(
        [*TOOL, "snapshot", "--server", silent_server, "--kubeconfig", os.devnull], stderr=subprocess.PIPE, env=variables()
    )
    assert _Silent.asked.wait(30)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=20)
    assert (process.returncode, stderr) == (130, b"")
