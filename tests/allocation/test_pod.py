"""The whole-pod call: plugin or DRA, the pod's own claims, other checks, what is unknown."""

from msgspec.structs import replace

from kubectl_dra.allocation.node_fit import Misfit, NodeMisfit
from kubectl_dra.allocation.pod import PodPlanner, Verdict
from kubectl_dra.allocation.pod_claims import ClaimTrouble
from kubectl_dra.objects.node import Node, Taint
from kubectl_dra.objects.pod import Pod, PodResourceClaim
from kubectl_dra.objects.resource import DeviceTaint, DeviceTaintRule, DeviceTaintRuleSpec
from kubectl_dra.objects.snapshot import KindReading, ReadState
from tests.factories import GPU, claim, device_class, node, pod, resource_slice, snapshot

A = node("a")


def planner(*objects: object) -> PodPlanner:
    return PodPlanner(snapshot(A, device_class("gpu", GPU), resource_slice("a", 2), *objects))


def devices(found: object) -> list[str]:
    return [
        result.device
        for each in found.allocation.allocations or ()  # type: ignore[attr-defined]
        for result in each.result.devices.results or ()
    ]


def test_dra_serves_a_name_that_the_node_does_not_offer() -> None:
    found = planner(claim("old", ("a", "gpu-0"))).on_node(pod("train", gpu=1), A)
    assert (found.verdict, found.served.dra, devices(found)) == (Verdict.FITS, {GPU: "gpu"}, ["gpu-1"])
    assert [(each.resource_name, each.request_name) for each in found.mappings] == [(GPU, "container-0-request-0")]


def test_devices_in_use_are_not_given_again() -> None:
    found = planner(claim("old", ("a", "gpu-0"))).on_node(pod("train", gpu=2), A)
    assert (found.verdict, found.allocation.error) == (Verdict.NO, "")


def test_the_plugin_serves_what_the_node_offers_whatever_dra_has() -> None:
    offering = node("a", gpu=1)
    plan = planner(pod("other", gpu=1, node="a"))
    assert plan.on_node(pod("train", gpu=1), offering).misfits == (NodeMisfit(Misfit.RESOURCES, GPU),)
    assert plan.on_node(pod("train", gpu=1), offering).served.plugin == (GPU,)


def test_more_than_32_devices_end_the_attempt() -> None:
    found = planner().on_node(pod("train", gpu=33), A)
    assert found.verdict is Verdict.FATAL
    assert found.allocation.error == (
        "claim default/<extended-resources>, request container-0-request-0:"
        " adding 33 devices exceeds the claim limit of 32, with 0 already accounted for"
    )


def test_nobody_serves_a_name_without_class_and_allocatable() -> None:
    found = planner().on_node(pod("train", resources={"other.example.com/x": 1}), A)
    assert (found.verdict, found.served.nobody) == (Verdict.NO, ("other.example.com/x",))
    assert found.misfits == (NodeMisfit(Misfit.RESOURCES, "other.example.com/x"),)


def test_nodes_that_are_out_before_devices_are_looked_at() -> None:
    plan = planner()

    def against(node: Node) -> list[Misfit]:
        return [each.misfit for each in plan.on_node(pod("train", gpu=1), node).misfits]

    assert against(node("a", cordoned=True)) == [Misfit.UNSCHEDULABLE]
    assert against(node("a", taints=[Taint("k", "v", "NoSchedule")])) == [Misfit.TAINTED]
    assert against(node("a", taints=[Taint("k", "v", "PreferNoSchedule")])) == []


def with_claim(entry: PodResourceClaim) -> Pod:
    plain = pod("train")
    return replace(plain, spec=replace(plain.spec, resource_claims=(entry,)))


def test_claims_that_are_not_there() -> None:
    for entry, trouble in (
        (PodResourceClaim("gpu", resource_claim_name="gone"), ClaimTrouble.MISSING),
        (PodResourceClaim("gpu", resource_claim_template_name="t"), ClaimTrouble.NOT_GENERATED),
    ):
        found = planner().on_node(with_claim(entry), A)
        assert (found.verdict, [each.trouble for each in found.obstacles]) == (Verdict.NO, [trouble])


def test_an_allocated_claim_is_used_as_it_is() -> None:
    found = planner(claim("mine", ("a", "gpu-0"), extended=False)).on_node(with_claim(PodResourceClaim("gpu", "mine")), A)
    assert (found.verdict, found.claims, devices(found)) == (Verdict.FITS, (), [])


def test_what_was_not_read_leaves_it_undecided() -> None:
    forbidden: KindReading[object] = KindReading(state=ReadState.FORBIDDEN)
    cluster = snapshot(A, device_class("gpu", GPU), resource_slices=forbidden)
    found = PodPlanner(cluster).on_node(pod("train", gpu=1), A)
    assert (found.verdict, found.unknown) == (Verdict.UNDECIDED, ("resource_slices",))


def test_a_rule_without_selector_taints_every_device_before_1_37_1() -> None:
    rule = DeviceTaintRule(spec=DeviceTaintRuleSpec(None, DeviceTaint("k", None, "NoSchedule")))
    for version, verdict in (("v1.37.0", Verdict.NO), ("v1.37.2", Verdict.FITS)):
        cluster = snapshot(A, device_class("gpu", GPU), resource_slice("a", 2), version=version, device_taint_rules=[rule])
        assert PodPlanner(cluster).on_node(pod("train", gpu=1), A).verdict is verdict
