"""Why a pod is still there, and which new pod stands for which old one."""

from datetime import UTC, datetime

import msgspec

from kubectl_dra.eviction.evict import Refusal, listed, told
from kubectl_dra.eviction.filters import Action, Fate
from kubectl_dra.eviction.wait import Surroundings, still_there, successors
from kubectl_dra.objects.meta import Condition, OwnerReference
from kubectl_dra.objects.node import Node, NodeStatus
from kubectl_dra.objects.pod import Pod
from tests import factories

NOW = datetime(2026, 12, 1, 12, 0, 0, tzinfo=UTC)
READY = Node(factories.meta("a"), status=NodeStatus(conditions=(Condition("Ready", "True"),)))
GONE = Node(factories.meta("a"), status=NodeStatus(conditions=(Condition("Ready", "Unknown"),)))


def pod(name: str, uid: str, *, deadline: str | None = None, owner: str = "", made: str = "", finalizers: tuple[str, ...] = ()) -> Pod:
    found = factories.pod(name)
    owners = (OwnerReference("ReplicaSet", owner, owner, controller=True),) if owner else None
    meta = msgspec.structs.replace(
        found.metadata,
        uid=uid,
        deletion_timestamp=deadline,
        owner_references=owners,
        creation_timestamp=made or None,
        finalizers=finalizers or None,
    )
    return msgspec.structs.replace(found, metadata=meta)


LATE = "2026-12-01T11:59:00Z"


def told_of(found: Pod, around: Surroundings) -> str:
    return still_there([found], NOW, lambda: around)


def test_a_pod_that_is_not_late_does_not_hang() -> None:
    def nobody_asks() -> Surroundings:
        raise AssertionError

    for deadline in (None, "2026-12-01T12:00:30Z", "2026-12-01T11:59:58Z"):
        assert still_there([pod("p", "1", deadline=deadline)], NOW, nobody_asks) == "1 pod is still ending"


def test_e32_an_unreachable_node_comes_first() -> None:
    late = pod("p", "1", deadline=LATE, finalizers=("example.com/hold",))
    words = "default/p should have ended 60 s ago: node a does not answer, and only its kubelet can end the pod"
    assert told_of(late, Surroundings(NOW, GONE)) == words
    assert told_of(late, Surroundings(NOW, READY)).endswith("its finalizer example.com/hold is not taken off by whoever set it")
    assert told_of(pod("p", "1", deadline=LATE), Surroundings(NOW)).endswith("the kubelet has not ended it")


def test_e35_a_claim_whose_driver_is_gone() -> None:
    late = pod("p", "1", deadline=LATE)
    around = Surroundings(NOW, READY, drivers_here=("other.example.com",), drivers_of=lambda _: ("gpu.example.com",))
    assert "it holds a claim of gpu.example.com, and that driver is not on the node any more" in told_of(late, around)
    here = Surroundings(NOW, READY, drivers_here=("gpu.example.com",), drivers_of=lambda _: ("gpu.example.com",))
    assert told_of(late, here).endswith("the kubelet has not ended it")


def test_one_line_for_all() -> None:
    pods = [pod("a", "1"), pod("b", "2"), pod("c", "3", deadline=LATE)]
    assert still_there(pods, NOW, lambda: Surroundings(NOW, READY)) == (
        "default/c should have ended 60 s ago: the kubelet has not ended it; 2 pods are still ending"
    )


def test_e30_a_successor_is_another_pod_of_the_same_owner() -> None:
    old = [pod("web-0", "1", owner="web", made="2026-12-01T11:00:00Z"), pod("x", "2", owner="x", made="2026-12-01T11:00:00Z")]
    new = [
        pod("web-0", "9", owner="web", made="2026-12-01T12:00:00Z"),
        pod("x-old", "5", owner="x", made="2026-12-01T10:00:00Z"),
    ]
    assert {uid: found.metadata.uid for uid, found in successors(old, [*old, *new]).items()} == {"1": "9"}


def test_two_old_pods_have_two_successors() -> None:
    old = [pod("a", "1", owner="r"), pod("b", "2", owner="r"), pod("c", "3", owner="r")]
    new = [pod("d", "4", owner="r"), pod("e", "5", owner="r")]
    assert sorted(str(found.metadata.uid) for found in successors(old, [*old, *new]).values()) == ["4", "5"]


def test_refusals_with_the_same_words_stand_together() -> None:
    refusals = [Refusal(Fate(pod(name, name), Action.EVICT), why) for name, why in (("a", "no"), ("b", "never"), ("c", "no"))]
    assert told(refusals) == "default/a, default/c may not be evicted: no; default/b may not be evicted: never"
    assert listed([*"abcdefg"]) == "a, b, c, d, e and 2 more"
