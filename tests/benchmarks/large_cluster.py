"""The bed's large cluster: 2,000 nodes with 8 GPUs, 50,000 pods. Loaded once (minutes), kept on disk, started again in seconds."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.bed.api import Manifest
from tests.bed.build import binaries, cache
from tests.bed.cluster import Cluster

NODES = 2000
PODS_PER_NODE = 25
"""Of these, eight ask for a GPU."""


WAITING = "waiting"
"""The pod that `explain` is measured with."""


@contextmanager
def large_cluster() -> Iterator[Cluster]:
    """etcd and the API server alone: a controller manager would evict the pods of nodes that no kubelet speaks for."""
    bed = binaries().bed
    folder = cache() / f"large-{NODES}x{PODS_PER_NODE}"
    loaded = folder / "loaded"
    with Cluster(bed, folder, controllers=False, scheduler=False) as cluster:
        if not loaded.exists():
            subprocess.run(
                [bed, "load", f"--kubeconfig={cluster.kubeconfig}", f"--nodes={NODES}", f"--pods-per-node={PODS_PER_NODE}"], check=True
            )
            add_class(cluster)
            loaded.touch()
        cluster.api.apply(waiting_pod())
        yield cluster


def add_class(cluster: Cluster) -> None:
    """The class that would serve the pods: half of what inventory works out hangs on it."""
    cluster.api.apply(
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "DeviceClass",
            "metadata": {"name": "gpu.nvidia.com"},
            "spec": {"extendedResourceName": "nvidia.com/gpu", "selectors": [{"cel": {"expression": "device.driver == 'gpu.nvidia.com'"}}]},
        }
    )


def waiting_pod() -> Manifest:
    """A pod that no node takes: each has eight devices, and it asks for nine, by the name that no device plugin serves."""
    asks = {"limits": {"deviceclass.resource.kubernetes.io/gpu.nvidia.com": "9"}}
    spec = {"containers": [{"name": "main", "image": "i", "resources": asks}], "tolerations": [{"operator": "Exists"}]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": WAITING, "namespace": "default"},
        "spec": {**spec, "automountServiceAccountToken": False},
    }


def list_file(cluster: Cluster, folder: Path, *, managed_fields: bool = False) -> Path:
    """What `kubectl get nodes,pods,... -o json` writes of it: 444 MB, with managed fields 1 GB. Made once."""
    path = folder / ("managed.json" if managed_fields else "list.json")
    if not path.exists():
        aside = path.with_suffix(".part")
        with aside.open("wb") as out:
            kinds = "nodes,pods,deviceclasses.resource.k8s.io,resourceslices.resource.k8s.io"
            command: list[str | Path] = [cluster.bed, "kubectl", f"--kubeconfig={cluster.kubeconfig}", "get", kinds]
            command += ["--all-namespaces", f"--show-managed-fields={str(managed_fields).lower()}", "-o", "json"]
            subprocess.run(command, stdout=out, check=True)
        aside.replace(path)
    return path
