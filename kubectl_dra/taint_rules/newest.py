"""Slices of the newest generation of each pool, as the eviction controller counts devices: whether the pool is complete does not matter.

Source: kubernetes pkg/controller/devicetainteviction/device_taint_eviction.go (countTaintedDevices, getDevice).
"""

from collections.abc import Iterable, Mapping

from kubectl_dra.objects.resource import ResourceSlice

PoolId = tuple[str, str]
"""Driver and pool."""


def newest_slices(slices: Iterable[ResourceSlice]) -> Mapping[PoolId, tuple[ResourceSlice, ...]]:
    """By pool, in the order of the list."""
    found: dict[PoolId, list[ResourceSlice]] = {}
    for each in slices:
        kept = found.setdefault((each.spec.driver, each.spec.pool.name), [])
        generation = each.spec.pool.generation
        if kept and kept[0].spec.pool.generation > generation:
            continue
        if kept and kept[0].spec.pool.generation < generation:
            kept.clear()
        kept.append(each)
    return {pool: tuple(kept) for pool, kept in found.items()}
