"""Which parts of a device an expression reads, and devices that are alike in them: they are judged once.

Fleets have thousands of devices that differ in serial number and bus address only, which selectors do not read.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from kubectl_dra.allocation.cel.syntax import Call, Ident, Literal, Node, Select, children
from kubectl_dra.objects.resource import Device, DeviceAttribute, DeviceCapacity
from kubectl_dra.objects.semver import Semver, SemverError

_MAPS = ("attributes", "capacity")
_INDEX = ("_[_]", "_[?_]")
_SELECT = "_?._"


@dataclass(frozen=True)
class Reads:
    """What an expression reads: attributes and capacities by domain and name; null when it may read any of them."""

    attributes: frozenset[tuple[str, str]] | None = frozenset()
    capacity: frozenset[tuple[str, str]] | None = frozenset()


def reads(tree: Node) -> Reads:
    """What the expression reads of a device at most."""
    found: dict[str, set[tuple[str, str]] | None] = {"attributes": set(), "capacity": set()}
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        path = _path(node)
        if path is None:
            waiting += children(node)
            continue
        match path:
            case (("attributes" | "capacity") as what, domain, name, *_):
                entries = found[what]
                if entries is not None:
                    entries.add((domain, name))
            case ("driver" | "allowMultipleAllocations", *_):
                pass
            case _:  # the whole device, a map or a domain
                found.update(dict.fromkeys(_MAPS if not path else path[:1]))
    attributes, capacity = (None if entries is None else frozenset(entries) for entries in (found["attributes"], found["capacity"]))
    return Reads(attributes, capacity)


def _path(node: Node) -> list[str] | None:
    """`device.a["b"].c` as `a`, `b`, `c`; None for what does not begin with `device` or has other than constant texts as keys."""
    match node:
        case Ident(name="device" | ".device"):
            return []
        case Select(operand=operand, field=key):
            pass
        case Call(function=function, arguments=[operand, Literal(value=str() as key)]) if function in (*_INDEX, _SELECT):
            pass
        case _:
            return None
    above = _path(operand)
    return None if above is None else [*above, key]


def shape(wanted: Reads, driver: str, device: Device) -> Hashable | None:
    """Two devices with the same shape get the same answer. None: this device is like no other."""
    attributes = device.attributes or {}
    if not all(map(_usable, attributes.values())):
        return None  # every expression fails on it, with a text that depends on the attributes
    return (
        driver,
        bool(device.allow_multiple_allocations),
        _read(attributes, wanted.attributes, driver),
        _read(device.capacity or {}, wanted.capacity, driver),
    )


def _read(
    have: Mapping[str, DeviceAttribute] | Mapping[str, DeviceCapacity], wanted: frozenset[tuple[str, str]] | None, driver: str
) -> Hashable:
    if not have:
        return None
    if wanted is None:
        return frozenset((name, _value(value)) for name, value in have.items())
    found: list[Hashable] = []
    for domain, name in wanted:
        keys = (f"{domain}/{name}", name) if domain == driver else (f"{domain}/{name}",)
        found.append(tuple(_value(have[key]) if key in have else None for key in keys))
    return tuple(found)


def _value(value: DeviceAttribute | DeviceCapacity) -> Hashable:
    """Capacities are told apart by how they are written, too."""
    return value if isinstance(value, DeviceAttribute) else (type(value.value), value.value)


def _usable(attribute: DeviceAttribute) -> bool:
    if attribute.version is None and attribute.versions is None:
        return attribute != _NOTHING
    return all(map(_is_version, (*(attribute.versions or ()), *(() if attribute.version is None else (attribute.version,)))))


_NOTHING = DeviceAttribute()


@lru_cache(maxsize=4096)
def _is_version(text: str) -> bool:
    try:
        Semver.parse(text)
    except SemverError:
        return False
    return True
