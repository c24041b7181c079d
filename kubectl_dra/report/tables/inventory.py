"""How an inventory reads: one table for each way to look at it, then what could not be read."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from kubectl_dra.inventory.document import (
    Asked,
    Devices,
    Inventory,
    InventoryItem,
    MoveCost,
    NameItem,
    NamespaceItem,
    NodeItem,
    NodeResource,
    ObjectName,
    PodItem,
    QuotaUse,
    Unknown,
    WorkloadItem,
)
from kubectl_dra.inventory.nodes import HOST_SERVICE
from kubectl_dra.report.view import Column, Section, Style, Table, Text, View

Row = TypeVar("Row")

UNKNOWN = "<unknown>"
"""What could not be had. Never 0, never `<none>`."""

_ASKED = re.compile(r"^GET \S+: (?=\S+ is forbidden)")

_VERDICTS = {"ready": Style.FINE, "blocked": Style.BAD, "leave alone": Style.FAINT, "unknown": Style.WARNING}
_STATES = {"dra": Style.FINE, "both": Style.BAD, "inactive": Style.WARNING, "none": Style.FAINT}


class OnNode(NamedTuple):
    """A row of the table by node."""

    node: NodeItem
    resource: NodeResource


def number(value: int | None) -> int | str:
    """A number, or that it is not known."""
    return UNKNOWN if value is None else value


def _at_zero(counted: Asked | NamespaceItem) -> int | str:
    """How many workloads ask for devices but want no pods now; "3+" when kinds of workloads could not be read."""
    if counted.workloads_at_zero is None and counted.workloads_at_zero_seen is not None:
        return f"{counted.workloads_at_zero_seen}+"
    return number(counted.workloads_at_zero)


def _plugin(item: NameItem) -> str:
    if item.plugin is None:
        return UNKNOWN
    return f"{item.plugin.allocatable}/{item.plugin.capacity} on {item.plugin.nodes}" if item.plugin.nodes or item.plugin.capacity else "-"


def _dra(item: NameItem) -> str:
    if item.dra is None:
        return UNKNOWN
    if item.dra.class_ is None:
        return "-"
    if item.dra.nodes is None and item.dra.devices is None:
        return UNKNOWN
    return f"{number(item.dra.devices)} on {number(item.dra.nodes)}"


def _class(item: NameItem) -> str | None:
    return UNKNOWN if item.dra is None else item.dra.class_


BY_NAME: Table[NameItem] = Table(
    (
        Column("NAME", lambda row: row.name),
        Column("VERDICT", lambda row: row.verdict, style=lambda row: _VERDICTS.get(row.verdict, Style.PLAIN)),
        Column("BLOCKED BY", lambda row: ",".join(row.codes), wide=True),
        Column("PLUGIN", _plugin),
        Column("CLASS", _class),
        Column("DRA", _dra),
        Column("PODS", lambda row: number(row.asked.pods)),
        Column("PENDING", lambda row: number(row.asked.pending)),
        Column("DEVICES", lambda row: number(row.asked.devices)),
        Column("WORKLOADS", lambda row: number(row.asked.workloads)),
        Column("AT ZERO", lambda row: _at_zero(row.asked)),
        Column("QUOTAS", lambda row: _quotas(row.quotas), wide=True),
    )
)


def _quotas(quotas: tuple[QuotaUse, ...] | None) -> str | None:
    if quotas is None:
        return UNKNOWN
    return ",".join(f"{each.namespace}/{each.name}:{'?' if each.used is None else each.used}/{each.hard}" for each in quotas)


def _of_devices(value: Callable[[Devices], int | None]) -> Callable[[OnNode], str | int]:
    """A number of the DRA side; `-` where the name has none to count there."""

    def text(row: OnNode) -> str | int:
        devices = row.resource.devices
        return "-" if devices.total == 0 else number(value(devices))

    return text


def _offered(row: OnNode) -> str:
    resource = row.resource
    return f"{number(resource.allocatable)}/{number(resource.capacity)}" if resource.allocatable or resource.capacity else "-"


def _pods(pods: tuple[ObjectName, ...] | None, expected: bool) -> str | None:
    if pods is None:
        return UNKNOWN
    if not pods:
        return HOST_SERVICE if expected else "-"
    return ",".join(f"{pod.namespace}/{pod.name}" for pod in pods)


def _node_state(row: OnNode) -> str:
    return f"{row.resource.state}?" if row.resource.approximate else row.resource.state


_NODE_COLUMNS: tuple[Column[OnNode], ...] = (
    Column("NODE", lambda row: row.node.node),
    Column("KUBELET", lambda row: row.node.kubelet_version),
    Column("SCHEDULING", lambda row: _scheduling(row.node)),
    Column("RESOURCE", lambda row: row.resource.name),
    Column("STATE", _node_state, style=lambda row: _STATES.get(row.resource.state, Style.PLAIN)),
    Column("PLUGIN", _offered),
    Column("ASKED", lambda row: number(row.resource.asked)),
    Column("DRA", _of_devices(lambda devices: devices.total)),
    Column("HELD", _of_devices(lambda devices: devices.allocated)),
    Column("FREE", _of_devices(lambda devices: devices.free)),
    Column("TAINTED", _of_devices(lambda devices: devices.tainted)),
    Column("PLUGIN POD", lambda row: _pods(row.resource.plugin_pods, row.resource.state in ("plugin", "both")), wide=True),
    Column("DRIVER POD", lambda row: _pods(row.resource.driver_pods, row.resource.state in ("dra", "both")), wide=True),
    Column("NOTE", lambda row: row.resource.note, wide=True),
)


def _scheduling(node: NodeItem) -> str:
    return ",".join(word for word, true in (("cordoned", node.cordoned), ("tainted", node.tainted)) if true) or "open"


BY_NODE: Table[OnNode] = Table(_NODE_COLUMNS)


def _cost(value: Callable[[MoveCost], int | None]) -> Callable[[OnNode], str | int]:
    def text(row: OnNode) -> str | int:
        return "-" if row.node.move_cost is None else number(value(row.node.move_cost))

    return text


BY_NODE_AND_COST: Table[OnNode] = Table(
    (
        *(column for column in _NODE_COLUMNS if column.header in ("NODE", "KUBELET", "SCHEDULING", "RESOURCE", "STATE", "PLUGIN", "ASKED")),
        Column("HOLDERS", _cost(lambda cost: cost.holders)),
        Column("BARE", _cost(lambda cost: cost.bare)),
        Column("GANG", _cost(lambda cost: cost.in_gangs)),
        Column("NO BUDGET", _cost(lambda cost: cost.without_budget)),
        Column("HELD UP", _cost(lambda cost: cost.blocked_by_budget)),
    )
)

BY_NAMESPACE: Table[NamespaceItem] = Table(
    (
        Column("NAMESPACE", lambda row: row.namespace),
        Column("PODS", lambda row: number(row.pods)),
        Column("PENDING", lambda row: number(row.pending)),
        Column("WORKLOADS", lambda row: number(row.workloads)),
        Column("AT ZERO", _at_zero),
        Column("DEVICES", lambda row: _counts(row.resources)),
        Column("QUOTAS", lambda row: _quotas_by_key(row.quotas)),
    )
)

BY_POD: Table[PodItem] = Table(
    (
        Column("NAMESPACE", lambda row: row.namespace),
        Column("POD", lambda row: row.pod),
        Column("PHASE", lambda row: row.phase),
        Column("NODE", lambda row: row.node),
        Column("WORKLOAD", lambda row: f"{row.workload.kind}/{row.workload.name}"),
        Column("DEVICES", lambda row: _counts(row.resources)),
        Column("CLAIM", lambda row: row.claim, wide=True),
    )
)

BY_WORKLOAD: Table[WorkloadItem] = Table(
    (
        Column("NAMESPACE", lambda row: row.namespace),
        Column("KIND", lambda row: row.kind),
        Column("NAME", lambda row: row.name),
        Column("REPLICAS", lambda row: _replicas(row)),
        Column("PODS", lambda row: number(row.pods)),
        Column("DEVICES PER POD", lambda row: _counts(row.resources)),
    )
)


def _replicas(item: WorkloadItem) -> str | int:
    if item.kind == "Pod":
        return "-"
    return f"{number(item.replicas)} (suspended)" if item.suspended else number(item.replicas)


def _counts(resources: Mapping[str, int]) -> str:
    return ",".join(f"{name}={count}" for name, count in resources.items())


def _quotas_by_key(quotas: tuple[QuotaUse, ...] | None) -> str | None:
    if quotas is None:
        return UNKNOWN
    return ",".join(f"{each.key}={'?' if each.used is None else each.used}/{each.hard}" for each in quotas)


def _sections(inventory: Inventory, nodes: Table[OnNode]) -> Iterator[Section]:
    items = inventory.items
    match inventory.by:
        case "name":
            names = _of(items, NameItem)
            yield from _grid(BY_NAME, names)
            notes = [f"{each.name}: {each.dra.note}" for each in names if each.dra is not None and each.dra.note]
            if notes:
                yield Text("\n".join(notes), Style.WARNING)
        case "node":
            yield from _by_node(_of(items, NodeItem), nodes)
        case "namespace":
            yield from _grid(BY_NAMESPACE, _of(items, NamespaceItem))
        case "pod":
            yield from _grid(BY_POD, _of(items, PodItem))
        case _:
            yield from _grid(BY_WORKLOAD, _of(items, WorkloadItem))
    yield from unknown_lines(inventory.unknown)


def _by_node(items: list[NodeItem], table: Table[OnNode]) -> Iterator[Section]:
    rows = [OnNode(item, resource) for item in items for resource in item.resources]
    yield from _grid(table, rows)
    without = sum(1 for item in items if not item.resources)
    if rows and without:
        yield Text(f"{without} more {'node has' if without == 1 else 'nodes have'} no extended resource.", Style.FAINT)


def _grid(table: Table[Row], rows: list[Row]) -> Iterator[Section]:
    if rows:
        yield table.of(rows)


def _of(items: Iterable[InventoryItem], kind: type[Row]) -> list[Row]:
    return [item for item in items if isinstance(item, kind)]


def unknown_lines(unknown: tuple[Unknown, ...]) -> Iterator[Section]:
    """What could not be read, a line each; the rule that would allow it on one of its own."""
    if unknown:
        yield Text("Not known, because it could not be read:", Style.WARNING)
        yield Text("\n".join(f"{each.kind}: {_readable(each.reason)}" for each in unknown), Style.WARNING, code=True)


def _readable(reason: str) -> str:
    """A refusal names the request itself; what was asked need not stand before it."""
    line = _ASKED.sub("", " / ".join(reason.splitlines()))
    return line.replace("; a ClusterRole rule allows it: ", "\n  a ClusterRole rule allows it: ")


def _names(inventory: Inventory) -> Iterator[str]:
    for item in inventory.items:
        match item:
            case NameItem():
                yield f"resource/{item.name}"
            case NodeItem():
                yield f"node/{item.node}"
            case NamespaceItem():
                yield f"namespace/{item.namespace}"
            case PodItem():
                yield f"pod/{item.pod}"
            case WorkloadItem():
                yield f"{item.kind.lower()}/{item.name}"


INVENTORY: View[Inventory] = View(sections=lambda inventory, wide: _sections(inventory, BY_NODE), names=_names)
INVENTORY_BY_MOVE_COST: View[Inventory] = View(sections=lambda inventory, wide: _sections(inventory, BY_NODE_AND_COST), names=_names)
