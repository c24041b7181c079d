"""Slices without their driver (E40), and drivers without slices (E41)."""

from collections.abc import Iterable

import msgspec
import pytest

from kubectl_dra.audit import settle
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import Severity
from kubectl_dra.audit.run import examine
from kubectl_dra.objects.meta import Condition
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.resource import ResourceSlice
from kubectl_dra.objects.snapshot import Snapshot
from tests import factories
from tests.audit import given as of
from tests.audit.given import cluster, findings, forbidden, names, only, resource_slice, unknown

DRIVER = "nic.vendor.example"
NOW, LONG_AGO, JUST_NOW = "2026-12-01T12:00:00Z", "2026-12-01T10:00:00Z", "2026-12-01T11:59:30Z"


def node(name: str, ready: str = "True") -> Node:
    made = of.node(name)
    return msgspec.structs.replace(made, status=msgspec.structs.replace(made.status, conditions=(Condition("Ready", ready),)))


def driver(on: str, ready: str = "True", *, since: str = LONG_AGO, deleted: str | None = None, mounts: str = DRIVER) -> Pod:
    """A pod of DaemonSet nics that mounts its folder of the kubelet."""
    folder = [f"/var/lib/kubelet/plugins/{mounts}"]
    made = factories.pod(f"nics-{on}", namespace="drivers", node=on, owner=("DaemonSet", "nics"), mounts=folder)
    meta = msgspec.structs.replace(made.metadata, creation_timestamp=LONG_AGO, deletion_timestamp=deleted)
    conditions = (Condition("Ready", ready, last_transition_time=since),)
    return msgspec.structs.replace(made, metadata=meta, status=msgspec.structs.replace(made.status, conditions=conditions))


def publishes(on: str, *skips: str) -> ResourceSlice:
    made = resource_slice(on, 2, driver=DRIVER, name=f"slice-{on}")
    return msgspec.structs.replace(made, spec=msgspec.structs.replace(made.spec, skip_node_operations=skips or None))


def reading(nodes: Iterable[Node], pods: Iterable[Pod], slices: Iterable[ResourceSlice]) -> Snapshot:
    made = cluster(nodes=nodes, pods=pods, resource_slices=slices)
    return msgspec.structs.replace(made, cluster=msgspec.structs.replace(made.cluster, read_at=NOW))


def test_dra207_slices_of_a_node_whose_driver_is_gone() -> None:
    given = reading([node("a"), node("b")], [driver("b")], [publishes("a"), publishes("b")])
    finding = only(given, "DRA207")
    assert (finding.severity, names(finding)) == (Severity.ERROR, ["Node a"])
    assert finding.title == f"{DRIVER} publishes devices for 1 node and is not ready there"
    assert finding.evidence == f"Node a: 2 devices of {DRIVER} in slices; its pod there: none"
    assert finding.fix[-1] == "kubectl cordon a"


def test_dra207_a_driver_that_is_not_ready_for_a_while() -> None:
    given = reading([node("a")], [driver("a", "False")], [publishes("a")])
    finding = only(given, "DRA207")
    assert (finding.severity, names(finding)) == (Severity.WARNING, ["Node a", "Pod drivers/nics-a"])
    assert finding.evidence.endswith("its pod there: Pod drivers/nics-a (Running, not Ready)")
    assert "kubectl -n drivers describe pod nics-a" in finding.fix


@pytest.mark.parametrize(
    ("nodes", "pods", "slices", "why"),
    [
        ([node("a")], [driver("a")], [publishes("a")], "it is ready"),
        ([node("a")], [driver("a", "False", since=JUST_NOW)], [publishes("a")], "it has just stopped being ready"),
        ([node("a"), node("b")], [driver("b", since=JUST_NOW)], [publishes("a")], "its DaemonSet is rolled out just now"),
        ([node("a"), node("b")], [driver("b", deleted=JUST_NOW)], [publishes("a")], "one of its pods is being replaced"),
        ([node("a"), node("b")], [driver("b")], [publishes("a", "*")], "these devices need no driver on the node"),
        ([node("a", "Unknown"), node("b")], [driver("b")], [publishes("a")], "the node itself does not report"),
        ([node("b")], [driver("b")], [publishes("a")], "there is no such node"),
        ([node("a")], [], [publishes("a")], "nobody knows how this driver runs"),
        ([node("a"), node("b")], [driver("b")], [resource_slice(None, 2, driver=DRIVER, pool="net", all_nodes=True)], "no node's own"),
    ],
)
def test_dra207_is_not_missed(nodes: list[Node], pods: list[Pod], slices: list[ResourceSlice], why: str) -> None:
    assert findings(reading(nodes, pods, slices), "DRA207") == (), why


def test_dra207_skipping_only_the_preparation_still_takes_a_driver() -> None:
    given = reading([node("a"), node("b")], [driver("b")], [publishes("a", "NodeUnprepareResources")])
    assert names(only(given, "DRA207")) == ["Node a"]


def test_dra207_a_known_vendors_driver_that_no_pod_looks_like_is_unknown() -> None:
    given = reading([node("a")], [], [resource_slice("a", 2, driver="gpu.nvidia.com")])
    assert findings(given, "DRA207") == ()
    assert unknown(given, "DRA207") == ("no pod in the cluster has the marks of gpu.nvidia.com: whether it is on a is not known",)


@pytest.mark.parametrize("code", ["DRA207", "DRA208"])
@pytest.mark.parametrize("kind", ["nodes", "pods", "resource_slices"])
def test_without_a_kind_it_is_unknown(code: str, kind: str) -> None:
    given = cluster(**{kind: forbidden()})  # type: ignore[arg-type] # any kind may be forbidden
    assert (findings(given, code), len(unknown(given, code))) == ((), 1)


def test_dra207_slices_that_the_kubelet_has_removed_by_then_are_no_finding() -> None:
    case = Case(reading([node("a"), node("b")], [driver("b")], [publishes("a"), publishes("b")]))
    once = examine(case, ["DRA207"])
    assert [str(each) for each in settle.to_read(once)] == ["Node a", "ResourceSlice slice-a"]
    later = reading([node("a")], [], [])
    assert settle.settle(case, once, later).sightings == ()


def test_dra208_a_ready_driver_that_publishes_only_elsewhere() -> None:
    given = reading([node("a"), node("b")], [driver("a"), driver("b")], [publishes("b")])
    finding = only(given, "DRA208")
    assert (finding.severity, names(finding)) == (Severity.WARNING, ["Node a", "Pod drivers/nics-a"])
    assert finding.evidence == (
        f"Pod drivers/nics-a on node a is Ready for 2 h; no slice of {DRIVER} is for that node\nDaemonSet drivers/nics publishes for b"
    )
    assert "kubectl -n drivers delete pod nics-a" in finding.fix


@pytest.mark.parametrize(
    ("nodes", "pods", "slices", "why"),
    [
        ([node("a"), node("b")], [driver("a"), driver("b")], [publishes("a"), publishes("b")], "both publish"),
        ([node("a"), node("b")], [driver("a", since=JUST_NOW), driver("b")], [publishes("b")], "it has just become ready"),
        ([node("a"), node("b")], [driver("a", "False"), driver("b")], [publishes("b")], "it is not ready"),
        ([node("a", "False"), node("b")], [driver("a"), driver("b")], [publishes("b")], "the node is not ready"),
        ([node("a"), node("b")], [driver("a", mounts="x.example"), driver("b")], [publishes("b")], "it is another driver"),
        ([node("a")], [driver("a")], [resource_slice(None, 1, driver=DRIVER, pool="p", all_nodes=True)], "it publishes for all nodes"),
    ],
)
def test_dra208_is_not_silent(nodes: list[Node], pods: list[Pod], slices: list[ResourceSlice], why: str) -> None:
    assert findings(reading(nodes, pods, slices), "DRA208") == (), why


def test_dra208_slices_that_have_come_by_then_are_no_finding() -> None:
    given = reading([node("a"), node("b")], [driver("a"), driver("b")], [publishes("b")])
    case = Case(given)
    once = examine(case, ["DRA208"])
    assert "ResourceSlice " in [str(each) for each in settle.to_read(once)], "all slices are read: those that come have any name"
    later = reading([node("a"), node("b")], [driver("a")], [publishes("a"), publishes("b")])
    assert settle.settle(case, once, later).sightings == ()
    assert [each.settled for each in settle.settle(case, once, given).sightings] == [True]


@pytest.mark.parametrize("code", ["DRA207", "DRA208"])
def test_with_the_pods_of_one_namespace_it_is_unknown(code: str) -> None:
    given = reading([node("a"), node("b")], [], [publishes("a")])
    narrowed = msgspec.structs.replace(given, cluster=msgspec.structs.replace(given.cluster, namespace="team"))
    assert findings(narrowed, code) == ()
    assert unknown(narrowed, code) == ("only pods of namespace team were read, and drivers have their own",)
