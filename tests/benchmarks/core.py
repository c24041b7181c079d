"""The shared core against upstream's own allocator: the same documents, one process each, JSON parsing included in both."""

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from kubectl_dra.allocation.cel import DeviceVariables, compile_expression
from kubectl_dra.allocation.pools import Candidate
from kubectl_dra.allocation.selectors import Judges
from kubectl_dra.objects.resource import CELDeviceSelector, Device, DeviceSelector, ResourceSlice
from tests.bed.build import binaries
from tests.benchmarks.measure import fed
from tests.benchmarks.row import Row

DRIVER = "gpu.example.com"
NODES, GPUS = 2000, 8
FEWER_NODES, CLAIMS = 100, 800
CLASS = f'device.driver == "{DRIVER}"'
REQUEST = f'device.attributes["{DRIVER}"].model == "H100" && device.capacity["{DRIVER}"].memory.compareTo(quantity("40Gi")) >= 0'
ONE_OF_ALL = f'device.attributes["{DRIVER}"].uuid == "none"'
"""What is different on every device."""
Plain = dict[str, Any]


def core() -> Iterator[Row]:
    """All rows of the core."""
    yield from against_upstream()
    yield from evaluations()


def against_upstream() -> Iterator[Row]:
    """Where the claim fits everywhere, where it fits nowhere, and claims that fill a cluster one after the other."""
    nodes = f"{NODES} nodes x {GPUS} devices"
    yield _row(f"one claim on {nodes} / upstream, wall", {**cluster(NODES), "claims": [claim("c", REQUEST)]})
    nothing = REQUEST.replace("H100", "B200")
    yield _row("one that fits none of them / upstream, wall", {**cluster(NODES), "claims": [claim("c", nothing)]})
    steps = [{"claims": [claim(f"c{number}", REQUEST)]} for number in range(CLAIMS)]
    yield _row(f"{CLAIMS} claims in turn on {FEWER_NODES} x {GPUS} / upstream, wall", {**cluster(FEWER_NODES), "steps": steps})


def _row(what: str, document: Plain) -> Row:
    ours = [sys.executable, "-m", "kubectl_dra.allocation"]
    upstream = [str(binaries().bed.with_name("oracle"))]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "document.json"
        path.write_bytes(msgspec.json.encode(document) + b"\n")
        mine, theirs = fed(path, ours, upstream)
    return Row(
        what, mine.wall / theirs.wall, 5, "x", f"{mine.wall:.2f} s and {theirs.wall:.2f} s; CPU {mine.cpu:.2f} s and {theirs.cpu:.2f} s"
    )


def cluster(nodes: int) -> Plain:
    """Nodes with GPUs of two models; the identifier is each one's own."""
    return {
        "nodes": [{"metadata": {"name": f"node-{number}", "labels": {"zone": f"z{number % 3}"}}} for number in range(nodes)],
        "slices": [published(f"node-{number}") for number in range(nodes)],
        "classes": [{"metadata": {"name": "gpu"}, "spec": {"selectors": [{"cel": {"expression": CLASS}}]}}],
    }


def published(node: str) -> Plain:
    """The slice of a node."""
    pool = {"name": node, "generation": 1, "resourceSliceCount": 1}
    devices = [device(node, number) for number in range(GPUS)]
    return {"metadata": {"name": f"{node}-slice"}, "spec": {"driver": DRIVER, "nodeName": node, "pool": pool, "devices": devices}}


def device(node: str, number: int) -> Plain:
    """A GPU as drivers publish it."""
    attributes = {
        "model": {"string": "H100"},
        "uuid": {"string": f"GPU-{node}-{number}"},
        "index": {"int": number},
        "driverVersion": {"version": "570.86.15"},
        "architecture": {"string": "Hopper"},
        "resource.kubernetes.io/pcieRoot": {"string": f"pci0000:{number // 4:02d}"},
    }
    return {"name": f"gpu-{number}", "attributes": attributes, "capacity": {"memory": {"value": "80Gi"}}}


def claim(name: str, expression: str) -> Plain:
    """A claim for one device."""
    exactly = {"deviceClassName": "gpu", "selectors": [{"cel": {"expression": expression}}]}
    return {"metadata": {"name": name, "namespace": "ns"}, "spec": {"devices": {"requests": [{"name": "gpu", "exactly": exactly}]}}}


def evaluations() -> Iterator[Row]:
    """An expression on a device, and on many: devices that are alike in what it reads are judged once."""
    one = DeviceVariables(DRIVER, msgspec.convert(device("node-0", 0), Device))
    for what, text in (("a usual class selector", f"{CLASS} && {REQUEST}"), ("a driver's name", CLASS)):
        program = compile_expression(text)
        seconds = min(_timed(lambda: [program.evaluate(one) for _ in range(2000)]) for _ in range(5)) / 2000  # noqa: B023 - called at once
        yield Row(f"CEL, {what}, per evaluation", seconds * 1e6, 20, " µs")
    slices = [msgspec.convert(published(f"node-{number}"), ResourceSlice) for number in range(NODES)]
    candidates = [Candidate(each, one) for each in slices for one in each.spec.devices or ()]
    alike, different = (_judging(text, candidates) for text in (REQUEST, ONE_OF_ALL))
    note = f"{alike * 1e3:.0f} ms and {different * 1e3:.0f} ms"
    yield Row(f"{len(candidates)} devices of 1 shape / of {len(candidates)} shapes, CPU", alike / different, 0.5, "x", note)


def _judging(text: str, candidates: list[Candidate]) -> float:
    """CPU seconds for one expression on all devices, the quickest of several times."""

    def judge() -> None:
        (judge,) = Judges().of([DeviceSelector(CELDeviceSelector(text))])
        assert judge is not None
        for each in candidates:
            judge.answer(each)

    return min(_timed(judge) for _ in range(5))


def _timed(work: Any) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin
