"""Whether the pools of a rule stand still: on 1.37.0 to 1.37.2 a rule that meets a growing slice can crash the scheduler.

Source: kubernetes/kubernetes#143378 (k8s.io/dynamic-resource-allocation resourceslice/tracker/tracker.go).
"""

from collections.abc import Iterable
from datetime import datetime

import msgspec

from kubectl_dra.cluster.transport import Transport
from kubectl_dra.environment import Clock
from kubectl_dra.errors import TimedOutError
from kubectl_dra.eviction.polling import Polling
from kubectl_dra.objects.meta import timestamp
from kubectl_dra.objects.resource import DeviceTaintRule, ResourceSliceSpec
from kubectl_dra.objects.shape import Object

STILL = 30.0
"""Seconds for which no selected slice may have changed."""


class _ManagedFields(Object, frozen=True):
    time: str | None = None


class _Meta(Object, frozen=True):
    name: str = ""
    creation_timestamp: str | None = None
    managed_fields: tuple[_ManagedFields, ...] | None = None


class _Slice(Object, frozen=True):
    metadata: _Meta = _Meta()
    spec: ResourceSliceSpec = ResourceSliceSpec()


class _ListMeta(Object, frozen=True):
    continue_: str | None = msgspec.field(default=None, name="continue")


class _Slices(Object, frozen=True):
    metadata: _ListMeta = _ListMeta()
    items: tuple[_Slice, ...] | None = None


class Pools:
    """The pools that rules select, looked at by what the server notes of each change (managedFields)."""

    def __init__(self, transport: Transport, api_version: str, rules: Iterable[DeviceTaintRule], clock: Clock) -> None:
        """`api_version` is that of the slices."""
        self._transport = transport
        self._path = f"/apis/{api_version}/resourceslices"
        self._selectors = [rule.spec.device_selector for rule in rules if rule.spec.device_selector is not None]
        self._clock = clock

    def disquiet(self) -> str:
        """What keeps a rule from being written now; empty when all selected pools are complete and unchanged for `STILL` seconds."""
        pools: dict[tuple[str, str], list[_Slice]] = {}
        for each in self._slices():
            if any(s.driver in (None, each.spec.driver) and s.pool in (None, each.spec.pool.name) for s in self._selectors):
                pools.setdefault((each.spec.driver, each.spec.pool.name), []).append(each)
        now = self._clock.now()
        return next((why for pool, slices in sorted(pools.items()) if (why := _why(pool, slices, now))), "")

    def wait(self, polling: Polling) -> str:
        """Wait until they are quiet; what still keeps a rule from being written when the time is over."""
        try:
            polling.until(self.disquiet)
        except TimedOutError as error:
            return error.message
        return ""

    def _slices(self) -> Iterable[_Slice]:
        query = {"limit": "500"}
        while True:
            page = msgspec.json.decode(self._transport.get(self._path, query), type=_Slices)
            yield from page.items or ()
            if not page.metadata.continue_:
                return
            query = {"limit": "500", "continue": page.metadata.continue_}


def _why(pool: tuple[str, str], slices: list[_Slice], now: datetime) -> str:
    newest = max(each.spec.pool.generation for each in slices)
    current = [each for each in slices if each.spec.pool.generation == newest]
    wanted = current[0].spec.pool.resource_slice_count
    if len(current) != wanted or len(current) != len(slices):
        return f"pool {pool[1]} of {pool[0]} has {len(current)} of its {wanted} slices"
    changed = max((moment for each in slices for moment in _changes(each)), default=None)
    age = STILL if changed is None else (now - changed).total_seconds()
    return f"pool {pool[1]} of {pool[0]} changed {max(age, 0):.0f}s ago, and is to stand still for {STILL:.0f}s" if age < STILL else ""


def _changes(one: _Slice) -> Iterable[datetime]:
    texts = (one.metadata.creation_timestamp, *(each.time for each in one.metadata.managed_fields or ()))
    return [moment for text in texts if (moment := timestamp(text)) is not None]
