"""What expressions see of a device."""

from kubectl_dra.allocation.cel import ErrorClass
from tests.allocation.cel.asking import ask, variables


def test_a_domain_that_is_not_there_is_an_empty_map() -> None:
    assert ask('device.attributes["nope"] == {}').matches is True
    assert ask('"nope" in device.attributes').matches is False


def test_an_attribute_that_is_not_there_is_an_error_and_no_mismatch() -> None:
    answer = ask('device.attributes["gpu.example.com"].nope == 1')
    assert (answer.matches, answer.error_class) == (None, ErrorClass.RUNTIME)
    assert answer.error.startswith("no such key: nope. consider using CEL optional chaining")


def test_an_attribute_without_value_fails_every_expression() -> None:
    answer = ask("true", {"attributes": {"a": {}}})
    assert (answer.error, answer.error_class, answer.cost) == ("attribute a: unsupported attribute value", ErrorClass.RUNTIME, None)


def test_a_version_that_is_none_fails_every_expression() -> None:
    answer = ask("true", {"attributes": {"a": {"version": "1.2"}}})
    assert answer.error == "attribute a: parse semantic version: No Major.Minor.Patch elements found"


def test_an_attribute_given_twice_is_undecided() -> None:
    device = {"attributes": {"a": {"int": 1}, "gpu.example.com/a": {"int": 2}, "b": {"int": 3}}}
    assert ask('device.attributes["gpu.example.com"].a == 1', device).error_class is ErrorClass.UNSUPPORTED
    assert ask('device.attributes["gpu.example.com"].b == 3', device).matches is True


def test_what_an_evaluation_does_to_a_quantity_ends_with_it() -> None:
    wide = 'device.capacity["gpu.example.com"].memory.isLessThan(quantity("100000000000000000000"))'
    whole = 'device.capacity["gpu.example.com"].memory.isInteger()'
    assert ask(f"{wide} && {whole}").matches is False
    assert ask(whole).matches is True


def test_the_device_is_made_once_for_many_expressions() -> None:
    device = variables()
    assert device.root is device.root
    assert device.error == ""


def test_the_order_of_a_map_does_not_decide() -> None:
    assert ask('{"a": 1, "b": 2}.transformList(k, v, v)[0] == 1').error_class is ErrorClass.UNSUPPORTED
    assert ask('{"a": 1, "b": 2}.transformList(k, v, v).sum() == 3').matches is True
