"""What is too deep, too long, too dear or never ends: an error, and soon."""

import pytest

from kubectl_dra.allocation.cel import CelEnvironment, ErrorClass, Unsupported, compile_expression
from tests.allocation.cel.asking import ask


def test_cost_limit() -> None:
    answer = ask("lists.range(1000).all(i, lists.range(1000).all(j, i*j >= 0))")
    assert (answer.error, answer.error_class, answer.cost) == (
        "operation cancelled: actual cost limit exceeded",
        ErrorClass.COST,
        1_000_001,
    )


def test_a_limit_of_ones_own() -> None:
    assert ask("device.driver == device.driver", environment=CelEnvironment(cost_limit=5)).error_class is ErrorClass.COST
    assert ask("device.driver == device.driver", environment=CelEnvironment(cost_limit=6)).matches is True


@pytest.mark.parametrize(
    "expression",
    ["(" * 250 + "true" + ")" * 250, "+".join(["1"] * 252) + " > 0", "dyn(1)" + ".b" * 251, "true ? true : " * 250 + "true"],
    ids=["parentheses", "sum", "fields", "conditions"],
)
def test_upstreams_limits_of_depth(expression: str) -> None:
    answer = ask(expression)
    assert answer.error_class is ErrorClass.COMPILE
    assert "recursion" in answer.error


@pytest.mark.parametrize(
    "expression",
    [
        "(" * 5000 + "true" + ")" * 5000,
        "[" * 5000,
        "!" * 10_000 + "true",
        "-" * 9_999 + "1 == 1",
        "a." * 5000 + "b",
        "{1:" * 3000,
        "f(" * 3000,
    ],
    ids=["parentheses", "lists", "nots", "signs", "fields", "maps", "calls"],
)
def test_deep_nesting_is_an_answer(expression: str) -> None:
    assert ask(expression) is not None


def test_many_terms_are_no_depth() -> None:
    assert ask(" || ".join(["false"] * 1000) + " || true").matches is True


def test_ten_kibibytes() -> None:
    names = ", ".join(f'"model-{number}"' for number in range(700))
    expression = f'device.attributes["gpu.example.com"].model in [{names}]'
    assert len(expression) > 8_000
    assert ask(expression).matches is False


def test_macros_that_double_their_target_end() -> None:
    with pytest.raises(Unsupported):
        compile_expression("optional.of(1)" + ".optMap(x, x)" * 40 + ".hasValue()")


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$", "(a*)*b", "(.*)(.*)(.*)(.*)(.*)x", "a{1,500}b"])
def test_catastrophic_patterns_are_linear(pattern: str) -> None:
    assert ask(f'"{"a" * 2000}c".matches("{pattern}")').error_class in (None, ErrorClass.UNSUPPORTED)


def test_a_pattern_that_is_too_large_is_undecided() -> None:
    assert ask('device.driver.matches("(a{30}b{30}){30}c{900}(d{500}e{400}){2}.*(f{100}){10}" + "(g{100}){10}")') is not None
    assert ask('device.driver.matches("((abcdefghij){30}){33}")').error_class in (None, ErrorClass.UNSUPPORTED)
