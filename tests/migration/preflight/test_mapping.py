"""Checks of names and their classes."""

import pytest
from msgspec.structs import replace

from kubectl_dra.migration.names import Level, StepName
from kubectl_dra.migration.profile_files import find
from kubectl_dra.objects.meta import Condition
from kubectl_dra.objects.pod import Pod
from tests.factories import GPU, device_class, forbidden, pod, resource_slice, workload
from tests.migration.given import BY_PLUGIN, blockers, checks, cluster, decided, gpu_node, journal, web, with_journal

FPGA = "example.com/fpga"
TWO_NAMES = gpu_node("a", 4, allocatable={FPGA: 2})


def test_every_name_has_a_class() -> None:
    assert checks(cluster(web()), "mapped") == [("ok", "a class maps every name that the plugin serves here")]


def test_a_name_that_pods_ask_for_and_no_class_maps() -> None:
    """Unplugging would kill it."""
    two = replace(TWO_NAMES, status=replace(TWO_NAMES.status, capacity={GPU: 4, FPGA: 2}))
    asking = pod("render", resources={FPGA: 1})
    ((level, message),) = checks(cluster(asking, a=two), "mapped")
    assert level == "blocker"
    assert message == (
        "no class maps example.com/fpga, and Pod default/render asks for it: without the plugin nobody serves it here; make a class with"
        " extendedResourceName example.com/fpga, or give the name up with --drop-resource=example.com/fpga"
    )


def test_a_template_at_zero_asks_too() -> None:
    of = cluster(classes=False, deployments=[workload("web", gpu=1, replicas=0)])
    ((level, message),) = checks(of, "mapped")
    assert level == "blocker"
    assert "Deployment default/web asks for it" in message


def test_a_name_that_nobody_asks_for_is_only_told() -> None:
    assert checks(cluster(classes=False), "mapped") == [
        ("warning", "no class maps example.com/gpu; nobody asks for it: after the move it is served no more here")
    ]


def test_who_asks_is_not_known() -> None:
    ((level, message),) = checks(cluster(classes=False, cron_jobs=forbidden("cronjobs.batch")), "mapped")
    assert level == "blocker?"
    assert message.startswith("no class maps example.com/gpu, and who asks for it is not known: CronJob: forbidden")


def test_classes_that_cannot_be_read() -> None:
    found = checks(cluster(classes=False, device_classes=forbidden("deviceclasses")), "mapped")
    assert found[0][0] == "blocker?"


def test_a_name_that_is_given_up() -> None:
    of = cluster(web(), classes=False)
    ((level, message),) = checks(of, "mapped", dropped=(GPU,))
    assert (level, message) == (
        "warning",
        "example.com/gpu will be served no more on this node, and ReplicaSet default/web asks for it (--drop-resource)",
    )


def test_a_name_that_resource_leaves_out_leaves_with_the_plugin_all_the_same() -> None:
    two = replace(TWO_NAMES, status=replace(TWO_NAMES.status, capacity={GPU: 4, FPGA: 2}))
    fpgas = device_class("fpga.example.com", FPGA)
    ((level, message),) = checks(cluster(fpgas, pod("render", resources={FPGA: 1}), a=two), "mapped", resources=(GPU,))
    assert level == "blocker"
    assert message.startswith("the plugin serves example.com/fpga too, which --resource leaves out, and Pod default/render asks for it")
    assert [level for level, _ in checks(cluster(fpgas, a=two), "mapped", resources=(GPU,))] == ["warning"]


def test_devices_that_pods_share_cannot_move() -> None:
    """Time-slicing does not carry over, whatever class somebody has made for it."""
    shared = "nvidia.com/gpu.shared"
    node = gpu_node("a", None, labels={"nvidia.com/gpu.deploy.device-plugin": "true"}, allocatable={shared: 8})
    node = replace(node, status=replace(node.status, capacity={shared: 8}))
    of = cluster(device_class("g", shared, driver="gpu.nvidia.com"), a=node)
    ((level, message),) = checks(of, "mapped", find("nvidia-gpu-operator"))
    assert level == "blocker"
    assert message.startswith("nvidia.com/gpu.shared cannot move, whatever class there is: time-slicing and MPS between pods")


# one class


def test_two_classes_with_the_name() -> None:
    ((level, message),) = checks(cluster(device_class("newer", GPU, created="2026-01-02T00:00:00Z")), "one-class")
    assert (level, message) == (
        "blocker",
        "gpu.example.com and newer have example.com/gpu (newer is taken): leave the name to one",
    )


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("none", "there is no class none (--device-class)"),
        ("other", "class other (--device-class) maps example.com/other, not example.com/gpu"),
        ("nameless", "class nameless (--device-class) maps no name, not example.com/gpu"),
    ],
)
def test_the_class_that_was_asked_for(wanted: str, message: str) -> None:
    of = cluster(device_class("other", "example.com/other"), device_class("nameless"))
    assert checks(of, "one-class", device_class=wanted) == [("blocker", message)]
    assert checks(of, "one-class", device_class="gpu.example.com") == [("ok", "each name has one class")]


def waiting(message: str) -> Pod:
    of = pod("waits", 1)
    return replace(of, status=replace(of.status, conditions=(Condition("PodScheduled", "False", "Unschedulable", message),)))


def test_a_mapping_that_the_scheduler_has_lost() -> None:
    of = cluster(waiting("0/2 nodes are available: 2 Insufficient example.com/gpu."), b=gpu_node("b", None))
    ((level, message),) = checks(of, "mapping-kept")
    assert level == "blocker"
    assert message.startswith("the scheduler has probably lost the class of example.com/gpu")
    assert checks(cluster(), "mapping-kept") == [("ok", "no pod tells that the scheduler has lost a mapping")]


# what the class selects


def test_a_class_that_selects_devices_elsewhere() -> None:
    assert checks(cluster(resource_slice("c", 4)), "class-selects") == [("ok", "class gpu.example.com selects 4 devices in the cluster")]


def test_a_class_of_a_driver_that_is_not_there_yet() -> None:
    assert checks(cluster(), "class-selects") == [
        ("ok", "class gpu.example.com selects nothing yet; gpu.example.com is not there yet either")
    ]


def test_a_class_that_selects_nothing_and_nobody_knows_of_such_a_driver() -> None:
    of = cluster(device_class("g", GPU, driver="gpu.nowhere.example"), classes=False)
    assert checks(of, "class-selects") == [
        ("blocker", "class g selects nothing anywhere, and no known driver publishes devices for it (--driver)")
    ]


def test_a_class_that_selects_none_of_its_drivers_devices() -> None:
    picky = device_class("g", GPU, selectors=('device.driver == "gpu.example.com"', "false"))
    ((level, message),) = checks(cluster(picky, resource_slice("c", 4), classes=False), "class-selects")
    assert (level, message) == ("blocker", "class g selects none of the devices that gpu.example.com publishes elsewhere")


def test_a_class_that_fails_on_devices_stops_every_pod() -> None:
    broken = device_class("g", GPU, selectors=('device.attributes["gpu.example.com"].model == "x"',))
    ((level, message),) = checks(cluster(broken, resource_slice("c", 4), classes=False), "class-selects")
    assert level == "blocker"
    assert "a pod for which the scheduler looks at such a device is placed on no node" in message


def test_slices_that_cannot_be_read() -> None:
    assert checks(cluster(resource_slices=forbidden("resourceslices")), "class-selects")[0][0] == "warning?"


# size


def test_a_pod_that_needs_more_than_a_claim_holds() -> None:
    ((level, message),) = checks(cluster(pod("huge", 33)), "pod-size")
    assert (level, message) == (
        "blocker",
        "Pod default/huge needs 33 devices a pod: a claim holds 32, such pods cannot be served by DRA",
    )
    assert [level for level, _ in checks(cluster(pod("large", 32)), "pod-size")] == ["ok"]


def test_what_speaks_against_beginning_keeps_nobody_from_the_end() -> None:
    """The plugin has left: the node would stay closed because somebody, somewhere, made such a pod."""
    done = with_journal(gpu_node("a", allocatable={GPU: 0}), journal(StepName.CORDON, StepName.DRAIN, begun=StepName.UNPLUG))
    early = with_journal(gpu_node("a"), journal(StepName.CORDON, begun=StepName.DRAIN))
    assert [level for level, _ in checks(cluster(pod("huge", 33), a=done), "pod-size")] == ["warning"]
    assert [level for level, _ in checks(cluster(pod("huge", 33), a=early), "pod-size")] == ["blocker"]


def test_a_large_pod_of_another_name_is_no_matter_of_this_move() -> None:
    other = device_class("other", "example.com/other")
    assert [level for level, _ in checks(cluster(other, pod("huge", resources={"example.com/other": 40})), "pod-size")] == ["ok"]


def test_templates_that_cannot_be_read_may_be_too_large() -> None:
    ((level, message),) = checks(cluster(jobs=forbidden("jobs.batch")), "pod-size")
    assert level == "warning?"
    assert '"kubectl dra rbac migrate-node" prints the role' in message


# what is decided


def test_names_of_other_plugins_stay_out_of_it() -> None:
    node = gpu_node("a", 4, labels=BY_PLUGIN)
    node = replace(node, status=replace(node.status, capacity={GPU: 4, "devices.kubevirt.io/kvm": 110, "nvidia.com/gpu": 2}))
    assert [each.name for each in decided(cluster(a=node)).resources] == [GPU]
    by_hand = find("manual")
    assert [each.name for each in decided(cluster(a=node), by_hand).resources] == [GPU, "nvidia.com/gpu"]
    assert [each.name for each in decided(cluster(a=node), by_hand, resources=(GPU,)).resources] == [GPU]


def test_a_blocker_is_enough_to_block() -> None:
    found = blockers(cluster(device_class("newer", GPU)))
    assert {check.level for check in found} == {Level.BLOCKER}
