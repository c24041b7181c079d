"""What is too deep, too long, too dear or never ends: an error, and soon."""

import pytest

from kubectl_dra.allocation.cel import CelEnvironment, ErrorClass, Unsupported, compile_expression
from tests.allocation.cel.asking import ask, variables


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


def _bound(start: str, step: str, times: int, result: str) -> str:
    """`cel.bind` in each other, each making something from the last."""
    text = result.format(times)
    for number in range(times, 0, -1):
        text = f"cel.bind(v{number}, {step.format(number - 1)}, {text})"
    return f"cel.bind(v0, {start}, {text})"


@pytest.mark.parametrize(
    ("start", "step", "result"),
    [
        ("[1, 1]", "v{0} + v{0}", "v{0}.size() > 1"),
        ("[1, 1]", "[v{0}, v{0}]", "v{0} == v{0}"),
        ("[1, 1]", "[v{0}, v{0}]", "v{0}.includes(1)"),
        ("[1, 1]", "[v{0}, v{0}]", '"%s".format([v{0}]) == ""'),
        ('"ab"', '"%s%s".format([v{0}, v{0}])', 'v{0} == ""'),
        ('"abcdefgh"', 'v{0}.replace("", v{0})', 'v{0} == ""'),
        ('"ab"', "v{0} + v{0}", 'v{0} == ""'),
    ],
)
def test_values_that_double_end(start: str, step: str, result: str) -> None:
    assert ask(_bound(start, step, 40, result)).error_class in (ErrorClass.UNSUPPORTED, ErrorClass.COST)


@pytest.mark.parametrize(
    "expression", ["lists.range(90000).distinct() == []", "sets.contains(lists.range(9000), lists.range(9000).map(i, -i))"]
)
def test_what_costs_too_much_is_not_begun(expression: str) -> None:
    assert ask(expression).error_class is ErrorClass.COST


def test_time_that_is_up() -> None:
    program = compile_expression("[1, 2, 3].all(x, x > 0)")
    assert program.evaluate(variables(), lambda: False).matches is True
    assert program.evaluate(variables(), lambda: True).error_class is ErrorClass.UNSUPPORTED
