"""Quotas that would forbid what is made for the pod. The keys are those of upstream's own expectations (resource_claims_test.go)."""

import pytest
from msgspec.structs import replace

from kubectl_dra.explanation.planned import planned
from kubectl_dra.explanation.pod import explain
from tests.explanation.given import codes, exactly, explained, template, with_claim
from tests.factories import GPU, device_class, node, pod, quota, resource_slice, snapshot

IMPLICIT = "deviceclass.resource.kubernetes.io/gpu"
FREE = (node("a"), device_class("gpu", GPU), resource_slice("a", 4))


def full(key: str) -> object:
    return quota("q", {key: "1"}, used={key: "1"})


@pytest.mark.parametrize(
    ("name", "key", "short"),
    [
        (GPU, "count/resourceclaims.resource.k8s.io", True),
        (GPU, "gpu.deviceclass.resource.k8s.io/devices", True),
        (GPU, f"requests.{IMPLICIT}", True),
        (GPU, f"requests.{GPU}", False),
        (IMPLICIT, f"requests.{GPU}", True),
        (IMPLICIT, f"requests.{IMPLICIT}", False),
        (GPU, "count/pods", False),
    ],
)
def test_what_the_claim_counts_beyond_the_pod_itself(name: str, key: str, short: bool) -> None:
    """F10."""
    found = explained(pod("train", resources={name: 1}), *FREE, full(key))
    assert (found.verdict, codes(found)) == (("waits", ["quota-short"]) if short else ("fits", []))


def test_enough_is_left() -> None:
    left = quota("q", {"gpu.deviceclass.resource.k8s.io/devices": "4"}, used={"gpu.deviceclass.resource.k8s.io/devices": "2"})
    assert codes(explained(pod("train", gpu=2), *FREE, left)) == []
    (short,) = explained(pod("train", gpu=3), *FREE, left).reasons
    assert short.message == (
        "quota default/q has too little gpu.deviceclass.resource.k8s.io/devices left: 2 of 4 are used, and 3 more come with the pod"
    )


def test_quotas_of_other_namespaces_and_with_scopes_do_not_count() -> None:
    key = "count/resourceclaims.resource.k8s.io"
    elsewhere = quota("q", {key: "0"}, used={key: "0"}, namespace="other")
    of_pods = quota("q", {key: "0"}, used={key: "0"})
    of_pods = replace(of_pods, spec=replace(of_pods.spec, scopes=("BestEffort",)))
    assert codes(explained(pod("train", gpu=1), *FREE, elsewhere, of_pods)) == []


def test_where_the_plugin_serves_no_claim_is_made() -> None:
    found = explained(pod("train", gpu=1), node("a", gpu=4), device_class("gpu", GPU), full("count/resourceclaims.resource.k8s.io"))
    assert (found.verdict, codes(found)) == ("fits", ["quota-short"])


def test_claims_of_templates_and_the_pod_itself_count_for_a_pod_that_does_not_exist() -> None:
    manifest = snapshot(with_claim(template="t"), resource_claim_templates=[template("t", exactly(count=2))])
    for key in ("gpu.deviceclass.resource.k8s.io/devices", f"requests.{IMPLICIT}", f"requests.{GPU}"):
        cluster, new = planned(snapshot(*FREE, quota("q", {key: "1"}, used={key: "0"})), manifest, None, "default")
        assert codes(explain(cluster, new, exists=False)) == ["quota-short"]
    cluster, new = planned(snapshot(*FREE, full(f"requests.{GPU}")), snapshot(pod("train", gpu=1)), None, "default")
    assert codes(explain(cluster, new, exists=False)) == ["quota-short"]
