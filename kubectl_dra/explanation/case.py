"""What all parts of an explanation need of the pod and the cluster, computed once."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import cached_property

from kubectl_dra.allocation.allocator import never
from kubectl_dra.allocation.pod import PodOnNode, PodPlanner
from kubectl_dra.explanation.unready_pools import UnreadyPools
from kubectl_dra.extended_resources.asked import Asked
from kubectl_dra.extended_resources.classes import Resolution, resolve
from kubectl_dra.extended_resources.names import is_dra_extended_resource_name
from kubectl_dra.extended_resources.requests import scalar_requests
from kubectl_dra.inventory.holders import Holders, holders
from kubectl_dra.inventory.pools import DeviceId
from kubectl_dra.inventory.servers import Servers
from kubectl_dra.objects.event import Event
from kubectl_dra.objects.meta import timestamp
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.resource import ResourceClaim, ResourceClaimTemplate
from kubectl_dra.objects.snapshot import Snapshot

MOST_STEPS = 200_000
"""Steps of the search for one node, each a few microseconds: past it the answer is "unknown", as the scheduler's is a timeout."""


class PodCase:
    """One pod in one reading of a cluster. `exists` is false for a pod that only stands in a manifest."""

    def __init__(self, snapshot: Snapshot, pod: Pod, *, exists: bool = True, expired: Callable[[], bool] = never) -> None:
        """Take the reading and the pod. Raises AllocationError for quantities that are none."""
        self.snapshot = snapshot
        self.pod = pod
        self.exists = exists
        self.extended_resources = Servers(snapshot).extended_resources
        self.planner = PodPlanner(snapshot, extended_resources=self.extended_resources is not False)
        self.expired = expired

    def of(self, snapshot: Snapshot, pod: Pod) -> "PodCase":
        """The same about a pod and a cluster that something was added to."""
        return PodCase(snapshot, pod, exists=self.exists, expired=self.expired)

    def on_node(self, node: Node) -> PodOnNode:
        """What the scheduler would make of the pod on the node."""
        return self.planner.on_node(self.pod, node, expired=self.expired, most_steps=MOST_STEPS)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The extended resources, implicit names included, that the pod asks for."""
        return tuple(name for name in scalar_requests(self.pod.spec) if is_dra_extended_resource_name(name))

    @cached_property
    def classes(self) -> Resolution:
        """What names are meant to mean to the cluster's scheduler."""
        cluster = self.snapshot.cluster
        classes = () if self.extended_resources is False else self.snapshot.device_classes
        return resolve(classes, cluster.emulated or cluster.version)

    @cached_property
    def holders(self) -> Mapping[DeviceId, Holders]:
        """Every device that is given to anybody."""
        return holders(self.snapshot.resource_claims)

    @cached_property
    def claims(self) -> Mapping[tuple[str, str], ResourceClaim]:
        """Claims by namespace and name."""
        return {(each.metadata.namespace or "", each.metadata.name): each for each in self.snapshot.resource_claims}

    @cached_property
    def nodes(self) -> Mapping[str, Node]:
        """Nodes by name."""
        return {each.metadata.name: each for each in self.snapshot.nodes}

    @cached_property
    def pods_on(self) -> Mapping[str, tuple[Pod, ...]]:
        """Pods that are not finished, by the node that they are bound to."""
        found: dict[str, list[Pod]] = defaultdict(list)
        for each in self.snapshot.pods:
            if each.node_name and not each.finished:
                found[each.node_name].append(each)
        return {node: tuple(pods) for node, pods in found.items()}

    def users_on(self, node: str, name: str) -> tuple[tuple[str, int], ...]:
        """The pods on a node that ask for an extended resource, `namespace/name`, and for how many devices."""
        found = ((each, self._asked.of(each.spec).get(name, 0)) for each in self.pods_on.get(node, ()))
        return tuple(sorted((f"{each.metadata.namespace}/{each.metadata.name}", count) for each, count in found if count))

    @cached_property
    def _asked(self) -> Asked:
        return Asked()

    @cached_property
    def templates(self) -> Mapping[str, ResourceClaimTemplate]:
        """The claim templates of the pod's namespace, by name."""
        namespace = self.pod.metadata.namespace or ""
        return {each.metadata.name: each for each in self.snapshot.resource_claim_templates if (each.metadata.namespace or "") == namespace}

    @cached_property
    def unready_pools(self) -> UnreadyPools:
        """Pools of which nothing is given out."""
        return UnreadyPools(self.snapshot)

    def claim(self, name: str) -> ResourceClaim | None:
        """The claim of that name in the pod's namespace."""
        return self.claims.get((self.pod.metadata.namespace or "", name))

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """The events about the pod, the latest first."""
        meta = self.pod.metadata
        own = [
            each
            for each in self.snapshot.events
            if (each.involved_object.kind, each.involved_object.namespace, each.involved_object.name) == ("Pod", meta.namespace, meta.name)
            and each.involved_object.uid in (None, meta.uid)
        ]
        return tuple(sorted(own, key=lambda each: _seconds(each.last_time), reverse=True))

    def event(self, *reasons: str) -> Event | None:
        """The latest event with one of these reasons."""
        return next((each for each in self.events if each.reason in reasons), None)

    def seconds_since(self, moment: str | None) -> float | None:
        """Seconds from a moment of an object to the reading; None when either is not known. Negative: it is still to come."""
        then, now = timestamp(moment), timestamp(self.snapshot.cluster.read_at)
        return None if then is None or now is None else (now - then).total_seconds()


def _seconds(moment: str | None) -> float:
    found = timestamp(moment)
    return 0.0 if found is None else found.timestamp()
