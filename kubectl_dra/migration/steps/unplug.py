"""The device plugin leaves the node."""

from kubectl_dra.migration.actions import hold_labels, labels_of, perform
from kubectl_dra.migration.move import Move
from kubectl_dra.migration.steps import operands
from kubectl_dra.migration.steps.empty import back_if_held
from kubectl_dra.migration.steps.work import Work


class Unplug(Work):
    """By the profile's action."""

    def holds(self, move: Move) -> str:
        """The labels stand, and have to stay."""
        return hold_labels(move, move.profile.unplug.do)

    def check(self, move: Move) -> None:
        """Nobody holds a device: unplugging would take it from nobody, but DRA would give it again."""
        back_if_held(move)

    def do(self, move: Move) -> None:
        """The action."""
        move.write_down(*(f"label {key}" for key in labels_of(move.profile.unplug.do)))
        perform(move, move.profile.unplug.do)
        move.watch.labels.update(labels_of(move.profile.unplug.do))

    def wait(self, move: Move) -> str:
        """Its pod is gone, and what else the profile waits for has come."""
        move.until(
            lambda: operands.still_there(move, move.profile.plugin, "the plugin") or operands.waits(move, move.profile.unplug),
            hint="see why the plugin's DaemonSet still wants a pod here (kubectl describe daemonset); then run the same command again",
        )
        return "the plugin's pod is gone" if move.profile.plugin.pods else "the plugin was told to leave"

    def undo(self, move: Move) -> None:
        """The plugin comes back."""
        for key in labels_of(move.profile.unplug.do):
            move.watch.labels.pop(key, None)
        perform(move, move.profile.unplug.undo)
