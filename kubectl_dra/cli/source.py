"""The snapshot that a reading command works on: of a cluster, of files (`--from`), or of the bundled example (`--demo`)."""

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import kubectl_dra
from kubectl_dra.cli.options import Run
from kubectl_dra.errors import IncompleteReadingError, UsageError
from kubectl_dra.objects.snapshot import KindReading, ReadState, Snapshot

if TYPE_CHECKING:
    from kubectl_dra.cluster.transport import Transport
    from kubectl_dra.cluster.writes import Writes
    from kubectl_dra.progress import Observer
    from kubectl_dra.reading import Wanted

DEMO = Path(kubectl_dra.__file__).parent / "demo" / "cluster.json.gz"
"""The bundled example."""

INCOMPLETE = frozenset({ReadState.FORBIDDEN, ReadState.EXPIRED, ReadState.FAILED, ReadState.ABSENT})
"""What `--strict` does not accept. A kind that the server does not serve is known: there is none."""


def read_snapshot(
    run: Run,
    kinds: Iterable[str],
    *,
    namespace: str | None = None,
    pod_labels: str = "",
) -> Snapshot:
    """Read `kinds` (fields of Snapshot, `custom_workloads`, `feature_gates`) from where the command line says.

    `namespace` and `pod_labels` narrow what is asked of a server; a command whose counts need everything narrows afterwards instead.
    Raises UsageError for sources that do not go together, IncompleteReadingError with `--strict`, and what the reading raises.
    """
    from kubectl_dra.reading import Wanted

    wanted = Wanted(kinds=frozenset(kinds), namespace=namespace, pod_labels=pod_labels or None, pod_templates=run.pod_templates)
    with _no_collection():
        snapshot = _read(run, wanted)
    if run.strict:
        refuse_incomplete(snapshot, wanted.kinds)
    return snapshot


def read_again(run: Run, objects: Iterable[tuple[str, str, str]], *, after: float = 0) -> Snapshot:
    """Read objects of the cluster once more, each as (kind, namespace, name), `after` so many seconds.

    For what a list alone does not prove; a file has nothing to read again. Raises what the transport raises.
    """
    from kubectl_dra.cluster.discovery import discover
    from kubectl_dra.progress import Waiting
    from kubectl_dra.reading import again
    from kubectl_dra.report.live import watching

    with watching(run.environment) as observer:
        if after:
            observer(Waiting("a second reading; Ctrl-C shows the first", after))
            run.environment.clock.sleep(after)
        with connected(run, observer) as transport:
            return again.read_again(transport, discover(transport), objects, run.environment, observer)


@contextmanager
def connected(run: Run, observer: "Observer") -> "Iterator[Transport]":
    """The way to the API server that the connection options and the kubeconfig name. Raises KubeconfigError."""
    from kubectl_dra.cli.requests_shown import requests_shown
    from kubectl_dra.cluster.transport import Transport
    from kubectl_dra.kubeconfig import connect

    connection = connect(run.overrides(), run.environment)
    with requests_shown(run.environment, run.verbosity), Transport(connection, run.environment, observer) as transport:
        yield transport


@contextmanager
def connected_to_write(run: Run, observer: "Observer") -> "Iterator[tuple[Transport, Writes]]":
    """The same way, for a command that also writes. Raises KubeconfigError."""
    from kubectl_dra.cluster.writes import Writes

    with connected(run, observer) as transport, Writes(transport.connection, run.environment, observer) as writes:
        yield transport, writes


@contextmanager
def _no_collection() -> Iterator[None]:
    """Without looks for reference cycles: a reading makes millions of objects and no cycle, and what it made stays to the end."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.freeze()
            gc.enable()


def _read(run: Run, wanted: "Wanted") -> Snapshot:
    from kubectl_dra.reading import read_path
    from kubectl_dra.report.live import watching

    if run.from_ == "":
        # a script's variable that was never set must not make the answer another cluster's
        raise UsageError("--from names no file", hint="Give a file, a folder or -; without --from the kubeconfig's cluster is read.")
    if run.demo and run.from_:
        raise UsageError("--demo and --from do not go together")
    path = str(DEMO) if run.demo else run.from_
    if path is not None:
        run.refuse_connection("--demo" if run.demo else "--from")
        with watching(run.environment) as observer:
            return read_path(path, run.environment, pod_templates=wanted.pod_templates, observer=observer)
    return _read_live(run, wanted)


def _read_live(run: Run, wanted: "Wanted") -> Snapshot:
    from kubectl_dra.cluster.discovery import discover
    from kubectl_dra.reading import read_live
    from kubectl_dra.report.live import watching

    with watching(run.environment) as observer, connected(run, observer) as transport:
        return read_live(transport, discover(transport), wanted, run.environment, observer)


def refuse_incomplete(snapshot: Snapshot, kinds: Iterable[str]) -> None:
    """Raise IncompleteReadingError if one of `kinds` is not known in full."""
    missing = [f"{kind.replace('_', ' ')} ({state})" for kind, state in _states(snapshot, kinds) if state in INCOMPLETE]
    if missing:
        raise IncompleteReadingError(
            f"--strict: not read in full: {', '.join(missing)}",
            hint="`kubectl dra rbac` prints the ClusterRole that allows it; without --strict these kinds count as unknown.",
        )


def _states(snapshot: Snapshot, kinds: Iterable[str]) -> Iterable[tuple[str, ReadState]]:
    for kind in sorted(kinds):
        match kind:
            case "custom_workloads":
                yield from ((name, reading.state) for name, reading in snapshot.custom_workloads.items())
            case "feature_gates":
                yield kind, snapshot.feature_gates_state
            case _:
                reading: KindReading[object] = getattr(snapshot, kind)
                yield kind, reading.state
