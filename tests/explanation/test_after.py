"""Pods that have a node: what they hold, why they do not start, why they do not end."""

from msgspec.structs import replace

from kubectl_dra.explanation.document import Asked, Holding
from kubectl_dra.objects.pod import Container, Pod, PodStatus
from tests.explanation.given import asking, codes, event, explained, with_claim
from tests.factories import GPU, claim, device_class, node, pod, resource_slice

A = node("a")
GPUS = device_class("gpu", GPU)
SLICE = resource_slice("a", 1)


def starting(claim: str | None = "c", gpu: int = 1) -> Pod:
    return pod("train", gpu=gpu, node="a", phase="Pending", claim=claim)


def deleted(found: Pod, at: str = "2026-01-01T23:59:00Z") -> Pod:
    """The reading is of midnight."""
    return replace(found, metadata=replace(found.metadata, deletion_timestamp=at))


def test_what_a_running_pod_holds() -> None:
    found = explained(pod("train", gpu=1, node="a", claim="c"), A, GPUS, SLICE, claim("c", ("a", "gpu-0"), pod="train"))
    assert (found.verdict, found.summary) == ("runs", "runs on a and holds gpu-0 of gpu.example.com")
    assert found.holds == (Holding("c", "request-0", "gpu.example.com", "a", "gpu-0", ()),)
    assert (found.reasons, found.nodes) == ((), ())


def test_a_running_pod_on_the_plugin() -> None:
    found = explained(pod("train", gpu=1, node="a"), node("a", gpu=4), GPUS)
    assert (found.verdict, found.summary, found.reasons) == ("runs", f"runs on a and has its {GPU} from the device plugin", ())
    assert found.requests == (Asked("extended resource", ("main",), GPU, None, None, None, 1, {"plugin": 1}),)


def test_a_running_pod_whose_plugin_has_left() -> None:
    found = explained(pod("train", gpu=1, node="a"), A, GPUS)
    assert (found.verdict, codes(found)) == ("runs", ["no-claim"])


def test_a_running_pod_whose_driver_has_left_will_not_end() -> None:
    found = explained(pod("train", gpu=1, node="a", claim="c"), A, GPUS, claim("c", ("a", "gpu-0"), pod="train"))
    assert (found.verdict, codes(found)) == ("runs", ["driver-gone"])


def test_a_claim_whose_status_an_old_client_has_removed() -> None:
    """139876: the claim is there, the pod's status does not name it."""
    found = explained(pod("train", gpu=1, node="a"), A, GPUS, SLICE, claim("c", ("a", "gpu-0"), pod="train"))
    assert [(each.code, each.subject) for each in found.reasons] == [("claim-status-lost", "c")]


def test_ephemeral_containers_get_no_device() -> None:
    running = pod("train", gpu=1, node="a", claim="c")
    running = replace(running, spec=replace(running.spec, ephemeral_containers=(Container("debugger"),)))
    found = explained(running, A, GPUS, SLICE, claim("c", ("a", "gpu-0"), pod="train"))
    assert codes(found) == ["ephemeral-container"]


def test_a_claim_that_the_status_names_and_that_is_gone() -> None:
    """F4: after a binding that failed."""
    found = explained(starting("gone"), A, GPUS, SLICE)
    assert (found.verdict, codes(found)) == ("bound", ["dangling-claim"])
    assert found.reasons[0].fix[-1] == "kubectl -n default delete pod train"


def test_a_claim_that_is_not_reserved_for_the_pod() -> None:
    found = explained(starting(), A, GPUS, SLICE, claim("c", ("a", "gpu-0"), pod="other"))
    assert codes(found) == ["claim-not-reserved"]
    assert found.reasons[0].detail[0] == "it is reserved for other"


def test_a_pod_that_was_put_on_its_node_without_the_scheduler() -> None:
    found = explained(replace(with_claim(claim="mine", node="a"), status=PodStatus(phase="Pending")), A, GPUS, asking("mine"))
    assert codes(found) == ["claim-not-allocated"]


def test_the_driver_is_not_registered() -> None:
    waiting = starting()
    words = "Failed to prepare dynamic resources: prepare dynamic resources: claim default/c: DRA driver gpu.example.com is not registered"
    found = explained(
        waiting, A, GPUS, SLICE, claim("c", ("a", "gpu-0"), pod="train"), events=[event(waiting, "FailedPrepareDynamicResources", words)]
    )
    assert (found.verdict, codes(found)) == ("bound", ["driver-not-registered"])
    assert found.summary == "is bound to a and does not run there yet: the driver gpu.example.com is not registered with the kubelet of a"


def test_the_driver_cannot_prepare_the_claim() -> None:
    waiting = starting()
    events = [event(waiting, "FailedPrepareDynamicResources", "Failed to prepare dynamic resources: no such GPU")]
    assert codes(explained(waiting, A, GPUS, SLICE, claim("c", ("a", "gpu-0"), pod="train"), events=events)) == ["prepare-failed"]


def test_a_kubelet_that_remembers_the_plugin() -> None:
    """F5."""
    waiting = starting()
    events = [event(waiting, "Failed", f"Error: endpoint not found in cache for a registered resource: {GPU}")]
    found = explained(waiting, A, GPUS, SLICE, claim("c", ("a", "gpu-0"), pod="train"), events=events)
    assert [(each.code, each.subject) for each in found.reasons] == [("plugin-remembered", GPU)]


def test_kubelets_whose_release_cannot_do_it() -> None:
    """E39: the pod has only a Scheduled event."""
    held = claim("c", ("a", "gpu-0"), pod="train")
    assert codes(explained(starting(), node("a", kubelet="v1.34.0"), GPUS, SLICE, held)) == ["kubelet-deadlock", "kubelet-old"]
    assert codes(explained(starting(), node("a", kubelet="v1.35.2"), GPUS, SLICE, held)) == ["kubelet-old"]


def test_a_pod_that_the_kubelet_refused() -> None:
    """E7."""
    failed = pod("train", gpu=1, node="a", phase="Failed")
    failed = replace(failed, status=replace(failed.status, reason=f"OutOf{GPU}", message="Node didn't have enough resource"))
    found = explained(failed, node("a", kubelet="v1.34.3"), GPUS)
    assert (found.verdict, codes(found), found.holds) == ("finished", ["kubelet-refused"], ())
    assert found.reasons[0].detail[1].startswith("its kubelet is 1.34.3: the kubelet refuses pods whose extended resource comes from DRA")


def test_a_pod_that_cannot_end_because_the_driver_is_gone() -> None:
    """E35: there is no event of it."""
    held = claim("c", ("a", "gpu-0"), pod="train")
    ending = deleted(pod("train", gpu=1, node="a", claim="c"))
    found = explained(ending, A, GPUS, held)
    assert (found.verdict, [(each.code, each.subject) for each in found.reasons]) == ("terminating", [("driver-gone", "gpu.example.com")])
    assert found.summary.startswith("should have ended 60 s ago and is still there: the driver gpu.example.com is gone from a")
    assert codes(explained(ending, A, GPUS, held, SLICE)) == []


def test_a_pod_that_has_time_left_to_end() -> None:
    ending = deleted(pod("train", gpu=1, node="a", claim="c"), "2026-01-02T00:00:20Z")
    found = explained(ending, A, GPUS, claim("c", ("a", "gpu-0"), pod="train"))
    assert (found.reasons, found.summary) == ((), "is being deleted and has 20 s left to end")


def test_a_pod_that_has_finished_holds_nothing() -> None:
    found = explained(pod("train", gpu=1, node="a", phase="Succeeded"), A, GPUS)
    assert (found.verdict, found.summary) == ("finished", "has finished (Succeeded) and holds no device")
