"""Play the example cluster on the bed (Linux, root; about a minute) and write what `kubectl dra snapshot` reads of it.

Twelve nodes in the middle of a move: NVIDIA GPUs by the plugin (gpu-01 to 03), by DRA (gpu-04 to 06), by both (gpu-07) and by a plugin
that went away under its pods (gpu-08); Intel GPUs whose class has another name; example GPUs whose name got lost with a duplicate; and
traps for whoever moves on.
"""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from io import StringIO
from pathlib import Path

import yaml

from kubectl_dra.cli.main import run
from kubectl_dra.cli.source import DEMO
from kubectl_dra.environment import Environment
from tests.bed.api import Manifest, manifests
from tests.bed.build import binaries
from tests.bed.cluster import Cluster
from tests.bed.node import DevicePlugin, DraDriver, Node
from tests.bed.waiting import wait_until

HERE = Path(__file__).parent
PLUGIN = "nvidia.com/gpu.deploy.device-plugin"
DRIVER = "nvidia.com/dra-kubelet-plugin"

NODES: dict[str, dict[str, str]] = {
    "cp-1": {},
    **{f"gpu-0{n}": {PLUGIN: "true"} for n in (1, 2, 3, 8)},
    **{f"gpu-0{n}": {PLUGIN: "false", DRIVER: "true"} for n in (4, 5, 6)},
    "gpu-07": {PLUGIN: "true", DRIVER: "true"},
    "arc-01": {"intel.feature.node.kubernetes.io/gpu": "true"},
    "arc-02": {},
    "lab-01": {"example.com/gpu": "true"},
}
ZONE_B = "gpu-08"
OLD_KUBELET = "gpu-03"
TAINTS = {"cp-1": ("node-role.kubernetes.io/control-plane=:NoSchedule",), ZONE_B: ("dedicated=vision:NoSchedule",)}
A100 = {"type": "gpu", "productName": "NVIDIA A100-SXM4-80GB", "architecture": "Ampere", "driverVersion": "580.65.6"}
NOT_READ = "replicationcontrollers"


class Play:
    """The cluster while it lasts."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        """Start the control plane."""
        self.folder, self.stack = folder, stack
        self.cluster = stack.enter_context(Cluster(binaries().bed, folder / "c"))
        self.nodes: dict[str, Node] = {}

    def apply(self, file: str) -> None:
        """Apply a file of this folder, and make the namespaces it names."""
        api = self.cluster.api
        for manifest in manifests((HERE / file).read_text()):
            namespace = manifest["metadata"].get("namespace")
            if namespace and not api.find(f"/api/v1/namespaces/{namespace}"):
                api.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
            if namespace:
                account = f"/api/v1/namespaces/{namespace}/serviceaccounts/default"
                wait_until(partial(api.find, account), f"service account of {namespace}")
            if manifest["kind"] == "JobSet":
                api.create(f"/apis/jobset.x-k8s.io/v1alpha2/namespaces/{namespace}/jobsets", manifest)
            else:
                api.apply(manifest)
            if manifest["kind"] == "CustomResourceDefinition":
                wait_until(lambda: api.find("/apis/jobset.x-k8s.io/v1alpha2"), "JobSets served")

    def start_nodes(self) -> None:
        """Start all kubelets, the control plane's with static pods."""
        for position, (name, labels) in enumerate(NODES.items()):
            directory = self.folder / f"n{position}"
            zone = {"topology.kubernetes.io/zone": "b" if name == ZONE_B else "a"}
            node = Node(self.cluster, name, directory, labels={**labels, **zone}, taints=TAINTS.get(name, ()))
            self.nodes[name] = self.stack.enter_context(node)
        for pod in manifests((HERE / "control-plane.yaml").read_text()):
            (self.nodes["cp-1"].dir / "manifests" / f"{pod['metadata']['name']}.yaml").write_text(yaml.safe_dump(pod))

    def pods(self, selector: str = "") -> list[Manifest]:
        """Pods of the whole cluster."""
        return self.cluster.api.items("/api/v1/pods", **({"labelSelector": selector} if selector else {}))

    def running(self, selector: str, count: int) -> None:
        """Wait until so many pods of a selector run."""

        def enough() -> bool:
            return len([pod for pod in self.pods(selector) if pod["status"].get("phase") == "Running"]) == count

        wait_until(enough, f"{count} running pods of {selector}", 90)

    def allocatable(self, node: str, resource: str, count: int) -> None:
        """Wait until a node's allocatable is what it should be."""
        wait_until(lambda: self.nodes[node].read()["status"]["allocatable"].get(resource, "0") == str(count), f"{resource} on {node}")

    def serve(self) -> DevicePlugin:
        """Start plugins and drivers; gives the plugin that will go away."""
        for name, labels in NODES.items():
            if labels.get(DRIVER):
                self.stack.enter_context(DraDriver(self.nodes[name], "gpu.nvidia.com", 8, attributes=A100, capacity={"memory": "80Gi"}))
            if labels.get(PLUGIN) == "true" and name != ZONE_B:
                self.stack.enter_context(DevicePlugin(self.nodes[name], "nvidia.com/gpu", 8))
        self.stack.enter_context(DevicePlugin(self.nodes["arc-01"], "gpu.intel.com/i915", 8))
        self.stack.enter_context(DraDriver(self.nodes["arc-02"], "gpu.intel.com", 8, attributes={"family": "Arc"}))
        self.stack.enter_context(DraDriver(self.nodes["lab-01"], "gpu.example.com", 4, attributes={"model": "LATEST-GPU-MODEL"}))
        for name in ("gpu-01", "gpu-02", "gpu-03", "gpu-07"):
            self.allocatable(name, "nvidia.com/gpu", 8)
        self.allocatable("arc-01", "gpu.intel.com/i915", 8)
        plugin = DevicePlugin(self.nodes[ZONE_B], "nvidia.com/gpu", 8)
        self.allocatable(ZONE_B, "nvidia.com/gpu", 8)
        return plugin


def play(folder: Path, stack: ExitStack) -> Play:
    """Bring the cluster into the state to be shown."""
    scene = Play(folder, stack)
    scene.start_nodes()
    plugin = scene.serve()
    scene.apply("before.yaml")
    for selector, count in (("app=llm-train", 3), ("app=vision", 4), ("app=llama", 10), ("app=transcode", 6), ("app=simulator", 3)):
        scene.running(selector, count)
    lose_example_gpus(scene)
    scene.apply("after.yaml")
    stop_plugin(scene, plugin)
    wait_until(lambda: refused(scene, "app=simulator-night"), "the scheduler's word on simulator-night")
    scene.running("app=shop", 50)
    scene.apply("traps.yaml")
    for selector, count in (("app=gpu-metrics", 4), ("app=gpu-probe", 1), ("app=cluster-autoscaler", 1)):
        scene.running(selector, count)
    pretend_old_kubelet(scene)
    return scene


def lose_example_gpus(scene: Play) -> None:
    """A second class takes the name over; deleting the first one then takes the name away from both (kubernetes/kubernetes#141103)."""
    first = scene.cluster.api.get("/apis/resource.k8s.io/v1/deviceclasses/example-gpus")["metadata"]["creationTimestamp"]
    wait_until(lambda: later(scene, first), "the next second")
    scene.apply("second-class.yaml")
    scene.cluster.api.delete("/apis/resource.k8s.io/v1/deviceclasses/example-gpus")


def later(scene: Play, moment: str) -> bool:
    """True when the API server's clock is past that second."""
    probe = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "clock-"}}
    made = scene.cluster.api.create("/api/v1/namespaces/default/configmaps", probe)["metadata"]
    scene.cluster.api.delete(f"/api/v1/namespaces/default/configmaps/{made['name']}")
    return bool(made["creationTimestamp"] > moment)


def stop_plugin(scene: Play, plugin: DevicePlugin) -> None:
    """The label goes, the plugin's pod goes, its devices go; the pods that hold them stay."""
    scene.cluster.api.patch(f"/api/v1/nodes/{ZONE_B}", {"metadata": {"labels": {PLUGIN: "false"}}})
    plugin.close()
    scene.allocatable(ZONE_B, "nvidia.com/gpu", 0)
    scene.running("app=nvidia-device-plugin-daemonset", 4)


def refused(scene: Play, selector: str) -> bool:
    """True when the scheduler has said why it does not place the pods."""
    pods = scene.pods(selector)
    return bool(pods) and all("Insufficient" in c.get("message", "") for pod in pods for c in pod["status"].get("conditions", [{}]))


def pretend_old_kubelet(scene: Play) -> None:
    """One kubelet stops, and its node says that it was 1.34.1: the bed has no kubelet that old."""
    node = scene.nodes[OLD_KUBELET]
    node.stop_kubelet()
    info = {"status": {"nodeInfo": {"kubeletVersion": "v1.34.1"}}}
    scene.cluster.api.patch(f"/api/v1/nodes/{OLD_KUBELET}/status", info)


@contextmanager
def stage() -> Iterator[Play]:
    """The cluster in the state to be shown, for as long as the block lasts."""
    with tempfile.TemporaryDirectory(prefix="demo-") as folder, ExitStack() as stack:
        yield play(Path(folder), stack)


def reader(scene: Play) -> Path:
    """A user who may read what `kubectl dra rbac snapshot` says, but no ReplicationControllers (DRA001): old roles forget them."""
    screen = StringIO()
    run(["rbac", "snapshot"], Environment(StringIO(), screen, screen))
    role = next(one for one in manifests(screen.getvalue()) if one["kind"] == "ClusterRole")
    for rule in role["rules"]:
        if "resources" in rule:
            rule["resources"] = [name for name in rule["resources"] if name != NOT_READ]
    role["rules"] = [rule for rule in role["rules"] if rule.get("resources") or rule.get("nonResourceURLs")]
    scene.cluster.api.apply(role)
    rbac = "rbac.authorization.k8s.io"
    binding = {
        "apiVersion": f"{rbac}/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": "reader"},
        "roleRef": {"apiGroup": rbac, "kind": "ClusterRole", "name": role["metadata"]["name"]},
        "subjects": [{"kind": "User", "apiGroup": rbac, "name": "nobody"}],
    }
    scene.cluster.api.apply(binding)
    path = scene.folder / "reader.kubeconfig"
    return scene.cluster.write_kubeconfig(path, {"token": scene.cluster.users["nobody"].token}, context="demo")


def main(arguments: Sequence[str]) -> int:
    """Write the snapshot to the path given, or to where `--demo` finds it."""
    target = Path(arguments[0]) if arguments else DEMO
    target.parent.mkdir(exist_ok=True)
    with stage() as scene:
        return run(["snapshot", str(target), f"--kubeconfig={reader(scene)}"], Environment.of_process())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
