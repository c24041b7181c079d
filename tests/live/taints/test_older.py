"""Older minors: the preview is to be had everywhere; rules are written where they are understood, and refused with the reason elsewhere."""

import json
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import pytest

from kubectl_dra.environment import Clock
from tests.bed.api import Manifest
from tests.bed.cluster import Cluster
from tests.live.taints.ground import DRIVER, KEY, devices
from tests.run import kubectl_dra


class Older(NamedTuple):
    """A control plane, and why no rule is written there; empty where one is, at that version of the API."""

    options: Mapping[str, str]
    slices: str
    refusal: str = ""
    rules: str = ""


GATES = "DRADeviceTaints=true,DRADeviceTaintRules=true"
CLUSTERS = {
    "1.36": Older(
        {"emulated_version": "1.36"}, "v1", "the server does not serve DeviceTaintRules: 1.36 has them at resource.k8s.io/v1beta2"
    ),
    "1.36 with v1beta2": Older(
        {"emulated_version": "1.36", "runtime_config": "resource.k8s.io/v1beta2=true", "feature_gates": GATES}, "v1", rules="v1beta2"
    ),
    "1.36 with v1beta2, and the gate is off": Older(
        {"emulated_version": "1.36", "runtime_config": "resource.k8s.io/v1beta2=true"}, "v1", "the feature gate DRADeviceTaintRules is off"
    ),
    "1.35": Older(
        {"emulated_version": "1.35", "runtime_config": "resource.k8s.io/v1alpha3=true", "feature_gates": GATES},
        "v1",
        "1.35 has taint rules as an alpha of another form (resource.k8s.io/v1alpha3)",
    ),
}
FAST = 30
"""The tool's clock goes so many times faster: what takes it half a minute takes a second."""


@pytest.mark.parametrize("name", CLUSTERS)
def test_the_preview_works_and_a_write_says_why_not(own_cell: Callable[..., Cluster], name: str) -> None:
    older = CLUSTERS[name]
    cell = own_cell(**older.options)
    spec = {"driver": DRIVER, "allNodes": True, "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1}, "devices": devices([0, 1])}
    api = f"resource.k8s.io/{older.slices}"
    body = {"apiVersion": api, "kind": "ResourceSlice", "metadata": {"name": "p"}, "spec": spec}
    cell.api.create(f"/apis/{api}/resourceslices", body)
    words = ("taint", f"{KEY}:NoSchedule", "--driver", DRIVER, "--device", "gpu-0", "--name=made")

    def told(*argv: str) -> tuple[int, Manifest, str]:
        clock = Clock(
            now=lambda: datetime.now(UTC) + timedelta(hours=1),
            sleep=lambda seconds: time.sleep(seconds / FAST),
            monotonic=lambda: time.monotonic() * FAST,
        )
        result = kubectl_dra(*argv, "-o", "json", "--kubeconfig", str(cell.kubeconfig), clock=clock)
        return result.code, json.loads(result.stdout) if result.stdout else {}, result.stderr

    code, found, _ = told(*words, "--dry-run")
    assert (code, found["client"]["publishedDevices"], found["unknown"]) == (0, 1, [])
    code, found, _ = told(*words, "--probe", "--yes")
    assert (code, found["probe"]) == (0, None)
    if older.refusal:
        assert found["probeReason"].startswith(older.refusal)
    else:
        # the controller of this minor would answer; that of the bed's binary asks for rules at v1 only
        assert found["probeReason"].startswith("the eviction controller said nothing of the rule within 30s")
    code, _, stderr = told(*words, "--yes")
    assert code == (3 if older.refusal else 0), stderr
    assert older.refusal in stderr
    if older.rules:
        path = f"/apis/resource.k8s.io/{older.rules}/devicetaintrules"
        assert [each["metadata"]["name"] for each in cell.api.items(path)] == ["made"]
        assert [each["name"] for each in told("taint", "list")[1]["items"]] == ["made"]
        assert told("taint", "demote", "made", "--to=None", "--yes")[0] == 0
        assert told("taint", "delete", "made", "--yes")[0] == 0
        assert cell.api.items(path) == []
