"""Manifests judged before they run: the checks that make sense on them, with the cluster's classes and nodes where one was read.

Pure: the caller reads the manifests and, if there is one, the cluster. Nothing here says whether a name can move: that takes all checks.
"""

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from kubectl_dra.audit.candidate import Now
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import AuditedCluster, AuditReport, Finding, ManifestsRead, ObjectRef, Place, Unknown
from kubectl_dra.audit.missing import gaps, in_words
from kubectl_dra.audit.registry import checks
from kubectl_dra.audit.run import PARTLY, Sighting, asked, audited, examine, ordered
from kubectl_dra.audit.scope import EVERYTHING, Scope
from kubectl_dra.audit.selection import ALL_FINDINGS, Selection
from kubectl_dra.inventory.owners import BUILT_IN, kind_name
from kubectl_dra.objects.manifests import ManifestLayer, Manifests
from kubectl_dra.objects.snapshot import KINDS, KindReading, ReadState, Snapshot

USERS = frozenset({"pods", "custom_workloads", *BUILT_IN})
"""Whoever makes pods: of these only manifests count, for those of the cluster are judged by an audit of the cluster."""

NOT_READ = "DRA001"
"""The code under which it is told what could not be read."""


def codes() -> tuple[str, ...]:
    """The checks that judge manifests, sorted."""
    return tuple(code for code, check in checks().items() if check.page.manifests)


def kinds_beside() -> tuple[str, ...]:
    """What these checks want to know of a cluster: fields of a Snapshot, sorted."""
    pages = (check.page for check in checks().values() if check.page.manifests)
    return tuple(sorted({kind for page in pages for kind in (*page.needs, *page.also)} - USERS))


def judge(
    manifests: Manifests,
    cluster: Snapshot | None = None,
    *,
    scope: Scope = EVERYTHING,
    selection: Selection = ALL_FINDINGS,
    without: str = "",
) -> AuditReport:
    """The report on `manifests`. `without` says why there is no cluster beside them, if there is none."""
    classes = tuple(each for layer in manifests.layers for each in layer.snapshot.device_classes)
    findings: list[Finding] = []
    unknown = [Unknown(NOT_READ, told) for told in manifests.unread]
    for layer in manifests.layers:
        case = Case(beside(layer.snapshot, cluster, classes), scope)
        examination = examine(case, codes())
        places = _places(layer)
        for sighting in examination.sightings:
            findings += _placed(sighting, places)
        # which kinds of the cluster were not read is told once, not by each check
        unknown += (each for each in examination.unknown if not each.reason.startswith(PARTLY))
    unknown += _doubts(cluster, without)
    return AuditReport(
        cluster=audited(cluster.cluster) if cluster is not None else AuditedCluster("", "", "", ""),
        names=(),
        findings=ordered(each for each in findings if selection.has(each.code, each.severity)),
        unknown=tuple(sorted({each for each in unknown if selection.has_code(each.code) or each.code == NOT_READ})),
        asked=asked(codes(), scope, selection),
        manifests=ManifestsRead(manifests.path, manifests.files, manifests.objects),
    )


def beside(manifests: Snapshot, cluster: Snapshot | None, classes: Iterable[object] = ()) -> Snapshot:
    """The manifests as they would stand in the cluster: its users of devices left out, its other objects replaced by manifests of theirs.

    Users are read then; of a kind that the cluster did not tell in full there are the manifests, and nobody knows of more: it is not read
    in full, and a check looks at what there is. `classes` are those of all layers.
    """
    base = cluster if cluster is not None else Snapshot()
    changed: dict[str, object] = {"custom_workloads": manifests.custom_workloads}
    for field in KINDS:
        ours: KindReading[object] = getattr(manifests, field)
        theirs: KindReading[object] = getattr(base, field)
        if field in USERS:
            changed[field] = KindReading(ours.items)
            continue
        items = _overlaid(theirs.items, (*classes, *ours.items) if field == "device_classes" else ours.items)
        changed[field] = KindReading(items, state=ReadState.READ if theirs.known else ReadState.EXPIRED)
    return msgspec.structs.replace(base, **changed)


def _overlaid(theirs: Iterable[object], ours: Iterable[object]) -> tuple[object, ...]:
    """The last object of each name."""
    return tuple({_key(item): item for item in (*theirs, *ours)}.values())


def _key(item: object) -> tuple[str, str]:
    metadata = item.metadata  # type: ignore[attr-defined] # every object of a Snapshot has it
    return (metadata.namespace or "", metadata.name)


def _places(layer: ManifestLayer) -> Mapping[ObjectRef, Place]:
    found = {}
    for key, place in layer.places.items():
        ref = ObjectRef(kind_name(key.kind, key.group), key.namespace, key.name)
        found[ref] = Place(place.file, place.line, ref)
    return found


def _placed(sighting: Sighting, places: Mapping[ObjectRef, Place]) -> Iterator[Finding]:
    """The finding with its places, if it is about a manifest. Of its steps the words stay: what is only written can not be patched."""
    finding = sighting.finding()
    found = tuple(sorted(places[each] for each in finding.objects if each in places))
    if found:
        yield msgspec.structs.replace(
            finding,
            settled=isinstance(sighting.candidate.settling, Now),
            fix=tuple(step for step in finding.fix if step.startswith("#")),
            places=found,
        )


def _doubts(cluster: Snapshot | None, without: str) -> Iterator[Unknown]:
    if cluster is None:
        reason = f"no cluster was read beside the manifests{f' ({without})' if without else ''}: which classes map a name is known"
        yield Unknown(NOT_READ, f"{reason} from the manifests alone, and who serves it on which node is not")
    elif missing := gaps(cluster, kinds_beside()):
        yield Unknown(NOT_READ, f"of the cluster beside the manifests not everything is known: {in_words(missing)}")
