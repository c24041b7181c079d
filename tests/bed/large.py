"""A large cluster for measurements: filled once, kept in the project's cache, and started again in seconds."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.bed import build
from tests.bed.cluster import Cluster


@contextmanager
def large(nodes: int = 2000, pods_per_node: int = 25, directory: Path | None = None) -> Iterator[Cluster]:
    """A cluster with so many nodes (8 devices each, no kubelets) and pods, 50,000 by default; the first time it takes minutes to fill.

    It lives in `directory`, or in the project's cache. etcd and API server alone: a controller manager would evict the pods.
    """
    bed = build.binaries().bed
    where = directory or build.SOURCES.parent.parent / ".cache" / "large" / f"{nodes}x{pods_per_node}"
    with Cluster(bed, where, controllers=False, scheduler=False) as cluster:
        filled = where / "filled"
        if not filled.exists():
            _empty(cluster)
            options = [f"--kubeconfig={cluster.kubeconfig}", f"--nodes={nodes}", f"--pods-per-node={pods_per_node}"]
            subprocess.run([bed, "load", *options], check=True)
            filled.touch()
        yield cluster


def _empty(cluster: Cluster) -> None:
    """What an earlier filling that was broken off has left."""
    for path in ("/api/v1/namespaces/default/pods", "/api/v1/nodes", "/apis/resource.k8s.io/v1/resourceslices"):
        cluster.api.delete(path, grace=0)
