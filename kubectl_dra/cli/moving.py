"""What `migrate-node` does: the list of profiles, where nodes stand, the plan, the run."""

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from kubectl_dra.cli.confirm import confirm, refuse_unasked
from kubectl_dra.cli.move_options import timing
from kubectl_dra.cli.options import Run
from kubectl_dra.cli.source import connected_to_write, read_snapshot
from kubectl_dra.errors import DraError, OutputError, UsageError
from kubectl_dra.exit_status import ExitStatus
from kubectl_dra.migration.document import MigrationPlan, MigrationRecord
from kubectl_dra.migration.facts import NOTHING_KNOWN
from kubectl_dra.migration.names import FORWARD, Phase
from kubectl_dra.migration.options import DryRun, Options
from kubectl_dra.migration.plan import plan as planned
from kubectl_dra.migration.preflight import preflight
from kubectl_dra.migration.profile import Profile
from kubectl_dra.migration.subject import Subject
from kubectl_dra.migration.target import target
from kubectl_dra.progress import nobody
from kubectl_dra.report import formats

if TYPE_CHECKING:
    from kubectl_dra.cluster.transport import Transport
    from kubectl_dra.cluster.writes import Writes
    from kubectl_dra.environment import Environment
    from kubectl_dra.migration.reach import Reach
    from kubectl_dra.migration.timing import Timing
    from kubectl_dra.objects.snapshot import Snapshot

COMMAND = "migrate-node"


def list_profiles(run: Run, node: str) -> ExitStatus:
    """The profiles; what is seen of each only where a node is named or a file stands for the cluster."""
    from kubectl_dra.migration.detect import summaries
    from kubectl_dra.migration.profile_files import builtin
    from kubectl_dra.report.tables.migration_status import LIST

    snapshot = _read(run) if node or run.demo or run.from_ is not None else None
    formats.write(summaries(builtin(), snapshot, node), run.output, run.environment, LIST, no_headers=run.no_headers)
    return ExitStatus.OK


def status(run: Run, node: str, *, clean: bool, yes: bool) -> ExitStatus:
    """Where nodes stand; with `clean`, what no run holds any more is removed first."""
    from kubectl_dra.migration.status import LOOKED_AT
    from kubectl_dra.migration.status import status as stands
    from kubectl_dra.report.tables.migration_status import STATUS

    found = stands(read_snapshot(run, LOOKED_AT), run.environment.clock.now(), node)
    if clean:
        from kubectl_dra.cli.cleaning import clean as cleaned

        found = cleaned(run, found, node, yes=yes)
    formats.write(found, run.output, run.environment, STATUS, no_headers=run.no_headers)
    if not found.items and formats.for_people(run.output):
        run.environment.stderr.write(f"{STATUS.empty}\n")
    return ExitStatus.OK


def no_profile(run: Run, node: str) -> DraError:
    """The error of a call without `--profile`: it proposes the one that is seen on the node."""
    from kubectl_dra.migration.detect import summaries
    from kubectl_dra.migration.journal import Journal, of_node
    from kubectl_dra.migration.profile_files import builtin

    snapshot = _read(run)
    journals = [of_node(each) for each in snapshot.nodes if each.metadata.name == node]
    used = [f"An earlier run on the node had --profile {each.profile}." for each in journals if isinstance(each, Journal)]
    seen = [item for item in summaries(builtin(), snapshot, node).items if item.detected]
    found = used or [f"Seen on the node: --profile {item.name} ({'; '.join(item.detected)})." for item in seen]
    hint = "\n".join(found) or "Nothing of a known installer is seen on the node: `kubectl dra migrate-node --list-profiles`."
    return UsageError("--profile is required: how the plugin leaves the node and the driver comes", hint=hint)


def refuse_what_does_not_go_together(options: Options) -> None:
    """Raise UsageError."""
    order = options.direction.steps
    for step, option in ((options.only, "--only"), (options.until, "--until")):
        if step is not None and step not in order:
            way = "move" if order is FORWARD else "way back"
            raise UsageError(f"{option}={step}: that is no step of the {way}", hint=f"Its steps: {', '.join(order)}.")
    both = sorted(set(options.resources) & set(options.dropped))
    if both:
        raise UsageError(f"{both[0]} cannot be both moved and dropped (--resource, --drop-resource)")
    if options.canary.skip and (options.canary.image or options.canary.manifest or options.canary.namespace):
        raise UsageError("--no-canary goes with no other option of the canary")


def plan(run: Run, options: Options, profile: Profile) -> ExitStatus:
    """Print the plan. The answer is a "no" when it is blocked."""
    from kubectl_dra.report.tables.migration import PLAN
    from kubectl_dra.report.tables.runbook import RUNBOOK

    found = _offline(run, options, profile) if run.demo or run.from_ is not None else _live(run, options, profile)
    view = RUNBOOK if run.output == "markdown" else PLAN
    formats.write(found, run.output, run.environment, view, no_headers=run.no_headers)
    return ExitStatus.NO if found.phase is Phase.BLOCKED else ExitStatus.OK


def _offline(run: Run, options: Options, profile: Profile) -> MigrationPlan:
    """The plan by a file: nobody can be asked for permissions there."""
    snapshot = _read(run)
    subject = Subject(snapshot, options, target(snapshot, options, profile), run.environment.clock.now(), NOTHING_KNOWN)
    return planned(subject, timing(run.environment), preflight(subject))


def _live(run: Run, options: Options, profile: Profile) -> MigrationPlan:
    """The plan by a cluster, with what takes requests of its own: permissions, a canary that is only tried, and writes that are."""
    from kubectl_dra.migration.opening import look
    from kubectl_dra.migration.rehearsal import rehearsed
    from kubectl_dra.report.live import watching

    limits = timing(run.environment)
    with watching(run.environment) as observer, connected_to_write(run, observer) as (transport, writes):
        way = reach(transport, writes, limits, run.environment)
        found = look(options, profile, limits, way, run.environment)
        if options.dry_run is not DryRun.SERVER:
            return found.plan
        subject = Subject(found.snapshot, options, found.target, run.environment.clock.now(), found.facts)
        return rehearsed(found.plan, subject, way)


def move(run: Run, options: Options, profile: Profile, *, yes: bool, record: str) -> ExitStatus:
    """Carry it out. stdout gets the record, stderr the checklist."""
    from kubectl_dra.migration import runner
    from kubectl_dra.report.checklist import EventLines, following
    from kubectl_dra.report.tables.migration import RECORD
    from kubectl_dra.report.tables.runbook import LOG

    limits = timing(run.environment)
    refuse_unasked(run.environment, yes=yes)
    with following(run.environment) as shown:
        observe = EventLines(run.environment, shown) if run.output == "jsonl" else shown

        def consent(found: MigrationPlan) -> None:
            _consent(run, found, yes=yes)
            shown.begin(found)

        with connected_to_write(run, nobody) as (transport, writes):
            done = runner.run(options, profile, limits, transport, writes, run.environment, observe, consent)
    if record:
        _keep(done, record)
    if run.output == "jsonl":
        formats.put(f"{msgspec.json.encode(done).decode()}\n", run.environment)
    else:
        view = LOG if run.output == "markdown" else RECORD
        formats.write(done, run.output, run.environment, view, no_headers=run.no_headers)
    return ExitStatus(done.exit_status)


def reach(transport: "Transport", writes: "Writes", limits: "Timing", environment: "Environment") -> "Reach":
    """The way to the cluster for what is done outside of a run: nobody hears of its waits."""
    from kubectl_dra.cluster.discovery import discover
    from kubectl_dra.migration.reach import Reach

    return Reach(
        transport, writes, discover(transport), limits, environment.clock, tells=lambda what, waited, left: None, before_each=lambda: None
    )


def _read(run: Run) -> "Snapshot":
    from kubectl_dra.knowledge.permissions import kinds_of

    return read_snapshot(run, kinds_of(COMMAND))


def _keep(done: MigrationRecord, path: str) -> None:
    """Write the record to a file. Raises OutputError; what was done is done."""
    try:
        Path(path).write_text(formats.serialized(done, "json"), encoding="utf-8")
    except OSError as error:
        raise OutputError(f"the node is {done.phase}, but the record cannot be written to {path}: {error.strerror}") from error


def _consent(run: Run, found: MigrationPlan, *, yes: bool) -> None:
    """Show the plan to a person, and ask. What is blocked is not asked about: the runner says no."""
    from kubectl_dra.report import layout
    from kubectl_dra.report.tables.migration import PLAN
    from kubectl_dra.report.terminal import Brush

    environment = run.environment
    if found.phase is Phase.BLOCKED:
        return
    shown: tuple[str, ...] = ()
    if environment.talks and not yes:
        paint = Brush(environment.stderr, environment.variables)
        shown = tuple(layout.lines(PLAN.sections(found, False), paint, wide=False, headers=True))
    confirm(environment, found.cluster.server, found.cluster.context, (*shown, f"Node {found.node}"), "Go on?", yes=yes)
