"""One node: what the scheduler would make of the pod there, and every reason against it."""

import re
from collections.abc import Iterator

from kubectl_dra.allocation.failure import FailureKind
from kubectl_dra.allocation.node_fit import Misfit, NodeMisfit
from kubectl_dra.allocation.pod import PodOnNode, Verdict
from kubectl_dra.explanation.case import PodCase
from kubectl_dra.explanation.codes import sentence
from kubectl_dra.explanation.device_reasons import NodeDevices
from kubectl_dra.explanation.document import NodeVerdict, OnNode, Reason
from kubectl_dra.extended_resources.requests import pod_request
from kubectl_dra.inventory.servers import amount
from kubectl_dra.knowledge.faults import fault
from kubectl_dra.objects import quantity
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.quantity import Quantity
from kubectl_dra.objects.snapshot import KINDS

_VERDICTS = {
    Verdict.FITS: NodeVerdict.FITS,
    Verdict.NO: NodeVerdict.NO,
    Verdict.FATAL: NodeVerdict.ERROR,
    Verdict.UNDECIDED: NodeVerdict.UNKNOWN,
}
_MISFITS = {
    Misfit.UNSCHEDULABLE: "cordoned",
    Misfit.OTHER_NODE: "other-node",
    Misfit.TAINTED: "node-taint",
    Misfit.AFFINITY: "node-affinity",
}
_SELECTOR = re.compile(r"^(?P<owner>(?:class|claim) \S+): selector #\d+")
_TOO_MANY = fault("too-many-devices")
_SHOWN = 6
"""Pods that a line names."""


def on_node(case: PodCase, node: Node, *, devices: bool = False) -> OnNode:
    """The pod on the node. With `devices` each device is told, too, and looked at where the node is out before that."""
    found = case.on_node(node)
    seen = NodeDevices(case, node, found)
    return OnNode(
        node.metadata.name,
        _verdict(case, found).value,
        tuple(_reasons(case, node, found, seen, devices=devices)),
        _served_by(case, found),
        tuple(seen.verdicts()) if devices else (),
    )


def pods_matter(case: PodCase, node: Node) -> bool:
    """Whether the pods of the node decide: when nothing else is against it."""
    return case.on_node(node).verdict is Verdict.FITS


def _verdict(case: PodCase, found: PodOnNode) -> NodeVerdict:
    if found.lost_at_bind:
        return NodeVerdict.NO
    if found.allocation.kind is FailureKind.TIMEOUT or (found.verdict is Verdict.FITS and not case.snapshot.pods.known):
        return NodeVerdict.UNKNOWN  # the time that is over is that of this tool
    return _VERDICTS[found.verdict]


def _served_by(case: PodCase, found: PodOnNode) -> dict[str, str]:
    plugin, through_dra = found.served.plugin, found.served.dra or {}
    return {name: "plugin" if name in plugin else "dra" if name in through_dra else "nobody" for name in case.names}


def _reasons(case: PodCase, node: Node, found: PodOnNode, seen: NodeDevices, *, devices: bool) -> Iterator[Reason]:
    yield from (_misfit(case, node, found, each) for each in found.misfits)
    for name in found.unavailable:
        yield Reason("claim-elsewhere", sentence("claim-elsewhere", name), name, detail=_where(case, name))
    if found.lost_at_bind:
        name = next(each for each in found.served.plugin if each in case.names)
        yield Reason("claims-and-plugin", sentence("claims-and-plugin", name), name)
    elif found.unknown:
        kinds = ", ".join(KINDS[each] for each in found.unknown)
        yield Reason("undecided", f"{sentence('undecided')}: {kinds} could not be read", kinds)
    elif found.verdict is Verdict.FITS and not case.snapshot.pods.known:
        yield Reason("undecided", f"{sentence('undecided')} how much of the node its pods leave: they could not be read")
    answer = found.allocation
    match answer.kind:
        case None:
            refused = not found.misfits and answer.allocations is None
            if found.claims and (refused or (devices and found.misfits)):
                yield from seen.reasons()
        case FailureKind.NODE:
            yield from (case.unready_pools.reason(each) for each in seen.pools if not each.incomplete)
        case FailureKind.UNDECIDED | FailureKind.TIMEOUT:
            yield Reason("undecided", f"{sentence('undecided')}: {answer.error}")
        case _:
            yield _failure(answer.error)


def _where(case: PodCase, name: str) -> tuple[str, ...]:
    """Which devices an allocated claim has."""
    claim = case.claim(name)
    results = claim.status.allocation.devices.results or () if claim is not None and claim.status.allocation is not None else ()
    held = ", ".join(f"{each.device} of pool {each.pool}" for each in results[:_SHOWN])
    return (f"it has {held}",) if held else ()


def _failure(error: str) -> Reason:
    """An error of the allocator by its kind; upstream's words are the detail."""
    first = error.partition("\n")[0]
    if "exceeds the claim limit of" in error:
        told = f"{_TOO_MANY.title}: {_TOO_MANY.remedy}"
        return Reason("too-many-devices", sentence("too-many-devices"), detail=(first, told))
    if "asks for all devices, but resource pool" in error:
        return Reason("all-of-unready-pool", sentence("all-of-unready-pool"), detail=(first,))
    selector = _SELECTOR.match(error)
    if selector is not None:
        return Reason("selector-fails", sentence("selector-fails", selector["owner"]), selector["owner"], detail=(first,))
    return Reason("error", f"{sentence('error')}: {first}")


def _misfit(case: PodCase, node: Node, found: PodOnNode, misfit: NodeMisfit) -> Reason:
    code = _MISFITS.get(misfit.misfit)
    if code is not None:
        return Reason(code, sentence(code, misfit.what), misfit.what)
    name = misfit.what
    if name in found.served.nobody and name in case.names:
        return Reason("not-served", sentence("not-served", name), name, detail=_leaving(node, name))
    if name in found.served.plugin and name in case.names:
        users = case.users_on(node.metadata.name, name)
        have, used = amount(node.status.allocatable, name), sum(count for _, count in users)
        named = ", ".join(f"{pod}{f' ({count})' if count > 1 else ''}" for pod, count in users[:_SHOWN])
        more = f" and {len(users) - _SHOWN} more pods" if len(users) > _SHOWN else ""
        message = f"the device plugin has {have} {name}, and pods on the node ask for {used}"
        return Reason("plugin-used-up", message, name, detail=(f"{named}{more}",) if users else ())
    return Reason("insufficient", sentence("insufficient", name), name, detail=(_left(case, node, name),))


def _left(case: PodCase, node: Node, name: str) -> str:
    """How much of a resource is asked for, and what the node has."""
    allocatable, pods = quantity.read((node.status.allocatable or {}).get(name)) or Quantity(), case.pods_on.get(node.metadata.name, ())
    if name == "pods":
        return f"the node takes {allocatable} pods and has {len(pods)}"
    used = quantity.total(pod_request(each.spec, name) for each in pods)
    return f"{pod_request(case.pod.spec, name)} is asked for; of {allocatable} {name} the node's pods ask for {used}"


def _leaving(node: Node, name: str) -> tuple[str, ...]:
    """What a node that lists the name and has none of it says."""
    capacity = amount(node.status.capacity, name)
    if capacity:
        return (f"capacity is {capacity} and allocatable 0: the plugin has gone or all its devices are unhealthy",)
    return ("the node lists it with 0: a plugin offered it once",) if name in (node.status.allocatable or {}) else ()
