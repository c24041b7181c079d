"""One run at a time on a node, on a real API server: who gets the lock, who waits, who is told to go; and who may write the journal."""

import io
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import msgspec
import pytest

from kubectl_dra.cluster.discovery import discover
from kubectl_dra.cluster.transport import Transport
from kubectl_dra.cluster.writes import Writes
from kubectl_dra.environment import Environment
from kubectl_dra.errors import ConflictError
from kubectl_dra.kubeconfig import Overrides, connect
from kubectl_dra.migration.holder import Holder, host
from kubectl_dra.migration.journal import Journal
from kubectl_dra.migration.journal_writes import Journaling
from kubectl_dra.migration.lock import Lock
from kubectl_dra.migration.marks import lock_name
from kubectl_dra.migration.names import StepName, StepState
from kubectl_dra.migration.node_writes import NodeChangedError
from kubectl_dra.migration.reach import Reach
from kubectl_dra.migration.timing import Timing
from tests.bed.api import Manifest
from tests.bed.cluster import Cluster
from tests.bed.waiting import wait_until

LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
TIMING = Timing(poll=0.1, lease=1, renew=0.3)


class Place:
    """A node's name in a cluster, and what a run needs to lock it."""

    def __init__(self, cell: Cluster, reach: Reach, environment: Environment) -> None:
        self.cell = cell
        self.reach = reach
        self.environment = environment
        self.node = "locked-node"
        self.path = f"{LEASES}/{lock_name(self.node)}"
        self.told: list[str] = []

    def lock(self, journal: str = "a") -> Lock:
        return Lock(self.reach, self.node, journal, TIMING, self.environment.clock)

    def take(self, lock: Lock, *, force: bool = False) -> Lock:
        lock.take(force=force, tell=lambda message, waited, left: self.told.append(message), before_each=lambda: None)
        return lock

    def lease(self) -> Manifest | None:
        return self.cell.api.find(self.path)

    def held_by(self, identity: str) -> None:
        """Somebody else's lock, renewed now."""
        moment = self.environment.clock.now().strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        spec = {"holderIdentity": identity, "leaseDurationSeconds": 1, "acquireTime": moment, "renewTime": moment}
        meta = {"name": lock_name(self.node)}
        body = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": meta, "spec": spec}
        self.cell.api.create(LEASES, body)


@pytest.fixture
def place(cell: Cluster) -> Iterator[Place]:
    environment = Environment(io.StringIO(), io.StringIO(), io.StringIO(), {"KUBECONFIG": str(cell.kubeconfig)})
    connection = connect(Overrides(), environment)
    with Transport(connection, environment) as transport, Writes(connection, environment) as writes:
        clock = environment.clock
        reach = Reach(transport, writes, discover(transport), TIMING, clock, tells=lambda *told: None, before_each=lambda: None)
        made = Place(cell, reach, environment)
        yield made
        cell.api.delete(made.path)


def test_taken_renewed_and_given_back(place: Place) -> None:
    lock = place.take(place.lock())
    first = place.lease()
    assert first is not None and first["spec"]["holderIdentity"] == lock.holder
    wait_until(lambda: (place.lease() or first)["spec"]["renewTime"] != first["spec"]["renewTime"], "it is renewed")
    lock.check()
    lock.release()
    assert place.lease() is None
    lock.release()


def test_a_dead_process_of_this_machine_is_no_holder(place: Place) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        alive = Holder.of(process.pid, "old")
        assert not alive.dead
        process.communicate()
    read = Holder.read(str(alive))
    assert read == alive and read is not None and read.dead
    place.held_by(str(alive))
    place.take(place.lock()).release()
    assert place.told == []


def test_a_silent_holder_elsewhere_is_waited_for(place: Place) -> None:
    place.held_by("elsewhere.00000000/1/1/old")
    lock = place.take(place.lock())
    assert place.told[0] == "waiting 1 s for the lock of a run that stopped answering (elsewhere.00000000/1/1/old)"
    found = place.lease()
    assert found is not None and (found["spec"]["holderIdentity"], found["spec"]["leaseTransitions"]) == (lock.holder, 1)
    lock.release()


def test_a_living_holder_keeps_it_unless_forced(place: Place) -> None:
    first = place.take(place.lock("first"))
    with pytest.raises(ConflictError, match="is being moved by another run") as caught:
        place.take(place.lock("second"))
    assert (caught.value.status, "--force-unlock" in caught.value.hint) == (5, True)
    second = place.take(place.lock("second"), force=True)

    def lost() -> bool:
        try:
            first.check()
        except ConflictError:
            return True
        return False

    wait_until(lost, "the first one sees that it has lost the lock")
    first.release()
    assert place.lease() is not None  # what is another's is not released
    second.check()
    second.release()


def test_of_two_at_once_one_gets_it(place: Place) -> None:
    locks = [place.lock("one"), place.lock("two")]
    start = threading.Barrier(2)

    def try_(lock: Lock) -> bool:
        start.wait()
        try:
            place.take(lock)
        except ConflictError:
            return False
        return True

    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(try_, locks)) == [False, True]
    for lock in locks:
        lock.release()


def test_a_lock_that_was_deleted_is_lost(place: Place) -> None:
    lock = place.take(place.lock())
    place.cell.api.delete(place.path)

    def lost() -> str:
        try:
            lock.check()
        except ConflictError as error:
            return error.message
        return ""

    assert wait_until(lost, "it sees that") == "the lock of node locked-node was deleted while this run held it"
    lock.release()


@contextmanager
def bare_node(cell: Cluster, name: str) -> Iterator[str]:
    """A Node without a kubelet; its UID."""
    made = cell.api.create("/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}})
    try:
        yield made["metadata"]["uid"]
    finally:
        cell.api.delete(f"/api/v1/nodes/{name}")


def journaling(place: Place, uid: str, text: str | None, id_: str = "a") -> Journaling:
    return Journaling(place.reach, place.node, place.environment.clock, Journal(id=id_, node_uid=uid, profile="example"), text)


def text_on(place: Place) -> str | None:
    found = place.cell.api.get(f"/api/v1/nodes/{place.node}")["metadata"].get("annotations") or {}
    text = found.get("kubectl-dra.io/migration")
    return text if isinstance(text, str) else None


def test_a_journal_is_written_by_one_run_only(place: Place) -> None:
    with bare_node(place.cell, place.node) as uid:
        first = journaling(place, uid, None)
        first.begin({"karpenter.sh/do-not-disrupt": "true"})
        slept = journaling(place, uid, text_on(place))
        first.mark(StepName.CORDON, StepState.RUNNING, changed=("cordon",))
        first.flush()
        written = text_on(place)
        slept.mark(StepName.DRAIN, StepState.RUNNING)
        with pytest.raises(ConflictError, match="was written by somebody else"):
            slept.flush()
        with pytest.raises(ConflictError):
            journaling(place, uid, None, "b").begin({})
        assert text_on(place) == written
        first.mark(StepName.CORDON, StepState.DONE)
        first.flush({"karpenter.sh/do-not-disrupt": None, "example.com/other": "x"})
        annotations = place.cell.api.get(f"/api/v1/nodes/{place.node}")["metadata"]["annotations"]
        assert ("karpenter.sh/do-not-disrupt" in annotations, annotations["example.com/other"]) == (False, "x")
        assert msgspec.json.decode(annotations["kubectl-dra.io/migration"], type=Journal) == first.now


def test_a_journal_is_no_other_nodes(place: Place) -> None:
    with bare_node(place.cell, place.node) as uid:
        journal = journaling(place, uid, None)
        journal.begin({})
    journal.mark(StepName.CORDON, StepState.RUNNING)
    with pytest.raises(NodeChangedError, match="has been deleted"):
        journal.flush()
    with bare_node(place.cell, place.node), pytest.raises(NodeChangedError, match="deleted and made again"):
        journal.flush()
    assert host() == Holder.this_process("x").host
