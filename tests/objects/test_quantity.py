"""Quantities against what apimachinery v0.37.2 answers (vectors/quantities.json), and what must hold for all of them."""

import json
from pathlib import Path
from typing import TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_dra.objects.quantity import Format, Quantity, QuantityError, canonical, read, total


class Row(TypedDict, total=False):
    text: str
    error: str
    canonical: str
    value: int
    milli: int
    int64: int | None
    other: str
    compare: int
    sum: str
    difference: str


VECTORS: list[Row] = json.loads((Path(__file__).parents[1] / "vectors" / "quantities.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", VECTORS, ids=lambda row: repr(row["text"]))
def test_every_answer_is_that_of_upstream(row: Row) -> None:
    if "error" in row:
        with pytest.raises(QuantityError) as error:
            Quantity.parse(row["text"])
        assert str(error.value) == row["error"]
        return
    quantity, other = Quantity.parse(row["text"]), Quantity.parse(row["other"])
    answers: Row = {
        "text": row["text"],
        "canonical": str(quantity),
        "value": quantity.value(),
        "milli": quantity.milli_value(),
        "int64": quantity.as_int64(),
        "other": row["other"],
        "compare": quantity.compare(other),
        "sum": str(quantity + other),
        "difference": str(quantity - other),
    }
    assert answers == row


@pytest.mark.parametrize(
    ("text", "value"),
    [("1k", 1000), ("1Ki", 1024), ("1.5Ki", 1536), ("500m", 1), ("2e3", 2000), ("-1.5", -2), (3, 3), (2.0, 2), (0.5, 1), (1e22, 0)],
)
def test_whole_numbers_as_the_scheduler_takes_them(text: str | int | float, value: int) -> None:
    assert Quantity.parse(text).value() == value


def test_equal_by_value_however_it_is_written() -> None:
    same = [Quantity.parse(text) for text in ("1k", "1000", "1e3", "1000.000", "1000000m")]
    assert len(set(same)) == 1
    assert Quantity.parse("1Ki") > same[0]


def test_canonical_forms() -> None:
    assert [canonical(text) for text in ("1.5Gi", "0.1m", "1000", "1024Ki", "1500", "0.5Ki", "12e6")] == [
        "1536Mi", "100u", "1k", "1Mi", "1500", "512", "12e6",
    ]  # fmt: skip


def test_fields_of_objects_are_read_as_the_api_server_reads_them() -> None:
    assert read(None) == Quantity()
    assert read(" 2 ") == Quantity(2)
    assert read("two") is None


def test_huge_exponents_cost_nothing() -> None:
    assert Quantity.parse("123456789012345678901e999999999") > Quantity.parse("1e999999999") > Quantity.parse("8E")
    assert Quantity.parse("1e-999999999") == Quantity.parse("1n")


@pytest.mark.parametrize("text", ["1" * 5000, "0." + "1" * 5000, "1" * 4000 + "Ei"])
def test_what_is_longer_than_any_number_is_none(text: str) -> None:
    assert read(text) is None


def test_a_sum_takes_the_format_of_its_first_part() -> None:
    assert str(total([Quantity.parse("1Ki"), Quantity.parse("1k")])) == "2024"
    assert total([]).format is Format.DECIMAL_SI


numbers = st.from_regex(r"[+-]?[0-9]{1,20}(\.[0-9]{0,12})?(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|e-?[0-9]{1,2})?", fullmatch=True)


@given(numbers)
def test_what_is_printed_reads_back_as_the_same(text: str) -> None:
    quantity = Quantity.parse(text)
    printed = str(quantity)
    if abs(quantity) < Quantity.parse("999E"):
        assert Quantity.parse(printed) == quantity
    assert str(Quantity.parse(printed)) == printed


@given(numbers, numbers)
def test_order_and_sums_agree(left: str, right: str) -> None:
    one, other = Quantity.parse(left), Quantity.parse(right)
    assert one.compare(other) == -other.compare(one)
    assert (one < other) == ((one - other).sign < 0)
    assert one + other == other + one
    assert (one == other) <= (hash(one) == hash(other))
