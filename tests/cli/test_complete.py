"""Completion, as kubectl and shells ask for it."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from kubectl_dra.audit.registry import page
from kubectl_dra.cli.cluster_names import NODES, OF_PARAMETERS, names_for
from kubectl_dra.cli.commands import COMMANDS
from kubectl_dra.cli.complete import complete, run
from kubectl_dra.cli.lazy import root
from kubectl_dra.cli.names_asked import names
from kubectl_dra.environment import Environment
from tests.run import Stream, kubectl_dra

KUBECONFIG = """
apiVersion: v1
kind: Config
contexts: [{name: "arn:aws:eks:eu:1:cluster/prod", context: {cluster: c, user: u}}, {name: test, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u, user: {}}]
"""


def surroundings(**variables: str) -> Environment:
    return Environment(Stream(), Stream(), Stream(), variables)


def words(*line: str, **variables: str) -> list[str]:
    return [candidate.word for candidate in complete(line, surroundings(**variables)).candidates]


def directive(*line: str) -> int:
    return int(complete(line, surroundings()).directive)


def test_the_first_word_is_a_command() -> None:
    assert words("") == list(COMMANDS)
    assert words() == list(COMMANDS)
    assert words("au") == ["audit"]
    assert words("-n", "x", "au") == ["audit"]
    assert words("--context=x", "-A", "ver") == ["version"]
    assert words("zzz") == []
    assert words("help", "au") == ["audit"]


def test_it_is_printed_as_cobra_prints_it() -> None:
    environment = surroundings()
    assert run(["au"], environment) == 0
    stdout, stderr = environment.stdout, environment.stderr
    assert isinstance(stdout, Stream)
    assert isinstance(stderr, Stream)
    assert (stdout.text(), stderr.text()) == (f"audit\t{COMMANDS['audit'].help}\n:4\n", "")


def test_flags_of_a_command_its_own_first_and_none_twice() -> None:
    assert words("rbac", "--")[:2] == ["--custom-workloads", "--output"]
    assert words("rbac", "--cu") == ["--custom-workloads"]
    assert words("rbac", "--custom-workloads", "--cu") == []
    assert words("rbac", "--as-group=a", "--as-g") == ["--as-group"]
    assert "--kubeconfig" in words("rbac", "-")
    assert words("-", "x") == []


def test_flags_before_the_command() -> None:
    assert words("--conte") == ["--context"]


@pytest.mark.parametrize("line", [("-o", "js"), ("-o=js",), ("--output", "js"), ("--output=js",)])
def test_formats(line: tuple[str, ...]) -> None:
    assert words("version", *line) == ["json", "jsonpath=", "jsonpath-as-json=", "jsonpath-file="][:4]


def test_a_format_that_wants_more_gets_no_space() -> None:
    assert directive("version", "-o", "jsonpath") == 6
    assert directive("version", "-o", "y") == 4


def test_choices_and_words() -> None:
    assert words("completion", "") == ["bash", "zsh", "fish", "powershell", "kubectl"]
    assert words("completion", "bash", "") == []
    assert words("schema", "Ver") == ["Version"]
    assert words("rbac", "--custom-workloads=") == ["true", "false"]
    assert words("rbac", "--custom-workloads=f") == ["false"]
    assert words("rbac", "audit", "in") == ["inventory"]


def test_a_group_has_its_commands_and_the_words_and_flags_of_its_own() -> None:
    assert words("taint", "") == ["list", "show", "promote", "demote", "wait", "delete"]
    assert words("taint", "-n", "x", "pro") == ["promote"]
    assert words("taint", "example.com/k:") == ["example.com/k:None", "example.com/k:NoSchedule", "example.com/k:NoExecute"]
    assert words("taint", "example.com/k:None", "--dri") == ["--driver"]
    assert words("taint", "--dri") == ["--driver"]
    assert words("taint", "--driver", "x", "li") == []
    assert words("taint", "demote", "rule", "--to", "") == ["None", "NoSchedule"]


def test_codes_of_checks_with_what_they_find() -> None:
    assert words("audit", "--explain", "DRA101") == ["DRA101"]
    assert words("audit", "--select", "DRA101,DRA40")[0] == "DRA101,DRA401"
    (found,) = complete(
        (
            "audit",
            "--ignore=DRA101",
        ),
        surroundings(),
    ).candidates
    assert found.help == page("DRA101").title


def test_formats_that_only_one_command_has() -> None:
    assert words("audit", "-o", "s") == ["sarif"]
    assert words("inventory", "-o", "s") == []


def test_after_two_dashes_there_are_no_flags() -> None:
    assert words("completion", "--", "-") == []


def test_a_flag_that_waits_for_a_value_of_anything_has_no_candidates() -> None:
    assert words("version", "-n", "") == []
    assert words("version", "-n", "-") == []
    assert directive("version", "-n", "") == 4


def test_files_are_left_to_the_shell() -> None:
    assert directive("version", "--kubeconfig", "") == 0
    assert directive("--kubeconfig=", "") == 4
    assert directive("--kubeconfig=") == 0
    assert directive("audit", "--from", "folder/") == 0


def test_names_of_the_kubeconfig(tmp_path: Path) -> None:
    (tmp_path / "config").write_text(KUBECONFIG, encoding="utf-8")
    both = ["arn:aws:eks:eu:1:cluster/prod", "test"]
    path = str(tmp_path / "config")
    assert words("--context", "", KUBECONFIG=path) == both
    assert words("version", "--context=", KUBECONFIG=path) == both
    assert words("--kubeconfig", path, "version", "--context", "t") == ["test"]
    assert words("version", "--user", "", KUBECONFIG=path) == ["u"]
    assert words("version", "--cluster", "", KUBECONFIG=path) == ["c"]
    assert words("--context", "", KUBECONFIG=str(tmp_path / "none")) == []


def test_names_of_a_cluster_that_does_not_answer_in_time_are_none(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:  # it takes connections, and says nothing
        port = silent.getsockname()[1]
        (tmp_path / "config").write_text(KUBECONFIG.replace("127.0.0.1:1", f"127.0.0.1:{port}"), encoding="utf-8")
        given = {"kubeconfig": str(tmp_path / "config"), "context": "test"}
        assert names(NODES, given, surroundings(), seconds=0.05) == []


def test_where_no_cluster_is_meant_none_is_asked() -> None:
    assert words("audit", "--from", "file.json", "--node", "") == []
    assert words("audit", "--demo", "-n", "") == []


def test_every_parameter_that_names_something_of_the_cluster_is_completed() -> None:
    known = {(name, str(param.name)) for name in COMMANDS for command in [root().find(name)] if command for param in command.params}
    assert set(OF_PARAMETERS) <= known
    assert {("audit", "node"), ("audit", "resource"), ("devices", "device_class"), ("devices", "node"), ("inventory", "resource")} <= {
        each for each in known if names_for(*each)
    }


def test_the_scripts_in_the_repository_are_those_that_the_command_prints() -> None:
    folder = Path(__file__).parents[2] / "completions"
    assert {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()} == {
        name: kubectl_dra("completion", shell).stdout for shell, name in SCRIPTS.items()
    }


SCRIPTS = {
    "bash": "kubectl-dra.bash",
    "zsh": "_kubectl-dra",
    "fish": "kubectl-dra.fish",
    "powershell": "kubectl-dra.ps1",
    "kubectl": "kubectl_complete-dra",
}


def test_a_fault_is_silent(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("{", encoding="utf-8")
    environment = surroundings(KUBECONFIG=str(tmp_path / "config"))
    assert run(["--context", ""], environment) == 1
    for stream in (environment.stdout, environment.stderr):
        assert isinstance(stream, Stream)
        assert stream.text() == ""


@pytest.mark.parametrize(
    ("line", "replies"),
    [
        ("kubectl-dra au", ["audit"]),
        ("kubectl-dra completion ", ["bash", "zsh", "fish", "powershell", "kubectl"]),
        ("kubectl-dra version -o=y", ["yaml"]),
        ("kubectl-dra version --context ", ["arn:aws:eks:eu:1:cluster/prod", "test"]),
        ("kubectl-dra version --context arn:aws:e", ["eks:eu:1:cluster/prod"]),
        ("kubectl-dra version --context=arn:aws:e", ["eks:eu:1:cluster/prod"]),
    ],
)
def test_bash_completes_with_the_script(tmp_path: Path, line: str, replies: list[str]) -> None:
    program = tmp_path / "kubectl-dra"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m kubectl_dra.cli "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    (tmp_path / "config").write_text(KUBECONFIG, encoding="utf-8")
    root = Path(__file__).parents[2]
    script = f"""
        source <(kubectl-dra completion bash)
        COMP_LINE={line!r} COMP_POINT={len(line)} COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:'
        _kubectl_dra
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    variables = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(root), "KUBECONFIG": str(tmp_path / "config")}
    done = subprocess.run(["/bin/bash", "-c", script], capture_output=True, text=True, check=False, env=variables)
    assert (done.stdout.splitlines(), done.stderr) == (replies, "")
