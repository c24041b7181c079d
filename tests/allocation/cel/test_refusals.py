"""What is said of expressions that do not compile. Found by random expressions; the texts are upstream's."""

import pytest

from kubectl_dra.allocation.cel import ErrorClass
from tests.allocation.cel.asking import ask


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("duration(null) == duration('1h')", "1:10: invalid duration argument"),
        ("timestamp(null) == timestamp(0)", "1:11: invalid timestamp argument"),
        ("map.x", "1:4: type 'type(map(dyn, dyn))' does not support field selection"),
        ("[list].x", "1:7: type 'list(type(list(dyn)))' does not support field selection"),
        ("optional_type.x", "1:14: type 'type(optional_type(dyn))' does not support field selection"),
    ],
)
def test_the_first_problem(expression: str, problem: str) -> None:
    answer = ask(expression)
    assert answer.error_class is ErrorClass.COMPILE
    assert answer.error.splitlines()[0] == f"compilation failed: ERROR: <input>:{problem}"


def test_a_macro_that_is_wrong_inside_another_is_told_twice_at_its_place() -> None:
    lines = ask("[1].map(has(1), 2)").error.splitlines()
    assert [line for line in lines if "ERROR" in line] == [
        "compilation failed: ERROR: <input>:1:13: invalid argument to has() macro",
        "ERROR: <input>:1:13: argument is not an identifier",
    ]


@pytest.mark.parametrize(
    "expression", ["cel.bind(t, type(1), true)", "[type(1)].all(t, t == int)", "optional.of(int).optMap(t, t == int).hasValue()"]
)
def test_a_variable_that_stands_for_a_type_is_taken_for_the_name_of_one(expression: str) -> None:
    answer = ask(expression)
    assert (answer.error, answer.error_class) == ("program instantiation failed: reference to undefined type: t", ErrorClass.COMPILE)
    assert ask("cel.bind(int, type(1), int == int)").matches is True
    assert ask("[dyn(type(1))].all(t, t == int)").matches is True


def test_has_may_ask_what_has_asks() -> None:
    assert ask('has(has({"a": 1}.a))').matches is True
    assert ask('has(has({"a": 1}.b))').matches is False
