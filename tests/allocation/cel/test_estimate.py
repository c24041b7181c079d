"""The most that an expression may cost. The vectors hold most numbers to upstream's; here is what they do not reach."""

import pytest

from kubectl_dra.allocation.cel import CelEnvironment, compile_expression
from kubectl_dra.allocation.cel.estimate import most_cost
from kubectl_dra.allocation.cel.estimate.paths import Path

NEW = CelEnvironment(stored=False)
MODEL = 'device.attributes["gpu.example.com"].model'


@pytest.mark.parametrize(
    ("expression", "cost"),
    [
        ("true", 0),
        (f'{MODEL} == "a100"', 5),
        (f'{MODEL}.lowerAscii().matches("^a.*")', 18),
        ("device.attributes.all(d, device.attributes.all(e, d == e))", 12483),
        ("lists.range(100000).all(x, lists.range(100000).all(y, x == y))", 70001600012),
        ('device.driver.split("").map(c, c + c).join(device.driver).size() > 3', 18446744073709551615),
    ],
)
def test_the_number_is_upstreams(expression: str, cost: int) -> None:
    assert most_cost(compile_expression(expression, NEW).tree) == cost


def test_paths_share_memory_as_slices_of_go_do() -> None:
    three = Path.of("device").then("attributes").then("@values")
    one = three.then("a")
    other = three.then("b")
    assert (one.names[-1], other.names[-1], three.names) == ("b", "b", ("device", "attributes", "@values"))
    assert Path.of("device").then("driver").names == ("device", "driver")
