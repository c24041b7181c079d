"""Pods that do not exist yet: out of a manifest, with the claims that controllers would make for them."""

from collections.abc import Iterator

from msgspec.structs import replace

from kubectl_dra.allocation.foreseen import foreseen
from kubectl_dra.errors import UsageError
from kubectl_dra.objects.meta import ObjectMeta
from kubectl_dra.objects.pod import Pod, PodSpec, PodTemplateSpec
from kubectl_dra.objects.snapshot import KindReading, Snapshot
from kubectl_dra.objects.workload import Workload

_WORKLOADS = ("deployments", "replica_sets", "stateful_sets", "daemon_sets", "jobs", "cron_jobs", "replication_controllers")
_BESIDE = ("resource_claims", "resource_claim_templates")
"""Kinds that may stand in the manifest beside the pod, and count as made."""


def planned(snapshot: Snapshot, manifest: Snapshot, name: str | None, namespace: str) -> tuple[Snapshot, Pod]:
    """The pod of the manifest (of this name, where it has several), and the cluster as it would be when the pod comes.

    What makes pods (a Deployment, a Job) stands for one of them. Objects that name no namespace are of `namespace`.
    Raises UsageError when there is no such pod, or when it cannot be told which.
    """
    found = [each for each in _pods(manifest, namespace) if name in (None, each.metadata.name)]
    names = ", ".join(sorted({each.metadata.name for each in found}))
    if not found:
        raise UsageError(f"the manifest has no pod {name}" if name else "the manifest has no pod, and nothing that makes pods")
    if len(found) > 1:
        raise UsageError(f"the manifest has several pods: {names}", hint="Say which: kubectl dra explain pod NAME -f FILE.")
    beside = {field: _joined(getattr(snapshot, field), getattr(manifest, field), namespace) for field in _BESIDE}
    return foreseen(replace(snapshot, **beside), found[0])


def _pods(manifest: Snapshot, namespace: str) -> Iterator[Pod]:
    for pod in manifest.pods:
        yield _new(pod.metadata, pod.spec, namespace)
    for field in _WORKLOADS:
        workload: Workload
        for workload in getattr(manifest, field):
            template = _template(workload)
            if template is not None:
                yield _new(replace(workload.metadata, labels=template.metadata.labels), template.spec, namespace)
    for reading in manifest.custom_workloads.values():
        for custom in reading:
            for use in custom.templates or ():
                yield _new(replace(custom.metadata, labels=use.template.metadata.labels), use.template.spec, namespace)


def _template(workload: Workload) -> PodTemplateSpec | None:
    job = workload.spec.job_template
    return workload.spec.template or (job.spec.template if job is not None else None)


def _new(metadata: ObjectMeta, spec: PodSpec, namespace: str) -> Pod:
    """As it is when it has just been made: it has no node and no status."""
    meta = ObjectMeta(metadata.name or metadata.generate_name or "pod", metadata.namespace or namespace, labels=metadata.labels)
    return Pod(meta, spec)


def _joined(reading: KindReading[object], more: KindReading[object], namespace: str) -> KindReading[object]:
    """What is there, and what the manifest has that is not there."""
    placed = tuple(_placed(each, namespace) for each in more)
    there = {_key(each) for each in reading}
    return replace(reading, items=(*reading, *(each for each in placed if _key(each) not in there)))


def _placed(value: object, namespace: str) -> object:
    metadata: ObjectMeta = value.metadata  # type: ignore[attr-defined]
    return value if metadata.namespace else replace(value, metadata=replace(metadata, namespace=namespace))  # type: ignore[type-var]


def _key(value: object) -> tuple[str, str]:
    metadata: ObjectMeta = value.metadata  # type: ignore[attr-defined]
    return metadata.namespace or "", metadata.name
