"""Checks of the plugin's and the driver's own pods."""

from msgspec.structs import replace

from kubectl_dra.migration.names import Direction, StepName
from kubectl_dra.migration.profile_files import find
from kubectl_dra.objects.node import Taint
from tests.factories import forbidden, resource_slice
from tests.migration.given import DRIVER_SET, MOVED, PLUGIN_SET, checks, cluster, daemon_set, driver_pod, gpu_node, journal, with_journal

MANUAL = find("manual")
EVERYWHERE = daemon_set("driver", "example-dra-driver", None)


def test_the_plugin_is_recognised() -> None:
    assert checks(cluster(), "plugin-found") == [("ok", "devices/plugin-a serves example.com/gpu")]


def test_no_pod_has_the_marks() -> None:
    """A profile of another installer would wait for the wrong pods."""
    ((level, message),) = checks(cluster(plugin=False), "plugin-found")
    assert (level, message) == (
        "blocker",
        "no pod on the node has the marks of profile example's plugin: is it the right profile? (--list-profiles)",
    )


def test_a_run_that_has_unplugged_finds_no_plugin_and_that_is_right() -> None:
    half = with_journal(gpu_node("a"), journal(StepName.CORDON, begun=StepName.UNPLUG))
    assert checks(cluster(a=half, plugin=False), "plugin-found")[0][0] == "ok"
    early = with_journal(gpu_node("a"), journal(begun=StepName.CORDON))
    assert checks(cluster(a=early, plugin=False), "plugin-found")[0][0] == "blocker"


def test_a_plugin_outside_of_kubernetes() -> None:
    assert checks(cluster(plugin=False), "plugin-found", MANUAL)[0][0] == "warning"


def test_pods_that_cannot_be_read() -> None:
    assert checks(cluster(plugin=False, pods=forbidden("pods")), "plugin-found")[0][0] == "blocker?"


# the effect of labels, judged by the DaemonSets


def test_labels_that_move_the_daemon_sets() -> None:
    assert [checks(cluster(), name)[0][0] for name in ("plugin-change", "driver-change")] == ["ok", "ok"]


def test_a_plugin_that_the_label_does_not_take_away() -> None:
    stays = daemon_set("plugin", "example-device-plugin", {"gpu": "yes"})
    node = gpu_node("a", labels={"gpu": "yes", "example.com/device-plugin": "true"})
    ((level, message),) = checks(cluster(a=node, daemon_sets=(stays, DRIVER_SET)), "plugin-change")
    assert (level, message) == (
        "blocker",
        "DaemonSet plugin runs here with the changed label too: give it a nodeSelector that the label decides",
    )


def test_a_driver_that_the_label_does_not_bring() -> None:
    elsewhere = daemon_set("driver", "example-dra-driver", {"zone": "b"})
    ((level, message),) = checks(cluster(daemon_sets=(PLUGIN_SET, elsewhere)), "driver-change")
    assert (level, message) == ("blocker", "no pod would come with the changed label (driver: node selector or node affinity)")


def test_a_driver_that_does_not_tolerate_the_nodes_taint() -> None:
    tainted = gpu_node("a", taints=(Taint("gpu", "only", "NoSchedule"),))
    ((level, message),) = checks(cluster(a=tainted), "driver-change")
    assert (level, message) == ("blocker", "no pod would come with the changed label (driver: a taint of the node gpu=only:NoSchedule)")


def test_taints_of_the_nodes_state_keep_no_daemon_set_away() -> None:
    cordoned = gpu_node("a", cordoned=True, taints=(Taint("node.kubernetes.io/unschedulable", None, "NoSchedule"),))
    assert checks(cluster(a=cordoned), "driver-change")[0][0] == "ok"


def test_without_daemon_sets_the_effect_is_not_known() -> None:
    ((level, message),) = checks(cluster(daemon_sets=()), "driver-change")
    assert (level, message.partition(":")[0]) == ("warning?", "no DaemonSet has the marks")
    assert checks(cluster(daemon_sets=forbidden("daemonsets.apps")), "plugin-change")[0][0] == "warning?"


def test_what_people_and_programs_do_is_not_foreseen() -> None:
    assert checks(cluster(), "plugin-change", MANUAL) == [("ok", "a person does it: what comes of it is seen only when it is done")]


def test_the_way_back_is_judged_the_other_way_round() -> None:
    moved = gpu_node("a", None, labels=MOVED)
    back = {"direction": Direction.ROLLBACK}
    assert [checks(cluster(a=moved), name, **back)[0][0] for name in ("plugin-change", "driver-change")] == ["ok", "ok"]  # type: ignore[arg-type]
    assert checks(cluster(a=moved, daemon_sets=(PLUGIN_SET, EVERYWHERE)), "driver-change", **back)[0][0] == "blocker"  # type: ignore[arg-type]


# only here


def test_a_driver_that_starts_where_the_plugin_serves() -> None:
    ((level, message),) = checks(cluster(daemon_sets=(PLUGIN_SET, EVERYWHERE)), "driver-only-here")
    assert level == "blocker"
    assert message.startswith("DaemonSet devices/driver starts on b too, where the plugin still serves example.com/gpu")


def test_a_driver_that_runs_there_already() -> None:
    of = cluster(driver_pod("b"), resource_slice("b", 4), daemon_sets=(PLUGIN_SET, EVERYWHERE))
    ((level, message),) = checks(of, "driver-only-here")
    assert (level, message) == (
        "warning",
        "DaemonSet devices/driver runs on b already, where the plugin serves example.com/gpu: devices are given twice there",
    )


def test_a_driver_on_nodes_that_were_moved() -> None:
    of = cluster(b=gpu_node("b", None, labels=MOVED))
    assert checks(of, "driver-only-here") == [("ok", "the driver starts on no node that is not moved")]


def test_a_driver_without_a_daemon_set() -> None:
    ((level, message),) = checks(cluster(daemon_sets=(PLUGIN_SET,)), "driver-only-here")
    assert (level, message.partition(":")[0]) == ("warning?", "no DaemonSet has the marks of the driver")
    assert checks(cluster(daemon_sets=forbidden("daemonsets.apps")), "driver-only-here")[0][0] == "blocker?"


# both sides


def test_plugin_and_driver_both_there() -> None:
    of = cluster(resource_slice("a", 4))
    ((level, message),) = checks(of, "both-sides")
    assert (level, message.partition(":")[0]) == ("warning", "the driver publishes here already (gpu.example.com/a) beside the plugin")
    assert checks(of, "rules")[0][0] == "ok"
    assert checks(cluster(), "both-sides")[0][0] == "ok"


def test_slices_that_cannot_be_read() -> None:
    assert checks(cluster(resource_slices=forbidden("resourceslices")), "both-sides")[0][0] == "warning?"


def test_rules_that_cannot_be_used() -> None:
    of = cluster(resource_slice("a", 4), device_taint_rules=forbidden("devicetaintrules"))
    ((level, message),) = checks(of, "rules")
    assert level == "warning"
    assert "new claims are kept off by the cordon alone" in message
    back = replace(gpu_node("a", None, labels=MOVED))
    assert (
        checks(cluster(a=back, device_taint_rules=forbidden("devicetaintrules")), "rules", direction=Direction.ROLLBACK)[0][0] == "warning"
    )
    assert checks(cluster(device_taint_rules=forbidden("devicetaintrules")), "rules") == [
        ("ok", "no driver publishes here: the cordon is fence enough on its side")
    ]
