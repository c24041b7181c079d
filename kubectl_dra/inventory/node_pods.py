"""The pods on a node that serve devices: device plugins and the node parts of DRA drivers.

A device plugin mounts the kubelet's device-plugins folder or is in the table of known ones. A driver is in the table, or mounts
`plugins/D` where D is the driver of some slice. Every CSI driver mounts plugins_registry: that alone proves nothing.
"""

from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from pathlib import PurePosixPath

from kubectl_dra.knowledge.vendors import Vendor, driver_vendor, plugin_vendor, vendor_of_resource
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.snapshot import Snapshot


class NodePods:
    """Plugin and driver pods of one snapshot, by node."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Take the reading."""
        self._snapshot = snapshot

    def plugins(self, node: str, name: str) -> tuple[Pod, ...]:
        """The pods on the node that may be the device plugin of the name, sorted.

        Where the name's vendor is known and a plugin of his is there, only that. Plugins known to be of other vendors never.
        """
        vendor = vendor_of_resource(name)
        found = self._plugins.get(node, [])
        own = [pod for pod, of_vendor in found if of_vendor is not None and of_vendor == vendor]
        return _sorted(own or [pod for pod, of_vendor in found if of_vendor is None])

    def drivers(self, node: str, drivers: Iterable[str]) -> tuple[Pod, ...]:
        """The pods on the node that are the node part of one of the drivers, sorted."""
        wanted = set(drivers)
        return _sorted(pod for pod, of_drivers in self._drivers.get(node, []) if wanted & of_drivers)

    def pods_of(self, driver: str) -> tuple[tuple[str, Pod], ...]:
        """The pods that are the node part of the driver, each with its node, sorted by node."""
        return tuple(sorted(self._by_driver.get(driver, ()), key=lambda each: (each[0], each[1].metadata.name)))

    @cached_property
    def _by_driver(self) -> dict[str, list[tuple[str, Pod]]]:
        found: dict[str, list[tuple[str, Pod]]] = defaultdict(list)
        for node, pods in self._drivers.items():
            for pod, drivers in pods:
                for driver in drivers:
                    found[driver].append((node, pod))
        return found

    @cached_property
    def _plugins(self) -> dict[str, list[tuple[Pod, Vendor | None]]]:
        found: dict[str, list[tuple[Pod, Vendor | None]]] = defaultdict(list)
        for pod in self._snapshot.pods:
            if pod.node_name and not pod.finished:
                vendor = plugin_vendor(pod) if pod.metadata.labels or pod.spec.volumes else None
                if vendor is not None or mounts_device_plugins(pod):
                    found[pod.node_name].append((pod, vendor))
        return found

    @cached_property
    def _drivers(self) -> dict[str, list[tuple[Pod, set[str]]]]:
        published = {each.spec.driver for each in self._snapshot.resource_slices}
        published -= {driver.metadata.name for driver in self._snapshot.csi_drivers}
        found: dict[str, list[tuple[Pod, set[str]]]] = defaultdict(list)
        for pod in self._snapshot.pods:
            if pod.node_name and not pod.finished:
                vendor = driver_vendor(pod) if pod.metadata.labels else None
                drivers = mounted_plugins(pod) & published | set(vendor.drivers if vendor else ())
                if drivers:
                    found[pod.node_name].append((pod, drivers))
        return found


def mounts_device_plugins(pod: Pod) -> bool:
    """Whether the pod mounts the kubelet's device-plugins folder, or something in it."""
    return any("device-plugins" in path.parts for path in _host_paths(pod))


def mounted_plugins(pod: Pod) -> set[str]:
    """The D of every folder `plugins/D` of the kubelet that the pod mounts."""
    return {path.parts[path.parts.index("plugins") + 1] for path in _host_paths(pod) if "plugins" in path.parts[:-1]}


def _host_paths(pod: Pod) -> Iterable[PurePosixPath]:
    return (PurePosixPath(volume.host_path.path) for volume in pod.spec.volumes or () if volume.host_path is not None)


def _sorted(pods: Iterable[Pod]) -> tuple[Pod, ...]:
    return tuple(sorted(pods, key=lambda pod: (pod.metadata.namespace or "", pod.metadata.name)))
