"""The list of device classes: which name each maps, who wins where two map one, and what is risky about that."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from kubectl_dra.extended_resources.asked import Asked
from kubectl_dra.extended_resources.classes import Resolution, Standing, State, resolve
from kubectl_dra.extended_resources.names import implicit_name, implicit_name_usable
from kubectl_dra.inventory.asking import namespace_asking
from kubectl_dra.inventory.devices import ClassDevices
from kubectl_dra.inventory.document import ClassItem, ClassList, ClassWarning, ObjectName
from kubectl_dra.inventory.known import known, unknown_kinds
from kubectl_dra.inventory.servers import Servers, failing
from kubectl_dra.knowledge.faults import fault
from kubectl_dra.knowledge.gates import EXTENDED_RESOURCE
from kubectl_dra.objects.meta import timestamp
from kubectl_dra.objects.resource import DeviceClass, ResourceClaim
from kubectl_dra.objects.snapshot import Snapshot
from kubectl_dra.remedies.helm import release_of
from kubectl_dra.remedies.lost_mapping import LOST_MAPPING, leave_to_one, without_name

_READ = ("device_classes", "pods", "resource_claims", "resource_slices")


def class_list(snapshot: Snapshot, names: Iterable[str] = (), *, duplicates: bool = False) -> ClassList:
    """All classes, those of `names`, or (`duplicates`) those that share their extended resource name; by name."""
    resolution = resolve(snapshot.device_classes, snapshot.cluster.version)
    wanted = set(names)
    shown = [
        standing
        for standing in resolution.standings
        if (not wanted or standing.device_class.metadata.name in wanted)
        and (not duplicates or standing.state not in (State.ONLY, State.NONE))
    ]
    using = _pods_by_class(snapshot) if known(snapshot.resource_claims) else None
    waiting = _waiting_by_class(snapshot, resolution) if known(snapshot.pods) else None
    published = ClassDevices(snapshot)
    return ClassList(
        items=tuple(_item(snapshot, standing, using, waiting, published) for standing in shown),
        warnings=tuple(_warnings(snapshot, resolution, {standing.name for standing in shown})),
        unknown=unknown_kinds(snapshot, _READ),
    )


def _item(
    snapshot: Snapshot, standing: Standing, using: dict[str, set[str]] | None, waiting: dict[str, int] | None, published: ClassDevices
) -> ClassItem:
    meta = standing.device_class.metadata
    selected = published.everywhere(standing.device_class)
    return ClassItem(
        class_=meta.name,
        extended_resource_name=standing.name,
        state=standing.state.value,
        winner=standing.winner,
        why=None if standing.why is None else str(standing.why),
        implicit_name=implicit_name(meta.name),
        implicit_usable=implicit_name_usable(meta.name),
        created_at=meta.creation_timestamp,
        age_seconds=_age(snapshot, standing.device_class),
        helm_release=_helm_release(standing.device_class),
        pods=None if using is None else len(using.get(meta.name, ())),
        waiting=None if waiting is None else waiting.get(meta.name, 0),
        notes=(*_notes(snapshot, standing), *_about_devices(published, standing.device_class)),
        devices=None if selected is None else len(selected),
    )


def _age(snapshot: Snapshot, device_class: DeviceClass) -> int | None:
    """Seconds from its creation to the reading; None when one of the times is not known."""
    created, read = timestamp(device_class.metadata.creation_timestamp), timestamp(snapshot.cluster.read_at)
    return int((read - created).total_seconds()) if created and read else None


def _helm_release(device_class: DeviceClass) -> ObjectName | None:
    """The Helm release that owns the class: removing it removes the class (and with it the name's mapping)."""
    release = release_of(device_class.metadata)
    return None if release is None else ObjectName(*release)


def _notes(snapshot: Snapshot, standing: Standing) -> Iterator[str]:
    name = standing.device_class.metadata.name
    if not implicit_name_usable(name):
        yield "no pod can write the implicit name: what follows the slash may have 63 characters at most"
    if standing.state is State.LOSES and _loses_mappings(snapshot):
        yield "the scheduler may lack the implicit name of a class that lost (kubernetes/kubernetes#141103)"


def _about_devices(published: ClassDevices, device_class: DeviceClass) -> Iterator[str]:
    """Selectors that fail, or that cannot be judged."""
    if published.known:
        yield from filter(None, (failing(published.failures(device_class)), published.undecided(device_class)))


def _pods_by_class(snapshot: Snapshot) -> dict[str, set[str]]:
    """UIDs of the pods that have reserved a claim with a request of each class."""
    found: dict[str, set[str]] = defaultdict(set)
    for claim in snapshot.resource_claims:
        consumers = {each.uid for each in claim.status.reserved_for or () if each.resource == "pods"}
        for name in _requested_classes(claim):
            found[name] |= consumers
    return found


def _requested_classes(claim: ResourceClaim) -> set[str]:
    """The classes that the claim's requests name; of alternatives only those that were given devices."""
    given = {result.request for result in (claim.status.allocation.devices.results or ())} if claim.status.allocation else set()
    found = set()
    for request in claim.spec.devices.requests or ():
        if request.exactly is not None:
            found.add(request.exactly.device_class_name)
        found.update(each.device_class_name for each in request.first_available or () if f"{request.name}/{each.name}" in given)
    return found


def _waiting_by_class(snapshot: Snapshot, resolution: Resolution) -> dict[str, int]:
    """How many pods without a node ask for a name that means the class."""
    found: dict[str, int] = {}
    asked = Asked()
    for pod in snapshot.pods:
        if pod.node_name is None and not pod.finished:
            for name in set(resolution.class_names(asked.of(pod.spec)).values()):
                found[name] = found.get(name, 0) + 1
    return found


def _loses_mappings(snapshot: Snapshot) -> bool:
    return bool(LOST_MAPPING.affects(snapshot.cluster.version))


def _warnings(snapshot: Snapshot, resolution: Resolution, shown: set[str | None]) -> Iterator[ClassWarning]:
    servers = Servers(snapshot)
    mapping = sorted({standing.name for standing in resolution.standings if standing.name and standing.name in shown})
    if mapping and (servers.extended_resources is False or servers.gate_unknown):
        yield _off(mapping, sure=not servers.gate_unknown)
    for name in resolution.contested:
        if name not in shown:
            continue
        contenders = resolution.contenders(name)
        if fault("random-class").affects(snapshot.cluster.version):
            yield _random(name, contenders)
        elif _loses_mappings(snapshot):
            yield _losing(snapshot, name, contenders)


def _off(names: list[str], *, sure: bool) -> ClassWarning:
    gate, served = f"The feature gate {EXTENDED_RESOURCE}", f"no class serves {', '.join(names)}"
    perhaps = f"{gate} is off here by default, and whether it was turned on could not be read. If not, {served}."
    return ClassWarning(
        names[0],
        f"{gate} is off here: {served}." if sure else perhaps,
        ("# turn the gate on in kube-apiserver, kube-scheduler, kube-controller-manager and the kubelets, or upgrade to 1.36 or later",),
        ("kubernetes: pkg/features/kube_features.go",),
    )


def _random(name: str, contenders: tuple[Standing, ...]) -> ClassWarning:
    classes = [standing.device_class.metadata.name for standing in contenders]
    return ClassWarning(
        name,
        f"Kubernetes 1.34 takes any of {', '.join(classes)} for {name}, and may take another one after a restart: the choice is random.",
        (f"# leave {name} to one class", *(f"# {without_name(each)}" for each in classes)),
        fault("random-class").source,
    )


def _losing(snapshot: Snapshot, name: str, contenders: tuple[Standing, ...]) -> ClassWarning:
    """What gets lost, and the order that is safe."""
    stays = next((standing for standing in contenders if standing.state is State.WINS), contenders[0])
    losers = [standing.device_class for standing in contenders if standing is not stays]
    return ClassWarning(
        name,
        f"Kubernetes {snapshot.cluster.version}: removing either duplicate of {name}, or its name, leaves the name mapped to NOTHING until"
        " the class that is left is updated. Do it in this order:",
        leave_to_one(name, stays.device_class, losers, namespace_asking(snapshot, name) or "default"),
        LOST_MAPPING.source,
    )
