"""Checks of the node itself."""

import pytest
from msgspec.structs import replace

from kubectl_dra.migration.facts import NOTHING_KNOWN
from kubectl_dra.migration.names import Direction, StepName
from kubectl_dra.migration.profile_files import find
from kubectl_dra.objects.node import NodeSystemInfo
from tests.factories import GPU, device_class, forbidden, pod
from tests.migration.given import blockers, checks, cluster, gpu_node, journal, plugin_pod, ready, web, with_journal


def test_a_cluster_in_which_nothing_stands_in_the_way() -> None:
    """The cluster that all other tests change one thing of."""
    assert blockers(cluster(web())) == []


def test_a_node_that_is_ready() -> None:
    assert checks(cluster(), "node-ready") == [("ok", "the node is Ready")]


@pytest.mark.parametrize("status", ["False", "Unknown"])
def test_a_node_that_is_not_ready(status: str) -> None:
    gone = ready(gpu_node("a"), status, "Kubelet stopped posting node status.")
    ((level, message),) = checks(cluster(a=gone), "node-ready")
    assert level == "blocker"
    assert message == (
        f"the node is not Ready: {status} (NodeStatusUnknown: Kubelet stopped posting node status.); evicted pods would never vanish"
    )


def test_a_node_that_does_not_say_whether_it_is_ready() -> None:
    silent = gpu_node("a")
    silent = replace(silent, status=replace(silent.status, conditions=None))
    assert checks(cluster(a=silent), "node-ready") == [("blocker?", "the node does not say whether it is Ready")]


def test_a_windows_node() -> None:
    by_label = gpu_node("a", labels={"kubernetes.io/os": "windows", "example.com/device-plugin": "true"})
    by_itself = gpu_node("a")
    by_itself = replace(by_itself, status=replace(by_itself.status, node_info=NodeSystemInfo("v1.37.2", "windows")))
    for node in (by_label, by_itself):
        assert [level for level, _ in checks(cluster(a=node), "node-system")] == ["blocker"]
    assert checks(cluster(), "node-system") == [("ok", "a Linux node")]


@pytest.mark.parametrize(
    ("version", "level", "words"),
    [
        ("v1.37.2", "ok", "the kubelet serves"),
        ("v1.36.0", "ok", "the kubelet serves"),
        ("v1.35.4", "blocker", "containers start without"),
        ("v1.34.1", "blocker", "stops preparing devices after 30 idle minutes"),
        ("v1.34.2", "blocker", "containers start without"),
        ("", "blocker?", "version is not known"),
        ("devel", "blocker?", 'not known ("devel")'),
    ],
)
def test_kubelets(version: str, level: str, words: str) -> None:
    ((found, message),) = checks(cluster(a=gpu_node("a", kubelet=version)), "kubelet")
    assert found == level
    assert words in message


def test_a_cluster_whose_gate_is_off() -> None:
    def with_gates(**gates: bool) -> list[tuple[str, str]]:
        of = cluster()
        return checks(replace(of, cluster=replace(of.cluster, feature_gates=gates)), "feature-gate")

    assert with_gates(DRAExtendedResource=False) == [
        ("blocker", "the feature gate DRAExtendedResource is off in this cluster: classes map nothing")
    ]
    assert [level for level, _ in with_gates(DRAExtendedResource=True)] == ["ok"]


def test_a_gate_that_nobody_can_tell() -> None:
    of = cluster(version="v1.35.0")
    assert [level for level, _ in checks(of, "feature-gate")] == ["warning?"]


# what there is to move


def test_a_node_without_devices() -> None:
    assert checks(cluster(a=gpu_node("a", None)), "resources") == [("blocker", "nothing to move: the node has no devices of example.com/*")]


def test_a_name_that_the_node_does_not_have() -> None:
    assert ("blocker", "the node has no example.com/fpga") in checks(cluster(), "resources", resources=("example.com/fpga",))


def test_devices_that_are_not_offered() -> None:
    ((level, message),) = checks(cluster(a=gpu_node("a", allocatable={GPU: 0})), "resources")
    assert level == "blocker"
    assert "has 4 example.com/gpu and offers none" in message


def test_some_devices_are_unhealthy() -> None:
    assert checks(cluster(a=gpu_node("a", allocatable={GPU: 3})), "resources") == [
        ("warning", "1 of 4 example.com/gpu are unhealthy: DRA may publish as many fewer")
    ]


def test_a_run_that_goes_on_finds_no_devices_and_that_is_right() -> None:
    half = with_journal(gpu_node("a", allocatable={GPU: 0}), journal(StepName.CORDON, StepName.DRAIN, StepName.UNPLUG))
    assert checks(cluster(a=half), "resources") == [("ok", "the device plugin serves these names here")]


# what others have left


def test_no_journal() -> None:
    assert checks(cluster(), "journal") == [("ok", "no other run has left anything here")]


def test_a_journal_that_cannot_be_read() -> None:
    ((level, message),) = checks(cluster(a=with_journal(gpu_node("a"), '{"id": 1}')), "journal")
    assert level == "blocker"
    assert message.startswith("the journal on the node cannot be read: Expected `str`, got `int`")


def test_a_journal_of_an_earlier_node_of_that_name() -> None:
    ((level, message),) = checks(cluster(a=with_journal(gpu_node("a"), journal(node_uid="uid-old"))), "journal")
    assert (level, message.partition(":")[0]) == ("blocker", "the journal on the node is another node's")


def test_a_run_with_another_profile_is_not_finished() -> None:
    ((level, message),) = checks(cluster(a=with_journal(gpu_node("a"), journal(profile="manual"))), "journal")
    assert (level, message) == ("blocker", "a run with profile manual is not finished here: go on with that one")


def test_a_node_on_its_way_back_is_not_moved() -> None:
    ((level, _),) = checks(cluster(a=with_journal(gpu_node("a"), journal(direction=Direction.ROLLBACK))), "journal")
    assert level == "blocker"


@pytest.mark.parametrize("direction", [Direction.MOVE, Direction.ROLLBACK])
def test_a_run_goes_on_with_its_own_journal(direction: Direction) -> None:
    node = with_journal(gpu_node("a"), journal(StepName.CORDON, begun=StepName.DRAIN))
    assert checks(cluster(a=node), "journal", direction=direction) == [("ok", "goes on with journal j1 at drain")]


def test_a_node_that_was_moved_already() -> None:
    node = with_journal(gpu_node("a", None), journal(finished=True))
    assert checks(cluster(a=node), "journal") == [("warning", "the node was moved already (journal j1); --verify proves it again")]
    assert [level for level, _ in checks(cluster(a=node), "journal", direction=Direction.ROLLBACK)] == ["ok"]


def test_a_node_that_somebody_cordoned() -> None:
    assert checks(cluster(a=gpu_node("a", cordoned=True)), "cordoned") == [
        ("warning", "the node is cordoned already: it stays so at the end")
    ]
    ours = with_journal(gpu_node("a", cordoned=True), journal(StepName.CORDON))
    assert [level for level, _ in checks(cluster(a=ours), "cordoned")] == ["ok"]


# autoscalers, time, the profile's own words


def test_a_node_of_a_pool() -> None:
    pooled = gpu_node("a", labels={"karpenter.sh/nodepool": "gpus", "example.com/device-plugin": "true"})
    ((level, message),) = checks(cluster(a=pooled), "autoscaler")
    assert level == "warning"
    assert message.startswith("karpenter.sh/nodepool=gpus: a node that replaces this one comes back on the plugin")


def test_an_autoscaler_that_runs() -> None:
    scaler = pod("ca", namespace="kube-system", node="b", labels={"app": "cluster-autoscaler"})
    ((level, message),) = checks(cluster(scaler), "autoscaler")
    assert (level, message.partition(" runs")[0]) == ("warning", "cluster-autoscaler")
    assert [level for level, _ in checks(cluster(), "autoscaler")] == ["ok"]


def test_pods_that_cannot_be_read_may_be_an_autoscaler() -> None:
    ((level, _),) = checks(cluster(plugin=False, pods=forbidden("pods")), "autoscaler")
    assert level == "warning?"


def test_the_five_minutes() -> None:
    assert checks(cluster(), "five-minutes") == [
        ("warning", "a kubelet keeps the capacity of a plugin that is gone for five minutes: step settle waits for that")
    ]
    ((level, message),) = checks(cluster(), "five-minutes", accept_allocatable_zero=True)
    assert (level, message.partition(":")[0]) == ("warning", "--accept-allocatable-zero")


def test_what_the_profile_warns_of_and_where() -> None:
    operator = find("nvidia-gpu-operator")
    labels = {"nvidia.com/gpu.deploy.device-plugin": "true"}
    plain, gke = (
        gpu_node("a", None, labels={**labels, **more}, allocatable={"nvidia.com/gpu": 8})
        for more in ({}, {"cloud.google.com/gke-accelerator": "l4"})
    )
    one, two = (checks(cluster(device_class("g", "nvidia.com/gpu"), a=node), "cautions", operator) for node in (plain, gke))
    assert [message.partition(",")[0] for _, message in one] == ["when NFD's labels vanish from the node and return"]
    assert len(two) == 2
    assert two[1][1].startswith("a GKE node")
    assert checks(cluster(), "cautions") == [("ok", "nothing more to know of this profile")]


def test_without_a_cluster_permissions_and_canary_are_not_known() -> None:
    of = cluster(plugin_pod("b"))
    assert [level for level, _ in checks(of, "permissions", facts=NOTHING_KNOWN)] == ["warning?"]
    assert [level for level, _ in checks(of, "canary", facts=NOTHING_KNOWN)] == ["warning?"]
