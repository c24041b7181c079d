"""A dozen rules on real nodes, one after the other: what is told before, what the cluster says, and then which pods went.

For each rule the preview's four numbers are those of the eviction controller's own message; then the rule is made with NoExecute, and
the pods that are gone are exactly those that were named, the others are the ones that were there before.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from tests.bed.api import Manifest
from tests.bed.cluster import Cluster
from tests.bed.node import DraDriver, Node
from tests.live.taints.ground import API, DRIVER, KEY, Ground, pool, prepare

Numbers = tuple[int, int, int, int]


@dataclass(frozen=True)
class Rule:
    """A rule on the command line (or as a file on stdin), and what it takes. `{a}` and `{b}` stand for the nodes."""

    name: str
    words: tuple[str, ...]
    gone: frozenset[str]
    numbers: Numbers
    stdin: bytes = b""


def file(selector: str) -> bytes:
    taint = {"key": KEY, "effect": "NoExecute"}
    spec: Manifest = {"taint": taint, **json.loads(selector)}
    document = {"apiVersion": API, "kind": "DeviceTaintRule", "metadata": {"name": "of-a-file"}, "spec": spec}
    return json.dumps(document).encode()


def one(device: str, pool: str = "{a}") -> tuple[str, ...]:
    return f"{KEY}:NoExecute", "--driver", DRIVER, "--pool", pool, "--device", device


DOZEN = (
    Rule("a plain claim", one("gpu-0"), frozenset({"plain"}), (1, 1, 1, 1)),
    Rule(
        "claims of templates, in two namespaces",
        (f"{KEY}:NoExecute", "--device", "gpu-1"),
        frozenset({"of-template", "of-template-b"}),
        (2, 2, 2, 2),
    ),
    Rule("one of a pod's two claims", one("gpu-2", "{b}"), frozenset({"two-claims"}), (1, 1, 1, 1)),
    Rule("an extended resource", one("gpu-2"), frozenset({"extended"}), (1, 1, 1, 1)),
    Rule("a claim that two pods share", one("gpu-3"), frozenset({"shared-1", "shared-2"}), (1, 1, 2, 1)),
    Rule("tolerated for ever", one("gpu-4"), frozenset(), (1, 1, 0, 0)),
    Rule(
        "a taint that is not the tolerated one", ("example.com/other:NoExecute", *one("gpu-4")[1:]), frozenset({"for-ever"}), (1, 1, 1, 1)
    ),
    Rule("tolerated for 20 s", one("gpu-5"), frozenset({"for-20s"}), (1, 1, 1, 1)),
    Rule("a toleration without an effect", one("gpu-6"), frozenset({"every-effect"}), (1, 1, 1, 1)),
    Rule("a device that is published no more", one("gpu-7"), frozenset({"unpublished"}), (0, 1, 1, 1)),
    Rule("an administrator's access", one("gpu-8"), frozenset({"admin"}), (1, 1, 1, 1)),
    Rule("a node's pool", (f"{KEY}:NoExecute", "--node", "{b}"), frozenset({"plain-b", "agent on b"}), (12, 2, 2, 1)),
    Rule("a driver that there is not", (f"{KEY}:NoExecute", "--driver", "none.example.com"), frozenset(), (0, 0, 0, 0)),
    Rule("no selector", ("-f", "-", "--all-devices"), frozenset(), (0, 0, 0, 0), file("{}")),
    Rule(
        "an empty selector",
        ("-f", "-", "--all-devices"),
        frozenset({"bystander", "agent on a", "agent on b"}),
        (24, 4, 3, 1),
        file('{"deviceSelector": {}}'),
    ),
)


@pytest.fixture
def ground(own_cell: Callable[..., Cluster], node: Callable[..., Node], dra_driver: Callable[..., DraDriver]) -> Iterator[Ground]:
    cell = own_cell()
    a, b = (node(cluster=cell, labels={"taints": "yes"}) for _ in range(2))
    of_a = dra_driver(a, DRIVER, pools=pool(a.name, range(12)))
    dra_driver(b, DRIVER, pools=pool(b.name, range(12)))
    yield prepare(cell, a.name, b.name, of_a)


def numbers(counts: Manifest) -> Numbers:
    return counts["publishedDevices"], counts["allocatedDevices"], counts["pods"], counts["namespaces"]


@pytest.mark.timeout(600)
def test_what_goes_was_told_and_the_cluster_said_the_same(ground: Ground) -> None:
    names = {"{a}": ground.a, "{b}": ground.b}
    for rule in DOZEN:
        words = [names.get(word, word) for word in rule.words]
        found = ground.told("taint", *words, "--probe", "--yes", stdin=rule.stdin)
        assert found["probe"] is not None, (rule.name, found["probeReason"])
        assert ground.rules() == set()
        before = ground.pods()
        named = {each["uid"] for each in found["pods"]}
        done = ground.told("taint", *words, "--yes", "--timeout=90s", stdin=rule.stdin)
        assert [each["uid"] for each in done["pods"]] == [each["uid"] for each in found["pods"]]
        gone = {uid for uid in before if uid not in ground.pods()}
        assert numbers(found["client"]) == numbers(found["probe"]) == rule.numbers, rule.name
        assert gone == named, rule.name
        assert {called(ground, before[uid]) for uid in gone} == rule.gone, rule.name
        assert done["outcome"]["podsGone"] == len(gone)
        (made,) = done["outcome"]["rules"]
        assert ground.rules() == {made}
        deleted = ground.run("taint", "delete", made, "--yes")
        assert (deleted.code, deleted.stdout) == (0, f"devicetaintrule.resource.k8s.io/{made} deleted\n"), deleted.stderr
        ground.settle()
    assert {each["metadata"]["name"] for each in ground.pods().values()} >= {"no-node", "terminating"}


def called(ground: Ground, pod: Manifest) -> str:
    """A pod's name; a DaemonSet's is not told before."""
    name: str = pod["metadata"]["name"]
    node = pod["spec"]["nodeName"]
    return f"agent on {'a' if node == ground.a else 'b'}" if name.startswith("agent-") else name
