"""Faults of just these Kubernetes releases that something in the cluster can meet (knowledge/faults.toml)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

import msgspec

from kubectl_dra.audit.candidate import Candidate, Doubt
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.concerns import concerned, concerned_node
from kubectl_dra.audit.control_plane import API_SERVER, CONTROLLERS, SCHEDULER
from kubectl_dra.audit.finding import ObjectRef, Severity
from kubectl_dra.audit.registry import check
from kubectl_dra.audit.words import count, lines, listed
from kubectl_dra.knowledge.faults import Fault, faults
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.snapshot import Version
from kubectl_dra.remedies.kubectl_line import kubectl


class _Release(msgspec.Struct, frozen=True):
    """A release of a component. `shown` is empty where the version is the API server's, for want of a better."""

    component: str
    version: Version
    objects: tuple[ObjectRef, ...] = ()
    shown: bool = True


@check(
    "DRA703",
    title="known faults of these Kubernetes releases",
    severity=Severity.INFO,
    why=(
        "These faults are in the very releases that run here, and the cluster has what they need to show. Where a later patch release of"
        " the same minor mends one it is a warning, for the update is small; else it is a note, to keep in mind during the move. Faults"
        " whose traces another check finds are left to that one."
    ),
    fix=(
        "# update the component to the release that mends the fault, or do what is said beside it",
        "kubectl get nodes -o wide",
        "kubectl version",
    ),
    source=(
        "https://github.com/kubernetes/kubernetes/tree/master/CHANGELOG",
        "kubernetes/kubernetes#141426",
        "kubernetes/kubernetes#142492",
        "kubernetes/kubernetes#143378",
    ),
    also=(
        "nodes", "pods", "device_classes", "resource_slices", "resource_claims", "resource_claim_templates", "device_taint_rules",
        "resource_quotas",
    ),
)  # fmt: skip
def known_faults(case: Case) -> Iterator[Candidate | Doubt]:
    """One candidate for each component and release with faults that concern the cluster; kubelets by their nodes."""
    if case.snapshot.cluster.version is None:
        yield Doubt("the API server's version is not known, so neither are the control plane's faults")
    for release in _control_plane(case):
        found = [fault for fault in _told(release.component, release.version) if concerned(case, fault.concerns)]
        if found:
            yield _candidate(release, found)
    by_version: dict[Version, list[Node]] = defaultdict(list)
    for node in case.nodes():
        version = Version.of(node.kubelet_version)
        if version is not None:
            by_version[version].append(node)
    for version, nodes in sorted(by_version.items()):
        yield from _kubelets(case, version, nodes)


def _control_plane(case: Case) -> Iterator[_Release]:
    """The API server by what it says itself, the others by their images; where none shows, as the API server is."""
    server = case.snapshot.cluster.version
    if server is not None:
        yield _Release(API_SERVER, server)
    for component in (SCHEDULER, CONTROLLERS):
        pods: dict[Version, list[ObjectRef]] = defaultdict(list)
        for each in case.control_plane:
            if each.name == component and each.version is not None:
                pods[each.version].append(each.ref)
        for version, refs in sorted(pods.items()):
            yield _Release(component, version, tuple(refs))
        if not pods and server is not None:
            yield _Release(component, server, shown=False)


def _told(component: str, version: Version) -> list[Fault]:
    """The faults of the release that no other check looks for."""
    return [fault for fault in faults().values() if fault.component == component and not fault.check and fault.affects(version)]


def _kubelets(case: Case, version: Version, nodes: list[Node]) -> Iterator[Candidate]:
    met: dict[str, list[Node]] = {}
    found = []
    for fault in _told("kubelet", version):
        meeting = [node for node in nodes if concerned_node(case, fault.concerns, node)]
        if meeting:
            found.append(fault)
            met.update({node.metadata.name: [node] for node in meeting})
    if found:
        yield _candidate(_Release("kubelet", version, tuple(ObjectRef("Node", "", name) for name in sorted(met))), found)


def _candidate(release: _Release, found: Iterable[Fault]) -> Candidate:
    of_release = list(found)
    small = [mended for fault in of_release if (mended := _same_minor(fault, release.version)) is not None]
    taken = "" if release.shown else f" (it does not show its version: {release.version} is the API server's)"
    nodes = f" on {count(len(release.objects), 'node')}" if release.component == "kubelet" else ""
    return Candidate(
        cause=f"{release.component} {release.version.major}.{release.version.minor}",
        objects=release.objects,
        evidence=lines(_line(fault, release.version) for fault in of_release),
        severity=Severity.WARNING if small else Severity.INFO,
        title=f"{release.component} {release.version}{nodes} has {count(len(of_release), 'known fault')} that can show here{taken}",
        fix=(
            f"# update {release.component} to {max(small)} or later"
            if small
            else "# keep these in mind during the move, or update to a release that mends them",
            _look(release),
        ),
    )


def _look(release: _Release) -> str:
    if release.component == "kubelet":
        return kubectl("get", "node", *(ref.name for ref in release.objects), "-o", "wide")
    if release.objects:
        return kubectl("-n", release.objects[0].namespace, "get", "pod", *(ref.name for ref in release.objects), "-o", "wide")
    return kubectl("version")


def _same_minor(fault: Fault, version: Version) -> Version | None:
    mended = fault.mended_in(version)
    return mended if mended is not None and (mended.major, mended.minor) == (version.major, version.minor) else None


def _line(fault: Fault, version: Version) -> str:
    mended = fault.mended_in(version)
    by = f"mended in {mended}" if mended is not None else "no release mends it"
    reports = [each.partition("#")[2] for each in fault.source if "#" in each]
    numbers = f" (kubernetes/kubernetes#{listed(reports)})" if reports else ""
    return f"{fault.title}{numbers}; {by}; until then: {fault.remedy}"
