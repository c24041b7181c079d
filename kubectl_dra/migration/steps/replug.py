"""Way back: the device plugin comes to the node again, with as many devices as there were."""

from kubectl_dra.inventory.servers import amount
from kubectl_dra.migration import fence
from kubectl_dra.migration.actions import hold_labels, labels_of
from kubectl_dra.migration.move import GoBackError, Move
from kubectl_dra.migration.names import StepName
from kubectl_dra.migration.steps import operands
from kubectl_dra.migration.steps.claims import held
from kubectl_dra.migration.steps.unplug import Unplug
from kubectl_dra.migration.steps.work import Work


class Replug(Work):
    """By the undo of the profile's `unplug`. The fence's taint goes; the cordon and the rules stay."""

    def holds(self, move: Move) -> str:
        """The labels stand, and have to stay."""
        return hold_labels(move, move.profile.unplug.undo)

    def check(self, move: Move) -> None:
        """Nothing is held through a claim."""
        still = held(move)
        if still:
            raise GoBackError(StepName.CLAIMS, still)

    def do(self, move: Move) -> None:
        """Fence, then the action."""
        labels = labels_of(move.profile.unplug.undo)
        move.write_down(*(f"label {key}" for key in labels))
        move.watch.fence = False
        fence.lift(move.reach, move.name, move.uid)
        Unplug().undo(move)
        move.watch.labels.update(labels)

    def wait(self, move: Move) -> str:
        """Its pod is Ready here."""
        move.until(
            lambda: operands.not_ready(move, move.profile.plugin, "the plugin"),
            hint="see why the plugin's pod does not start here (kubectl describe daemonset, kubectl describe pod)",
        )
        return "the plugin's pod is Ready" if move.profile.plugin.pods else "the plugin was told to come"


class Capacity(Work):
    """As recorded before the move. Only looks."""

    def wait(self, move: Move) -> str:
        """Until each name is offered again, twice."""
        since: float | None = None

        def look() -> str:
            nonlocal since
            lacking = self._lacking(move)
            now = move.clock.monotonic()
            if lacking:
                since = None
                return lacking
            since = now if since is None else since
            rest = move.timing.steady_zero - (now - since)
            return f"all devices are offered; that has to stay so for {rest:.0f} s more" if rest > 0 else ""

        move.until(look, hint="see the plugin's log: it may find fewer devices, or unhealthy ones")
        return ", ".join(f"{each.devices} of {each.name} are offered" for each in move.target.resources)

    def _lacking(self, move: Move) -> str:
        node = move.node()
        missing = []
        for each in move.target.resources:
            there, offered = amount(node.status.capacity, each.name), amount(node.status.allocatable, each.name)
            if there < each.devices or offered < each.devices:
                missing.append(f"capacity {there} and allocatable {offered} of {each.name}, {each.devices} are to come")
        return ", ".join(missing)
