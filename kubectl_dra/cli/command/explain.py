"""`kubectl dra explain`."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from kubectl_dra.cli.dialect import command
from kubectl_dra.cli.options import OUTPUT, SOURCE, Run
from kubectl_dra.errors import ApiError, InputError, UsageError
from kubectl_dra.exit_status import ExitStatus

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubectl_dra.explanation.document import Explanation
    from kubectl_dra.objects.pod import Pod
    from kubectl_dra.objects.snapshot import Snapshot

    Subject = Callable[[str | None], tuple[Snapshot, Pod]]

SECONDS = 60.0
"""Limit of the search over all nodes; where it is over, the answer is "unknown"."""


class Kind(StrEnum):
    """What can be explained, in kubectl's spellings."""

    POD = "pod"
    PODS = "pods"
    PO = "po"


@command(
    SOURCE,
    OUTPUT,
    examples="""
    # Why a pod waits, or what it holds
    kubectl dra explain pod train-0

    # Down to the devices of one node
    kubectl dra explain pod train-0 --node gpu-01

    # Whether a pod that does not exist yet would find its devices; exits 1 if not
    kubectl dra explain pod -f train.yaml
    """,
)
def explain(
    run: Run,
    kind: Annotated[str, typer.Argument(metavar="TYPE", help="pod, or pod/NAME in one word.", autocompletion=lambda: ["pod"])] = "pod",
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="The pod, in the context's namespace or that of -n.")] = None,
    node: Annotated[str | None, typer.Option("--node", metavar="NAME", help="Only this node, down to its devices.")] = None,
    devices: Annotated[bool, typer.Option("--devices", help="Down to the devices of every node.")] = False,
    filename: Annotated[
        str | None,
        typer.Option(
            "-f", "--filename", metavar="FILE", help="A pod, or what makes pods, that does not exist yet; exit 1 if no node takes it."
        ),
    ] = None,
) -> ExitStatus:
    """Why a pod waits for its devices, does not start, does not end, or what it holds.

    First the verdict in a sentence, then the reasons: those about the pod itself, then those of nodes, the commonest first. Then what it
    asks for and where that is written, and a line for each node; nodes that are alike share one where there are many. What the scheduler
    does is worked out from the cluster's objects as they are now; its own last words stand below. The verdict is one of runs, bound,
    terminating, finished, held (it is not looked at yet), fits, waits, fails (each attempt ends in an error) and unknown.

    With -f claims and templates in the same file count as made. A pod that exists is explained with exit status 0 whatever the verdict;
    with -f the status is 1 if no node would take the pod now.
    """
    from kubectl_dra.explanation.document import Verdict
    from kubectl_dra.report import formats
    from kubectl_dra.report.tables.explanation import EXPLANATION

    name = _name(kind, name)
    if filename is None and not name:
        raise UsageError("a pod's name is required", hint="kubectl dra explain pod NAME, or -f FILE for a pod that does not exist yet.")
    subject = _planned(run, filename, name) if filename is not None else _existing(run, name or "")
    answer = _explained(run, subject, node, devices=devices, exists=filename is None)
    formats.write(answer, run.output, run.environment, EXPLANATION, no_headers=run.no_headers)
    return ExitStatus.NO if filename is not None and answer.verdict != Verdict.FITS else ExitStatus.OK


def _name(kind: str, name: str | None) -> str | None:
    """Of `pod NAME` or `pod/NAME`. Raises UsageError for other kinds."""
    of, slash, own = kind.partition("/")
    if of not in tuple(Kind):
        alone = name is None and not slash
        hint = (
            f"Do you mean: kubectl dra explain pod {kind}?" if alone else "Give the name of one of its pods: `kubectl get pods` lists them."
        )
        raise UsageError(f'only pods can be explained, not "{of}"', hint=hint)
    if slash and name:
        raise UsageError(f'unexpected argument "{name}"', hint="Give pod NAME or pod/NAME.")
    return own if slash else name


def _existing(run: Run, name: str) -> "Subject":
    from kubectl_dra.cli.pod_source import pod_and_cluster
    from kubectl_dra.knowledge.permissions import kinds_of

    return lambda node: pod_and_cluster(run, kinds_of("explain"), name, node)


def _planned(run: Run, filename: str, name: str | None) -> "Subject":
    from kubectl_dra.cli.pod_source import cluster_and_plan
    from kubectl_dra.explanation.planned import planned
    from kubectl_dra.knowledge.permissions import kinds_of
    from kubectl_dra.reading import read_path

    if filename == "-" and run.from_ == "-":
        raise UsageError("--from and --filename cannot both be standard input")
    manifest = read_path(filename, run.environment, pod_templates=run.pod_templates)

    def plan(snapshot: "Snapshot", namespace: str) -> "tuple[Snapshot, Pod]":
        return planned(snapshot, manifest, name, namespace)

    return lambda node: cluster_and_plan(run, kinds_of("explain"), plan, node)


def _explained(run: Run, subject: "Subject", node: str | None, *, devices: bool, exists: bool) -> "Explanation":
    """Read, and explain. Raises InputError for quantities that no API server would have taken."""
    from kubectl_dra.allocation.failure import AllocationError
    from kubectl_dra.explanation.pod import explain as explained

    try:
        snapshot, pod = subject(node)
        _must_exist(snapshot, node)
        return explained(snapshot, pod, node=node, devices=devices or node is not None, exists=exists, expired=_limit(run))
    except AllocationError as error:
        raise InputError(f"the cluster's objects cannot be understood: {error.text}") from None


def _limit(run: Run) -> "Callable[[], bool]":
    """True once the time is over."""
    clock = run.environment.clock
    end = clock.monotonic() + SECONDS
    return lambda: clock.monotonic() > end


def _must_exist(snapshot: "Snapshot", node: str | None) -> None:
    """Raises ApiError, as kubectl does, for a node that is not there."""
    if node is not None and snapshot.nodes.known and node not in {each.metadata.name for each in snapshot.nodes}:
        raise ApiError(f'nodes "{node}" not found', code=404, reason="NotFound")
