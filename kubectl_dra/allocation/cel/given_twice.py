"""Attributes and capacities that a device has under two names: `x` and `<driver>/x` are the same for expressions, and upstream takes
one of the two at random (dynamic-resource-allocation: cel/compile.go, DeviceMatches)."""

from collections.abc import Collection, Iterator
from itertools import product

from msgspec.structs import replace

from kubectl_dra.objects.resource import Device

MOST = 4
"""With more names than these nobody looks at all the possibilities."""


def names_given_twice(driver: str, device: Device) -> tuple[list[str], list[str]]:
    """The short names of attributes and of capacities that are there with the driver's domain, too."""
    return _twice(driver, device.attributes or ()), _twice(driver, device.capacity or ())


def _twice(driver: str, names: Collection[str]) -> list[str]:
    return [name for name in names if "/" not in name and f"{driver}/{name}" in names]


def possibilities(driver: str, device: Device, attributes: list[str], capacity: list[str]) -> Iterator[Device]:
    """What the device may look like to an expression: of each pair of names one is left out."""
    for dropped in product(*((name, f"{driver}/{name}") for name in attributes)):
        for dropped_capacity in product(*((name, f"{driver}/{name}") for name in capacity)):
            yield replace(
                device,
                attributes={name: value for name, value in (device.attributes or {}).items() if name not in dropped},
                capacity={name: value for name, value in (device.capacity or {}).items() if name not in dropped_capacity},
            )
