"""Pools of which nothing is given out, and whether a class would have devices of them."""

from collections.abc import Iterator, Mapping
from functools import cached_property

from kubectl_dra.allocation.claims import Request
from kubectl_dra.allocation.pools import Candidate, PoolId
from kubectl_dra.allocation.reasons import PoolReason
from kubectl_dra.explanation.document import Reason
from kubectl_dra.inventory.selection import driver_terms
from kubectl_dra.objects.resource import ResourceSlice
from kubectl_dra.objects.snapshot import Snapshot


class UnreadyPools:
    """The slices of a cluster by pool; of each the newest generation."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Take the reading."""
        self._snapshot = snapshot
        self._concerns: dict[tuple[PoolId, str], bool] = {}

    @cached_property
    def _newest(self) -> Mapping[PoolId, list[ResourceSlice]]:
        found: dict[PoolId, list[ResourceSlice]] = {}
        for each in self._snapshot.resource_slices:
            pool = (each.spec.driver, each.spec.pool.name)
            known = found.setdefault(pool, [each])
            if each.spec.pool.generation > known[0].spec.pool.generation:
                found[pool] = [each]
            elif known[0] is not each and each.spec.pool.generation == known[0].spec.pool.generation:
                known.append(each)
        return found

    def concerns(self, pool: PoolReason, request: Request) -> bool:
        """Whether the request's class selects a device that the pool publishes; of a pool without devices, whether it may."""
        key = ((pool.driver, pool.pool), request.device_class.metadata.name)
        found = self._concerns.get(key)
        if found is None:
            found = self._concerns[key] = self._judged(key[0], request)
        return found

    def _judged(self, pool: PoolId, request: Request) -> bool:
        slices = self._newest.get(pool, [])
        candidates = [Candidate(one, device) for one in slices for device in one.spec.devices or ()]
        if not candidates:
            return driver_terms(request.device_class).may_select(pool[0])
        return any(
            all(judge is not None and judge.answer(candidate).matches is not False for judge in request.class_judges)
            for candidate in candidates
        )

    def reason(self, pool: PoolReason) -> Reason:
        """What is wrong with the pool."""
        name = f"pool {pool.pool} of {pool.driver}"
        if not pool.incomplete:
            return Reason("invalid-pool", f"{name} is not valid, so nothing of it is given out", pool.driver, detail=(pool.why,))
        return Reason(
            "incomplete-pool", f"{name} is not complete, so nothing of it is given out", pool.driver, detail=tuple(self._missing(pool))
        )

    def _missing(self, pool: PoolReason) -> Iterator[str]:
        slices = self._newest.get((pool.driver, pool.pool), [])
        if slices:
            newest = slices[0].spec.pool
            yield f"{len(slices)} of {newest.resource_slice_count} slices of its generation {newest.generation} are there"
        yield f"the driver {pool.driver} publishes them: is it at work, and done?"
