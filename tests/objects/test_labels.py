"""Label selectors as kubectl's -l takes them, and as objects carry them."""

import pytest

from kubectl_dra.objects.labels import Requirement, SelectorError, matches, parse
from kubectl_dra.objects.meta import LabelSelector, LabelSelectorRequirement

LABELS = {"app": "web", "tier": "front", "gpus": "8", "empty": ""}


@pytest.mark.parametrize(
    ("text", "selected"),
    [
        ("", True),
        ("app=web", True),
        ("app==web", True),
        ("app=db", False),
        ("app!=db", True),
        ("app!=web", False),
        ("missing!=x", True),
        ("app", True),
        ("missing", False),
        ("!missing", True),
        ("! app", False),
        ("app in (web, db)", True),
        ("app in (db)", False),
        ("app notin (db)", True),
        ("missing notin (db)", True),
        ("app=web,tier in (back,front)", True),
        ("app=web,tier in (back)", False),
        ("empty=", True),
        ("empty in ()", True),
        ("app in (,web)", True),
        ("gpus>4", True),
        ("gpus<4", False),
        ("app>4", False),
        (" app = web , tier ", True),
    ],
)
def test_selectors(text: str, selected: bool) -> None:
    assert parse(text).matches(LABELS) is selected


def test_words_that_are_also_operators() -> None:
    assert parse("in in (in)").requirements == (Requirement("in", "In", frozenset({"in"})),)


def test_places_between_commas_are_empty_values() -> None:
    assert parse("a in (x,,y)").requirements == (Requirement("a", "In", frozenset({"x", "", "y"})),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("app=web,", "found '', expected: identifier after ','"),
        (",app", "found ',', expected: !, identifier, or 'end of string'"),
        ("app in web", "found 'web' expected: '('"),
        ("app in (web", "found '', expected: ',' or ')'"),
        ("app web", "found 'web', expected: in, notin, =, ==, !=, gt, lt"),
        ("!app=web", "found '=', expected: in, notin, =, ==, !=, gt, lt"),
        ("app=web tier=front", "found 'tier', expected: ',' or 'end of string'"),
        ("gpus>many", "values[0]: Invalid value: \"many\": for 'Gt', 'Lt' operators, the value must be an integer"),
    ],
)
def test_what_is_no_selector(text: str, message: str) -> None:
    with pytest.raises(SelectorError) as error:
        parse(text)
    assert str(error.value) == message


def test_keys_and_values_must_be_legal() -> None:
    for text in ("-a=b", "a/b/c=d", "a=b@c", f"a={'x' * 64}"):
        with pytest.raises(SelectorError, match="Invalid value"):
            parse(text)


def test_selectors_of_objects() -> None:
    assert not matches(None, LABELS)
    assert matches(LabelSelector(), None)
    assert matches(LabelSelector({"app": "web"}), LABELS)
    assert not matches(LabelSelector({"app": "web"}, (LabelSelectorRequirement("tier", "NotIn", ("front",)),)), LABELS)
    assert matches(LabelSelector(None, (LabelSelectorRequirement("missing", "DoesNotExist"),)), LABELS)
    assert not matches(LabelSelector(None, (LabelSelectorRequirement("app", "Nonsense"),)), LABELS)
