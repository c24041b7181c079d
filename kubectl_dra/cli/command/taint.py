"""`kubectl dra taint`: the command that makes a rule, and the group of those for rules that exist."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

import typer

from kubectl_dra.cli.commands import Entry
from kubectl_dra.cli.dialect import command
from kubectl_dra.cli.options import OUTPUT, SOURCE, Run
from kubectl_dra.cli.taint_group import TaintGroup
from kubectl_dra.exit_status import ExitStatus

TIMEOUT = "10m"


class DryRun(StrEnum):
    """kubectl's three."""

    NONE = "none"
    CLIENT = "client"
    SERVER = "server"


def _taints(incomplete: str) -> list[str]:
    """Effects, once there is a key."""
    key, colon, _ = incomplete.partition(":")
    return [f"{key}:{effect}" for effect in ("None", "NoSchedule", "NoExecute")] if colon else []


@command(
    SOURCE,
    OUTPUT,
    formats=("manifest",),
    examples="""
    # What would become of the pods on a node's devices; nothing is written
    kubectl dra taint example.com/maintenance=drain:NoExecute --node gpu-01 --dry-run=client

    # The same, and the cluster's own answer beside it, by a rule without effect that is there for a moment
    kubectl dra taint example.com/maintenance=drain:NoExecute --node gpu-01 --probe

    # Keep new pods off one device, and let its pods go as their disruption budgets allow
    kubectl dra taint example.com/maintenance:NoSchedule --driver gpu.example.com --pool gpu-01 --device gpu-3 --evict

    # The rule itself, for git or for kubectl
    kubectl dra taint example.com/maintenance:NoSchedule --driver gpu.example.com --pool gpu-01 --dry-run=client -o manifest
    """,
)
def make(
    run: Run,
    taint: Annotated[
        str | None,
        typer.Argument(metavar="[KEY[=VALUE]:EFFECT]", help="The taint; EFFECT is None, NoSchedule or NoExecute.", autocompletion=_taints),
    ] = None,
    driver: Annotated[str | None, typer.Option("--driver", metavar="NAME", help="Devices of this driver.")] = None,
    pool: Annotated[str | None, typer.Option("--pool", metavar="NAME", help="Devices of pools of this name.")] = None,
    device: Annotated[str | None, typer.Option("--device", metavar="NAME", help="Devices of this name.")] = None,
    node: Annotated[str | None, typer.Option("--node", metavar="NAME", help="Devices of this node: a rule for each of its pools.")] = None,
    device_class: Annotated[
        str | None, typer.Option("--class", metavar="NAME", help="List the drivers and pools behind a class; rules do not select by class.")
    ] = None,
    all_devices: Annotated[bool, typer.Option("--all-devices", help="Every device of every driver in the cluster.")] = False,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="The rule's name; made of taint and devices otherwise.")
    ] = None,
    time_added: Annotated[
        str | None, typer.Option("--time-added", metavar="TIME", help="When the taint takes effect, if not now: 2026-12-01T15:04:05Z.")
    ] = None,
    filename: Annotated[
        str | None, typer.Option("-f", "--filename", metavar="FILE", help="Rules of a file, or of standard input for -.")
    ] = None,
    dry_run: Annotated[
        DryRun,
        typer.Option("--dry-run", help="client: only the preview. server: the server checks the rule, and keeps nothing."),
    ] = DryRun.NONE,
    probe: Annotated[
        bool, typer.Option("--probe", help="Only ask: also the cluster, by a rule with the effect None that is deleted again.")
    ] = False,
    wait: Annotated[bool, typer.Option("--wait", help="With NoExecute or --evict, wait until the pods are gone.")] = True,
    timeout: Annotated[str, typer.Option("--timeout", metavar="DURATION", help="Limit of the wait (exit 4); 0 is none.")] = TIMEOUT,
    fail_on_eviction: Annotated[
        bool, typer.Option("--fail-on-eviction", help="Exit 1, and write nothing, if any pod would be evicted.")
    ] = False,
    evict: Annotated[
        bool, typer.Option("--evict", help="With NoSchedule: evict the pods of the preview as disruption budgets allow.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> ExitStatus:
    """What a DeviceTaintRule would do, and then the rule.

    First the preview, from one reading of the cluster: the numbers that the eviction controller would tell, the pods that NoExecute
    evicts by name, when each goes and whether there are devices for it elsewhere, who stays and why, and what else to mind. Then, after
    a question, the rule is made; with NoExecute the command waits until the pods are gone. NoExecute deletes all pods at once, whatever
    disruption budgets say: NoSchedule with --evict asks the budgets.

    With --dry-run (which alone means client), --from or --demo nothing is written. Without a terminal a write needs --yes.
    """
    from kubectl_dra.cli.durations import seconds
    from kubectl_dra.cli.taints.asked import Asked
    from kubectl_dra.cli.taints.making import DryRun as Chosen
    from kubectl_dra.cli.taints.making import How
    from kubectl_dra.cli.taints.making import taint as made

    asked = Asked(taint, driver, pool, device, node, device_class, all_devices, name, time_added, filename)
    limit = seconds(timeout, "--timeout") or None
    return made(run, asked, How(Chosen(dry_run.value), probe, wait, limit, fail_on_eviction, evict, yes))


_ROOM = "kubectl_dra.cli.command.taint_rules"

COMMANDS: Mapping[str, Entry] = {
    "list": Entry(_ROOM, "list_", "The rules of the cluster, what each selects now, and what the eviction controller says"),
    "show": Entry(_ROOM, "show", "What a rule does as it stands"),
    "promote": Entry(_ROOM, "promote", "Give a rule a stronger effect, after a fresh preview"),
    "demote": Entry(_ROOM, "demote", "Give a rule a weaker effect"),
    "wait": Entry(_ROOM, "wait", "Wait until every pod that a rule evicts is gone"),
    "delete": Entry(_ROOM, "delete", "Delete rules; tells what becomes usable again"),
}

taint = TaintGroup(COMMANDS, make)
