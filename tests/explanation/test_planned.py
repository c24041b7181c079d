"""Pods that do not exist yet."""

import pytest

from kubectl_dra.errors import UsageError
from kubectl_dra.explanation.document import Explanation
from kubectl_dra.explanation.planned import planned
from kubectl_dra.explanation.pod import explain
from kubectl_dra.objects.snapshot import Snapshot
from tests.explanation.given import asking, codes, exactly, template, with_claim
from tests.factories import GPU, claim, custom_workload, device_class, node, pod, resource_slice, snapshot, workload

CLUSTER = snapshot(node("a"), device_class("gpu", GPU), resource_slice("a", 2), claim("c", ("a", "gpu-0"), pod="other"))


def asked_of(manifest: Snapshot, name: str | None = None) -> Explanation:
    cluster, found = planned(CLUSTER, manifest, name, "team")
    return explain(cluster, found, exists=False)


def test_a_pod_of_a_manifest() -> None:
    found = asked_of(snapshot(pod("train", gpu=1, namespace="")))
    assert (found.verdict, found.exists, found.pod.namespace) == ("fits", False, "team")
    assert found.summary == "would fit on a now"
    assert asked_of(snapshot(pod("train", gpu=2))).summary.startswith("would wait: a cannot take it now")


def test_what_makes_pods_stands_for_one_of_them() -> None:
    for manifest in (
        snapshot(deployments=[workload("web", gpu=2)]),
        snapshot(cron_jobs=[workload("web", gpu=2, cron=True)]),
        snapshot(custom=[custom_workload("JobSet", "web", gpu=2)]),
    ):
        found = asked_of(manifest)
        assert (found.pod.name, found.verdict, codes(found)) == ("web", "waits", ["in-use"])


def test_claims_and_templates_in_the_manifest_count_as_made() -> None:
    manifest = snapshot(with_claim(template="mine"), resource_claim_templates=[template("mine", exactly(count=2))])
    assert (asked_of(manifest).verdict, codes(asked_of(manifest))) == ("waits", ["in-use"])
    assert asked_of(snapshot(with_claim(claim="own"), asking("own"))).verdict == "fits"
    assert codes(asked_of(snapshot(with_claim(claim="own")))) == ["claim-missing"]


def test_which_pod_must_be_told() -> None:
    both = snapshot(pod("x", gpu=1), pod("y", gpu=2))
    assert asked_of(both, "y").verdict == "waits"
    with pytest.raises(UsageError, match="the manifest has several pods: x, y"):
        asked_of(both)
    with pytest.raises(UsageError, match="the manifest has no pod z"):
        asked_of(both, "z")
    with pytest.raises(UsageError, match="the manifest has no pod, and nothing that makes pods"):
        asked_of(snapshot(node("a")))


def test_a_manifest_that_names_its_node_leaves_the_scheduler_out() -> None:
    found = asked_of(snapshot(pod("train", gpu=1, node="a")))
    assert (found.verdict, codes(found)) == ("waits", ["bypasses-scheduler"])
    assert found.summary.startswith("would wait: spec.nodeName puts it on a without the scheduler")
    assert codes(asked_of(snapshot(pod("plain", node="a")))) == []
