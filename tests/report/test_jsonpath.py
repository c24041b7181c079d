"""kubectl's JSONPath templates. `tests/live` holds every template of this table against kubectl itself."""

import pytest

from kubectl_dra.errors import UsageError
from kubectl_dra.report.jsonpath import Template
from kubectl_dra.report.jsonpath.values import Value
from tests.report.templates import ACROSS_MAPS, DOCUMENT, FAILING, PRINTING


@pytest.mark.parametrize(("template", "text"), PRINTING + ACROSS_MAPS, ids=[template for template, _ in PRINTING + ACROSS_MAPS])
def test_what_a_template_prints(template: str, text: str) -> None:
    assert Template(template).render(DOCUMENT) == text


@pytest.mark.parametrize(("template", "message"), FAILING, ids=[template for template, _ in FAILING])
def test_a_template_that_does_not_fit(template: str, message: str) -> None:
    with pytest.raises(UsageError) as failure:
        Template(template).render(DOCUMENT)
    assert failure.value.message == message


@pytest.mark.parametrize("template", [".metadata.name", "metadata.name", " .metadata.name\n"])
def test_a_path_without_braces_is_taken_for_one(template: str) -> None:
    assert Template(template).render(DOCUMENT) == "p"


def test_objects_in_the_middle_of_a_recursive_descent() -> None:
    assert Template("{..}").render({"a": {"b": "c"}, "n": 1}) == '{"a":{"b":"c"},"n":1} {"b":"c"} c'


def test_everything_below_a_wildcard_in_the_documents_order() -> None:
    assert Template("{.a.*}").render({"a": {"x": 1, "b": "c", "d": None}}) == "1 c null"


def test_as_json_prints_a_list_for_each_piece() -> None:
    assert Template("{.a[*].b}x").render({"a": [{"b": 1}, {"b": {"c": "<"}}]}, as_json=True) == (
        '[\n    1,\n    {\n        "c": "\\u003c"\n    }\n]\n[\n    "x"\n]\n'
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (0.5, "0.5"),
        (1000000.0, "1e+06"),
        (123456789.0, "1.23456789e+08"),
        (0.0001, "0.0001"),
        (0.00001, "1e-05"),
        (1e21, "1e+21"),
        (1.5e-7, "1.5e-07"),
        (-2.25, "-2.25"),
        (100000.0, "100000"),
        (2**63, "9223372036854775808"),
        (True, "true"),
        (None, "null"),
    ],
)
def test_numbers_print_as_go_prints_them(value: float, text: str) -> None:
    assert Template("{.a}").render({"a": value}) == text


def test_e70_the_dots_of_a_resource_name_are_escaped_as_kubectl_wants_them() -> None:
    document: Value = {"status": {"capacity": {"nvidia.com/gpu": "8"}}}
    assert Template(r"{.status.capacity.nvidia\.com/gpu}").render(document) == "8"
    assert Template(r"{.status.capacity['nvidia\.com/gpu']}").render(document) == "8"
    assert Template("{.status.capacity.nvidia.com/gpu}").render(document) == ""
