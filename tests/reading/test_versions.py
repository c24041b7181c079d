"""resource.k8s.io v1beta1 and v1beta2 become the form of v1: the same devices and claims, written three ways."""

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from kubectl_dra.objects.resource import (
    CELDeviceSelector,
    Device,
    DeviceAttribute,
    DeviceCapacity,
    DeviceClaim,
    DeviceRequest,
    DeviceSelector,
    DeviceSubRequest,
    DeviceTaint,
    ExactDeviceRequest,
    ResourceSliceSpec,
)
from kubectl_dra.objects.snapshot import Snapshot
from kubectl_dra.objects.tolerations import Toleration
from tests.reading.filled import filled

Read = Callable[..., Snapshot]
Plain = dict[str, Any]

BASIC: Plain = {
    "attributes": {"model": {"string": "A100"}, "index": {"int": 1}, "ready": {"bool": True}, "driver": {"version": "1.2.3"}},
    "capacity": {"memory": {"value": "80Gi"}},
    "taints": [{"key": "sick", "effect": "NoSchedule"}],
    "nodeName": "node-a",
    "allowMultipleAllocations": True,
}
REQUEST: Plain = {
    "deviceClassName": "gpu",
    "selectors": [{"cel": {"expression": "true"}}],
    "allocationMode": "ExactCount",
    "count": 2,
    "adminAccess": True,
    "tolerations": [{"key": "sick", "operator": "Exists"}],
}
ALTERNATIVES: Plain = {"name": "either", "firstAvailable": [{"name": "big", "deviceClassName": "gpu", "count": 1}]}

DEVICE = Device(
    "gpu-0",
    {
        "model": DeviceAttribute(string="A100"),
        "index": DeviceAttribute(int_=1),
        "ready": DeviceAttribute(bool_=True),
        "driver": DeviceAttribute(version="1.2.3"),
    },
    {"memory": DeviceCapacity("80Gi")},
    node_name="node-a",
    taints=(DeviceTaint("sick", effect="NoSchedule"),),
    allow_multiple_allocations=True,
)


def in_version(version: str, kind: str, **fields: Plain) -> str:
    return json.dumps({"apiVersion": f"resource.k8s.io/{version}", "kind": kind, "metadata": {"name": "x"}, **fields})


def slice_spec(devices: list[Plain]) -> Plain:
    pool = {"name": "p", "generation": 3, "resourceSliceCount": 2}
    return {"driver": "gpu.example.com", "pool": pool, "nodeName": "node-a", "perDeviceNodeSelection": True, "devices": devices}


@pytest.mark.parametrize(
    ("version", "device"),
    [("v1", {"name": "gpu-0", **BASIC}), ("v1beta2", {"name": "gpu-0", **BASIC}), ("v1beta1", {"name": "gpu-0", "basic": BASIC})],
)
def test_a_device(read: Read, version: str, device: Plain) -> None:
    snapshot = read(in_version(version, "ResourceSlice", spec=slice_spec([device])))
    [found] = snapshot.resource_slices
    assert found.spec.devices == (DEVICE,)
    assert (found.spec.driver, found.spec.pool.generation, found.spec.pool.resource_slice_count) == ("gpu.example.com", 3, 2)
    assert (found.spec.node_name, found.spec.per_device_node_selection, found.spec.all_nodes) == ("node-a", True, None)
    assert snapshot.resource_slices.api_version == f"resource.k8s.io/{version}"


def test_a_capacity_may_be_a_plain_quantity(read: Read) -> None:
    device = {"name": "gpu-0", "basic": {"capacity": {"memory": "80Gi", "cores": 4, "other": {"value": "1"}}}}
    [found] = read(in_version("v1beta1", "ResourceSlice", spec=slice_spec([device]))).resource_slices
    assert found.spec.devices is not None
    assert found.spec.devices[0].capacity == {"memory": DeviceCapacity("80Gi"), "cores": DeviceCapacity(4), "other": DeviceCapacity("1")}


def test_a_device_without_anything(read: Read) -> None:
    [found] = read(in_version("v1beta1", "ResourceSlice", spec=slice_spec([{"name": "gpu-0"}]))).resource_slices
    assert found.spec.devices == (Device("gpu-0"),)


@pytest.mark.parametrize(
    ("version", "request_"),
    [
        ("v1", {"name": "gpus", "exactly": REQUEST}),
        ("v1beta2", {"name": "gpus", "exactly": REQUEST}),
        ("v1beta1", {"name": "gpus", **REQUEST}),
    ],
)
@pytest.mark.parametrize("kind", ["ResourceClaim", "ResourceClaimTemplate"])
def test_a_request(read: Read, version: str, request_: Plain, kind: str) -> None:
    spec: Plain = {"devices": {"requests": [request_, ALTERNATIVES]}}
    allocation = {"devices": {"results": [{"request": "gpus", "driver": "d", "pool": "p", "device": "gpu-0", "shareID": "s"}]}}
    if kind == "ResourceClaim":
        [claim] = read(in_version(version, kind, spec=spec, status={"allocation": allocation})).resource_claims
        devices = claim.spec.devices
        assert claim.status.allocation is not None
        assert claim.status.allocation.devices.results is not None
        assert claim.status.allocation.devices.results[0].share_id == "s"
    else:
        [template] = read(in_version(version, kind, spec={"metadata": {"labels": {"a": "b"}}, "spec": spec})).resource_claim_templates
        devices = template.spec.spec.devices
        assert template.spec.metadata.labels == {"a": "b"}
    exactly = ExactDeviceRequest(
        "gpu", (DeviceSelector(CELDeviceSelector("true")),), "ExactCount", 2, admin_access=True, tolerations=(Toleration("sick", "Exists"),)
    )
    either = DeviceRequest("either", first_available=(DeviceSubRequest("big", "gpu", count=1),))
    assert devices == DeviceClaim((DeviceRequest("gpus", exactly), either))


@pytest.mark.parametrize("version", ["v1", "v1beta2", "v1beta1"])
def test_a_class(read: Read, version: str) -> None:
    [found] = read(in_version(version, "DeviceClass", spec={"extendedResourceName": "example.com/gpu"})).device_classes
    assert found.spec.extended_resource_name == "example.com/gpu"


@pytest.mark.parametrize("version", ["v1", "v1beta2", "v1alpha3"])
def test_a_taint_rule(read: Read, version: str) -> None:
    spec = {"deviceSelector": {"driver": "d"}, "taint": {"key": "k", "effect": "None"}}
    [found] = read(in_version(version, "DeviceTaintRule", spec=spec)).device_taint_rules
    assert found.spec.device_selector is not None
    assert (found.spec.device_selector.driver, found.spec.taint.effect) == ("d", "None")


def test_a_taint_rule_of_1_33_keeps_what_narrows_it(read: Read) -> None:
    spec = {"deviceSelector": {"deviceClassName": "gpu", "selectors": [{"cel": {"expression": "true"}}]}, "taint": {"key": "k"}}
    [found] = read(in_version("v1alpha3", "DeviceTaintRule", spec=spec)).device_taint_rules
    assert found.spec.device_selector is not None
    assert found.spec.device_selector.device_class_name == "gpu"
    assert found.spec.device_selector.selectors == (DeviceSelector(CELDeviceSelector("true")),)


def test_nulls_and_mistyped_fields_of_old_versions_are_treated_like_those_of_v1(read: Read) -> None:
    [found] = read(
        in_version("v1beta1", "ResourceSlice", spec=slice_spec([{"name": "gpu-0", "basic": {"capacity": {"a": None}}}]))
    ).resource_slices
    assert found.spec.devices == (Device("gpu-0", capacity={}),)


def test_whatever_v1_has_is_taken_over_from_v1beta1(read: Read) -> None:
    spec = filled(ResourceSliceSpec, devices=(filled(Device),))
    basic = msgspec.to_builtins(spec)["devices"][0]
    old = {**msgspec.to_builtins(spec), "devices": [{"name": basic.pop("name"), "basic": basic}]}
    [found] = read(in_version("v1beta1", "ResourceSlice", spec=old)).resource_slices
    assert found.spec == spec


def test_whatever_a_request_of_v1_has_is_taken_over_from_v1beta1(read: Read) -> None:
    devices = filled(DeviceClaim, requests=(DeviceRequest("r", filled(ExactDeviceRequest)),))
    old = {**msgspec.to_builtins(devices), "requests": [{"name": "r", **msgspec.to_builtins(filled(ExactDeviceRequest))}]}
    [found] = read(in_version("v1beta1", "ResourceClaim", spec={"devices": old})).resource_claims
    assert found.spec.devices == devices
