"""Clusters for the audit's tests, in few words: `cluster(nodes=[node("a", allocatable={GPU: 8})], pods=[...])`."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import AuditReport, Finding
from kubectl_dra.audit.run import audit
from kubectl_dra.audit.scope import EVERYTHING, Scope
from kubectl_dra.audit.selection import Selection
from kubectl_dra.objects.meta import Condition, ObjectMeta, OwnerReference
from kubectl_dra.objects.node import Node, NodeSpec, NodeStatus, NodeSystemInfo
from kubectl_dra.objects.pod import (
    Container,
    ExtendedResourceClaimStatus,
    Pod,
    PodSpec,
    PodStatus,
    PodTemplateSpec,
    RequestMapping,
    ResourceRequirements,
)
from kubectl_dra.objects.policy import ResourceQuota, ResourceQuotaSpec, ResourceQuotaStatus
from kubectl_dra.objects.resource import (
    CELDeviceSelector,
    Device,
    DeviceClass,
    DeviceClassSpec,
    DeviceSelector,
    ResourcePool,
    ResourceSlice,
    ResourceSliceSpec,
)
from kubectl_dra.objects.snapshot import KINDS, ClusterInfo, KindReading, ReadState, Snapshot, Version
from kubectl_dra.objects.workload import Workload, WorkloadSpec

GPU = "example.com/gpu"
DRIVER = "gpu.example.com"


def node(
    name: str,
    *,
    allocatable: Mapping[str, Any] | None = None,
    capacity: Mapping[str, Any] | None = None,
    kubelet: str = "v1.37.2",
    cordoned: bool = False,
) -> Node:
    return Node(
        metadata=ObjectMeta(name=name),
        spec=NodeSpec(unschedulable=cordoned or None),
        status=NodeStatus(
            capacity=capacity if capacity is not None else allocatable,
            allocatable=allocatable,
            node_info=NodeSystemInfo(kubelet_version=kubelet),
        ),
    )


def asking(**containers: Mapping[str, Any]) -> PodSpec:
    """A pod spec with these containers, each asking for these resources."""
    return PodSpec(
        containers=tuple(
            Container(name=name, resources=ResourceRequirements(requests=asks, limits=asks)) for name, asks in containers.items()
        )
    )


def pod(
    name: str,
    asks: Mapping[str, Any] | None = None,
    *,
    namespace: str = "team",
    on: str | None = None,
    phase: str = "Running",
    served_by_claim: Iterable[str] = (),
    waits: str | None = None,
    owner: tuple[str, str] | None = None,
) -> Pod:
    """A pod that asks for `asks` in one container, on node `on`; `waits` is the scheduler's message; `owner` kind and name."""
    mappings = tuple(RequestMapping(container_name="main", resource_name=each, request_name="r") for each in served_by_claim)
    spec = asking(main=asks or {})
    scheduled = Condition(type="PodScheduled", status="False", reason="Unschedulable", message=waits)
    return Pod(
        metadata=ObjectMeta(
            name=name,
            namespace=namespace,
            owner_references=(OwnerReference(kind=owner[0], name=owner[1], uid=f"uid-{owner[1]}", controller=True),) if owner else None,
        ),
        spec=PodSpec(containers=spec.containers, node_name=on),
        status=PodStatus(
            phase="Pending" if waits is not None else phase,
            conditions=(scheduled,) if waits is not None else None,
            extended_resource_claim_status=ExtendedResourceClaimStatus(f"{name}-claim", mappings) if mappings else None,
        ),
    )


def workload(name: str, asks: Mapping[str, Any], *, namespace: str = "team", replicas: int | None = 1) -> Workload:
    return Workload(
        metadata=ObjectMeta(name=name, namespace=namespace, uid=f"uid-{name}"),
        spec=WorkloadSpec(replicas=replicas, template=PodTemplateSpec(spec=asking(main=asks))),
    )


def device_class(
    name: str,
    maps: str | None = None,
    *,
    created: str = "2026-11-30T10:00:00Z",
    driver: str = DRIVER,
    annotations: Mapping[str, str] | None = None,
) -> DeviceClass:
    selector = DeviceSelector(cel=CELDeviceSelector(expression=f'device.driver == "{driver}"'))
    return DeviceClass(
        metadata=ObjectMeta(name=name, creation_timestamp=created, annotations=annotations),
        spec=DeviceClassSpec(selectors=(selector,), extended_resource_name=maps),
    )


def resource_slice(node_name: str, devices: int = 4, *, driver: str = DRIVER) -> ResourceSlice:
    return ResourceSlice(
        metadata=ObjectMeta(name=f"{node_name}-{driver}"),
        spec=ResourceSliceSpec(
            driver=driver,
            pool=ResourcePool(name=node_name, generation=1, resource_slice_count=1),
            node_name=node_name,
            devices=tuple(Device(name=f"gpu-{number}") for number in range(devices)),
        ),
    )


def quota(name: str, hard: Mapping[str, Any], *, used: Mapping[str, Any] | None = None, namespace: str = "team") -> ResourceQuota:
    return ResourceQuota(
        metadata=ObjectMeta(name=name, namespace=namespace),
        spec=ResourceQuotaSpec(hard=hard),
        status=ResourceQuotaStatus(hard=hard, used=used),
    )


def cluster(
    version: str = "1.37.2", *, emulated: str = "", live: bool = True, gates: Mapping[str, bool] | None = None, **kinds: Iterable[object]
) -> Snapshot:
    """A cluster of that version, every kind read in full; `kinds` are lists of objects, or whole KindReadings."""
    custom = kinds.pop("custom_workloads", {})
    readings: dict[str, KindReading[Any]] = {field: KindReading() for field in KINDS}
    for field, objects in kinds.items():
        readings[field] = objects if isinstance(objects, KindReading) else KindReading(items=tuple(objects))
    info = ClusterInfo(
        server="https://cluster.example",
        context="test",
        read_at="2026-12-01T00:00:00Z",
        git_version=f"v{version}" if version else "",
        version=Version.of(version),
        emulated=Version.of(emulated or version),
        feature_gates=gates or {},
        live=live,
    )
    return msgspec.structs.replace(Snapshot(), cluster=info, custom_workloads=custom, **readings)


def forbidden(reason: str = "may not be listed") -> KindReading[Any]:
    return KindReading(state=ReadState.FORBIDDEN, reason=reason)


def report(snapshot: Snapshot, *select: str, scope: Scope = EVERYTHING) -> AuditReport:
    return audit(Case(snapshot, scope), Selection(select=select))


def findings(snapshot: Snapshot, code: str, *, scope: Scope = EVERYTHING) -> tuple[Finding, ...]:
    return report(snapshot, code, scope=scope).findings


def only(snapshot: Snapshot, code: str, *, scope: Scope = EVERYTHING) -> Finding:
    (finding,) = findings(snapshot, code, scope=scope)
    return finding


def unknown(snapshot: Snapshot, code: str) -> tuple[str, ...]:
    return tuple(each.reason for each in report(snapshot, code).unknown)


def names(finding: Finding) -> list[str]:
    return [str(each) for each in finding.objects]
