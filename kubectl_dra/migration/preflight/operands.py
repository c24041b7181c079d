"""The plugin's and the driver's own pods: whether what the profile does takes effect, here and nowhere else."""

from collections.abc import Iterator

from kubectl_dra.allocation.node_fit import NodeMisfit
from kubectl_dra.audit.words import listed
from kubectl_dra.inventory.servers import amount
from kubectl_dra.migration.journal import Journal
from kubectl_dra.migration.names import Direction
from kubectl_dra.migration.preflight.registry import MOVE, Verdict, blocker, check, fine, unknown, warning
from kubectl_dra.migration.profile import Change, RemoveLabel, Run, SetLabel
from kubectl_dra.migration.subject import Subject, against_daemon_pod
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.workload import Workload


@check("plugin-found", ok="the profile's plugin runs here", needs=("pods", "nodes"), blocks=True, directions=MOVE)
def plugin_found(subject: Subject) -> Iterator[Verdict]:
    """A profile of another installer would wait for the wrong pods."""
    target = subject.target
    if target.plugin_pods:
        yield fine(
            f"{listed(f'{pod.metadata.namespace}/{pod.metadata.name}' for pod in target.plugin_pods)} serves {listed(sorted(target.names))}"
        )
    elif target.profile.plugin.outside or not target.profile.plugin.pods:
        yield warning("no pod is known to be the plugin: that it is gone shows only by allocatable 0")
    elif not subject.unplugged and not _moved(subject):
        yield blocker(
            f"no pod on the node has the marks of profile {target.profile.name}'s plugin: is it the right profile? (--list-profiles)"
        )


def _moved(subject: Subject) -> bool:
    journal = subject.target.journal
    return isinstance(journal, Journal) and journal.finished and journal.direction is Direction.MOVE


@check("plugin-change", ok="the change moves the plugin's DaemonSet", needs=("nodes", "daemon_sets"))
def plugin_change(subject: Subject) -> Iterator[Verdict]:
    """Whether the plugin leaves (comes back) by the profile's labels."""
    change = subject.target.profile.unplug
    yield from _takes_effect(
        subject, subject.daemon_sets_of(subject.target.profile.plugin), change, subject.labels_after_plugin, leaves=not subject.back
    )


@check("driver-change", ok="the change moves the driver's DaemonSet", needs=("nodes", "daemon_sets"))
def driver_change(subject: Subject) -> Iterator[Verdict]:
    """Whether the driver comes (leaves) by the profile's labels."""
    change = subject.target.profile.plug
    yield from _takes_effect(
        subject, subject.daemon_sets_of(subject.target.profile.driver), change, subject.labels_after_driver, leaves=subject.back
    )


def _takes_effect(subject: Subject, daemon_sets: tuple[Workload, ...], change: Change, after: Node, *, leaves: bool) -> Iterator[Verdict]:
    """Judged by the DaemonSets' own selectors; what a program or a person does cannot be foreseen."""
    actions = change.undo if subject.back else change.do
    if not actions or any(not isinstance(action, SetLabel | RemoveLabel) for action in actions):
        who = "a program" if any(isinstance(action, Run) for action in actions) else "a person"
        yield fine(f"{who} does it: what comes of it is seen only when it is done")
        return
    if not daemon_sets:
        yield unknown("no DaemonSet has the marks: whether the label has an effect is seen only when it is set")
        return
    against = {each.metadata.name: against_daemon_pod(each, after) for each in daemon_sets}
    staying = sorted(name for name, misfits in against.items() if not misfits)
    if leaves and staying:
        yield blocker(f"DaemonSet {listed(staying)} runs here with the changed label too: give it a nodeSelector that the label decides")
    elif not leaves and not staying:
        reasons = listed(f"{name}: {_reasons(misfits)}" for name, misfits in sorted(against.items()))
        yield blocker(f"no pod would come with the changed label ({reasons})")


def _reasons(misfits: tuple[NodeMisfit, ...]) -> str:
    return ", ".join(f"{each.misfit}{f' {each.what}' if each.what else ''}" for each in misfits)


@check(
    "driver-only-here", ok="the driver starts on no node that is not moved", needs=("nodes", "daemon_sets"), blocks=True, directions=MOVE
)
def driver_only_here(subject: Subject) -> Iterator[Verdict]:
    """Plugin and driver on one node give the same device twice."""
    target = subject.target
    daemon_sets = subject.daemon_sets_of(target.profile.driver)
    names = sorted(each.name for each in target.moving)
    others = [
        node
        for node in subject.snapshot.nodes
        if node.metadata.name != target.name and any(amount(node.status.allocatable, name) for name in names)
    ]
    for each in daemon_sets:
        hit = sorted(node.metadata.name for node in others if not against_daemon_pod(each, node))
        running = [name for name in hit if name in _published_on(subject)]
        name = f"DaemonSet {each.metadata.namespace}/{each.metadata.name}"
        if running:
            yield warning(
                f"{name} runs on {listed(running)} already, where the plugin serves {listed(names)}: devices are given twice there"
            )
        if len(hit) > len(running):
            starts = listed(one for one in hit if one not in running)
            yield blocker(
                f"{name} starts on {starts} too, where the plugin still serves {listed(names)}: the same device would be given"
                " twice there; give it a nodeSelector that only moved nodes have"
            )
    if not daemon_sets and others:
        served = listed(sorted(node.metadata.name for node in others))
        yield unknown(f"no DaemonSet has the marks of the driver: that it starts only here, and not on {served}, cannot be seen")


def _published_on(subject: Subject) -> frozenset[str]:
    """The nodes for which a driver of the move publishes already."""
    drivers = subject.target.drivers
    return frozenset(
        each.spec.node_name for each in subject.snapshot.resource_slices if each.spec.node_name and each.spec.driver in drivers
    )


@check("both-sides", ok="only one side publishes devices here", needs=("resource_slices",))
def both_sides(subject: Subject) -> Iterator[Verdict]:
    """Where plugin and driver both run already, devices may have been given twice before this run."""
    target = subject.target
    if subject.back or not target.pools:
        return
    if any(amount(subject.node.status.allocatable, each.name) for each in target.moving):
        pools = listed(f"{driver}/{pool}" for driver, pool in target.pools)
        yield warning(
            f"the driver publishes here already ({pools}) beside the plugin: rules keep new pods off its devices until the canary"
        )


@check("rules", ok="the cluster serves DeviceTaintRules, the fence of the driver's side")
def rules(subject: Subject) -> Iterator[Verdict]:
    """Without them new claims can be allocated here until the last look."""
    reading = subject.snapshot.device_taint_rules
    wanted = subject.back or bool(subject.target.pools)
    if not wanted:
        yield fine("no driver publishes here: the cordon is fence enough on its side")
    elif not reading.known:
        why = reading.reason or reading.state
        yield warning(f"DeviceTaintRules cannot be used ({why}): new claims are kept off by the cordon alone, and looked for again")
