"""`kubectl dra inventory`."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from kubectl_dra.cli.comma_lists import listed
from kubectl_dra.cli.dialect import command
from kubectl_dra.cli.options import OUTPUT, SCOPE, SELECTOR, SOURCE, Run
from kubectl_dra.errors import UsageError

if TYPE_CHECKING:
    from kubectl_dra.inventory.document import Inventory
    from kubectl_dra.inventory.scope import Scope
    from kubectl_dra.objects.labels import Selector
    from kubectl_dra.objects.snapshot import Snapshot


class By(StrEnum):
    """What a line of the inventory is about."""

    NAME = "name"
    WORKLOAD = "workload"
    NODE = "node"
    NAMESPACE = "namespace"
    POD = "pod"


class Sort(StrEnum):
    """Another order than that of names."""

    MOVE_COST = "move-cost"


@command(
    SCOPE,
    SELECTOR,
    SOURCE,
    OUTPUT,
    examples="""
    # Every extended resource: who serves it, who asks for it, whether it can move to DRA
    kubectl dra inventory

    # Which node to move first: the one whose move disturbs least
    kubectl dra inventory --by node --sort move-cost

    # Who asks for GPUs, also when scaled to zero
    kubectl dra inventory --by workload --resource 'nvidia.com/*'
    """,
)
def inventory(
    run: Run,
    by: Annotated[By, typer.Option("--by", help="What a line is about.")] = By.NAME,
    resource: Annotated[
        list[str] | None, typer.Option("--resource", metavar="NAME", help="Only such extended resources; globs; may be repeated.")
    ] = None,
    nodes: Annotated[
        str, typer.Option("--nodes", metavar="LABELS", help="Only nodes with these labels, and pods on them or on none.")
    ] = "",
    sort: Annotated[Sort | None, typer.Option("--sort", help="With --by node: the cheapest to move first.")] = None,
) -> None:
    """Who asks for which extended resource, who serves it where, which class would.

    VERDICT is the audit's: ready, blocked (-o wide shows by which checks), leave alone or unknown; with -n it rests on the pods of that
    namespace alone, and others may still be in the way. PLUGIN is allocatable/capacity on so many nodes, DRA the devices that the class
    reaches on so many. AT ZERO are workloads that ask but have no pods now: scaled to zero, suspended, or between two runs; 3+ means at
    least 3, for some kinds could not be read.

    STATE is who serves a name on a node: plugin, dra, both (the same device can be given twice), inactive (the plugin left less than
    five minutes ago, or all devices are unhealthy) or none; a question mark means that it rests on what is not known.
    SCHEDULING is open, cordoned or tainted. Pods that are finished do not count. What could not be read is <unknown>, never 0.

    --sort move-cost counts what moving a node off its plugin disturbs: HOLDERS are the pods that hold devices; of these, BARE have no
    controller that makes them again, GANG stop others when they stop, NO BUDGET have no PodDisruptionBudget, and HELD UP may not be
    evicted now. Nodes with nothing to move come last.
    """
    from kubectl_dra.cli.source import read_snapshot
    from kubectl_dra.inventory.scope import Scope
    from kubectl_dra.knowledge.permissions import kinds_of
    from kubectl_dra.report import formats
    from kubectl_dra.report.tables.inventory import INVENTORY, INVENTORY_BY_MOVE_COST

    if sort is not None and by is not By.NODE:
        raise UsageError(f"--sort {sort.value} goes with --by node, not with --by {by.value}")
    scope = Scope(run.only_namespace, _selector(run.selector, "-l"), _selector(nodes, "--nodes"), listed(resource))
    formats.find(run.output)
    # what a node's claims and plugins hold does not end at a namespace
    namespace = None if by is By.NODE else run.only_namespace
    snapshot = read_snapshot(run, kinds_of("inventory"), namespace=namespace)
    answer = _answer(snapshot, by, scope, sort)
    view = INVENTORY if sort is None else INVENTORY_BY_MOVE_COST
    formats.write(answer, run.output, run.environment, view, no_headers=run.no_headers)
    if not answer.items and not answer.unknown and formats.for_people(run.output):
        where = f" in {run.only_namespace} namespace." if run.only_namespace else ""
        run.environment.stderr.write(f"{view.empty}{where}\n")
    so_far = ", as far as could be read" if answer.unknown else ""
    for name in _heard_of_by_nobody(snapshot, scope):
        run.environment.stderr.write(f"nobody asks for {name} here, no node lists it and no class maps it{so_far}\n")


def _answer(snapshot: "Snapshot", by: By, scope: "Scope", sort: Sort | None) -> "Inventory":
    from kubectl_dra.inventory.namespaces import by_namespace
    from kubectl_dra.inventory.nodes import by_node
    from kubectl_dra.inventory.pods import by_pod
    from kubectl_dra.inventory.workloads import by_workload

    match by:
        case By.NAME:
            return _by_name(snapshot, scope)
        case By.NODE:
            return by_node(snapshot, scope, sort_by_move_cost=sort is Sort.MOVE_COST)
        case By.NAMESPACE:
            return by_namespace(snapshot, scope)
        case By.POD:
            return by_pod(snapshot, scope)
        case By.WORKLOAD:
            return by_workload(snapshot, scope)


def _heard_of_by_nobody(snapshot: "Snapshot", scope: "Scope") -> "list[str]":
    """Names that were given without a glob and that are nowhere: perhaps mistyped, and a row of zeros would hide it."""
    from dataclasses import replace

    from kubectl_dra.inventory.cluster import Cluster

    if not scope.literal_resources:
        return []
    names = Cluster(snapshot, replace(scope, resources=())).names
    return [name for name in scope.literal_resources if name not in names]


def _by_name(snapshot: "Snapshot", scope: "Scope") -> "Inventory":
    """With the audit's verdicts, so that both commands say the same of a name."""
    from kubectl_dra.audit.case import Case
    from kubectl_dra.audit.run import name_verdicts
    from kubectl_dra.audit.scope import Scope as AuditScope
    from kubectl_dra.inventory.names import Verdict, by_name

    case = Case(snapshot, AuditScope(scope.namespace or ""))
    verdicts = {each.name: Verdict(each.verdict, each.codes) for each in name_verdicts(case)}
    return by_name(snapshot, scope, verdicts, case.servers)


def _selector(text: str, flag: str) -> "Selector":
    from kubectl_dra.objects.labels import SelectorError, parse

    try:
        return parse(text)
    except SelectorError as error:
        raise UsageError(f"{flag} {text}: {error}", hint="Selectors are written as kubectl's: a=b, c!=d, e in (f,g), !h.") from None
