"""DRA603 and DRA605: claims and pods that are being deleted and stay."""

from typing import Any

import msgspec
import pytest

from kubectl_dra.audit import settle
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import Severity
from kubectl_dra.audit.run import examine, report
from kubectl_dra.audit.scope import Scope
from kubectl_dra.audit.selection import Selection
from kubectl_dra.objects.meta import Condition
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.pod import Pod, PodResourceClaim
from kubectl_dra.objects.resource import ResourceClaim
from kubectl_dra.objects.snapshot import KindReading, ReadState, Snapshot
from tests.audit.given import DRIVER, GPU, cluster, device_class, findings, forbidden, names, node, only, pod, resource_slice, unknown
from tests.factories import claim
from tests.factories import pod as bare_pod

MAPPED = [device_class("gpu", GPU)]
HOURS_AGO = "2026-01-01T13:00:00Z"
"""Eleven hours before the reading."""
JUST_NOW = "2026-01-01T23:59:30Z"


def deleted(made: ResourceClaim, moment: str = HOURS_AGO) -> ResourceClaim:
    metadata = msgspec.structs.replace(made.metadata, deletion_timestamp=moment, finalizers=("resource.kubernetes.io/delete-protection",))
    return msgspec.structs.replace(made, metadata=metadata)


def held(name: str = "train-claim", **options: object) -> ResourceClaim:
    return claim(name, ("a", "gpu-0"), namespace="team", pod="train", **options)  # type: ignore[arg-type]


def ending(moment: str | None = HOURS_AGO, *, phase: str = "Running") -> Pod:
    """A pod on node a with the claim train-claim that should have ended at `moment`."""
    made = pod("train", {GPU: 1}, on="a", served_by_claim=[GPU], phase=phase)
    return msgspec.structs.replace(made, metadata=msgspec.structs.replace(made.metadata, deletion_timestamp=moment))


# DRA603


def test_dra603_a_claim_that_stays_after_its_pods() -> None:
    finding = only(cluster(resource_claims=[deleted(held())]), "DRA603")
    assert (finding.severity, finding.title) == (Severity.WARNING, "ResourceClaim team/train-claim is being deleted for 11 h")
    assert finding.evidence.split("\n") == [
        "ResourceClaim team/train-claim is being deleted for 11 h; finalizers: resource.kubernetes.io/delete-protection",
        "it is reserved for Pod team/train; of these none is there and not finished",
    ]
    assert "finalizer" in finding.fix[-1]
    assert finding.fix[-1].startswith("#"), "nothing that is pasted removes a finalizer"


def test_dra603_while_pods_use_it_that_is_meant_so() -> None:
    running = pod("train", {GPU: 1}, on="a", served_by_claim=[GPU])
    finding = only(cluster(pods=[running], resource_claims=[deleted(held())], device_classes=MAPPED), "DRA603")
    assert (finding.severity, names(finding)) == (Severity.INFO, ["ResourceClaim team/train-claim", "Pod team/train"])
    assert all(step.startswith("#") for step in finding.fix)


def test_dra603_two_minutes_are_no_stay_and_what_is_not_deleted_is_no_finding() -> None:
    given = cluster(resource_claims=[deleted(held(), JUST_NOW), held("other")])
    assert findings(given, "DRA603") == ()
    assert unknown(given, "DRA603") == ()
    assert findings(cluster(resource_claims=[deleted(held())]), "DRA603", scope=Scope(namespace="other")) == ()


def test_dra603_without_the_time_of_reading_nobody_knows() -> None:
    (doubt,) = unknown(cluster(resource_claims=[deleted(held())], read_at=""), "DRA603")
    assert "how long the deletion of ResourceClaim team/train-claim has taken" in doubt
    assert len(unknown(cluster(resource_claims=forbidden()), "DRA603")) == 1


# DRA605


def test_dra605_a_pod_cannot_end_without_its_driver() -> None:
    given = cluster(nodes=[_ready(node("a"))], pods=[ending()], resource_claims=[held()], device_classes=MAPPED)
    finding = only(given, "DRA605")
    assert finding.severity is Severity.ERROR
    assert finding.title == f"Pod team/train cannot end: driver {DRIVER} is gone from node a"
    assert finding.evidence.split("\n") == [
        f"Pod team/train should have ended 11 h ago; its node a has no slice and no pod of driver {DRIVER}",
        "it holds ResourceClaim team/train-claim",
    ]
    assert names(finding) == ["Pod team/train", "ResourceClaim team/train-claim"]
    assert not any(step.startswith("kubectl") and "--force" in step for step in finding.fix)


def _ready(made: Node, status: str = "True") -> Node:
    return msgspec.structs.replace(made, status=msgspec.structs.replace(made.status, conditions=(Condition("Ready", status),)))


def test_dra605_with_slices_or_a_pod_of_the_driver_on_the_node_it_is_something_else() -> None:
    plugin = bare_pod("driver-x", node="a", mounts=[f"/var/lib/kubelet/plugins/{DRIVER}"])
    there: dict[str, Any] = {"pods": [ending()], "resource_claims": [held()], "device_classes": MAPPED, "nodes": [_ready(node("a"))]}
    assert findings(cluster(**there, resource_slices=[resource_slice("a", 1)]), "DRA605") == ()
    assert findings(cluster(**there, resource_slices=[resource_slice("a", 0, slices=2)]), "DRA605") == (), "not complete, but there"
    assert findings(cluster(**{**there, "pods": [ending(), plugin]}, resource_slices=[resource_slice("b", 1)]), "DRA605") == ()
    assert findings(cluster(**there, resource_slices=[resource_slice(None, 1, pool="rack", all_nodes=True)]), "DRA605") == ()
    assert len(findings(cluster(**there, resource_slices=[resource_slice("b", 1)]), "DRA605")) == 1
    assert len(findings(cluster(**there, resource_slices=[resource_slice("a", 1, driver="other.example.com")]), "DRA605")) == 1


def test_dra605_a_node_that_is_gone_is_named_as_well() -> None:
    given = cluster(pods=[ending()], resource_claims=[held()], device_classes=MAPPED)
    assert only(given, "DRA605").evidence.endswith("node a does not exist")


def test_dra605_a_node_that_is_not_ready_is_named_as_well() -> None:
    given = cluster(nodes=[_ready(node("a"), "Unknown")], pods=[ending()], resource_claims=[held()], device_classes=MAPPED)
    assert "node a is not Ready (Unknown): that alone keeps the pod, too" in only(given, "DRA605").evidence


@pytest.mark.parametrize("moment", [None, JUST_NOW, "2026-01-02T00:10:00Z"])
def test_dra605_not_before_the_grace_is_over(moment: str | None) -> None:
    given = cluster(pods=[ending(moment)], resource_claims=[held()], device_classes=MAPPED)
    assert findings(given, "DRA605") == ()
    assert unknown(given, "DRA605") == ()


def test_dra605_finished_pods_and_claims_that_need_no_driver_are_no_finding() -> None:
    assert findings(cluster(pods=[ending(phase="Failed")], resource_claims=[held()], device_classes=MAPPED), "DRA605") == ()
    made = held()
    assert made.status.allocation is not None
    (result,) = made.status.allocation.devices.results or ()
    skipping = msgspec.structs.replace(result, skip_node_operations=("*",))
    allocation = msgspec.structs.replace(
        made.status.allocation, devices=msgspec.structs.replace(made.status.allocation.devices, results=(skipping,))
    )
    made = msgspec.structs.replace(made, status=msgspec.structs.replace(made.status, allocation=allocation))
    assert findings(cluster(pods=[ending()], resource_claims=[made], device_classes=MAPPED), "DRA605") == ()


def test_dra605_claims_that_the_pod_names_itself_count_too() -> None:
    made = bare_pod("train", namespace="team", node="a")
    spec = msgspec.structs.replace(made.spec, resource_claims=(PodResourceClaim("gpu", "own"),))
    made = msgspec.structs.replace(made, spec=spec, metadata=msgspec.structs.replace(made.metadata, deletion_timestamp=HOURS_AGO))
    assert "it holds ResourceClaim team/own" in only(cluster(pods=[made], resource_claims=[held("own", extended=False)]), "DRA605").evidence


def test_dra605_slices_that_are_back_by_the_second_look() -> None:
    first = cluster(nodes=[_ready(node("a"))], pods=[ending()], resource_claims=[held()], device_classes=MAPPED)
    for slices, left in (([resource_slice("a", 1)], []), ([], [True])):
        again = msgspec.structs.replace(
            Snapshot(),
            pods=KindReading((ending(),)),
            resource_claims=KindReading((held(),)),
            resource_slices=KindReading(tuple(slices)),
        )
        case = Case(first)
        answer = report(case, settle.settle(case, examine(case), again), Selection(select=("DRA605",)))
        assert [each.settled for each in answer.findings] == left


def test_dra605_is_unknown_without_slices_and_without_the_time_of_reading() -> None:
    there: dict[str, Any] = {"pods": [ending()], "resource_claims": [held()], "device_classes": MAPPED}
    assert len(unknown(cluster(**there, resource_slices=forbidden()), "DRA605")) == 1
    torn: KindReading[Any] = KindReading(state=ReadState.EXPIRED, reason="410")
    assert findings(cluster(**there, resource_slices=torn), "DRA605") == ()
    (doubt,) = unknown(cluster(**there, read_at=""), "DRA605")
    assert "Pod team/train" in doubt
