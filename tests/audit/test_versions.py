"""Servers that are too old, or do not serve what DRA needs (E69)."""

import msgspec
import pytest

from kubectl_dra.audit.finding import Severity
from kubectl_dra.objects.snapshot import KindReading, ReadState
from tests.audit.given import GPU, cluster, device_class, findings, node, only, pod, report, unknown

MAPPED = device_class("gpu", GPU)


@pytest.mark.parametrize(
    ("version", "emulated", "severity"),
    [
        ("1.32.4", "", Severity.ERROR),
        ("1.33.13", "", Severity.ERROR),
        ("1.37.2", "1.33", Severity.ERROR),
        ("1.34.0", "", Severity.WARNING),
        ("1.37.2", "1.35", Severity.WARNING),
        ("1.36.0", "", None),
        ("1.38.0", "", None),
    ],
)
def test_dra701_goes_by_the_version_that_gates_and_apis_go_by(version: str, emulated: str, severity: Severity | None) -> None:
    found = findings(cluster(version, emulated=emulated), "DRA701")
    assert [each.severity for each in found] == ([severity] if severity else [])


def test_dra701_blocks_every_name_on_a_server_that_cannot() -> None:
    given = cluster("1.32.4", nodes=[node("a", 4)], pods=[pod("p", {GPU: 1, "squat.ai/tun": 1})])
    assert [(each.name, each.verdict, each.codes) for each in report(given).names] == [
        (GPU, "blocked", ("DRA701",)),
        ("squat.ai/tun", "leave alone", ()),
    ]
    assert only(given, "DRA701").title == "Kubernetes 1.32 has no extended resources through DRA"


@pytest.mark.parametrize("served", [("v1beta1",), ("v1beta2", "v1beta1")])
def test_dra701_a_new_server_without_v1(served: tuple[str, ...]) -> None:
    reading = KindReading(items=(MAPPED,), api_version=f"resource.k8s.io/{served[0]}", served=served)
    finding = only(cluster(device_classes=reading), "DRA701")
    assert (finding.severity, finding.evidence) == (Severity.ERROR, f"resource.k8s.io is served at {' and '.join(served)}")
    assert "runtime-config" in finding.fix[-1]


def test_dra701_a_server_that_serves_nothing_of_it() -> None:
    unserved: KindReading[object] = KindReading(state=ReadState.UNSERVED, reason="the server does not serve resource.k8s.io")
    assert only(cluster(device_classes=unserved), "DRA701").title == "the API server does not serve device classes"
    old = sorted(each.title for each in findings(cluster("1.31.0", device_classes=unserved), "DRA701"))
    assert old == ["Kubernetes 1.31 has no extended resources through DRA", "the API server does not serve device classes"]


def test_dra701_a_server_with_v1_among_others_is_no_finding() -> None:
    reading = KindReading(items=(MAPPED,), api_version="resource.k8s.io/v1", served=("v1", "v1beta2", "v1alpha3"))
    assert findings(cluster(device_classes=reading), "DRA701") == ()


def test_dra701_a_file_without_a_version_is_unknown_unless_kubelets_prove_it() -> None:
    assert unknown(cluster(""), "DRA701") == ("the API server's version is not known",)
    assert unknown(cluster("", nodes=[node("a", kubelet="v1.35.0")]), "DRA701") == ("the API server's version is not known",)
    assert unknown(cluster("", nodes=[node("a", kubelet="v1.36.0")]), "DRA701") == ()


def test_dra701_says_that_a_server_emulates() -> None:
    assert only(cluster("1.37.2", emulated="1.34"), "DRA701").evidence.endswith("(it is 1.37.2, and emulates that)")


def test_dra701_is_the_same_in_every_reading() -> None:
    given = cluster("1.33.0")
    again = msgspec.structs.replace(given, cluster=msgspec.structs.replace(given.cluster, read_at="2027-01-01T00:00:00Z"))
    assert only(given, "DRA701").cause == only(again, "DRA701").cause == "version"
