"""The pod that a command is about, and the cluster around it: live, or of files."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from msgspec.structs import replace

from kubectl_dra.cli.options import Run
from kubectl_dra.cli.source import connected, read_snapshot, refuse_incomplete
from kubectl_dra.errors import ApiError, UsageError
from kubectl_dra.objects.event import ObjectReference
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.snapshot import KindReading, Snapshot

if TYPE_CHECKING:
    from kubectl_dra.cluster.discovery import Discovery
    from kubectl_dra.cluster.transport import Transport
    from kubectl_dra.progress import Observer

Plan = Callable[[Snapshot, str], tuple[Snapshot, Pod]]
DEFAULT = "default"
"""The namespace where nobody names one, as for kubectl."""
_LIVE_ONLY = frozenset({"events"})
"""What a file has as a rule not, and a pod is explained without."""


def pod_and_cluster(run: Run, kinds: Iterable[str], name: str, node: str | None = None) -> tuple[Snapshot, Pod]:
    """The pod of that name in the namespace of `-n` or the context, and the cluster with the events about the pod.

    `node` is one of which everything is to be known. Of a file without `-n`, the only pod of that name. Raises ApiError (404) when there
    is none, UsageError when there are several.
    """
    if run.from_ is None and not run.demo:
        return _live(run, frozenset(kinds), name, node)
    snapshot = read_snapshot(run, frozenset(kinds) - _LIVE_ONLY)
    found = [each for each in snapshot.pods if each.metadata.name == name and (each.metadata.namespace or "") == run.namespace]
    if not run.namespace:
        found = [each for each in snapshot.pods if each.metadata.name == name]
    if len(found) > 1:
        namespaces = ", ".join(sorted(each.metadata.namespace or "" for each in found))
        raise UsageError(f'pods "{name}" are in several namespaces: {namespaces}', hint="Say which with -n.")
    if not found:
        raise _not_found(name, run.namespace)
    return snapshot, found[0]


def cluster_and_plan(run: Run, kinds: Iterable[str], plan: Plan, node: str | None = None) -> tuple[Snapshot, Pod]:
    """The cluster, and the pod that `plan` makes of it and of the namespace in which an object that names none would be made."""
    if run.from_ is not None or run.demo:
        return plan(read_snapshot(run, frozenset(kinds) - _LIVE_ONLY), run.namespace or DEFAULT)
    with _around(run, frozenset(kinds)) as around:
        return around.filled(*plan(around.read(None), around.namespace), node)


def _live(run: Run, kinds: frozenset[str], name: str, node: str | None) -> tuple[Snapshot, Pod]:
    with _around(run, kinds) as around:
        pod = around.pod(name)
        return around.filled(around.read(pod), pod, node)


@contextmanager
def _around(run: Run, kinds: frozenset[str]) -> "Iterator[_Around]":
    from kubectl_dra.cluster.discovery import discover
    from kubectl_dra.report.live import watching

    with watching(run.environment) as observer, connected(run, observer) as transport:
        yield _Around(run, kinds, transport, discover(transport), observer)


class _Around:
    """A live cluster around one pod. Pods are read last, and only those that decide."""

    def __init__(self, run: Run, kinds: frozenset[str], transport: "Transport", discovery: "Discovery", observer: "Observer") -> None:
        self._run = run
        self._kinds = kinds
        self._transport = transport
        self._discovery = discovery
        self._observer = observer
        self.namespace = run.namespace or transport.connection.namespace or DEFAULT

    def pod(self, name: str) -> Pod:
        """The pod alone: whoever may not list pods may be allowed to read this one. Raises ApiError."""
        from kubectl_dra.reading.again import read_objects

        reading: KindReading[Pod] = read_objects(self._transport, self._discovery, [("Pod", self.namespace, name)]).pods
        if not reading.known:
            hint = "`kubectl dra rbac explain` prints the ClusterRole that allows it"
            raise ApiError(reading.reason, code=403, reason="Forbidden", hint=hint)
        if not reading.items:
            raise _not_found(name, self.namespace)
        return reading.items[0]

    def read(self, pod: Pod | None) -> Snapshot:
        """Everything but pods, with the events about the pod if it exists."""
        about = None if pod is None else ObjectReference("Pod", pod.metadata.namespace, pod.metadata.name, pod.metadata.uid)
        return self._read(self._kinds - {"pods"}, about)

    def filled(self, snapshot: Snapshot, pod: Pod, node: str | None) -> tuple[Snapshot, Pod]:
        """The same with the pods that decide. Raises IncompleteReadingError with `--strict`."""
        from kubectl_dra.explanation.pods_needed import nodes_needed
        from kubectl_dra.reading.pods_on_nodes import read_pods_on

        nodes = nodes_needed(snapshot, pod, node)
        pods = self._read(frozenset({"pods"})).pods if nodes is None else read_pods_on(self._transport, self._discovery, nodes)
        whole = replace(snapshot, pods=pods)
        if self._run.strict:
            refuse_incomplete(whole, self._kinds)
        return whole, pod

    def _read(self, kinds: frozenset[str], about: "ObjectReference | None" = None) -> Snapshot:
        from kubectl_dra.reading import Wanted, read_live

        wanted = Wanted(kinds=kinds, events_for=about)
        return read_live(self._transport, self._discovery, wanted, self._run.environment, self._observer)


def _not_found(name: str, namespace: str) -> ApiError:
    where = f" in namespace {namespace}" if namespace else ""
    hint = "`kubectl get pods -A` lists them; -n names the namespace."
    return ApiError(f'pods "{name}" not found{where}', code=404, reason="NotFound", hint=hint)
