"""The README is true: every command shown is run, and prints what is shown."""

import re

import pytest

from tests.readme import README, Example, examples, printed


@pytest.mark.parametrize("example", [e for e in examples() if e.offline], ids=lambda e: e.command)
def test_a_command_shown_prints_what_is_shown(example: Example) -> None:
    assert printed(example) == example.output


def test_every_command_has_a_section() -> None:
    from kubectl_dra.cli.commands import COMMANDS

    sections = set(re.findall(r"^## `kubectl dra ([a-z-]+)", README.read_text(), re.MULTILINE))
    assert set(COMMANDS) <= sections
