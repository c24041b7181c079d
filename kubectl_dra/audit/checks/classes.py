"""Device classes and the extended resource names that they map."""

from collections.abc import Iterator

from kubectl_dra.audit.candidate import Candidate, Doubt
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import ObjectRef, Severity
from kubectl_dra.audit.registry import check
from kubectl_dra.audit.words import count, lines
from kubectl_dra.extended_resources.classes import Standing, State
from kubectl_dra.extended_resources.names import implicit_name, implicit_name_usable
from kubectl_dra.knowledge.faults import fault
from kubectl_dra.objects.snapshot import Version
from kubectl_dra.remedies.kubectl_line import merge_patch
from kubectl_dra.remedies.lost_mapping import LOST_MAPPING, leave_to_one

RANDOM_CLASS = fault("random-class")

UNSAID = "DOMAIN/NAME"
"""Stands for a name that only people can choose. Capitals are no legal domain: the API server refuses what was pasted as it is."""


@check(
    "DRA101",
    title="two device classes map one extended resource name",
    severity=Severity.ERROR,
    why=(
        "Only one class serves a name: the newest, and of those created in the same second the one whose name sorts first; 1.34 picks at"
        " random. Before 1.38 the scheduler keeps one entry a name and deletes it by name: deleting, renaming or clearing either class"
        " leaves the name mapped to nothing, and pods that ask for it wait with `Insufficient`, until the class that is left is updated"
        " or the scheduler restarts. The loser may also lack its implicit name."
    ),
    fix=(
        "# take the name off the loser",
        """kubectl patch deviceclass LOSER --type=merge -p '{"spec":{"extendedResourceName":null}}'""",
        "# then update the winner, which maps the name again",
        'kubectl annotate deviceclass WINNER --overwrite kubectl-dra/touched="$(date +%s)"',
        "# prove it with a pod that asks for one device; deleting it makes pods that wait be tried again",
    ),
    source=(
        "kubernetes/kubernetes#141103",
        "kubernetes/kubernetes#141110",
        "kubernetes/kubernetes#133693",
        "kubernetes/kubernetes#135037",
        "k8s.io/dynamic-resource-allocation: deviceclass/extendedresourcecache/extendedresourcecache.go",
    ),
    needs=("device_classes",),
    blocks=True,
)
def duplicate_names(case: Case) -> Iterator[Candidate | Doubt]:
    """Names that several classes map, with who wins and what removing one does on the server's version."""
    version = case.snapshot.cluster.version
    loses = LOST_MAPPING.affects(version)
    harmless = loses is False and RANDOM_CLASS.affects(version) is False
    for name in case.resolution.contested:
        keep = case.class_of(name)
        if keep is None or not case.scope.has_resource(name):
            continue
        contenders = case.resolution.contenders(name)
        others = tuple(each.device_class for each in contenders if each.device_class.metadata.name != keep.metadata.name)
        yield Candidate(
            cause=name,
            objects=tuple(ObjectRef.of("DeviceClass", each.metadata) for each in (keep, *others)),
            evidence=lines(_stands(each, version) for each in sorted(contenders, key=lambda each: each.device_class is not keep)),
            resources=(name,),
            severity=Severity.WARNING if harmless else Severity.ERROR,
            title=f"{count(len(contenders), 'device class')} map {name}",
            why=_why_duplicates(name, version),
            fix=leave_to_one(name, keep, others, case.namespace_of_users(name), update=loses is not False),
        )
        if version is None:
            yield Doubt(f"the server's version is not known, so neither is which class serves {name}", resources=(name,))


def _stands(standing: Standing, version: Version | None) -> str:
    """`DeviceClass new (created 2026-11-30T10:00:41Z) wins: created 41 s later`."""
    metadata = standing.device_class.metadata
    seen = f"DeviceClass {metadata.name} (created {metadata.creation_timestamp or 'at an unknown time'})"
    if standing.state is State.UNDEFINED:
        return f"{seen} may serve it or not: {standing.why}"
    stands = "wins" if standing.state is State.WINS else f"loses to {standing.winner}"
    rule = "" if version is not None else " (from Kubernetes 1.35 on; this server's version is not known)"
    return f"{seen} {stands}: {standing.why}{rule}"


def _why_duplicates(name: str, version: Version | None) -> str:
    unused = f"Only one of the classes serves {name}; devices that only the others select are not given to pods that ask for it."
    lost = (
        f" Deleting, renaming or clearing either class leaves {name} mapped to nothing, and pods that ask for it wait with"
        f" `Insufficient {name}`, until the class that is left is updated. The loser may lack its implicit name as well."
    )
    if version is None:
        return f"{unused} From 1.35 on and before 1.38:{lost}"
    random = f" Kubernetes {version} picks at random which one, and may pick another at the next start."
    return unused + (random if RANDOM_CLASS.affects(version) else "") + (lost if LOST_MAPPING.affects(version) else "")


@check(
    "DRA102",
    title="a device class that no pod can ask for by a resource name",
    severity=Severity.INFO,
    why=(
        "Every class has the implicit name deviceclass.resource.kubernetes.io/CLASS, but what follows the slash may have 63 characters at"
        " most and must begin and end with a letter or digit. The API server refuses pods that ask for a longer one, and this class has"
        " no explicit name either: only resource claims reach it."
    ),
    fix=(
        "# give it an explicit name, if pods are to ask for it by one (a name that no other class has)",
        """kubectl patch deviceclass CLASS --type=merge -p '{"spec":{"extendedResourceName":"DOMAIN/NAME"}}'""",
    ),
    source=("kubernetes: pkg/apis/core/validation/validation.go", "k8s.io/api: resource/v1/types.go (ResourceDeviceClassPrefix)"),
    needs=("device_classes",),
    manifests=True,
)
def unwritable_names(case: Case) -> Iterator[Candidate | Doubt]:
    """Classes whose implicit name is no legal resource name, and that have no explicit one."""
    for device_class in case.snapshot.device_classes:
        name, implicit = device_class.metadata.name, implicit_name(device_class.metadata.name)
        if device_class.spec.extended_resource_name or implicit_name_usable(name) or not case.scope.has_resource(implicit):
            continue
        yield Candidate(
            cause=name,
            objects=(ObjectRef.of("DeviceClass", device_class.metadata),),
            evidence=f"{implicit}: {len(name)} characters after the slash; spec.extendedResourceName is not set",
            title=f"no pod can ask for device class {name} by a resource name",
            fix=(
                "# give it an explicit name, if pods are to ask for it by one (a name that no other class has)",
                merge_patch("deviceclass", name, {"spec": {"extendedResourceName": UNSAID}}),
            ),
        )
