"""Slices with the taints of rules, as plain values: what the scheduler's tracker shows, written as upstream writes it."""

from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import cast

from kubectl_dra.allocation.amounts import quantity
from kubectl_dra.allocation.device_taints import selects
from kubectl_dra.objects.meta import timestamp
from kubectl_dra.objects.resource import DeviceTaintRule
from kubectl_dra.objects.shape import QuantityText

Plain = dict[str, object]
_AMOUNTS = frozenset({"value", "default", "min", "max", "step"})
_KEPT_EMPTY = frozenset({"driver", "name", "generation", "resourceSliceCount", "key", "effect", "counterSet", "nodeSelectorTerms"})
_POINTERS = frozenset({"nodeName", "string", "version"})


def patched(slices: Sequence[Plain], rules: Sequence[DeviceTaintRule]) -> list[Plain]:
    """The slices with the taints of the rules. Raises AllocationError."""
    return [_patched(each, rules) for each in slices]


def _patched(one: Plain, rules: Sequence[DeviceTaintRule]) -> Plain:
    written = cast(Plain, _written("", one))
    written.setdefault("metadata", {})
    spec = cast(Plain, written.setdefault("spec", {}))
    pool = cast(Plain, spec.setdefault("pool", {}))
    spec.setdefault("driver", "")
    for key, empty in (("name", ""), ("generation", 0), ("resourceSliceCount", 0)):
        pool.setdefault(key, empty)
    for device in cast(list[Plain], spec.get("devices", [])):
        device.setdefault("name", "")
        place = str(spec["driver"]), str(pool["name"]), str(device["name"])
        taints = [_taint(rule) for rule in rules if selects(rule.spec.device_selector, *place)]
        if taints:
            device["taints"] = [*cast(list[Plain], device.get("taints", [])), *taints]
    return written


def _taint(rule: DeviceTaintRule) -> Plain:
    taint = rule.spec.taint
    found: Plain = {"key": taint.key, "effect": taint.effect}
    if taint.value:
        found["value"] = taint.value
    if taint.time_added:
        found["timeAdded"] = _moment(taint.time_added)
    return found


def _moment(text: str) -> str:
    """In whole seconds of UTC."""
    moment = timestamp(text)
    return text if moment is None else moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _written(key: str, value: object) -> object:
    """Without what is empty; quantities in their canonical form."""
    match value:
        case {"key": _, "effect": _}:
            return _taint_written(cast(Plain, value))
        case dict():
            return {name: item for name, item in ((name, _member(name, item)) for name, item in value.items()) if _shown(name, item)}
        case list() if key == "validValues":
            return [_amount(item) for item in value]
        case list():
            return [_written("", item) for item in value]
        case _:
            return value


def _member(name: str, item: object) -> object:
    return _amount(item) if name in _AMOUNTS and not isinstance(item, dict | bool) and item is not None else _written(name, item)


def _amount(item: object) -> object:
    return str(quantity(cast(QuantityText, item)))


def _shown(name: str, item: object) -> bool:
    if item is None:
        return False
    if isinstance(item, bool | int | float) or name in _KEPT_EMPTY or name in _POINTERS:
        return True
    return bool(item)


def _taint_written(taint: Mapping[str, object]) -> Plain:
    found: Plain = {"key": taint["key"] or "", "effect": taint["effect"] or ""}
    if taint.get("value"):
        found["value"] = taint["value"]
    if taint.get("timeAdded"):
        found["timeAdded"] = _moment(str(taint["timeAdded"]))
    return found
