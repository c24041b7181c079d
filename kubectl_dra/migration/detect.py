"""Which profile a node's device plugin belongs to: proposed to people, never taken unasked."""

from collections.abc import Iterable, Iterator

from kubectl_dra.audit.words import listed
from kubectl_dra.inventory.cluster import names_on
from kubectl_dra.migration.document import ProfileList, ProfileSummary
from kubectl_dra.migration.profile import Part, Profile
from kubectl_dra.migration.target import pods_of, slices_of
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.snapshot import Snapshot


def detected(profile: Profile, snapshot: Snapshot, node: Node | None = None) -> tuple[str, ...]:
    """What of the profile is there, as sentences: on the node, or anywhere where none is given. Empty: nothing.

    Resources and drivers alone prove nothing, because every installer of a vendor has the same; they are told beside the rest.
    """
    nodes = (node,) if node is not None else tuple(snapshot.nodes)
    names = frozenset(each.metadata.name for each in nodes)
    found = [*_labels(profile, nodes), *_pods(profile.plugin, "device plugin", snapshot, names)]
    if not found:
        return ()
    return (*found, *_pods(profile.driver, "DRA driver", snapshot, names), *_devices(profile, snapshot, nodes))


def summaries(profiles: Iterable[Profile], snapshot: Snapshot | None, node: str = "", *, builtin: bool = True) -> ProfileList:
    """The profiles, with what is there of each; without a snapshot nobody looked."""
    found = next((each for each in snapshot.nodes if each.metadata.name == node), None) if snapshot is not None and node else None
    return ProfileList(
        items=tuple(
            ProfileSummary(each.name, each.title, builtin, detected(each, snapshot, found) if snapshot is not None else ())
            for each in profiles
        )
    )


def _labels(profile: Profile, nodes: Iterable[Node]) -> Iterator[str]:
    for key in profile.detect.node_labels:
        having = sorted(node.metadata.name for node in nodes if key in (node.metadata.labels or {}))
        if having:
            yield f"label {key} on {listed(having)}"


def _pods(part: Part, what: str, snapshot: Snapshot, nodes: frozenset[str]) -> Iterator[str]:
    pods = [f"{pod.metadata.namespace}/{pod.metadata.name}" for pod in pods_of(part, snapshot.pods) if pod.node_name in nodes]
    if pods:
        yield f"{what} {listed(pods, 2)}"


def _devices(profile: Profile, snapshot: Snapshot, nodes: Iterable[Node]) -> Iterator[str]:
    served = {name for node in nodes for name in names_on(node) if profile.resources and profile.serves(name)}
    if served:
        yield f"extended resource {listed(sorted(served))}"
    published = {each.spec.driver for node in nodes for each in slices_of(snapshot.resource_slices, node.metadata.name, profile.drivers)}
    if published:
        yield f"driver {listed(sorted(published))} publishes devices"
