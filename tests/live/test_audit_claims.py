"""Claims and pods that stay, made for real: by controllers, a kubelet and a driver that stop; and gone again when these are back."""

import json
import shlex
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from kubectl_dra.environment import Clock
from tests.bed.api import Manifest
from tests.bed.cluster import Cluster
from tests.bed.node import DraDriver, Node
from tests.live.conftest import make_namespace
from tests.run import kubectl_dra

GPU, DRIVER, TEAM = "example.com/gpu", "gpu.example.com", "team"
CLAIMS = f"/apis/resource.k8s.io/v1/namespaces/{TEAM}/resourceclaims"
PODS = f"/api/v1/namespaces/{TEAM}/pods"
LATER = Clock(now=lambda: datetime.now(UTC) + timedelta(hours=3))
"""What takes minutes to become a fault is told by when the cluster was read."""

WaitUntil = Callable[..., Any]


def pod(name: str, *, claim: str = "") -> Manifest:
    """A pod that asks for a device, or has a claim of its own."""
    container: Manifest = {"name": "main", "image": "busybox", "resources": {"limits": {GPU: "1"}}}
    spec: Manifest = {"terminationGracePeriodSeconds": 1, "automountServiceAccountToken": False, "containers": [container]}
    if claim:
        container["resources"] = {"claims": [{"name": "own"}]}
        spec["resourceClaims"] = [{"name": "own", "resourceClaimName": claim}]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": TEAM}, "spec": spec}


OBJECTS: list[Manifest] = [
    {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": "gpu"},
        "spec": {"extendedResourceName": GPU, "selectors": [{"cel": {"expression": f'device.driver == "{DRIVER}"'}}]},
    },
    {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "mine", "namespace": TEAM},
        "spec": {"devices": {"requests": [{"name": "one", "exactly": {"deviceClassName": "gpu"}}]}},
    },
    *(pod(name) for name in ("orphan", "ended", "lost", "stays", "stuck")),
    pod("own", claim="mine"),
]


def audit(cluster: Cluster, clock: Clock = LATER) -> dict[str, dict[str, Any]]:
    """The findings about claims by code, with their objects as text."""
    options = ("--select", "DRA409,DRA6", "--fail-on", "never", "-o", "json", "--kubeconfig", str(cluster.kubeconfig))
    result = kubectl_dra("audit", *options, clock=clock)
    assert result.code == 0, result.stderr
    report = json.loads(result.stdout)
    assert report["unknown"] == []
    found = {}
    for each in report["findings"]:
        each["objects"] = [f"{one['kind']} {one['name']}" for one in each["objects"]]
        assert each["settled"], each
        found[each["code"]] = each
    return found


def test_what_stays_when_controllers_a_kubelet_and_a_driver_stop(
    own_cell: Callable[..., Cluster], node: Callable[..., Node], dra_driver: Callable[..., DraDriver], wait_until: WaitUntil
) -> None:
    cell = own_cell()
    make_namespace(cell, TEAM)
    where = node(cluster=cell)
    driver = dra_driver(where, DRIVER, count=6)
    for manifest in OBJECTS:
        cell.api.apply(manifest)
    wait_until(lambda: {each["status"].get("phase") for each in cell.api.items(PODS)} == {"Running"}, "all pods run", limit=60)
    claims = {
        name: f"{CLAIMS}/{cell.api.get(f'{PODS}/{name}')['status']['extendedResourceClaimStatus']['resourceClaimName']}"
        for name in ("orphan", "ended", "lost", "stays", "stuck")
    }
    short = {name: f"ResourceClaim {path.rpartition('/')[2]}" for name, path in claims.items()}
    assert audit(cell) == {}, "pods that run with their claims are no fault, however long"

    cell.api.delete(claims["stays"])
    cell.api.delete(claims["lost"])
    cell.api.patch(claims["lost"], {"metadata": {"finalizers": None}})
    found = audit(cell)
    assert {code: (each["severity"], each["objects"]) for code, each in found.items()} == {
        "DRA409": ("error", ["Pod lost"]),
        "DRA603": ("info", [short["stays"], "Pod stays"]),
    }
    assert set(audit(cell, Clock())) == {"DRA409"}, "a deletion that has just begun is no stay"

    cell.stop("kube-controller-manager")
    driver.close()
    cell.api.delete(f"{PODS}/stuck")
    for name in ("orphan", "own"):
        cell.api.delete(f"{PODS}/{name}", grace=0)
    wait_until(lambda: not cell.api.items("/apis/resource.k8s.io/v1/resourceslices"), "the kubelet has removed the slices", limit=90)
    where.stop_kubelet()
    cell.api.patch(f"{PODS}/ended/status", {"status": {"phase": "Succeeded"}})
    found = audit(cell)
    assert {code: (each["severity"], each["objects"]) for code, each in found.items()} == {
        "DRA409": ("error", ["Pod lost"]),
        "DRA601": ("warning", [short["orphan"]]),
        "DRA602": ("warning", ["Pod ended", short["ended"]]),
        "DRA603": ("info", [short["stays"], "Pod stays"]),
        "DRA604": ("warning", ["ResourceClaim mine"]),
        "DRA605": ("error", ["Pod stuck", short["stuck"]]),
    }
    assert "holds gpu.example.com/" in found["DRA601"]["evidence"]
    assert f"has no slice and no pod of driver {DRIVER}" in found["DRA605"]["evidence"]

    dra_driver_again(dra_driver, where, cell)
    wait_until(lambda: not cell.api.find(f"{PODS}/stuck"), "the driver is back, and the pod ends", limit=120)
    for line in found["DRA409"]["fix"]:
        if not line.startswith("#"):
            cell.kubectl(*shlex.split(line)[1:])
    cell.api.delete(f"{PODS}/stays")
    wait_until(lambda: audit(cell) == {}, "controllers, kubelet and driver have mended the rest", limit=60)
    assert cell.api.find(f"{CLAIMS}/mine"), "a claim of people is released, not removed"


def dra_driver_again(dra_driver: Callable[..., DraDriver], where: Node, cell: Cluster) -> None:
    """Everything that was stopped runs again."""
    where.start_kubelet()
    dra_driver(where, DRIVER, count=6)
    cell.start("kube-controller-manager")
