"""The verdict of each extended resource name."""

from kubectl_dra.objects.snapshot import Snapshot
from tests.audit.given import GPU, cluster, device_class, forbidden, node, pod, report, resource_slice, workload

MAPPED = [device_class("gpu", GPU)]
DUPLICATES = [device_class("gpu", GPU), device_class("gpu-2", GPU)]
NVIDIA = "nvidia.com/gpu"


def verdicts(snapshot: Snapshot, *select: str) -> dict[str, tuple[str, tuple[str, ...]]]:
    return {each.name: (each.verdict, each.codes) for each in report(snapshot, *select).names}


def test_a_mapped_name_with_nothing_against_it_is_ready() -> None:
    assert verdicts(cluster(nodes=[node("a", 8)], device_classes=MAPPED)) == {GPU: ("ready", ())}


def test_findings_that_block_a_name_are_named() -> None:
    given = cluster(device_classes=DUPLICATES, deployments=[workload("big", {GPU: 64}, replicas=0)])
    assert verdicts(given) == {GPU: ("blocked", ("DRA101", "DRA401"))}


def test_kubelets_that_lock_up_block_the_names_that_their_nodes_serve_on_either_side() -> None:
    nic = device_class("nic", "example.com/nic", driver="nic.example.com")
    given = cluster(
        nodes=[node("a", 8, kubelet="v1.34.1"), node("b", kubelet="v1.34.1"), node("c", allocatable={NVIDIA: 1})],
        device_classes=[*MAPPED, nic, device_class("other", NVIDIA)],
        resource_slices=[resource_slice("b", 2, driver="nic.example.com")],
    )
    both = ("DRA203", "DRA204")
    assert verdicts(given) == {GPU: ("blocked", both), "example.com/nic": ("blocked", both), NVIDIA: ("ready", ())}


def test_the_verdict_rests_on_all_checks_whatever_is_shown() -> None:
    given = cluster(device_classes=DUPLICATES)
    assert verdicts(given, "DRA5") == {GPU: ("blocked", ("DRA101",))}


def test_a_finding_blocks_only_the_names_it_is_about() -> None:
    given = cluster(device_classes=[*DUPLICATES, device_class("nic", "example.com/nic")])
    assert verdicts(given) == {GPU: ("blocked", ("DRA101",)), "example.com/nic": ("ready", ())}


def test_a_vendors_name_that_its_class_does_not_map_is_blocked() -> None:
    given = cluster(device_classes=[device_class("gpu.nvidia.com", driver="gpu.nvidia.com")], pods=[pod("p", {NVIDIA: 1}, on="a")])
    assert verdicts(given) == {NVIDIA: ("blocked", ("DRA103",))}


def test_names_that_nobody_moves_are_left_alone() -> None:
    assert verdicts(cluster(nodes=[node("a", capacity={"devices.kubevirt.io/kvm": "1k"})])) == {
        "devices.kubevirt.io/kvm": ("leave alone", ())
    }


def test_a_name_that_no_class_maps_is_unknown() -> None:
    assert verdicts(cluster(nodes=[node("a", 8)])) == {GPU: ("unknown", ())}


def test_what_could_not_be_judged_is_unknown_not_ready() -> None:
    assert verdicts(cluster(device_classes=MAPPED, pods=forbidden())) == {GPU: ("unknown", ())}


def test_a_class_maps_nothing_where_the_feature_may_be_off() -> None:
    assert verdicts(cluster("1.35.4", device_classes=MAPPED)) == {GPU: ("unknown", ())}
    assert verdicts(cluster("1.37.2", emulated="1.35", device_classes=MAPPED)) == {GPU: ("unknown", ())}
    assert verdicts(cluster("1.35.4", gates={"DRAExtendedResource": True}, device_classes=MAPPED)) == {GPU: ("ready", ())}


def test_a_file_that_names_no_version_is_judged_by_its_kubelets() -> None:
    assert verdicts(cluster("", nodes=[node("a", kubelet="v1.36.0")], device_classes=MAPPED)) == {GPU: ("ready", ())}
    assert verdicts(cluster("", nodes=[node("a", kubelet="v1.35.0")], device_classes=MAPPED)) == {GPU: ("unknown", ())}
