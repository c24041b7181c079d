"""Kubelets with what stands in for a machine: container runtime, device plugins, DRA drivers."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from tests.bed.api import Manifest
from tests.bed.cluster import Cluster
from tests.bed.process import BedError, Process, Supervised, closed_on_error


class _Ready(msgspec.Struct, frozen=True, rename="camel"):
    device_plugins: Path
    root: Path
    working_dir: Path
    pod_logs: Path
    processes: dict[str, Process]


class Node(Supervised):
    """A real kubelet over an in-memory container runtime, in a mount namespace of its own. Linux, root."""

    def __init__(
        self,
        cluster: Cluster,
        name: str,
        directory: Path,
        *,
        labels: Mapping[str, str] | None = None,
        taints: Iterable[str] = (),
        feature_gates: str = "",
        flags: Iterable[str] = (),
    ) -> None:
        """Start it and wait until the node is Ready: a second or two.

        `directory` has a short path, for sockets are in it. `taints` as "KEY=VALUE:EFFECT"; `flags` are more flags of the kubelet.
        """
        directory.mkdir(parents=True, exist_ok=True)
        options = {
            "name": name,
            "kubeconfig": str(cluster.kubeconfig),
            "dir": str(directory),
            "node-labels": ",".join(f"{key}={value}" for key, value in (labels or {}).items()),
            "register-with-taints": ",".join(taints),
            "feature-gates": feature_gates,
        }
        self.cluster = cluster
        self.dir = directory
        self._ready: _Ready | None = None
        command: list[str | Path] = [cluster.bed, "node", *(f"--{option}={value}" for option, value in options.items() if value)]
        super().__init__([*command, *(f"--kubelet-flag={flag}" for flag in flags)], name, directory / "node.log")
        with closed_on_error(self):
            self._ready = self.line(_Ready)

    @property
    def _told(self) -> _Ready:
        if self._ready is None:
            raise BedError(f"node {self.name} is not ready")
        return self._ready

    @property
    def device_plugins(self) -> Path:
        """The folder that the kubelet sees as /var/lib/kubelet/device-plugins."""
        return self._told.device_plugins

    @property
    def root(self) -> Path:
        """The kubelet's root folder (plugins, plugins_registry, pods)."""
        return self._told.root

    @property
    def working_dir(self) -> Path:
        """The kubelet's working directory, empty at first."""
        return self._told.working_dir

    @property
    def pod_logs(self) -> Path:
        """Where containers' logs lie."""
        return self._told.pod_logs

    @property
    def processes(self) -> Mapping[str, Process]:
        """`kubelet` and `cri`, as they were told last."""
        return self._told.processes

    def logs(self) -> Mapping[str, Path]:
        """The kubelet's and the runtime's logs."""
        more = self._ready.processes if self._ready else {}
        return {**super().logs(), **{f"{self.name} {name}": process.log for name, process in more.items()}}

    def read(self) -> Manifest:
        """The Node object as it is now."""
        return self.cluster.api.get(f"/api/v1/nodes/{self.name}")

    def stop_kubelet(self) -> None:
        """End the kubelet alone; containers go on."""
        self._take("stop kubelet")

    def start_kubelet(self) -> None:
        """Start it again and wait until the node is Ready."""
        self._take("start kubelet")

    def restart_kubelet(self) -> None:
        """Both, in one."""
        self._take("restart kubelet")

    def _take(self, command: str) -> None:
        self._ready = msgspec.structs.replace(self._told, processes=self.command(command, dict[str, Process]))


class DevicePlugin(Supervised):
    """A device plugin on a node, registered when made. It registers again when the kubelet comes back."""

    def __init__(
        self,
        node: Node,
        resource: str = "example.com/gpu",
        count: int = 4,
        *,
        unhealthy: Iterable[str] = (),
        pre_start_required: bool = False,
    ) -> None:
        """Devices are named dev-0 and so on; `unhealthy` ones begin so ("all": all of them)."""
        command: list[str | Path] = [
            node.cluster.bed,
            "device-plugin",
            f"--dir={node.device_plugins}",
            f"--resource={resource}",
            f"--count={count}",
            *(f"--unhealthy={device}" for device in unhealthy),
            f"--pre-start-required={str(pre_start_required).lower()}",
        ]
        self.resource = resource
        super().__init__(command, f"{node.name} {resource}", node.dir / "logs" / f"{resource.replace('/', '-')}.log")
        with closed_on_error(self):
            self.line(dict[str, str | int])

    def set_health(self, device: str, *, healthy: bool) -> None:
        """Make one device, or "all", healthy or not."""
        self.command(f"{'healthy' if healthy else 'unhealthy'} {device}", dict[str, str])


class DraDriver(Supervised):
    """A DRA driver on a node; when made, it is registered and its slices are published. They stay when it ends."""

    def __init__(
        self,
        node: Node,
        driver: str = "gpu.example.com",
        count: int = 4,
        *,
        pool: str = "",
        attributes: Mapping[str, str | int | bool] | None = None,
        capacity: Mapping[str, str] | None = None,
        pools: Manifest | None = None,
    ) -> None:
        """Devices are named gpu-0 and so on.

        Attributes that look like a version ("v1.2.3") are versions. `pools`, `{NAME: {"slices": [{"devices": [...]}]}}`, is published as
        it stands instead.
        """
        self._files = node.dir
        self.driver = driver
        options = [f"--kubeconfig={node.cluster.kubeconfig}", f"--node={node.name}", f"--dir={node.root}", f"--driver={driver}"]
        options += [f"--count={count}", *([f"--pool={pool}"] if pool else [])]
        options += [f"--attribute={name}={_text(value)}" for name, value in (attributes or {}).items()]
        options += [f"--capacity={name}={value}" for name, value in (capacity or {}).items()]
        options += [f"--resources={self._write(pools)}"] if pools is not None else []
        command: list[str | Path] = [node.cluster.bed, "dra-driver", *options]
        super().__init__(command, f"{node.name} {driver}", node.dir / "logs" / f"{driver}.log")
        with closed_on_error(self):
            self.line(dict[str, str | int])

    def publish(self, pools: Manifest) -> None:
        """Publish other pools from now on; it does not wait until they are there."""
        self.command(f"publish {self._write(pools)}", dict[str, str])

    def _write(self, pools: Manifest) -> Path:
        path = self._files / f"{self.driver}.json"
        path.write_text(json.dumps({"pools": pools}))
        return path


def _text(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
