"""The proof, before users' pods return: an unchanged pod runs with a device from where it should come from."""

from kubectl_dra.errors import DraError, TimedOutError
from kubectl_dra.explanation.pod import READ, explain
from kubectl_dra.migration import canary, canary_run, fence
from kubectl_dra.migration.marks import CANARY
from kubectl_dra.migration.move import Move, RefusedError
from kubectl_dra.migration.steps.work import Work
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.resource import ResourceClaim
from kubectl_dra.reading import Wanted, read_live
from kubectl_dra.remedies.lost_mapping import LOST_MAPPING, update_survivor


class Canary(Work):
    """Red ones are explained, and stop the move before the uncordon."""

    def do(self, move: Move) -> None:
        """The rules on the driver's devices go on the way there, for the canary needs one; on the way back they stay until it was green."""
        if not move.options.verify:
            move.write_down(*canary_run.changes(move, CANARY))
        if not move.back:
            names = fence.unfence_devices(move.reach, move.name)
            move.journal.unchanged(*(f"rule {name}" for name in names))

    def wait(self, move: Move) -> str:
        """It runs or has completed, with a device from the right place; then it goes."""
        canary_run.ready_namespace(move)
        pod = canary_run.made(move, _manifest(move))
        try:
            pod = canary_run.watched(move, pod, _judged, move.polling())
        except TimedOutError as error:
            raise TimedOutError(f"the canary is red: {explained(move, pod) or error.message}", hint=_cure(move, pod)) from None
        if pod.status.phase == "Failed":
            raise RefusedError(f"the canary is red: {pod.status.reason or 'failed'}: {pod.status.message or ''}", hint=_look(pod))
        proof = _proof(move, pod)
        canary_run.taken_away(move, pod.metadata.name)
        return proof


def _manifest(move: Move) -> canary.Manifest:
    taints = [canary.taint_of(text) for text in move.written.before.taints]
    if move.options.canary.manifest:
        return canary.own_canary(move.options.canary.manifest, move.name, move.id, canary_run.where(move), taints)
    resources = sorted(each.name for each in move.target.moving) if not move.back else sorted(move.names)
    return canary.canary(move.name, move.id, canary_run.where(move), canary_run.image(move), resources, taints)


def _judged(pod: Pod) -> str:
    if pod.status.phase in ("Running", "Succeeded", "Failed"):
        return ""
    scheduled = pod.condition("PodScheduled")
    words = (scheduled.message if scheduled is not None and scheduled.status != "True" else "") or ""
    where = "bound, and does not run yet" if pod.node_name else "not scheduled yet"
    return f"the canary is {where}" + (f" ({words})" if words else "")


def explained(move: Move, pod: Pod) -> str:
    """Why it does not run: the verdict of `explain pod`, and the last words of the scheduler or kubelet; empty if that cannot be read."""
    try:
        return _explained(move, pod)
    except DraError:
        return ""


def _explained(move: Move, pod: Pod) -> str:
    now = move.reach.pod(pod.metadata.namespace or "", pod.metadata.name) or pod
    wanted = Wanted(kinds=frozenset(READ))
    snapshot = read_live(move.reach.transport, move.reach.discovery, wanted, move.environment)
    told = explain(snapshot, now, node=move.name)
    reasons = [each.message for each in told.reasons]
    words = [event.message for event in move.reach.events_of(now) if event.message and event.type == "Warning"]
    return "; ".join(dict.fromkeys((*reasons[:3], *words[-1:])))


def _proof(move: Move, pod: Pod) -> str:
    """Where its devices come from, in words. Raises RefusedError where that is the wrong place."""
    status = pod.status.extended_resource_claim_status
    if move.back:
        if status is not None:
            raise RefusedError("the canary is red: it runs with a claim, not through the plugin", hint=_look(pod))
        return "an unchanged pod runs with devices from the plugin"
    if status is None or not status.resource_claim_name:
        raise RefusedError("the canary is red: it runs without a claim: the plugin, or nobody, gave it its device", hint=_look(pod))
    unmapped = {each.name for each in move.target.moving} - {each.resource_name for each in status.request_mappings or ()}
    if unmapped and not move.options.canary.manifest:
        raise RefusedError(f"the canary is red: its claim does not serve {', '.join(sorted(unmapped))}", hint=_look(pod))
    path = f"{move.reach.path('resource.k8s.io', 'ResourceClaim', pod.metadata.namespace or '')}/{status.resource_claim_name}"
    claim = move.reach.one(path, ResourceClaim)
    allocation = claim.status.allocation if claim is not None else None
    if allocation is None:
        raise RefusedError(f"the canary is red: its claim {status.resource_claim_name} is not allocated", hint=_look(pod))
    pools = {(each.spec.driver, each.spec.pool.name) for each in move.reach.slices_on(move.name)}
    devices = [(each.driver, each.pool, each.device) for each in allocation.devices.results or ()]
    foreign = [each for each in devices if each[0] not in move.target.drivers or each[:2] not in pools]
    if foreign or not devices:
        told = ", ".join("/".join(each) for each in foreign) or "nothing"
        raise RefusedError(f"the canary is red: it got {told}, which is none of this node's driver", hint=_look(pod))
    return f"an unchanged pod runs with {', '.join('/'.join(each) for each in devices)} through a claim"


def _cure(move: Move, pod: Pod) -> str:
    """A name that a class maps and the scheduler calls insufficient may be lost to it: an update of the class cures that."""
    now = move.reach.pod(pod.metadata.namespace or "", pod.metadata.name) or pod
    words = next((each.message or "" for each in now.status.conditions or () if each.type == "PodScheduled"), "")
    if move.back or not LOST_MAPPING.affects(move.snapshot.cluster.version) or not any(f"Insufficient {n}" in words for n in move.names):
        return _look(pod)
    lines = [update_survivor(each.device_class)[-1] for each in move.target.moving if each.device_class]
    return f"the scheduler may have lost the class of the name, which an update of the class cures: {'; '.join(lines)}; {_look(pod)}"


def _look(pod: Pod) -> str:
    name = f"-n {pod.metadata.namespace} {pod.metadata.name}"
    return f"kubectl dra explain pod {name} tells more; the node stays closed; --rollback goes back to the plugin"
