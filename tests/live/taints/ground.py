"""Two nodes with a driver each, a third that only stands still, and a pod for each way to hold a device.

Devices are told apart by their slot, so that every pod has the device that its name says: the class `slots` with a selector in the claim,
and a class for the extended resource. What the driver of node a publishes no more is slot 7.
"""

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from kubectl_dra.environment import Clock
from tests.bed.api import Manifest
from tests.bed.cluster import Cluster
from tests.bed.node import DraDriver
from tests.bed.waiting import wait_until
from tests.run import Result, kubectl_dra

API = "resource.k8s.io/v1"
DRIVER = "gpu.example.com"
RESOURCE = "example.com/taint-gpu"
RULES = f"/apis/{API}/devicetaintrules"
KEY = "example.com/drain"
GONE = 7
"""The slot that is published no more."""
SHARED, EXTENDED, DAEMON = 3, 2, 9
MAIN, OTHER = "taints", "taints-too"
"""The namespaces."""

Toleration = Mapping[str, object]
EVERY_EFFECT: Toleration = {"operator": "Exists"}
FOR_EVER: Toleration = {"key": KEY, "operator": "Exists", "effect": "NoExecute"}
FOR_20S: Toleration = {**FOR_EVER, "tolerationSeconds": 20}


def devices(slots: Iterable[int]) -> list[Manifest]:
    return [{"name": f"gpu-{slot}", "attributes": {"slot": {"int": slot}}} for slot in slots]


def pool(name: str, slots: Iterable[int]) -> Manifest:
    return {name: {"slices": [{"devices": devices(slots)}]}}


def on(slot: int, node: str) -> str:
    """A CEL expression that selects one device: that of a slot on a node."""
    return f'device.attributes["{DRIVER}"].slot == {slot}'


def classes() -> Iterable[Manifest]:
    driver = {"cel": {"expression": f'device.driver == "{DRIVER}"'}}
    yield {"apiVersion": API, "kind": "DeviceClass", "metadata": {"name": "slots"}, "spec": {"selectors": [driver]}}
    selectors = [driver, {"cel": {"expression": on(EXTENDED, "a")}}]
    spec = {"extendedResourceName": RESOURCE, "selectors": selectors}
    yield {"apiVersion": API, "kind": "DeviceClass", "metadata": {"name": "extended"}, "spec": spec}


def request(slot: int, tolerations: Iterable[Toleration] = (), *, admin: bool = False, name: str = "gpu") -> Manifest:
    exactly: Manifest = {"deviceClassName": "slots", "selectors": [{"cel": {"expression": on(slot, "")}}]}
    if tolerations:
        exactly["tolerations"] = [*tolerations]
    if admin:
        exactly["adminAccess"] = True
    return {"name": name, "exactly": exactly}


def claim(name: str, slot: int, tolerations: Iterable[Toleration] = (), *, admin: bool = False) -> Manifest:
    spec = {"devices": {"requests": [request(slot, tolerations, admin=admin)]}}
    return {"apiVersion": API, "kind": "ResourceClaim", "metadata": {"name": name, "namespace": MAIN}, "spec": spec}


def template(name: str, slot: int, namespace: str = MAIN) -> Manifest:
    spec = {"spec": {"devices": {"requests": [request(slot)]}}}
    return {"apiVersion": API, "kind": "ResourceClaimTemplate", "metadata": {"name": name, "namespace": namespace}, "spec": spec}


def pod_spec(node: str, claims: Iterable[Mapping[str, str]] = (), *, limits: Mapping[str, str] | None = None) -> Manifest:
    entries = [{"name": f"c{number}", **each} for number, each in enumerate(claims)]
    resources: Manifest = {"claims": [{"name": each["name"]} for each in entries]} if entries else {}
    if limits:
        resources["limits"] = limits
    spec: Manifest = {
        "automountServiceAccountToken": False,
        "terminationGracePeriodSeconds": 1,
        "containers": [{"name": "main", "image": "busybox", "resources": resources}],
        "nodeSelector": {"kubernetes.io/hostname": node},
    }
    if entries:
        spec["resourceClaims"] = entries
    return spec


def pod(
    name: str, node: str, *claims: str, namespace: str = MAIN, of_template: str = "", limits: Mapping[str, str] | None = None
) -> Manifest:
    named: list[Mapping[str, str]] = [{"resourceClaimName": each} for each in claims]
    if of_template:
        named.append({"resourceClaimTemplateName": of_template})
    spec = pod_spec(node, named, limits=limits)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace, "labels": {"app": name}}, "spec": spec}


def still_node() -> tuple[Manifest, Manifest]:
    """A node without a kubelet: a pod that is deleted there stays, being deleted."""
    allocatable = {"pods": "110", "cpu": "8", "memory": "8Gi"}
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "lastHeartbeatTime": "2100-01-01T00:00:00Z"}
    metadata = {"name": "still", "labels": {"kubernetes.io/hostname": "still"}}
    status = {"allocatable": allocatable, "capacity": allocatable, "conditions": [ready]}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata}, {"status": status}


def still_slice() -> Manifest:
    spec = {
        "driver": DRIVER,
        "nodeName": "still",
        "pool": {"name": "still", "generation": 1, "resourceSliceCount": 1},
        "devices": devices([10]),
    }
    return {"apiVersion": API, "kind": "ResourceSlice", "metadata": {"name": "still"}, "spec": spec}


def daemon_set() -> Manifest:
    labels = {"app": "agent"}
    spec = pod_spec("", [{"resourceClaimTemplateName": "agent"}])
    del spec["nodeSelector"]
    spec["nodeSelector"] = {"taints": "yes"}
    body = {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": spec}}
    return {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "agent", "namespace": MAIN}, "spec": body}


def objects(a: str, b: str) -> Iterable[Manifest]:
    """Claims, templates and pods on the nodes a and b; what is not on one of them says so in its name."""
    yield claim("plain", 0)
    yield pod("plain", a, "plain")
    yield template("one", 1)
    yield pod("of-template", a, of_template="one")
    yield template("one", 1, OTHER)
    yield pod("of-template-b", b, namespace=OTHER, of_template="one")
    yield pod("extended", a, limits={RESOURCE: "1"})
    yield claim("shared", SHARED)
    yield pod("shared-1", a, "shared")
    yield pod("shared-2", a, "shared")
    yield claim("for-ever", 4, [FOR_EVER])
    yield pod("for-ever", a, "for-ever")
    yield claim("for-20s", 5, [FOR_20S])
    yield pod("for-20s", a, "for-20s")
    yield claim("every-effect", 6, [EVERY_EFFECT])
    yield pod("every-effect", a, "every-effect")
    yield claim("unpublished", GONE)
    yield pod("unpublished", a, "unpublished")
    yield claim("admin", 8, admin=True)
    yield pod("admin", a, "admin")
    yield template("agent", DAEMON)
    yield daemon_set()
    yield claim("left", 2)
    yield claim("right", 3)
    yield pod("two-claims", b, "left", "right")
    yield claim("plain-b", 0)
    yield pod("plain-b", b, "plain-b")
    yield claim("bystander", 11)
    yield pod("bystander", a, "bystander")
    yield claim("terminating", 10)
    yield pod("terminating", "still", "terminating")


WAITING = pod("no-node", "nowhere", "plain")
"""It uses a claim that is allocated, and no node takes it."""


LATER = """
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from kubectl_dra.cli.main import run
from kubectl_dra.environment import Clock, Environment
clock = Clock(now=lambda: datetime.now(UTC) + timedelta(seconds={seconds}))
sys.exit(run(sys.argv[1:], replace(Environment.of_process(), clock=clock)))
"""
"""The tool, with its clock so far ahead."""


@dataclass
class Ground:
    """The cluster, and the tool on it."""

    cell: Cluster
    a: str = ""
    b: str = ""
    later: timedelta = timedelta()
    """How far the tool's clock is ahead: slices that were just made are old then."""

    def run(self, *argv: str, kubeconfig: Path | None = None, stdin: bytes = b"") -> Result:
        clock = Clock(now=lambda: datetime.now(UTC) + self.later)
        return kubectl_dra(*argv, "--kubeconfig", str(kubeconfig or self.cell.kubeconfig), stdin=stdin, clock=clock)

    def told(self, *argv: str, kubeconfig: Path | None = None, stdin: bytes = b"") -> Manifest:
        result = self.run(*argv, "-o", "json", kubeconfig=kubeconfig, stdin=stdin)
        assert result.code == 0, result.stderr
        found: Manifest = json.loads(result.stdout)
        assert found["unknown"] == []
        return found

    def start(self, *argv: str, kubeconfig: Path) -> "subprocess.Popen[str]":
        """A run in a process of its own, to be interrupted."""
        command = [sys.executable, "-c", LATER.format(seconds=self.later.total_seconds()), *argv, "--kubeconfig", str(kubeconfig)]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def rules(self) -> set[str]:
        return {each["metadata"]["name"] for each in self.cell.api.items(RULES)}

    def pods(self) -> dict[str, Manifest]:
        """All pods with claims of ours, by UID."""
        found = [each for name in (MAIN, OTHER) for each in self.cell.api.items(f"/api/v1/namespaces/{name}/pods")]
        return {each["metadata"]["uid"]: each for each in found}

    def settle(self) -> None:
        """Wait until nothing moves: every pod that can run does, with its claims; nothing but `terminating` is being deleted."""
        wait_until(self._settled, "nothing moves", limit=90)

    def _settled(self) -> bool:
        pods = {each["metadata"]["name"]: each for each in self.pods().values()}
        moving = [
            name
            for name, each in pods.items()
            if (each["status"].get("phase") != "Running" and name not in ("no-node", "terminating"))
            or ("deletionTimestamp" in each["metadata"]) != (name == "terminating")
        ]
        agents = [name for name in pods if name.startswith("agent-")]
        claims = [each for name in (MAIN, OTHER) for each in self.cell.api.items(f"/apis/{API}/namespaces/{name}/resourceclaims")]
        held = {each["metadata"]["name"]: each.get("status", {}) for each in claims}
        free = [name for name, status in held.items() if "allocation" in status and not status.get("reservedFor")]
        assert not moving and not free and len(agents) == 2, (moving, free, agents)
        return True


def prepare(cell: Cluster, a: str, b: str, driver: DraDriver) -> Ground:
    """Make all of it, and wait until it stands. `driver` is that of node a; node b's publishes what `slots_of_b` says."""
    for name in (MAIN, OTHER):
        labels = {"resource.kubernetes.io/admin-access": "true"}
        cell.api.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}})
        account = f"/api/v1/namespaces/{name}/serviceaccounts/default"
        wait_until(partial(cell.api.find, account), f"service account of {name}")
    node, status = still_node()
    cell.api.create("/api/v1/nodes", node)
    cell.api.patch("/api/v1/nodes/still/status", status)
    for each in (*classes(), still_slice(), *objects(a, b)):
        cell.api.create(cell.api.path(each, MAIN).rpartition("/")[0], each)
    ground = Ground(cell, a, b)
    bound = f"/api/v1/namespaces/{MAIN}/pods/terminating"
    wait_until(lambda: cell.api.get(bound)["spec"].get("nodeName") == "still", "the pod that is to be deleted has its node")
    cell.api.delete(bound)
    ground.settle()
    driver.publish(pool(a, (slot for slot in range(12) if slot != GONE)))
    slices = f"/apis/{API}/resourceslices"

    def published() -> bool:
        names = {d["name"] for s in cell.api.items(slices) if s["spec"]["pool"]["name"] == a for d in s["spec"]["devices"]}
        return f"gpu-{GONE}" not in names and len(names) == 11

    wait_until(published, "slot 7 is published no more")
    cell.api.create(f"/api/v1/namespaces/{MAIN}/pods", WAITING)
    ground.settle()
    return ground
