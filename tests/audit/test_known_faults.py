"""Known faults of just these releases, where the cluster has what they need to show."""

from typing import get_args

import msgspec
import pytest

from kubectl_dra.audit.case import Case
from kubectl_dra.audit.concerns import concerned
from kubectl_dra.audit.finding import Severity
from kubectl_dra.knowledge.faults import Concern, faults
from kubectl_dra.objects.resource import (
    DeviceClaim,
    DeviceCounterConsumption,
    DeviceRequest,
    DeviceTaintRule,
    ExactDeviceRequest,
    ResourceClaim,
    ResourceClaimSpec,
    ResourceClaimTemplate,
    ResourceClaimTemplateSpec,
)
from kubectl_dra.objects.snapshot import Snapshot
from tests import factories
from tests.audit.control_plane import static_pod
from tests.audit.given import GPU, cluster, device_class, findings, forbidden, names, node, pod, quota, resource_slice, unknown

MAPPED = device_class("gpu", GPU)
RULE = DeviceTaintRule(factories.meta("r"))
TAINTED = resource_slice("a", factories.devices(1, taint="NoExecute"))
ALL = ResourceClaim(
    factories.meta("all", "team"), ResourceClaimSpec(DeviceClaim((DeviceRequest("r", ExactDeviceRequest("gpu", allocation_mode="All")),)))
)


def told(given: Snapshot) -> dict[str, tuple[Severity, list[str]]]:
    """By cause: the severity and the reports that are named."""
    found = {}
    for each in findings(given, "DRA703"):
        reports = [line.partition("(kubernetes/kubernetes#")[2].partition(")")[0] for line in each.evidence.split("\n")]
        found[each.cause] = (each.severity, reports)
    return found


def test_dra703_a_cluster_without_anything_of_it_has_no_fault_that_can_show() -> None:
    assert told(cluster(nodes=[node("a"), node("b", 4)], pods=[pod("p", {GPU: 1})])) == {}


def test_dra703_the_latest_release_has_only_notes() -> None:
    given = cluster(nodes=[node("a", 4), node("b")], device_classes=[MAPPED], device_taint_rules=[RULE], resource_claims=[ALL])
    assert told(given) == {
        "kube-scheduler 1.37": (Severity.INFO, ["143378", "141898"]),
        "kubelet 1.37": (Severity.INFO, ["141426", ""]),
    }
    kubelet = next(each for each in findings(given, "DRA703") if each.cause == "kubelet 1.37")
    assert names(kubelet) == ["Node a"], "only there a plugin can be remembered"
    assert "(kubernetes/kubernetes#141426); mended in 1.38.0; until then: " in kubelet.evidence


@pytest.mark.parametrize(
    ("version", "severity", "reports"),
    [
        ("1.37.0", Severity.WARNING, ["141290 and 142492"]),
        ("1.37.1", Severity.WARNING, ["141290 and 142492"]),
        ("1.36.6", Severity.INFO, ["141290 and 142492"]),
        ("1.37.2", None, []),
    ],
)
def test_dra703_a_patch_release_that_mends_it_makes_it_a_warning(version: str, severity: Severity | None, reports: list[str]) -> None:
    found = told(cluster(version, resource_slices=[TAINTED])).get(f"kube-controller-manager {version[:4]}")
    assert found == ((severity, reports) if severity else None)


def test_dra703_says_to_which_release_to_update() -> None:
    (finding,) = [each for each in findings(cluster("1.37.1", resource_slices=[TAINTED]), "DRA703")]
    assert finding.fix[0] == "# update kube-controller-manager to 1.37.2 or later"
    assert finding.title == (
        "kube-controller-manager 1.37.1 has 1 known fault that can show here (it does not show its version: 1.37.1 is the API server's)"
    )


def test_dra703_static_pods_show_their_own_release() -> None:
    given = cluster("1.37.2", pods=[static_pod("kube-controller-manager", "v1.37.1")], resource_slices=[TAINTED])
    (finding,) = findings(given, "DRA703")
    assert (finding.cause, names(finding)) == ("kube-controller-manager 1.37", ["Pod kube-system/kube-controller-manager-cp-1"])


def test_dra703_kubelets_each_by_their_release_and_what_runs_there() -> None:
    user = pod("p", {GPU: 1}, on="a", served_by_claim=[GPU])
    idle = node("idle", kubelet="v1.36.1")
    given = cluster(nodes=[node("a", kubelet="v1.36.1"), node("b", 4, kubelet="v1.36.4"), idle], pods=[user], device_classes=[MAPPED])
    found = {(tuple(names(each)), each.title.partition(" known")[0]) for each in findings(given, "DRA703") if "kubelet" in each.cause}
    assert found == {
        (("Node a",), "kubelet 1.36.1 on 1 node has 3"),
        (("Node b",), "kubelet 1.36.4 on 1 node has 2"),
    }


def test_dra703_what_other_checks_find_is_left_to_them() -> None:
    twice = cluster("1.37.2", device_classes=[MAPPED, device_class("other", GPU)], pods=[pod("p", {GPU: 33})])
    assert told(twice) == {}


def test_dra703_quotas_and_zeros_that_old_minors_stumble_over() -> None:
    counted = quota("q", {f"requests.{GPU}": 4})
    old = told(cluster("1.35.4", device_classes=[MAPPED], nodes=[node("a", 4)], pods=[pod("p", {GPU: 1})], resource_quotas=[counted]))
    assert old["kube-apiserver 1.35"] == (Severity.INFO, ["139876", "138792", "135404 and 135434"])
    zero = told(cluster("1.34.3", device_classes=[MAPPED], nodes=[node("a", capacity={GPU: 0}, kubelet="v1.34.3")]))
    assert zero["kube-scheduler 1.34"] == (Severity.INFO, ["133488 and 133784"])


def test_dra703_without_a_version_or_kinds_is_unknown() -> None:
    assert unknown(cluster(""), "DRA703") == ("the API server's version is not known, so neither are the control plane's faults",)
    assert len(unknown(cluster(resource_claims=forbidden()), "DRA703")) == 1


PARTITIONS = msgspec.structs.replace(factories.devices(1)[0], consumes_counters=(DeviceCounterConsumption("memory"),))
SHARED = msgspec.structs.replace(factories.devices(1)[0], allow_multiple_allocations=True)
TEMPLATE = ResourceClaimTemplate(factories.meta("t", "team"), ResourceClaimTemplateSpec(spec=ALL.spec))


@pytest.mark.parametrize(
    ("concern", "given"),
    [
        ("extended", cluster(device_classes=[MAPPED], pods=[pod("p", {GPU: 1})])),
        ("claims", cluster(resource_claims=[ALL])),
        ("templates", cluster(resource_claim_templates=[TEMPLATE])),
        ("all-mode", cluster(resource_claim_templates=[TEMPLATE])),
        ("counters", cluster(resource_slices=[resource_slice("a", [PARTITIONS])])),
        ("capacity", cluster(resource_slices=[resource_slice("a", [SHARED])])),
        ("rules", cluster(device_taint_rules=[RULE])),
        ("taints", cluster(resource_slices=[TAINTED])),
        ("plugin-and-class", cluster(device_classes=[MAPPED], nodes=[node("a", 4)])),
        ("quotas", cluster(resource_quotas=[quota("q", {"gpu.deviceclass.resource.k8s.io/devices": 1})])),
        ("zero-keys", cluster(device_classes=[MAPPED], nodes=[node("a", 0)])),
    ],
)
def test_what_a_fault_needs_to_show(concern: Concern, given: Snapshot) -> None:
    assert concerned(Case(given), concern)
    assert not concerned(Case(cluster(nodes=[node("a")], pods=[pod("p", {GPU: 1})])), concern)


def test_what_no_object_shows_is_not_told() -> None:
    assert not concerned(Case(cluster()), "unseen")
    assert {each.concerns for each in faults().values()} <= set(get_args(Concern))
