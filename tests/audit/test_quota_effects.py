"""DRA502: quotas that begin, or cease, to apply when DRA serves the pods. The numbers are those of the quota evaluators (facts 4)."""

import msgspec
import pytest

from kubectl_dra.audit.finding import Severity
from kubectl_dra.audit.scope import Scope
from kubectl_dra.objects.resource import (
    DeviceClaim,
    DeviceRequest,
    DeviceSubRequest,
    ExactDeviceRequest,
    ResourceClaim,
    ResourceClaimSpec,
)
from tests.audit.given import GPU, cluster, device_class, findings, forbidden, names, only, pod, quota, unknown
from tests.factories import claim

MAPPED = [device_class("gpu", GPU)]
CLAIMS = "count/resourceclaims.resource.k8s.io"
OF_CLASS = "gpu.deviceclass.resource.k8s.io/devices"
IMPLICIT = "requests.deviceclass.resource.kubernetes.io/gpu"
PODS = [pod("one", {GPU: 2}, on="a"), pod("two", {GPU: 1})]


def test_dra502_a_quota_that_is_too_small_for_what_comes() -> None:
    given = quota("q", {CLAIMS: "1", OF_CLASS: "8", "pods": "10"}, used={CLAIMS: "0", OF_CLASS: "0"})
    finding = only(cluster(pods=PODS, resource_quotas=[given], device_classes=MAPPED), "DRA502")
    assert (finding.severity, names(finding)) == (Severity.WARNING, ["ResourceQuota team/q"])
    assert finding.title == (
        f"ResourceQuota team/q will limit {CLAIMS} when DRA serves the pods, and is too small for those that are there"
    )
    assert finding.evidence.split("\n") == [
        f"{CLAIMS}: 0 of 1 used now, 2 more when DRA serves them all",
        f"{OF_CLASS}: 0 of 8 used now, 3 more when DRA serves them all",
        f"2 pods in team ask {GPU}",
    ]
    assert finding.fix[1] == f"#   {CLAIMS}: 2 or more"


def test_dra502_one_that_is_large_enough_is_only_told() -> None:
    finding = only(cluster(pods=PODS, resource_quotas=[quota("q", {IMPLICIT: 3})], device_classes=MAPPED), "DRA502")
    assert finding.severity is Severity.INFO
    assert finding.evidence.startswith(f"{IMPLICIT}: 0 of 3 used now, 3 more")


def test_dra502_what_dra_serves_already_is_counted_already() -> None:
    served = [pod("one", {GPU: 2}, on="a", served_by_claim=[GPU])]
    assert findings(cluster(pods=served, resource_quotas=[quota("q", {CLAIMS: 1})], device_classes=MAPPED), "DRA502") == ()


@pytest.mark.parametrize("asks", [IMPLICIT.removeprefix("requests."), "acme.example/fpga", "nvidia.com/gpu"])
def test_dra502_names_that_no_class_will_take_from_a_plugin(asks: str) -> None:
    """An implicit name has a claim from the start; of the others nobody knows a class."""
    given = cluster(pods=[pod("p", {asks: 1})], resource_quotas=[quota("q", {CLAIMS: 1})], device_classes=MAPPED)
    assert findings(given, "DRA502") == ()


def test_dra502_a_vendors_class_counts_before_it_maps_the_name() -> None:
    key = "gpu.nvidia.com.deviceclass.resource.k8s.io/devices"
    unmapped = [device_class("gpu.nvidia.com", driver="gpu.nvidia.com")]
    given = cluster(pods=[pod("p", {"nvidia.com/gpu": 2})], resource_quotas=[quota("q", {key: 1})], device_classes=unmapped)
    assert only(given, "DRA502").evidence.startswith(f"{key}: 0 of 1 used now, 2 more")


@pytest.mark.parametrize("key", [f"requests.{GPU}", "pods", "count/pods", "requests.cpu"])
def test_dra502_what_counts_pods_goes_on_as_before(key: str) -> None:
    assert findings(cluster(pods=PODS, resource_quotas=[quota("q", {key: 1})], device_classes=MAPPED), "DRA502") == ()


def test_dra502_other_namespaces_and_clusters_without_the_feature_are_no_matter() -> None:
    elsewhere = quota("q", {CLAIMS: 1}, namespace="other")
    assert findings(cluster(pods=PODS, resource_quotas=[elsewhere], device_classes=MAPPED), "DRA502") == ()
    here = [quota("q", {CLAIMS: 1})]
    off = {"DRAExtendedResource": False}
    assert findings(cluster("1.35.4", gates=off, pods=PODS, resource_quotas=here, device_classes=MAPPED), "DRA502") == ()
    given = cluster(pods=PODS, resource_quotas=here, device_classes=MAPPED)
    assert findings(given, "DRA502", scope=Scope(namespace="other")) == ()


def _claim(*requests: DeviceRequest) -> ResourceClaim:
    made = claim("own", namespace="team", extended=False)
    return msgspec.structs.replace(made, spec=ResourceClaimSpec(DeviceClaim(requests)))


def test_dra502_claims_of_people_begin_to_count_when_their_class_gets_the_name() -> None:
    unmapped = [device_class("gpu.nvidia.com", driver="gpu.nvidia.com")]
    requests = (
        DeviceRequest("two", ExactDeviceRequest("gpu.nvidia.com", count=2)),
        DeviceRequest("all", ExactDeviceRequest("gpu.nvidia.com", allocation_mode="All")),
        DeviceRequest(
            "either",
            first_available=(DeviceSubRequest("a", "gpu.nvidia.com", count=4), DeviceSubRequest("b", "gpu.nvidia.com", count=1)),
        ),
    )
    given = cluster(
        pods=[pod("p", {"nvidia.com/gpu": 1})],
        resource_claims=[_claim(*requests)],
        resource_quotas=[quota("q", {"requests.nvidia.com/gpu": "8"}, used={"requests.nvidia.com/gpu": "1"})],
        device_classes=unmapped,
    )
    finding = only(given, "DRA502")
    assert finding.severity is Severity.WARNING
    assert finding.evidence.startswith("requests.nvidia.com/gpu: 1 of 8 used now, 38 more when DRA serves them all\n")


def test_dra502_a_quota_on_a_class_that_serves_nobody() -> None:
    twins = [device_class("old", GPU, created="2026-01-01T00:00:00Z"), device_class("new", GPU, created="2026-01-01T00:01:00Z")]
    key = "old.deviceclass.resource.k8s.io/devices"
    finding = only(cluster(pods=PODS, resource_quotas=[quota("q", {key: 4})], device_classes=twins), "DRA502")
    assert (finding.severity, finding.evidence) == (
        Severity.WARNING,
        f"{key} does not count pods that ask {GPU}: class new serves them",
    )


def test_dra502_is_unknown_without_quotas() -> None:
    assert len(unknown(cluster(resource_quotas=forbidden(), pods=PODS, device_classes=MAPPED), "DRA502")) == 1
