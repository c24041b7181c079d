"""Checks on device classes."""

import msgspec
import pytest

from kubectl_dra.audit.checks.lost_mappings import rejections
from kubectl_dra.audit.finding import Severity
from kubectl_dra.audit.scope import Scope
from kubectl_dra.objects.snapshot import KindReading, ReadState
from tests.audit.given import GPU, cluster, device_class, findings, forbidden, names, node, only, pod, report, unknown, workload

OLD = device_class("old", GPU, created="2026-11-30T10:00:00Z")
NEW = device_class("new", GPU, created="2026-11-30T10:00:41Z")
IMPLICIT = "deviceclass.resource.kubernetes.io/"
NVIDIA = "nvidia.com/gpu"


def insufficient(name: str, nodes: int) -> str:
    return (
        f"0/{nodes} nodes are available: {nodes} Insufficient {name}. preemption: 0/{nodes} nodes are available:"
        f" {nodes} Preemption is not helpful for scheduling."
    )


def test_dra101_the_newer_class_wins_and_removing_either_loses_the_mapping() -> None:
    finding = only(cluster(device_classes=[OLD, NEW]), "DRA101")
    assert finding.severity is Severity.ERROR
    assert finding.title == f"2 device classes map {GPU}"
    assert names(finding) == ["DeviceClass new", "DeviceClass old"]
    assert finding.evidence.split("\n") == [
        "DeviceClass new (created 2026-11-30T10:00:41Z) wins: created 41 s later",
        "DeviceClass old (created 2026-11-30T10:00:00Z) loses to new: created 41 s earlier",
    ]
    assert f"leaves {GPU} mapped to nothing" in finding.why
    commands = [step for step in finding.fix if not step.startswith("#")]
    assert commands[0] == """kubectl patch deviceclass old --type=merge -p '{"spec":{"extendedResourceName":null}}'"""
    assert commands[1] == """kubectl annotate deviceclass new --overwrite kubectl-dra/touched="$(date +%s)\""""
    assert [command.split()[3] for command in commands[2:]] == ["run", "wait", "delete"]
    assert "kubernetes/kubernetes#141103" in finding.source


def test_dra101_in_the_same_second_the_lower_name_wins() -> None:
    tie = [device_class("b-gpu", GPU), device_class("a-gpu", GPU)]
    assert names(only(cluster(device_classes=tie), "DRA101")) == ["DeviceClass a-gpu", "DeviceClass b-gpu"]


def test_dra101_on_1_34_the_choice_is_random() -> None:
    finding = only(cluster("1.34.3", device_classes=[OLD, NEW]), "DRA101")
    assert finding.severity is Severity.ERROR
    assert finding.evidence.split("\n") == [
        "DeviceClass new (created 2026-11-30T10:00:41Z) may serve it or not: Kubernetes 1.34 takes any of them",
        "DeviceClass old (created 2026-11-30T10:00:00Z) may serve it or not: Kubernetes 1.34 takes any of them",
    ]
    assert "picks at random" in finding.why


def test_dra101_from_1_38_on_nothing_is_lost() -> None:
    finding = only(cluster("1.38.0", device_classes=[OLD, NEW]), "DRA101")
    assert finding.severity is Severity.WARNING
    assert "mapped to nothing" not in finding.why
    assert not any("annotate" in step for step in finding.fix)


def test_dra101_goes_by_the_binary_not_by_what_it_emulates() -> None:
    finding = only(cluster("1.37.2", emulated="1.34", device_classes=[OLD, NEW]), "DRA101")
    assert "random" not in finding.why


def test_dra101_an_unknown_version_is_said_to_be_unknown() -> None:
    given = cluster("", device_classes=[OLD, NEW])
    finding = only(given, "DRA101")
    assert finding.severity is Severity.ERROR
    assert "this server's version is not known" in finding.evidence
    assert unknown(given, "DRA101") == (f"the server's version is not known, so neither is which class serves {GPU}",)


def test_dra101_a_helm_release_is_named_because_it_brings_the_name_back() -> None:
    owned = device_class("old", GPU, release="gpu-driver")
    finding = only(cluster(device_classes=[owned, NEW]), "DRA101")
    assert finding.fix[0].endswith("the Helm release drivers/gpu-driver owns it, so change its values as well")


def test_dra101_one_class_a_name_is_no_finding() -> None:
    assert findings(cluster(device_classes=[OLD, device_class("nic", "example.com/nic"), device_class("none")]), "DRA101") == ()


def test_dra101_stays_within_the_names_asked_for() -> None:
    given = cluster(device_classes=[OLD, NEW, device_class("a", "other/x"), device_class("b", "other/x")])
    assert only(given, "DRA101", scope=Scope(resources=("other/*",))).title == "2 device classes map other/x"


def test_dra101_is_unknown_without_classes() -> None:
    assert len(unknown(cluster(device_classes=forbidden()), "DRA101")) == 1


@pytest.mark.parametrize(("length", "found"), [(63, 0), (64, 1), (253, 1)])
def test_dra102_a_class_name_longer_than_a_resource_name_may_be(length: int, found: int) -> None:
    assert len(findings(cluster(device_classes=[device_class("a" * length)]), "DRA102")) == found


def test_dra102_an_explicit_name_is_enough() -> None:
    assert findings(cluster(device_classes=[device_class("a" * 64, GPU)]), "DRA102") == ()


def test_dra102_says_how_long_it_is() -> None:
    finding = only(cluster(device_classes=[device_class("a" * 64)]), "DRA102")
    assert finding.evidence == f"{IMPLICIT}{'a' * 64}: 64 characters after the slash; spec.extendedResourceName is not set"


def test_dra103_nvidias_class_maps_nothing() -> None:
    given = cluster(
        device_classes=[device_class("gpu.nvidia.com", driver="gpu.nvidia.com")], pods=[pod("p", {NVIDIA: 1}, on="a")], nodes=[]
    )
    finding = only(given, "DRA103")
    assert finding.title == f"device class gpu.nvidia.com maps nothing, while pods ask for {NVIDIA}"
    assert names(finding) == ["DeviceClass gpu.nvidia.com", "Pod team/p"]
    assert finding.fix[-1] == (
        """kubectl patch deviceclass gpu.nvidia.com --type=merge -p '{"spec":{"extendedResourceName":"nvidia.com/gpu"}}'"""
    )


def test_dra103_intels_class_maps_another_name_than_the_pods_ask_for() -> None:
    given = cluster(
        device_classes=[device_class("gpu.intel.com", "intel.com/gpu", driver="gpu.intel.com")],
        deployments=[workload("render", {"gpu.intel.com/i915": 1}, replicas=0)],
    )
    finding = only(given, "DRA103")
    assert finding.title == "device class gpu.intel.com maps intel.com/gpu, while pods ask for gpu.intel.com/i915"
    assert names(finding) == ["DeviceClass gpu.intel.com", "Deployment team/render"]


def test_dra103_a_name_that_is_in_use_is_kept_by_a_second_class() -> None:
    given = cluster(
        device_classes=[device_class("gpu.intel.com", "intel.com/gpu", driver="gpu.intel.com")],
        pods=[pod("new", {"intel.com/gpu": 1}), pod("old", {"gpu.intel.com/i915": 1})],
    )
    assert '"extendedResourceName": "gpu.intel.com/i915"' in only(given, "DRA103").fix[-1]


def test_dra103_mapped_or_unasked_or_uninstalled_is_no_finding() -> None:
    vendors = device_class("gpu.nvidia.com", driver="gpu.nvidia.com")
    assert findings(cluster(device_classes=[device_class("gpu.nvidia.com", NVIDIA)], pods=[pod("p", {NVIDIA: 1})]), "DRA103") == ()
    assert findings(cluster(device_classes=[vendors]), "DRA103") == ()
    assert findings(cluster(pods=[pod("p", {NVIDIA: 1})]), "DRA103") == ()
    mine = device_class("mine", NVIDIA)
    assert findings(cluster(device_classes=[vendors, mine], pods=[pod("p", {NVIDIA: 1})]), "DRA103") == ()


@pytest.mark.parametrize(
    ("message", "counted"),
    [
        (insufficient(GPU, 8), {GPU: 8}),
        ("0/3 nodes are available: 1 Insufficient cpu, 2 Insufficient nvidia.com/gpu.shared.", {"cpu": 1, "nvidia.com/gpu.shared": 2}),
        ("0/3 nodes are available: 3 cannot allocate all claims. preemption: 0/3 nodes are available: 3 Insufficient a/b.", {}),
        ("0/12 nodes are available: 12 Insufficient a/b, 2 node(s) had untolerated taint {k: v}. no new claims to deallocate", {"a/b": 12}),
        ("", {}),
    ],
)
def test_the_schedulers_words(message: str, counted: dict[str, int]) -> None:
    assert rejections(message) == counted


def test_dra105_insufficient_on_nodes_without_the_plugin_means_the_mapping_is_lost() -> None:
    given = cluster(
        nodes=[node("a"), node("b", allocatable={GPU: "0"})],
        pods=[pod("p", {GPU: 1}, waits=insufficient(GPU, 2)), pod("q", {GPU: 1}, waits=insufficient(GPU, 2))],
        device_classes=[NEW],
    )
    finding = only(given, "DRA105")
    assert finding.severity is Severity.ERROR
    assert finding.title == f"the scheduler has probably lost the mapping of {GPU} to new"
    assert names(finding) == ["DeviceClass new", "Pod team/p", "Pod team/q"]
    assert finding.evidence.split("\n")[0] == f"DeviceClass new maps {GPU}; allocatable {GPU} is above 0 on 0 of 2 nodes"
    assert finding.evidence.split("\n")[1] == f"Pod team/p: {insufficient(GPU, 2)}"
    assert finding.fix[1].startswith("kubectl annotate deviceclass new ")
    assert not finding.settled


@pytest.mark.parametrize(("told", "found"), [(1, 0), (2, 1)])
def test_dra105_counts_nodes_against_nodes(told: int, found: int) -> None:
    given = cluster(
        nodes=[node("full", allocatable={GPU: "4"}), node("b")],
        pods=[pod("p", {GPU: 1}, waits=insufficient(GPU, told))],
        device_classes=[NEW],
    )
    assert len(findings(given, "DRA105")) == found


def test_dra105_implicit_names_are_lost_in_the_same_way() -> None:
    name = f"{IMPLICIT}old"
    given = cluster(nodes=[node("a")], pods=[pod("p", {name: 1}, waits=insufficient(name, 1))], device_classes=[OLD, NEW])
    finding = only(given, "DRA105")
    assert finding.title == f"the scheduler has probably lost the mapping of {name} to old"
    commands = [step.split()[1:4] for step in finding.fix if not step.startswith("#")]
    assert commands[:3] == [["patch", "deviceclass", "old"], ["annotate", "deviceclass", "new"], ["annotate", "deviceclass", "old"]]


def test_dra105_a_name_that_no_class_maps_or_a_pod_that_runs_is_no_finding() -> None:
    waiting = pod("p", {GPU: 1}, waits=insufficient(GPU, 1))
    assert findings(cluster(nodes=[node("a")], pods=[waiting]), "DRA105") == ()
    assert findings(cluster(nodes=[node("a")], pods=[pod("p", {GPU: 1}, on="a")], device_classes=[NEW]), "DRA105") == ()


def test_dra105_the_fault_is_not_known_from_1_38_on() -> None:
    given = cluster("1.38.0", nodes=[node("a")], pods=[pod("p", {GPU: 1}, waits=insufficient(GPU, 1))], device_classes=[NEW])
    assert only(given, "DRA105").severity is Severity.WARNING


def test_dra105_where_the_gate_may_be_off_nothing_can_be_said() -> None:
    waiting = [pod("p", {GPU: 1}, waits=insufficient(GPU, 1))]
    given = cluster("1.37.2", emulated="1.35", nodes=[node("a")], pods=waiting, device_classes=[NEW])
    assert findings(given, "DRA105") == ()
    assert unknown(given, "DRA105") == (f"the gate DRAExtendedResource may be off, so it is not known why pods wait for {GPU}",)
    on = cluster("1.35.4", gates={"DRAExtendedResource": True}, nodes=[node("a")], pods=waiting, device_classes=[NEW])
    assert len(report(on, "DRA105").findings) == 1


def test_dra105_other_schedulers_say_the_same_words_and_may_not_know_dra() -> None:
    waiting = pod("w", {GPU: 1}, waits=f"0/1 nodes are unavailable: 1 Insufficient {GPU}.")
    other = msgspec.structs.replace(waiting, spec=msgspec.structs.replace(waiting.spec, scheduler_name="volcano"))
    given = cluster(nodes=[node("a")], pods=[other], device_classes=[NEW])
    assert findings(given, "DRA105") == ()
    assert unknown(given, "DRA105") == (f"it is not known whether volcano serves {GPU} through DRA: pods that it schedules wait",)
    assert [(each.verdict, each.codes) for each in report(given).names] == [("unknown", ())]


def test_a_line_break_in_a_name_does_not_end_the_comment_it_stands_in() -> None:
    owned = device_class("old", GPU, release="gpu\nrm -rf x")
    (first, *_) = only(cluster(device_classes=[owned, NEW]), "DRA101").fix
    assert first.endswith("the Helm release drivers/gpu rm -rf x owns it, so change its values as well")


def partly(*items: object) -> KindReading[object]:
    return KindReading(items, ReadState.EXPIRED, "the list expired twice")


def test_dra105_what_lacks_nodes_proves_no_lost_mapping() -> None:
    given = cluster(nodes=partly(node("a")), pods=[pod("w", {GPU: 1}, waits=insufficient(GPU, 4))], device_classes=[NEW])
    assert findings(given, "DRA105") == ()
    assert [(each.verdict, each.codes) for each in report(given).names] == [("unknown", ())]


def test_dra103_what_lacks_classes_proves_no_unmapped_name() -> None:
    given = cluster(pods=[pod("w", {NVIDIA: 1})], device_classes=partly(device_class("gpu.nvidia.com", driver="gpu.nvidia.com")))
    assert findings(given, "DRA103") == ()
    assert [(each.verdict, each.codes) for each in report(given).names] == [("unknown", ())]


def test_dra103_on_a_server_that_drops_the_field_the_patch_comes_after_the_upgrade() -> None:
    def steps(version: str, **gates: bool) -> list[str]:
        given = cluster(emulated=version, gates=gates, device_classes=[device_class("gpu.example.com")], pods=[pod("p", {GPU: 1})])
        return [step.partition(" ")[2][:21] for step in only(given, "DRA103").fix]

    assert (
        steps("1.34")
        == steps("1.36", DRAExtendedResource=False)
        == ["first upgrade the con", "before: no pod may as", "patch deviceclass gpu"]
    )
    assert steps("1.37") == steps("1.34", DRAExtendedResource=True) == ["before: no pod may as", "patch deviceclass gpu"]
