"""The table of JSONPath templates against kubectl, which prints them without a server (`label --local`)."""

import json
from pathlib import Path

import pytest

from tests.bed.cluster import Cluster
from tests.bed.process import BedError
from tests.report.templates import ACROSS_MAPS, DOCUMENT, FAILING, PRINTING


@pytest.fixture
def document(tmp_path: Path) -> str:
    """The table's document in a file."""
    path = tmp_path / "document.json"
    path.write_text(json.dumps(DOCUMENT), encoding="utf-8")
    return str(path)


def by_kubectl(cell: Cluster, document: str, template: str) -> str:
    """What kubectl prints, the document unchanged by the label that is there already."""
    return cell.kubectl("label", "--local", "--overwrite", "-f", document, "a=1", "-o", f"jsonpath={template}")


def test_templates_print_what_kubectl_prints(cell: Cluster, document: str) -> None:
    assert {template: by_kubectl(cell, document, template) for template, _ in PRINTING} == dict(PRINTING)


def test_what_lies_in_maps_is_printed_in_an_order_of_chance(cell: Cluster, document: str) -> None:
    printed = {template: sorted(by_kubectl(cell, document, template).split()) for template, _ in ACROSS_MAPS}
    assert printed == {template: sorted(text.split()) for template, text in ACROSS_MAPS}


def test_templates_fail_where_and_as_they_fail_in_kubectl(cell: Cluster, document: str) -> None:
    for template, message in FAILING:
        with pytest.raises(BedError) as failure:
            by_kubectl(cell, document, template)
        theirs = str(failure.value).partition("error: ")[2].replace("Error executing template: ", "")
        assert theirs.startswith(message.strip()), template
