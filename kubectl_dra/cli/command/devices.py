"""`kubectl dra devices`."""

from typing import TYPE_CHECKING, Annotated

import typer

from kubectl_dra.cli.dialect import command
from kubectl_dra.cli.options import OUTPUT, SOURCE, Run
from kubectl_dra.errors import ApiError, UsageError

if TYPE_CHECKING:
    from kubectl_dra.inventory.device_list import State, Wanted
    from kubectl_dra.objects.snapshot import Snapshot


@command(
    SOURCE,
    OUTPUT,
    examples="""
    # Which device is where, which classes select it, and which claim and pod have it
    kubectl dra devices

    # What a class has left on a node
    kubectl dra devices --class gpu.example.com --node gpu-01 --free

    # Try an expression before writing it into a class: true, false and by which part, or the error
    kubectl dra devices --where 'device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0'
    """,
)
def devices(
    run: Run,
    node: Annotated[str | None, typer.Option("--node", metavar="NAME", help="Only devices that this node can use.")] = None,
    driver: Annotated[str | None, typer.Option("--driver", metavar="NAME", help="Only devices of this driver.")] = None,
    pool: Annotated[str | None, typer.Option("--pool", metavar="NAME", help="Only devices of pools of this name.")] = None,
    device_class: Annotated[str | None, typer.Option("--class", metavar="NAME", help="Only devices that this class selects.")] = None,
    free: Annotated[bool, typer.Option("--free", help="Only devices that no claim holds and no taint keeps pods off.")] = False,
    allocated: Annotated[bool, typer.Option("--allocated", help="Only devices that claims hold, whole or in shares.")] = False,
    where: Annotated[
        str | None,
        typer.Option("--where", metavar="EXPR", help="Try this CEL expression on each device; exit 2 where a server refuses it."),
    ] = None,
) -> None:
    """Which device is where, and whose.

    STATE is allocated, shared (with how much is taken), incomplete or invalid (the pool: nothing of it is given out), tainted, free or
    unknown: the first of these that is so. Devices that a claim holds and no slice has any more are listed, too. --where evaluates as
    the scheduler does; an error there stops the scheduling of pods on every node. What the API server would refuse, because it does not
    compile or may cost too much, is told in its words.
    """
    from kubectl_dra.cli.source import read_snapshot
    from kubectl_dra.inventory.device_list import Wanted, device_list
    from kubectl_dra.inventory.expression import refusal
    from kubectl_dra.knowledge.permissions import kinds_of
    from kubectl_dra.report import formats
    from kubectl_dra.report.tables.devices import DEVICE_LIST

    wanted = Wanted(node, driver, pool, device_class, _states(free=free, allocated=allocated))
    formats.find(run.output)
    snapshot = read_snapshot(run, kinds_of("devices"))
    if where is not None and (refused := refusal(where, snapshot.cluster)):
        raise UsageError(f"--where: {refused}", hint="This is what the API server says to a class or claim with it.")
    _must_exist(snapshot, wanted)
    answer = device_list(snapshot, wanted, where)
    formats.write(answer, run.output, run.environment, DEVICE_LIST, no_headers=run.no_headers)
    if not answer.items and not answer.unknown and formats.for_people(run.output):
        run.environment.stderr.write(f"{DEVICE_LIST.empty}\n")


def _states(*, free: bool, allocated: bool) -> "frozenset[State] | None":
    from kubectl_dra.inventory.device_list import State

    if free and allocated:
        raise UsageError("--free and --allocated exclude each other", hint="Without either, all devices are listed.")
    if free:
        return frozenset({State.FREE})
    return frozenset({State.ALLOCATED, State.SHARED}) if allocated else None


def _must_exist(snapshot: "Snapshot", wanted: "Wanted") -> None:
    """Raises ApiError, as kubectl does, for a node or class that is not there; "none" would say that it has no devices."""
    nodes = {each.metadata.name for each in snapshot.nodes}
    if wanted.node is not None and snapshot.nodes.known and wanted.node not in nodes:
        raise ApiError(f'nodes "{wanted.node}" not found', code=404, reason="NotFound")
    classes = {each.metadata.name for each in snapshot.device_classes}
    if wanted.device_class is not None and snapshot.device_classes.known and wanted.device_class not in classes:
        raise ApiError(f'deviceclasses.resource.k8s.io "{wanted.device_class}" not found', code=404, reason="NotFound")
