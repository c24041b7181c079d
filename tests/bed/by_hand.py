"""A cluster to play with: `python -m tests.bed.by_hand` (or `make bed`) holds it until Ctrl-C or the end of its input."""

import os
import shutil
import signal
import sys
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path
from types import FrameType

from tests.bed import build
from tests.bed.api import manifests
from tests.bed.cluster import Cluster
from tests.bed.node import DevicePlugin, DraDriver, Node
from tests.bed.process import BedError

OBJECTS = """
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu.example.com}
spec:
  extendedResourceName: example.com/gpu
  selectors: [{cel: {expression: device.driver == "gpu.example.com"}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: train}
spec:
  replicas: 5
  selector: {matchLabels: {app: train}}
  template:
    metadata: {labels: {app: train}}
    spec:
      terminationGracePeriodSeconds: 0
      containers:
      - name: train
        image: registry.example/train
        resources: {limits: {example.com/gpu: "1"}}
"""

WELCOME = """
A real cluster: node-a serves example.com/gpu through a device plugin, node-b through a DRA driver and the class gpu.example.com.
The Deployment default/train asks for five of them, and its pods know nothing of either.

    export KUBECONFIG={kubeconfig}
    {bed} kubectl get pods -o wide
    {tool} audit
    {tool} inventory --by node
    {tool} classes

Ctrl-C ends it, and nothing of it is left.
"""


def main() -> int:
    """Start everything, tell how to use it, wait, end everything."""
    signal.signal(signal.SIGTERM, _interrupt)
    path = Path(tempfile.mkdtemp(prefix="bed-"))
    try:
        with suppress(KeyboardInterrupt), ExitStack() as stack:
            _say("building the bed (minutes when nothing is cached, seconds after a change)")
            cluster = _start(stack, build.binaries().bed, path)
            tool = Path(sys.executable).with_name("kubectl-dra")
            _say(WELCOME.format(kubeconfig=cluster.kubeconfig, bed=cluster.bed, tool=tool))
            sys.stdin.read()
    except (BedError, build.CannotBuildError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    finally:
        shutil.rmtree(path)
    return 0


def _start(stack: ExitStack, bed: Path, path: Path) -> Cluster:
    _say("starting a control plane")
    cluster = stack.enter_context(Cluster(bed, path / "c"))
    if os.geteuid():
        _say("no nodes: a kubelet needs root")
        return cluster
    _say("starting two nodes")
    a = stack.enter_context(Node(cluster, "node-a", path / "a"))
    stack.enter_context(DevicePlugin(a, "example.com/gpu", count=4))
    b = stack.enter_context(Node(cluster, "node-b", path / "b"))
    stack.enter_context(DraDriver(b, "gpu.example.com", count=4, attributes={"productName": "Example GPU"}))
    for manifest in manifests(OBJECTS):
        cluster.api.apply(manifest)
    return cluster


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
