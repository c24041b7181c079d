"""kubectl completes `kubectl dra` through this tool's executable."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bed.cluster import Cluster

ROOT = Path(__file__).parents[2]


@pytest.fixture
def kubectl_completes(bed: Path, cell: Cluster, tmp_path: Path) -> Callable[..., str]:
    """Runs kubectl's own completion with the two executables of this tool on the PATH; gives what it tells the shell."""
    for name, module in (("kubectl-dra", "kubectl_dra.cli"), ("kubectl_complete-dra", "kubectl_dra.cli.complete")):
        call = f"-m {module}" if module.endswith("cli") else f"-c 'from {module} import main; main()'"
        (tmp_path / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {call} "$@"\n', encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    variables = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "KUBECONFIG": str(cell.kubeconfig),
        "HOME": str(tmp_path),
    }

    def complete(*words: str) -> str:
        done = subprocess.run([bed, "kubectl", "__complete", *words], env=variables, capture_output=True, text=True, check=False)
        return done.stdout

    return complete


def test_kubectl_completes_commands_flags_and_values(kubectl_completes: Callable[..., str]) -> None:
    assert kubectl_completes("dra", "aud").startswith("audit\t")
    assert kubectl_completes("dra", "rbac", "--custom").startswith("--custom-workloads\t")
    assert kubectl_completes("dra", "version", "-o", "ya") == "yaml\n:4\n"
    assert kubectl_completes("dra", "version", "--context", "") == "bed\n:4\n"
    assert kubectl_completes("dra", "version", "--kubeconfig", "").endswith(":0\n")
