"""From words of people to selectors: the devices of a node, and the pools behind a class (pure)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from kubectl_dra.errors import ApiError, UsageError
from kubectl_dra.inventory.devices import ClassDevices
from kubectl_dra.inventory.holders import node_of
from kubectl_dra.inventory.pools import PlacedDevice
from kubectl_dra.objects.resource import DeviceTaintSelector, ResourceSlice
from kubectl_dra.objects.snapshot import Snapshot
from kubectl_dra.taint_rules.newest import PoolId, newest_slices

MOST_RULES = 32
"""Rules that one call makes for devices of pools that span nodes."""


class Choice(msgspec.Struct, frozen=True):
    """Selectors, one a rule, and what people should know of the choice."""

    selectors: tuple[DeviceTaintSelector, ...]
    notes: tuple[str, ...] = ()


def of_node(snapshot: Snapshot, name: str, driver: str | None = None, pool: str | None = None) -> Choice:
    """The devices of a node: a rule for each pool that is the node's alone, one for each of its devices in pools that span nodes.

    `driver` and `pool` narrow it. Raises ApiError for a node that is not there, UsageError where nothing is left or too much.
    """
    if snapshot.nodes.known and name not in {each.metadata.name for each in snapshot.nodes}:
        raise ApiError(f'nodes "{name}" not found', code=404, reason="NotFound")
    if not snapshot.resource_slices.known:
        raise UsageError(f"the pools of node {name} are not known: {snapshot.resource_slices.reason}", hint="Name them with --pool.")
    whole: list[DeviceTaintSelector] = []
    parts: list[DeviceTaintSelector] = []
    notes: list[str] = []
    for (its_driver, its_pool), slices in _pools(snapshot, name).items():
        if driver not in (None, its_driver) or pool not in (None, its_pool):
            continue
        if all(each.spec.node_name == name for each in slices):
            whole.append(DeviceTaintSelector(its_driver, its_pool))
            continue
        own, others = _devices_of(slices, name)
        parts += (DeviceTaintSelector(its_driver, its_pool, device) for device in own)
        if others:
            shared = f"{others} of its devices can also be used from other nodes and {'is' if others == 1 else 'are'} left out"
            notes.append(f"pool {its_pool} of {its_driver} spans nodes: {shared} (--pool={its_pool} without --node takes them everywhere)")
    if len(parts) > MOST_RULES:
        raise UsageError(
            f"node {name} has {len(parts)} devices in pools that span nodes: that would be as many rules",
            hint=f"At most {MOST_RULES} are made at once: narrow it with --driver and --pool, or take whole pools without --node.",
        )
    if not whole and not parts:
        narrowed = "" if driver is None and pool is None else " of that driver and pool"
        raise UsageError(f"node {name} has no devices{narrowed} of its own", hint=" ".join(notes) or f"kubectl dra devices --node={name}")
    return Choice((*whole, *parts), tuple(notes))


def _pools(snapshot: Snapshot, node: str) -> Mapping[PoolId, Sequence[ResourceSlice]]:
    """Pools with something of the node in their newest generation; and pools that nobody publishes any more, of its claims."""
    newest = newest_slices(snapshot.resource_slices)
    found: dict[PoolId, Sequence[ResourceSlice]] = {
        pool: slices for pool, slices in sorted(newest.items()) if any(_has_something(each, node) for each in slices)
    }
    for claim in snapshot.resource_claims:
        allocation = claim.status.allocation
        if allocation is None or node_of(claim) != node:
            continue
        for result in allocation.devices.results or ():
            if (result.driver, result.pool) not in newest:
                found.setdefault((result.driver, result.pool), ())
    return found


def _has_something(one: ResourceSlice, node: str) -> bool:
    spec = one.spec
    return spec.node_name == node or bool(spec.per_device_node_selection and any(each.node_name == node for each in spec.devices or ()))


def _devices_of(slices: Iterable[ResourceSlice], node: str) -> tuple[list[str], int]:
    """The names of the pool's devices that this node alone can use, and how many others there are that are not another node's alone."""
    own, shared = [], 0
    for one in slices:
        for device in one.spec.devices or ():
            place = device if one.spec.per_device_node_selection else one.spec
            if place.node_name == node:
                own.append(device.name)
            elif not place.node_name:
                shared += 1
    return own, shared


def refuse_class(snapshot: Snapshot, name: str) -> UsageError:
    """The error of `--class`: what is behind the class, to choose from. The API has had no class selector since 1.35.

    Raises ApiError for a class that is not there.
    """
    device_class = next((each for each in snapshot.device_classes if each.metadata.name == name), None)
    if device_class is None:
        why = snapshot.device_classes.reason or f'deviceclasses.resource.k8s.io "{name}" not found'
        raise ApiError(why, code=404, reason="NotFound")
    selected = ClassDevices(snapshot).everywhere(device_class)
    message = f"rules do not select by class (since 1.35): choose a driver and pool of what class {name} selects"
    if selected is None:
        return UsageError(message, hint="Which devices it selects cannot be told here: kubectl dra devices --class " + name)
    if not selected:
        return UsageError(message, hint=f"Class {name} selects no device now.")
    return UsageError(message, hint="; ".join(_lines(selected)))


def _lines(selected: Iterable[PlacedDevice]) -> Iterator[str]:
    pools: dict[PoolId, int] = defaultdict(int)
    for placed in selected:
        pools[placed.driver, placed.pool] += 1
    shown = sorted(pools.items())
    for (driver, pool), count in shown[:MOST_RULES]:
        yield f"--driver={driver} --pool={pool} ({count} {'device' if count == 1 else 'devices'})"
    if len(shown) > MOST_RULES:
        yield f"and {len(shown) - MOST_RULES} more pools"
