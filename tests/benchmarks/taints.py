"""What a taint rule would do on the large cluster: a snapshot in which every one of 16,000 devices is in use, half of them by workloads."""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from kubectl_dra.objects.meta import ObjectMeta, OwnerReference
from kubectl_dra.objects.node import Node, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, NodeStatus
from kubectl_dra.objects.pod import (
    Container,
    ExtendedResourceClaimStatus,
    Pod,
    PodResourceClaim,
    PodResourceClaimStatus,
    PodSpec,
    PodStatus,
    ResourceRequirements,
)
from kubectl_dra.objects.resource import (
    AllocationResult,
    CELDeviceSelector,
    Device,
    DeviceAllocationResult,
    DeviceClaim,
    DeviceClass,
    DeviceClassSpec,
    DeviceRequest,
    DeviceRequestAllocationResult,
    DeviceSelector,
    ExactDeviceRequest,
    ResourceClaim,
    ResourceClaimConsumerReference,
    ResourceClaimSpec,
    ResourceClaimStatus,
    ResourceClaimTemplate,
    ResourceClaimTemplateSpec,
    ResourcePool,
    ResourceSlice,
    ResourceSliceSpec,
)
from kubectl_dra.objects.snapshot import ClusterInfo, KindReading, Snapshot, Version
from kubectl_dra.objects.workload import Workload, WorkloadSpec
from kubectl_dra.reading import write_snapshot
from tests.benchmarks.measure import alternately
from tests.benchmarks.row import Row

NODES, DEVICES, OTHERS = 2000, 8, 17
DRIVER, CLASS, RESOURCE = "gpu.nvidia.com", "gpu.nvidia.com", "nvidia.com/gpu"
ALLOCATABLE = {"cpu": "64", "memory": "512Gi", "pods": "110"}
ASKS = {RESOURCE: "1", "cpu": "1"}


def previews(memory: float) -> Iterator[Row]:
    """The preview of one node's maintenance, and of a rule for every device, reading of the file included."""
    tool = str(Path(sys.executable).with_name("kubectl-dra"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.json"
        with path.open("wb") as out:
            write_snapshot(crowded(), out.write)
        for words, what in ((["--node=node-7"], "one node"), (["--all-devices"], f"{NODES * DEVICES} allocated devices")):
            command = [tool, "taint", "example.com/maintenance:NoExecute", *words, "--from", str(path), "-o", "json"]
            (taken,) = alternately(command, times=2)
            yield Row(f"taint preview, {what}, wall", taken.wall, 5, " s", f"{NODES * (DEVICES + OTHERS)} pods")
            yield Row(f"taint preview, {what}, peak memory", taken.anonymous, memory, " MB")


def crowded() -> Snapshot:
    """Every second node's pods have claims of templates, the others' have extended resources."""
    pods: list[Pod] = []
    claims: list[ResourceClaim] = []
    for number in range(NODES):
        for device in range(DEVICES):
            pod, claim = holder(number, device)
            pods.append(pod)
            claims.append(claim)
        pods += (bystander(number, each) for each in range(OTHERS))
    selector = DeviceSelector(CELDeviceSelector(f"device.driver == '{DRIVER}'"))
    sets = [Workload(ObjectMeta(f"train-{number}", "default", uid=f"set-{number}"), WorkloadSpec(replicas=400)) for number in range(40)]
    return Snapshot(
        cluster=ClusterInfo("large", read_at="2026-12-01T09:30:00Z", version=Version(1, 37, 2), emulated=Version(1, 37)),
        nodes=KindReading(tuple(map(node, range(NODES)))),
        pods=KindReading(tuple(pods)),
        device_classes=KindReading((DeviceClass(ObjectMeta(CLASS, uid="class"), DeviceClassSpec((selector,), RESOURCE)),)),
        resource_slices=KindReading(tuple(map(published, range(NODES)))),
        resource_claims=KindReading(tuple(claims)),
        resource_claim_templates=KindReading((template(),)),
        device_taint_rules=KindReading(),
        pod_disruption_budgets=KindReading(),
        replica_sets=KindReading(tuple(sets)),
    )


def template() -> ResourceClaimTemplate:
    asked = DeviceRequest("gpu", ExactDeviceRequest(CLASS, allocation_mode="ExactCount", count=1))
    return ResourceClaimTemplate(ObjectMeta("one", "default"), ResourceClaimTemplateSpec(spec=ResourceClaimSpec(DeviceClaim((asked,)))))


def node(number: int) -> Node:
    return Node(ObjectMeta(f"node-{number}", uid=f"node-{number}"), status=NodeStatus(ALLOCATABLE, ALLOCATABLE))


def published(number: int) -> ResourceSlice:
    devices = tuple(Device(f"gpu-{each}") for each in range(DEVICES))
    pool = ResourcePool(f"node-{number}", 1, 1)
    return ResourceSlice(ObjectMeta(f"slice-{number}"), ResourceSliceSpec(DRIVER, pool, f"node-{number}", devices=devices))


def holder(number: int, device: int) -> tuple[Pod, ResourceClaim]:
    name, extended, on = f"train-{number}-{device}", bool(number % 2), f"node-{number}"
    made = f"{name}-{'extended-resources' if extended else 'gpu'}-x7k2p"
    owner = OwnerReference("ReplicaSet", f"train-{number % 40}", f"set-{number % 40}", "apps/v1", controller=True)
    meta = ObjectMeta(name, "default", uid=f"uid-{name}", owner_references=(owner,))
    container = Container("main", resources=ResourceRequirements(ASKS, ASKS) if extended else None)
    spec = PodSpec((container,), node_name=on, resource_claims=None if extended else (PodResourceClaim("gpu", None, "one"),))
    status = PodStatus(
        "Running",
        resource_claim_statuses=None if extended else (PodResourceClaimStatus("gpu", made),),
        extended_resource_claim_status=ExtendedResourceClaimStatus(made) if extended else None,
    )
    here = NodeSelector((NodeSelectorTerm(match_fields=(NodeSelectorRequirement("metadata.name", "In", (on,)),)),))
    result = DeviceRequestAllocationResult("gpu", DRIVER, on, f"gpu-{device}")
    annotations = {"resource.kubernetes.io/extended-resource-claim": "true"} if extended else None
    claim = ResourceClaim(
        ObjectMeta(
            made,
            "default",
            uid=f"claim-{name}",
            annotations=annotations,
            owner_references=(OwnerReference("Pod", name, f"uid-{name}", "v1", controller=True),),
        ),
        status=ResourceClaimStatus(
            AllocationResult(DeviceAllocationResult((result,)), here),
            (ResourceClaimConsumerReference(None, "pods", name, f"uid-{name}"),),
        ),
    )
    return Pod(meta, spec, status), claim


def bystander(number: int, each: int) -> Pod:
    container = Container("main", resources=ResourceRequirements({"cpu": "100m"}, {"cpu": "100m"}))
    meta = ObjectMeta(f"web-{number}-{each}", "web", uid=f"uid-web-{number}-{each}")
    return Pod(meta, PodSpec((container,), node_name=f"node-{number}"), PodStatus("Running"))
