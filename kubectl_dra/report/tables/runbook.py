"""A plan as a page of a runbook, and a record as a page of a log, both in Markdown."""

from collections.abc import Iterator

from kubectl_dra.exit_status import ExitStatus
from kubectl_dra.migration.document import Check, MigrationPlan, MigrationRecord, PodMove, Step
from kubectl_dra.migration.names import Direction
from kubectl_dra.report.tables.migration import counted, lasting, resource, verdict, way
from kubectl_dra.report.view import Column, Section, Table, Text, View

CHECKS: Table[Check] = Table(
    (
        Column("CHECK", lambda check: check.name),
        Column("RESULT", lambda check: check.level),
        Column("WHAT WAS FOUND", lambda check: check.message),
    )
)
PODS: Table[PodMove] = Table(
    (
        Column("POD", lambda pod: f"{pod.namespace}/{pod.name}"),
        Column("WORKLOAD", lambda pod: pod.workload),
        Column("FATE", lambda pod: pod.fate),
        Column("REASON", lambda pod: pod.reason or "-"),
    )
)
STEPS: Table[Step] = Table(
    (
        Column("STEP", lambda step: step.name),
        Column("BEFORE", lambda step: step.before or "-"),
        Column("DOES", lambda step: step.does or "-"),
        Column("WAITS FOR", lambda step: step.waits_for or "-"),
        Column("UNDONE BY", lambda step: step.undo or "-"),
        Column("LIMIT", lambda step: "none" if step.timeout_seconds is None else lasting(step.timeout_seconds)),
        Column("STATE", lambda step: f"{step.state}{f' ({step.message})' if step.message else ''}"),
    )
)
RAN: Table[Step] = Table(
    (
        Column("STEP", lambda step: step.name),
        Column("STATE", lambda step: step.state),
        Column("BEGAN", lambda step: step.started_at or "-"),
        Column("TOOK", lambda step: "-" if step.seconds is None else lasting(step.seconds)),
        Column("MESSAGE", lambda step: step.message or "-"),
    )
)

MEANINGS: tuple[tuple[ExitStatus, str, str], ...] = (
    (ExitStatus.OK, "done, and the canary was green", "next node"),
    (ExitStatus.NO, "blocked: a check or the canary says no", "read the blockers, mend them, run the same command again"),
    (ExitStatus.USAGE, "the command line, a file, or no --yes without a terminal", "mend the command; nothing was done"),
    (ExitStatus.CLUSTER, "the API server is away, refuses, or the node changed under the run", "the same command goes on where it stopped"),
    (
        ExitStatus.TIMEOUT,
        "a wait took longer than its limit",
        "look at what the message names; the same command goes on, with --step-timeout if need be",
    ),
    (ExitStatus.CONFLICT, "another run holds the node", "let it end, or look with --status"),
    (
        ExitStatus.INTERRUPTED,
        "Ctrl-C: the current call was finished, the journal written",
        "the same command goes on; --rollback goes back",
    ),
)
"""What each exit status of a run means, and what to do."""

STATUSES: Table[tuple[ExitStatus, str, str]] = Table(
    (
        Column("STATUS", lambda row: int(row[0])),
        Column("MEANING", lambda row: row[1]),
        Column("WHAT TO DO", lambda row: row[2]),
    )
)


def sections(plan: MigrationPlan, wide: bool) -> Iterator[Section]:
    """The page: what it is about, the commands, the checks, the steps, the exit statuses."""
    yield Text(f"Node {plan.node}: {way(plan)}", level=1)
    yield Text(f"Profile {plan.profile}; {'; '.join(map(resource, plan.devices))}.")
    yield Text("Commands", level=2)
    yield Text("\n".join(commands(plan)), code=True)
    checks = tuple(check for step in plan.steps for check in step.checks)
    yield Text(f"Checks ({counted(checks)})", level=2)
    yield Text(verdict(plan))
    yield CHECKS.of(checks)
    if plan.pods:
        yield Text("Pods of the node", level=2)
        yield PODS.of(plan.pods)
    yield Text("Steps", level=2)
    yield STEPS.of(plan.steps)
    yield Text("Exit statuses", level=2)
    yield STATUSES.of(MEANINGS)


def commands(plan: MigrationPlan) -> tuple[str, ...]:
    """The commands of the page, in the order in which they are needed."""
    back = " --rollback" if plan.direction is Direction.ROLLBACK else ""
    there = (
        "# back to the device plugin, from any point",
        f"{plan.command} --rollback --yes",
        "# proof on a later day: after a reboot, a restart of the kubelet, an upgrade of the driver",
        f"{plan.command} --verify --yes",
    )
    return (
        "# look first: every check, made anew",
        f"{plan.command}{back} --dry-run=client",
        "# do it, or go on where a run stopped",
        f"{plan.command}{back} --yes --record {plan.node}.json",
        "# where it stands",
        f"kubectl dra migrate-node {plan.node} --status",
        *(() if back else there),
    )


def record_sections(record: MigrationRecord, wide: bool) -> Iterator[Section]:
    """What a run did, as a table of its steps."""
    yield Text(f"Node {record.node}: {way(record)}: {record.phase}", level=1)
    yield Text(f"Profile {record.profile}; {'; '.join(map(resource, record.devices))}. Exit status {record.exit_status}.")
    if record.message:
        yield Text(record.message)
    yield RAN.of(record.steps)
    for each in record.summary:
        yield Text(f"- {each}")
    if record.next:
        yield Text(record.next, code=True)


RUNBOOK: View[MigrationPlan] = View(sections=sections, names=lambda plan: [f"node/{plan.node}"])
LOG: View[MigrationRecord] = View(sections=record_sections, names=lambda record: [f"node/{record.node}"])
