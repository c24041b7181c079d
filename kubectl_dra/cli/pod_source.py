"""The pod that a command is about, and the cluster around it: live, or of files."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kubectl_dra.cli.options import Run
from kubectl_dra.cli.source import connected, read_snapshot, refuse_incomplete
from kubectl_dra.errors import ApiError, UsageError
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.snapshot import KindReading, Snapshot

if TYPE_CHECKING:
    from kubectl_dra.cluster.discovery import Discovery
    from kubectl_dra.cluster.transport import Transport

DEFAULT = "default"
"""The namespace where nobody names one, as for kubectl."""


def pod_and_cluster(run: Run, kinds: Iterable[str], name: str) -> tuple[Snapshot, Pod]:
    """The pod of that name in the namespace of `-n` or the context, and the cluster with the events about the pod.

    Of a file without `-n`, the only pod of that name. Raises ApiError (404) when there is none, UsageError when there are several.
    """
    if run.from_ is None and not run.demo:
        return _live(run, frozenset(kinds), name)
    snapshot = read_snapshot(run, kinds)
    found = [each for each in snapshot.pods if each.metadata.name == name and (each.metadata.namespace or "") == run.namespace]
    if not run.namespace:
        found = [each for each in snapshot.pods if each.metadata.name == name]
    if len(found) > 1:
        namespaces = ", ".join(sorted(each.metadata.namespace or "" for each in found))
        raise UsageError(f'pods "{name}" are in several namespaces: {namespaces}', hint="Say which with -n.")
    if not found:
        raise _not_found(name, run.namespace)
    return snapshot, found[0]


def cluster_for_plan(run: Run, kinds: Iterable[str]) -> tuple[Snapshot, str]:
    """The cluster, and the namespace in which an object that names none would be made."""
    if run.from_ is not None or run.demo:
        return read_snapshot(run, kinds), run.namespace or DEFAULT
    from kubectl_dra.kubeconfig import connect

    return read_snapshot(run, kinds), run.namespace or connect(run.overrides(), run.environment).namespace or DEFAULT


def _live(run: Run, kinds: frozenset[str], name: str) -> tuple[Snapshot, Pod]:
    from kubectl_dra.cluster.discovery import discover
    from kubectl_dra.objects.event import ObjectReference
    from kubectl_dra.reading import Wanted, read_live
    from kubectl_dra.report.live import watching

    with watching(run.environment) as observer, connected(run, observer) as transport:
        discovery = discover(transport)
        pod = _pod(transport, discovery, run.namespace or transport.connection.namespace or DEFAULT, name)
        about = ObjectReference("Pod", pod.metadata.namespace, name, pod.metadata.uid)
        wanted = Wanted(kinds=kinds, events_for=about)
        snapshot = read_live(transport, discovery, wanted, run.environment, observer)
    if run.strict:
        refuse_incomplete(snapshot, kinds)
    return snapshot, pod


def _pod(transport: "Transport", discovery: "Discovery", namespace: str, name: str) -> Pod:
    """The pod alone: whoever may not list pods may be allowed to read this one."""
    from kubectl_dra.reading.again import read_objects

    reading: KindReading[Pod] = read_objects(transport, discovery, [("Pod", namespace, name)]).pods
    if not reading.known:
        hint = "`kubectl dra rbac explain` prints the ClusterRole that allows it"
        raise ApiError(reading.reason, code=403, reason="Forbidden", hint=hint)
    if not reading.items:
        raise _not_found(name, namespace)
    return reading.items[0]


def _not_found(name: str, namespace: str) -> ApiError:
    where = f" in namespace {namespace}" if namespace else ""
    hint = "`kubectl get pods -A` lists them; -n names the namespace."
    return ApiError(f'pods "{name}" not found{where}', code=404, reason="NotFound", hint=hint)
