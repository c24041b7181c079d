"""What the audit itself could not read."""

from collections.abc import Callable, Iterator

from kubectl_dra.audit import registry
from kubectl_dra.audit.candidate import Candidate, Doubt
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import Severity
from kubectl_dra.audit.missing import Gap, gaps
from kubectl_dra.audit.registry import check
from kubectl_dra.objects.snapshot import ReadState
from kubectl_dra.remedies.kubectl_line import kubectl

_ROLE = "kubectl-dra-audit"


@check(
    "DRA001",
    title="kinds that could not be read",
    severity=Severity.WARNING,
    why=(
        "What was not read is unknown, not absent: checks that need it could not look, and what they would have found is missing from this"
        " report. The roles case and edit include neither nodes nor device classes nor resource slices."
    ),
    fix=(
        "# a cluster administrator gives the least rights that the audit needs, and binds them to whoever runs it",
        "kubectl dra rbac audit | kubectl apply -f -",
        f"kubectl create clusterrolebinding {_ROLE} --clusterrole={_ROLE} --user=USER",
    ),
    source=(
        "https://kubernetes.io/docs/reference/access-authn-authz/rbac/",
        "kubernetes: plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go",
        "kubernetes/kubernetes#130679",
    ),
)
def unread_kinds(case: Case) -> Iterator[Candidate | Doubt]:
    """One candidate for each way in which reading failed, with the kinds and the server's words."""
    missing = gaps(case.snapshot, registry.kinds())
    for state, tell in _TELL.items():
        of_state = tuple(gap for gap in missing if gap.state is state)
        if of_state:
            yield tell(of_state)


def _forbidden(missing: tuple[Gap, ...]) -> Candidate:
    resources = ",".join(gap.resource for gap in missing)
    return _candidate(
        missing,
        title=f"{_kinds(missing)} may not be read",
        fix=(
            "# a cluster administrator gives the right to list them, and binds it to whoever runs the audit",
            kubectl("create", "clusterrole", _ROLE, "--verb=list", f"--resource={resources}"),
            kubectl("create", "clusterrolebinding", _ROLE, f"--clusterrole={_ROLE}", "--user=USER"),
            "# or all that the audit reads, in one role",
            "kubectl dra rbac audit | kubectl apply -f -",
        ),
    )


def _unserved(missing: tuple[Gap, ...]) -> Candidate:
    return _candidate(
        missing,
        title=f"{_kinds(missing)}: not served by this API server",
        why=(
            "Dynamic Resource Allocation needs resource.k8s.io; its v1 is there from Kubernetes 1.34 on, and extended resources are served"
            " through it by default from 1.36 on. This cluster cannot move before it has them."
        ),
        fix=("# which versions the server has", kubectl("api-versions"), "# then upgrade the control plane to 1.36 or later"),
    )


def _expired(missing: tuple[Gap, ...]) -> Candidate:
    return _candidate(
        missing,
        title=f"{_kinds(missing)}: the list changed while it was read",
        why="The list's continue token expired: what was read is not of one moment and may lack objects.",
        fix=("# look again, when less is going on", "kubectl dra audit"),
    )


def _failed(missing: tuple[Gap, ...]) -> Candidate:
    return _candidate(
        missing,
        title=f"{_kinds(missing)}: the server gave an error",
        fix=("# what the server says", *(kubectl("get", gap.resource, "-A") for gap in missing)),
    )


def _absent(missing: tuple[Gap, ...]) -> Candidate:
    resources = ",".join(gap.resource for gap in missing)
    return _candidate(
        missing,
        severity=Severity.INFO,
        title=f"{_kinds(missing)}: not in the file",
        why="A file without objects of a kind does not tell whether the cluster has none or nobody wrote them down.",
        fix=(
            "# write the whole cluster down",
            "kubectl dra snapshot cluster.json.gz",
            "# or what is missing",
            f"kubectl get {resources} -A -o json > more.json",
        ),
    )


_TELL: dict[ReadState, Callable[[tuple[Gap, ...]], Candidate]] = {
    ReadState.FORBIDDEN: _forbidden,
    ReadState.UNSERVED: _unserved,
    ReadState.EXPIRED: _expired,
    ReadState.FAILED: _failed,
    ReadState.ABSENT: _absent,
}


def _candidate(
    missing: tuple[Gap, ...], *, title: str, fix: tuple[str, ...], why: str | None = None, severity: Severity | None = None
) -> Candidate:
    return Candidate(
        cause=missing[0].state.value,
        objects=(),
        evidence="\n".join(f"{gap.resource}: {gap.reason or gap.state.value}" for gap in missing),
        severity=severity,
        title=title,
        why=why,
        fix=fix,
    )


def _kinds(missing: tuple[Gap, ...]) -> str:
    names = tuple(gap.kind for gap in missing)
    return ", ".join(names) if len(names) <= 4 else f"{', '.join(names[:3])} and {len(names) - 3} more kinds"
