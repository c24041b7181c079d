"""A device plugin and a DRA driver that come and go by a label on the node, as operators install them.

Two DaemonSets select nodes by label. Their pods' containers are the fake runtime's and do nothing; while such a pod runs on one of our
nodes, the real device plugin or DRA driver of that node runs in its place.
"""

import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress

from tests.bed.api import Manifest, RefusedError
from tests.bed.node import DevicePlugin, DraDriver, Node
from tests.bed.process import BedError

PLUGIN, DRIVER = "example-device-plugin", "example-dra-driver"
PLUGIN_LABEL, DRIVER_LABEL = "example.com/device-plugin", "example.com/dra-driver"
RESOURCE, DRIVER_NAME = "example.com/gpu", "gpu.example.com"

CLASS: Manifest = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "DeviceClass",
    "metadata": {"name": DRIVER_NAME},
    "spec": {"extendedResourceName": RESOURCE, "selectors": [{"cel": {"expression": f'device.driver == "{DRIVER_NAME}"'}}]},
}


def daemon_set(name: str, label: str, tolerations: Sequence[Mapping[str, str]] = ()) -> Manifest:
    """A DaemonSet with a pod on every node whose `label` is "true"."""
    container = {
        "name": "main",
        "image": f"registry.example/{name.removeprefix('example-')}",
        "volumeMounts": [{"name": "devices", "mountPath": "/devices"}],
    }
    spec = {
        "nodeSelector": {label: "true"},
        "tolerations": list(tolerations),
        "terminationGracePeriodSeconds": 0,
        "automountServiceAccountToken": False,
        "containers": [container],
        "volumes": [{"name": "devices", "hostPath": {"path": "/tmp"}}],  # noqa: S108 # never opened
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": name},
        "spec": {
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": spec},
        },
    }


class Operands:
    """Keeps the real plugins and drivers in step with the pods, until it is closed.

    `devices` may be changed meanwhile: it is what the next plugin or driver offers. With `withdraws` a driver takes its slices along when
    it goes; else the kubelet deletes them after 30 s. `lies` are kinds (PLUGIN, DRIVER) whose pods run without anything behind them.
    """

    def __init__(self, nodes: Sequence[Node], namespace: str, devices: int = 4, *, withdraws: bool = False) -> None:
        """Start to watch. The DaemonSets in `namespace` are the test's to make."""
        self.namespace = namespace
        self.devices = devices
        self.withdraws = withdraws
        self.lies: set[str] = set()
        self._nodes = {node.name: node for node in nodes}
        self._api = nodes[0].cluster.api
        self._running: dict[tuple[str, str], DevicePlugin | DraDriver] = {}
        self._ended = threading.Event()
        self.failure: BaseException | None = None
        self._thread = threading.Thread(target=self._keep, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop watching, and end what runs."""
        self._ended.set()
        self._thread.join()
        for process in self._running.values():
            process.close()
        self._running.clear()
        if self.failure is not None:
            raise self.failure

    def __enter__(self) -> "Operands":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def driver(self, node: str) -> DraDriver | None:
        """The driver that runs on a node."""
        found = self._running.get((DRIVER, node))
        return found if isinstance(found, DraDriver) else None

    def _keep(self) -> None:
        try:
            while not self._ended.wait(0.1):
                with suppress(RefusedError, OSError):  # the API server may be stopped by a test
                    self._step()
        except BaseException as error:  # noqa: BLE001 # told when the test ends
            self.failure = error

    def _step(self) -> None:
        wanted = set()
        for pod in self._api.items(f"/api/v1/namespaces/{self.namespace}/pods"):
            kind, node = pod["metadata"].get("labels", {}).get("app"), pod["spec"].get("nodeName")
            alive = pod["status"].get("phase") == "Running" and not pod["metadata"].get("deletionTimestamp")
            if kind in (PLUGIN, DRIVER) and node in self._nodes and alive and kind not in self.lies:
                wanted.add((kind, node))
        for key in [key for key in self._running if key not in wanted]:
            self._end(key)
        for kind, node in sorted(wanted - self._running.keys()):
            self._running[kind, node] = self._start(kind, self._nodes[node])

    def _start(self, kind: str, node: Node) -> DevicePlugin | DraDriver:
        if kind == PLUGIN:
            return DevicePlugin(node, RESOURCE, count=self.devices)
        return DraDriver(node, DRIVER_NAME, count=self.devices)

    def _end(self, key: tuple[str, str]) -> None:
        process = self._running.pop(key)
        if self.withdraws and isinstance(process, DraDriver):
            with suppress(BedError):
                process.publish({})
            root = "/apis/resource.k8s.io/v1/resourceslices"
            for item in self._api.items(root):
                if item["spec"].get("nodeName") == key[1]:
                    self._api.delete(f"{root}/{item['metadata']['name']}")
        process.close()
