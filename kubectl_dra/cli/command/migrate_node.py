"""`kubectl dra migrate-node`."""

from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from kubectl_dra.cli.comma_lists import listed
from kubectl_dra.cli.dialect import command
from kubectl_dra.cli.options import OUTPUT, SOURCE, Run
from kubectl_dra.errors import UsageError
from kubectl_dra.exit_status import ExitStatus

if TYPE_CHECKING:
    from kubectl_dra.migration.names import StepName
    from kubectl_dra.migration.options import Options


class Drain(StrEnum):
    """Who has to leave."""

    EVICT = "evict"
    HOLDERS = "holders"
    WAIT = "wait"


class DaemonSetPods(StrEnum):
    """What becomes of a DaemonSet's pods that hold devices."""

    IGNORE = "ignore"
    DELETE = "delete"


class DryRun(StrEnum):
    """kubectl's three."""

    NONE = "none"
    CLIENT = "client"
    SERVER = "server"


class OnFailure(StrEnum):
    """What a run that fails leaves behind."""

    KEEP = "keep"
    ROLLBACK = "rollback"
    UNCORDON = "uncordon"


_OF_ONE_CALL = frozenset({"rollback", "verify", "dry_run", "yes", "only", "until", "force_unlock", "record"})
"""Options that are not part of the command with which a run is gone on with."""


def _steps() -> Iterable[str]:
    from kubectl_dra.migration.names import StepName

    return [str(step) for step in StepName]


def _profiles() -> Iterable[str]:
    from kubectl_dra.migration.profile_files import builtin

    return [profile.name for profile in builtin()]


@command(
    SOURCE,
    OUTPUT,
    formats=("jsonl",),
    examples="""
    # The plan with every check, nothing written
    kubectl dra migrate-node gpu-01 --profile nvidia-gpu-operator --dry-run=client

    # Do it, or go on where it stopped
    kubectl dra migrate-node gpu-01 --profile nvidia-gpu-operator --yes

    # Back to the plugin, from any point
    kubectl dra migrate-node gpu-01 --profile nvidia-gpu-operator --rollback --yes

    # Where every node stands that a run has touched
    kubectl dra migrate-node --status

    # A page for the runbook
    kubectl dra migrate-node gpu-01 --profile nvidia-gpu-operator --dry-run=client -o markdown
    """,
)
def migrate_node(
    run: Run,
    node: Annotated[str | None, typer.Argument(metavar="[NODE]", help="The node.")] = None,
    profile: Annotated[
        str, typer.Option("--profile", metavar="NAME|FILE", help="How its plugin leaves and its driver comes.", autocompletion=_profiles)
    ] = "",
    rollback: Annotated[bool, typer.Option("--rollback", help="Back to the device plugin, from any point.")] = False,
    verify: Annotated[bool, typer.Option("--verify", help="Prove a node that was moved earlier again: canary and safety checks.")] = False,
    status: Annotated[bool, typer.Option("--status", help="Where the node stands; without NODE, all that a run has touched.")] = False,
    clean: Annotated[bool, typer.Option("--clean", help="With --status: remove what no run holds any more.")] = False,
    list_profiles: Annotated[
        bool, typer.Option("--list-profiles", help="The profiles; with NODE, --from or --demo also what is seen of each.")
    ] = False,
    dry_run: Annotated[
        DryRun, typer.Option("--dry-run", help="client: only the plan; server: also each write as dryRun=All.")
    ] = DryRun.NONE,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    resource: Annotated[
        list[str] | None, typer.Option("--resource", metavar="NAME", help="Only these names (all that the node's plugin serves).")
    ] = None,
    drop_resource: Annotated[
        list[str] | None, typer.Option("--drop-resource", metavar="NAME", help="A name that the node may stop serving for good.")
    ] = None,
    driver: Annotated[str, typer.Option("--driver", metavar="NAME", help="The DRA driver (that of the class).")] = "",
    device_class: Annotated[str, typer.Option("--device-class", metavar="NAME", help="The class that must map the names.")] = "",
    expect_devices: Annotated[
        int | None, typer.Option("--expect-devices", metavar="N", min=0, help="So many devices afterwards (as many as before).")
    ] = None,
    drain: Annotated[
        Drain, typer.Option("--drain", help="evict all pods, only holders of devices, or wait until holders end by themselves.")
    ] = Drain.EVICT,
    daemonset_pods: Annotated[
        DaemonSetPods, typer.Option("--daemonset-pods", help="What becomes of DaemonSets' pods that hold devices.")
    ] = DaemonSetPods.IGNORE,
    ignore_daemonsets: Annotated[bool, typer.Option("--ignore-daemonsets", help="Leave other pods of DaemonSets alone.")] = True,
    delete_emptydir_data: Annotated[bool, typer.Option("--delete-emptydir-data", help="Evict pods with an emptyDir, too.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Evict pods that no controller makes again, too.")] = False,
    grace_period: Annotated[int, typer.Option("--grace-period", metavar="SECONDS", help="Time to end; negative: each pod's own.")] = -1,
    timeout: Annotated[
        str, typer.Option("--timeout", metavar="DURATION", help="Limit of the drain (1h; with --drain=wait 7d); 0 is none.")
    ] = "",
    pod_selector: Annotated[str, typer.Option("--pod-selector", metavar="LABELS", help="Drain only pods with these labels.")] = "",
    disable_eviction: Annotated[bool, typer.Option("--disable-eviction", help="Delete, past disruption budgets.")] = False,
    skip_wait_for_delete_timeout: Annotated[
        int, typer.Option("--skip-wait-for-delete-timeout", metavar="SECONDS", help="Skip pods that should have ended so long ago.")
    ] = 0,
    canary_image: Annotated[str, typer.Option("--canary-image", metavar="IMAGE", help="The canary's image (one the node has).")] = "",
    canary: Annotated[str, typer.Option("--canary", metavar="FILE", help="A manifest of your own canary.")] = "",
    canary_namespace: Annotated[str, typer.Option("--canary-namespace", metavar="NAME", help="Where it runs (one made for it).")] = "",
    no_canary: Annotated[bool, typer.Option("--no-canary", help="Do without proof.")] = False,
    accept_allocatable_zero: Annotated[
        bool, typer.Option("--accept-allocatable-zero", help="Do not wait until capacity is 0, too (five minutes).")
    ] = False,
    settle: Annotated[str, typer.Option("--settle", metavar="DURATION", help="How long new pods are watched at the end (60s).")] = "",
    step_timeout: Annotated[
        list[str] | None, typer.Option("--step-timeout", metavar="STEP=DURATION", help="Another limit for a step; may be repeated.")
    ] = None,
    only: Annotated[str, typer.Option("--only", metavar="STEP", help="Only this step.", autocompletion=_steps)] = "",
    until: Annotated[str, typer.Option("--until", metavar="STEP", help="Stop after this step.", autocompletion=_steps)] = "",
    on_failure: Annotated[
        OnFailure, typer.Option("--on-failure", help="uncordon holds only up to step empty; later it means keep.")
    ] = OnFailure.KEEP,
    force_unlock: Annotated[bool, typer.Option("--force-unlock", help="Take the lock from whoever holds it.")] = False,
    unplug_label: Annotated[
        str, typer.Option("--unplug-label", metavar="KEY=NOW/AFTERWARDS", help="Profile node-labels: takes the plugin away, and back.")
    ] = "",
    plug_label: Annotated[
        str, typer.Option("--plug-label", metavar="KEY=NOW/AFTERWARDS", help="Profile node-labels: brings the driver, and away.")
    ] = "",
    hook: Annotated[
        list[str] | None, typer.Option("--hook", metavar="STEP=PROGRAM", help="Profile commands: unplug, plug, remove and replug.")
    ] = None,
    record: Annotated[str, typer.Option("--record", metavar="FILE", help="Write the record of the run to this file (JSON).")] = "",
) -> ExitStatus:
    """Move one node from the device plugin to the DRA driver, or back, without losing anything.

    The plan is a checklist: the node is cordoned and fenced, drained, its plugin taken away; the kubelet forgets it; the driver comes, and
    a canary pod proves that devices come through DRA before users' pods return. Each step waits for what really matters, with a limit.
    The journal on the node makes a run that stopped, or was killed, go on with the same command; --rollback goes back from any point.

    --dry-run=client prints the plan with the result of every check and writes nothing; -o markdown makes a page for the runbook of it.
    -o json gives the record at the end, -o jsonl an event a line as things happen and the record last.

    Exit status: 0 done, 1 blocked by a check or a red canary, 2 usage, 3 the cluster is away or refuses, 4 a wait took too long,
    5 another run holds the node, 130 interrupted. `kubectl dra rbac migrate-node` prints the rights that a run needs.
    """
    values = dict(locals())
    from kubectl_dra.cli import move_options, moving
    from kubectl_dra.cli.repeated import repeated

    jobs = [
        name
        for name, wanted in (("--status", status), ("--list-profiles", list_profiles), ("--rollback", rollback), ("--verify", verify))
        if wanted
    ]
    if len(jobs) > 1:
        raise UsageError(f"{jobs[0]} and {jobs[1]} do not go together")
    if clean and not status:
        raise UsageError("--clean goes with --status")
    if run.output == "jsonl" and (status or list_profiles or dry_run is not DryRun.NONE):
        raise UsageError("-o jsonl is for runs: what happens, as it happens")
    if list_profiles:
        return moving.list_profiles(run, node or "")
    if status:
        return moving.status(run, node or "", clean=clean, yes=yes)
    if not node:
        raise UsageError(
            "argument NODE is required", hint="`kubectl dra inventory --by node --sort move-cost` tells which one to begin with."
        )
    if only and until:
        raise UsageError("--only and --until do not go together")
    from kubectl_dra.eviction import filters
    from kubectl_dra.migration import options as migration
    from kubectl_dra.migration.names import Direction

    options = migration.Options(
        node=node,
        direction=Direction.ROLLBACK if rollback else Direction.MOVE,
        verify=verify,
        resources=listed(resource),
        dropped=listed(drop_resource),
        driver=driver,
        device_class=device_class,
        expect_devices=expect_devices,
        drain=filters.DrainOptions(
            ignore_daemonsets=ignore_daemonsets,
            delete_emptydir_data=delete_emptydir_data,
            force=force,
            pod_selector=move_options.selector(pod_selector, "--pod-selector"),
            disable_eviction=disable_eviction,
            skip_wait_for_delete_timeout=skip_wait_for_delete_timeout,
            mode=filters.DrainMode(drain.value),
            daemonset_pods=filters.DaemonSetPods(daemonset_pods.value),
        ),
        grace_period=grace_period,
        drain_timeout=move_options.duration(timeout, "--timeout"),
        canary=migration.CanaryOptions(canary_image, move_options.canary_text(canary) if canary else "", canary_namespace, no_canary),
        accept_allocatable_zero=accept_allocatable_zero,
        step_timeouts=move_options.step_timeouts(step_timeout or ()),
        dry_run=migration.DryRun(dry_run.value),
        on_failure=migration.OnFailure(on_failure.value),
        only=_step(only, "--only"),
        until=_step(until, "--until"),
        settle=move_options.duration(settle, "--settle"),
        force_unlock=force_unlock,
        words=repeated(migrate_node, values, run, without=_OF_ONE_CALL),
    )
    moving.refuse_what_does_not_go_together(options)
    return _go(run, options, profile, (unplug_label, plug_label, hook or []), yes=yes, record=record)


def _step(text: str, option: str) -> "StepName | None":
    from kubectl_dra.cli import move_options

    return move_options.step(text, option) if text else None


def _go(run: Run, options: "Options", profile: str, filling: tuple[str, str, list[str]], *, yes: bool, record: str) -> ExitStatus:
    """The plan, or the run."""
    from kubectl_dra.cli import move_options, moving
    from kubectl_dra.migration.options import DryRun as Wanted

    if not profile:
        raise moving.no_profile(run, options.node)
    found = move_options.profile(profile, *filling)
    if options.dry_run is Wanted.CLIENT:
        return moving.plan(run, options, found)
    if run.demo or run.from_ is not None:
        raise UsageError("a run needs a cluster", hint="With --from and --demo there is only the plan: --dry-run=client.")
    if options.dry_run is Wanted.SERVER:
        return moving.plan(run, options, found)
    return moving.move(run, options, found, yes=yes, record=record)
