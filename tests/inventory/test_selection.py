"""Which devices a class selects, as far as that can be told without evaluating CEL."""

import pytest

from kubectl_dra.inventory.selection import Selection, selection
from tests.factories import device_class


@pytest.mark.parametrize(
    ("expressions", "expected"),
    [
        ((), Selection()),
        (('device.driver == "gpu.example.com"',), Selection("gpu.example.com")),
        (("device.driver=='gpu.example.com'",), Selection("gpu.example.com")),
        (('"gpu.example.com" == device.driver',), Selection("gpu.example.com")),
        (('(device.driver == "a.com") && ((device.driver == "a.com"))',), Selection("a.com")),
        (('device.driver == "a.com"', 'device.driver == "a.com"'), Selection("a.com")),
        (('device.driver == "a.com" && device.driver == "b.com"',), Selection(nothing=True)),
        (("true",), Selection()),
        (('device.driver == "a.com" && device.attributes["a.com"].model == "x&&y"',), Selection("a.com", exact=False)),
        (('device.driver == "a.com" || device.driver == "b.com"',), Selection(None, exact=False)),
        (('device.driver == "a.com" && true ? false : true',), Selection(None, exact=False)),
        (('!(device.driver == "a.com")',), Selection(None, exact=False)),
        (('device.driver == "a.com" && (device.driver == "b.com" || true)',), Selection("a.com", exact=False)),
        (('device.driver == "a.com" // was: && device.driver == "b.com"',), Selection("a.com")),
        (("// isn't for 'b.com' (yet\ndevice.driver == \"a.com\" && device.driver != 'http://b.com'",), Selection("a.com", exact=False)),
    ],
)
def test_selectors(expressions: tuple[str, ...], expected: Selection) -> None:
    assert selection(device_class("c", selectors=expressions)) == expected
