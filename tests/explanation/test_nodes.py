"""What is against a node: each reason with its code, in words that say how many devices and whose they are."""

from msgspec.structs import replace

from kubectl_dra.explanation.document import Reason
from kubectl_dra.explanation.pod import explain
from kubectl_dra.objects.node import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, Taint
from kubectl_dra.objects.resource import Device, DeviceAttribute, DeviceCapacity, DeviceTaint
from kubectl_dra.objects.snapshot import KindReading, ReadState
from tests.explanation.given import asking, codes, exactly, explained, on, with_claim
from tests.factories import GPU, claim, device_class, devices, forbidden, node, pod, resource_slice, snapshot

A = node("a")
GPUS = device_class("gpu", GPU)
ON_B = NodeSelector((NodeSelectorTerm(match_fields=(NodeSelectorRequirement("metadata.name", "In", ("b",)),)),))
MEMORY = 'device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0'


def with_memory(name: str, memory: str) -> Device:
    return Device(name, capacity={"memory": DeviceCapacity(memory)})


def test_a_free_device_fits() -> None:
    found = explained(pod("train", gpu=1), A, GPUS, resource_slice("a", 1))
    assert (found.verdict, found.reasons, on(found, "a").verdict, on(found, "a").served_by) == ("fits", (), "fits", {GPU: "dra"})
    assert found.summary == "fits on a now: the scheduler has not tried it yet, or something else keeps it"


def test_devices_in_use_and_by_whom() -> None:
    holder = claim("c", ("a", "gpu-0"), ("a", "gpu-1"), pod="other")
    found = explained(pod("train", gpu=1), A, GPUS, resource_slice("a", 2), holder)
    assert found.verdict == "waits"
    assert found.reasons == (
        Reason(
            "in-use",
            "both devices of class gpu are in use, 1 is asked for",
            "gpu",
            1,
            (
                "gpu-0 is in use by default/other (claim default/c)",
                "gpu-1 is in use by default/other (claim default/c)",
            ),
        ),
    )
    assert found.summary == "waits: a cannot take it now: both devices of class gpu are in use, 1 is asked for"


def test_a_selector_that_matches_nothing_with_the_part_that_is_false() -> None:
    large = device_class("large", GPU, selectors=[f'device.driver == "gpu.example.com" && {MEMORY}'])
    found = explained(pod("train", gpu=1), A, large, resource_slice("a", [with_memory("gpu-0", "16Gi"), with_memory("gpu-1", "16Gi")]))
    (reason,) = found.reasons
    assert (reason.code, reason.message) == ("not-selected", "class large selects none of the 2 devices here")
    assert reason.detail == (f"{MEMORY}: 16Gi < 40Gi (2 devices)",)


def test_a_selector_of_the_request() -> None:
    wants = asking("mine", exactly("r", "gpu", 1, MEMORY))
    found = explained(with_claim(claim="mine"), A, GPUS, wants, resource_slice("a", [with_memory("gpu-0", "16Gi")]))
    (reason,) = found.reasons
    assert (reason.code, reason.subject) == ("not-selected-by-request", "default/mine/r")
    assert reason.message == "the only device of class gpu is not selected by the request, 1 is asked for"
    assert reason.detail == (f"{MEMORY}: 16Gi < 40Gi",)


def test_devices_in_use_that_the_class_does_not_select_are_not_told_as_in_use() -> None:
    other = resource_slice("a", 1, driver="other.example.com", pool="other")
    held = claim("c", ("other", "gpu-0"), driver="other.example.com", pod="someone")
    (reason,) = explained(pod("train", gpu=1), A, GPUS, other, held).reasons
    assert (reason.code, reason.message) == ("not-selected", "class gpu does not select the only device here")


def test_fewer_devices_than_are_asked_for() -> None:
    (reason,) = explained(pod("train", gpu=3), A, GPUS, resource_slice("a", 2)).reasons
    assert (reason.code, reason.message) == ("too-few", "3 devices of class gpu are asked for, the node has 2")


def test_several_things_against_the_devices_the_commonest_first() -> None:
    listed = [*devices(2), *devices(1, first=2, taint="NoSchedule"), *devices(1, first=3)]
    held = claim("c", ("a", "gpu-0"), ("a", "gpu-1"), pod="other")
    (reason,) = explained(pod("train", gpu=2), A, GPUS, resource_slice("a", listed), held).reasons
    assert reason.code == "in-use"
    assert reason.message == "of 4 devices of class gpu 2 are in use and 1 is tainted, 2 are asked for and 1 would do"


def test_tainted_devices() -> None:
    tainted = Device("gpu-0", taints=(DeviceTaint("example.com/sick", "xid", "NoExecute"),))
    (reason,) = explained(pod("train", gpu=1), A, GPUS, resource_slice("a", [tainted])).reasons
    assert (reason.code, reason.detail) == ("device-tainted", ("gpu-0 is tainted: example.com/sick=xid:NoExecute",))


def test_a_pool_that_is_not_complete() -> None:
    (reason,) = explained(pod("train", gpu=1), A, GPUS, resource_slice("a", 1, slices=2, generation=3)).reasons
    assert (reason.code, reason.subject) == ("incomplete-pool", "gpu.example.com")
    assert reason.message == "pool a of gpu.example.com is not complete, so nothing of it is given out"
    assert reason.detail[0] == "1 of 2 slices of its generation 3 are there"


def test_a_pool_of_another_driver_is_no_reason() -> None:
    other = resource_slice("a", 1, driver="other.example.com", pool="other", slices=2)
    held = claim("c", ("a", "gpu-0"), pod="someone")
    assert codes(explained(pod("train", gpu=1), A, GPUS, resource_slice("a", 1), other, held)) == ["in-use"]


def test_a_pool_whose_only_slice_has_no_device_yet_may_be_the_class_s() -> None:
    assert codes(explained(pod("train", gpu=1), A, GPUS, resource_slice("a", 0, slices=2))) == ["incomplete-pool"]
    assert codes(explained(pod("train", gpu=1), A, GPUS, resource_slice("a", 0, driver="other.example.com", slices=2))) == ["no-devices"]


def test_no_device_at_all() -> None:
    assert codes(explained(pod("train", gpu=1), A, GPUS)) == ["no-devices"]


def test_the_plugin_s_devices_are_used_up_and_by_whom() -> None:
    found = explained(pod("train", gpu=1), node("a", gpu=3), GPUS, pod("x", gpu=2, node="a"), pod("y", gpu=1, node="a"))
    (reason,) = found.reasons
    assert (reason.code, on(found, "a").served_by) == ("plugin-used-up", {GPU: "plugin"})
    assert reason.message == f"the device plugin has 3 {GPU}, and pods on the node ask for 3"
    assert reason.detail == ("default/x (2), default/y",)


def test_nobody_serves_the_name() -> None:
    found = explained(pod("train", gpu=1), A)
    assert (codes(found), on(found, "a").served_by) == (["not-served"], {GPU: "nobody"})
    (left,) = explained(pod("train", gpu=1), node("a", capacity={GPU: 4}, allocatable={GPU: 0})).reasons
    assert left.detail == ("capacity is 4 and allocatable 0: the plugin has gone or all its devices are unhealthy",)


def test_reasons_before_devices_are_looked_at() -> None:
    tainted = node("a", cordoned=True, taints=[Taint("k", "v", "NoSchedule")])
    found = explained(pod("train", gpu=1), tainted, GPUS, resource_slice("a", 1))
    assert codes(on(found, "a")) == ["cordoned", "node-taint"]


def test_devices_are_looked_at_all_the_same_when_they_are_asked_for() -> None:
    held = claim("c", ("a", "gpu-0"), pod="someone")
    found = explained(pod("train", gpu=1), node("a", cordoned=True), GPUS, resource_slice("a", 1), held, node="a", devices=True)
    assert codes(on(found, "a")) == ["cordoned", "in-use"]
    (device,) = on(found, "a").devices
    assert (device.device, device.against, device.message) == ("gpu-0", "in_use", "gpu-0 is in use by default/someone (claim default/c)")


def test_a_claim_that_is_allocated_elsewhere() -> None:
    mine = claim("mine", ("b", "gpu-0"), extended=False)
    allocation = mine.status.allocation
    assert allocation is not None
    elsewhere = replace(mine, status=replace(mine.status, allocation=replace(allocation, node_selector=ON_B)))
    found = explained(with_claim(claim="mine"), A, node("b"), GPUS, elsewhere)
    assert (codes(on(found, "a")), on(found, "b").verdict, found.verdict) == (["claim-elsewhere"], "fits", "fits")


def test_more_than_32_devices_end_the_attempt_whatever_another_node_has() -> None:
    found = explained(pod("train", gpu=33), A, node("b", gpu=64), GPUS)
    assert (found.verdict, on(found, "a").verdict, on(found, "b").verdict) == ("fails", "error", "fits")
    (reason,) = found.reasons
    assert reason.code == "too-many-devices"
    assert reason.detail[0].endswith("adding 33 devices exceeds the claim limit of 32, with 0 already accounted for")


def test_a_selector_that_fails_ends_the_attempt() -> None:
    failing = device_class("gpu", GPU, selectors=['device.attributes["gpu.example.com"].model == "x"'])
    found = explained(pod("train", gpu=1), A, failing, resource_slice("a", 1))
    (reason,) = found.reasons
    assert (found.verdict, reason.code, reason.subject) == ("fails", "selector-fails", "class gpu")
    assert reason.detail[0].startswith("class gpu: selector #0 on device gpu.example.com/a/gpu-0: CEL runtime error: no such key: model")


def test_all_devices_of_a_pool_that_is_not_ready_end_the_attempt() -> None:
    wants = asking("mine", exactly(mode="All"))
    found = explained(with_claim(claim="mine"), A, GPUS, wants, resource_slice("a", 1, slices=2))
    assert (found.verdict, codes(found)) == ("fails", ["all-of-unready-pool"])


def test_a_constraint_that_no_devices_satisfy_together() -> None:
    listed = [Device(f"gpu-{at}", {"rack": DeviceAttribute(string=rack)}) for at, rack in enumerate("ab")]
    wants = asking("mine", exactly(count=2), same="gpu.example.com/rack")
    (reason,) = explained(with_claim(claim="mine"), A, GPUS, wants, resource_slice("a", listed)).reasons
    assert (reason.code, reason.subject) == ("constraint", "gpu.example.com/rack")


def test_requests_that_can_be_met_one_by_one_only() -> None:
    wants = asking("mine", exactly("x"), exactly("y"))
    (reason,) = explained(with_claim(claim="mine"), A, GPUS, wants, resource_slice("a", 1)).reasons
    assert reason.code == "together"
    assert reason.message.endswith("2 devices are asked for, 1 would do for one or another")


def test_claims_beside_a_mapped_name_that_a_plugin_serves_cannot_be_bound() -> None:
    """F2: the scheduler takes the node and fails to bind the pod, again and again."""
    both = pod("train", gpu=1)
    both = replace(both, spec=replace(both.spec, resource_claims=with_claim(claim="mine").spec.resource_claims))
    found = explained(both, node("a", gpu=4), GPUS, asking("mine"), resource_slice("a", 2))
    assert (found.verdict, codes(found)) == ("waits", ["claims-and-plugin"])


def test_what_could_not_be_read_is_unknown() -> None:
    found = explained(pod("train", gpu=1), A, GPUS, resource_slices=forbidden("resourceslices"))
    assert (found.verdict, on(found, "a").verdict, [each.kind for each in found.unknown]) == ("unknown", "unknown", ["ResourceSlice"])
    (reason,) = found.reasons
    assert (reason.code, reason.message) == ("undecided", "it cannot be told: ResourceSlice could not be read")


def test_a_server_without_taint_rules_has_none_and_a_file_without_them_is_taken_so() -> None:
    """Before 1.37 rules are not served by default."""
    for state in (ReadState.UNSERVED, ReadState.ABSENT):
        found = explained(pod("train", gpu=1), A, GPUS, resource_slice("a", 1), device_taint_rules=KindReading(state=state))
        assert found.verdict == "fits"


def test_the_commonest_reason_first_and_the_one_that_tells_most_in_the_sentence() -> None:
    others = [node(name) for name in "bcd"]
    held = claim("c", ("a", "gpu-0"), pod="someone")
    found = explained(pod("train", gpu=1), A, *others, GPUS, resource_slice("a", 1), held)
    assert [(each.code, each.nodes) for each in found.reasons] == [("no-devices", 3), ("in-use", 1)]
    assert found.summary.endswith("none of 4 nodes can take it now: on 1 of them the only device of class gpu is in use, 1 is asked for")


def test_one_node_is_told_and_the_verdict_is_still_that_of_all() -> None:
    found = explained(pod("train", gpu=1), A, node("b"), GPUS, resource_slice("a", 1), node="b", devices=True)
    assert ([each.node for each in found.nodes], found.verdict, codes(found)) == (["b"], "fits", ["no-devices"])


def test_a_search_that_takes_too_long_is_not_decided() -> None:
    waiting = pod("train", gpu=1)
    found = explain(snapshot(waiting, A, GPUS, resource_slice("a", 1)), waiting, expired=lambda: True)
    assert (found.verdict, on(found, "a").verdict, codes(found)) == ("unknown", "unknown", ["undecided"])
