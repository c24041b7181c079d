"""Node selectors of slices and pods."""

from kubectl_dra.objects.node import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from kubectl_dra.objects.node_selector import selects
from tests.factories import node

ZONE_A = NodeSelectorTerm((NodeSelectorRequirement("zone", "In", ("a",)),))


def test_one_term_is_enough() -> None:
    by_name = NodeSelectorTerm(None, (NodeSelectorRequirement("metadata.name", "In", ("n2",)),))
    assert selects(NodeSelector((ZONE_A, by_name)), node("n1", labels={"zone": "a"}))
    assert selects(NodeSelector((ZONE_A, by_name)), node("n2"))
    assert not selects(NodeSelector((ZONE_A, by_name)), node("n3", labels={"zone": "b"}))


def test_empty_terms_select_nothing() -> None:
    assert not selects(NodeSelector((NodeSelectorTerm(),)), node("n1"))
    assert not selects(NodeSelector(), node("n1"))
