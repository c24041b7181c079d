"""Gates as each component shows them; what nobody shows is unknown."""

import msgspec
import pytest

from kubectl_dra.audit.control_plane import Component, components
from kubectl_dra.audit.finding import Severity
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.resource import DeviceTaintRule
from kubectl_dra.objects.snapshot import Version
from tests import factories
from tests.audit import given as of
from tests.audit.control_plane import static_pod
from tests.audit.given import GPU, cluster, device_class, findings, forbidden, names, only, pod, report, resource_slice, unknown

ALL_ON = {"DynamicResourceAllocation": True, "DRAExtendedResource": True}
OFF = "--feature-gates=DRAExtendedResource=false"
ALL_SHOWN = [static_pod("kube-scheduler", "v1.36.1"), static_pod("kube-controller-manager", "v1.36.1")]
TAINTED = resource_slice("a", factories.devices(1, taint="NoSchedule"))


def shown(*flags: str, version: str = "v1.36.1", image: str | None = None) -> Component:
    (found,) = components(cluster(pods=[static_pod("kube-scheduler", version, *flags, image=image)]))
    return found


@pytest.mark.parametrize(
    ("component", "gate", "on"),
    [
        (shown(), "DRAExtendedResource", True),
        (shown(version="v1.35.4"), "DRAExtendedResource", False),
        (shown(version="v1.33.0"), "DRAExtendedResource", False),
        (shown(OFF), "DRAExtendedResource", False),
        (shown("--feature-gates=A=true,kube:DRAExtendedResource=F"), "DRAExtendedResource", False),
        (shown("--feature-gates=AllBeta=false"), "DRAExtendedResource", False),
        (shown("--feature-gates=AllBeta=false", "--feature-gates=DRAExtendedResource=true"), "DRAExtendedResource", True),
        (shown("--feature-gates=AllBeta=false", version="v1.37.2"), "DRAExtendedResource", True),
        (shown("--feature-gates=AllAlpha=true", version="v1.35.4"), "DRAExtendedResource", True),
        (shown("--emulated-version=kube=1.35", version="v1.37.2"), "DRAExtendedResource", False),
        (shown(image="scheduler@sha256:abc"), "DRAExtendedResource", None),
        (shown(OFF, image="scheduler@sha256:abc"), "DRAExtendedResource", False),
    ],
)
def test_a_static_pod_shows_a_gate_by_its_flags_or_its_version(component: Component, gate: str, on: bool | None) -> None:
    assert component.gate(gate) is on


def test_pods_that_are_no_part_of_the_control_plane_show_nothing() -> None:
    mine = msgspec.structs.replace(static_pod("kube-scheduler"), metadata=factories.meta("kube-scheduler-cp-1", "kube-system"))
    elsewhere = static_pod("kube-scheduler")
    elsewhere = msgspec.structs.replace(elsewhere, metadata=msgspec.structs.replace(elsewhere.metadata, namespace="team"))
    assert components(cluster(pods=[mine, elsewhere, pod("kube-scheduler", {GPU: 1}, on="a")])) == ()


def test_images_tell_versions_with_registry_port_and_digest() -> None:
    assert shown(image="registry.local:5000/k8s/kube-scheduler:v1.36.3@sha256:abc").version == Version(1, 36, 3)


def test_dra702_the_api_servers_own_word() -> None:
    given = cluster("1.35.4", gates={**ALL_ON, "DRAExtendedResource": False}, nodes=[of.node("a", 4)], pods=ALL_SHOWN)
    finding = only(given, "DRA702")
    assert (finding.severity, finding.cause) == (Severity.ERROR, "DRAExtendedResource")
    assert finding.evidence == "DRAExtendedResource is off in kube-apiserver: kube-apiserver says so in its metrics"
    assert [(each.name, each.codes) for each in report(given).names] == [(GPU, ("DRA702",))]


def test_dra702_a_schedulers_flags() -> None:
    pods = [static_pod("kube-scheduler", "v1.36.1", OFF), static_pod("kube-controller-manager", "v1.36.1")]
    finding = only(cluster("1.36.1", gates=ALL_ON, pods=pods), "DRA702")
    assert (finding.severity, names(finding)) == (Severity.ERROR, ["Pod kube-system/kube-scheduler-cp-1"])
    assert finding.title == "the feature gate DRAExtendedResource is off in kube-scheduler"


def test_dra702_off_in_the_controllers_alone_only_quotas_suffer() -> None:
    pods = [static_pod("kube-scheduler", "v1.36.1"), static_pod("kube-controller-manager", "v1.36.1", OFF)]
    assert only(cluster("1.36.1", gates=ALL_ON, pods=pods), "DRA702").severity is Severity.WARNING


def test_dra702_what_is_locked_needs_no_witness() -> None:
    given = cluster("1.37.2")
    assert (findings(given, "DRA702"), unknown(given, "DRA702")) == ((), ())


def test_dra702_a_managed_control_plane_shows_nothing_and_nothing_is_inferred() -> None:
    given = cluster("1.36.1", gates=ALL_ON)
    assert findings(given, "DRA702") == ()
    assert unknown(given, "DRA702") == (
        "whether DRAExtendedResource is on in kube-controller-manager is not known: it runs in no static pod that is seen here"
        " (a managed control plane shows none)",
        "whether DRAExtendedResource is on in kube-scheduler is not known: it runs in no static pod that is seen here"
        " (a managed control plane shows none)",
    )
    metrics = [each for each in unknown(cluster("1.36.1", pods=ALL_SHOWN), "DRA702") if "kube-apiserver" in each]
    assert metrics == [
        "whether DRAExtendedResource is on in kube-apiserver is not known: its /metrics could not be read"
        ' ("kubectl dra rbac audit" prints the role)'
    ]


def test_dra702_gates_of_newer_parts_matter_where_something_rests_on_them() -> None:
    rule = DeviceTaintRule(factories.meta("r"))
    off = static_pod("kube-scheduler", "v1.37.2", "--feature-gates=DRADeviceTaints=false")
    pods = [off, static_pod("kube-controller-manager", "v1.37.2")]
    on = {"DRADeviceTaints": True, "DRADeviceTaintRules": True}
    assert findings(cluster(gates=on, pods=pods), "DRA702") == ()
    finding = only(cluster(gates=on, pods=pods, resource_slices=[TAINTED]), "DRA702")
    assert (finding.severity, finding.cause) == (Severity.WARNING, "DRADeviceTaints")
    where = f"device gpu-0 in ResourceSlice {TAINTED.metadata.name}"
    assert finding.title == f"the feature gate DRADeviceTaints is off in kube-scheduler, and {where} rests on it"
    assert "DeviceTaintRule r rests on it" in only(cluster(gates=on, pods=pods, device_taint_rules=[rule]), "DRA702").evidence


def test_dra702_kubelets_of_1_36_do_not_declare_it() -> None:
    given = cluster(
        "1.37.2",
        nodes=[of.node("a", 4, kubelet="v1.36.2"), of.node("b", 4), of.node("idle", kubelet="v1.36.2")],
        device_classes=[device_class("gpu", GPU)],
    )
    assert unknown(given, "DRA702") == (
        "whether DRAExtendedResource is on in the kubelets of a is not known: they do not declare it (on by default in 1.36)",
    )


def test_dra702_before_1_34_there_is_no_such_gate_and_without_a_version_nothing_is_known() -> None:
    assert (findings(cluster("1.33.0"), "DRA702"), unknown(cluster("1.33.0"), "DRA702")) == ((), ())
    assert unknown(cluster(""), "DRA702") == ("neither the API server's version nor any component's gates are known",)
    assert any("looked only in part" in each for each in unknown(cluster(pods=forbidden()), "DRA702"))


def declaring(name: str, *features: str) -> Node:
    made = of.node(name)
    return msgspec.structs.replace(made, status=msgspec.structs.replace(made.status, declared_features=features))


def test_dra705_by_what_api_server_and_kubelets_show() -> None:
    given = cluster(gates={"DRANodeAllocatableResources": True}, nodes=[declaring("a", "DRANodeAllocatableResources"), declaring("b")])
    finding = only(given, "DRA705")
    assert (finding.severity, names(finding)) == (Severity.WARNING, ["Node a"])
    assert finding.evidence.split("\n") == [
        "DRANodeAllocatableResources is on in kube-apiserver",
        "the kubelet of Node a declares it",
    ]


def test_dra705_by_the_schedulers_flags() -> None:
    given = cluster(pods=[static_pod("kube-scheduler", "v1.37.2", "--feature-gates=SchedulerPreQueueingHints=true")])
    finding = only(given, "DRA705")
    assert (finding.cause, names(finding)) == ("SchedulerPreQueueingHints", ["Pod kube-system/kube-scheduler-cp-1"])
    every = [
        each.cause for each in findings(cluster(pods=[static_pod("kube-scheduler", "v1.37.2", "--feature-gates=AllAlpha=true")]), "DRA705")
    ]
    assert sorted(every) == ["DRANodeAllocatableResources", "SchedulerPreQueueingHints"]


def test_dra705_a_scheduler_that_shows_it_off_or_a_release_that_mends_it_is_no_finding() -> None:
    gates = {"SchedulerPreQueueingHints": True}
    assert findings(cluster(gates=gates, pods=[static_pod("kube-scheduler", "v1.37.2")]), "DRA705") == ()
    assert findings(cluster("1.38.0", gates={"DRANodeAllocatableResources": True}), "DRA705") == ()
    assert findings(cluster(), "DRA705") == ()


def test_dra705_without_pods_is_known_in_part() -> None:
    assert len(unknown(cluster(pods=forbidden()), "DRA705")) == 1
