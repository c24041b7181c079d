"""The pods, in the order in which they come; those that are bound stay and keep their devices."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from kubectl_dra.extended_resources.names import implicit_name
from tests.bed.api import Manifest
from tests.live.predictions.ground import API, GPU, LAST

MODEL = 'device.attributes["gpu.example.com"].model'
INDEX = 'device.attributes["gpu.example.com"].index'
REACHABLE = [{"key": f"node.kubernetes.io/{key}", "operator": "Exists"} for key in ("not-ready", "unreachable")]
"""Nodes without a kubelet have these taints sooner or later."""


class Meant(StrEnum):
    """What the pod is there to show."""

    BOUND = "it gets a node"
    WAITS = "no node takes it"
    FAILS = "the attempt ends in an error"
    LOST = "a node takes it, and then it cannot be bound"
    HELD = "the scheduler does not try it"


@dataclass(frozen=True)
class Case:
    """A pod, and the claims and templates that are made before it."""

    meant: Meant
    pod: Manifest
    before: tuple[Manifest, ...] = ()

    @property
    def name(self) -> str:
        """The pod's."""
        found: str = self.pod["metadata"]["name"]
        return found


def exact(device_class: str = "gpu", name: str = "r", *, cel: str = "", **fields: object) -> Manifest:
    """A request; `cel` is its selector."""
    selectors = {"selectors": [{"cel": {"expression": cel}}]} if cel else {}
    return {"name": name, "exactly": {"deviceClassName": device_class, **selectors, **fields}}


def first(*alternatives: Manifest, name: str = "r") -> Manifest:
    """A request with alternatives, made of plain requests."""
    listed = [{"name": each["name"], **each["exactly"]} for each in alternatives]
    return {"name": name, "firstAvailable": listed}


def claimed(meant: Meant, name: str, *requests: Manifest, at: str = "", constraints: tuple[Manifest, ...] = (), **spec: Any) -> Case:
    """A pod with one claim of its name."""
    devices: Manifest = {"requests": list(requests), **({"constraints": list(constraints)} if constraints else {})}
    claim = {"apiVersion": API, "kind": "ResourceClaim", "metadata": {"name": name}, "spec": {"devices": devices}}
    return Case(meant, pod(name, ({"name": "devices", "resourceClaimName": name},), at=at, **spec), (claim,))


def templated(meant: Meant, name: str, *requests: Manifest, shared: str = "", at: str = "") -> Case:
    """A pod with a claim made from a template, and perhaps one that is there already."""
    spec = {"spec": {"devices": {"requests": list(requests)}}}
    template = {"apiVersion": API, "kind": "ResourceClaimTemplate", "metadata": {"name": name}, "spec": spec}
    entries = ({"name": "own", "resourceClaimTemplateName": name},)
    others = ({"name": "others", "resourceClaimName": shared},) if shared else ()
    return Case(meant, pod(name, (*others, *entries), at=at), (template,))


def pod(
    name: str,
    entries: tuple[Manifest, ...] = (),
    *,
    at: str = "",
    limits: tuple[Manifest, ...] = ({},),
    before: tuple[Manifest, ...] = (),
    tolerations: tuple[Manifest, ...] = (),
    **spec: object,
) -> Manifest:
    """A pod; `limits` are those of its containers, `before` those of its init containers; `at` names the only node that it wants."""

    def container(prefix: str, number: int, given: Manifest) -> Manifest:
        claims = {"claims": [{"name": each["name"]} for each in entries]} if entries else {}
        return {"name": f"{prefix}-{number}", "image": "none", "resources": {"limits": given, **claims}}

    whole: Manifest = {
        "automountServiceAccountToken": False,
        "terminationGracePeriodSeconds": 0,
        "tolerations": [*REACHABLE, *tolerations],
        "containers": [container("main", number, given) for number, given in enumerate(limits)],
        **({"initContainers": [container("init", number, given) for number, given in enumerate(before)]} if before else {}),
        **({"resourceClaims": list(entries)} if entries else {}),
        **({"nodeSelector": {"at": at}} if at else {}),
        **spec,
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": whole}


def asking(meant: Meant, name: str, *limits: Manifest, at: str = "", before: tuple[Manifest, ...] = (), **spec: Any) -> Case:
    """A pod whose containers ask for extended resources."""
    return Case(meant, pod(name, at=at, limits=limits, before=before, **spec))


def tolerating(key: str, **fields: object) -> Manifest:
    """A toleration of devices' taints."""
    return {"key": f"example.com/{key}", "operator": "Exists", **fields}


def cases() -> Iterator[Case]:
    """All pods."""
    yield from _plain_claims()
    yield from _choices()
    yield from _partitions_and_shares()
    yield from _templates()
    yield from _extended_resources()
    yield from _other_checks()
    yield from _errors()


def _plain_claims() -> Iterator[Case]:
    yield claimed(Meant.BOUND, "one", exact())
    yield claimed(Meant.BOUND, "three", exact(count=3), at="a")
    yield claimed(Meant.BOUND, "model", exact(cel=f'{MODEL} == "H100"'))
    yield claimed(Meant.WAITS, "no-such-model", exact(cel=f'{MODEL} == "B200"'))
    memory = 'device.capacity["gpu.example.com"].memory.compareTo(quantity("64Gi")) >= 0'
    yield claimed(Meant.BOUND, "memory", exact(cel=memory))
    yield claimed(Meant.BOUND, "administrator", exact(allocationMode="All", adminAccess=True, tolerations=[tolerating("broken")]), at="a")
    yield claimed(Meant.WAITS, "tainted", exact(cel=f"{INDEX} == 7"))
    yield claimed(Meant.BOUND, "tolerates-the-slice", exact(cel=f"{INDEX} == 7", tolerations=[tolerating("broken")]))
    yield claimed(Meant.BOUND, "tolerates-the-rule", exact(cel=f"{INDEX} == 7", tolerations=[tolerating("repair", effect="NoSchedule")]))
    yield claimed(Meant.BOUND, "all-of-the-fabric", exact("fabric", allocationMode="All"), nodeSelector={"rack": "1"})
    yield claimed(Meant.WAITS, "all-in-use", exact("fabric", allocationMode="All"), nodeSelector={"rack": "1"})


def _choices() -> Iterator[Case]:
    same = {"matchAttribute": "gpu.example.com/model"}
    other = {"distinctAttribute": "gpu.example.com/numa"}
    first_two = (exact(name="x"), exact(name="y"))
    yield claimed(Meant.BOUND, "alike", *first_two, constraints=(same,))
    yield claimed(Meant.BOUND, "apart", *first_two, constraints=({**other, "requests": ["x", "y"]},), at="b")
    yield claimed(Meant.WAITS, "apart-thrice", exact(count=3), constraints=(other,), at="b")
    h100, l4 = exact(name="h100", cel=f'{MODEL} == "H100"', count=8), exact(name="l4", cel=f'{MODEL} == "L4"')
    yield claimed(Meant.BOUND, "second-best", first(h100, l4))
    few = (exact("nothing", name="nothing"), exact(name="gpu"))
    yield claimed(Meant.BOUND, "both-second", first(*few, name="x"), first(*few, name="y"), at="b")
    yield claimed(Meant.WAITS, "neither", first(h100, exact("nothing", name="nothing")))


def _partitions_and_shares() -> Iterator[Case]:
    half = 'device.attributes["partition.example.com"].size == "half"'
    yield claimed(Meant.BOUND, "half", exact("partition", cel=half))
    yield claimed(Meant.WAITS, "whole", exact("partition", cel=half.replace("half", "whole")))
    yield claimed(Meant.BOUND, "other-half", exact("partition"))
    yield claimed(Meant.BOUND, "share", exact("card", capacity={"requests": {"bandwidth": "15"}}))
    yield claimed(Meant.BOUND, "shares", exact("card", name="x", capacity={"requests": {"bandwidth": "50"}}), exact("card", name="y"))
    yield claimed(Meant.BOUND, "listed-share", exact("card", capacity={"requests": {"bandwidth": "22"}}), at="c")
    yield claimed(Meant.WAITS, "too-large-a-share", exact("card", capacity={"requests": {"bandwidth": "80"}}))
    yield claimed(Meant.WAITS, "no-such-capacity", exact("card", capacity={"requests": {"memory": "1"}}))


def overcommitted() -> Case:
    """A pod that wants a partition whose own counter suffices, while another one of the pool is overdrawn."""
    return claimed(Meant.WAITS, "tiny", exact("partition", cel='device.attributes["partition.example.com"].size == "tiny"'))


def _templates() -> Iterator[Case]:
    yield templated(Meant.BOUND, "from-a-template", exact())
    yield templated(Meant.BOUND, "beside-a-shared-claim", exact(), shared="apart")
    yield templated(Meant.WAITS, "shared-claim-elsewhere", exact(), shared="apart", at="a")
    yield templated(Meant.WAITS, "too-many", exact(count=17), at="b")


def _extended_resources() -> Iterator[Case]:
    yield asking(Meant.BOUND, "plugin", {GPU: "1"}, at="d")
    yield asking(Meant.WAITS, "plugin-is-full", {GPU: "4"}, at="d")
    yield claimed(Meant.LOST, "claim-beside-plugin", exact(LAST), at="d", limits=({GPU: "1"},))
    yield asking(Meant.BOUND, "dra", {GPU: "1"}, at="b")
    yield asking(Meant.BOUND, "dra-or-plugin", {GPU: "1"})
    yield asking(Meant.BOUND, "implicit", {implicit_name("card"): "1"})
    yield asking(Meant.BOUND, "containers", {"example.com/h100": "1"}, {}, at="a", before=({"example.com/h100": "1"},))
    yield asking(Meant.WAITS, "nobody-serves", {"example.com/unknown": "1"})


def _other_checks() -> Iterator[Case]:
    many = {"matchExpressions": [{"key": "gpus", "operator": "Gt", "values": ["8"]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [many]}}}
    yield claimed(Meant.BOUND, "affinity", exact(), affinity=affinity)
    yield claimed(Meant.WAITS, "elsewhere", exact(), at="c")
    yield claimed(Meant.WAITS, "large", exact(), limits=({"cpu": "65"},))
    yield claimed(Meant.BOUND, "dedicated", exact(), at="e", tolerations=({"key": "dedicated", "operator": "Exists"},))
    yield claimed(Meant.WAITS, "cordoned", exact(), at="f")
    yield claimed(Meant.WAITS, "invalid", exact("twice"))
    yield claimed(Meant.WAITS, "incomplete", exact("missing"))
    yield Case(Meant.HELD, pod("without-claim", ({"name": "devices", "resourceClaimName": "nowhere"},)))
    yield claimed(Meant.WAITS, "without-class", exact("nowhere"))


def _errors() -> Iterator[Case]:
    yield asking(Meant.FAILS, "thirty-three", {GPU: "33"})
    yield claimed(Meant.FAILS, "selector-fails", exact("numa", cel=f"{INDEX} == 15"))
    yield claimed(Meant.FAILS, "all-of-an-incomplete-pool", exact(allocationMode="All"))
