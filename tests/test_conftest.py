"""The rules of a test run itself: the order, and what a skip means."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture
def run(tmp_path: Path) -> "Run":
    """Runs pytest, with this project's conftest, on a file of one text."""
    return Run(tmp_path)


class Run:
    """Another pytest, in a process of its own."""

    def __init__(self, folder: Path) -> None:
        """`folder` is where its test file lies."""
        self.folder = folder

    def __call__(self, text: str, *arguments: str) -> tuple[int, str]:
        """Its status and its last line."""
        (self.folder / "test_it.py").write_text(text)
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "tests.conftest",
            "-p",
            "no:cacheprovider",
            f"--rootdir={self.folder}",
            "-c",
            "/dev/null",
        ]
        ran = subprocess.run([*command, *arguments, str(self.folder)], cwd=ROOT, capture_output=True, text=True, check=False)
        return ran.returncode, ran.stdout.splitlines()[-1].split(" in ")[0].strip("= ")


def test_a_skip_is_fine_where_not_everything_can_run(run: Run) -> None:
    assert run("import pytest\n\n@pytest.mark.skip\ndef test_it(): ...\n") == (0, "1 skipped")


@pytest.mark.parametrize(
    "text",
    [
        "@pytest.mark.skip(reason='no cluster')\ndef test_it(): ...\n",
        "@pytest.fixture\ndef cluster(): pytest.skip('no cluster')\n\ndef test_it(cluster): ...\n",
        "pytest.skip('no cluster', allow_module_level=True)\n",
    ],
    ids=["mark", "fixture", "file"],
)
def test_with_no_skips_a_skip_is_a_failure(run: Run, text: str) -> None:
    status, last = run(f"import pytest\n\n{text}", "--no-skips")

    assert status != 0
    assert last in ("1 failed", "1 error")


def test_no_test_at_all_is_a_failure(run: Run) -> None:
    assert run("", "--no-skips") == (5, "no tests ran")
