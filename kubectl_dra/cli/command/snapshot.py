"""`kubectl dra snapshot`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from kubectl_dra.cli.dialect import command
from kubectl_dra.cli.options import SCOPE, SOURCE, Run

if TYPE_CHECKING:
    from kubectl_dra.objects.snapshot import Snapshot


@command(
    SCOPE,
    SOURCE,
    examples="""
    # Write the state of the cluster to a file, and look at it elsewhere
    kubectl dra snapshot cluster.json.gz
    kubectl dra audit --from cluster.json.gz

    # Take what kubectl wrote, and leave out all that the analyses do not use
    kubectl dra snapshot --from everything.json redacted.json.gz
    """,
)
def snapshot(
    run: Run,
    file: Annotated[str, typer.Argument(metavar="[FILE]", help="Where to write; - is stdout. Compressed if it ends in .gz.")] = "-",
) -> None:
    """Write the state of the cluster to one redacted file that --from reads.

    The file is a v1 List in JSON that kubectl understands, too. It has names, labels, owners, resources, claims, taints and versions;
    no environment variables but those that name devices, no commands and arguments but feature gates of the control plane, no
    annotations but those that the checks read, no volumes but hostPath and emptyDir. Labels and names stay as they are: look at them before
    the file leaves your hands. What could not be read is told, and noted in the file; with --strict nothing is written then.
    """
    from kubectl_dra.cli.source import read_snapshot
    from kubectl_dra.knowledge.permissions import kinds_of
    from kubectl_dra.reading.narrowing import narrowed
    from kubectl_dra.reading.snapshot_file import write_snapshot, write_snapshot_file
    from kubectl_dra.report import formats

    taken = read_snapshot(run, kinds_of("snapshot"), namespace=run.only_namespace)
    if run.only_namespace:
        taken = narrowed(taken, run.only_namespace)  # files hold what they hold
    if file == "-":
        write_snapshot(taken, lambda text: formats.put(text.decode(), run.environment))
    else:
        write_snapshot_file(taken, file)
    for line in _not_read(taken):
        run.environment.stderr.write(f"{line}\n")


def _not_read(taken: "Snapshot") -> Iterator[str]:
    """A line for each kind that was asked of a cluster and not read in full."""
    from kubectl_dra.objects.snapshot import KINDS, ReadState

    for field in KINDS:
        reading = getattr(taken, field)
        if reading.state in (ReadState.FORBIDDEN, ReadState.FAILED, ReadState.EXPIRED):
            yield f"warning: {field.replace('_', ' ')} are not in the snapshot in full: {reading.reason}"
    for name, custom in taken.custom_workloads.items():
        if not custom.known:
            yield f"warning: {name} are not in the snapshot in full: {custom.reason}"
