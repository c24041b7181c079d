"""Nothing new comes to the node: cordon, taint, and rules on the driver's devices."""

from kubectl_dra.errors import DraError
from kubectl_dra.migration import fence
from kubectl_dra.migration.journal import Journal
from kubectl_dra.migration.move import Move, RefusedError
from kubectl_dra.migration.names import StepName, StepState
from kubectl_dra.migration.steps.work import Work

OPENED = (StepName.PLUG, StepName.REPLUG)
"""Steps that lift the taint: the driver's (or plugin's) own DaemonSet could not start behind it."""


class Cordon(Work):
    """A refusal stops here: kubectl's own drain goes on and says "drained" (kubernetes/kubectl#1568)."""

    def holds(self, move: Move) -> str:
        """Cordoned, and fenced until the fence is lifted; after the uncordon nothing is asked."""
        if begun(move.written, StepName.UNCORDON):
            return ""
        node = move.watch.look()
        if not node.cordoned:
            return "the node was uncordoned meanwhile"
        fenced = not any(begun(move.written, step) for step in OPENED)
        if fenced and not fence.is_fenced(node, move.id):
            return "the fence was taken off meanwhile"
        move.watch.cordon, move.watch.fence = True, fenced
        return ""

    def do(self, move: Move) -> None:
        """Journal, then one write for cordon and taint, then the rules."""
        rules = self._rules(move)
        cordons = [] if move.written.before.unschedulable else ["cordon"]
        move.write_down(*cordons, "fence", *(f"rule {name}" for name in rules))
        node = fence.close(move.reach, move.name, move.uid, move.id)
        if not node.cordoned or not fence.is_fenced(node, move.id):
            raise RefusedError(
                f"node {move.name} was written, but is {'not fenced' if node.cordoned else 'schedulable'} when read back",
                hint="an admission webhook changes it, or somebody else does",
            )
        move.watch.cordon = move.watch.fence = True
        if rules and not move.reach.serves_rules:
            move.say("the API server has no DeviceTaintRules: the driver's devices are not fenced, but looked at again before the end")
        elif rules:
            fence.fence_devices(move.reach, move.name, move.id, rules)

    def wait(self, move: Move) -> str:
        """It was read back; what is left to tell is what is fenced."""
        rules = fence.fencing_rules(move.reach, move.name)
        was = ", as it was before" if move.written.before.unschedulable else ""
        return f"cordoned{was}, fenced" + (f", {len(rules)} pool{'s' if len(rules) > 1 else ''} of the driver too" if rules else "")

    def undo(self, move: Move) -> None:
        """As the node was before: the fence goes, the cordon only if it is ours."""
        move.watch.cordon = move.watch.fence = False
        fence.unfence_devices(move.reach, move.name)
        fence.open_(move.reach, move.name, move.uid, uncordon=not move.written.before.unschedulable)
        move.journal.unchanged("cordon", "fence", *(each for each in move.written.changed if each.startswith("rule ")))

    def _rules(self, move: Move) -> dict[str, tuple[str, str]]:
        """A rule for each pool that the driver publishes here now."""
        return dict(fence.rule_names(move.name, move.reach.slices_on(move.name), move.target.drivers))


def begun(journal: Journal, step: StepName) -> bool:
    """Whether the journal has the step begun or done."""
    return journal.state(step) is not StepState.PENDING


def open_again(move: Move) -> str:
    """Undo the cordon where the node is still what it was before; what happened, in words. Never raises: it is a failed run's last act."""
    try:
        Cordon().undo(move)
    except DraError as error:
        return f"the node could not be opened again: {error.message}"
    return "the node is open again" if not move.written.before.unschedulable else "the fence is gone; the node stays cordoned, as it was"
