"""DRA406 and DRA407: pods that hold devices from a plugin and that a drain does not move, or does not bring back."""

import msgspec
import pytest

from kubectl_dra.audit.finding import Severity
from kubectl_dra.audit.scope import Scope
from kubectl_dra.objects.pod import Pod
from tests.audit.given import GPU, Asks, cluster, device_class, findings, forbidden, names, node, only, pod, report, unknown

MAPPED = [device_class("gpu", GPU)]
NODES = [node("a", 4)]


def static(name: str, asks: Asks) -> Pod:
    made = pod(name, asks, on="a", owner=("Node", "a"))
    metadata = msgspec.structs.replace(made.metadata, annotations={"kubernetes.io/config.mirror": "x"})
    return msgspec.structs.replace(made, metadata=metadata)


def test_dra406_a_static_pod_can_never_have_its_device_from_dra() -> None:
    given = cluster(nodes=NODES, pods=[static("agent-a", {GPU: 1})], device_classes=MAPPED)
    finding = only(given, "DRA406")
    assert (finding.severity, names(finding)) == (Severity.WARNING, ["Pod team/agent-a"])
    assert finding.title == f"1 static pod holds {GPU}, and can never have it from DRA"
    assert finding.evidence == f"Pod team/agent-a is a static pod of node a and has {GPU} from the device plugin"
    assert report(given).names[0].codes == ("DRA406",)


def test_dra406_a_daemon_set_is_worth_knowing_and_keeps_nothing_from_moving() -> None:
    pods = [pod(f"exporter-{n}", {GPU: 1}, on="a", owner=("DaemonSet", "exporter")) for n in range(2)]
    given = cluster(nodes=NODES, pods=pods, device_classes=MAPPED)
    finding = only(given, "DRA406")
    assert (finding.severity, names(finding)) == (
        Severity.INFO,
        ["DaemonSet team/exporter", "Pod team/exporter-0", "Pod team/exporter-1"],
    )
    assert finding.evidence == f"2 pods of DaemonSet team/exporter on a hold {GPU} from the device plugin"
    assert report(given).names[0].codes == ()


def test_dra407_pods_that_nothing_makes_again() -> None:
    given = cluster(nodes=NODES, pods=[pod("one", {GPU: 1}, on="a"), pod("two", {GPU: 2}, on="a")], device_classes=MAPPED)
    finding = only(given, "DRA407")
    assert (finding.severity, names(finding)) == (Severity.INFO, ["Pod team/one", "Pod team/two"])
    assert finding.title == f"2 pods that nothing makes again hold {GPU}"
    assert finding.fix[-1] == "kubectl -n team get pod one two -o yaml"


@pytest.mark.parametrize("code", ["DRA406", "DRA407"])
def test_quiet_where_nothing_has_to_move(code: str) -> None:
    """Served by DRA, on no node, going, an implicit name, a name that nobody moves, a controller's pod."""
    going = pod("going", {GPU: 1}, on="a")
    going = msgspec.structs.replace(going, metadata=msgspec.structs.replace(going.metadata, deletion_timestamp="2026-01-01T00:00:00Z"))
    pods = [
        pod("by-dra", {GPU: 1}, on="a", served_by_claim=[GPU]),
        pod("waiting", {GPU: 1}),
        going,
        pod("implicit", {"deviceclass.resource.kubernetes.io/gpu": 1}, on="a"),
        pod("vm", {"devices.kubevirt.io/kvm": 1}, on="a"),
        pod("unmapped", {"acme.example/fpga": 1}, on="a"),
        pod("web", {GPU: 1}, on="a", owner=("ReplicaSet", "web")),
    ]
    assert findings(cluster(nodes=NODES, pods=pods, device_classes=MAPPED), code) == ()


def test_names_of_known_vendors_count_before_a_class_maps_them() -> None:
    given = cluster(nodes=NODES, pods=[static("agent-a", {"nvidia.com/gpu": 1}), pod("p", {"amd.com/gpu": 1}, on="a")])
    assert only(given, "DRA406").severity is Severity.WARNING
    assert names(only(given, "DRA407")) == ["Pod team/p"]


def test_stays_within_what_is_asked_about() -> None:
    given = cluster(nodes=NODES, pods=[pod("one", {GPU: 1}, on="a")], device_classes=MAPPED)
    for scope in (Scope(namespace="other"), Scope(nodes=("b",)), Scope(resources=("other.example/*",))):
        assert findings(given, "DRA407", scope=scope) == ()


@pytest.mark.parametrize("code", ["DRA406", "DRA407"])
def test_without_pods_nobody_knows(code: str) -> None:
    assert len(unknown(cluster(pods=forbidden()), code)) == 1
