"""Short factories for Kubernetes objects: `node("a", gpu=8)`, `pod("train-1", gpu=2, node="a")`.

`gpu` is `example.com/gpu`; other names go in `resources` or `capacity`/`allocatable`.
"""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from kubectl_dra.objects.meta import LabelSelector, ObjectMeta, OwnerReference
from kubectl_dra.objects.node import Node, NodeSelector, NodeSpec, NodeStatus, NodeSystemInfo, Taint
from kubectl_dra.objects.pod import (
    Container,
    ExtendedResourceClaimStatus,
    HostPathVolume,
    Pod,
    PodSpec,
    PodStatus,
    PodTemplateSpec,
    RequestMapping,
    ResourceRequirements,
    Volume,
)
from kubectl_dra.objects.policy import (
    CSIDriver,
    PodDisruptionBudget,
    PodDisruptionBudgetSpec,
    PodDisruptionBudgetStatus,
    ResourceQuota,
    ResourceQuotaSpec,
    ResourceQuotaStatus,
)
from kubectl_dra.objects.resource import (
    AllocationResult,
    CELDeviceSelector,
    Device,
    DeviceAllocationResult,
    DeviceClass,
    DeviceClassSpec,
    DeviceRequestAllocationResult,
    DeviceSelector,
    DeviceTaint,
    DeviceTaintRule,
    ResourceClaim,
    ResourceClaimConsumerReference,
    ResourceClaimStatus,
    ResourcePool,
    ResourceSlice,
    ResourceSliceSpec,
)
from kubectl_dra.objects.shape import QuantityText
from kubectl_dra.objects.snapshot import ClusterInfo, KindReading, ReadState, Snapshot, Version
from kubectl_dra.objects.workload import (
    CustomWorkload,
    JobTemplate,
    JobTemplateWorkloadSpec,
    TemplateUse,
    Workload,
    WorkloadSpec,
    WorkloadStatus,
)

GPU = "example.com/gpu"
DRIVER = "gpu.example.com"
T = TypeVar("T")


def meta(
    name: str,
    namespace: str | None = None,
    *,
    created: str | None = None,
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
    owner: tuple[str, str] | None = None,
) -> ObjectMeta:
    """Metadata; `owner` is kind and name of the controller, its apiVersion after a space if it matters (`"JobSet jobset.x-k8s.io/v1"`)."""
    owners = None
    if owner is not None:
        kind, _, api_version = owner[0].partition(" ")
        owners = (OwnerReference(kind, owner[1], f"uid-{owner[1]}", api_version or None, controller=True),)
    return ObjectMeta(
        name, namespace, uid=f"uid-{name}", creation_timestamp=created, labels=labels, annotations=annotations, owner_references=owners
    )


def node(
    name: str,
    gpu: QuantityText | None = None,
    *,
    capacity: Mapping[str, QuantityText] | None = None,
    allocatable: Mapping[str, QuantityText] | None = None,
    kubelet: str = "v1.37.2",
    cordoned: bool = False,
    taints: Iterable[Taint] = (),
    labels: Mapping[str, str] | None = None,
) -> Node:
    """A node whose kubelet offers `gpu`; `allocatable` overrides what follows from the capacity."""
    has = {**({} if gpu is None else {GPU: gpu}), **(capacity or {})}
    can = {**has, **(allocatable or {})}
    return Node(
        meta(name, labels=labels),
        NodeSpec(unschedulable=cordoned or None, taints=tuple(taints) or None),
        NodeStatus(has, can, node_info=NodeSystemInfo(kubelet)),
    )


def container(name: str = "main", resources: Mapping[str, QuantityText] | None = None, gpu: QuantityText | None = None) -> Container:
    """A container that limits and requests `resources` and `gpu`."""
    asked = {**({} if gpu is None else {GPU: gpu}), **(resources or {})}
    return Container(name, resources=ResourceRequirements(asked, asked) if asked else None)


def pod_spec(gpu: QuantityText | None = None, resources: Mapping[str, QuantityText] | None = None, node: str | None = None) -> PodSpec:
    """A spec with one container."""
    asked = {**({} if gpu is None else {GPU: gpu}), **(resources or {})}
    return PodSpec(containers=(container("main", asked),), node_name=node)


def pod(
    name: str,
    gpu: QuantityText | None = None,
    *,
    namespace: str = "default",
    resources: Mapping[str, QuantityText] | None = None,
    node: str | None = None,
    phase: str | None = None,
    labels: Mapping[str, str] | None = None,
    owner: tuple[str, str] | None = None,
    claim: str | None = None,
    mounts: Iterable[str] = (),
    spec: PodSpec | None = None,
) -> Pod:
    """A pod: running where it has a node, else pending. `claim` is its generated claim, `mounts` the node's folders it mounts."""
    asked = {**({} if gpu is None else {GPU: gpu}), **(resources or {})}
    volumes = tuple(Volume(f"v{index}", HostPathVolume(path)) for index, path in enumerate(mounts))
    mappings = tuple(RequestMapping("main", resource, f"container-0-request-{index}") for index, resource in enumerate(sorted(asked)))
    return Pod(
        meta(name, namespace, labels=labels, owner=owner),
        spec or PodSpec(containers=(container("main", asked),), node_name=node, volumes=volumes or None),
        PodStatus(
            phase=phase or ("Running" if node else "Pending"),
            extended_resource_claim_status=ExtendedResourceClaimStatus(claim, mappings) if claim else None,
        ),
    )


def device_class(
    name: str,
    maps: str | None = None,
    *,
    created: str | None = "2026-01-01T00:00:00Z",
    driver: str | None = DRIVER,
    selectors: Iterable[str] | None = None,
    release: str | None = None,
) -> DeviceClass:
    """A class that maps a name and selects the devices of one driver; `release` is the Helm release that made it."""
    expressions = selectors if selectors is not None else (f'device.driver == "{driver}"',) if driver else ()
    annotations = {"meta.helm.sh/release-name": release, "meta.helm.sh/release-namespace": "drivers"} if release else None
    return DeviceClass(
        meta(name, created=created, annotations=annotations, labels={"app.kubernetes.io/managed-by": "Helm"} if release else None),
        DeviceClassSpec(tuple(DeviceSelector(CELDeviceSelector(each)) for each in expressions) or None, maps),
    )


def devices(count: int, *, first: int = 0, taint: str | None = None) -> tuple[Device, ...]:
    """`gpu-0`, `gpu-1`, ...; `taint` is the effect of a taint on each."""
    taints = (DeviceTaint("example.com/sick", None, taint),) if taint else None
    return tuple(Device(f"gpu-{index}", taints=taints) for index in range(first, first + count))


def resource_slice(
    node: str | None = None,
    has: int | Iterable[Device] = 0,
    *,
    driver: str = DRIVER,
    pool: str | None = None,
    generation: int = 1,
    slices: int = 1,
    name: str | None = None,
    all_nodes: bool | None = None,
    node_selector: NodeSelector | None = None,
    per_device: bool | None = None,
) -> ResourceSlice:
    """A slice of `has` devices (a number, or the devices), of a pool named after the node unless told otherwise."""
    pool_name = pool or node or "pool"
    listed = devices(has) if isinstance(has, int) else tuple(has)
    return ResourceSlice(
        meta(name or f"{pool_name}-{driver}-{generation}-{listed[0].name if listed else 'empty'}"),
        ResourceSliceSpec(driver, ResourcePool(pool_name, generation, slices), node, node_selector, all_nodes, per_device, devices=listed),
    )


def claim(
    name: str,
    *results: tuple[str, str],
    namespace: str = "default",
    driver: str = DRIVER,
    pod: str | None = None,
    extended: bool = True,
    admin: bool = False,
) -> ResourceClaim:
    """An allocated claim: `results` are pool and device of each. `pod` owns it and has it reserved."""
    allocated = tuple(
        DeviceRequestAllocationResult(f"request-{index}", driver, pool, device, admin_access=admin or None)
        for index, (pool, device) in enumerate(results)
    )
    return ResourceClaim(
        meta(
            name,
            namespace,
            annotations={"resource.kubernetes.io/extended-resource-claim": "true"} if extended else None,
            owner=("Pod v1", pod) if pod else None,
        ),
        status=ResourceClaimStatus(
            AllocationResult(DeviceAllocationResult(allocated)) if allocated else None,
            (ResourceClaimConsumerReference(None, "pods", pod, f"uid-{pod}"),) if pod else None,
        ),
    )


def workload(
    name: str,
    gpu: QuantityText | None = None,
    *,
    namespace: str = "default",
    replicas: int | None = None,
    parallelism: int | None = None,
    suspend: bool | None = None,
    resources: Mapping[str, QuantityText] | None = None,
    owner: tuple[str, str] | None = None,
    cron: bool = False,
    status: WorkloadStatus | None = None,
) -> Workload:
    """A controller with a template of one container; its kind is that of the list it is put in."""
    template = PodTemplateSpec(spec=pod_spec(gpu, resources))
    spec = (
        WorkloadSpec(suspend=suspend, job_template=JobTemplate(JobTemplateWorkloadSpec(parallelism, None, template)))
        if cron
        else WorkloadSpec(replicas, parallelism, suspend=suspend, template=template)
    )
    return Workload(meta(name, namespace, owner=owner), spec, status or WorkloadStatus())


def custom_workload(
    kind: str,
    name: str,
    gpu: QuantityText | None = None,
    *,
    api_version: str = "jobset.x-k8s.io/v1alpha2",
    namespace: str = "default",
    replicas: int | None = 1,
    suspended: bool | None = None,
    owner: tuple[str, str] | None = None,
) -> CustomWorkload:
    """A custom object with one pod template."""
    template = TemplateUse("spec.template", replicas, PodTemplateSpec(spec=pod_spec(gpu)))
    return CustomWorkload(api_version, kind, meta(name, namespace, owner=owner), (template,), suspended)


def quota(
    name: str, hard: Mapping[str, QuantityText], *, used: Mapping[str, QuantityText] | None = None, namespace: str = "default"
) -> ResourceQuota:
    """A quota with its status."""
    return ResourceQuota(meta(name, namespace), ResourceQuotaSpec(hard), ResourceQuotaStatus(hard, used))


def budget(name: str, selects: Mapping[str, str], *, allowed: int | None = 1, namespace: str = "default") -> PodDisruptionBudget:
    """A disruption budget."""
    return PodDisruptionBudget(
        meta(name, namespace), PodDisruptionBudgetSpec(LabelSelector(selects)), PodDisruptionBudgetStatus(disruptions_allowed=allowed)
    )


def csi_driver(name: str) -> CSIDriver:
    """A CSI driver."""
    return CSIDriver(meta(name))


def forbidden(resource: str = "things") -> KindReading[T]:
    """A kind that may not be listed."""
    return KindReading(state=ReadState.FORBIDDEN, reason=f'{resource} is forbidden: User "viewer" cannot list resource')


def snapshot(
    *objects: object,
    version: str = "v1.37.2",
    emulated: str | None = None,
    read_at: str = "2026-01-02T00:00:00Z",
    live: bool = True,
    custom: Iterable[CustomWorkload] = (),
    **readings: Iterable[object],
) -> Snapshot:
    """A snapshot of these objects: each goes where its type belongs, and every kind counts as read.

    Workloads go in by the name of their list: `deployments=[workload("web")]`. A KindReading (`forbidden()`) stands as it is.
    """
    fields: dict[str, KindReading[object]] = {}
    for field in Snapshot.__struct_fields__:
        if field in ("cluster", "custom_workloads", "feature_gates_state"):
            continue
        given = readings.pop(field, ())
        if isinstance(given, KindReading):
            fields[field] = given
        else:
            of_type = tuple(each for each in objects if _FIELDS.get(type(each)) == field)
            fields[field] = KindReading((*of_type, *given))
    if readings:
        raise TypeError(f"a snapshot has no {', '.join(readings)}")
    by_kind: dict[str, list[CustomWorkload]] = {}
    for each in custom:
        by_kind.setdefault(f"{each.kind}.{each.api_version.partition('/')[0]}", []).append(each)
    return Snapshot(
        cluster=ClusterInfo(
            "https://127.0.0.1:6443", "test", read_at, version, Version.of(version), Version.of(emulated or version), live=live
        ),
        custom_workloads={kind: KindReading(tuple(items)) for kind, items in by_kind.items()},
        **fields,  # type: ignore[arg-type]
    )


_FIELDS: Mapping[type, str] = {
    Node: "nodes",
    Pod: "pods",
    DeviceClass: "device_classes",
    ResourceSlice: "resource_slices",
    ResourceClaim: "resource_claims",
    ResourceQuota: "resource_quotas",
    DeviceTaintRule: "device_taint_rules",
    PodDisruptionBudget: "pod_disruption_budgets",
    CSIDriver: "csi_drivers",
}
