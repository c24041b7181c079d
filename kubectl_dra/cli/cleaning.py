"""`migrate-node --status --clean`: removes what runs have left and no run holds any more."""

from kubectl_dra.cli.confirm import confirm
from kubectl_dra.cli.move_options import timing
from kubectl_dra.cli.moving import reach
from kubectl_dra.cli.options import Run
from kubectl_dra.cli.source import connected_to_write, read_snapshot
from kubectl_dra.errors import UsageError
from kubectl_dra.migration.document import MigrationStatus
from kubectl_dra.progress import nobody


def clean(run: Run, found: MigrationStatus, node: str, *, yes: bool) -> MigrationStatus:
    """Show what is left over, ask, remove it, and look again. Raises UsageError without a cluster, and what writing raises."""
    from kubectl_dra.migration.clean import remove
    from kubectl_dra.migration.leftovers import leftovers
    from kubectl_dra.migration.status import LOOKED_AT, status

    if run.demo or run.from_ is not None:
        raise UsageError("--clean needs a cluster, not --from or --demo")
    snapshot = read_snapshot(run, LOOKED_AT)
    now = run.environment.clock.now()
    left = leftovers(snapshot, now, node)
    if not left:
        return found
    where = snapshot.cluster
    confirm(run.environment, where.server, where.context, [f"left over: {each}" for each in left], "Remove them?", yes=yes)
    limits = timing(run.environment)
    with connected_to_write(run, nobody) as (transport, writes):
        remove(left, reach(transport, writes, limits, run.environment))
    return status(read_snapshot(run, LOOKED_AT), run.environment.clock.now(), node)
