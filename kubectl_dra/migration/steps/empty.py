"""No pod holds a device of the plugin: what it holds is invisible to DRA, and would be given twice."""

from kubectl_dra.migration.holding import plugin_holders
from kubectl_dra.migration.move import GoBackError, Move
from kubectl_dra.migration.names import StepName
from kubectl_dra.migration.steps.drain import leaving
from kubectl_dra.migration.steps.work import Work
from kubectl_dra.objects.pod import Pod


class Empty(Work):
    """Only looks."""

    def wait(self, move: Move) -> str:
        """Until the last holder is gone. Raises GoBackError to the drain for pods that came past the fence behind it."""
        move.until(lambda: _left(move), hint="these pods were not drained (the plan tells why); end them, then run the same command again")
        return f"nobody here has {', '.join(sorted(move.names))} through the plugin"


def _left(move: Move) -> str:
    still = holders(move)
    if still and {pod.metadata.uid for pod in still} & {fate.pod.metadata.uid for fate in leaving(move)}:
        raise GoBackError(StepName.DRAIN, f"{_told(still)}; drained once more")
    return _told(still)


def holders(move: Move) -> tuple[Pod, ...]:
    """The pods of the node that have a device from its plugin; ended ones have given theirs back."""
    return plugin_holders(move.pods(), move.names)


def back_if_held(move: Move) -> None:
    """Raise GoBackError to the drain when a pod holds a device."""
    told = _told(holders(move))
    if told:
        raise GoBackError(StepName.DRAIN, f"{told}; drained once more")


def _told(pods: tuple[Pod, ...]) -> str:
    if not pods:
        return ""
    names = ", ".join(f"{pod.metadata.namespace}/{pod.metadata.name}" for pod in pods)
    return f"{names} {'hold' if len(pods) > 1 else 'holds'} a device of the plugin"
