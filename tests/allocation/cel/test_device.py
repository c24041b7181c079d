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


def test_what_is_the_same_for_both_values_of_an_attribute_given_twice_is_told() -> None:
    device = {"attributes": {"a": {"int": 1}, "gpu.example.com/a": {"int": 2}, "t": {"string": "x"}, "gpu.example.com/t": {"int": 1}}}
    a, t = (f'device.attributes["gpu.example.com"].{name}' for name in "at")
    assert [ask(text, device).matches for text in (f"{a} > 0", f"{a} > 2", f"has({a})", f"{a}.size() == 1 || true")] == [
        True,
        False,
        True,
        True,
    ]
    assert ask(f"{a}.size() == 1", device).error == "no such overload: size"
    for undecided in (f"{a} == 1", f"1 == {a}", f"{t}.size() == 1", f"{t} < 2", f"1 in [{a}]", f"{a} == 1 && true"):
        assert ask(undecided, device).error_class is ErrorClass.UNSUPPORTED, undecided
    assert ask(f"{a} == 1", device).error == ("upstream takes a and gpu.example.com/a, t and gpu.example.com/t at random")


def test_words_that_are_not_known_here_are_not_compared() -> None:
    words = 'format.named("dns1123Label").value().validate("A").value()'
    assert ask(f"{words}.size() > 0").matches is True
    for text in (f'{words}[0] == "a"', f'"a" == {words}[0]', f"{words}[0].size() > 0", f'"a" < {words}[0]', f'"a" + {words}[0] == "b"'):
        assert ask(text).error_class is ErrorClass.UNSUPPORTED, text


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
