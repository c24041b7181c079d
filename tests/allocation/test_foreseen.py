"""Pods before their claims are made, and claims that are allocated already."""

from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from kubectl_dra.allocation.allocated_claims import BINDING_TIMEOUT, usable_from
from kubectl_dra.allocation.foreseen import foreseen
from kubectl_dra.allocation.pod import PodPlanner, Verdict
from kubectl_dra.objects.meta import Condition, ObjectMeta
from kubectl_dra.objects.node import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, NodeStatus
from kubectl_dra.objects.pod import Pod, PodResourceClaim
from kubectl_dra.objects.resource import (
    AllocatedDeviceStatus,
    AllocationResult,
    DeviceAllocationResult,
    DeviceClaim,
    DeviceRequest,
    DeviceRequestAllocationResult,
    ExactDeviceRequest,
    ResourceClaim,
    ResourceClaimSpec,
    ResourceClaimStatus,
    ResourceClaimTemplate,
    ResourceClaimTemplateSpec,
)
from tests.factories import GPU, device_class, node, pod, resource_slice, snapshot

A = node("a")
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def template(count: int, device_class: str = "gpu") -> ResourceClaimTemplate:
    request = DeviceRequest("r", ExactDeviceRequest(device_class_name=device_class, count=count))
    spec = ResourceClaimSpec(devices=DeviceClaim(requests=(request,)))
    return ResourceClaimTemplate(ObjectMeta("t", "default"), ResourceClaimTemplateSpec(spec=spec))


def with_template() -> Pod:
    plain = pod("train")
    return replace(plain, spec=replace(plain.spec, resource_claims=(PodResourceClaim("gpus", resource_claim_template_name="t"),)))


def verdict(count: int) -> Verdict:
    cluster = snapshot(A, device_class("gpu", GPU), resource_slice("a", 2), resource_claim_templates=[template(count)])
    after, there = foreseen(cluster, with_template())
    return PodPlanner(after).on_node(there, A).verdict


def test_templates_are_claims_soon() -> None:
    assert [verdict(count) for count in (2, 3)] == [Verdict.FITS, Verdict.NO]


def test_a_template_that_is_not_there_makes_no_claim() -> None:
    cluster = snapshot(A, device_class("gpu", GPU))
    assert foreseen(cluster, with_template()) == (cluster, with_template())


def test_obstacles_name_the_request_that_names_a_class_which_is_not_there() -> None:
    cluster = snapshot(A, device_class("gpu", GPU), resource_claim_templates=[template(1, "gone")])
    after, there = foreseen(cluster, with_template())
    (obstacle,) = PodPlanner(after).on_node(there, A).obstacles
    assert (obstacle.request, obstacle.what, obstacle.name) == ("r", "gone", "train-gpus")


def allocated(result: DeviceRequestAllocationResult, *conditions: str, on: str | None = None) -> ResourceClaim:
    selector = NodeSelector((NodeSelectorTerm(match_fields=(NodeSelectorRequirement("metadata.name", "In", (on,)),)),)) if on else None
    devices = (
        AllocatedDeviceStatus(result.driver, result.pool, result.device, conditions=tuple(Condition(each, "True") for each in conditions)),
    )
    allocation = AllocationResult(DeviceAllocationResult((result,)), selector, "2026-01-01T00:00:00Z")
    return ResourceClaim(ObjectMeta("c", "default"), status=ResourceClaimStatus(allocation, devices=devices))


PLAIN = DeviceRequestAllocationResult("r", "d", "p", "x")
BINDING = replace(PLAIN, binding_conditions=("ready",), binding_failure_conditions=("failed",))


def test_claims_are_used_where_their_node_selector_says() -> None:
    assert [usable_from(allocated(PLAIN, on=name), A) for name in ("a", "b")] == [True, False]


def test_devices_that_skip_operations_need_a_node_that_can() -> None:
    skipping = allocated(replace(PLAIN, skip_node_operations=("All",)))
    able = replace(A, status=NodeStatus(declared_features=("DRAOptionalNodeOperations",)))
    assert [usable_from(skipping, each) for each in (A, able)] == [False, True]


def test_a_claim_whose_device_failed_to_bind_or_took_too_long_cannot_be_used() -> None:
    late = NOW + timedelta(seconds=BINDING_TIMEOUT + 1)
    assert [usable_from(allocated(BINDING, "failed", "ready"), A, NOW), usable_from(allocated(BINDING, "ready"), A, late)] == [False, True]
    assert [usable_from(allocated(BINDING), A, moment) for moment in (None, NOW, late)] == [True, True, False]
