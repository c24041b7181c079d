"""The README lists every code that a reason can have: scripts rely on them."""

import re
from pathlib import Path

import kubectl_dra.explanation
from kubectl_dra.explanation.codes import SENTENCES, rank, sentence
from tests.readme import README

CODE = re.compile(
    r"""Reason\(\s*(?:f?"[^"]*",\s*)?"([a-z-]+)",|code = "([a-z-]+)" if \w+ else "([a-z-]+)"|"([a-z-]+)" if has else "([a-z-]+)\""""
)


def told() -> set[str]:
    """The codes in the sources of the room, and those that have a sentence."""
    sources = "".join(path.read_text() for path in Path(kubectl_dra.explanation.__file__).parent.glob("*.py"))
    return {code for found in CODE.findall(sources) for code in found if code} | set(SENTENCES)


def test_the_readme_lists_every_code_and_no_other() -> None:
    section = README.read_text().partition("Codes of reasons keep their meaning:")[2].partition("\n## ")[0]
    assert set(re.findall(r"`([a-z-]+)`", section)) == told()


def test_what_is_true_of_all_nodes_names_its_subject() -> None:
    assert sentence("not-selected", "gpu") == "class gpu selects none of the node's devices"
    assert rank("in-use") < rank("not-selected") < rank("no-devices") < rank("cordoned")
