"""The search: depth first through claims, requests, alternatives and devices; the first full solution wins.

Rules: incubating/allocator_incubating.go (allocateOne, allocateDevice). Every call of upstream's recursion is a step here, on a stack of
our own: a pod may have more claims than Python's stack has room for.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from kubectl_dra.allocation.amounts import Nano
from kubectl_dra.allocation.capacity import Amounts
from kubectl_dra.allocation.claims import MOST_DEVICES, PreparedClaim, Request
from kubectl_dra.allocation.constraints import Constraint
from kubectl_dra.allocation.counters import CompatibilityGroups, Consumed, Groups
from kubectl_dra.allocation.failure import AllocationError, FailureKind, fatal, undecided
from kubectl_dra.allocation.on_node import OnNode
from kubectl_dra.allocation.pools import Candidate


class End(Enum):
    """How a step ended."""

    DONE = "everything is allocated"
    NO = "nothing fits"
    EXCEEDED = "the claim would have too many devices"


Step = Generator["Step", End, End]
Location = tuple[int, int, int, int]
"""The numbers of the claim, of its request, of the alternative and of the device."""
NO_LIMIT: Final = 0


@dataclass(slots=True, eq=False)
class Chosen:
    """A device chosen for a request. `amounts` is what a share takes; null for a device that is given whole."""

    request: Request
    candidate: Candidate
    amounts: Amounts | None
    counted: bool = False
    """Its counters are taken."""
    groups: dict[str, Groups] | None = None
    """The compatibility groups before it was chosen, if they count."""


class Search:
    """One attempt to allocate all claims on one node."""

    def __init__(
        self,
        on_node: OnNode,
        claims: Sequence[PreparedClaim],
        everything: Mapping[Request, Sequence[Candidate]],
        constraints: Sequence[Sequence[Constraint]],
        *,
        expired: Callable[[], bool],
        most_steps: int = NO_LIMIT,
    ) -> None:
        """Take what was checked before: the devices of each request in mode All, and the constraints of each claim.

        `expired` tells that the time is over. After `most_steps` steps (0: no limit) the answer is undecided.
        """
        self._node = on_node
        self._claims = claims
        self._everything = everything
        self._constraints = constraints
        self._expired = expired
        self._most_steps = most_steps
        self._allocating: dict[tuple[str, str, str], list[int]] = {}
        self._shares: dict[tuple[str, str, str], int] = {}
        self._share_amounts: dict[tuple[str, str, str], dict[str, Nano]] = {}
        self._consumed = Consumed(on_node.available)
        self._groups = CompatibilityGroups(on_node.available)
        self.steps = 0
        self.chosen: list[list[Chosen]] = [[] for _ in claims]
        self.selected: dict[tuple[int, int], int] = {}
        """Which alternative was taken, by claim and request."""

    def run(self) -> bool:
        """Whether there is a solution, which is then in `chosen` and `selected`. Raises AllocationError."""
        stack = [self._begin((0, 0, 0, 0))]
        ended: End | None = None
        while True:
            try:
                stack.append(next(stack[-1]) if ended is None else stack[-1].send(ended))
                ended = None
            except StopIteration as stop:
                stack.pop()
                ended = stop.value
                if not stack:
                    return self._over(ended)

    def _over(self, ended: End | None) -> bool:
        """Upstream turns too many devices into a plain no where a claim begins that is not the first; of the first it is an error."""
        if ended is End.EXCEEDED:
            raise fatal("allocation max size exceeded")
        return ended is End.DONE

    def _begin(self, at: Location, *, alternative: bool = False, start: int = 0) -> Step:
        self.steps += 1
        if self._expired():
            raise AllocationError(FailureKind.TIMEOUT, "filter operation aborted: context deadline exceeded")
        if self._most_steps and self.steps > self._most_steps:
            raise undecided(f"not decided within {self._most_steps} steps")
        return self._step(at, alternative=alternative, start=start)

    def _step(self, at: Location, *, alternative: bool, start: int) -> Step:
        claim_number, request_number, alternative_number, _ = at
        if claim_number >= len(self._claims):
            return End.DONE
        choices = self._claims[claim_number].choices
        if request_number >= len(choices):
            ended = yield self._begin((claim_number + 1, 0, 0, 0))
            # another choice in an earlier claim may still help this one
            return End.NO if ended is End.EXCEEDED else ended
        choice = choices[request_number]
        if choice.first_available and not alternative:
            return (yield from self._alternatives(claim_number, request_number, len(choice.alternatives)))
        request = choice.alternatives[alternative_number]
        if isinstance(request, AllocationError):
            raise request
        return (yield from self._request(at, request, alternative=alternative, start=start))

    def _request(self, at: Location, request: Request, *, alternative: bool, start: int) -> Step:
        """The next device of the request, or what comes after the request."""
        claim, number, alternative_number, device = at
        every = self._everything[request] if request.every else None
        if every is not None and not every:
            return End.NO
        wanted = request.count if every is None else len(every)
        if device >= wanted:
            return (yield self._begin((claim, number + 1, 0, 0)))
        if wanted - device > MOST_DEVICES - len(self.chosen[claim]):
            return End.EXCEEDED
        onward = (claim, number, alternative_number, device + 1)
        if every is None:
            return (yield from self._devices(onward, request, alternative=alternative, start=start))
        if not self._take(claim, request, every[device], must=True):
            return End.NO
        ended = yield self._begin(onward, alternative=alternative)
        if ended is not End.DONE:
            self._give_back(claim)
        return ended

    def _alternatives(self, claim: int, request: int, count: int) -> Step:
        """The first alternative that leads to a solution of all the rest."""
        exceeded = True
        for number in range(count):
            ended = yield self._begin((claim, request, number, 0), alternative=True)
            if ended is End.DONE:
                self.selected[claim, request] = number
                return ended
            exceeded = exceeded and ended is End.EXCEEDED
        return End.EXCEEDED if exceeded else End.NO

    def _devices(self, onward: Location, request: Request, *, alternative: bool, start: int) -> Step:
        """One device after the other; a request's further devices are looked for behind it, so that combinations come once."""
        claim, node = onward[0], self._node
        candidates, in_use, allocating = node.candidates, node.state.devices, self._allocating
        for place in range(start, len(candidates)):
            candidate = candidates[place]
            if request.admin:
                if claim in allocating.get(candidate.id, ()):
                    continue
            elif candidate.id in in_use or allocating.get(candidate.id):
                continue
            if not node.selectable(claim, request, candidate) or not self._take(claim, request, candidate):
                continue
            ended = yield self._begin(onward, alternative=alternative, start=place + 1 if node.combinations else 0)
            if ended is End.DONE:
                return ended
            self._give_back(claim)
            if ended is End.EXCEEDED:
                return ended
        return End.NO

    def _take(self, claim: int, request: Request, candidate: Candidate, *, must: bool = False) -> bool:
        """Choose the device if it can be had. With `must` a constraint that refuses it is an error. Raises AllocationError."""
        node, features = self._node, self._node.features
        sharing = features.consumable_capacity and bool(candidate.device.allow_multiple_allocations)
        if must and not self._free(claim, request, candidate, sharing=sharing):
            return False
        amounts = node.amounts(claim, request, candidate) if features.consumable_capacity else None
        if amounts is not None and not must and not self._enough(amounts, candidate):
            return False
        if not node.operable(candidate) or (candidate.consumes and not features.partitionable_devices):
            return False
        chosen = Chosen(request, candidate, amounts if sharing else None)
        if candidate.consumes and not (sharing and self._shared(candidate)) and not self._take_counters(chosen):
            return False
        if (candidate.device.taints and node.tainted(request, candidate) is not None) or not self._constrained(claim, chosen, must=must):
            self._undo_counters(chosen)
            return False
        if amounts is not None and must and not self._enough(amounts, candidate):
            self._undo(claim, chosen)
            return False
        self._keep(claim, chosen)
        return True

    def _take_counters(self, chosen: Chosen) -> bool:
        """Take what the device needs of its counter sets, if its compatibility groups go together with the others'."""
        pool = self._node.pools.by_id[chosen.candidate.pool]
        if self._node.features.compatibility_groups:
            chosen.groups = self._groups.take(pool, chosen.candidate)
            if chosen.groups is None:
                return False
        chosen.counted = self._consumed.take(pool, chosen.candidate)
        if not chosen.counted:
            self._undo_counters(chosen)
        return chosen.counted

    def _constrained(self, claim: int, chosen: Chosen, *, must: bool) -> bool:
        """Whether all constraints of the claim take the device; if one does not, none has it."""
        constraints = self._constraints[claim]
        for number, constraint in enumerate(constraints):
            if constraint.add(chosen.request, chosen.candidate):
                continue
            for earlier in constraints[:number]:
                earlier.remove(chosen.request)
            if must:
                where = f"claim {self._claims[claim].name}, request {chosen.request.name}"
                raise fatal(f"{where}: cannot add device {chosen.candidate} because a claim constraint would not be satisfied")
            return False
        return True

    def _free(self, claim: int, request: Request, candidate: Candidate, *, sharing: bool) -> bool:
        """Whether nobody has the device whole; administrators only must not have it twice in a claim."""
        holders = self._allocating.get(candidate.id, ())
        if request.admin:
            return sharing or claim not in holders
        return not holders and candidate.id not in self._node.state.devices

    def _enough(self, amounts: Amounts, candidate: Candidate) -> bool:
        return amounts.fits(self._node.state.capacity.get(candidate.id), self._share_amounts.get(candidate.id))

    def _shared(self, candidate: Candidate) -> bool:
        """Whether the device has shares already: its counters are taken then."""
        return self._node.state.in_shares(candidate.id) or self._shares.get(candidate.id, 0) > 0

    def _keep(self, claim: int, chosen: Chosen) -> None:
        device = chosen.candidate.id
        if chosen.amounts is None:
            self._allocating.setdefault(device, []).append(claim)
        else:
            self._share(device, chosen.amounts, 1)
        self.chosen[claim].append(chosen)

    def _share(self, device: tuple[str, str, str], amounts: Amounts, sign: int) -> None:
        self._shares[device] = self._shares.get(device, 0) + sign
        taken = self._share_amounts.setdefault(device, {})
        for each in amounts.amounts:
            taken[each.name] = taken.get(each.name, 0) + sign * each.nano

    def _give_back(self, claim: int) -> None:
        chosen = self.chosen[claim].pop()
        device = chosen.candidate.id
        if chosen.amounts is None:
            self._allocating[device].remove(claim)
        else:
            self._share(device, chosen.amounts, -1)
        self._undo(claim, chosen)

    def _undo(self, claim: int, chosen: Chosen) -> None:
        """Take back what constraints and counters know of the device."""
        for constraint in self._constraints[claim]:
            constraint.remove(chosen.request)
        self._undo_counters(chosen)

    def _undo_counters(self, chosen: Chosen) -> None:
        if chosen.groups is None and not chosen.counted:
            return
        pool = self._node.pools.by_id[chosen.candidate.pool]
        if chosen.groups is not None:
            self._groups.restore(pool, chosen.groups)
        if chosen.counted:
            self._consumed.give_back(pool, chosen.candidate)
