"""Kubelets that cannot run pods with devices from DRA (E7, E52, E81, F9)."""

import msgspec
import pytest

from kubectl_dra.audit.finding import Severity
from kubectl_dra.audit.scope import Scope
from kubectl_dra.objects.node import Node, NodeSystemInfo
from tests.audit.control_plane import static_pod
from tests.audit.given import GPU, cluster, device_class, findings, forbidden, names, node, only, pod, resource_slice, unknown

MAPPED = device_class("gpu", GPU)
IMPLICIT = "deviceclass.resource.kubernetes.io/gpu"


def test_dra204_where_dra_serves_already_pods_run_without_their_device() -> None:
    given = cluster(nodes=[node("a", kubelet="v1.35.4")], device_classes=[MAPPED], resource_slices=[resource_slice("a", 4)])
    finding = only(given, "DRA204")
    assert (finding.severity, names(finding)) == (Severity.ERROR, ["Node a"])
    assert finding.title == f"1 node with a kubelet before 1.36, where {GPU} is served through DRA"
    assert finding.evidence == f"Node a: kubelet v1.35.4; {GPU} is served by DRA"
    assert finding.fix[-1] == "kubectl cordon a"
    assert "1.35 will do" in finding.fix[0]


def test_dra204_where_the_plugin_serves_the_node_cannot_move_yet() -> None:
    given = cluster(
        nodes=[node("a", 4, kubelet="v1.34.3"), node("b", capacity={GPU: 4}, allocatable={GPU: 0}, kubelet="v1.33.9")],
        device_classes=[MAPPED],
    )
    finding = only(given, "DRA204")
    assert (finding.severity, names(finding)) == (Severity.WARNING, ["Node a", "Node b"])
    assert finding.title == f"2 nodes with a kubelet before 1.36, where {GPU} cannot move to DRA"
    assert "served by nobody at the moment" in finding.evidence
    assert "1.35 will do" not in finding.fix[0], "1.34 does not accept what it lists with 0"
    assert not any("cordon" in step for step in finding.fix)


def test_dra204_implicit_names_count_where_somebody_asks_for_them() -> None:
    given = cluster(
        nodes=[node("a", kubelet="v1.35.0")],
        pods=[pod("p", {IMPLICIT: 1})],
        device_classes=[device_class("gpu")],
        resource_slices=[resource_slice("a", 4)],
    )
    assert IMPLICIT in only(given, "DRA204").evidence


def test_dra204_new_kubelets_and_nodes_without_such_devices_are_no_finding() -> None:
    given = cluster(
        nodes=[node("a", 4, kubelet="v1.36.0"), node("b", kubelet="v1.30.0"), node("c", allocatable={"other.io/x": 1}, kubelet="v1.30.0")],
        device_classes=[MAPPED],
        resource_slices=[resource_slice("a", 4)],
    )
    assert findings(given, "DRA204") == ()


def test_dra204_an_unreadable_version_is_unknown_where_it_matters() -> None:
    given = cluster(nodes=[node("a", 4, kubelet=""), node("b", kubelet="")], device_classes=[MAPPED])
    assert (findings(given, "DRA204"), unknown(given, "DRA204")) == ((), ("the kubelet version of a is not known",))
    assert len(unknown(cluster(nodes=forbidden()), "DRA204")) == 1


def test_dra204_stays_within_what_is_asked() -> None:
    given = cluster(nodes=[node("a", 4, kubelet="v1.35.0"), node("b", 4, kubelet="v1.35.0")], device_classes=[MAPPED])
    assert names(only(given, "DRA204", scope=Scope(nodes=("b",)))) == ["Node b"]
    assert findings(given, "DRA204", scope=Scope(resources=("other.io/x",))) == ()


@pytest.mark.parametrize(
    ("server", "kubelet", "cause"),
    [
        ("1.37.2", "v1.37.9", None),
        ("1.37.2", "v1.34.0", None),
        ("1.37.2", "v1.33.9", "older"),
        ("1.37.2", "v1.38.0-beta.0", "newer"),
        ("1.36.1", "v1.37.0", "newer"),
    ],
)
def test_dra205_kubelets_may_be_three_minors_older_and_never_newer(server: str, kubelet: str, cause: str | None) -> None:
    found = findings(cluster(server, nodes=[node("a", kubelet=kubelet)]), "DRA205")
    assert [each.cause for each in found] == ([cause] if cause else [])
    assert all(each.severity is Severity.WARNING and names(each) == ["Node a"] for each in found)


def test_dra205_while_the_control_plane_is_upgraded_the_oldest_server_counts_for_newer_and_the_newest_for_older() -> None:
    given = cluster(
        "1.37.0",
        nodes=[node("new", kubelet="v1.37.0"), node("old", kubelet="v1.33.0"), node("fine", kubelet="v1.36.0")],
        pods=[static_pod("kube-apiserver", "v1.36.3", on="cp-1"), static_pod("kube-apiserver", "v1.37.0", on="cp-2")],
    )
    assert [(each.cause, names(each)) for each in findings(given, "DRA205")] == [("newer", ["Node new"]), ("older", ["Node old"])]


@pytest.mark.parametrize(
    ("component", "version", "wrong"),
    [
        ("kube-scheduler", "v1.37.0", ""),
        ("kube-scheduler", "v1.36.5", ""),
        ("kube-scheduler", "v1.35.4", "kube-scheduler is more than one minor version older"),
        ("kube-controller-manager", "v1.38.0", "kube-controller-manager is newer than the API server"),
        ("kube-apiserver", "v1.36.0", ""),
        ("kube-apiserver", "v1.35.0", "kube-apiserver is more than one minor version older than another API server"),
    ],
)
def test_dra205_components_that_show_their_image(component: str, version: str, wrong: str) -> None:
    found = findings(cluster("1.37.2", pods=[static_pod(component, version)]), "DRA205")
    assert [each.title for each in found] == ([wrong] if wrong else [])


def test_dra205_without_the_servers_version_or_nodes_is_unknown() -> None:
    given = cluster("", nodes=[node("a", kubelet="v1.99.0")])
    assert findings(given, "DRA205") == ()
    assert unknown(given, "DRA205") == ("the API server's version is not known, so neither is whether the nodes' go with it",)
    assert len(unknown(cluster(nodes=forbidden()), "DRA205")) == 1


def windows(made: Node) -> Node:
    info = NodeSystemInfo("v1.37.2", "windows")
    return msgspec.structs.replace(made, status=msgspec.structs.replace(made.status, node_info=info))


def test_dra206_windows_nodes_stay_with_their_plugin() -> None:
    directx = {"microsoft.com/directx": 1}
    given = cluster(nodes=[windows(node("w", allocatable=directx)), windows(node("plain")), node("linux", allocatable=directx)])
    finding = only(given, "DRA206")
    assert (finding.severity, names(finding)) == (Severity.INFO, ["Node w"])
    assert finding.title == "1 Windows node with microsoft.com/directx"


def test_dra206_where_dra_would_serve_it_is_an_error() -> None:
    labelled = node("w", labels={"kubernetes.io/os": "windows"})
    given = cluster(nodes=[labelled], device_classes=[MAPPED], resource_slices=[resource_slice("w", 1)])
    finding = only(given, "DRA206")
    assert (finding.severity, finding.fix[-1]) == (Severity.ERROR, "kubectl cordon w")


def test_dra206_without_nodes_is_unknown() -> None:
    assert len(unknown(cluster(nodes=forbidden()), "DRA206")) == 1
