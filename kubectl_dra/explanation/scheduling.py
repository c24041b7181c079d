"""All nodes: what the scheduler would make of the pod on each, and what is the commonest in the way."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from kubectl_dra.explanation.case import PodCase
from kubectl_dra.explanation.codes import rank, sentence
from kubectl_dra.explanation.document import NodeVerdict, OnNode, Reason
from kubectl_dra.explanation.on_node import on_node

_EXAMPLES = 3
"""Lines of detail that a reason of several nodes takes from the first of them."""


def nodes(case: PodCase) -> tuple[OnNode, ...]:
    """Each node, by name."""
    return tuple(on_node(case, each) for each in sorted(case.snapshot.nodes, key=lambda each: each.metadata.name))


def shown(case: PodCase, everything: tuple[OnNode, ...], only: str | None, *, devices: bool) -> tuple[OnNode, ...]:
    """The nodes that are asked about, down to the devices if wanted."""
    wanted = tuple(each for each in everything if only in (None, each.node))
    return tuple(on_node(case, case.nodes[each.node], devices=True) for each in wanted) if devices else wanted


@dataclass(slots=True)
class _Together:
    """One reason on several nodes."""

    first: Reason
    node: str
    nodes: set[str] = field(default_factory=set)
    messages: set[str] = field(default_factory=set)


def commonest(found: Sequence[OnNode]) -> tuple[Reason, ...]:
    """The reasons of all nodes: errors first, because they end the attempt; then by the number of nodes."""
    together: dict[tuple[str, str], _Together] = {}
    for node in found:
        for reason in node.reasons:
            each = together.setdefault((reason.code, reason.subject), _Together(reason, node.node))
            each.nodes.add(node.node)
            each.messages.add(reason.message)
    errors = {(reason.code, reason.subject) for node in found if node.verdict == NodeVerdict.ERROR for reason in node.reasons}
    ordered = sorted(together, key=lambda key: (key not in errors, -len(together[key].nodes), rank(key[0]), key))
    return tuple(_summed(together[key]) for key in ordered)


def _summed(each: _Together) -> Reason:
    first = each.first
    same = len(each.messages) == 1
    message = first.message if same else sentence(first.code, first.subject)
    detail = first.detail[:_EXAMPLES] if len(each.nodes) > 1 else first.detail
    if len(each.nodes) > 1 and detail:
        detail = (*(f"{each.node}: {line}" for line in detail), *(("...",) if len(first.detail) > _EXAMPLES else ()))
    return replace(first, message=message, nodes=len(each.nodes), detail=detail)


def nearest(found: Sequence[OnNode]) -> Reason | None:
    """The reason that tells most, with the number of nodes that have it, too: of the node that is nearest to taking the pod.

    That is the one that the fewest things are against, and of these the one whose devices are.
    """
    refusing = [each for each in found if each.reasons]
    if not refusing:
        return None
    node = min(
        refusing, key=lambda each: (each.verdict != NodeVerdict.ERROR, len(each.reasons), min(rank(one.code) for one in each.reasons))
    )
    first = min(node.reasons, key=lambda each: rank(each.code))
    return next(each for each in commonest(found) if (each.code, each.subject) == (first.code, first.subject))


def verdicts(found: Iterable[OnNode]) -> dict[str, int]:
    """How many nodes have which verdict."""
    counts: dict[str, int] = {}
    for each in found:
        counts[each.verdict] = counts.get(each.verdict, 0) + 1
    return counts
