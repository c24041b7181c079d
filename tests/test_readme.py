"""The README is true: every command shown is run, and prints what is shown."""

import re
from pathlib import Path

import msgspec
import pytest

from kubectl_dra.exit_status import ExitStatus
from kubectl_dra.migration import profile, profile_files
from kubectl_dra.report.tables.runbook import MEANINGS
from tests import move_picture, picture
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


# migrate-node


@pytest.mark.parametrize("name", ["move", "back"])
def test_records_shown_are_those_of_a_real_move(name: str) -> None:
    assert f"```text\n{move_picture.printed(move_picture.record(name))}```" in README.read_text()


def test_the_picture_is_what_the_checklist_draws() -> None:
    assert move_picture.PICTURE.read_text(encoding="utf-8") == move_picture.picture()
    assert f"({move_picture.PICTURE.relative_to(README.parent)})" in README.read_text()


def test_the_profile_shown_is_one(tmp_path: Path) -> None:
    (shown,) = re.findall(
        r"^```yaml\n(apiVersion: kubectl-dra/v1\nkind: MigrationProfile.*?)^```", README.read_text(), re.MULTILINE | re.DOTALL
    )
    path = tmp_path / "my-installer.yaml"
    path.write_text(shown)
    found = profile_files.read(path)
    assert {type(action) for change in (found.unplug, found.plug) for action in (*change.do, *change.undo)} == {
        profile.SetLabel,
        profile.Run,
        profile.Say,
    }
    assert found.plug.waits
    assert found.ignore
    assert found.warnings


def test_every_field_of_a_profile_is_explained() -> None:
    reference = README.read_text().partition("### Profiles")[2].partition("\n## ")[0]
    pieces = (
        profile.Profile,
        profile.Change,
        profile.PodMarks,
        profile.PodWait,
        profile.SetLabel,
        profile.RemoveLabel,
        profile.Run,
        profile.Say,
    )
    fields = {field.encode_name for piece in pieces for field in msgspec.structs.fields(piece)} - {"apiVersion", "kind"}
    assert sorted(field for field in fields if f"`{field}`" not in reference and f"  {field}:" not in reference) == []
    actions = {f"action: {piece.__struct_config__.tag}" for piece in (profile.SetLabel, profile.RemoveLabel, profile.Run, profile.Say)}
    assert {action for action in actions if f"`{action}`" in reference} == actions


def test_every_exit_status_of_a_run_is_in_the_runbook() -> None:
    script = README.read_text().partition("### In a runbook")[2].partition("esac")[0]
    told = {int(status) for found in re.findall(r"^    ([\d|]+)\)", script, re.MULTILINE) for status in found.split("|")}
    assert told == {int(status) for status in ExitStatus} == {int(status) for status, _, _ in MEANINGS}
