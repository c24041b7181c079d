"""Pods, and the templates that controllers make pods from."""

from collections.abc import Iterator, Mapping

from kubectl_dra.audit.candidate import Candidate, Doubt
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import Severity
from kubectl_dra.audit.registry import check
from kubectl_dra.audit.users import User
from kubectl_dra.audit.words import lines
from kubectl_dra.extended_resources.requests import MAX_DEVICES
from kubectl_dra.remedies.kubectl_line import kubectl


@check(
    "DRA401",
    title="a pod needs more devices than a claim can hold",
    severity=Severity.ERROR,
    why=(
        "The scheduler puts all mapped names of a pod into one claim, and a claim holds 32 devices. For a pod that needs more, every node"
        " without enough allocatable from a device plugin gives an error that ends the whole attempt, even where another node could serve"
        " it through its plugin. Merely creating the class that maps the name breaks such pods."
    ),
    fix=(
        "# ask for 32 devices or fewer in one pod: spread the work over several pods",
        "# until then no class may map the name",
    ),
    source=(
        "kubernetes/enhancements#5717",
        "kubernetes: pkg/apis/resource/types.go (AllocationResultsMaxSize)",
        "k8s.io/dynamic-resource-allocation: structured/internal/incubating/allocator_incubating.go",
    ),
    needs=("pods", "device_classes"),
    also=(
        "deployments",
        "replica_sets",
        "stateful_sets",
        "daemon_sets",
        "jobs",
        "cron_jobs",
        "replication_controllers",
        "custom_workloads",
    ),
    blocks=True,
    manifests=True,
)
def more_than_a_claim_holds(case: Case) -> Iterator[Candidate | Doubt]:
    """Whoever makes pods that need more than 32 devices: an error where classes map the names, else what a class would break."""
    told: set[str] = set()
    for user in case.users:
        asked = case.asked(user.spec)
        if sum(asked.values()) <= MAX_DEVICES:
            continue
        for severity, names in _grades(case, asked):
            if sum(names.values()) > MAX_DEVICES and any(map(case.scope.has_resource, names)):
                found = _too_many(case, user, names, severity)
                if found.cause not in told:
                    told.add(found.cause)
                    yield found
                break


def _grades(case: Case, asked: Mapping[str, int]) -> Iterator[tuple[Severity, Mapping[str, int]]]:
    """The names that share a claim today; those that would once vendors' classes map them; and all that could ever be mapped."""
    mapped = {name: number for name, number in asked.items() if case.class_of(name)}
    served = case.extended_resources_on or case.snapshot.cluster.emulated is None
    yield Severity.ERROR if served else Severity.WARNING, mapped
    movable = {name: number for name, number in asked.items() if name in mapped or case.has_driver(name)}
    yield Severity.WARNING, movable
    yield Severity.INFO, {name: number for name, number in asked.items() if not case.left_alone(name)}


def _too_many(case: Case, user: User, names: Mapping[str, int], severity: Severity) -> Candidate:
    total = sum(names.values())
    unmapped = sorted(name for name in names if not case.class_of(name))
    parts = " + ".join(f"{number} {name}" for name, number in sorted(names.items()))
    told = [f"{user.ref}{f' ({user.where})' if user.where else ''} asks {parts} = {total} devices a pod; a claim holds 32"]
    told += case.without_class(unmapped)
    told += [f"{pod} waits: {message}" for pod, message in user.waiting]
    return Candidate(
        cause=f"{user.ref} {user.where} {parts}",
        objects=(user.ref,),
        evidence=lines(told),
        resources=tuple(sorted(names)),
        severity=severity,
        title=f"{user.ref} needs {total} devices a pod, more than the 32 that a claim can hold",
        fix=(
            "# ask for 32 devices or fewer in one pod: spread the work over several pods",
            kubectl(*(("-n", user.ref.namespace) if user.ref.namespace else ()), "get", user.resource, user.ref.name, "-o", "yaml"),
            f"# until then no class may map {unmapped[0]}"
            if unmapped
            else "# or take the name off the class, while all nodes use the plugin",
        ),
    )
