"""Attributes that a request derives: which values they may have, and what goes wrong."""

import pytest

from kubectl_dra.allocation.cel import CelError
from kubectl_dra.allocation.derived import derived
from kubectl_dra.objects.resource import Device, DeviceAttribute

EVALUATE = "evaluate derived attribute a/y on device a/p/d failed"
DEVICE = Device("d", {"model": DeviceAttribute(string="x"), "size": DeviceAttribute(int_=2)})


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("device.driver", DeviceAttribute(string="a")),
        ('device.attributes["a"].size + 1', DeviceAttribute(int_=3)),
        ("true", DeviceAttribute(bool_=True)),
        ('semver("1.2.3")', DeviceAttribute(version="1.2.3")),
        ('[device.attributes["a"].model]', DeviceAttribute(strings=("x",))),
        ("[1, 2]", DeviceAttribute(ints=(1, 2))),
        # the Go value inside decides
        ("dyn(optional.of(optional.of(true)))", DeviceAttribute(bool_=True)),
        ("dyn(type(1))", DeviceAttribute(string="int")),
        ("[dyn('a'), dyn(optional.of('b')), dyn(type(1))]", DeviceAttribute(strings=("a", "b", "int"))),
    ],
)
def test_values(expression: str, expected: DeviceAttribute) -> None:
    assert derived("a/y", expression, "a", DEVICE, "a/p/d") == expected


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("1.5", "compile derived attribute a/y failed: must evaluate to a primitive scalar"),
        ("device.nope", "compile derived attribute a/y failed: compilation failed"),
        ("[dyn('a b'.split(' '))]", f"{EVALUATE}: unsupported list element type: []string"),
        ("[dyn([1] + [2])]", f"{EVALUATE}: unsupported list element type: []interface {{}}"),
        ("dyn(device.attributes.nowhere)", f"{EVALUATE}: unsupported CEL return type: map[string]interface {{}}"),
        ("dyn(optional.none())", f"{EVALUATE}: unsupported CEL return type: <nil>"),
        ("dyn({1: 2})", f"{EVALUATE}: unsupported CEL return type: map[ref.Val]ref.Val"),
        (
            "[dyn(1), dyn(b'')]",
            f"{EVALUATE}: expected list element at index 1 to be int, got []uint8",
        ),
        ('device.attributes["a"].gone', f"{EVALUATE}: no such key: gone"),
    ],
)
def test_errors(expression: str, message: str) -> None:
    with pytest.raises(CelError) as raised:
        derived("a/y", expression, "a", DEVICE, "a/p/d")
    assert raised.value.message.startswith(message)
