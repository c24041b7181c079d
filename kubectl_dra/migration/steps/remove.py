"""Way back: the DRA driver leaves the node, and its slices go."""

from kubectl_dra.migration.actions import hold_labels, labels_of
from kubectl_dra.migration.move import GoBackError, Move
from kubectl_dra.migration.names import StepName
from kubectl_dra.migration.steps import operands
from kubectl_dra.migration.steps.claims import held
from kubectl_dra.migration.steps.plug import Plug
from kubectl_dra.migration.steps.work import Work
from kubectl_dra.migration.target import slices_of


class Remove(Work):
    """By the undo of the profile's `plug`."""

    def holds(self, move: Move) -> str:
        """The labels stand, and have to stay."""
        return hold_labels(move, move.profile.plug.undo)

    def check(self, move: Move) -> None:
        """Nothing is held, in the very moment before."""
        still = held(move)
        if still:
            raise GoBackError(StepName.DRAIN, f"{still}; drained once more")

    def do(self, move: Move) -> None:
        """The action."""
        labels = labels_of(move.profile.plug.undo)
        move.write_down(*(f"label {key}" for key in labels))
        Plug().undo(move)
        move.watch.labels.update(labels)

    def wait(self, move: Move) -> str:
        """Its pod is gone."""
        move.until(
            lambda: operands.still_there(move, move.profile.driver, "the driver"),
            hint="see why the driver's DaemonSet still wants a pod here (kubectl describe daemonset); then run the same command again",
        )
        return "the driver's pod is gone" if move.profile.driver.pods else "the driver was told to leave"


class Gone(Work):
    """The kubelet deletes the slices of a driver that left, after 30 s (kubernetes pkg/kubelet/cm/dra, plugin registration)."""

    def wait(self, move: Move) -> str:
        """Until none is published for this node."""

        def look() -> str:
            found = slices_of(move.reach.slices_on(move.name), move.name, move.target.drivers)
            return f"{len(found)} of the slices of {', '.join(move.target.drivers)} still published" if found else ""

        move.until(look, hint="a kubelet deletes a driver's slices 30 s after it left; see whether its pod or socket is still there")
        return "the driver's slices are gone"
