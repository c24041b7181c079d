"""The DRA driver comes to the node."""

from kubectl_dra.migration import fence
from kubectl_dra.migration.actions import hold_labels, labels_of, perform
from kubectl_dra.migration.move import Move
from kubectl_dra.migration.steps import operands
from kubectl_dra.migration.steps.work import Work
from kubectl_dra.migration.steps.zero import refuse_returned


class Plug(Work):
    """The fence's taint goes, because the driver's DaemonSet does not tolerate it; the cordon stays."""

    def holds(self, move: Move) -> str:
        """The labels stand, and have to stay."""
        return hold_labels(move, move.profile.plug.do)

    def check(self, move: Move) -> None:
        """The plugin has not come back: both on one node give devices twice."""
        refuse_returned(move)

    def do(self, move: Move) -> None:
        """Fence, then the action. What is published now is noted: slices that stay the same are a dead driver's."""
        move.notes.slices = seen_slices(move)
        move.write_down(*(f"label {key}" for key in labels_of(move.profile.plug.do)))
        move.watch.fence = False
        fence.lift(move.reach, move.name, move.uid)
        perform(move, move.profile.plug.do)
        move.watch.labels.update(labels_of(move.profile.plug.do))

    def wait(self, move: Move) -> str:
        """Its pod is Ready here."""

        def look() -> str:
            refuse_returned(move)
            return operands.not_ready(move, move.profile.driver, "the driver") or operands.waits(move, move.profile.plug)

        move.until(look, hint="see why the driver's pod does not start here (kubectl describe daemonset, kubectl describe pod)")
        return "the driver's pod is Ready" if move.profile.driver.pods else "the driver was told to come"

    def undo(self, move: Move) -> None:
        """The driver leaves."""
        for key in labels_of(move.profile.plug.do):
            move.watch.labels.pop(key, None)
        perform(move, move.profile.plug.undo)


def seen_slices(move: Move) -> frozenset[tuple[str | None, str | None]]:
    """The node's slices of the drivers, each as (uid, resource version)."""
    return frozenset(
        (each.metadata.uid, each.metadata.resource_version)
        for each in move.reach.slices_on(move.name)
        if each.spec.driver in move.target.drivers
    )
