"""Which profile is seen."""

from kubectl_dra.migration.detect import detected, summaries
from kubectl_dra.migration.profile_files import builtin, find
from tests.factories import node, pod, resource_slice
from tests.migration.given import EXAMPLE, cluster, driver_pod, gpu_node


def test_labels_pods_names_and_drivers() -> None:
    of = cluster(driver_pod(), resource_slice("a", 4))
    a = next(each for each in of.nodes if each.metadata.name == "a")
    assert detected(EXAMPLE, of, a) == (
        "label example.com/device-plugin on a",
        "device plugin devices/plugin-a",
        "DRA driver devices/driver-a",
        "extended resource example.com/gpu",
        "driver gpu.example.com publishes devices",
    )


def test_a_driver_and_a_name_alone_prove_nothing() -> None:
    """Every installer of a vendor has the same."""
    of = cluster(driver_pod(), resource_slice("a", 4), a=gpu_node("a", labels={}), plugin=False)
    a = next(each for each in of.nodes if each.metadata.name == "a")
    assert detected(EXAMPLE, of, a) == ()


def test_only_the_node_that_is_meant() -> None:
    of = cluster(b=node("b"))
    b = next(each for each in of.nodes if each.metadata.name == "b")
    assert detected(EXAMPLE, of, b) == ()
    assert detected(EXAMPLE, of)[0] == "label example.com/device-plugin on a"


def test_installers_of_one_vendor_are_told_apart() -> None:
    operator, standalone = find("nvidia-gpu-operator"), find("nvidia-standalone")
    a = node("a", capacity={"nvidia.com/gpu": 8})
    by_operator = cluster(pod("x", namespace="gpu-operator", node="a", labels={"app": "nvidia-device-plugin-daemonset"}), a=a, plugin=False)
    by_chart = cluster(pod("x", node="a", labels={"app.kubernetes.io/name": "nvidia-device-plugin"}), a=a, plugin=False)
    assert [bool(detected(each, by_operator, a)) for each in (operator, standalone)] == [True, False]
    assert [bool(detected(each, by_chart, a)) for each in (operator, standalone)] == [False, True]


def test_the_list() -> None:
    found = summaries(builtin(), cluster(), "a")
    assert [item.name for item in found.items if item.detected] == ["example"]
    assert all(item.builtin and item.title for item in found.items)
    assert not any(item.detected for item in summaries(builtin(), None).items)
