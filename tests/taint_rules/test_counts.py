"""The four numbers, as the eviction controller of 1.37.2 itself counted them for these objects (run unmodified on the same fixture)."""

from collections.abc import Iterable
from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from kubectl_dra.objects.pod import ExtendedResourceClaimStatus, Pod, PodResourceClaim, PodResourceClaimStatus
from kubectl_dra.objects.resource import DeviceTaint, DeviceTaintSelector, ResourceSlice
from kubectl_dra.objects.snapshot import Snapshot
from kubectl_dra.objects.tolerations import Toleration
from kubectl_dra.taint_rules.document import Counts
from kubectl_dra.taint_rules.preview import preview, sight
from kubectl_dra.taint_rules.rule import rule
from tests.factories import DRIVER, claim, devices, forbidden, resource_slice, snapshot
from tests.taint_rules.given import held, using

NOW = datetime(2026, 1, 2, tzinfo=UTC)
TAINT = DeviceTaint("example.com/taint", "something", "None")
EXISTS = Toleration(operator="Exists")


def counted(cluster: Snapshot, selector: DeviceTaintSelector | None = DeviceTaintSelector(DRIVER)) -> tuple[int | None, ...]:  # noqa: B008
    found = preview(sight(cluster, [rule(TAINT, selector)], NOW)).client
    return found.published_devices, found.allocated_devices, found.pods, found.namespaces


def cluster(
    *,
    tolerations: Iterable[Toleration] = (),
    slices: Iterable[ResourceSlice] = (resource_slice("worker", 3),),
    results: tuple[tuple[str, str], ...] = (("worker", "gpu-0"),),
    pod: Pod = using("p", "c", node="worker"),  # noqa: B008
    by: str = "p",
) -> Snapshot:
    return snapshot(*slices, held("c", *results, by=[by], node="worker", tolerations=tolerations), pod)


def with_effect(effect: str, seconds: int | None = None) -> Toleration:
    return Toleration(operator="Exists", effect=effect, toleration_seconds=seconds)


@pytest.mark.parametrize(
    ("given", "numbers"),
    [
        (cluster(), (3, 1, 1, 1)),
        (cluster(tolerations=[EXISTS]), (3, 1, 1, 1)),
        (cluster(tolerations=[with_effect("NoExecute")]), (3, 1, 0, 0)),
        (cluster(tolerations=[with_effect("None")]), (3, 1, 1, 1)),
        (cluster(tolerations=[with_effect("NoSchedule")]), (3, 1, 1, 1)),
        (cluster(tolerations=[with_effect("NoExecute", 30)]), (3, 1, 1, 1)),
        (cluster(tolerations=[with_effect("NoExecute", 0)]), (3, 1, 1, 1)),
        (cluster(tolerations=[with_effect("NoExecute", 30), with_effect("NoExecute")]), (3, 1, 0, 0)),
        (cluster(pod=using("p", "c", node=None)), (3, 1, 0, 0)),
        (cluster(pod=replace(using("p", "c"), status=replace(using("p").status, phase="Succeeded"))), (3, 1, 1, 1)),
        (cluster(by="other"), (3, 1, 0, 0)),
        (cluster(slices=()), (0, 1, 1, 1)),
        (cluster(slices=[resource_slice("worker", 5), resource_slice("worker", 3, generation=2, slices=4)]), (3, 1, 1, 1)),
        (cluster(slices=[resource_slice("worker", devices(3, taint="NoExecute"))]), (3, 1, 1, 1)),
        (cluster(results=(("worker", "gpu-0"), ("worker", "gpu-0"))), (3, 2, 1, 1)),
        (cluster(results=(("worker", "gone"),)), (3, 1, 1, 1)),
        (cluster(results=()), (3, 0, 0, 0)),
    ],
)
def test_the_controllers_own_numbers(given: Snapshot, numbers: tuple[int, ...]) -> None:
    assert counted(given) == numbers


@pytest.mark.parametrize(
    ("selector", "numbers"),
    [
        (None, (0, 0, 0, 0)),
        (DeviceTaintSelector(), (3, 1, 1, 1)),
        (DeviceTaintSelector(pool="worker"), (3, 1, 1, 1)),
        (DeviceTaintSelector(DRIVER, "worker", "gpu-1"), (1, 0, 0, 0)),
        (DeviceTaintSelector(device="gpu-0"), (1, 1, 1, 1)),
        (DeviceTaintSelector(DRIVER.upper()), (0, 0, 0, 0)),
    ],
)
def test_selectors(selector: DeviceTaintSelector | None, numbers: tuple[int, ...]) -> None:
    assert counted(cluster(), selector) == numbers


def test_a_pod_that_is_being_deleted_is_not_counted() -> None:
    pod = using("p", "c")
    gone = replace(pod, metadata=replace(pod.metadata, deletion_timestamp="2026-01-02T00:00:00Z"))
    assert counted(cluster(pod=gone)) == (3, 1, 0, 0)


def of_template(owner: str) -> Snapshot:
    pod = using("p")
    spec = replace(pod.spec, resource_claims=(PodResourceClaim("gpu", None, "template"),))
    status = replace(pod.status, resource_claim_statuses=(PodResourceClaimStatus("gpu", "p-gpu-x"),))
    made = held("p-gpu-x", ("worker", "gpu-0"), by=["p"], owner=owner)
    return snapshot(resource_slice("worker", 3), made, replace(pod, spec=spec, status=status))


def test_a_claim_of_a_template_must_be_the_pods_own() -> None:
    assert counted(of_template("p")) == (3, 1, 1, 1)
    assert counted(of_template("other")) == (3, 1, 0, 0)


def of_extended_resource(version: str = "v1.37.2", owner: str = "p") -> Snapshot:
    pod = using("p")
    status = replace(pod.status, extended_resource_claim_status=ExtendedResourceClaimStatus("p-extended-resources-x"))
    made = held("p-extended-resources-x", ("worker", "gpu-0"), by=["p"], owner=owner, extended=True)
    return snapshot(resource_slice("worker", 3), made, replace(pod, status=status), version=version)


def test_pods_of_extended_resources_count_from_1_37_2_on() -> None:
    assert counted(of_extended_resource()) == (3, 1, 1, 1)
    assert counted(of_extended_resource(owner="other")) == (3, 1, 0, 0)
    old = preview(sight(of_extended_resource("v1.37.1"), [rule(TAINT, DeviceTaintSelector(DRIVER))], NOW))
    assert old.client == Counts(3, 1, 0, 0)
    assert [(each.name, each.reason) for each in old.spared] == [("p", "notSupported")]
    assert old.warnings[-1].startswith("1 pod of extended resources uses such devices; 1.37.1 neither counts nor evicts them")


def test_pods_and_namespaces_count_once() -> None:
    shared = held("shared", ("worker", "gpu-0"), by=["p", "q"])
    more = held("more", ("worker", "gpu-1"), by=["p"])
    elsewhere = held("c", ("worker", "gpu-2"), by=["r"], namespace="other")
    pods = (using("p", "shared", "more"), using("q", "shared"), using("r", "c", namespace="other"), using("free"))
    assert counted(snapshot(resource_slice("worker", 3), shared, more, elsewhere, *pods)) == (3, 3, 3, 2)


def test_administrators_access_counts_like_any_other() -> None:
    made = replace(held("c", ("worker", "gpu-0"), by=["p"], admin=True))
    assert counted(snapshot(resource_slice("worker", 3), made, using("p", "c"))) == (3, 1, 1, 1)


def test_several_rules_together() -> None:
    given = cluster(results=(("worker", "gpu-0"), ("worker", "gpu-1")))
    rules = [rule(TAINT, DeviceTaintSelector(DRIVER, "worker", device)) for device in ("gpu-0", "gpu-1")]
    found = preview(sight(given, rules, NOW))
    assert found.rule is None
    assert [each.client for each in found.rules] == [Counts(1, 1, 1, 1)] * 2
    assert found.client == Counts(2, 2, 1, 1)


def test_what_is_not_known_is_no_number() -> None:
    claims: Snapshot = snapshot(resource_slice("worker", 3), resource_claims=forbidden("resourceclaims"))
    assert counted(claims) == (3, None, None, None)
    slices: Snapshot = snapshot(claim("c", ("worker", "gpu-0")), resource_slices=forbidden("resourceslices"))
    assert counted(slices) == (None, 1, 0, 0)
    by_class = DeviceTaintSelector(device_class_name="gpu")
    assert counted(cluster(), by_class) == (None, None, None, None)
