"""What is left of a document that shows a difference."""

from typing import Any

from tests.allocation.shrinking import smallest


def test_all_is_left_out_that_the_difference_does_not_need() -> None:
    document = {"slices": [{"name": "a", "devices": [1, 2, 3]}, {"name": "b"}], "claims": [{"count": 2}], "nodes": ["n1", "n2"]}

    def differs(one: Any) -> bool:
        return any(3 in each.get("devices", ()) for each in one.get("slices", ())) and "n2" in one.get("nodes", ())

    assert smallest(document, differs) == {"slices": [{"devices": [3]}], "nodes": ["n2"]}


def test_a_document_without_a_difference_stays() -> None:
    assert smallest({"a": 1}, lambda one: False) == {"a": 1}
