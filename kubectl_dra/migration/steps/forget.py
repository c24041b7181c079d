"""The kubelet forgets the plugin's pods.

Kubelets before 1.38 keep them in their checkpoint, and once the plugin's five minutes are over they fail every new DRA pod of the name
(kubernetes/kubernetes#141426). A pod that asks for the name past the scheduler makes them drop what is dead, and is rejected itself
(kubernetes pkg/kubelet/cm/devicemanager/manager.go, allocateContainerResources).
"""

from kubectl_dra.migration import canary, canary_run
from kubectl_dra.migration.amounts import capacity
from kubectl_dra.migration.marks import PROBE
from kubectl_dra.migration.move import GoBackError, Move, RefusedError
from kubectl_dra.migration.names import StepName
from kubectl_dra.migration.steps.work import Work
from kubectl_dra.migration.steps.zero import refuse_returned
from kubectl_dra.objects.pod import Pod


class Forget(Work):
    """One pod that must be rejected."""

    def check(self, move: Move) -> None:
        """Allocatable is 0, or the pod would get a device."""
        refuse_returned(move)

    def do(self, move: Move) -> None:
        """Where it will be, before it is."""
        move.write_down(*canary_run.changes(move, PROBE))

    def wait(self, move: Move) -> str:
        """The rejection."""
        canary_run.ready_namespace(move)
        late = not capacity(move.node(), move.names)
        manifest = canary.probe(move.name, move.id, canary_run.where(move), canary_run.probe_image(move), sorted(move.names))
        pod = canary_run.watched(move, canary_run.made(move, manifest), _judged, move.polling())
        canary_run.sent_away(move, pod)
        if _admitted(pod):
            raise GoBackError(
                StepName.UNPLUG, f"the kubelet admitted a pod that asks for {', '.join(sorted(move.names))}: the plugin is still there"
            )
        if late:
            move.notes.summary.append(
                "the plugin's five minutes were over when the kubelet was made to forget: verify again after its next restart"
            )
            return f"rejected ({pod.status.reason}), but after the five minutes: the fault returns with the kubelet's next restart"
        return f"rejected ({pod.status.reason}): the kubelet has dropped the plugin's pods"


def _judged(pod: Pod) -> str:
    if _admitted(pod) or pod.status.phase == "Failed":
        return ""
    return "the kubelet has neither rejected nor admitted the probe yet"


def _admitted(pod: Pod) -> bool:
    """Running, ended well, or on its way: a kubelet gives an admitted pod an IP and conditions, one that it rejects fails at once."""
    if pod.status.phase in ("Running", "Succeeded"):
        return True
    if pod.status.phase == "Failed":
        rejected = pod.status.reason or ""
        if rejected != "UnexpectedAdmissionError" and not rejected.startswith("OutOf"):
            raise RefusedError(f"the probe failed for another reason ({rejected or 'none given'}): {pod.status.message or ''}")
        return False
    return any(each.type == "PodReadyToStartContainers" and each.status == "True" for each in pod.status.conditions or ())
