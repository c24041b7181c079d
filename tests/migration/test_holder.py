"""Who holds a lock."""

import os

import pytest

from kubectl_dra.migration.holder import Holder, host


def test_this_process_lives_and_reads_back() -> None:
    mine = Holder.this_process("0f")
    assert (mine.pid, mine.journal, mine.dead) == (os.getpid(), "0f", False)
    assert Holder.read(str(mine)) == mine


def test_a_later_process_with_the_same_number_is_another() -> None:
    mine = Holder.this_process("0f")
    assert Holder(host(), mine.pid, mine.started - 1, "0f").dead


def test_of_other_machines_nothing_is_known() -> None:
    assert not Holder("elsewhere.00000000", 1, 1, "0f").dead


@pytest.mark.parametrize("text", ["", "a", "a/b/c/d", "host/1/x/j", "node-a_8d1f"])
def test_what_is_no_holder_of_ours(text: str) -> None:
    assert Holder.read(text) is None
