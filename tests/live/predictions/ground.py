"""Nodes, classes, slices and a taint rule: objects only, because nothing has to run.

    a, b   sixteen GPUs each of gpu.example.com; `tainted` ones (index 7) by their slice on a, by a rule on b; b's gpu-15 tells no numa
           both reach the four devices of the fabric
    c      one GPU that is given out in partitions; network cards that are shared
    d      a device plugin with four example.com/gpu; a pool of which a slice is missing, and one that contradicts itself
    e      two GPUs, on a node with a taint
    f      two GPUs, cordoned

The node that is made last is d, the class and the slice that are made last are for a driver of their own: a scheduler that places a pod
with such a device on d knows all the others.
"""

from collections.abc import Iterable, Iterator, Mapping

from tests.bed.api import Manifest

API = "resource.k8s.io/v1"
GPU = "example.com/gpu"
LAST = "last"
SELECTS_NUMA = 'device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].numa >= 0'


def nodes() -> Iterator[tuple[Manifest, Manifest]]:
    """Each node, and its status."""
    special: dict[str, Manifest] = {
        "e": {"taints": [{"key": "dedicated", "value": "big", "effect": "NoSchedule"}]},
        "f": {"unschedulable": True},
    }
    for name in "efabcd":
        labels = {"rack": "1" if name in "ab" else "2", "gpus": "16" if name in "ab" else "2"}
        yield node(name, labels, special.get(name), {GPU: "4"} if name == "d" else {})


def node(
    name: str,
    labels: Mapping[str, str] | None = None,
    spec: Manifest | None = None,
    devices: Mapping[str, str] | None = None,
    **status: object,
) -> tuple[Manifest, Manifest]:
    """A node, and its status; `devices` are what plugins offer."""
    allocatable = {"pods": "110", "cpu": "64", "memory": "64Gi", **(devices or {})}
    metadata = {"name": name, "labels": {"at": name, **(labels or {})}}
    return (
        {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": spec or {}},
        {"status": {"allocatable": allocatable, "capacity": allocatable, **status}},
    )


def objects() -> Iterator[Manifest]:
    """The cluster-wide objects beside the nodes."""
    rule = {"deviceSelector": {"driver": "gpu.example.com", "pool": "b", "device": "gpu-7"}, "taint": _taint("repair")}
    yield {"apiVersion": API, "kind": "DeviceTaintRule", "metadata": {"name": "repair"}, "spec": rule}
    yield from _classes()
    yield from _gpus()
    yield from _partitions()
    yield from _cards()
    yield from _fabric()
    yield from _broken()
    yield device_class(LAST, f'device.driver == "{LAST}.example.com"')
    yield device_slice(LAST, LAST, [{"name": "device-0"}, {"name": "device-1"}], allNodes=True)


def _classes() -> Iterator[Manifest]:
    for name in ("gpu", "partition", "card", "fabric", "missing", "twice", "nothing"):
        expression = f'device.driver == "{name}.example.com"'
        yield device_class(name, expression, **({"extendedResourceName": GPU} if name == "gpu" else {}), **_config(name))
    yield device_class("numa", SELECTS_NUMA)
    yield device_class("h100", 'device.attributes["gpu.example.com"].?model.orValue("") == "H100"', extendedResourceName="example.com/h100")


def _config(name: str) -> Manifest:
    """Drivers of shared cards want to be told something."""
    return {"config": [{"opaque": {"driver": "card.example.com", "parameters": {"mode": "shared"}}}]} if name == "card" else {}


def device_class(name: str, expression: str, **spec: object) -> Manifest:
    """A class with one selector."""
    metadata = {"name": name}
    return {
        "apiVersion": API,
        "kind": "DeviceClass",
        "metadata": metadata,
        "spec": {"selectors": [{"cel": {"expression": expression}}], **spec},
    }


def _gpus() -> Iterator[Manifest]:
    for node, count in (("a", 16), ("b", 16), ("e", 2), ("f", 2)):
        yield device_slice("gpu", node, [_gpu(node, number) for number in range(count)], nodeName=node)


def _gpu(node: str, number: int) -> Manifest:
    """Two models on a, a half of each; elsewhere L4 only."""
    model = ("A100" if number < 8 else "H100") if node == "a" else "L4"
    attributes: dict[str, Manifest] = {
        "model": {"string": model},
        "index": {"int": number},
        "numa": {"int": number % 2},
        "firmware": {"version": f"1.{number}.0"},
        "linked": {"bool": node == "a"},
    }
    if (node, number) == ("b", 15):
        del attributes["numa"]
    memory = {"A100": "40Gi", "H100": "80Gi", "L4": "24Gi"}[model]
    device: Manifest = {"name": f"gpu-{number}", "attributes": attributes, "capacity": {"memory": {"value": memory}}}
    if (node, number) == ("a", 7):
        device["taints"] = [_taint("broken")]
    return device


def _taint(key: str) -> Manifest:
    return {"key": f"example.com/{key}", "value": "yes", "effect": "NoSchedule"}


def _partitions(memory: str = "80Gi", generation: int = 1) -> Iterator[Manifest]:
    """Two halves of 40Gi, or the whole of 80Gi; and one that draws on another counter."""
    sizes = {"half-0": 40, "half-1": 40, "whole": 80}
    devices = [_partition(name, "card", f"{size}Gi") for name, size in sizes.items()]
    counters = [{"name": name, "counters": {"memory": {"value": amount}}} for name, amount in (("card", memory), ("other", "1Gi"))]
    whole = [*devices, _partition("tiny", "other", "1Gi")]
    yield device_slice("partition", "c", whole, nodeName="c", slices=2, generation=generation)
    yield device_slice("partition", "c", None, nodeName="c", slices=2, generation=generation, suffix="-counters", sharedCounters=counters)


def _partition(name: str, counter_set: str, memory: str) -> Manifest:
    consumes = [{"counterSet": counter_set, "counters": {"memory": {"value": memory}}}]
    return {"name": name, "attributes": {"size": {"string": name.partition("-")[0]}}, "consumesCounters": consumes}


def shrunk() -> Iterator[Manifest]:
    """The partitions' slices when their driver finds less memory than is in use."""
    return _partitions("60Gi", 2)


def _cards() -> Iterator[Manifest]:
    """Shared, with a range and with a list of amounts; of an older generation there is a card more."""
    bandwidth = {
        "card-0": {"default": "10", "validRange": {"min": "10", "max": "70", "step": "20"}},
        "card-1": {"default": "5", "validValues": ["5", "25", "50"]},
    }
    devices = [
        {"name": name, "allowMultipleAllocations": True, "capacity": {"bandwidth": {"value": "100", "requestPolicy": policy}}}
        for name, policy in bandwidth.items()
    ]
    yield device_slice("card", "c", devices, nodeName="c", generation=2)
    yield device_slice("card", "c", [{"name": "old"}], nodeName="c", suffix="-old")


def _fabric() -> Iterator[Manifest]:
    term = {"matchExpressions": [{"key": "rack", "operator": "In", "values": ["1"]}]}
    devices = [{"name": f"link-{number}"} for number in range(4)]
    yield device_slice("fabric", "fabric", devices, nodeSelector={"nodeSelectorTerms": [term]})


def _broken() -> Iterator[Manifest]:
    yield device_slice("missing", "d", [{"name": "gpu-0"}], nodeName="d", slices=2)
    for suffix in ("-1", "-2"):
        yield device_slice("twice", "d", [{"name": "gpu-0"}], nodeName="d", slices=2, suffix=suffix)


def device_slice(
    driver: str,
    pool: str,
    devices: Iterable[Manifest] | None,
    *,
    slices: int = 1,
    generation: int = 1,
    suffix: str = "",
    **spec: object,
) -> Manifest:
    """A slice; of a pool that says to have so many."""
    told = {"name": pool, "generation": generation, "resourceSliceCount": slices}
    listed = {} if devices is None else {"devices": list(devices)}
    return {
        "apiVersion": API,
        "kind": "ResourceSlice",
        "metadata": {"name": f"{driver}-{pool}{suffix}"},
        "spec": {"driver": f"{driver}.example.com", "pool": told, **listed, **spec},
    }
