"""Selectors on labels: those in objects (metav1.LabelSelector), and those that people type after `-l`.

Rules: apimachinery pkg/labels/selector.go and pkg/apis/meta/v1/helpers.go.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from kubectl_dra.objects.meta import LabelSelector
from kubectl_dra.objects.qualified_name import label_value_faults, qualified_name_faults

_WORD = re.compile(r"[ \t\r\n]*(==|!=|[=!(),<>]|[^ \t\r\n=!(),<>]+|$)")
_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)
_SYMBOLS = frozenset("=!(),<>") | {"==", "!="}
_OPERATORS: Mapping[str, str] = {"=": "In", "==": "In", "in": "In", "!=": "NotIn", "notin": "NotIn", ">": "Gt", "<": "Lt"}


class SelectorError(ValueError):
    """The text is no label selector; the message is apimachinery's."""


class Requirement(NamedTuple):
    """One expression: `operator` is In, NotIn, Exists, DoesNotExist, Gt or Lt."""

    key: str
    operator: str
    values: frozenset[str] = frozenset()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether `labels` fulfil it. A missing key fulfils NotIn and DoesNotExist; what is no integer fulfils neither Gt nor Lt."""
        value = labels.get(self.key)
        match self.operator:
            case "In":
                return value in self.values if value is not None else False
            case "NotIn":
                return value is None or value not in self.values
            case "Exists":
                return value is not None
            case "DoesNotExist":
                return value is None
            case "Gt" | "Lt":
                return self._compares(value)
            case _:
                return False

    def _compares(self, value: str | None) -> bool:
        limit = next(iter(self.values), "")
        if value is None or len(self.values) != 1 or not (_INTEGER.fullmatch(value) and _INTEGER.fullmatch(limit)):
            return False
        return int(value) > int(limit) if self.operator == "Gt" else int(value) < int(limit)


class Selector(NamedTuple):
    """Requirements that all must be met; none at all selects everything."""

    requirements: tuple[Requirement, ...] = ()

    def matches(self, labels: Mapping[str, str] | None) -> bool:
        """Whether an object with these labels is selected."""
        return all(requirement.matches(labels or {}) for requirement in self.requirements)


EVERYTHING = Selector()
"""Selects all objects."""


def matches(selector: LabelSelector | None, labels: Mapping[str, str] | None) -> bool:
    """Whether an object's selector selects `labels`. Null selects nothing, `{}` everything, an unknown operator nothing."""
    if selector is None:
        return False
    have = labels or {}
    expressions = (Requirement(each.key, each.operator, frozenset(each.values or ())) for each in selector.match_expressions or ())
    return all(have.get(key) == value for key, value in (selector.match_labels or {}).items()) and all(
        each.matches(have) for each in expressions
    )


def parse(text: str) -> Selector:
    """Read `-l`: `a=b,c!=d,e,!f,g in (h,i),j notin (k)`. Empty text selects everything. Raises SelectorError."""
    words = _words(text)
    requirements = []
    while words.next != "":
        requirements.append(_requirement(words))
        match words.take():
            case "":
                break
            case ",":
                if words.next == "" or (words.next in _SYMBOLS and words.next != "!"):
                    raise SelectorError(f"found '{words.next}', expected: identifier after ','")
            case other:
                raise SelectorError(f"found '{other}', expected: ',' or 'end of string'")
    return Selector(tuple(sorted(requirements, key=lambda requirement: requirement.key)))


class _Words:
    """The words of a selector, `""` at the end."""

    def __init__(self, words: list[str]) -> None:
        self._words = words
        self._at = 0

    @property
    def next(self) -> str:
        return self._words[self._at] if self._at < len(self._words) else ""

    def take(self) -> str:
        word = self.next
        self._at += 1
        return word

    def take_name(self, expected: str = "identifier") -> str:
        """A word that is no symbol."""
        word = self.take()
        if word == "" or word in _SYMBOLS:
            raise SelectorError(f"found '{word}', expected: {expected}")
        return word


def _words(text: str) -> _Words:
    return _Words([found for found in _WORD.findall(text) if found])


def _requirement(words: _Words) -> Requirement:
    if words.next in _SYMBOLS and words.next != "!":
        raise SelectorError(f"found '{words.next}', expected: !, identifier, or 'end of string'")
    absent = words.next == "!"
    if absent:
        words.take()
    key = words.take_name()
    _refuse(f'key: Invalid value: "{key}"', qualified_name_faults(key))
    if words.next in ("", ","):
        return Requirement(key, "DoesNotExist" if absent else "Exists")
    word = words.take()
    operator = _OPERATORS.get(word)
    if operator is None or absent:
        raise SelectorError(f"found '{word}', expected: in, notin, =, ==, !=, gt, lt")
    values = _values(words) if word in ("in", "notin") else frozenset({_value(words)})
    for value in sorted(values):
        _refuse(f'values[{key}]: Invalid value: "{value}"', label_value_faults(value))
        if operator in ("Gt", "Lt") and not _INTEGER.fullmatch(value):
            raise SelectorError(f"values[0]: Invalid value: \"{value}\": for 'Gt', 'Lt' operators, the value must be an integer")
    return Requirement(key, operator, values)


def _value(words: _Words) -> str:
    """The word after `=`; none at all is the empty value."""
    return "" if words.next in ("", ",") else words.take_name()


def _values(words: _Words) -> frozenset[str]:
    """The words between parentheses. Each place between commas is a value, an empty place the empty one."""
    if (opening := words.take()) != "(":
        raise SelectorError(f"found '{opening}' expected: '('")
    values = set()
    while True:
        if words.next in (",", ")"):
            values.add("")
        else:
            values.add(words.take_name("',', ')' or identifier"))
        match words.take():
            case ")":
                return frozenset(values)
            case ",":
                continue
            case other:
                raise SelectorError(f"found '{other}', expected: ',' or ')'")


def _refuse(what: str, faults: tuple[str, ...]) -> None:
    if faults:
        raise SelectorError(f"{what}: {'; '.join(faults)}")
