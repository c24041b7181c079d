"""Who makes a pod: the top of its owner chain, by kind and name, even if that object could not be read."""

from collections.abc import Iterator
from functools import cache, cached_property
from typing import NamedTuple

from kubectl_dra.knowledge.workloads import Between, custom_kinds
from kubectl_dra.objects.meta import ObjectMeta, OwnerReference
from kubectl_dra.objects.pod import Pod, PodTemplateSpec
from kubectl_dra.objects.snapshot import KINDS, Snapshot
from kubectl_dra.objects.workload import CustomWorkload, Workload

BUILT_IN = ("deployments", "replica_sets", "stateful_sets", "daemon_sets", "jobs", "cron_jobs", "replication_controllers")
"""The fields of a Snapshot that hold Kubernetes' own controllers of pods."""

_GROUPS = {"ReplicationController": "", "Job": "batch", "CronJob": "batch"} | dict.fromkeys(
    ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"), "apps"
)
"""API groups of the kinds in BUILT_IN."""


class Owner(NamedTuple):
    """An object that makes pods; a pod that nobody makes is its own."""

    namespace: str
    kind: str
    name: str


class Owners:
    """The owner chains of one snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Note who controls whom among the controllers that were read."""
        self._above: dict[Owner, Owner] = {}
        self._tops: dict[Owner, Owner] = {}
        self._pods = snapshot.pods
        for kind, workload in built_in(snapshot):
            self._note(kind, workload.metadata, workload.metadata.controller)
        for name, reading in snapshot.custom_workloads.items():
            repeats = name in _repeating()
            for custom in reading:
                maker = custom.metadata.controller
                if maker is None and repeats:
                    maker = next(iter(custom.metadata.owner_references or ()), None)
                self._note(custom_kind(custom), custom.metadata, maker)

    def _note(self, kind: str, meta: ObjectMeta, maker: OwnerReference | None) -> None:
        if maker is not None:
            self._above[Owner(meta.namespace or "", kind, meta.name)] = _owner(meta, maker)

    def top(self, owner: Owner) -> Owner:
        """The end of the chain that begins with `owner`."""
        found = self._tops.get(owner)
        if found is None:
            seen, found = {owner}, owner
            while (above := self._maker(found)) is not None and above not in seen:
                seen.add(above)
                found = above
            self._tops[owner] = found
        return found

    def _maker(self, owner: Owner) -> Owner | None:
        return self._makers_of_pods.get(owner) if owner.kind == "Pod" else self._above.get(owner)

    @cached_property
    def _makers_of_pods(self) -> dict[Owner, Owner]:
        """For pods that make others: the leader of a LeaderWorkerSet owns its workers' StatefulSet, a Spark driver its executors."""
        return {
            Owner(pod.metadata.namespace or "", "Pod", pod.metadata.name): _owner(pod.metadata, maker)
            for pod in self._pods
            if (maker := pod.metadata.controller) is not None and maker.kind != "Node"
        }

    def top_of(self, pod: Pod) -> Owner:
        """The end of a pod's chain. Static pods are nobody's: their node only mirrors them."""
        controller = pod.metadata.controller
        if controller is None or controller.kind == "Node":
            return Owner(pod.metadata.namespace or "", "Pod", pod.metadata.name)
        return self.top(_owner(pod.metadata, controller))


def _owner(owned: ObjectMeta, reference: OwnerReference) -> Owner:
    """Whom a reference means; past kinds that are not read, where the name of what stands above them is known."""
    namespace = owned.namespace or ""
    group = (reference.api_version or "").rpartition("/")[0]
    found = _between().get((reference.kind, group))
    if found is not None:
        kind, between = found
        name = (owned.labels or {}).get(between.label) if between.label else reference.name
        if name:
            return Owner(namespace, kind, name)
    return Owner(namespace, kind_name(reference.kind, group), reference.name)


def kind_name(kind: str, group: str) -> str:
    """The kind as people say it; with its group (`Job.batch.volcano.sh`) where Kubernetes itself has a kind of that name."""
    own = _GROUPS.get(kind)
    return kind if own is None or group in ("", own) else f"{kind}.{group}"


def custom_kind(custom: CustomWorkload) -> str:
    """The kind of a custom object, as `kind_name` has it."""
    return kind_name(custom.kind, custom.api_version.rpartition("/")[0])


@cache
def _between() -> dict[tuple[str, str], tuple[str, Between]]:
    """By kind and group of what is not read: the kind above it, and how to find that one's name."""
    return {(between.kind, kind.group): (kind_name(kind.kind, kind.group), between) for kind in custom_kinds() for between in kind.between}


@cache
def _repeating() -> frozenset[str]:
    return frozenset(kind.name for kind in custom_kinds() if kind.repeats)


def built_in(snapshot: Snapshot) -> Iterator[tuple[str, Workload]]:
    """Kubernetes' own controllers with their kinds."""
    for field in BUILT_IN:
        for workload in getattr(snapshot, field):
            yield KINDS[field], workload


def template_of(workload: Workload) -> PodTemplateSpec | None:
    """What the controller makes pods from; a CronJob's is that of its Jobs."""
    spec = workload.spec
    return spec.template or (spec.job_template.spec.template if spec.job_template else None)
