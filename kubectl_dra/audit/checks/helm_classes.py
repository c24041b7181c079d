"""Device classes that a Helm release owns, which changes and deletes them as it likes."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from kubectl_dra.audit.candidate import Candidate, Doubt
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import ObjectRef, Severity
from kubectl_dra.audit.registry import check
from kubectl_dra.audit.words import lines, listed
from kubectl_dra.objects.meta import ObjectMeta
from kubectl_dra.objects.resource import DeviceClass
from kubectl_dra.objects.workload import Workload
from kubectl_dra.remedies.helm import release_of
from kubectl_dra.remedies.kubectl_line import kubectl

_HELM = "https://helm.sh/docs/howto/charts_tips_and_tricks/"
_HELM_RELEASE = "Helm release"

Release = tuple[str, str]
"""Namespace and name."""


@check(
    "DRA104",
    title="a Helm release owns a device class that others use as well",
    severity=Severity.WARNING,
    why=(
        "An upgrade of the release writes the class as its chart has it, which undoes what was changed by hand; uninstalling the release"
        " deletes the class, whoever else needs it. While the class is gone nothing that asks for it is scheduled. Where another class maps"
        " the same name, before 1.38 the name is mapped to nothing afterwards, until that class is updated."
    ),
    fix=(
        "# keep the class as it is, to make it again at once",
        "kubectl get deviceclass CLASS -o yaml",
        "# before the release is uninstalled: have its chart keep the class (annotation helm.sh/resource-policy: keep in its template)",
        "# after it is gone, update the other class, and its name maps to it again",
        'kubectl annotate deviceclass OTHER --overwrite kubectl-dra/touched="$(date +%s)"',
    ),
    source=(_HELM, "https://helm.sh/docs/helm/helm_uninstall/", "kubernetes/kubernetes#141103", "nicolerenee/infra#2391"),
    needs=("device_classes",),
    also=("daemon_sets", "pods", "resource_slices"),
)
def classes_of_releases(case: Case) -> Iterator[Candidate | Doubt]:
    """One candidate for each name that a release's class shares, and for each class whose driver somebody else has installed."""
    contested: set[str] = set()
    for name in case.resolution.contested:
        classes = tuple(each.device_class for each in case.resolution.contenders(name))
        if case.scope.has_resource(name) and any(release_of(each.metadata) for each in classes):
            contested.update(each.metadata.name for each in classes)
            yield _contested(name, classes)
    installers = _installers(case)
    for device_class in case.snapshot.device_classes:
        release, maps = release_of(device_class.metadata), device_class.spec.extended_resource_name
        out_of_scope = maps is not None and not case.scope.has_resource(maps)
        if release is None or out_of_scope or device_class.metadata.name in contested:
            continue
        if others := _others(case, device_class, release, installers):
            yield _shared(device_class, release, others)


def _contested(name: str, classes: Iterable[DeviceClass]) -> Candidate:
    owners = {each.metadata.name: release_of(each.metadata) for each in classes}
    owned = sorted(name for name, release in owners.items() if release is not None)
    releases = listed(sorted({_of(release) for release in owners.values() if release is not None}))
    return Candidate(
        cause=name,
        objects=tuple(sorted(ObjectRef.of("DeviceClass", each.metadata) for each in classes)),
        evidence=lines(
            f"DeviceClass {each} maps {name}; it belongs to {_of(release) if release is not None else 'no Helm release'}"
            for each, release in sorted(owners.items())
        ),
        resources=(name,),
        title=f"{releases} {'owns' if len(owned) == 1 else 'own'} a class for {name}, and another class maps it too",
        fix=(
            f"# leave the name to one class (DRA101 has the steps), and change it in the values of {releases} too:",
            "# an upgrade brings back what was changed by hand",
            *(kubectl("get", "deviceclass", each, "-o", "yaml") for each in owned),
            *_after_uninstalling(name, [each for each, release in owners.items() if release is None]),
        ),
    )


def _after_uninstalling(name: str, left: list[str]) -> tuple[str, ...]:
    """What to do with the class that stays when a release goes with its own."""
    if not left:
        return ()
    update = kubectl("annotate", "deviceclass", min(left), "--overwrite")
    return (
        f"# if the release is uninstalled, its class goes: update {min(left)} then, or before 1.38 {name} maps to nothing",
        f'#   {update} kubectl-dra/touched="$(date +%s)"',
    )


def _installers(case: Case) -> Mapping[str, Mapping[ObjectRef, str]]:
    """By driver: the DaemonSets of its pods, and who has installed each: a Helm release, or the object that controls it."""
    by_ref: dict[ObjectRef, Workload] = {ObjectRef.of("DaemonSet", each.metadata): each for each in case.snapshot.daemon_sets}
    found: dict[str, dict[ObjectRef, str]] = defaultdict(dict)
    for driver in {each.spec.driver for each in case.snapshot.resource_slices}:
        for _, pod in case.node_pods.pods_of(driver):
            owner = pod.metadata.controller
            ref = ObjectRef(owner.kind, pod.metadata.namespace or "", owner.name) if owner is not None else None
            if ref is not None and ref in by_ref and (installer := _installer(by_ref[ref].metadata)):
                found[driver][ref] = installer
    return found


def _installer(metadata: ObjectMeta) -> str:
    if (release := release_of(metadata)) is not None:
        return _of(release)
    return f"{metadata.controller.kind} {metadata.controller.name}" if metadata.controller is not None else ""


def _others(
    case: Case, device_class: DeviceClass, release: Release, installers: Mapping[str, Mapping[ObjectRef, str]]
) -> Mapping[ObjectRef, str]:
    """The DaemonSets of the class' drivers that somebody else than the release has installed."""
    drivers = case.servers.devices.driver_terms(device_class).drivers
    return {ref: by for driver in drivers for ref, by in installers.get(driver, {}).items() if by != _of(release)}


def _shared(device_class: DeviceClass, release: Release, others: Mapping[ObjectRef, str]) -> Candidate:
    name = device_class.metadata.name
    maps = f" and maps {device_class.spec.extended_resource_name}" if device_class.spec.extended_resource_name else ""
    return Candidate(
        cause=f"class {name}",
        objects=(ObjectRef.of("DeviceClass", device_class.metadata), *sorted(others)),
        evidence=lines(
            [
                f"DeviceClass {name} belongs to {_of(release)}{maps}",
                *(f"{ref}, which runs its driver, belongs to {by}" for ref, by in sorted(others.items())),
            ]
        ),
        resources=(device_class.spec.extended_resource_name,) if device_class.spec.extended_resource_name else (),
        # what an operator runs may well be of the release that has installed the operator
        severity=Severity.WARNING if any(by.startswith(_HELM_RELEASE) for by in others.values()) else Severity.INFO,
        title=f"class {name} belongs to {_of(release)}, its driver to {listed(sorted(set(others.values())))}",
        fix=(
            f"# before {_of(release)} is uninstalled: have its chart keep the class (helm.sh/resource-policy: keep in its template),",
            "# or write the class down and make it again at once: nothing that asks for it is scheduled in between",
            kubectl("get", "deviceclass", name, "-o", "yaml"),
        ),
    )


def _of(release: Release) -> str:
    namespace, name = release
    # an annotation may hold anything
    return f"{_HELM_RELEASE} {' '.join('/'.join(filter(None, (namespace, name))).split())}"
