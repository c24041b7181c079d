"""Which node a slice or device is for (component-helpers: scheduling/corev1/nodeaffinity; pools_incubating.go, NodeMatches).

Unlike `objects.node_selector` this refuses what upstream refuses to parse, because there one such selector stops every pod.
"""

import json
import re
from collections.abc import Mapping
from functools import lru_cache

from kubectl_dra.objects.int64 import is_int64
from kubectl_dra.objects.node import Node, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from kubectl_dra.objects.qualified_name import label_value_faults, qualified_name_faults
from kubectl_dra.objects.quoted import quoted

_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)
_ON_LABELS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
_ON_FIELDS = ("In", "NotIn")


class NodeSelectorError(ValueError):
    """The selector cannot be parsed; the message is upstream's."""


def node_matches(node: Node, node_name: str | None, all_nodes: bool | None, selector: NodeSelector | None) -> bool:
    """Whether something with this name, this flag or this selector can be used from the node. Raises NodeSelectorError."""
    if node_name:
        return node.metadata.name == node_name
    return bool(all_nodes) or (selector is not None and selects(selector, node))


def selects(selector: NodeSelector, node: Node) -> bool:
    """Whether one of the terms matches. Raises NodeSelectorError."""
    faults = _faults(selector)
    if faults:
        raise NodeSelectorError(f"failed to parse node selector {shown(selector)}: {faults}")
    name = node.metadata.name
    labels, fields = node.metadata.labels or {}, {"metadata.name": name} if name else {}
    return any(_term_matches(term, labels, fields) for term in selector.node_selector_terms or ())


def _term_matches(term: NodeSelectorTerm, labels: Mapping[str, str], fields: Mapping[str, str]) -> bool:
    """A term without expressions and fields matches nothing."""
    expressions, on_fields = term.match_expressions or (), term.match_fields or ()
    if not expressions and not on_fields:
        return False
    if not all(_label_matches(each, labels) for each in expressions):
        return False
    # a field that a node does not have is empty; without any field the fields are not asked at all
    return not fields or all((fields.get(each.key, "") in (each.values or ())) == (each.operator == "In") for each in on_fields)


def _label_matches(requirement: NodeSelectorRequirement, labels: Mapping[str, str]) -> bool:
    value, values = labels.get(requirement.key), requirement.values or ()
    match requirement.operator:
        case "In":
            return value is not None and value in values
        case "NotIn":
            return value is None or value not in values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case _:
            if value is None or not _is_int64(value):
                return False
            return int(value) > int(values[0]) if requirement.operator == "Gt" else int(value) < int(values[0])


def _is_int64(text: str) -> bool:
    return _INTEGER.fullmatch(text) is not None and is_int64(int(text))


@lru_cache(maxsize=4096)
def _faults(selector: NodeSelector) -> str:
    """What is wrong with the selector, as upstream says it; empty when nothing is."""
    found: list[str] = []
    for number, term in enumerate(selector.node_selector_terms or ()):
        path = f"nodeSelectorTerms[{number}]"
        for at, each in enumerate(term.match_expressions or ()):
            found += dict.fromkeys(_label_faults(each, f"{path}.matchExpressions[{at}]"))
        for at, each in enumerate(term.match_fields or ()):
            found += _field_faults(each, f"{path}.matchFields[{at}]")
    found = list(dict.fromkeys(found))
    return found[0] if len(found) == 1 else f"[{', '.join(found)}]" if found else ""


def _label_faults(requirement: NodeSelectorRequirement, path: str) -> list[str]:
    operator, values = requirement.operator, requirement.values or ()
    if operator not in _ON_LABELS:
        return [_unsupported(path, operator, _ON_LABELS)]
    found = []
    key = qualified_name_faults(requirement.key)
    if key:
        found.append(f"{path}.key: Invalid value: {quoted(requirement.key)}: {'; '.join(key)}")
    if operator in ("In", "NotIn") and not values:
        found.append(_invalid(path, requirement, "for 'in', 'notin' operators, values set can't be empty"))
    if operator in ("Exists", "DoesNotExist") and values:
        found.append(_invalid(path, requirement, "values set must be empty for exists and does not exist"))
    if operator in ("Gt", "Lt"):
        if len(values) != 1:
            found.append(_invalid(path, requirement, "for 'Gt', 'Lt' operators, exactly one value is required"))
        found += [
            f"{path}.values[{at}]: Invalid value: {quoted(value)}: for 'Gt', 'Lt' operators, the value must be an integer"
            for at, value in enumerate(values)
            if not _is_int64(value)
        ]
    for at, value in enumerate(values):
        faults = label_value_faults(value)
        if faults:
            found.append(f"{path}.values[{at}][{requirement.key}]: Invalid value: {quoted(value)}: {'; '.join(faults)}")
    return found


def _field_faults(requirement: NodeSelectorRequirement, path: str) -> list[str]:
    if requirement.operator not in _ON_FIELDS:
        return [_unsupported(path, requirement.operator, _ON_FIELDS)]
    return [] if len(requirement.values or ()) == 1 else [_invalid(path, requirement, "must have one element")]


def _invalid(path: str, requirement: NodeSelectorRequirement, why: str) -> str:
    values = json.dumps(requirement.values, separators=(",", ":"), ensure_ascii=False)
    return f"{path}.values: Invalid value: {values}: {why}"


def _unsupported(path: str, operator: str, supported: tuple[str, ...]) -> str:
    return f"{path}.operator: Unsupported value: {quoted(operator)}: supported values: {', '.join(map(quoted, supported))}"


def shown(selector: NodeSelector) -> str:
    """The selector as Go's generated code prints it (api: core/v1/generated.pb.go)."""
    terms = "".join(f"{_term_shown(term)}," for term in selector.node_selector_terms or ())
    return f"&NodeSelector{{NodeSelectorTerms:[]NodeSelectorTerm{{{terms}}},}}"


def _term_shown(term: NodeSelectorTerm) -> str:
    expressions, fields = (
        "".join(
            f"NodeSelectorRequirement{{Key:{each.key},Operator:{each.operator},Values:[{' '.join(each.values or ())}],}},"
            for each in some or ()
        )
        for some in (term.match_expressions, term.match_fields)
    )
    return (
        f"NodeSelectorTerm{{MatchExpressions:[]NodeSelectorRequirement{{{expressions}}},"
        f"MatchFields:[]NodeSelectorRequirement{{{fields}}},}}"
    )
