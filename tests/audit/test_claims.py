"""DRA409, DRA601, DRA602 and DRA604: claims whose pods are gone or done, and pods whose claims are."""

from collections.abc import Iterable
from typing import Any

import msgspec
import pytest

from kubectl_dra.audit import settle
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import Severity
from kubectl_dra.audit.run import examine, report
from kubectl_dra.audit.scope import Scope
from kubectl_dra.audit.selection import Selection
from kubectl_dra.objects.meta import Condition, OwnerReference
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.resource import ResourceClaim, ResourceClaimConsumerReference
from kubectl_dra.objects.snapshot import KindReading, ReadState, Snapshot
from tests.audit.given import GPU, cluster, device_class, findings, forbidden, names, node, only, pod, unknown
from tests.factories import claim

MAPPED = [device_class("gpu", GPU)]
LONG_AGO = "2026-01-01T00:00:00Z"
"""A day before the reading."""
JUST_NOW = "2026-01-01T23:59:30Z"


def served(name: str = "train", **options: object) -> Pod:
    """A pod on node a whose status names the claim NAME-claim."""
    return pod(name, {GPU: 1}, on="a", served_by_claim=[GPU], **options)  # type: ignore[arg-type]


def given_claim(name: str, *, of: str | None = "train", created: str = LONG_AGO, **options: object) -> ResourceClaim:
    """An allocated claim in namespace team for pod `of`, made a day ago."""
    made = claim(name, ("a", "gpu-0"), namespace="team", pod=of, **options)  # type: ignore[arg-type]
    return msgspec.structs.replace(made, metadata=msgspec.structs.replace(made.metadata, creation_timestamp=created))


def reserved_for(made: ResourceClaim, *consumers: ResourceClaimConsumerReference) -> ResourceClaim:
    return msgspec.structs.replace(made, status=msgspec.structs.replace(made.status, reserved_for=consumers))


def again(code: str, first: Snapshot, **kinds: Iterable[object]) -> list[bool]:
    """What is left of a check's findings after a second look at just these objects: whether each is settled."""
    case = Case(first)
    second = msgspec.structs.replace(Snapshot(), **{kind: KindReading(items=tuple(items)) for kind, items in kinds.items()})
    answer = report(case, settle.settle(case, examine(case), second), Selection(select=(code,)))
    return [each.settled for each in answer.findings]


# DRA409


def test_dra409_a_pod_bound_with_a_claim_that_is_gone() -> None:
    finding = only(cluster(nodes=[node("a", 4)], pods=[served(phase="Pending")], device_classes=MAPPED), "DRA409")
    assert finding.severity is Severity.ERROR
    assert (names(finding), finding.title) == (["Pod team/train"], "Pod team/train waits on node a for a claim that is gone")
    assert finding.evidence == (
        "Pod team/train is on node a, phase Pending; status.extendedResourceClaimStatus names ResourceClaim train-claim,"
        f" which does not exist (for {GPU})"
    )
    assert finding.fix == (
        "# nothing makes these again, keep their manifests: Pod team/train",
        "kubectl -n team delete pod train",
    )


def test_dra409_a_pod_that_runs_has_lost_its_claim_to_somebody() -> None:
    finding = only(cluster(pods=[served()], device_classes=MAPPED), "DRA409")
    assert finding.title == "Pod team/train runs on node a with a claim that is gone"
    assert "gives them to others" in finding.why


def test_dra409_pods_with_their_claim_on_no_node_finished_or_going_are_no_finding() -> None:
    going = served("going")
    going = msgspec.structs.replace(going, metadata=msgspec.structs.replace(going.metadata, deletion_timestamp=LONG_AGO))
    waiting = pod("waiting", {GPU: 1}, served_by_claim=[GPU])
    given = cluster(
        pods=[served(), going, waiting, served("done", phase="Failed")], resource_claims=[given_claim("train-claim")], device_classes=MAPPED
    )
    assert findings(given, "DRA409") == ()


def test_dra409_names_and_pods_that_are_not_asked_about() -> None:
    given = cluster(pods=[served(), pod("plain", {GPU: 1}, on="a")], device_classes=MAPPED)
    assert names(only(given, "DRA409")) == ["Pod team/train"]
    assert findings(given, "DRA409", scope=Scope(resources=("other.example/*",))) == ()


def test_dra409_a_claim_that_the_second_look_finds_was_only_made_between_two_lists() -> None:
    first = cluster(pods=[served()], device_classes=MAPPED)
    assert again("DRA409", first, pods=[served()], resource_claims=[given_claim("train-claim")]) == []
    assert again("DRA409", first, pods=[served()], resource_claims=[]) == [True]
    assert again("DRA409", first, pods=[], resource_claims=[]) == []


@pytest.mark.parametrize("code", ["DRA409", "DRA601", "DRA602", "DRA604"])
def test_what_is_absent_is_not_told_from_lists_that_are_not_whole(code: str) -> None:
    assert len(unknown(cluster(resource_claims=forbidden(), pods=[served()], device_classes=MAPPED), code)) == 1
    torn: KindReading[Any] = KindReading(state=ReadState.EXPIRED, reason="410")
    assert findings(cluster(resource_claims=torn, pods=[served()], device_classes=MAPPED), code) == ()
    assert findings(cluster(pods=torn, resource_claims=[given_claim("c")], device_classes=MAPPED), code) == ()


# DRA601


def test_dra601_a_special_claim_whose_pod_is_gone() -> None:
    finding = only(cluster(resource_claims=[given_claim("train-claim")]), "DRA601")
    assert (finding.severity, names(finding)) == (Severity.WARNING, ["ResourceClaim team/train-claim"])
    assert finding.title == "ResourceClaim team/train-claim was made for a pod that is gone, and keeps 1 device"
    assert finding.evidence == (
        "ResourceClaim team/train-claim was made for a pod's extended resources; its owner Pod train (uid uid-train) does not exist;"
        " holds gpu.example.com/a/gpu-0"
    )
    assert finding.fix[-1] == "kubectl -n team delete resourceclaim train-claim"


def test_dra601_a_replaced_pod_of_the_same_name_is_not_the_owner() -> None:
    replaced = msgspec.structs.replace(served(), metadata=msgspec.structs.replace(served().metadata, uid="uid-other"))
    assert len(findings(cluster(pods=[replaced], resource_claims=[given_claim("train-claim")], device_classes=MAPPED), "DRA601")) == 1


def test_dra601_made_by_hand_without_an_owner_and_without_devices_is_only_told() -> None:
    by_hand = msgspec.structs.replace(claim("by-hand", namespace="team"), status=ResourceClaim().status)
    finding = only(cluster(resource_claims=[by_hand]), "DRA601")
    assert (finding.severity, finding.title) == (Severity.INFO, "ResourceClaim team/by-hand was made for a pod that is gone")
    assert "no pod owns it; holds no device" in finding.evidence


def test_dra601_quiet_for_claims_with_their_pods_new_ones_those_going_and_those_of_people() -> None:
    going = given_claim("going", of="gone")
    going = msgspec.structs.replace(going, metadata=msgspec.structs.replace(going.metadata, deletion_timestamp=LONG_AGO))
    given = cluster(
        pods=[served()],
        resource_claims=[
            given_claim("train-claim"), given_claim("new", of="gone", created=JUST_NOW), going, given_claim("own", of=None, extended=False),
        ],
        device_classes=MAPPED,
    )  # fmt: skip
    assert findings(given, "DRA601") == ()


def test_dra601_a_pod_that_the_second_look_finds_is_there() -> None:
    first = cluster(resource_claims=[given_claim("train-claim")])
    assert again("DRA601", first, resource_claims=[given_claim("train-claim")], pods=[served()]) == []
    assert again("DRA601", first, resource_claims=[given_claim("train-claim")], pods=[]) == [True]


# DRA602


def ended(moment: str = LONG_AGO, phase: str = "Succeeded") -> Pod:
    done = served(phase=phase)
    ready = Condition("Ready", "False", "PodCompleted", None, moment)
    return msgspec.structs.replace(done, status=msgspec.structs.replace(done.status, conditions=(ready,)))


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_dra602_finished_pods_keep_their_devices(phase: str) -> None:
    given = cluster("1.34.3", pods=[ended(phase=phase)], resource_claims=[given_claim("train-claim")])
    finding = only(given, "DRA602")
    assert finding.title == "1 claim of finished pods in team keeps 1 device"
    assert names(finding) == ["Pod team/train", "ResourceClaim team/train-claim"]
    assert finding.evidence == f"ResourceClaim team/train-claim holds gpu.example.com/a/gpu-0; Pod team/train is {phase}"
    assert finding.fix[-1] == "kubectl -n team delete pod train"


def test_dra602_by_the_reservation_or_by_the_owner_alone() -> None:
    reserved = reserved_for(given_claim("own", of=None, extended=False), _pod_reference("train"))
    owned = reserved_for(given_claim("special"))
    going = given_claim("going")
    going = msgspec.structs.replace(going, metadata=msgspec.structs.replace(going.metadata, deletion_timestamp=LONG_AGO))
    given = cluster(pods=[ended()], resource_claims=[reserved, owned, going])
    assert names(only(given, "DRA602")) == ["Pod team/train", "ResourceClaim team/own", "ResourceClaim team/special"]


def test_dra602_from_1_35_on_the_controller_is_asked_about_first() -> None:
    finding = only(cluster(pods=[ended()], resource_claims=[given_claim("train-claim")]), "DRA602")
    assert finding.fix[0].startswith("# the claim controller should have done it")


def test_dra602_the_controller_gets_a_minute_and_a_pod_that_runs_keeps_its_claim() -> None:
    assert findings(cluster(pods=[ended(JUST_NOW)], resource_claims=[given_claim("c")]), "DRA602") == ()
    assert findings(cluster(pods=[served()], resource_claims=[given_claim("c")]), "DRA602") == ()
    shared = reserved_for(given_claim("c", extended=False), *(_pod_reference(name) for name in ("train", "other")))
    assert findings(cluster(pods=[ended(), served("other")], resource_claims=[shared]), "DRA602") == ()


def test_dra602_stays_within_the_namespace() -> None:
    given = cluster(pods=[ended()], resource_claims=[given_claim("train-claim")])
    assert findings(given, "DRA602", scope=Scope(namespace="other")) == ()


def test_dra602_a_claim_that_is_released_by_the_second_look_is_no_finding() -> None:
    released = msgspec.structs.replace(given_claim("train-claim"), status=ResourceClaim().status)
    first = cluster(pods=[ended()], resource_claims=[given_claim("train-claim")])
    assert again("DRA602", first, pods=[ended()], resource_claims=[released]) == []


# DRA604


def _pod_reference(name: str, uid: str | None = None) -> ResourceClaimConsumerReference:
    return ResourceClaimConsumerReference(None, "pods", name, uid or f"uid-{name}")


def test_dra604_reserved_for_a_pod_that_is_gone() -> None:
    kept = reserved_for(given_claim("shared", extended=False), _pod_reference("gone"), _pod_reference("train"))
    finding = only(cluster(pods=[served()], resource_claims=[kept]), "DRA604")
    assert (finding.severity, finding.title) == (Severity.WARNING, "ResourceClaim team/shared is reserved for a pod that is gone")
    assert finding.evidence == (
        "ResourceClaim team/shared is reserved for pod gone (uid uid-gone), which does not exist\nit holds gpu.example.com/a/gpu-0"
    )
    assert not any(step.startswith("kubectl -n team delete") for step in finding.fix), "deleting a claim of people is for people"


def test_dra604_reserved_for_something_else_is_only_told_and_a_pod_group_is_fine() -> None:
    other = ResourceClaimConsumerReference("example.com", "trainings", "t", "uid-t")
    group = ResourceClaimConsumerReference("scheduling.k8s.io", "podgroups", "g", "uid-g")
    finding = only(cluster(resource_claims=[reserved_for(given_claim("c", of=None, extended=False), other, group)]), "DRA604")
    assert finding.severity is Severity.INFO
    assert finding.evidence.startswith("ResourceClaim team/c is reserved for trainings.example.com t\n")
    assert any("--show-managed-fields" in step for step in finding.fix)
    assert findings(cluster(resource_claims=[reserved_for(given_claim("c", of=None, extended=False), group)]), "DRA604") == ()


def test_dra604_leaves_orphans_to_dra601_and_a_pod_that_has_come_is_no_finding() -> None:
    by_hand = reserved_for(given_claim("by-hand", of=None), _pod_reference("gone"))
    going = given_claim("going", extended=False)
    going = msgspec.structs.replace(going, metadata=msgspec.structs.replace(going.metadata, deletion_timestamp=LONG_AGO))
    assert findings(cluster(resource_claims=[given_claim("train-claim"), by_hand, going]), "DRA604") == ()
    first = cluster(resource_claims=[given_claim("own", extended=False)])
    assert again("DRA604", first, resource_claims=[given_claim("own", extended=False)], pods=[served()]) == []
    assert again("DRA604", first, resource_claims=[given_claim("own", extended=False)], pods=[]) == [True]


def test_an_owner_that_is_no_pod_does_not_exist_as_one() -> None:
    owned = given_claim("odd")
    references = (OwnerReference("Job", "j", "uid-j", "batch/v1", controller=True),)
    owned = msgspec.structs.replace(owned, metadata=msgspec.structs.replace(owned.metadata, owner_references=references))
    assert "its owner Job j (uid uid-j) does not exist" in only(cluster(pods=[served()], resource_claims=[owned]), "DRA601").evidence
