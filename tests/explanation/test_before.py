"""What has to happen before the scheduler looks for a node."""

from msgspec.structs import replace

from kubectl_dra.objects.pod import Pod, PodSchedulingGate
from tests.explanation.given import asking, codes, event, exactly, explained, on, template, told, with_claim
from tests.factories import GPU, claim, device_class, forbidden, node, pod, resource_slice

A = node("a")
GPUS = device_class("gpu", GPU)
FREE = (A, GPUS, resource_slice("a", 1))


def gated(*names: str) -> Pod:
    plain = pod("train", gpu=1)
    return replace(plain, spec=replace(plain.spec, scheduling_gates=tuple(map(PodSchedulingGate, names))))


def for_scheduler(name: str) -> Pod:
    plain = pod("train", gpu=1)
    return replace(plain, spec=replace(plain.spec, scheduler_name=name))


def test_gates_and_who_removes_those_that_are_known() -> None:
    found = explained(gated("kueue.x-k8s.io/admission", "example.com/mine"), *FREE)
    assert (found.verdict, codes(found), on(found, "a").verdict) == ("held", ["gated"], "fits")
    assert found.reasons[0].message.startswith("it has the scheduling gates kueue.x-k8s.io/admission, example.com/mine")
    assert found.reasons[0].detail == ("Kueue removes it when it admits the workload: see the Workload's conditions",)


def test_a_scheduler_that_has_said_nothing() -> None:
    found = explained(for_scheduler("volcano"), *FREE)
    assert (found.verdict, codes(found)) == ("held", ["other-scheduler"])


def test_another_scheduler_that_looks_at_the_pod_may_mean_something_else() -> None:
    """Volcano says Insufficient and knows no mapping: that proves no lost one."""
    found = explained(told(for_scheduler("volcano"), f"0/1 nodes are unavailable: 1 Insufficient {GPU}."), *FREE)
    assert (found.verdict, codes(found)) == ("fits", ["other-scheduler"])
    assert explained(told(for_scheduler("default-scheduler"), ""), *FREE).reasons == ()


def test_a_template_that_does_not_exist_with_what_the_controller_says() -> None:
    """E49."""
    waiting = with_claim(template="nope")
    words = 'PodResourceClaim gpu: resource claim template "nope": not found'
    found = explained(
        waiting, *FREE, resource_claim_templates=[template("other")], events=[event(waiting, "FailedResourceClaimCreation", words)]
    )
    (reason,) = found.reasons
    assert (found.verdict, reason.code, found.nodes) == ("held", "template-missing", ())
    assert reason.detail == ("in namespace default there are: other", words)


def test_a_claim_that_is_not_made_yet_and_what_comes_then() -> None:
    busy = claim("c", ("a", "gpu-0"), pod="other")
    found = explained(with_claim(template="mine"), *FREE, busy, resource_claim_templates=[template("mine", exactly())])
    assert (found.verdict, codes(found)) == ("held", ["claim-not-made", "in-use"])
    assert [(each.source, each.claim, each.request, each.device_class, each.containers) for each in found.requests] == [
        ("template", None, "r", "gpu", ("main",))
    ]


def test_a_quota_that_forbids_the_claim() -> None:
    waiting = with_claim(template="mine")
    words = "PodResourceClaim gpu: create ResourceClaim : resourceclaims is forbidden: exceeded quota: q, requested: count/resourceclaims=1"
    events = [event(waiting, "FailedResourceClaimCreation", words)]
    found = explained(waiting, *FREE, resource_claim_templates=[template("mine")], events=events)
    assert (codes(found), found.reasons[0].detail) == (["quota"], (words,))


def test_templates_that_could_not_be_read_are_not_told_as_missing() -> None:
    found = explained(with_claim(template="mine"), *FREE, resource_claim_templates=forbidden("resourceclaimtemplates"))
    assert (codes(found), [each.kind for each in found.unknown]) == (["claim-not-made"], ["ResourceClaimTemplate"])


def test_claims_that_stand_in_the_way() -> None:
    deleted = asking("mine")
    deleted = replace(deleted, metadata=replace(deleted.metadata, deletion_timestamp="2026-01-01T00:00:00Z"))
    for objects, code in (
        ([], "claim-missing"),
        ([deleted], "claim-being-deleted"),
        ([asking("mine", exactly("r", "nope"))], "class-missing"),
    ):
        found = explained(with_claim(claim="mine"), *FREE, *objects)
        assert (found.verdict, codes(found), found.nodes) == ("held", [code], ())


def test_claims_that_could_not_be_read_are_not_told_as_missing() -> None:
    found = explained(with_claim(claim="mine"), *FREE, resource_claims=forbidden("resourceclaims"))
    assert (found.verdict, codes(found)) == ("unknown", ["undecided"])


def test_a_pod_without_any_node_in_the_cluster() -> None:
    found = explained(pod("train", gpu=1))
    assert (found.verdict, codes(found)) == ("waits", ["no-nodes"])
