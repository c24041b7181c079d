"""The smallest parts that made an expression false, with what they saw."""

import pytest

from kubectl_dra.allocation.cel import compile_expression
from tests.allocation.cel.asking import variables

D = 'device.attributes["gpu.example.com"]'
C = 'device.capacity["gpu.example.com"]'


def trace(expression: str) -> list[str]:
    return [str(reason) for reason in compile_expression(expression).trace(variables())]


def test_nothing_is_said_of_what_is_true() -> None:
    assert trace(f'{D}.model == "a100"') == []


@pytest.mark.parametrize(
    ("expression", "seen"),
    [
        (f'{D}.model == "h100"', '"a100" != "h100"'),
        (f'{D}.model != "a100"', '"a100" == "a100"'),
        (f"{D}.numa > 5", "1 <= 5"),
        (f'{C}.memory.compareTo(quantity("80Gi")) >= 0', "40Gi < 80Gi"),
        (f'{D}.ver.compareTo(semver("1.2.3")) < 0', "1.2.3 >= 1.2.3"),
        (f'{D}.model in ["h100", "b200"]', '"a100" not in ["h100", "b200"]'),
        (f'{C}.memory.isGreaterThan(quantity("80Gi"))', f'{C}.memory is 40Gi, quantity("80Gi") is 80Gi'),
        (f'{D}.model.matches("^h")', f'{D}.model is "a100"'),
        (f"{D}.?free.orValue(false)", f"{D}.?free is optional.none()"),
        (f"!{D}.ok", f"{D}.ok is true"),
        ("device.allowMultipleAllocations", "false"),
        (f"{D}.ids.exists(i, i > 3)", f"{D}.ids is [1, 2, 3]"),
    ],
)
def test_a_single_part(expression: str, seen: str) -> None:
    assert trace(expression) == [f"{expression}: {seen}"]


def test_every_false_side_of_and() -> None:
    assert trace(f'{D}.model == "h100" && {D}.ok && {D}.numa == 2') == [
        f'{D}.model == "h100": "a100" != "h100"',
        f"{D}.numa == 2: 1 != 2",
    ]


def test_both_sides_of_or() -> None:
    assert trace(f'{D}.model == "h100" || {D}.numa == 2') == [f'{D}.model == "h100": "a100" != "h100"', f"{D}.numa == 2: 1 != 2"]


def test_a_negated_and_shows_what_was_true() -> None:
    assert trace(f'!({D}.ok && {D}.model == "a100")') == [f"{D}.ok: true", f'{D}.model == "a100": "a100" == "a100"']


def test_the_element_that_decided() -> None:
    assert trace(f"{D}.ids.all(i, i < 3)") == ["i < 3: 3 >= 3 (with i = 3)"]


def test_inside_bind() -> None:
    assert trace(f'cel.bind(m, {D}.model, m == "h100")') == ['m == "h100": "a100" != "h100" (with m = "a100")']


def test_the_condition_of_a_choice_between_constants() -> None:
    assert trace(f"{D}.numa == 2 ? true : false") == [f"{D}.numa == 2: 1 != 2"]


def test_the_part_that_fails() -> None:
    assert trace(f"{D}.ok && {D}.nope == 1") == [f"{D}.nope: no such key: nope"]
