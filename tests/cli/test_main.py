"""What ends a run, and how it is told."""

import pytest

from kubectl_dra.cli.main import verbosity
from tests.cli.probe import call

FAULT = "error: this is a fault of kubectl dra, not of your cluster (LookupError: no such thing here)\n"


def test_a_fault_of_ours_is_one_line_and_how_to_learn_more() -> None:
    result = call("broken")
    assert (result.code, result.stdout) == (3, "")
    assert result.stderr == f"{FAULT}Run it again with -v 6 and report what it prints.\n"


def test_from_verbosity_6_on_the_traceback_is_shown_without_values() -> None:
    result = call("broken", "-v=6", "--token=s3cret")
    assert result.stderr.startswith("Traceback (most recent call last):\n")
    assert result.stderr.endswith(FAULT)
    assert "in broken" in result.stderr
    assert "s3cret" not in result.stderr


def test_below_it_is_not() -> None:
    assert "Traceback" not in call("broken", "-v", "5").stderr


def test_ctrl_c_is_130_without_a_word() -> None:
    result = call("interrupted")
    assert (result.code, result.stdout, result.stderr) == (130, "", "")


def test_a_reader_that_has_left_is_no_error() -> None:
    result = call("unread")
    assert (result.code, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("argv", "level"),
    [
        ((), 0),
        (("-v", "6"), 6),
        (("-v6",), 6),
        (("-v=6",), 6),
        (("--v=6",), 6),
        (("--v", "6"), 6),
        (("-v=6", "-v=2"), 2),
        (("audit", "-v"), 0),
        (("--verbose",), 0),
        (("-v=x",), 0),
    ],
)
def test_the_verbosity_of_a_command_line_that_could_not_be_read(argv: tuple[str, ...], level: int) -> None:
    assert verbosity(argv) == level
