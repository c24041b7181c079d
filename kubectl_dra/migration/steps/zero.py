"""Allocatable is 0 and stays 0: from here on the scheduler takes DRA, and no pod can get a device of the plugin any more."""

from datetime import datetime

from kubectl_dra.migration.amounts import allocatable, in_words
from kubectl_dra.migration.move import GoBackError, Move
from kubectl_dra.migration.names import StepName
from kubectl_dra.migration.steps import operands
from kubectl_dra.migration.steps.empty import back_if_held
from kubectl_dra.migration.steps.work import Work
from kubectl_dra.objects.meta import timestamp


class Zero(Work):
    """Two readings, and then once more nobody with a device: one may have come in until now, and none can any more."""

    def holds(self, move: Move) -> str:
        """Nothing is offered."""
        return not_zero(move)

    def do(self, move: Move) -> None:
        """Written down, because the five minutes are counted from here."""
        if not move.options.verify:
            move.write_down()

    def wait(self, move: Move) -> str:
        """The two readings. Raises GoBackError to the drain when a pod got a device in between."""
        since: float | None = None

        def look() -> str:
            nonlocal since
            still = not_zero(move) or operands.still_there(move, move.profile.plugin, "the plugin")
            now = move.clock.monotonic()
            if still:
                since = None
                return still
            since = now if since is None else since
            rest = move.timing.steady_zero - (now - since)
            return f"allocatable is 0; it has to stay so for {rest:.0f} s more" if rest > 0 else ""

        move.until(
            look, hint="see whether the plugin really left (its pod, its socket); a resource that nobody serves may be patched by hand"
        )
        back_if_held(move)
        return f"allocatable of {', '.join(sorted(move.names))} is 0, and nobody holds a device"


def not_zero(move: Move) -> str:
    """What is still offered; empty for nothing."""
    return in_words("allocatable", allocatable(move.node(), move.names))


def refuse_returned(move: Move) -> None:
    """Raise GoBackError when the plugin offers devices again."""
    still = not_zero(move)
    if still:
        raise GoBackError(StepName.UNPLUG, f"the plugin is back: {still}")


def zero_since(move: Move) -> datetime | None:
    """When the plugin had left, as far as the journal knows: a little too late rather than too early."""
    return next((timestamp(mark.at) for mark in move.written.steps if mark.step is StepName.ZERO), None)
