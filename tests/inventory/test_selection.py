"""Which devices a class selects, and what selectors say of drivers where there are no devices."""

import pytest

from kubectl_dra.allocation.pools import Candidate
from kubectl_dra.allocation.selectors import Judges
from kubectl_dra.inventory.selection import DriverTerms, Judgement, Outcome, Selection, driver_terms
from kubectl_dra.objects.resource import Device, DeviceAttribute, DeviceClass, DeviceClassSpec, DeviceSelector
from tests.factories import DRIVER, device_class, meta, resource_slice

MODEL_X = f'device.attributes["{DRIVER}"].model == "x"'
HINT = "consider using CEL optional chaining (.? followed by orValue()) or guarding the check with has() for optional fields"


def judge(one: DeviceClass, device: Device, driver: str = DRIVER) -> Judgement:
    return Selection(one, Judges()).judge(Candidate(resource_slice("a", (device,), driver=driver), device))


X = Device("x", {"model": DeviceAttribute(string="x")})


@pytest.mark.parametrize(
    ("selectors", "expected"),
    [
        ((), Judgement(Outcome.SELECTED)),
        ((MODEL_X,), Judgement(Outcome.SELECTED)),
        (("true", f"!({MODEL_X})"), Judgement(Outcome.REJECTED, 1)),
        # the first that is false hides what is behind it
        (("false", "device.attributes['a'].b"), Judgement(Outcome.REJECTED, 0)),
        (
            (f'device.attributes["{DRIVER}"].size == 1',),
            Judgement(Outcome.FAILS, 0, f"class c: selector #0 on device {DRIVER}/a/x: CEL runtime error: no such key: size. {HINT}"),
        ),
    ],
)
def test_a_device_is_judged_as_the_scheduler_does(selectors: tuple[str, ...], expected: Judgement) -> None:
    assert judge(device_class("c", selectors=selectors), X) == expected


def test_what_does_not_compile_fails_on_every_device() -> None:
    found = judge(device_class("c", selectors=("device.nothing",)), X)
    assert found.outcome is Outcome.FAILS
    assert found.error.startswith(
        "class c: selector #0: CEL compile error: compilation failed: ERROR: <input>:1:7: undefined field 'nothing'"
    )


def test_a_selector_that_is_no_cel_cannot_be_told() -> None:
    one = DeviceClass(meta("c"), DeviceClassSpec((DeviceSelector(),)))
    assert judge(one, X) == Judgement(Outcome.UNDECIDED, 0, "class c: selector #0 is no CEL expression")


@pytest.mark.parametrize(
    ("expressions", "drivers", "alone"),
    [
        ((), (), True),
        (('device.driver == "gpu.example.com"',), ("gpu.example.com",), True),
        (("'gpu.example.com' == device.driver",), ("gpu.example.com",), True),
        (('(device.driver == "a.com") && ((device.driver == "a.com"))',), ("a.com",), True),
        (('device.driver == "a.com"', 'device.driver == "a.com"'), ("a.com",), True),
        (('device.driver == "a.com" && device.driver == "b.com"',), ("a.com", "b.com"), True),
        (("true",), (), True),
        (('device.driver == "a.com" && device.attributes["a.com"].model == "x&&y"',), ("a.com",), False),
        (('device.driver == "a.com" || device.driver == "b.com"',), (), False),
        (('!(device.driver == "a.com")',), (), False),
        (('device.driver == "a.com" && (device.driver == "b.com" || true)',), ("a.com",), False),
        (('device.driver == "a.com" // was: && device.driver == "b.com"',), ("a.com",), True),
        (("device.driver == ",), (), False),
    ],
)
def test_what_selectors_say_of_drivers(expressions: tuple[str, ...], drivers: tuple[str, ...], alone: bool) -> None:
    assert driver_terms(device_class("c", selectors=expressions)) == DriverTerms(frozenset(drivers), alone)
