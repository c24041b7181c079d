"""Both sides on one node (E6), and plugins that offer nothing (E5, E20, E22)."""

import msgspec
import pytest

from kubectl_dra.audit import settle
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import Severity
from kubectl_dra.audit.run import examine, report
from kubectl_dra.audit.selection import Selection
from kubectl_dra.objects.meta import Condition
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.snapshot import Snapshot
from tests import factories
from tests.audit import given as of
from tests.audit.given import GPU, cluster, device_class, findings, forbidden, names, node, only, resource_slice, unknown

MAPPED = device_class("gpu", GPU)


def gone(allocatable: str = "0", capacity: str = "8") -> Node:
    return node("a", allocatable={GPU: allocatable}, capacity={GPU: capacity})


def ready_node(made: Node, status: str) -> Node:
    return msgspec.structs.replace(made, status=msgspec.structs.replace(made.status, conditions=(Condition("Ready", status),)))


def plugin(on: str, ready: str | None = "True") -> Pod:
    made = factories.pod(f"plugin-{on}", namespace="plugins", node=on, mounts=["/var/lib/kubelet/device-plugins"])
    conditions = None if ready is None else (Condition("Ready", ready),)
    return msgspec.structs.replace(made, status=msgspec.structs.replace(made.status, conditions=conditions))


def test_dra201_the_plugin_wins_and_dra_has_the_same_devices() -> None:
    given = cluster(
        nodes=[node("a", 8), node("b", 8), node("c")],
        pods=[plugin("a")],
        device_classes=[MAPPED],
        resource_slices=[resource_slice("a", 8), resource_slice("c", 8)],
    )
    finding = only(given, "DRA201")
    assert (finding.severity, names(finding)) == (Severity.ERROR, ["Node a"])
    assert finding.title == f"{GPU} is served by a device plugin and by DRA on 1 node"
    assert finding.evidence == (
        f"Node a: allocatable {GPU} is 8; plugin: Pod plugins/plugin-a; class gpu selects 8 devices of gpu.example.com/a"
    )
    assert finding.fix[1] == "kubectl dra migrate-node a"
    assert [(each.verdict, each.codes) for each in of.report(given).names] == [("blocked", ("DRA201",))]


@pytest.mark.parametrize(
    ("classes", "slices", "why"),
    [
        ([MAPPED], [resource_slice("a", 8, driver="compute-domain.example.com")], "slices of something else beside a plugin"),
        ([device_class("gpu")], [resource_slice("a", 8)], "no class maps the name"),
        ([MAPPED], [resource_slice("a", 8, slices=2)], "the pool is not complete"),
        ([MAPPED], [resource_slice("b", 8)], "the devices are elsewhere"),
        ([device_class("gpu", GPU, selectors=['device.attributes["x"].y == "z"'])], [resource_slice("b", 8)], "none is selected"),
    ],
)
def test_dra201_is_not_both(classes: list[object], slices: list[object], why: str) -> None:
    given = cluster(nodes=[node("a", 8), node("b")], device_classes=classes, resource_slices=slices)
    assert findings(given, "DRA201") == (), why


def test_dra201_of_two_classes_on_1_34_nobody_knows_which_is_taken() -> None:
    given = cluster(
        "1.34.3",
        gates={"DRAExtendedResource": True},
        nodes=[node("a", 8)],
        device_classes=[MAPPED, device_class("nic", GPU, driver="nic.example.com")],
        resource_slices=[resource_slice("a", 8)],
    )
    assert findings(given, "DRA201") == ()
    (reason,) = unknown(given, "DRA201")
    assert reason.startswith(f"whether DRA has devices of {GPU} beside the plugin on a: ")


def test_dra201_without_slices_is_unknown() -> None:
    given = cluster(nodes=[node("a", 8)], device_classes=[MAPPED], resource_slices=forbidden())
    assert (findings(given, "DRA201"), len(unknown(given, "DRA201"))) == ((), 1)


def test_dra201_reads_node_and_slices_again() -> None:
    given = cluster(nodes=[node("a", 8)], device_classes=[MAPPED], resource_slices=[resource_slice("a", 8, name="s")])
    case = Case(given)
    assert [str(each) for each in settle.to_read(examine(case, ["DRA201"]))] == ["Node a", "ResourceSlice s"]
    moved = cluster(nodes=[gone()], device_classes=[MAPPED], resource_slices=[resource_slice("a", 8, name="s")])
    assert settle.settle(case, examine(case, ["DRA201"]), moved).sightings == ()


def looked_at_twice(given: Snapshot, second: Snapshot | None = None) -> list[tuple[Severity, bool, str]]:
    case = Case(given)
    looked = settle.settle(case, examine(case, ["DRA202"]), second or given, waited=360)
    return [(each.severity, each.settled, each.evidence) for each in report(case, looked, Selection(select=("DRA202",))).findings]


@pytest.mark.parametrize(
    ("pods", "cause"),
    [
        (
            [],
            "no pod on the node is known as its plugin: it is gone, or runs outside of pods and restarts or has no healthy device;"
            " the capacity of a plugin that is gone becomes 0 within five minutes",
        ),
        ([plugin("a")], "Pod plugins/plugin-a is Ready: it or the kubelet has just restarted, or all of its devices are unhealthy"),
        ([plugin("a", "False")], "Pod plugins/plugin-a is not Ready: it restarts, or cannot start"),
        ([plugin("a", None)], "Pod plugins/plugin-a is not Ready: it restarts, or cannot start"),
    ],
)
def test_dra202_tells_the_causes_that_the_plugins_pod_allows(pods: list[Pod], cause: str) -> None:
    finding = only(cluster(nodes=[gone()], pods=pods), "DRA202")
    assert (finding.severity, finding.settled, names(finding)) == (Severity.WARNING, False, ["Node a"])
    assert finding.evidence == f"Node a: allocatable {GPU} is 0, capacity 8; {cause}"
    assert f"kubectl dra audit --select DRA202 --resource {GPU} --settle 6m" in finding.fix


def test_dra202_a_kubelet_that_does_not_report_tells_nothing() -> None:
    given = cluster(nodes=[ready_node(gone(), "Unknown")], pods=[plugin("a")])
    assert "its Ready condition is Unknown: the kubelet does not report" in only(given, "DRA202").evidence


def test_dra202_a_known_vendors_plugin_that_is_not_there_is_gone() -> None:
    nvidia = {"nvidia.com/gpu": "8"}
    given = cluster(nodes=[node("a", capacity=nvidia, allocatable={"nvidia.com/gpu": "0"})])
    assert "capacity 8; the plugin is gone; the capacity of a plugin that is gone becomes 0" in only(given, "DRA202").evidence


def test_dra202_while_dra_serves_already_and_the_plugin_is_gone_it_only_passes() -> None:
    for pods, severity in (((), Severity.INFO), ((plugin("a"),), Severity.WARNING)):
        given = cluster(nodes=[gone()], pods=pods, device_classes=[MAPPED], resource_slices=[resource_slice("a", 8)])
        assert only(given, "DRA202").severity is severity


def test_dra202_what_stands_six_minutes_later_is_a_plugin_without_a_healthy_device() -> None:
    given = cluster(nodes=[gone()], pods=[plugin("a")])
    ((severity, settled, evidence),) = looked_at_twice(given)
    assert (severity, settled) == (Severity.WARNING, True)
    assert "Pod plugins/plugin-a is registered, and all of its devices are unhealthy" in evidence


@pytest.mark.parametrize("later", [gone(capacity="0"), gone(allocatable="8")])
def test_dra202_a_plugin_that_is_forgotten_or_back_by_then_is_no_finding(later: Node) -> None:
    assert looked_at_twice(cluster(nodes=[gone()]), cluster(nodes=[later])) == []


def test_dra202_a_second_look_after_a_minute_settles_nothing() -> None:
    case = Case(cluster(nodes=[gone()]))
    once = examine(case, ["DRA202"])
    assert settle.to_read(once, 60) == ()
    assert settle.wait_left(once) == 330


def test_dra202_names_that_nobody_moves_and_nodes_that_offer_some_are_no_finding() -> None:
    kvm = {"devices.kubevirt.io/kvm": "1000"}
    given = cluster(
        nodes=[
            node("a", capacity={GPU: "8"}, allocatable={GPU: "1"}),
            node("b", capacity={GPU: "0"}),
            node("c", capacity=kvm, allocatable={"devices.kubevirt.io/kvm": "0"}),
        ]
    )
    assert findings(given, "DRA202") == ()


def test_dra202_a_plugin_that_is_ready_and_registers_nothing_has_not_moved() -> None:
    finding = only(cluster(nodes=[gone(capacity="0")], pods=[plugin("a")]), "DRA202")
    assert (finding.severity, names(finding)) == (Severity.INFO, ["Node a"])
    assert finding.title == f"a device plugin runs for nothing on 1 node that lists {GPU} with 0"
    assert finding.evidence.endswith("Pod plugins/plugin-a is Ready; DRA has none of its devices there")


def test_dra202_a_node_that_has_moved_or_whose_plugin_serves_something_else_is_no_finding() -> None:
    moved = cluster(nodes=[gone(capacity="0")], pods=[plugin("a")], device_classes=[MAPPED], resource_slices=[resource_slice("a", 8)])
    assert findings(moved, "DRA202") == ()
    other = {"example.com/other": "4", GPU: "0"}
    assert findings(cluster(nodes=[node("a", capacity=other)], pods=[plugin("a")]), "DRA202") == ()
    assert findings(cluster(nodes=[gone(capacity="0")], pods=[plugin("a", "False")]), "DRA202") == ()


def test_dra202_without_nodes_is_unknown_and_without_pods_in_part() -> None:
    assert len(unknown(cluster(nodes=forbidden()), "DRA202")) == 1
    given = cluster(nodes=[gone()], pods=forbidden())
    assert "the plugin's pods were not read" in only(given, "DRA202").evidence
    assert len(unknown(given, "DRA202")) == 1
