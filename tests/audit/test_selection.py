"""`--select` and `--ignore` take codes and their prefixes; the longer one counts."""

import pytest

from kubectl_dra.audit.finding import Severity
from kubectl_dra.audit.selection import Selection, unmatched


@pytest.mark.parametrize(
    ("select", "ignore", "code", "shown"),
    [
        ((), (), "DRA101", True),
        (("DRA1",), (), "DRA101", True),
        (("DRA1",), (), "DRA209", False),
        (("DRA101",), (), "DRA102", False),
        ((), ("DRA1",), "DRA101", False),
        ((), ("DRA1",), "DRA209", True),
        (("DRA1",), ("DRA102",), "DRA102", False),
        (("DRA1",), ("DRA102",), "DRA101", True),
        (("DRA101",), ("DRA1",), "DRA101", True),
        (("DRA101",), ("DRA1",), "DRA102", False),
        (("DRA101",), ("DRA101",), "DRA101", False),
        (("DRA2", "DRA5"), (), "DRA501", True),
    ],
)
def test_the_longer_prefix_counts(select: tuple[str, ...], ignore: tuple[str, ...], code: str, shown: bool) -> None:
    assert Selection(select, ignore).has_code(code) is shown


def test_severity_is_the_mildest_that_is_shown() -> None:
    selection = Selection(severity=Severity.WARNING)
    assert [selection.has("DRA101", severity) for severity in Severity] == [True, True, False]


def test_prefixes_that_match_nothing_are_mistakes() -> None:
    assert unmatched(("DRA1", "DRA999", "dra101", ""), ("DRA101", "DRA209")) == ("DRA999", "dra101")
