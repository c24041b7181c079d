"""Where nodes stand, and what is left over."""

from collections.abc import Iterable
from datetime import timedelta

import pytest
from msgspec.structs import replace

from kubectl_dra.errors import UsageError
from kubectl_dra.migration.document import MigrationStatus, NodeStatus
from kubectl_dra.migration.leftovers import leftovers
from kubectl_dra.migration.marks import ID_LABEL, NODE_LABEL, lock_name, node_hash
from kubectl_dra.migration.names import Direction, Phase, StepName, StepState
from kubectl_dra.migration.status import status
from kubectl_dra.objects.policy import Lease, LeaseSpec, Namespace
from kubectl_dra.objects.resource import DeviceTaint, DeviceTaintRule, DeviceTaintRuleSpec
from kubectl_dra.objects.snapshot import Snapshot
from kubectl_dra.taint_rules.rule import PREVIEW_LABEL
from tests.factories import forbidden, meta, node, pod, snapshot
from tests.migration.given import NOW, fenced, gpu_node, journal, with_journal

MARKED = {NODE_LABEL: node_hash("a"), ID_LABEL: "j1"}


def lock(of: str = "a", seconds: float = 0) -> Lease:
    """A lock that was renewed so many seconds ago."""
    renewed = (NOW - timedelta(seconds=seconds)).isoformat()
    return Lease(meta(lock_name(of), "kube-system"), LeaseSpec("host/1/2/j1", 15, renew_time=renewed))


def rule(
    name: str = "fence", labels: dict[str, str] | None = None, created: str = "2026-01-02T00:00:00Z", effect: str = "NoSchedule"
) -> DeviceTaintRule:
    spec = DeviceTaintRuleSpec(taint=DeviceTaint("x.example/y", None, effect))
    return DeviceTaintRule(meta(name, labels=MARKED if labels is None else labels, created=created), spec)


def world(*more: object, leases: Iterable[Lease] = (), rules: Iterable[DeviceTaintRule] = (), **readings: object) -> Snapshot:
    return snapshot(*more, leases=leases, device_taint_rules=rules, **readings)  # type: ignore[arg-type]


def only(of: MigrationStatus) -> NodeStatus:
    (item,) = of.items
    return item


def test_nobody_has_touched_anything() -> None:
    assert status(world(gpu_node("a"), node("b")), NOW) == MigrationStatus()


@pytest.mark.parametrize(
    ("direction", "finished", "phase"),
    [
        (Direction.MOVE, False, Phase.MOVING),
        (Direction.MOVE, True, Phase.MOVED),
        (Direction.ROLLBACK, False, Phase.RETURNING),
        (Direction.ROLLBACK, True, Phase.RETURNED),
    ],
)
def test_phases(direction: Direction, finished: bool, phase: Phase) -> None:
    of = journal(StepName.CORDON, direction=direction, finished=finished)
    assert only(status(world(with_journal(gpu_node("a"), of), node("b")), NOW)).phase is phase


def test_a_run_that_stopped() -> None:
    a = fenced(with_journal(gpu_node("a", cordoned=True), journal(StepName.CORDON, begun=StepName.DRAIN)))
    found = only(status(world(a, leases=[lock(seconds=60)], rules=[rule()]), NOW))
    assert (found.step, found.state, found.since) == (StepName.DRAIN, StepState.RUNNING, "2026-01-02T02:30:00Z")
    assert (found.cordoned, found.fenced, found.rules) == (True, True, ("fence",))
    assert found.lock is not None
    assert (found.lock.identity, found.lock.expired) == ("host/1/2/j1", True)
    assert found.message == "stopped: drain running"
    assert found.next == "kubectl dra migrate-node a --profile example --yes"
    assert found.leftovers == (), "the next run needs them"


def test_a_run_at_work() -> None:
    a = with_journal(gpu_node("a"), journal(begun=StepName.DRAIN))
    found = only(status(world(a, leases=[lock(seconds=3)]), NOW))
    assert (found.message, found.next, found.leftovers) == ("a run is at work: drain running", "", ())


def test_a_way_back_that_stopped() -> None:
    a = with_journal(gpu_node("a"), journal(begun=StepName.REPLUG, direction=Direction.ROLLBACK))
    assert only(status(world(a), NOW)).next == "kubectl dra migrate-node a --profile example --rollback --yes"


def test_a_node_that_was_moved_is_proved_again() -> None:
    a = with_journal(gpu_node("a"), journal(finished=True))
    found = only(status(world(a), NOW))
    assert (found.message, found.next) == ("finished", "kubectl dra migrate-node a --profile example --verify --yes")


def test_one_node_is_told_even_if_nobody_touched_it() -> None:
    found = only(status(world(gpu_node("a"), with_journal(node("b"), journal(finished=True))), NOW, "a"))
    assert (found.node, found.phase, found.message, found.next) == ("a", Phase.NONE, "no journal", "")


def test_a_node_that_does_not_exist() -> None:
    with pytest.raises(UsageError, match='there is no node "z"'):
        status(world(gpu_node("a")), NOW, "z")


def test_what_could_not_be_read() -> None:
    found = status(world(gpu_node("a"), leases=forbidden("leases")), NOW)
    (why,) = found.unknown
    assert why.startswith("Lease: forbidden (needs the verb list on leases.coordination.k8s.io")


# leftovers


def names(of: Snapshot, node: str = "") -> list[str]:
    return list(map(str, leftovers(of, NOW, node)))


def test_everything_that_a_lost_journal_leaves() -> None:
    of = world(
        fenced(gpu_node("a")),
        pod("canary", namespace="kubectl-dra-canary", labels=MARKED),
        leases=[lock(seconds=60)],
        rules=[rule(), rule("other", {})],
        namespaces=[Namespace(meta("kubectl-dra-canary", labels=MARKED)), Namespace(meta("default"))],
    )
    assert names(of) == [
        "DeviceTaintRule fence",
        f"Lease kube-system/{lock_name('a')}",
        "Namespace kubectl-dra-canary",
        "Pod kubectl-dra-canary/canary",
        "taint kubectl-dra.io/moving on node a",
    ]
    found = only(status(of, NOW))
    assert list(found.leftovers) == names(of)
    assert found.next == "kubectl dra migrate-node a --status --clean"


def test_nothing_is_left_over_while_a_run_is_at_work() -> None:
    of = world(fenced(gpu_node("a")), leases=[lock(seconds=3)], rules=[rule()])
    assert names(of) == []


def test_what_a_finished_run_has_forgotten() -> None:
    of = world(fenced(with_journal(gpu_node("a"), journal(finished=True))), rules=[rule()])
    assert names(of) == ["DeviceTaintRule fence", "taint kubectl-dra.io/moving on node a"]


@pytest.mark.parametrize("strange", ["{", journal(node_uid="uid-old")])
def test_a_journal_of_nobody(strange: object) -> None:
    a = with_journal(gpu_node("a"), strange)  # type: ignore[arg-type]
    assert names(world(a)) == ["journal on node a"]
    assert only(status(world(a), NOW)).next == "kubectl dra migrate-node a --status --clean"


def test_what_belongs_to_a_node_that_is_gone() -> None:
    of = world(node("b"), rules=[rule()], leases=[lock(seconds=60)])
    assert names(of) == ["DeviceTaintRule fence", f"Lease kube-system/{lock_name('a')}"]
    found = only(status(of, NOW))
    assert (found.node, found.message) == (f"(gone: {node_hash('a')})", "the node is there no more")
    assert only(status(of, NOW, "a")).leftovers == found.leftovers
    assert names(of, "a") == names(of)


def test_nodes_that_cannot_be_read_are_not_gone() -> None:
    of = world(rules=[rule()], nodes=forbidden("nodes"))
    assert names(of) == []
    assert status(of, NOW).items == ()


def test_what_is_going_already_is_not_left() -> None:
    going = rule()
    going = replace(going, metadata=replace(going.metadata, deletion_timestamp="2026-01-02T02:59:00Z"))
    assert names(world(gpu_node("a"), rules=[going])) == []


def test_previews_that_nobody_waits_for() -> None:
    old = rule("old", {PREVIEW_LABEL: "x"}, created="2026-01-02T02:00:00Z", effect="None")
    new = rule("new", {PREVIEW_LABEL: "x"}, created="2026-01-02T02:55:00Z", effect="None")
    promoted = rule("promoted", {PREVIEW_LABEL: "x"}, created="2026-01-02T02:00:00Z", effect="NoExecute")
    of = world(gpu_node("a"), rules=[old, new, promoted])
    assert status(of, NOW).leftovers == ("DeviceTaintRule old",)
    assert names(of) == ["DeviceTaintRule old"]
    assert names(of, "a") == []
