"""Waiting for pods by UID, and what is said of those that hang."""

from collections.abc import Iterable
from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from kubectl_dra.errors import ClusterError, UnreachableError
from kubectl_dra.objects.meta import Condition
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.resource import DeviceTaint, DeviceTaintSelector
from kubectl_dra.objects.snapshot import KindReading, Snapshot
from kubectl_dra.objects.tolerations import Toleration
from kubectl_dra.taint_rules.rule import rule
from kubectl_dra.taint_rules.wait import Going, PodsGone, going, was_evicted
from tests.factories import DRIVER, forbidden, node, resource_slice, snapshot
from tests.taint_rules.given import held, using

NOW = datetime(2026, 1, 2, 0, 1, tzinfo=UTC)
RULE = rule(DeviceTaint("k", None, "NoExecute"), DeviceTaintSelector(DRIVER))
FOR_20S = Toleration(operator="Exists", effect="NoExecute", toleration_seconds=20)


def ending(pod: Pod, at: str = "2026-01-02T00:00:00Z", finalizers: tuple[str, ...] | None = None) -> Pod:
    return replace(pod, metadata=replace(pod.metadata, deletion_timestamp=at, finalizers=finalizers))


def watched(*pods: Pod, around: Snapshot | None = None, seconds: dict[str, int] | None = None) -> tuple[PodsGone, list[Pod]]:
    """The wait for these pods, and what is there now: to be changed."""
    there = list(pods)

    def read(wanted: Iterable[Pod]) -> KindReading[Pod]:
        return KindReading(tuple(there))

    return PodsGone(Going(pods, seconds or {}), read, lambda: around or Snapshot(), lambda: NOW), there


def test_a_pod_that_is_replaced_by_one_of_its_name_is_gone() -> None:
    wait, there = watched(using("a"), using("b"))
    assert wait.look() == "0 of 2 pods gone; default/a, default/b is not evicted yet"
    there[0] = replace(there[0], metadata=replace(there[0].metadata, uid="another"))
    there[1] = ending(there[1], "2026-01-02T00:01:09Z")
    assert wait.look() == "1 of 2 pods gone; default/b is ending, with 9s of its grace period left"
    there.clear()
    assert (wait.look(), wait.gone) == ("", 2)


def test_pods_that_hang_with_the_reason() -> None:
    cluster = snapshot(
        node("a"), resource_slice("b", 1), held("c", ("a", "gpu-0"), by=["stuck"]), resource_slice("a", 1, driver="other.example.com")
    )
    stuck = ending(using("stuck", "c"))
    kept = ending(using("kept", node="b"), finalizers=("example.com/keep",))
    wait, _ = watched(stuck, kept, using("late"), around=cluster, seconds={"uid-late": 20})
    told = wait.look()
    assert told.startswith("0 of 3 pods gone; ")
    assert "default/late tolerates the taint for 20s" in told
    assert "default/kept should have ended 60 s ago: its finalizer example.com/keep is not taken off by whoever set it" in told
    assert "default/stuck should have ended 60 s ago: node a does not answer" in told


def test_a_server_that_is_away_is_waited_for_and_one_that_refuses_is_not() -> None:
    def away(wanted: Iterable[Pod]) -> KindReading[Pod]:
        raise UnreachableError("no answer")

    wait = PodsGone(Going((using("a"),), {}), away, Snapshot, lambda: NOW)
    assert wait.look() == "0 of 1 pod gone; the API server does not answer: no answer"
    refused: KindReading[Pod] = forbidden("pods")
    wait = PodsGone(Going((using("a"),), {}), lambda wanted: refused, Snapshot, lambda: NOW)
    with pytest.raises(ClusterError, match="pods cannot be read: pods is forbidden"):
        wait.look()


def test_which_pods_a_rule_takes() -> None:
    evicted = Condition("DisruptionTarget", "True", "DeletionByDeviceTaintManager")
    cluster = snapshot(
        resource_slice("a", 4),
        held("now", ("a", "gpu-0"), by=["now"]),
        held("late", ("a", "gpu-1"), by=["late"], tolerations=[FOR_20S]),
        held("ours", ("a", "gpu-2"), by=["ours"]),
        held("theirs", ("a", "gpu-3"), by=["theirs"]),
        using("now", "now"),
        using("late", "late"),
        ending(using("ours", "ours")),
        ending(using("theirs", "theirs")),
    )

    def read(pod: Pod) -> Pod | None:
        conditions = (evicted,) if pod.metadata.name == "ours" else None
        return replace(pod, status=replace(pod.status, conditions=conditions))

    found = going(cluster, [RULE])
    assert [pod.metadata.name for pod in found.pods] == ["now", "late"]
    assert found.seconds == {"uid-now": 0, "uid-late": 20}
    assert [pod.metadata.name for pod in going(cluster, [RULE], read).pods] == ["now", "late", "ours"]
    assert not was_evicted(None)


def test_more_pods_may_come() -> None:
    wait, there = watched(using("a"))
    wait.add(Going((using("a"), using("b")), {"uid-b": 5}))
    there.append(using("b"))
    assert wait.look() == "0 of 2 pods gone; default/a is not evicted yet; default/b tolerates the taint for 5s"
