"""Measure what the project promises of speed and memory, and print it as ratios: `make bench`.

Everything is measured in one run, the tool and what it is measured against one after the other on the same cluster. A row over its
budget is marked, and the exit status is 1. Rows whose measure is not on this machine (curl, jq) say so.
"""

import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from kubectl_dra.cli.commands import COMMANDS
from tests.bed.cluster import Cluster
from tests.benchmarks.core import core
from tests.benchmarks.large_cluster import NODES, PODS_PER_NODE, WAITING, large_cluster, list_file
from tests.benchmarks.measure import alternately, best, run
from tests.benchmarks.row import Row
from tests.benchmarks.taints import previews

TOOL = str(Path(sys.executable).with_name("kubectl-dra"))
PODS = NODES * PODS_PER_NODE
MEMORY = 150.0
"""MB that any reading command may take at 50,000 pods."""


def reading(cluster: Cluster) -> Iterator[Row]:
    """The inventory of the live cluster, against the bytes themselves and against kubectl."""
    kubeconfig = f"--kubeconfig={cluster.kubeconfig}"
    inventory = [TOOL, "inventory", kubeconfig]
    if shutil.which("curl"):
        tool, curl = alternately(inventory, curl_of_all_pods(cluster))
        yield Row("inventory / curl of all pods, wall", tool.wall / curl.wall, 1.3, "x", f"{tool.wall:.1f} s and {curl.wall:.1f} s")
    else:
        (tool,) = alternately(inventory)
        yield Row("inventory / curl of all pods, wall", None, 1.3, "x", "no curl here")
    kubectl = run([str(cluster.bed), "kubectl", kubeconfig, "get", "pods", "-A", "-o", "json"])
    note = f"{kubectl.wall:.1f} s and {tool.wall:.1f} s"
    yield Row("kubectl get pods -A -o json / inventory, wall", kubectl.wall / tool.wall, 6, "x", note, at_least=True)
    yield Row("inventory, live, peak memory", tool.anonymous, MEMORY, " MB", f"{PODS} pods")
    for command in (
        ["inventory", "--by", "node"],
        ["inventory", "--by", "pod", "-o", "json"],
        ["classes"],
        ["devices"],
        ["audit", "--fail-on=never"],
        ["snapshot"],
    ):
        taken = run([TOOL, *command, kubeconfig])
        yield Row(f"{' '.join(command)}, live, peak memory", taken.anonymous, MEMORY, " MB", f"{taken.wall:.1f} s")


def explaining(cluster: Cluster) -> Iterator[Row]:
    """One pod on all nodes, live: reading included."""
    explain = [TOOL, "explain", "pod", WAITING, "--namespace=default", f"--kubeconfig={cluster.kubeconfig}"]
    (taken,) = alternately(explain)
    yield Row("explain pod, one that waits, wall", taken.wall, 3, " s", f"{NODES} nodes with 8 devices")
    yield Row("explain pod, one that waits, peak memory", taken.anonymous, MEMORY, " MB")


def curl_of_all_pods(cluster: Cluster) -> list[str]:
    """The whole list of pods as fast as it can be had."""
    token = f"Authorization: Bearer {cluster.users['admin'].token}"
    url = f"{cluster.server}/api/v1/pods"
    return ["curl", "-sS", "-A", "kubectl-dra", "--cacert", str(cluster.certificate_authority), "-H", token, "-o", "/dev/null", url]


def files(cluster: Cluster) -> Iterator[Row]:
    """The audit of what kubectl wrote, with and without managed fields, against jq's reading of it."""
    for path in (list_file(cluster, cluster.dir), list_file(cluster, cluster.dir, managed_fields=True)):
        size = f"{path.stat().st_size / 1e6:.0f} MB file"
        audit = [TOOL, "audit", "--from", str(path), "--fail-on=never"]
        if not shutil.which("jq"):
            yield Row(f"audit of a {size} / jq length of it, wall", None, 0.25, "x", "no jq here")
            continue
        tool, jq = alternately(audit, ["jq", "length", str(path)], times=2)
        yield Row(f"audit of a {size}, peak memory", tool.anonymous, MEMORY, " MB", f"{tool.wall:.1f} s")
        yield Row(f"audit of a {size} / jq length of it, wall", tool.wall / jq.wall, 0.25, "x", f"{tool.wall:.1f} s and {jq.wall:.1f} s")


def growth(cluster: Cluster) -> Iterator[Row]:
    """Bytes of memory for each pod more, between half of the pods and all of them."""
    whole = list_file(cluster, cluster.dir)
    half = whole.with_name("half.json")
    if not half.exists():
        write_half(whole, half)
    taken = [run([TOOL, "inventory", "--from", str(path)]) for path in (half, whole)]
    yield Row("memory of one pod more", (taken[1].anonymous - taken[0].anonymous) * 1024 / (PODS / 2), 1.5, " KB")


def write_half(whole: Path, half: Path) -> None:
    """Every second pod, and all else."""
    import json

    items = json.loads(whole.read_bytes())["items"]
    pods = [item for item in items if item["kind"] == "Pod"]
    others = [item for item in items if item["kind"] != "Pod"]
    half.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [*others, *pods[::2]]}))


def starting() -> Iterator[Row]:
    """What it costs to say a word, over what Python costs to say nothing."""
    nothing = best([sys.executable, "-c", "pass"], times=7).cpu
    helps: Iterable[Sequence[str]] = [["--help"], *([name, "--help"] for name in COMMANDS)]
    dearest = max(((best([TOOL, *words], times=5).cpu - nothing), " ".join(words)) for words in helps)
    yield Row("--help of the dearest command, CPU over python -c pass", dearest[0], 0.15, " s", dearest[1])
    complete = str(Path(TOOL).with_name("kubectl_complete-dra"))
    words: Iterable[Sequence[str]] = [[""], ["au"], ["audit", "--"], ["inventory", "--by", ""], ["audit", "-o", ""]]
    slowest = max(((best([complete, *each], times=5).cpu - nothing), " ".join(each)) for each in words)
    yield Row("completion of a word, CPU over python -c pass", slowest[0], 0.15, " s", f"{slowest[1]!r}")


def main() -> int:
    """Print all rows as they are measured."""
    over = 0

    def show(rows: Iterable[Row]) -> None:
        nonlocal over
        for row in rows:
            sys.stdout.write(f"{row}\n")
            sys.stdout.flush()
            over += not row.kept

    show(starting())
    show(core())
    show(previews(MEMORY))
    parts: tuple[Callable[[Cluster], Iterator[Row]], ...] = (reading, explaining, files, growth)
    with large_cluster() as cluster:
        for part in parts:
            show(part(cluster))
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
