"""What `audit` does: read and look, once or twice, at a cluster or at manifests, and compare with an earlier time."""

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from kubectl_dra.cli.options import Run
from kubectl_dra.errors import ClusterError, IncompleteReadingError, KubeconfigError, TimedOutError, UsageError

if TYPE_CHECKING:
    from kubectl_dra.audit.case import Case
    from kubectl_dra.audit.finding import AuditReport
    from kubectl_dra.audit.run import Examination
    from kubectl_dra.audit.scope import Scope
    from kubectl_dra.audit.selection import Selection
    from kubectl_dra.objects.snapshot import Snapshot


class Request(NamedTuple):
    """What an audit is asked: what to look at, what to show, how long to wait for the second look, what to compare with."""

    scope: "Scope"
    selection: "Selection"
    settle: float = 0.0
    since: str = ""
    fail_on: str = "error"


class Answer(NamedTuple):
    """The report, with lines for people, and whether Ctrl-C ended the wait for a second look."""

    report: "AuditReport"
    notes: tuple[str, ...] = ()
    interrupted: bool = False


def answer(run: Run, request: Request, manifests: tuple[str, ...]) -> Answer:
    """Audit the cluster (or the files that stand for it), or the manifests under these paths."""
    import msgspec

    found = of_manifests(run, manifests, request) if manifests else of_cluster(run, request)
    asked = msgspec.structs.replace(found.report.asked, fail_on=request.fail_on)
    return found._replace(report=msgspec.structs.replace(found.report, asked=asked))


def of_cluster(run: Run, request: Request) -> Answer:
    """Audit the cluster, or the files that stand for it."""
    from kubectl_dra.audit import settle, since
    from kubectl_dra.audit.absent import absent
    from kubectl_dra.audit.case import Case
    from kubectl_dra.audit.run import examine, report
    from kubectl_dra.cli.source import read_snapshot
    from kubectl_dra.knowledge.permissions import kinds_of

    before = _earlier(run, request) if request.since else None
    snapshot = read_snapshot(run, kinds_of("audit"), namespace=run.only_namespace)
    case = Case(snapshot, request.scope)
    examination, interrupted = _second_look(run, case, examine(case), request.settle)
    if isinstance(before, Case):
        examination = since.told_apart(case, examination, before)
        before = report(before, examine(before), request.selection)
    told = report(case, examination, request.selection)
    if before is not None:
        told = since.compared(told, before, request.since)
    missing = (f"there is no {what} in this cluster" for what in absent(case))
    left = settle.wait_left(examination) if snapshot.cluster.live and not interrupted else 0.0
    return Answer(told, (*missing, *_later(left)), interrupted)


def of_manifests(run: Run, paths: tuple[str, ...], request: Request) -> Answer:
    """Judge the manifests under `paths`, with the cluster's classes where there is a cluster."""
    from kubectl_dra.audit import manifests, since
    from kubectl_dra.audit.finding import AuditReport
    from kubectl_dra.reading.manifest_files import read_manifests

    if request.scope.nodes or request.settle:
        raise UsageError(f"--manifests and {'--node' if request.scope.nodes else '--settle'} do not go together")
    if "" in paths:
        raise UsageError("--manifests names no file", hint="Give a file, a folder, or - for standard input.")
    if [*paths, run.from_, request.since].count("-") > 1:
        raise UsageError("standard input can be read for one thing only: manifests, --from or --since")
    before = _earlier(run, request) if request.since else None
    if before is not None and not isinstance(before, AuditReport):
        raise UsageError(f"{request.since} is no report", hint="With --manifests, --since takes a report: audit --manifests ... -o json.")
    found = read_manifests(*paths, environment=run.environment, namespace=run.only_namespace or "", pod_templates=run.pod_templates)
    cluster, without = _beside(run, manifests.kinds_beside())
    if run.strict and found.unread:
        raise IncompleteReadingError(f"--strict: {found.unread[0]}")
    told = manifests.judge(found, cluster, scope=request.scope, selection=request.selection, without=without)
    return Answer(told if before is None else since.compared(told, before, request.since))


def _second_look(run: Run, case: "Case", first: "Examination", asked: float) -> "tuple[Examination, bool]":
    """Settle by a second reading what can be settled so, `asked` seconds later. Ctrl-C while it waits leaves the first look."""
    from kubectl_dra.audit import settle
    from kubectl_dra.cli.source import read_again

    seconds = max(asked, settle.soon(first))
    objects = settle.to_read(first, seconds)
    if not case.snapshot.cluster.live or not objects:
        return first, False
    try:
        again = read_again(run, ((each.kind, each.namespace, each.name) for each in objects), after=seconds)
    except KeyboardInterrupt:
        return first, True
    return settle.settle(case, first, again, seconds), False


def _earlier(run: Run, request: Request) -> "AuditReport | Case":
    """The earlier report, or the case of an earlier snapshot in the same scope."""
    from kubectl_dra.audit.case import Case
    from kubectl_dra.cli.earlier import earlier_report
    from kubectl_dra.reading import read_path
    from kubectl_dra.report.live import watching

    if request.since == "-" and run.from_ == "-":
        raise UsageError("standard input can be read for one thing only: --from or --since")
    report = earlier_report(request.since, run.environment)
    if report is not None:
        return report
    with watching(run.environment) as observer:
        snapshot = read_path(request.since, run.environment, pod_templates=run.pod_templates, observer=observer)
    narrowed = snapshot.cluster.namespace
    if narrowed and narrowed != request.scope.namespace:
        raise UsageError(f"{request.since} has only namespace {narrowed}", hint=f"Audit with -n {narrowed} to compare with it.")
    return Case(snapshot, request.scope)


def _beside(run: Run, kinds: tuple[str, ...]) -> "tuple[Snapshot | None, str]":
    """The cluster to judge manifests with, or why there is none.

    A cluster that was named has to answer. That of the kubeconfig need not: whoever reviews code may have none, or be far from it.
    """
    from kubectl_dra.cli.source import read_snapshot

    named = run.from_ is not None or run.demo or run.strict or any(getattr(run, option) for option in _NAMING)
    patient = run if named or run.request_timeout != "0" else replace(run, request_timeout=_UNASKED)
    try:
        return read_snapshot(patient, kinds), ""
    except (KubeconfigError, ClusterError, TimedOutError) as error:
        if named:
            raise
        return None, error.message


_UNASKED = "10s"
"""The limit of each request to a cluster that nobody named: one that is out of reach must not hold a review up."""
_NAMING = ("kubeconfig", "context", "cluster", "user", "server", "token", "as_")
"""Options that name a cluster, or somebody who may read it."""


def _later(seconds: float) -> tuple[str, ...]:
    if not seconds:
        return ()
    return (
        f"some findings may pass by themselves: look twice with --settle {_words(seconds)}, or compare with an earlier snapshot by --since",
    )


def _words(seconds: float) -> str:
    return f"{-(-seconds // 60):.0f}m" if seconds > 90 else f"{seconds:.0f}s"
