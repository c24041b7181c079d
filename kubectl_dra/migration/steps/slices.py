"""The driver publishes as many devices as there were."""

from kubectl_dra.inventory.devices import ClassDevices
from kubectl_dra.migration.document import MovedResource
from kubectl_dra.migration.move import Move
from kubectl_dra.migration.steps.plug import seen_slices
from kubectl_dra.migration.steps.work import Work
from kubectl_dra.migration.steps.zero import refuse_returned
from kubectl_dra.migration.target import slices_of
from kubectl_dra.objects.resource import ResourceSlice


class Slices(Work):
    """Complete, of the newest generation, of a driver that lives, and enough. Only looks."""

    def wait(self, move: Move) -> str:
        """Until all of it is so. A dead driver's slices stay for 30 s, so that unchanged ones must outlive that."""
        last = seen_slices(move)
        since = move.clock.monotonic()

        def look() -> str:
            nonlocal last, since
            if not move.options.verify:
                refuse_returned(move)
            published = move.reach.slices_on(move.name)
            lacking = _lacking(move, published)
            now = seen_slices(move)
            if now != last:
                last, since = now, move.clock.monotonic()
            if lacking or _is_new(move, now):
                return lacking
            rest = move.timing.slices_unchanged - (move.clock.monotonic() - since)
            return f"the slices may be a dead driver's; they have to stay for {rest:.0f} s more" if rest > 0 else ""

        move.until(look, hint="restart the driver's pod on this node and see its log; a slice that was deleted is not always made again")
        count = sum(len(each.spec.devices or ()) for each in slices_of(move.reach.slices_on(move.name), move.name, move.target.drivers))
        return f"{count} device{'s are' if count != 1 else ' is'} published by {', '.join(move.target.drivers)}"


def _is_new(move: Move, now: frozenset[tuple[str | None, str | None]]) -> bool:
    """Whether all were made or changed since the driver came; where this run did not see that moment, nobody knows."""
    return move.notes.slices is not None and not (now & move.notes.slices)


def _lacking(move: Move, published: tuple[ResourceSlice, ...]) -> str:
    """What is missing of the devices; empty for nothing."""
    ours = slices_of(published, move.name, move.target.drivers)
    if not ours:
        return f"no slice of {', '.join(move.target.drivers) or 'a driver'} is published for this node yet"
    snapshot = move.fresh(resource_slices=published, device_classes=move.reach.classes())
    devices = ClassDevices(snapshot)
    for pool in devices.pools.unusable:
        if pool.driver in move.target.drivers and move.name in pool.nodes:
            return f"pool {pool.pool} of {pool.driver}: {pool.why}"
    for each in move.target.moving:
        told = _too_few(move, devices, each)
        if told:
            return told
    return ""


def _too_few(move: Move, devices: ClassDevices, each: MovedResource) -> str:
    device_class = next((one for one in move.reach.classes() if one.metadata.name == each.device_class), None)
    if device_class is None:
        return f"there is no class {each.device_class}" if each.device_class else ""
    selected = devices.on_node(device_class, move.node())
    if selected is None:
        return ""  # which devices it selects cannot be told here; the canary will
    here = [placed for placed in selected if placed.driver in move.target.drivers]
    if len(here) < each.devices:
        published = sum(1 for placed in devices.pools.devices_on(move.node()) if placed.driver in move.target.drivers)
        return f"class {each.device_class} selects {len(here)} of the {published} devices here; there were {each.devices} of {each.name}"
    return ""
