"""Checks on quotas."""

import json
import shlex

import pytest

from kubectl_dra.audit.checks.quotas import counted_form
from kubectl_dra.audit.finding import Severity
from kubectl_dra.audit.scope import Scope
from tests.audit.given import cluster, findings, forbidden, names, only, quota, unknown


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("nvidia.com/gpu", "requests.nvidia.com/gpu"),
        ("limits.nvidia.com/gpu", "requests.nvidia.com/gpu"),
        ("request.nvidia.com/gpu", "requests.nvidia.com/gpu"),
        ("deviceclass.resource.kubernetes.io/gpu.nvidia.com", "requests.deviceclass.resource.kubernetes.io/gpu.nvidia.com"),
        ("limits.deviceclass.resource.kubernetes.io/gpu", "requests.deviceclass.resource.kubernetes.io/gpu"),
        ("requests.gpu.deviceclass.resource.k8s.io/devices", "gpu.deviceclass.resource.k8s.io/devices"),
        ("requests.nvidia.com/gpu", None),
        ("requests.deviceclass.resource.kubernetes.io/gpu", None),
        ("gpu.nvidia.com.deviceclass.resource.k8s.io/devices", None),
        ("count/resourceclaims.resource.k8s.io", None),
        ("count/deployments.apps", None),
        ("gold.storageclass.storage.k8s.io/requests.storage", None),
        ("gold.storageclass.storage.k8s.io/persistentvolumeclaims", None),
        ("requests.cpu", None),
        ("cpu", None),
        ("limits.memory", None),
        ("hugepages-2Mi", None),
        ("requests.hugepages-2Mi", None),
        ("pods", None),
    ],
)
def test_only_what_an_evaluator_matches_is_counted(key: str, meant: str | None) -> None:
    assert counted_form(key) == meant


def test_dra501_a_quota_on_the_bare_name_counts_nothing() -> None:
    given = quota("gpus", {"nvidia.com/gpu": "8", "pods": "10"}, used={"pods": "3"})
    finding = only(cluster(resource_quotas=[given]), "DRA501")
    assert finding.severity is Severity.WARNING
    assert names(finding) == ["ResourceQuota team/gpus"]
    assert finding.evidence == "spec.hard[nvidia.com/gpu] is 8, status.used has no value for it; what is counted is requests.nvidia.com/gpu"
    words = shlex.split(finding.fix[-1])
    assert words[:6] == ["kubectl", "-n", "team", "patch", "resourcequota", "gpus"]
    assert json.loads(words[-1]) == [{"op": "move", "from": "/spec/hard/nvidia.com~1gpu", "path": "/spec/hard/requests.nvidia.com~1gpu"}]


def test_dra501_what_is_counted_already_is_not_overwritten() -> None:
    given = quota("gpus", {"nvidia.com/gpu": 8, "limits.nvidia.com/gpu": 8, "requests.nvidia.com/gpu": 4})
    finding = only(cluster(resource_quotas=[given]), "DRA501")
    assert json.loads(shlex.split(finding.fix[-1])[-1]) == [
        {"op": "remove", "path": "/spec/hard/limits.nvidia.com~1gpu"},
        {"op": "remove", "path": "/spec/hard/nvidia.com~1gpu"},
    ]


def test_dra501_a_quota_that_counts_is_no_finding() -> None:
    assert findings(cluster(resource_quotas=[quota("gpus", {"requests.nvidia.com/gpu": "8", "cpu": 4})]), "DRA501") == ()


def test_dra501_stays_within_namespace_and_name() -> None:
    given = cluster(resource_quotas=[quota("q", {"a.example/x": 1}, namespace="a"), quota("q", {"b.example/x": 1}, namespace="b")])
    assert names(only(given, "DRA501", scope=Scope(namespace="b"))) == ["ResourceQuota b/q"]
    assert names(only(given, "DRA501", scope=Scope(resources=("a.*",)))) == ["ResourceQuota a/q"]


def test_dra501_is_unknown_when_quotas_may_not_be_read() -> None:
    assert unknown(cluster(resource_quotas=forbidden()), "DRA501") == (
        'ResourceQuota: forbidden (needs the verb list on resourcequotas; "kubectl dra rbac audit" prints the role)',
    )
