"""`kubectl dra completion`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

import kubectl_dra.cli
from kubectl_dra.cli.dialect import command
from kubectl_dra.cli.options import Run
from kubectl_dra.report.formats import put

SCRIPTS = Path(kubectl_dra.cli.__file__).parent / "completions"


class Shell(StrEnum):
    """Who completes. The value names the script."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"
    POWERSHELL = "powershell"
    KUBECTL = "kubectl"


@command(
    examples="""
    # Make `kubectl dra <TAB>` work where only the one executable was installed (pip and pipx install both)
    kubectl dra completion kubectl > ~/.local/bin/kubectl_complete-dra
    chmod +x ~/.local/bin/kubectl_complete-dra

    # Complete `kubectl-dra <TAB>` in this bash
    source <(kubectl dra completion bash)
    """,
)
def completion(
    run: Run,
    shell: Annotated[Shell, typer.Argument(help="bash, zsh, fish or powershell for kubectl-dra; kubectl for kubectl dra.")],
) -> None:
    """Print a completion script.

    kubectl completes its plugins by itself, in every shell that `kubectl completion` was set up for: all it needs is an executable
    named kubectl_complete-dra on the PATH. The scripts for shells are for those who call kubectl-dra directly.
    """
    put((SCRIPTS / shell.value).read_text(encoding="utf-8"), run.environment)
