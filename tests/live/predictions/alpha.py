"""Objects and pods for schedulers with alpha features (the experimental allocator), and without newer ones (the stable one).

a   three GPUs with lists of links; two of the model T4 and one of the model L4, each with a size; partitions that do not go together
b   a GPU that needs no operations on the node, which says nothing of that
c   the same, on a node that says that it can do without
"""

from collections.abc import Iterator

from tests.bed.api import Manifest
from tests.live.predictions.ground import LAST, device_class, device_slice, node
from tests.live.predictions.pods import Case, Meant, claimed, exact

GATES = ("DRAListTypeAttributes", "DRADerivedAttributes", "DRADeviceCompatibilityGroups", "DRAOptionalNodeOperations")
NEWER = ("DRAConsumableCapacity", "DRADeviceBindingConditions")
"""Without these the stable allocator is enough."""


def nodes() -> Iterator[tuple[Manifest, Manifest]]:
    """Each node, and its status."""
    for name in "abcd":
        yield node(name, declaredFeatures=["DRAOptionalNodeOperations"]) if name == "c" else node(name)


def objects() -> Iterator[Manifest]:
    """The cluster-wide objects beside the nodes."""
    for name in ("linked", "sized", "part", "remote", LAST):
        yield device_class(name, f'device.driver == "{name}.example.com"')
    links = {"gpu-0": ["x", "y"], "gpu-1": ["y", "z"], "gpu-2": ["q"]}
    devices = [{"name": name, "attributes": {"links": {"strings": values}}} for name, values in links.items()]
    yield device_slice("linked", "a", devices, nodeName="a")
    models = {"gpu-0": "T4-16", "gpu-1": "L4-24", "gpu-2": "T4-32"}
    devices = [{"name": name, "attributes": {"model": {"string": model}}} for name, model in models.items()]
    yield device_slice("sized", "a", devices, nodeName="a")
    yield from _partitions()
    for name in "bc":
        yield device_slice("remote", name, [{"name": "gpu-0"}], nodeName=name, skipNodeOperations=["*"])
    yield device_slice(LAST, LAST, [{"name": "device"}], allNodes=True)


def _partitions() -> Iterator[Manifest]:
    groups = {"mig-0": ["mig"], "shared-0": ["shared"], "any-0": ["mig", "shared"]}
    devices = [
        {
            "name": name,
            "attributes": {"kind": {"string": name.partition("-")[0]}},
            "consumesCounters": [{"counterSet": "gpu", "counters": {"slots": {"value": "1"}}, "compatibilityGroups": wanted}],
        }
        for name, wanted in groups.items()
    ]
    yield device_slice("part", "a", devices, nodeName="a", slices=2)
    counters = [{"name": "gpu", "counters": {"slots": {"value": "9"}}}]
    yield device_slice("part", "a", None, nodeName="a", slices=2, suffix="-counters", sharedCounters=counters)


def cases() -> Iterator[Case]:
    """Pods for the alpha features."""
    links = {"matchAttribute": "linked.example.com/links"}
    yield claimed(Meant.WAITS, "no-link-in-common", exact("linked", count=3), constraints=(links,))
    yield claimed(Meant.BOUND, "a-link-in-common", exact("linked", name="x"), exact("linked", name="y"), constraints=(links,))
    yield claimed(Meant.BOUND, "has-a-link", exact("linked", cel='device.attributes["linked.example.com"].links.includes("q")'))
    family = {"name": "sized.example.com/family", "expression": 'device.attributes["sized.example.com"].model.split("-")[0]'}
    two = [exact("sized", name=name, derivedAttributes=[family]) for name in "xy"]
    yield claimed(Meant.BOUND, "of-one-family", *two, constraints=({"matchAttribute": family["name"]},))
    yield claimed(Meant.WAITS, "of-one-family-again", *two, constraints=({"matchAttribute": family["name"]},))
    for meant, kind in ((Meant.BOUND, "mig"), (Meant.WAITS, "shared"), (Meant.BOUND, "any")):
        yield claimed(meant, kind, exact("part", cel=f'device.attributes["part.example.com"].kind == "{kind}"'))
    yield claimed(Meant.WAITS, "node-operates", exact("remote"), at="b")
    yield claimed(Meant.BOUND, "node-need-not-operate", exact("remote"))


def few_objects() -> Iterator[Manifest]:
    """GPUs and what all schedulers know."""
    for name in ("gpu", LAST):
        yield device_class(name, f'device.driver == "{name}.example.com"')
    devices = [{"name": f"gpu-{number}", "attributes": {"numa": {"int": number % 2}}} for number in range(4)]
    yield device_slice("gpu", "a", devices, nodeName="a")
    yield device_slice(LAST, LAST, [{"name": "device"}], allNodes=True)


def few_cases() -> Iterator[Case]:
    """Pods for the stable allocator."""
    alike = {"matchAttribute": "gpu.example.com/numa"}
    yield claimed(Meant.BOUND, "two-alike", exact(count=2), constraints=(alike,))
    yield claimed(Meant.WAITS, "three-alike", exact(count=3), constraints=(alike,))
    yield claimed(Meant.BOUND, "the-rest", exact(count=2))
    yield claimed(Meant.WAITS, "one-more", exact())
