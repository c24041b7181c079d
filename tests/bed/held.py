"""Who holds which device, as the kubelets themselves have it written down; and that nobody ever holds one that another has.

The plugin's dev-N and the driver's gpu-N stand for the same thing, number N of the node.
"""

import json
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from tests.bed.api import RefusedError
from tests.bed.node import Node


class Held:
    """Looks again and again until it is closed; `twice` is what it has seen, and `seen` how many devices of either side."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        """Start to look."""
        self._nodes = tuple(nodes)
        self._api = nodes[0].cluster.api
        self.twice: list[str] = []
        self.seen: dict[str, int] = {"plugin": 0, "claims": 0}
        self._ended = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._look_on, daemon=True)
        self._thread.start()

    def check(self) -> None:
        """Raise if anything was held twice, or if it could not look."""
        if self._failure is not None:
            raise self._failure
        assert not self.twice, self.twice

    def __enter__(self) -> "Held":
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _look_on(self) -> None:
        try:
            while not self._ended.wait(0.2):
                with suppress(RefusedError, OSError):  # the API server may be stopped by a test
                    self._look()
        except BaseException as error:  # noqa: BLE001 # told when the test ends
            self._failure = error

    def _look(self) -> None:
        written = [(node, _of_claims(node), _of_plugin(node)) for node in self._nodes]
        # of what the kubelets remember, only what pods still hold; asked last, so that a pod that has ended meanwhile does not count
        alive = {
            pod["metadata"]["uid"] for pod in self._api.items("/api/v1/pods", fieldSelector="status.phase!=Succeeded,status.phase!=Failed")
        }
        for node, claims, plugin in written:
            through_plugin = {number for number, pod in plugin if pod in alive}
            through_claims = {number for number, pods in claims if pods & alive}
            self.seen["plugin"] += len(through_plugin)
            self.seen["claims"] += len(through_claims)
            self.twice += [f"{node.name} {number}" for number in sorted(through_plugin & through_claims)]


def _of_plugin(node: Node) -> list[tuple[str, str]]:
    """Number and pod (UID) of every allocation in the device manager's checkpoint."""
    data = _checkpoint(node.device_plugins / "kubelet_internal_checkpoint")
    found = []
    for entry in data.get("PodDeviceEntries") or ():
        for devices in (entry.get("DeviceIDs") or {}).values():
            found += [(device.rpartition("-")[2], entry["PodUID"]) for device in devices]
    return found


def _of_claims(node: Node) -> list[tuple[str, frozenset[str]]]:
    """Number and pods (UIDs) of every prepared claim in the DRA manager's checkpoint."""
    data = _checkpoint(node.root / "dra_manager_state")
    found = []
    for claim in data.get("ClaimInfoStateList") or ():
        pods = frozenset(claim.get("PodUIDs") or ())
        for state in (claim.get("DriverState") or {}).values():
            found += [(device["DeviceName"].rpartition("-")[2], pods) for device in state.get("Devices") or ()]
    return found


def _checkpoint(path: Any) -> Mapping[str, Any]:
    """The data of a kubelet's checkpoint; nothing while it is written, or where there is none."""
    try:
        data = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    data = data.get("Data", data)
    told: Mapping[str, Any] = json.loads(data) if isinstance(data, str) else data
    return told
