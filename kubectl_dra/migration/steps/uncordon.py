"""The node is open again, and what comes to it is watched for a while."""

from kubectl_dra.eviction.polling import Polling
from kubectl_dra.migration import fence
from kubectl_dra.migration.holding import plugin_holders
from kubectl_dra.migration.move import Move, RefusedError
from kubectl_dra.migration.names import StepName, StepState
from kubectl_dra.migration.steps.work import Work
from kubectl_dra.objects.pod import Pod


class Uncordon(Work):
    """Only what this journal cordoned, and only behind a green canary of its own."""

    def check(self, move: Move) -> None:
        """The canary was green, or was left out on purpose."""
        proven = move.written.state(StepName.CANARY) is StepState.DONE
        untouched = StepName.UNPLUG not in move.written.done and move.back
        if not (proven or move.options.canary.skip or untouched):
            raise RefusedError("no canary of this move was green", hint="the node stays closed; see step canary")

    def do(self, move: Move) -> None:
        """Rules, fence and cordon, in this order: the node is open last."""
        move.write_down()
        move.watch.cordon = move.watch.fence = False
        fence.unfence_devices(move.reach, move.name)
        fence.open_(move.reach, move.name, move.uid, uncordon=not move.written.before.unschedulable)

    def wait(self, move: Move) -> str:
        """New pods get their devices the right way."""
        was = "the node stays cordoned, as it was before" if move.written.before.unschedulable else "the node is open"
        seconds = move.options.settle if move.options.settle is not None else move.timing.uncordoned
        if move.written.before.unschedulable or seconds <= 0:
            return was
        began, seen = move.clock.monotonic(), set[str | None]()

        def look() -> str:
            for pod in move.pods():
                _judge(move, pod)
                if _asks(move, pod):
                    seen.add(pod.metadata.uid)
            rest = seconds - (move.clock.monotonic() - began)
            return f"watching new pods for {rest:.0f} s more; {len(seen)} came" if rest > 0 else ""

        # its own time, whatever the step's limit: the node is open already
        Polling(move.clock, move.timing.poll, seconds + move.timing.poll, move.tell, move.guard).until(look)
        served = "the plugin" if move.back else "DRA"
        return f"{was}; {len(seen)} pod{'s' if len(seen) != 1 else ''} with devices from {served} here"


def _asks(move: Move, pod: Pod) -> bool:
    if pod.finished:
        return False
    if move.back:
        return bool(plugin_holders([pod], move.names))
    status = pod.status.extended_resource_claim_status
    mapped = {each.resource_name for each in (status.request_mappings or ()) if status} if status is not None else set[str]()
    return bool(move.names & mapped)


def _judge(move: Move, pod: Pod) -> None:
    """Raise RefusedError for a pod that has a device from the wrong side."""
    if not move.back and plugin_holders([pod], move.names):
        raise RefusedError(
            f"{pod.metadata.namespace}/{pod.metadata.name} runs here with a device of the plugin, though the node was moved",
            hint="a pod with spec.nodeName goes past the scheduler; the plugin may also be back: --verify tells",
        )
