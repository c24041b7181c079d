"""Shared counters: what partitions of devices have left of them, and which groups of partitions go together.

Rules: incubating/allocator_incubating.go (checkAvailableCounters), experimental/compatibility_groups.go.
"""

from collections.abc import Iterator
from typing import NamedTuple

from kubectl_dra.allocation.allocated import AllocatedState
from kubectl_dra.allocation.amounts import Nano
from kubectl_dra.allocation.pools import Candidate, Counters, Pool, PoolId


class Groups(NamedTuple):
    """The compatibility groups that all devices of a counter set have in common, or that none of them has any (`without`)."""

    without: bool
    common: frozenset[str]


class Available:
    """What claims leave of each pool's counters. Upstream works a pool out once, as the first node that needs it sees it."""

    def __init__(self, state: AllocatedState) -> None:
        """Take what is in use."""
        self._state = state
        self._counters: dict[PoolId, Counters] = {}
        self._groups: dict[PoolId, dict[str, Groups]] = {}

    def counters(self, pool: Pool) -> Counters:
        """What is left; below zero when too much was given away."""
        found = self._counters.get(pool.id)
        if found is None:
            left = dict(pool.counters)
            for candidate in self._holding(pool):
                for name, amounts, _ in candidate.consumes:
                    for counter, amount in amounts.items():
                        if (name, counter) in left:
                            left[name, counter] -= amount
            found = self._counters[pool.id] = left
        return found

    def groups(self, pool: Pool) -> dict[str, Groups]:
        """By counter set the groups of the devices in use."""
        found = self._groups.get(pool.id)
        if found is None:
            found = {}
            for candidate in self._holding(pool):
                for name, _, groups in candidate.consumes:
                    found[name] = joined(found.get(name), groups)
            self._groups[pool.id] = found
        return found

    def _holding(self, pool: Pool) -> Iterator[Candidate]:
        return (candidate for candidate in (*pool.candidates, *pool.others) if candidate.consumes and self._state.holds(candidate.id))


class Consumed:
    """What the devices chosen so far take of the counters."""

    def __init__(self, available: Available) -> None:
        """Begin with nothing."""
        self._available = available
        self._taken: dict[PoolId, dict[tuple[str, str], Nano]] = {}

    def take(self, pool: Pool, candidate: Candidate) -> bool:
        """Take what the device needs, if after that no counter of the pool is overdrawn, be it the device's own or another."""
        taken = self._taken.setdefault(pool.id, {})
        _add(taken, candidate, 1)
        if self.short(pool) is None:
            return True
        _add(taken, candidate, -1)
        return False

    def give_back(self, pool: Pool, candidate: Candidate) -> None:
        """Undo `take`."""
        _add(self._taken[pool.id], candidate, -1)

    def short_with(self, pool: Pool, candidate: Candidate) -> tuple[str, str] | None:
        """The first counter that would be overdrawn with the device."""
        taken = self._taken.setdefault(pool.id, {})
        _add(taken, candidate, 1)
        found = self.short(pool)
        _add(taken, candidate, -1)
        return found

    def short(self, pool: Pool) -> tuple[str, str] | None:
        """The first counter that is overdrawn: its set's and its own name."""
        taken = self._taken.get(pool.id, {})
        return next((key for key, left in self._available.counters(pool).items() if left < taken.get(key, 0)), None)


def _add(taken: dict[tuple[str, str], Nano], candidate: Candidate, sign: int) -> None:
    for name, amounts, _ in candidate.consumes:
        for counter, amount in amounts.items():
            taken[name, counter] = taken.get((name, counter), 0) + sign * amount


class CompatibilityGroups:
    """The groups of the devices in use and chosen, by counter set (DRADeviceCompatibilityGroups)."""

    def __init__(self, available: Available) -> None:
        """Begin with the devices in use."""
        self._available = available
        self._running: dict[PoolId, dict[str, Groups]] = {}

    def take(self, pool: Pool, candidate: Candidate) -> dict[str, Groups] | None:
        """Add the device if it goes together with all others; gives what `restore` needs, or None."""
        before = self._running.get(pool.id)
        if before is None:
            before = self._available.groups(pool)
        after = dict(before)
        for name, _, groups in candidate.consumes:
            if not admits(after.get(name), groups):
                return None
            after[name] = joined(after.get(name), groups)
        self._running[pool.id] = after
        return before

    def restore(self, pool: Pool, before: dict[str, Groups]) -> None:
        """Undo `take`."""
        self._running[pool.id] = before


def admits(have: Groups | None, groups: frozenset[str]) -> bool:
    """Whether a device with these groups goes together with what is there; one without groups only with its like."""
    if have is None:
        return True
    if have.without or not groups:
        return have.without and not groups
    return bool(have.common & groups)


def joined(have: Groups | None, groups: frozenset[str]) -> Groups:
    """What is common after one more device."""
    if have is None:
        return Groups(not groups, groups)
    return have if have.without or not groups else Groups(without=False, common=have.common & groups)
