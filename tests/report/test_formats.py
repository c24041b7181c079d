"""One document in every format."""

import dataclasses
import json
from pathlib import Path

import pytest
import yaml

from kubectl_dra.environment import Environment
from kubectl_dra.errors import OutputError, UsageError
from kubectl_dra.report import formats
from tests.report.documents import VIEW, Nodes, Row
from tests.run import Stream

NODES = Nodes(items=(Row(node="a", devices=8, note="x|y"), Row(node="long-name", devices=None), Row(node="zero", devices=0, note="*")))


def printed(output: str, *, no_headers: bool = False, terminal: bool = False, variables: dict[str, str] | None = None) -> str:
    stdout = Stream(terminal=terminal)
    environment = Environment(Stream(), stdout, Stream(), variables or {})
    formats.write(NODES, output, environment, VIEW, no_headers=no_headers)
    return stdout.text()


@pytest.mark.parametrize("output", ["", "table"])
def test_a_table(output: str) -> None:
    assert printed(output) == (
        "Nodes there are\n"
        "\n"
        "NODE        DEVICES\n"
        "a           8\n"
        "long-name   <none>\n"
        "zero        0\n"
        "\n"
        "end\n"
    )  # fmt: skip


def test_a_wide_table() -> None:
    assert printed("wide") == (
        "Nodes there are\n"
        "\n"
        "NODE        NOTE     DEVICES\n"
        "a           x|y      8\n"
        "long-name   <none>   <none>\n"
        "zero        *        0\n"
        "\n"
        "end of all\n"
    )  # fmt: skip


def test_a_table_without_headers() -> None:
    assert printed("table", no_headers=True).splitlines()[2:4] == ["a           8", "long-name   <none>"]


def test_names() -> None:
    assert printed("name") == "node/a\nnode/long-name\nnode/zero\n"


def test_comma_separated_values_have_all_columns_and_quote_what_needs_it() -> None:
    quoted = Nodes(items=(Row(node="a", devices=8, note='x,"y"\nz'), Row(node="b", devices=None)))
    stdout = Stream()
    formats.write(quoted, "csv", Environment(Stream(), stdout, Stream(), {}), VIEW)
    assert stdout.text() == 'NODE,NOTE,DEVICES\na,"x,""y""\nz",8\nb,,\n'
    assert printed("csv", no_headers=True) == "a,x|y,8\nlong-name,,\nzero,*,0\n"


def test_a_format_that_only_one_document_has() -> None:
    view = dataclasses.replace(VIEW, formats={"count": lambda nodes: f"{len(nodes.items)}\n"})
    stdout = Stream()
    formats.write(NODES, "count", Environment(Stream(), stdout, Stream(), {}), view)
    assert stdout.text() == "3\n"
    with pytest.raises(UsageError, match=r"allowed formats are: .*,csv,count,jsonpath,"):
        formats.find("nonsense", view.formats)
    with pytest.raises(UsageError):
        formats.find("count")


def test_markdown() -> None:
    assert printed("markdown") == (
        "## Nodes there are\n"
        "\n"
        "| NODE | NOTE | DEVICES |\n"
        "| --- | --- | --- |\n"
        "| a | x\\|y | 8 |\n"
        "| long-name | &lt;none> | &lt;none> |\n"
        "| zero | \\* | 0 |\n"
        "\n"
        "end of all\n"
    )


WHOLE = {
    "apiVersion": "kubectl-dra/v1",
    "kind": "Nodes",
    "items": [
        {"node": "a", "devices": 8, "note": "x|y"},
        {"node": "long-name", "devices": None, "note": ""},
        {"node": "zero", "devices": 0, "note": "*"},
    ],
}


def test_json_is_whole_with_kubectls_indent() -> None:
    text = printed("json")
    assert text.startswith('{\n    "apiVersion": "kubectl-dra/v1",\n    "kind": "Nodes",\n')
    assert text.endswith("}\n")
    assert json.loads(text) == WHOLE


def test_yaml_is_whole_in_the_same_order() -> None:
    text = printed("yaml")
    assert text.startswith("apiVersion: kubectl-dra/v1\nkind: Nodes\nitems:\n- node: a\n  devices: 8\n")
    assert yaml.safe_load(text) == WHOLE


def test_jsonpath() -> None:
    assert printed('jsonpath={range .items[*]}{.node}={.devices}{"\\n"}{end}') == "a=8\nlong-name=null\nzero=0\n"


def test_jsonpath_as_json() -> None:
    assert printed("jsonpath-as-json={.items[*].devices}") == "[\n    8,\n    null,\n    0\n]\n"


def test_a_template_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "template").write_text("{.items[0].node}!\n", encoding="utf-8")
    assert printed(f"jsonpath-file={tmp_path}/template") == "a!\n"


def test_a_template_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "template").write_bytes(b"\xff")
    with pytest.raises(UsageError, match=r"^cannot read the template .*/template: not UTF-8$"):
        printed(f"jsonpath-file={tmp_path}/template")


@pytest.mark.parametrize("output", ["foo", "JSON", "json=x", "table=", "custom-columns=A:.a", "go-template={{.}}", "="])
def test_an_unknown_format(output: str) -> None:
    with pytest.raises(UsageError) as failure:
        formats.find(output)
    assert failure.value.message.startswith(f'unable to match a printer suitable for the output format "{output}", allowed formats are: ')


@pytest.mark.parametrize("output", ["jsonpath", "jsonpath=", "jsonpath-file=", "jsonpath-as-json"])
def test_a_template_that_is_not_there(output: str) -> None:
    with pytest.raises(UsageError, match=r"^template format specified but no template given$"):
        formats.find(output)


def test_colours_on_a_terminal_only() -> None:
    coloured = printed("table", terminal=True, variables={"TERM": "xterm"})
    assert "\x1b[1mNODE\x1b[0m        \x1b[1mDEVICES\x1b[0m\n" in coloured
    assert "long-name   \x1b[1;31m<none>\x1b[0m\n" in coloured


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1", "TERM": "xterm"}, {"TERM": "dumb"}])
def test_colours_can_be_turned_off(variables: dict[str, str]) -> None:
    assert printed("table", terminal=True, variables=variables) == printed("table")


class _Failing(Stream):
    def __init__(self, error: OSError) -> None:
        super().__init__()
        self.error = error

    def write(self, text: str) -> int:
        raise self.error


def test_a_reader_that_has_left_does_not_change_the_answer() -> None:
    formats.write(NODES, "", Environment(Stream(), _Failing(BrokenPipeError()), Stream()), VIEW)


def test_a_full_disk_is_said() -> None:
    environment = Environment(Stream(), _Failing(OSError(28, "No space left on device")), Stream())
    with pytest.raises(OutputError, match=r"^cannot write the output: No space left on device$"):
        formats.write(NODES, "", environment, VIEW)
