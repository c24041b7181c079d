"""`kubectl dra classes`."""

from typing import Annotated

import typer

from kubectl_dra.cli.dialect import command
from kubectl_dra.cli.options import OUTPUT, SOURCE, Run
from kubectl_dra.errors import ApiError
from kubectl_dra.exit_status import ExitStatus


@command(
    SOURCE,
    OUTPUT,
    examples="""
    # Every class, the name it maps, and who wins where two map one
    kubectl dra classes

    # Only names that more than one class maps; exits 1 if there are any
    kubectl dra classes --duplicates
    """,
)
def classes(
    run: Run,
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME...]", help="Only these classes.")] = None,
    duplicates: Annotated[
        bool, typer.Option("--duplicates", help="Only classes that share their extended resource name; exit 1 if there are any.")
    ] = False,
) -> ExitStatus:
    """Which DeviceClass each extended resource name resolves to, which duplicates lose, and why.

    WHY tells a class from its rival, PODS hold a claim made with the class, HELM RELEASE made it. -o wide adds the pods that wait for it,
    and the implicit name with which pods can ask for any class.

    STATE is only, wins, loses, undefined (nobody can tell) or none (the class has no name but the implicit one). The scheduler takes
    the class that was created last, and of those created in the same second the one whose name sorts first.
    """
    from kubectl_dra.cli.source import read_snapshot
    from kubectl_dra.inventory.classes import class_list
    from kubectl_dra.knowledge.permissions import kinds_of
    from kubectl_dra.report import formats
    from kubectl_dra.report.tables.classes import CLASS_LIST, warning_lines

    formats.find(run.output)
    snapshot = read_snapshot(run, kinds_of("classes"))
    answer = class_list(snapshot, names or (), duplicates=duplicates)
    formats.write(answer, run.output, run.environment, CLASS_LIST, no_headers=run.no_headers)
    for line in warning_lines(answer):
        run.environment.stderr.write(f"{line}\n")
    if not answer.items and not answer.unknown and formats.for_people(run.output):
        run.environment.stderr.write(f"{CLASS_LIST.empty}\n")
    have = {each.metadata.name for each in snapshot.device_classes}
    missing = sorted(set(names or ()) - have)
    if missing and snapshot.device_classes.known:
        raise ApiError(f'deviceclasses.resource.k8s.io "{missing[0]}" not found', code=404, reason="NotFound")
    return ExitStatus.NO if duplicates and answer.items else ExitStatus.OK
