"""Who makes a pod: the top of its owner chain, by kind and name, even if that object could not be read."""

from collections.abc import Iterator
from typing import NamedTuple

from kubectl_dra.objects.meta import ObjectMeta
from kubectl_dra.objects.pod import Pod, PodTemplateSpec
from kubectl_dra.objects.snapshot import KINDS, Snapshot
from kubectl_dra.objects.workload import Workload

BUILT_IN = ("deployments", "replica_sets", "stateful_sets", "daemon_sets", "jobs", "cron_jobs", "replication_controllers")
"""The fields of a Snapshot that hold Kubernetes' own controllers of pods."""


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
        for kind, workload in built_in(snapshot):
            self._note(kind, workload.metadata)
        for reading in snapshot.custom_workloads.values():
            for custom in reading:
                self._note(custom.kind, custom.metadata)

    def _note(self, kind: str, meta: ObjectMeta) -> None:
        controller = meta.controller
        if controller is not None:
            namespace = meta.namespace or ""
            self._above[Owner(namespace, kind, meta.name)] = Owner(namespace, controller.kind, controller.name)

    def top(self, owner: Owner) -> Owner:
        """The end of the chain that begins with `owner`."""
        found = self._tops.get(owner)
        if found is None:
            seen, found = {owner}, owner
            while (above := self._above.get(found)) is not None and above not in seen:
                seen.add(above)
                found = above
            self._tops[owner] = found
        return found

    def top_of(self, pod: Pod) -> Owner:
        """The end of a pod's chain. Static pods are nobody's: their node only mirrors them."""
        namespace, controller = pod.metadata.namespace or "", pod.metadata.controller
        if controller is None or controller.kind == "Node":
            return Owner(namespace, "Pod", pod.metadata.name)
        return self.top(Owner(namespace, controller.kind, controller.name))


def built_in(snapshot: Snapshot) -> Iterator[tuple[str, Workload]]:
    """Kubernetes' own controllers with their kinds."""
    for field in BUILT_IN:
        for workload in getattr(snapshot, field):
            yield KINDS[field], workload


def template_of(workload: Workload) -> PodTemplateSpec | None:
    """What the controller makes pods from; a CronJob's is that of its Jobs."""
    spec = workload.spec
    return spec.template or (spec.job_template.spec.template if spec.job_template else None)
