"""Too few devices for the only request: without a search the answer is that of the search."""

from random import Random

import pytest

from kubectl_dra.allocation.allocated import AllocatedState
from kubectl_dra.allocation.allocator import Allocator, Answer, Catalog
from kubectl_dra.allocation.hopeless import hopeless
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.resource import DeviceClaim, DeviceRequest, ExactDeviceRequest, ResourceClaim, ResourceClaimSpec, ResourceSlice
from tests.factories import claim, device_class, devices, meta, node, resource_slice

A = node("a")
FAILING = device_class("gpu", selectors=['device.attributes["gpu.example.com"].model == "x"'])


def asking(count: int, mode: str = "ExactCount", *, requests: int = 1) -> ResourceClaim:
    wanted = tuple(
        DeviceRequest(f"r{number}", ExactDeviceRequest("gpu", None, mode, count if mode == "ExactCount" else None))
        for number in range(requests)
    )
    return ResourceClaim(meta("mine", "default"), ResourceClaimSpec(DeviceClaim(wanted)))


def both(slices: list[ResourceSlice], *held: ResourceClaim, of: Node = A, wants: ResourceClaim, **catalog: object) -> tuple[bool, Answer]:
    """Whether it is hopeless, and what the search says."""
    classes = [catalog.get("device_class", device_class("gpu"))]
    allocator = Allocator(Catalog(slices, classes), AllocatedState(held))  # type: ignore[arg-type]
    claims = allocator.prepare([wants])
    return hopeless(allocator, of, claims), allocator.allocate(of, claims)


def test_what_is_hopeless_is_a_plain_no_of_the_search() -> None:
    seen = set()
    for seed in range(200):
        random = Random(seed)  # noqa: S311 - no secret
        number, count = random.randrange(7), random.randrange(1, 7)
        listed = [*devices(number), *devices(1, first=number, taint="NoSchedule")]
        held = claim("c", *(("a", f"gpu-{at}") for at in range(random.randrange(number + 1))), pod="other")
        is_hopeless, answer = both([resource_slice("a", listed)], held, wants=asking(count))
        seen.add(is_hopeless)
        if is_hopeless:
            assert (answer.allocations, answer.kind, answer.error) == (None, None, "")
    assert seen == {True, False}


@pytest.mark.parametrize(
    "case",
    [
        {"wants": asking(33)},
        {"wants": asking(3), "device_class": FAILING},
        {"wants": asking(1, "All")},
        {"wants": asking(3, requests=2)},
    ],
)
def test_errors_and_what_is_not_simple_are_left_to_the_search(case: dict[str, object]) -> None:
    assert both([resource_slice("a", 2)], **case)[0] is False  # type: ignore[arg-type]


def test_a_pool_that_is_invalid_is_left_to_the_search() -> None:
    twice = [*devices(1), *devices(1)]
    assert both([resource_slice("a", twice)], wants=asking(3))[0] is False


def test_so_many_devices_that_upstream_may_run_out_of_time_are_left_to_the_search() -> None:
    assert both([resource_slice("a", 16)], wants=asking(17))[0] is True
    allocator = Allocator(Catalog([resource_slice("a", 17)], [device_class("gpu")]), AllocatedState())
    assert hopeless(allocator, A, allocator.prepare([asking(18)])) is False
