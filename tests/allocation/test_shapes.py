"""What expressions read of devices, and which devices are alike for them."""

import pytest

from kubectl_dra.allocation.cel import compile_expression
from kubectl_dra.allocation.shapes import Reads, reads, shape
from kubectl_dra.objects.resource import Device, DeviceAttribute, DeviceCapacity


@pytest.mark.parametrize(
    ("expression", "attributes", "capacity"),
    [
        ('device.driver == "a"', set(), set()),
        ('device.attributes["d"].x == 1', {("d", "x")}, set()),
        ('device.attributes.d["x"] == 1 && device.capacity["d"].?m.hasValue()', {("d", "x")}, {("d", "m")}),
        ('device.attributes[?"d"][?"x"].orValue(1) == 1', {("d", "x")}, set()),
        ('has(device.attributes["d"].x)', {("d", "x")}, set()),
        ('"x" in device.attributes["d"]', None, set()),
        ('"d" in device.attributes', None, set()),
        ('device.capacity[device.driver].m.isGreaterThan(quantity("1"))', set(), None),
        ("[device].all(d, d.allowMultipleAllocations)", None, None),
        ("cel.bind(a, device.attributes, a.d.x == 1)", None, set()),
    ],
)
def test_reads(expression: str, attributes: set[tuple[str, str]] | None, capacity: set[tuple[str, str]] | None) -> None:
    found = reads(compile_expression(expression).tree)
    assert (found.attributes, found.capacity) == (attributes, capacity)


def device(**attributes: DeviceAttribute) -> Device:
    return Device("d", dict(attributes), {"m": DeviceCapacity("1")})


def test_devices_that_differ_in_what_nobody_reads_have_the_same_shape() -> None:
    wanted = Reads(frozenset({("driver", "model")}), frozenset())
    one = device(model=DeviceAttribute(string="x"), uuid=DeviceAttribute(string="1"))
    other = device(model=DeviceAttribute(string="x"), uuid=DeviceAttribute(string="2"))
    assert shape(wanted, "driver", one) == shape(wanted, "driver", other)
    assert shape(wanted, "driver", one) != shape(wanted, "other", one)
    assert shape(Reads(None, frozenset()), "driver", one) != shape(Reads(None, frozenset()), "driver", other)


def test_true_and_one_are_different_values() -> None:
    wanted = Reads(frozenset({("driver", "x")}), frozenset())
    assert shape(wanted, "driver", device(x=DeviceAttribute(int_=1))) != shape(wanted, "driver", device(x=DeviceAttribute(bool_=True)))


def test_a_device_with_an_unusable_attribute_is_like_no_other() -> None:
    for broken in (DeviceAttribute(), DeviceAttribute(version="1")):
        assert shape(Reads(), "driver", device(x=broken)) is None
