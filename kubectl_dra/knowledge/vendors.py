"""Known vendors' names, drivers, classes and pods (`vendors.toml`)."""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from kubectl_dra.objects.pod import Pod


class VendorResource(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An extended resource (`name` may be a glob) and the driver and classes that serve the same devices.

    `maps` is the name that the vendor's chart gives to its class where it is another one; `blocked` says why pods cannot move.
    """

    name: str
    driver: str = ""
    classes: tuple[str, ...] = ()
    maps: str = ""
    blocked: str = ""
    note: str = ""


class PodPattern(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Marks of a vendor's pod: everything that is given must fit. Name, namespaces and image are globs."""

    labels: Mapping[str, str] = {}
    name: str = ""
    namespaces: tuple[str, ...] = ()
    image: str = ""

    def fits(self, pod: Pod) -> bool:
        """Whether `pod` has all the marks. An image that a snapshot left out fits nothing."""
        meta = pod.metadata
        labels = meta.labels or {}
        return (
            all(labels.get(key) == value for key, value in self.labels.items())
            and (not self.name or fnmatchcase(meta.name, self.name))
            and (not self.namespaces or any(fnmatchcase(meta.namespace or "", each) for each in self.namespaces))
            and (not self.image or any(each.image and fnmatchcase(each.image, self.image) for each in pod.spec.containers or ()))
        )


class PluginSwitch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The node label by which a vendor's device plugin is turned off."""

    label: str
    off: str
    on: str
    note: str = ""


class NodeLabel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A node label of the plugin's side: `key` is a glob, `by` who makes it (empty: it stays when the plugin goes).

    `pins` when its values name a version of the driver.
    """

    key: str
    by: str
    pins: bool = False


class Vendor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that is known of one vendor."""

    name: str
    source: tuple[str, ...]
    drivers: tuple[str, ...] = ()
    resources: tuple[VendorResource, ...] = ()
    plugin: tuple[PodPattern, ...] = ()
    driver: tuple[PodPattern, ...] = ()
    variables: tuple[str, ...] = ()
    gives: tuple[str, ...] = ()
    nothing: str = ""
    own: tuple[PodPattern, ...] = ()
    operators: tuple[str, ...] = ()
    labels: tuple[NodeLabel, ...] = ()
    renames: bool = False
    switch: PluginSwitch | None = None


class LeaveAlone(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Names that nobody will move to DRA, and why."""

    name: str
    why: str
    source: str


class _Table(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    vendors: tuple[Vendor, ...]
    leave_alone: tuple[LeaveAlone, ...]


@cache
def _table() -> _Table:
    return msgspec.toml.decode(Path(__file__).with_name("vendors.toml").read_bytes(), type=_Table)


def vendors() -> tuple[Vendor, ...]:
    """All known vendors."""
    return _table().vendors


@cache
def resource(name: str) -> VendorResource | None:
    """What is known of an extended resource; None for names of nobody known. A literal name goes before a glob."""
    found = [each for vendor in vendors() for each in vendor.resources if fnmatchcase(name, each.name)]
    return min(found, key=lambda each: "*" in each.name, default=None)


@cache
def leave_alone(name: str) -> LeaveAlone | None:
    """Why nobody will move this name to DRA; None for all others."""
    return next((each for each in _table().leave_alone if fnmatchcase(name, each.name)), None)


def vendor_of_resource(name: str) -> Vendor | None:
    """The vendor whose device plugin serves the name."""
    return next((vendor for vendor in vendors() for each in vendor.resources if fnmatchcase(name, each.name)), None)


class _Marks:
    """The patterns of all vendors, so that most pods are told by one look at their labels: of 50,000 few are anybody's."""

    def __init__(self, patterns: Iterable[tuple[Vendor, PodPattern]]) -> None:
        self._by_label: dict[tuple[str, str], list[tuple[int, Vendor, PodPattern]]] = {}
        self._by_image: list[tuple[int, Vendor, PodPattern]] = []
        self._others: list[tuple[int, Vendor, PodPattern]] = []
        for rank, (vendor, pattern) in enumerate(patterns):
            label = next(iter(pattern.labels.items()), None)
            into = self._by_label.setdefault(label, []) if label else self._by_image if pattern.image else self._others
            into.append((rank, vendor, pattern))

    def vendor_of(self, pod: Pod) -> Vendor | None:
        """The vendor of the first pattern, in the table's order, that fits."""
        found = list(self._others)
        for label in (pod.metadata.labels or {}).items():
            found += self._by_label.get(label, ())
        if any(each.image for each in pod.spec.containers or ()):
            found += self._by_image
        fitting = [(rank, vendor) for rank, vendor, pattern in found if pattern.fits(pod)]
        return min(fitting, key=lambda each: each[0])[1] if fitting else None


@cache
def _marks(side: Literal["plugin", "driver"]) -> _Marks:
    return _Marks((vendor, pattern) for vendor in vendors() for pattern in (vendor.plugin if side == "plugin" else vendor.driver))


def plugin_vendor(pod: Pod) -> Vendor | None:
    """The vendor whose device plugin this pod is, by the marks that are known; None for all others."""
    return _marks("plugin").vendor_of(pod)


def driver_is_known(driver: str) -> bool:
    """Whether it is the DRA driver of a known vendor, whose node part is known by its pods."""
    return any(driver in vendor.drivers and vendor.driver for vendor in vendors())


def driver_vendor(pod: Pod) -> Vendor | None:
    """The vendor whose DRA driver's node part this pod is; None for all others."""
    return _marks("driver").vendor_of(pod)


@cache
def device_variables() -> frozenset[str]:
    """Environment variables that give devices to a container behind the scheduler's back, or name those it was given."""
    return frozenset(variable for vendor in vendors() for variable in vendor.variables)


@cache
def giving_variables() -> Mapping[str, Vendor]:
    """The variables by which a container gets devices that it has not asked for, and whose devices."""
    return {variable: vendor for vendor in vendors() for variable in vendor.gives}


def is_own(vendor: Vendor, pod: Pod) -> bool:
    """Whether the pod, by its marks, is one of the vendor's own, which use all devices of their node by right."""
    return any(pattern.fits(pod) for pattern in (*vendor.plugin, *vendor.driver, *vendor.own))


@cache
def node_label(key: str) -> NodeLabel | None:
    """What is known of a node label that comes and goes with a device plugin; None for all others. The first glob that fits counts."""
    found = next((each for vendor in vendors() for each in vendor.labels if fnmatchcase(key, each.key)), None)
    return found if found is not None and found.by else None


@cache
def renamed(name: str) -> Vendor | None:
    """The vendor whose plugin was told to serve devices under this name, by the name's domain; None for all others."""
    if resource(name) is not None or leave_alone(name) is not None:
        return None
    domain = name.partition("/")[0]
    of_domain = (vendor for vendor in vendors() if vendor.renames and any(each.name.startswith(f"{domain}/") for each in vendor.resources))
    return next(of_domain, None)
