"""Device taints on a real cluster: rules for everything and for nothing, tolerations that do not save, devices that a driver taints."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from kubectl_dra.environment import Clock
from tests.bed.api import Manifest
from tests.bed.cluster import Cluster
from tests.bed.node import DraDriver, Node
from tests.run import kubectl_dra

GPU, DRIVER = "example.com/gpu", "gpu.example.com"
RULES = "/apis/resource.k8s.io/v1/devicetaintrules"
SICK = {"key": "example.com/sick", "value": "yes", "effect": "NoExecute"}

Apply = Callable[..., list[dict[str, Any]]]
WaitUntil = Callable[..., Any]


def device_class(name: str, kind: str, maps: str = "") -> Manifest:
    expressions = [f'device.driver == "{DRIVER}"', f'device.attributes["{DRIVER}"].kind == "{kind}"']
    spec: Manifest = {"selectors": [{"cel": {"expression": each}} for each in expressions]}
    if maps:
        spec["extendedResourceName"] = maps
    return {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": name}, "spec": spec}


def pod(name: str, asks: dict[str, str], template: str = "") -> Manifest:
    container: Manifest = {"name": "main", "image": "busybox", "resources": {"limits": asks}}
    spec: Manifest = {"automountServiceAccountToken": False, "terminationGracePeriodSeconds": 0, "containers": [container]}
    if template:
        container["resources"] = {"claims": [{"name": "gpu"}]}
        spec["resourceClaims"] = [{"name": "gpu", "resourceClaimTemplateName": template}]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def rule(name: str, selector: dict[str, str] | None, effect: str, labels: dict[str, str] | None = None) -> Manifest:
    spec: Manifest = {"taint": {"key": "example.com/all", "effect": effect}}
    if selector is not None:
        spec["deviceSelector"] = selector
    return {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceTaintRule", "metadata": {"name": name, "labels": labels or {}}, "spec": spec}


def template(name: str, *tolerations: dict[str, str]) -> Manifest:
    request = {"name": "gpu", "exactly": {"deviceClassName": "sick", "tolerations": tolerations}}
    spec = {"spec": {"devices": {"requests": [request]}}}
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": {"name": name}, "spec": spec}


def audit(cell: Cluster, clock: Clock | None = None) -> dict[str, tuple[str, list[str], list[str]]]:
    """Severity, objects and what is to be pasted, by code; each code once."""
    options = ("--select", "DRA9", "--fail-on", "never", "-o", "json", "--kubeconfig", str(cell.kubeconfig))
    result = kubectl_dra("audit", *options, clock=clock)
    assert result.code == 0, result.stderr
    report = json.loads(result.stdout)
    assert report["unknown"] == []
    found = {
        each["code"]: (each["severity"], [f"{one['kind']} {one['name']}" for one in each["objects"]], each["fix"])
        for each in report["findings"]
    }
    assert len(found) == len(report["findings"])
    return found


def test_rules_tolerations_and_devices_that_their_driver_taints(
    cell: Cluster,
    namespace: str,
    apply: Apply,
    node: Callable[..., Node],
    dra_driver: Callable[..., DraDriver],
    paste: Callable[[list[str]], None],
    wait_until: WaitUntil,
) -> None:
    pods = f"/api/v1/namespaces/{namespace}/pods"

    def phase(name: str) -> str | None:
        found = cell.api.find(f"{pods}/{name}")
        return None if found is None else str(found["status"].get("phase"))

    where = node("taints")
    kinds = {"well": None, "sick": [SICK]}
    listed = [
        {"name": f"{kind}-{number}", "attributes": {"kind": {"string": kind}}, **({"taints": taints} if taints else {})}
        for kind, taints in kinds.items()
        for number in range(2)
    ]
    dra_driver(where, DRIVER, pools={where.name: {"slices": [{"devices": listed}]}})
    slices = "/apis/resource.k8s.io/v1/resourceslices"
    wait_until(lambda: any(each["spec"].get("devices") for each in cell.api.items(slices)), "the driver's devices are there")
    apply([device_class("well", "well", GPU), device_class("sick", "sick")])
    apply(
        [template("bare", {"operator": "Exists"}), template("both", {"operator": "Exists"}, {"operator": "Exists", "effect": "NoExecute"})]
    )
    apply([pod("well", {GPU: "1"}), pod("bare", {}, "bare"), pod("both", {}, "both")])

    # DRA904: both are put on devices with NoExecute, and only the one that names the effect stays there
    wait_until(lambda: phase("well") == phase("both") == "Running" and phase("bare") is None, "the toleration without effect does not save")
    found = audit(cell)
    assert {code: (severity, objects) for code, (severity, objects, _) in found.items()} == {
        "DRA904": ("warning", ["ResourceClaimTemplate bare"]),
        "DRA905": ("info", []),
    }

    # DRA905: once a class maps a name to nothing but such devices, its pods wait
    apply(device_class("sick", "sick", "example.com/sick"))
    apply(pod("waits", {"example.com/sick": "1"}))
    wait_until(
        lambda: any(
            "cannot allocate all claims" in each.get("message", "")
            for each in cell.api.get(f"{pods}/waits")["status"].get("conditions", [])
        ),
        "extended resources tolerate nothing",
    )
    assert audit(cell)["DRA905"][0] == "warning"

    # DRA901: without a selector a rule taints nothing here, whatever it says
    apply([rule("nothing", None, "NoExecute"), rule("preview", {"driver": DRIVER}, "None", {"kubectl-dra.io/preview": "x"})])
    apply(pod("second", {GPU: "1"}))
    wait_until(lambda: phase("second") == "Running", "a rule without a selector keeps nobody away")
    assert audit(cell)["DRA901"][:2] == ("info", ["DeviceTaintRule nothing"])
    assert "DRA903" not in audit(cell), "a preview that has just begun"
    late = audit(cell, Clock(now=lambda: datetime.now(UTC) + timedelta(hours=1)))
    assert late["DRA903"][:2] == ("warning", ["DeviceTaintRule preview"])
    paste(late["DRA903"][2])
    paste(late["DRA901"][2])
    assert cell.api.items(RULES) == []

    # DRA902: everything is evicted, until what is printed takes the rule out of force
    apply(rule("all", {}, "NoExecute"))
    wait_until(lambda: phase("well") is None and phase("second") is None, "pods with extended resources are evicted")
    severity, objects, fix = audit(cell)["DRA902"]
    assert (severity, objects) == ("error", ["DeviceTaintRule all"])
    paste(fix)
    assert "DRA902" not in audit(cell)
    apply(pod("third", {GPU: "1"}))
    wait_until(lambda: phase("third") == "Running", "devices are given out again")
