"""DRA412: names for shares and parts of devices, and devices shared without another name."""

import msgspec
import pytest

from kubectl_dra.audit.finding import Severity
from kubectl_dra.audit.scope import Scope
from kubectl_dra.objects.node import Node
from tests.audit.given import Asks, cluster, device_class, findings, forbidden, names, node, only, pod, report, unknown

SHARED = "nvidia.com/gpu.shared"


def sharing(name: str, strategy: str = "time-slicing", replicas: str = "4") -> Node:
    made = node(name, allocatable={"nvidia.com/gpu": 32})
    labels = {"nvidia.com/gpu.sharing-strategy": strategy, "nvidia.com/gpu.replicas": replicas}
    return msgspec.structs.replace(made, metadata=msgspec.structs.replace(made.metadata, labels=labels))


def test_dra412_shares_that_pods_ask_for() -> None:
    given = cluster(nodes=[node("a", allocatable={SHARED: 40})], pods=[pod("p", {SHARED: 1})])
    finding = only(given, "DRA412")
    assert (finding.severity, names(finding)) == (Severity.WARNING, ["Pod team/p"])
    assert finding.title == f"no class maps {SHARED}, which 1 workload asks for"
    assert finding.evidence.split("\n") == [
        f"Node a: allocatable {SHARED} is 40",
        "it is asked for by Pod team/p",
        "no class maps it",
    ]
    assert "time-slicing" in finding.fix[0]
    assert report(given).names[0].codes == ("DRA412",)


@pytest.mark.parametrize("name", ["nvidia.com/mig-1g.5gb", "nvidia.com/a100", "qat.intel.com/cy"])
def test_dra412_parts_and_names_of_ones_own(name: str) -> None:
    asked: Asks = {name: 1}
    found = findings(cluster(pods=[pod("p", asked)]), "DRA412")
    assert [each.severity for each in found] == ([] if name.startswith("qat") else [Severity.WARNING])


def test_dra412_names_that_are_not_asked_about() -> None:
    given = cluster(nodes=[sharing("a")], pods=[pod("p", {SHARED: 1})])
    assert findings(given, "DRA412", scope=Scope(resources=("other.example/*",))) == ()
    assert len(findings(given, "DRA412", scope=Scope(resources=("nvidia.com/gpu",)))) == 1


def test_dra412_what_nobody_asks_for_is_only_told() -> None:
    finding = only(cluster(nodes=[node("a", allocatable={SHARED: 4})]), "DRA412")
    assert (finding.severity, names(finding)) == (Severity.INFO, ["Node a"])


def test_dra412_a_class_that_maps_it_settles_it_and_whole_names_are_no_matter() -> None:
    mapped = [device_class("mig", "nvidia.com/mig-1g.5gb", driver="gpu.nvidia.com")]
    assert findings(cluster(pods=[pod("p", {"nvidia.com/mig-1g.5gb": 1})], device_classes=mapped), "DRA412") == ()
    whole = {"nvidia.com/gpu": 1, "amd.com/gpu": 1, "acme.example/fpga": 1, "nvidia.com/gpumem": 1, "devices.kubevirt.io/kvm": 1}
    assert findings(cluster(pods=[pod("p", whole)]), "DRA412") == ()


def test_dra412_devices_shared_under_the_whole_name() -> None:
    finding = only(cluster(nodes=[sharing("a"), node("b", allocatable={"nvidia.com/gpu": 8})]), "DRA412")
    assert (finding.severity, names(finding)) == (Severity.WARNING, ["Node a"])
    assert finding.evidence == (
        "Node a: nvidia.com/gpu.sharing-strategy is time-slicing, each GPU serves 4 pods; allocatable nvidia.com/gpu is 32"
    )


@pytest.mark.parametrize(("strategy", "replicas"), [("none", "4"), ("mps", "1"), ("mps", "many")])
def test_dra412_labels_that_say_no_sharing(strategy: str, replicas: str) -> None:
    assert findings(cluster(nodes=[sharing("a", strategy, replicas)]), "DRA412") == ()


def test_dra412_a_node_that_has_moved_shares_nothing_any_more() -> None:
    moved = sharing("a")
    moved = msgspec.structs.replace(moved, status=msgspec.structs.replace(moved.status, allocatable={"nvidia.com/gpu": "0"}))
    assert findings(cluster(nodes=[moved]), "DRA412") == ()


def test_dra412_is_unknown_without_classes() -> None:
    assert len(unknown(cluster(device_classes=forbidden(), pods=[pod("p", {SHARED: 1})]), "DRA412")) == 1
