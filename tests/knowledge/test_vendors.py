"""The table of vendors."""

import pytest

from kubectl_dra.knowledge import vendors
from kubectl_dra.objects.pod import Container, PodSpec
from tests.factories import pod


@pytest.mark.parametrize(
    ("name", "driver"),
    [
        ("nvidia.com/gpu", "gpu.nvidia.com"),
        ("nvidia.com/mig-1g.5gb", "gpu.nvidia.com"),
        ("amd.com/gpu", "gpu.amd.com"),
        ("gpu.intel.com/xe", "gpu.intel.com"),
        ("habana.ai/gaudi", "gaudi.intel.com"),
        ("qat.intel.com/cy", "qat.intel.com"),
    ],
)
def test_names_and_their_drivers(name: str, driver: str) -> None:
    found = vendors.resource(name)
    assert found is not None
    assert found.driver == driver


def test_intel_charts_map_other_names_than_the_plugins_serve() -> None:
    found = vendors.resource("gpu.intel.com/i915")
    assert found is not None
    assert found.maps == "intel.com/gpu"


def test_shared_gpus_cannot_move() -> None:
    found = vendors.resource("nvidia.com/gpu.shared")
    assert found is not None
    assert "time-slicing" in found.blocked


@pytest.mark.parametrize(
    "name",
    [
        "devices.kubevirt.io/kvm",
        "squat.ai/video",
        "smarter-devices/fuse",
        "github.com/fuse",
        "nvidia.com/gpumem",
        "nvidia.com/gpumem-percentage",
    ],
)
def test_names_to_leave_alone(name: str) -> None:
    assert vendors.leave_alone(name) is not None


def test_devices_are_not_left_alone() -> None:
    assert [name for name in ("nvidia.com/gpu", "amd.com/gpu", "example.com/gpu") if vendors.leave_alone(name)] == []


def test_plugin_pods_are_known_by_their_marks() -> None:
    operator = pod("nvidia-device-plugin-daemonset-x", namespace="gpu-operator", labels={"app": "nvidia-device-plugin-daemonset"})
    by_image = pod("p", spec=PodSpec(containers=(Container("c", image="nvcr.io/nvidia/k8s-device-plugin:v0.17.1"),)))
    assert [vendor.name if vendor else None for vendor in map(vendors.plugin_vendor, (operator, by_image, pod("web")))] == [
        "NVIDIA", "NVIDIA", None,
    ]  # fmt: skip


def test_the_driver_s_controller_is_not_its_node_part() -> None:
    labels = {"app.kubernetes.io/name": "nvidia-dra-driver-gpu"}
    assert vendors.driver_vendor(pod("nvidia-dra-driver-gpu-kubelet-plugin-x", labels=labels)) is not None
    assert vendors.driver_vendor(pod("nvidia-dra-driver-gpu-controller-x", labels=labels)) is None


def test_the_switch_is_set_and_never_removed() -> None:
    vendor = vendors.vendor_of_resource("nvidia.com/gpu")
    assert vendor is not None
    assert vendor.switch is not None
    assert (vendor.switch.label, vendor.switch.off, vendor.switch.on) == ("nvidia.com/gpu.deploy.device-plugin", "false", "true")


def test_every_entry_has_a_source() -> None:
    assert all(vendor.source for vendor in vendors.vendors())


def test_variables() -> None:
    assert {"NVIDIA_VISIBLE_DEVICES", "HABANA_VISIBLE_DEVICES", "AMD_VISIBLE_DEVICES"} <= vendors.device_variables()


def test_what_gives_devices_is_kept_by_a_reading() -> None:
    assert set(vendors.giving_variables()) <= vendors.device_variables()
    assert "CUDA_VISIBLE_DEVICES" not in vendors.giving_variables()


@pytest.mark.parametrize(
    ("key", "by"),
    [
        ("nvidia.com/gpu.product", "GPU feature discovery"),
        ("nvidia.com/cuda.driver.major", "GPU feature discovery"),
        ("nvidia.com/gpu.present", None),
        ("nvidia.com/gpu.deploy.driver", None),
        ("amd.com/gpu.vram", "the device plugin's node labeller"),
        ("kubernetes.io/arch", None),
    ],
)
def test_node_labels_of_the_plugin_s_side(key: str, by: str | None) -> None:
    found = vendors.node_label(key)
    assert (found and found.by) == by


@pytest.mark.parametrize(
    ("name", "vendor"), [("nvidia.com/a100", "NVIDIA"), ("nvidia.com/gpu", None), ("nvidia.com/gpucores", None), ("intel.com/sriov", None)]
)
def test_names_that_a_plugin_was_told_to_serve(name: str, vendor: str | None) -> None:
    found = vendors.renamed(name)
    assert (found and found.name) == vendor


def test_a_vendor_s_own_pods() -> None:
    nvidia = vendors.giving_variables()["NVIDIA_VISIBLE_DEVICES"]
    assert vendors.is_own(nvidia, pod("dcgm", labels={"app": "nvidia-dcgm-exporter"}))
    assert not vendors.is_own(nvidia, pod("train", labels={"app": "train"}))
