"""Commands that read no cluster: version, options, completion."""

import platform
from collections.abc import Callable

import pytest

import kubectl_dra as package
from kubectl_dra.cli.options import GROUPS
from tests.run import Result


def test_the_version_as_kubectl_tells_its_own(kubectl_dra: Callable[..., Result]) -> None:
    assert kubectl_dra("version") == Result(0, f"Client Version: v{package.__version__}\n", "")


def test_the_version_as_a_document(kubectl_dra: Callable[..., Result]) -> None:
    assert kubectl_dra("version", "-o=yaml").stdout == (
        "apiVersion: kubectl-dra/v1\n"
        "kind: Version\n"
        "client:\n"
        f"  version: {package.__version__}\n"
        f"  python: {platform.python_version()}\n"
        "server: null\n"
    )


def test_every_shared_option_is_listed_once(kubectl_dra: Callable[..., Result]) -> None:
    result = kubectl_dra("options")
    assert (result.code, result.stderr) == (0, "")
    for group in GROUPS:
        assert f"{group.title}:\n" in result.stdout
        for option in group.options:
            assert result.stdout.count(f" --{option.flag} ") + result.stdout.count(f" --{option.flag}\n") == 1
    assert "  -n, --namespace NAME " in result.stdout


@pytest.mark.parametrize(
    ("shell", "line"),
    [
        ("bash", "complete -F _kubectl_dra kubectl-dra"),
        ("zsh", "#compdef kubectl-dra"),
        ("fish", "complete -c kubectl-dra -f -a '(__kubectl_dra_complete)'"),
        ("powershell", "Register-ArgumentCompleter -Native -CommandName 'kubectl-dra' -ScriptBlock {"),
        ("kubectl", 'exec kubectl-dra __complete "$@"'),
    ],
)
def test_a_script_for_each_shell(kubectl_dra: Callable[..., Result], shell: str, line: str) -> None:
    result = kubectl_dra("completion", shell)
    assert (result.code, result.stderr) == (0, "")
    assert line in result.stdout.splitlines()


def test_a_shell_that_is_not_known(kubectl_dra: Callable[..., Result]) -> None:
    assert kubectl_dra("completion", "tcsh") == Result(
        2,
        "",
        'error: invalid argument "tcsh" for SHELL: must be bash, zsh, fish, powershell or kubectl\n'
        "See 'kubectl dra completion --help' for usage.\n",
    )
