"""Killed at any write, before or after the server carried it out, and run again at once: it goes on and ends well.

One clean run each way lists the writes. Then each of them is held by a proxy before the API server, the run is ended by SIGKILL, and a
second one takes over. Several nodes side by side, each behind a proxy of its own.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import pytest

from tests.bed.api import Manifest
from tests.bed.node import Node
from tests.bed.operands import DRIVER_LABEL, PLUGIN_LABEL, RESOURCE
from tests.bed.proxy import Fault, FaultProxy, Passed
from tests.bed.waiting import wait_until
from tests.live.moves.conftest import Ground, told

PARTS = 3
"""Tests among which the writes are shared, so that several workers take part."""
LANES = 4
"""Nodes that one test moves side by side."""


@dataclass(frozen=True)
class Write:
    """One write of a run: the `number`-th of those with its verb and place. The place is a regular expression, fit for every node."""

    method: str
    place: str
    number: int

    def __str__(self) -> str:
        return f"{self.method} {self.place} #{self.number}"


def writes(requests: Iterable[Passed]) -> list[Write]:
    """What a run has written: no rehearsals, no reviews, no refusals, and not the lock's renewals, which come with the clock."""
    seen: Counter[tuple[str, str]] = Counter()
    found = []
    for request in requests:
        path = request.path.partition("?")[0]
        renewal = request.method == "PATCH" and "/leases/" in path
        if request.method == "GET" or request.status >= 300 or renewal or "dryRun=All" in request.path or "selfsubject" in path:
            continue
        key = request.method, place(path)
        found.append(Write(*key, seen[key]))
        seen[key] += 1
    return found


def place(path: str) -> str:
    """A path with what is another node's another time replaced: names of nodes and pods, hashes, journals."""
    for pattern in (r"(?<=/nodes/)[^/]+", r"(?<=/pods/)[^/]+(?=/eviction)", r"[0-9a-f]{16}(-[0-9a-f]{8})?"):
        path = re.sub(pattern, lambda found, pattern=pattern: "[^/]+" if "?<=" in pattern else "[0-9a-f-]{16,}", path)
    return path


Way = tuple[str, ...]
MOVE: Way = ()
BACK: Way = ("--rollback",)


class Lane:
    """One node, its pod, and the proxy through which its runs go."""

    def __init__(self, ground: Ground, node: Node, proxy: FaultProxy, config: Path) -> None:
        self.ground = ground
        self.node = node
        self.proxy = proxy
        self.config = config
        self.moves = 0

    def well(self, way: Way) -> None:
        """A run to its end, in this process, and all is as it should be."""
        result = self.ground.run(*way, node=self.node.name, kubeconfig=self.config)
        assert result.code == 0, told(result)
        record = json.loads(result.stdout)
        assert record["phase"] == ("returned" if way else "moved"), record
        self.moves += not way
        self.ground.assert_clean(self.node.name)
        self._pod_is_served(through_dra=not way)

    def killed(self, way: Way, fault: Fault) -> None:
        """A run that is ended when it makes the write; the node is then in a state that the journal knows."""
        with self.ground.start(*way, node=self.node.name, kubeconfig=self.config) as process:
            wait_until(lambda: fault.reached.is_set() or process.poll() is not None, "the write is made", 120)
            assert fault.reached.is_set(), process.communicate()
            process.kill()
        self.proxy.clear()
        self._state_is_known()

    def writes(self, way: Way) -> list[Write]:
        """What a clean run writes."""
        before = len(self.proxy.requests)
        self.well(way)
        return writes(self.proxy.requests[before:])

    def hold(self, write: Write, *, acted: bool) -> Fault:
        """Keep that write waiting, before the server sees it or with its answer."""
        pattern = rf"^{write.place}(\?(?!.*dryRun=All)|$)"
        return self.proxy.hold(pattern, forwarded=acted, method=write.method, after=write.number)

    def _state_is_known(self) -> None:
        """Closed: the journal says so. Open: whoever serves devices here is whole."""
        found = self.ground.node_object(self.node.name)
        text = found["metadata"]["annotations"].get("kubectl-dra.io/migration")
        journal = json.loads(text) if text else {}
        labels = found["metadata"]["labels"]
        if found["spec"].get("unschedulable"):
            assert journal and not journal.get("finished"), (journal, labels)
        else:
            plugin, driver = labels.get(PLUGIN_LABEL) == "true", labels.get(DRIVER_LABEL) == "true"
            assert plugin != driver, (journal, labels)
            proven = [mark for mark in journal.get("steps", ()) if mark["step"] == "uncordon"]
            begun = [mark for mark in journal.get("steps", ()) if mark["step"] == "cordon"]
            assert journal.get("finished") or proven or not begun or begun[0]["state"] == "running", journal

    def _pod_is_served(self, *, through_dra: bool) -> None:
        (pod,) = self.ground.running(1, app=self.node.name)
        assert pod["spec"]["nodeName"] == self.node.name
        assert ("extendedResourceClaimStatus" in pod["status"]) is through_dra


def deployment(name: str) -> Manifest:
    container = {"name": "main", "image": "registry.example/main", "resources": {"limits": {RESOURCE: "1"}}}
    spec = {
        "nodeSelector": {"kubernetes.io/hostname": name},
        "terminationGracePeriodSeconds": 0,
        "automountServiceAccountToken": False,
        "containers": [container],
    }
    template = {"metadata": {"labels": {"app": name}}, "spec": spec}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {"replicas": 1, "selector": {"matchLabels": {"app": name}}, "template": template},
    }


@pytest.mark.timeout(900)
@pytest.mark.parametrize("part", range(PARTS))
def test_killed_at_any_write_and_run_again(
    grounds: Callable[..., Ground],
    apply: Callable[..., list[Manifest]],
    proxy: Callable[..., FaultProxy],
    tmp_path: Path,
    part: int,
) -> None:
    ground = grounds(LANES)
    apply([deployment(node.name) for node in ground.nodes])
    lanes = []
    for node in ground.nodes:
        ground.running(1, app=node.name)
        before = proxy(ground.cell)
        config = ground.cell.write_kubeconfig(tmp_path / node.name, server=before.url)
        lanes.append(Lane(ground, node, before, config))
    with ThreadPoolExecutor(LANES) as threads:
        listed = list(threads.map(lambda lane: (lane.writes(MOVE), lane.writes(BACK)), lanes))
    moves, backs = listed[0]
    assert [set(each[0]) for each in listed] == [set(moves)] * LANES
    assert [set(each[1]) for each in listed] == [set(backs)] * LANES
    assert len(moves) >= 20 and len(backs) >= 15
    pairs = list(zip_longest(moves, backs))
    cases = [(there, back, acted) for there, back in pairs for acted in (False, True)][part::PARTS]

    def lane_of(index: int) -> None:
        for there, back, acted in cases[index::LANES]:
            _one_round(lanes[index], MOVE, there, acted=acted)
            _one_round(lanes[index], BACK, back, acted=acted)

    with ThreadPoolExecutor(LANES) as threads:
        list(threads.map(lane_of, range(LANES)))
    for lane in lanes:
        _told_once(ground, lane)
    assert min(ground.held.seen.values()) > 0


def _one_round(lane: Lane, way: Way, write: Write | None, *, acted: bool) -> None:
    """One way, killed at a write (None: not at all), and run again at once."""
    try:
        if write is not None:
            lane.killed(way, lane.hold(write, acted=acted))
        lane.well(way)
    except AssertionError as error:
        seen = [f"{each.method} {each.path} {each.status}" for each in lane.proxy.requests[-400:]]
        wrote = [each for each in seen if not each.startswith("GET") and "selfsubject" not in each][-25:]
        raise AssertionError(f"{way} killed at {write}, {acted=}: {error}\n" + "\n".join(wrote)) from error


def _told_once(ground: Ground, lane: Lane) -> None:
    """An event for each move, and none twice."""
    about = f"involvedObject.name={lane.node.name},reason=MovedToDRA"
    events = ground.cell.api.items("/api/v1/namespaces/default/events", fieldSelector=about)
    assert len(events) == lane.moves
