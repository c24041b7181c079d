"""The README is true: every command shown is run, and prints what is shown."""

import re

import pytest

from tests import picture
from tests.readme import CODES, README, Example, codes, examples, printed


@pytest.mark.parametrize("example", [e for e in examples() if e.offline], ids=lambda e: e.command)
def test_a_command_shown_prints_what_is_shown(example: Example) -> None:
    assert printed(example) == example.output


def test_every_command_has_a_section() -> None:
    from kubectl_dra.cli.commands import COMMANDS

    sections = set(re.findall(r"^## `kubectl dra ([a-z-]+)", README.read_text(), re.MULTILINE))
    assert set(COMMANDS) <= sections


def test_the_table_of_codes_is_that_of_the_checks() -> None:
    assert CODES.findall(README.read_text()) == [codes()]


def test_the_picture_shows_what_is_printed() -> None:
    assert picture.words(picture.FILE.read_text()) == picture.words(picture.svg())
