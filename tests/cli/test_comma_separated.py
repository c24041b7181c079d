"""`-o csv` of the commands that answer with tables."""

import csv
import io

import pytest

from tests.run import kubectl_dra


def rows(*argv: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(kubectl_dra(*argv, "--demo", "-o", "csv").stdout)))


@pytest.mark.parametrize(
    ("command", "key"),
    [
        (("inventory",), "NAME"),
        (("inventory", "--by", "node"), "NODE"),
        (("inventory", "--by", "workload"), "NAME"),
        (("classes",), "CLASS"),
    ],
)
def test_there_is_a_row_for_each_line_of_the_wide_table(command: tuple[str, ...], key: str) -> None:
    found = rows(*command)
    table = kubectl_dra(*command, "--demo", "-o", "wide", "--no-headers").stdout.partition("\n\n")[0].splitlines()
    assert len(found) == len(table) > 1
    assert all(row[key] in line for row, line in zip(found, table, strict=True))


def test_an_audit_has_a_row_for_each_finding() -> None:
    found = rows("audit")
    names = kubectl_dra("audit", "--demo", "-o", "jsonpath={range .findings[*]}{.code}{'\\n'}{end}").stdout.split()
    assert [row["CODE"] for row in found] == names
    assert all(row["EVIDENCE"] for row in found)
