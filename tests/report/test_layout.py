"""Tables as lines."""

import pytest

from kubectl_dra.report.layout import lines, markdown, width
from kubectl_dra.report.view import Cell, Column, Grid, Section, Style, Table, Text

TABLE: Table[tuple[str, str]] = Table((Column("A", lambda row: row[0]), Column("B", lambda row: row[1])))


def laid_out(*rows: tuple[str, str]) -> list[str]:
    return list(lines([TABLE.of(rows)], lambda text, _: text, wide=False, headers=True))


def test_columns_are_three_apart_and_lines_have_no_tail() -> None:
    assert laid_out(("aaaa", "b"), ("a", "")) == ["A      B", "aaaa   b", "a      <none>"]


def test_without_rows_there_is_the_header() -> None:
    assert laid_out() == ["A   B"]


@pytest.mark.parametrize(("text", "columns"), [("abc", 3), ("ü", 1), ("u\u0308", 1), ("日本", 4), ("", 0), ("é日x", 4)])
def test_the_width_of_text(text: str, columns: int) -> None:
    assert width(text) == columns


def test_wide_letters_stay_aligned() -> None:
    assert laid_out(("日本", "x"), ("abcd", "y"))[1:] == ["日本   x", "abcd   y"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mred", "a^[[31mred"),
        ("two\nlines", "two lines"),
        ("tab\there", "tab here"),
        ("bell\x07", "bell\\x07"),
        ("\u202egnp", "\\u202egnp"),
    ],
)
def test_what_a_terminal_would_obey_is_shown_instead(text: str, shown: str) -> None:
    assert laid_out((text, "x"))[1] == f"{shown}   x"


def test_text_and_tables_stand_apart() -> None:
    grid = Grid(("A",), [(Cell("x"),)])
    sections: list[Section] = [Text("title"), Text("more"), grid, grid, Text("end\nof it")]
    assert list(lines(sections, lambda text, _: text, wide=False, headers=True)) == [
        *("title", "more", "", "A", "x", "", "A", "x", "", "end", "of it"),
    ]


def test_only_cells_with_a_meaning_are_painted_and_padding_is_not() -> None:
    grid = Grid(("A", "B"), [(Cell("x", Style.BAD), Cell("y"))])
    painted = list(lines([grid], lambda text, style: f"<{style.value}:{text}>", wide=False, headers=False))
    assert painted == ["<bad:x>   <plain:y>"]


def test_markdown_shows_names_as_they_are() -> None:
    grid = Grid(("A",), [(Cell("a|b<i>_c_*d*`e`[f](g)\\&amp;"),)])
    assert list(markdown([Text("T", level=1), grid]))[-1] == "| a\\|b&lt;i>_c_\\*d\\*\\`e\\`\\[f\\](g)\\\\&amp;amp; |"


def test_ten_thousand_rows_are_laid_out_without_rich() -> None:
    rows = [(f"node-{number}", "x") for number in range(10_000)]
    assert laid_out(*rows)[-1] == "node-9999   x"


def test_code_is_fenced_in_markdown_as_it_stands_and_indented_elsewhere() -> None:
    code = Text("""kubectl patch x -p '[{"a":"*"}]'\nnext""", code=True)
    assert list(markdown([code])) == ["```", """kubectl patch x -p '[{"a":"*"}]'""", "next", "```"]
    assert list(lines([code], lambda text, _: text, wide=False, headers=True)) == ["""    kubectl patch x -p '[{"a":"*"}]'""", "    next"]
    assert list(markdown([Text("a ``` b", code=True)])) == ["~~~~", "a ``` b", "~~~~"]
