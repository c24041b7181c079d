"""A cluster to play with: `python -m tests.bed.by_hand` (or `make bed`) holds it until Ctrl-C or the end of its input.

With `--moves` (or `make bed-moves`) it is one whose nodes can be moved from the plugin to the driver, and back.
"""

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import FrameType

from tests.bed import build
from tests.bed.cluster import Cluster
from tests.bed.movable import start_movable
from tests.bed.process import BedError
from tests.bed.two_nodes import start_two_nodes

WELCOME = """
A real cluster: node-a serves example.com/gpu through a device plugin, node-b through a DRA driver and the class gpu.example.com.
The StatefulSet default/train asks for all eight of them, and its pods know nothing of either.

    export KUBECONFIG={kubeconfig}
    {bed} kubectl get pods -o wide
    {tool} audit
    {tool} inventory --by node
    {tool} classes
    {tool} explain pod train-0

Ctrl-C ends it, and nothing of it is left.
"""

MOVES = """
A real cluster: gpu-1 and gpu-2 serve example.com/gpu through a device plugin. The Deployments team/train and team/web run on them.
A kubelet tells its images 30 s after it has begun; the canary takes one of them.

    export KUBECONFIG={kubeconfig}
    {tool} inventory --by node --sort move-cost
    {tool} migrate-node gpu-1 --profile example --dry-run=client
    {tool} migrate-node gpu-1 --profile example
    {tool} inventory --by node
    {tool} migrate-node gpu-1 --profile example --rollback

Ctrl-C ends it, and nothing of it is left.
"""


def main(arguments: Sequence[str]) -> int:
    """Start everything, tell how to use it, wait, end everything."""
    start, welcome = (start_movable, MOVES) if "--moves" in arguments else (start_two_nodes, WELCOME)
    signal.signal(signal.SIGTERM, _interrupt)
    path = Path(tempfile.mkdtemp(prefix="bed-"))
    try:
        with suppress(KeyboardInterrupt), ExitStack() as stack:
            _say("building the bed (minutes when nothing is cached, seconds after a change), then starting it")
            cluster = stack.enter_context(Cluster(build.binaries().bed, path / "c"))
            if os.geteuid():
                _say("no nodes: a kubelet needs root")
            else:
                start(cluster, path, stack)
            tool = Path(sys.executable).with_name("kubectl-dra")
            _say(welcome.format(kubeconfig=cluster.kubeconfig, bed=cluster.bed, tool=tool))
            sys.stdin.read()
    except (BedError, build.CannotBuildError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    finally:
        shutil.rmtree(path)
    return 0


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
