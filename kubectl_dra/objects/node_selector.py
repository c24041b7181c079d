"""Which nodes a NodeSelector selects (component-helpers scheduling/corev1/nodeaffinity)."""

from collections.abc import Iterable, Mapping

from kubectl_dra.objects.labels import Requirement
from kubectl_dra.objects.node import Node, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm


def selects(selector: NodeSelector, node: Node) -> bool:
    """One term must match; a term without expressions and fields matches nothing."""
    fields = {"metadata.name": node.metadata.name}
    return any(_matches(term, node.metadata.labels or {}, fields) for term in selector.node_selector_terms or ())


def _matches(term: NodeSelectorTerm, labels: Mapping[str, str], fields: Mapping[str, str]) -> bool:
    expressions, on_fields = term.match_expressions or (), term.match_fields or ()
    return bool(expressions or on_fields) and _all_match(expressions, labels) and _all_match(on_fields, fields)


def _all_match(expressions: Iterable[NodeSelectorRequirement], values: Mapping[str, str]) -> bool:
    return all(Requirement(each.key, each.operator, frozenset(each.values or ())).matches(values) for each in expressions)
