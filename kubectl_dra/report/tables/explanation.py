"""How an explanation reads: the verdict, the reasons, what is asked for, the nodes, and what the scheduler said."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kubectl_dra.explanation.codes import SENTENCES, sentence
from kubectl_dra.explanation.document import Asked, DeviceVerdict, Explanation, Holding, NodeVerdict, OnNode, Reason, Verdict
from kubectl_dra.report.tables.inventory import unknown_lines
from kubectl_dra.report.view import Column, Section, Style, Table, Text, View

_VERDICTS = {
    Verdict.RUNS: Style.FINE,
    Verdict.FITS: Style.FINE,
    Verdict.FAILS: Style.BAD,
    Verdict.WAITS: Style.WARNING,
    Verdict.HELD: Style.WARNING,
    Verdict.UNKNOWN: Style.WARNING,
}
_NODES = {NodeVerdict.FITS: Style.FINE, NodeVerdict.ERROR: Style.BAD, NodeVerdict.UNKNOWN: Style.WARNING}
GROUPED_FROM = 10
"""From so many nodes on, those that are alike share a line."""
_NAMED = 3
"""Nodes that such a line names."""


@dataclass(frozen=True, slots=True)
class NodeLine:
    """One node, or several that are alike."""

    nodes: str
    verdict: str
    served_by: str
    why: str


@dataclass(frozen=True, slots=True)
class DeviceLine:
    """A device of a node as one request sees it."""

    node: str
    seen: DeviceVerdict


_REQUEST: tuple[Column[Asked], ...] = (
    Column("CONTAINER", lambda row: ",".join(row.containers)),
    Column("RESOURCE", lambda row: row.resource),
    Column("COUNT", lambda row: "all" if row.count is None and row.request else row.count),
    Column("CLASS", lambda row: row.device_class),
    Column("CLAIM", lambda row: row.claim),
    Column("REQUEST", lambda row: row.request),
)
REQUESTS: Table[Asked] = Table(_REQUEST)
SERVED_REQUESTS: Table[Asked] = Table(
    (*_REQUEST, Column("SERVED BY", lambda row: ", ".join(f"{who} on {number}" for who, number in sorted(row.served_by.items()))))
)
PLACED_REQUESTS: Table[Asked] = Table((*_REQUEST, Column("SERVED BY", lambda row: ",".join(row.served_by))))
HOLDINGS: Table[Holding] = Table(
    (
        Column("CONTAINER", lambda row: ",".join(row.containers)),
        Column("DEVICE", lambda row: row.device),
        Column("DRIVER", lambda row: row.driver),
        Column("POOL", lambda row: row.pool),
        Column("CLAIM", lambda row: row.claim),
        Column("REQUEST", lambda row: row.request),
    )
)
NODES: Table[NodeLine] = Table(
    (
        Column("NODE", lambda row: row.nodes),
        Column("VERDICT", lambda row: row.verdict, style=lambda row: _NODES.get(NodeVerdict(row.verdict), Style.PLAIN)),
        Column("SERVED BY", lambda row: row.served_by),
        Column("WHY", lambda row: row.why),
    )
)
DEVICES: Table[DeviceLine] = Table(
    (
        Column("NODE", lambda row: row.node),
        Column("REQUEST", lambda row: row.seen.request),
        Column("DRIVER", lambda row: row.seen.driver),
        Column("POOL", lambda row: row.seen.pool),
        Column("DEVICE", lambda row: row.seen.device),
        Column("AGAINST IT", lambda row: (row.seen.against or "nothing").replace("_", " ")),
        Column("WHY", lambda row: row.seen.message),
    )
)


def _sections(explanation: Explanation, wide: bool) -> Iterator[Section]:
    pod = explanation.pod
    style = _VERDICTS.get(Verdict(explanation.verdict), Style.PLAIN)
    yield Text(f"Pod {pod.namespace}/{pod.name} {explanation.summary}.", style)
    if explanation.reasons:
        yield Text("Why", Style.HEADING, level=2)
        for reason in explanation.reasons:
            yield from _reason(reason, len(explanation.nodes))
    if explanation.requests:
        extended = any(each.resource for each in explanation.requests)
        yield (REQUESTS if not extended else SERVED_REQUESTS if explanation.nodes else PLACED_REQUESTS).of(explanation.requests)
    if explanation.holds:
        yield HOLDINGS.of(explanation.holds)
    yield from _nodes(explanation, wide)
    for words in explanation.said:
        yield Text(f"What {words.by} said{f' at {words.at}' if words.at else ' last'}", Style.HEADING, level=2)
        yield Text(words.message, Style.FAINT, code=True)
    if explanation.not_judged and explanation.verdict == Verdict.FITS:
        yield Text(f"Not judged here: {', '.join(explanation.not_judged)}.", Style.FAINT, level=2)
    yield from unknown_lines(explanation.unknown)


def _reason(reason: Reason, nodes: int) -> Iterator[Section]:
    where = "" if reason.nodes is None or nodes < 2 else f" ({reason.nodes} of {nodes} nodes)"
    yield Text(f"  {reason.code}: {reason.message}{where}")
    if reason.detail:
        yield Text("\n".join(f"  {line}" for line in reason.detail), Style.FAINT, code=True)
    if reason.fix:
        yield Text("    to mend it:")
        yield Text("\n".join(f"  {line}" for line in reason.fix), code=True)


def _nodes(explanation: Explanation, wide: bool) -> Iterator[Section]:
    nodes = explanation.nodes
    if not nodes:
        return
    alone = wide or len(nodes) < GROUPED_FROM
    yield NODES.of([_line(each) for each in nodes] if alone else list(_grouped(nodes)))
    devices = [DeviceLine(each.node, device) for each in nodes for device in each.devices]
    if devices:
        yield DEVICES.of(devices)


def _line(node: OnNode) -> NodeLine:
    return NodeLine(node.node, node.verdict, _served(node), "; ".join(each.message for each in node.reasons))


def _grouped(nodes: Iterable[OnNode]) -> Iterator[NodeLine]:
    """The largest group first; of its reasons what is true of all of its nodes."""
    groups: dict[tuple[object, ...], list[OnNode]] = {}
    for each in nodes:
        key = (each.verdict, _served(each), tuple((reason.code, reason.subject) for reason in each.reasons))
        groups.setdefault(key, []).append(each)
    for group in sorted(groups.values(), key=lambda group: (-len(group), group[0].node)):
        if len(group) == 1:
            yield _line(group[0])
            continue
        names = ", ".join(each.node for each in group[:_NAMED])
        more = ", ..." if len(group) > _NAMED else ""
        why = "; ".join(_common(column) for column in zip(*(each.reasons for each in group), strict=True))
        yield NodeLine(f"{len(group)} nodes ({names}{more})", group[0].verdict, _served(group[0]), why)


def _common(reasons: Sequence[Reason]) -> str:
    first = reasons[0]
    if len({each.message for each in reasons}) == 1 or first.code not in SENTENCES:
        return first.message
    return sentence(first.code, first.subject)


def _served(node: OnNode) -> str:
    """`plugin` or `dra`; with the names where the pod asks for several."""
    if len(node.served_by) < 2:
        return "".join(node.served_by.values())
    return ",".join(f"{name}={who}" for name, who in node.served_by.items())


EXPLANATION: View[Explanation] = View(
    sections=_sections,
    names=lambda explanation: (f"pod/{explanation.pod.name}",),
)
