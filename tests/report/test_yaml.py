"""YAML that PyYAML, Go and everything else read as the same values."""

import pytest
import yaml

from kubectl_dra.report.yaml import dump

# What YAML 1.1 or 1.2 take for something else than text, as a node or a label may be called.
NUMBERS = [
    "1",
    "-1",
    "+1",
    "1e3",
    "1E3",
    "12e03",
    "1.5",
    ".5",
    "1.",
    "0x1F",
    "0o17",
    "017",
    "0b1",
    "1_000",
    "1:30",
    "190:20:30",
    ".inf",
    ".NaN",
]
WORDS = ["y", "N", "yes", "No", "ON", "off", "true", "False", "null", "Null", "~", "=", "<<", "2026-12-01", "2026-12-01T10:00:00Z"]
SIGNS = ["", "- a", "a: b", "a #b", "*x", "&x", "!x", "%x", "@x", "`x", " x", "x ", "'", '"', "{", "[", "a\tb", "\x1b[1m"]


@pytest.mark.parametrize("text", [*NUMBERS, *WORDS, *SIGNS])
def test_text_that_looks_like_something_else_is_quoted(text: str) -> None:
    line = dump({"a": text})
    assert line.removeprefix("a: ")[0] in "'\""
    assert yaml.safe_load(line) == {"a": text}


@pytest.mark.parametrize("text", ["a", "node-1", "nvidia.com/gpu", "1a", "v1.37.2", "10.0.0.1", "a:b", "1e", "e3", "ü", "1-2", "0x", "-"])
def test_other_text_is_plain(text: str) -> None:
    assert dump({"a": text}) == (f"a: {text}\n" if text != "-" else "a: '-'\n")


def test_numbers_are_exact() -> None:
    assert dump([1, 9007199254740993, 12345678901234567890, 0.1, True, None]) == (
        "- 1\n- 9007199254740993\n- 12345678901234567890\n- 0.1\n- true\n- null\n"
    )


def test_lines_are_a_block_and_never_folded() -> None:
    assert dump({"a": "x\ny\n"}) == "a: |\n  x\n  y\n"
    assert dump({"a": "word " * 50 + "end"}) == f"a: {'word ' * 50}end\n"


def test_keys_are_quoted_like_text() -> None:
    assert dump({"1e3": 1, "on": 2}) == '"1e3": 1\n"on": 2\n'
