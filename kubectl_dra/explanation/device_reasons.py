"""Why a node's devices do not do for the pod: for each request how many devices there are, and what is against them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from kubectl_dra.allocation.allocated import DeviceId
from kubectl_dra.allocation.claims import Request
from kubectl_dra.allocation.pod import PodOnNode
from kubectl_dra.allocation.pools import Candidate
from kubectl_dra.allocation.reasons import Against, DeviceReason, NodeReasons, PoolReason, RequestReasons, defeating_constraints, reasons
from kubectl_dra.explanation.case import PodCase
from kubectl_dra.explanation.codes import sentence
from kubectl_dra.explanation.device_words import against, counted
from kubectl_dra.explanation.document import DeviceVerdict, Reason
from kubectl_dra.objects.node import Node

_CODES: Mapping[Against, str] = {
    Against.IN_USE: "in-use",
    Against.TAINTED: "device-tainted",
    Against.CAPACITY: "capacity",
    Against.COUNTERS: "counters",
    Against.REQUEST_SELECTOR: "not-selected-by-request",
    Against.CONSTRAINT: "constraint",
}
"""What is told of a request when it is the commonest thing against the devices of its class; all else is `device-not-usable`."""
_MOST_STEPS = 20_000
"""Of each search without one constraint."""
_SHOWN = 4
"""Holders or expressions that a reason lists."""


@dataclass(frozen=True)
class SeenRequest:
    """A request on a node, and every device as it sees it. A device in use counts as not selected where its class does not select it."""

    claim: str
    request: Request
    devices: tuple[DeviceReason, ...]

    @property
    def class_name(self) -> str:
        """The class of the request."""
        return self.request.device_class.metadata.name

    @cached_property
    def of_class(self) -> tuple[DeviceReason, ...]:
        """The devices that the class selects."""
        return tuple(each for each in self.devices if each.against is not Against.CLASS_SELECTOR)

    @property
    def usable(self) -> int:
        """The devices that would do, each by itself."""
        return sum(each.against is None for each in self.devices)

    @property
    def wanted(self) -> int:
        """How many devices it needs; of all devices, as many as there are."""
        return len(self.of_class) if self.request.every else self.request.count

    @property
    def met(self) -> bool:
        """Whether enough devices would do; an empty class does not do for a request for all."""
        return self.usable >= max(self.wanted, 1)


class NodeDevices:
    """The devices of one node as the pod's claims see them."""

    def __init__(self, case: PodCase, node: Node, found: PodOnNode) -> None:
        """Take the pod on the node. Everything is computed when it is first asked for; it costs more than allocating."""
        self._case = case
        self._node = node
        self._claims = found.claims

    @cached_property
    def _reasons(self) -> NodeReasons:
        return reasons(self._case.planner.allocator, self._node, self._claims)

    @cached_property
    def pools(self) -> tuple[PoolReason, ...]:
        """The pools of which nothing is given out."""
        return self._reasons.pools

    @cached_property
    def requests(self) -> tuple[SeenRequest, ...]:
        """All requests, alternatives each by itself, in the order of the claims."""
        by_name = {(each.claim, each.request): each for each in self._reasons.requests}
        candidates = {each.id: each for each in self._case.planner.catalog.slices.seen_from(self._node).candidates}
        return tuple(
            SeenRequest(claim.name, request, tuple(_seen(request, by_name[claim.name, request.full_name], candidates)))
            for claim in self._claims
            for request in claim.requests()
            if (claim.name, request.full_name) in by_name
        )

    def verdicts(self) -> Iterator[DeviceVerdict]:
        """Each device for each request."""
        for each in self.requests:
            for device in each.devices:
                told = "" if device.against is None else against(device, self._case.holders)
                yield DeviceVerdict(
                    each.claim,
                    each.request.full_name,
                    *device.device,
                    None if device.against is None else device.against.name.lower(),
                    told,
                )

    def reasons(self) -> Iterator[Reason]:
        """What keeps the claims off the node, when nothing failed."""
        if self._reasons.error:
            yield Reason("error", sentence("error"), detail=(self._reasons.error,))
            return
        if not self.requests or not (self.requests[0].devices or self.pools):
            yield Reason("no-devices", sentence("no-devices"))
            return
        seen = {(each.claim, each.request.full_name): each for each in self.requests}
        short = []
        for claim in self._claims:
            for choice in claim.choices:
                alternatives = [seen[claim.name, each.full_name] for each in choice.alternatives if isinstance(each, Request)]
                if not any(each.met for each in alternatives):
                    short += alternatives
        if short:
            for each in short:
                yield from self._of_request(each)
        else:
            yield from self._of_combination()

    def _of_request(self, seen: SeenRequest) -> Iterator[Reason]:
        """Why too few devices do for the request."""
        name = seen.class_name
        unready = [each for each in self.pools if self._case.unready_pools.concerns(each, seen.request)]
        yield from map(self._case.unready_pools.reason, unready)
        if seen.of_class:
            yield self._of_class(seen)
        elif not unready and not seen.devices:
            yield Reason("no-devices", sentence("no-devices"))
        elif not unready:
            message = f"class {name} {_selects_none(len(seen.devices))} here"
            yield self._unselected("not-selected", name, seen.devices, message)

    def _of_class(self, seen: SeenRequest) -> Reason:
        """What is against devices that the class selects."""
        name, number = seen.class_name, len(seen.of_class)
        if not seen.request.every and number < seen.wanted:
            return Reason("too-few", f"{seen.wanted} devices of class {name} are asked for, the node has {number}", name)
        commonest = Counter(each.against for each in seen.of_class if each.against is not None).most_common(1)[0][0]
        code = _CODES.get(commonest, "device-not-usable")
        message = f"{counted(seen.of_class, name)}, {_asked_for(seen)}"
        chosen = tuple(each for each in seen.of_class if each.against is commonest)
        match commonest:
            case Against.REQUEST_SELECTOR:
                return self._unselected(code, f"{seen.claim}/{seen.request.full_name}", chosen, message)
            case Against.CONSTRAINT:
                return Reason(code, message, chosen[0].attribute, detail=_cut(against(each, self._case.holders) for each in chosen))
            case _:
                return Reason(code, message, name, detail=_cut(against(each, self._case.holders) for each in chosen))

    def _unselected(self, code: str, subject: str, devices: Iterable[DeviceReason], message: str) -> Reason:
        """With the parts of expressions that decided, each once."""
        told = Counter(against(each, self._case.holders) for each in devices)
        lines = (f"{text} ({number} devices)" if number > 1 else text for text, number in told.most_common())
        return Reason(code, message, subject, detail=_cut(lines))

    def _of_combination(self) -> Iterator[Reason]:
        """Every request could be met by itself."""
        allocator, expired = self._case.planner.allocator, self._case.expired
        defeating = defeating_constraints(allocator, self._node, self._claims, expired=expired, most_steps=_MOST_STEPS)
        for claim, constraint in defeating:
            name = constraint.match_attribute or constraint.distinct_attribute or ""
            how = "the same" if constraint.match_attribute is not None else "a different"
            requests = f" of the requests {', '.join(constraint.requests)}" if constraint.requests else ""
            message = f"claim {claim}: the devices{requests} must each have {how} value of {name}, and so many such devices are not free"
            yield Reason("constraint", message, name)
        if not defeating:
            wanted = sum(each.wanted for each in self.requests if each.request.parent is None)
            usable = len({device.device for each in self.requests for device in each.devices if device.against is None})
            yield Reason("together", f"{sentence('together')}: {wanted} devices are asked for, {usable} would do for one or another")


def _seen(request: Request, found: RequestReasons, candidates: Mapping[DeviceId, Candidate]) -> Iterator[DeviceReason]:
    """Upstream looks whether a device is in use before it looks at the class; whoever reads this wants to know of which class it is."""
    for device in found.devices:
        candidate = candidates.get(device.device)
        if device.against is not Against.IN_USE or candidate is None:
            yield device
            continue
        refused = next((judge for judge in request.class_judges if judge is not None and judge.answer(candidate).matches is False), None)
        if refused is None:
            yield device
        else:
            yield DeviceReason(device.device, Against.CLASS_SELECTOR, selector=refused.text, trace=refused.trace(candidate))


def _selects_none(number: int) -> str:
    return "does not select the only device" if number == 1 else f"selects none of the {number} devices"


def _asked_for(seen: SeenRequest) -> str:
    if seen.request.every:
        return "and all are asked for"
    asked = f"{seen.wanted} {'is' if seen.wanted == 1 else 'are'} asked for"
    return f"{asked} and {seen.usable} would do" if seen.usable else asked


def _cut(lines: Iterable[str]) -> tuple[str, ...]:
    found = tuple(lines)
    return found if len(found) <= _SHOWN + 1 else (*found[:_SHOWN], f"and {len(found) - _SHOWN} more")
