"""Running the canary and the probe: where they live, making them so that a killed run's leftovers do not matter, and taking them away."""

from collections.abc import Callable
from http import HTTPStatus

from kubectl_dra.errors import ApiError
from kubectl_dra.eviction.polling import Polling
from kubectl_dra.migration import canary
from kubectl_dra.migration.marks import NODE_LABEL, is_ours, node_hash, pod_name
from kubectl_dra.migration.move import Move, RefusedError
from kubectl_dra.migration.reach import Reach, pod_path
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.policy import Namespace

NAMESPACES = "/api/v1/namespaces"
NEVER_PULLED = "registry.k8s.io/pause:3.10"


def where(move: Move) -> str:
    """The namespace: the user's, or one that is made."""
    return move.options.canary.namespace or canary.namespace_name(move.name)


def image(move: Move) -> str:
    """The image: the user's, or one that the node has. Raises RefusedError where there is none."""
    found = move.options.canary.image or canary.image_on(move.reach.images(move.name))
    if not found:
        raise RefusedError(f"node {move.name} tells of no image that the canary could have", hint="name one with --canary-image")
    return found


def probe_image(move: Move) -> str:
    """The probe's: never pulled, for the kubelet rejects the pod before it looks at its image."""
    return move.options.canary.image or canary.image_on(move.reach.images(move.name)) or NEVER_PULLED


def changes(move: Move, what: str) -> tuple[str, ...]:
    """What the journal has to say before: the namespace, if it is ours, and the pod."""
    namespace = where(move)
    own = () if move.options.canary.namespace else (f"namespace {namespace}",)
    return (*own, f"pod {namespace}/{pod_name(what, move.name)}")


def ready_namespace(move: Move) -> None:
    """See that our namespace is there and pods can be made in it; one that is on its way out is waited for."""
    if move.options.canary.namespace:
        return
    name = canary.namespace_name(move.name)

    def look() -> str:
        found = move.reach.one(f"{NAMESPACES}/{name}", Namespace)
        if found is not None and found.metadata.deletion_timestamp:
            return f"namespace {name} of an earlier run is still being deleted"
        if found is None:
            _created(move.reach, NAMESPACES, canary.namespace(move.name, move.id))
        return ""

    move.until(look, hint=f"see what holds namespace {name} (kubectl describe namespace)")


def made(move: Move, manifest: canary.Manifest) -> Pod:
    """The pod, new: one of that name that an earlier run left is deleted first."""
    namespace, name = manifest["metadata"]["namespace"], manifest["metadata"]["name"]
    taken_away(move, name)
    found: list[Pod] = []

    def look() -> str:
        try:
            found.append(move.reach.insist(lambda: move.reach.writes.create(f"{NAMESPACES}/{namespace}/pods", manifest, Pod)))
        except ApiError as error:
            if error.code == HTTPStatus.FORBIDDEN and "serviceaccount" in error.message:
                return f"namespace {namespace} has no service account yet"  # its controller makes it within a second
            if error.code != HTTPStatus.CONFLICT:
                raise
            found.append(_existing(move.reach, namespace, name, error))
        return ""

    move.until(look)
    return found[0]


def sent_away(move: Move, pod: Pod) -> None:
    """Begin to delete a pod that holds nothing; nobody waits for it."""
    path, uid = pod_path(pod.metadata.namespace or "", pod.metadata.name), pod.metadata.uid
    move.reach.insist(lambda: move.reach.writes.delete(path, uid=uid))


def taken_away(move: Move, name: str) -> None:
    """See that a pod of ours is gone, whatever it was. Its claim goes with it."""
    namespace = where(move)
    found = move.reach.pod(namespace, name)
    if found is None:
        return
    uid = found.metadata.uid
    sent_away(move, found)

    def look() -> str:
        there = move.reach.pod(namespace, name)
        return f"pod {namespace}/{name} is still ending" if there is not None and there.metadata.uid == uid else ""

    move.until(look, hint=f"see why pod {namespace}/{name} does not end (kubectl describe pod)")


def watched(move: Move, pod: Pod, judge: Callable[[Pod], str], polling: Polling) -> Pod:
    """Look at the pod until `judge` has nothing more to wait for, and give it as it then is.

    Raises TimedOutError, and RefusedError when somebody else deletes it.
    """
    namespace, name = pod.metadata.namespace or "", pod.metadata.name
    last = [pod]

    def look() -> str:
        there = move.reach.pod(namespace, name)
        if there is None or there.metadata.uid != pod.metadata.uid:
            raise RefusedError(f"pod {namespace}/{name} was deleted by somebody else")
        last.append(there)
        return judge(there)

    polling.until(look)
    return last[-1]


def leftovers_gone(move: Move) -> None:
    """Begin to delete canary and probe of an earlier run: they may hold a device."""
    for pod in move.reach.items("/api/v1/pods", Pod, {"labelSelector": f"{NODE_LABEL}={node_hash(move.name)}"}):
        meta = pod.metadata
        if is_ours(meta.name, meta.labels, move.name):
            path = pod_path(meta.namespace or "", meta.name)
            move.reach.insist(lambda path=path, uid=meta.uid: move.reach.writes.delete(path, uid=uid))  # type: ignore[misc]


def namespace_gone(move: Move) -> None:
    """Begin to delete our namespace, if there is one and it is ours."""
    path = f"{NAMESPACES}/{canary.namespace_name(move.name)}"
    found = move.reach.one(path, Namespace)
    if found is not None and (found.metadata.labels or {}).get(NODE_LABEL) == node_hash(move.name):
        uid = found.metadata.uid
        move.reach.insist(lambda: move.reach.writes.delete(path, uid=uid))


def _created(reach: Reach, path: str, manifest: canary.Manifest) -> None:
    try:
        reach.insist(lambda: reach.writes.create(path, manifest, Namespace))
    except ApiError as error:
        if error.code != HTTPStatus.CONFLICT:
            raise


def _existing(reach: Reach, namespace: str, name: str, error: ApiError) -> Pod:
    """After a lost answer: the one that was made by us, defaults and all."""
    found = reach.pod(namespace, name)
    if found is None:
        raise error
    return found
