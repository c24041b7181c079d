"""`devices` on a real driver's slices: what it says of classes and holders is what the scheduler did."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.bed.api import RefusedError
from tests.bed.cluster import Cluster
from tests.bed.node import DraDriver, Node
from tests.run import kubectl_dra

GPU = "example.com/few"
DRIVER = "gpu.example.com"

Apply = Callable[..., list[dict[str, Any]]]


def device_class(expression: str) -> dict[str, Any]:
    selectors = [{"cel": {"expression": f'device.driver == "{DRIVER}"'}}, {"cel": {"expression": expression}}]
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": "few"},
        "spec": {"extendedResourceName": GPU, "selectors": selectors},
    }


def pod(name: str) -> dict[str, Any]:
    container = {"name": "main", "image": "busybox", "resources": {"limits": {GPU: "1"}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"automountServiceAccountToken": False, "terminationGracePeriodSeconds": 0, "containers": [container]},
    }


def test_classes_with_selectors_and_the_holders_of_devices(
    cell: Cluster,
    namespace: str,
    apply: Apply,
    node: Callable[..., Node],
    dra_driver: Callable[..., DraDriver],
    wait_until: Callable[..., Any],
) -> None:
    def answer(*argv: str) -> dict[str, Any]:
        result = kubectl_dra(*argv, "-o", "json", "--kubeconfig", str(cell.kubeconfig))
        assert result.code == 0, result.stderr
        found: dict[str, Any] = json.loads(result.stdout)
        assert found["unknown"] == []
        return found

    on = node()
    models = ["A100", "H100", "H100", "L4"]
    listed = [{"name": f"gpu-{number}", "attributes": {"model": {"string": model}}} for number, model in enumerate(models)]
    dra_driver(on, pools={on.name: {"slices": [{"devices": listed}]}})
    slices = "/apis/resource.k8s.io/v1/resourceslices"
    wait_until(lambda: any(each["spec"].get("devices") for each in cell.api.items(slices)), "the driver's slices are there")
    expression = f'device.attributes["{DRIVER}"].model.startsWith("H")'
    apply(device_class(expression))

    costly = "lists.range(100000).all(x, lists.range(100000).all(y, x == y))"
    with pytest.raises(RefusedError) as refused:
        apply(device_class(costly))
    told = kubectl_dra("devices", "--where", costly, "--kubeconfig", str(cell.kubeconfig))
    assert (told.code, told.stderr.splitlines()[0]) == (2, "error: --where: Forbidden: too complex, exceeds cost limit")
    assert str(refused.value).endswith("spec.selectors[1].cel.expression: Forbidden: too complex, exceeds cost limit")

    tried = answer("devices", "--where", expression)["items"]
    selected = ["gpu-1", "gpu-2"]
    assert [item["device"] for item in tried if item["where"]["matches"]] == selected
    assert [item["device"] for item in tried if item["classes"] == ["few"]] == selected
    assert [item["state"] for item in tried] == ["free"] * 4
    (by_name,) = answer("inventory")["items"]
    assert (by_name["dra"]["nodes"], by_name["dra"]["devices"], by_name["dra"]["approximate"]) == (1, len(selected), False)

    apply([pod(f"p{number}") for number in range(len(selected) + 1)])
    pods = f"/api/v1/namespaces/{namespace}/pods"
    wait_until(
        lambda: sum(each["status"].get("phase") == "Running" for each in cell.api.items(pods)) == len(selected),
        "as many pods run as the class selects devices",
    )
    claims = cell.api.items(f"/apis/resource.k8s.io/v1/namespaces/{namespace}/resourceclaims")
    held = {
        result["device"]: (claim["metadata"]["name"], claim["status"]["reservedFor"][0]["name"])
        for claim in claims
        for result in claim["status"]["allocation"]["devices"]["results"]
    }
    allocated = answer("devices", "--allocated")["items"]
    assert {item["device"]: (item["claim"]["name"], item["pod"]) for item in allocated} == held
    assert sorted(held) == sorted(selected)
    assert [item["device"] for item in answer("devices", "--class", "few", "--free")["items"]] == []
