"""Which devices a class selects, as far as its selectors only compare the driver; everything else is unknown here.

A class without selectors selects every device. Of a selector that says more than `device.driver == "x"` the drivers it allows at
most are known, if these comparisons stand in a conjunction.
"""

import re
from dataclasses import dataclass

from kubectl_dra.objects.resource import DeviceClass

_DRIVER = re.compile(r"""device\.driver\s*==\s*(?P<quote>["'])(?P<driver>[^"'\\]*)(?P=quote)""")
_DRIVER_LAST = re.compile(r"""(?P<quote>["'])(?P<driver>[^"'\\]*)(?P=quote)\s*==\s*device\.driver""")
_COMMENT_OR_TEXT = re.compile(r"""//[^\n]*|(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')""", re.DOTALL)
_WORDS = re.compile(r"""[rR]?"(?:\\.|[^"\\])*"|[rR]?'(?:\\.|[^'\\])*'|&&|\|\||[()\[\]{}?]|[^"'&|()\[\]{}?]+|.""", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Selection:
    """`driver` is the only driver whose devices can be selected (None: any), `exact` that all of its devices are.

    `nothing` when the selectors contradict each other.
    """

    driver: str | None = None
    exact: bool = True
    nothing: bool = False

    def may_select(self, driver: str) -> bool:
        """False when no device of the driver is selected."""
        return not self.nothing and self.driver in (None, driver)


def selection(device_class: DeviceClass) -> Selection:
    """What is known of the class' selectors, all of which a device must fulfil."""
    drivers: set[str] = set()
    exact = True
    for selector in device_class.spec.selectors or ():
        if selector.cel is None:
            exact = False
            continue
        for term in _terms(_without_comments(selector.cel.expression)):
            found = _DRIVER.fullmatch(term) or _DRIVER_LAST.fullmatch(term)
            if found is not None:
                drivers.add(found["driver"])
            elif term != "true":
                exact = False
    if len(drivers) > 1:
        return Selection(nothing=True)
    return Selection(next(iter(drivers), None), exact)


def _without_comments(expression: str) -> str:
    return _COMMENT_OR_TEXT.sub(lambda found: found["text"] or " ", expression)


def _terms(expression: str) -> list[str]:
    """The parts of a conjunction, without the parentheses around them; the whole expression when it is none."""
    text = _unwrapped(expression.strip())
    parts, depth, current = [], 0, ""
    for word in _WORDS.findall(text):
        if word in "([{":
            depth += 1
        elif word in ")]}":
            depth -= 1
        elif depth == 0 and word in ("||", "?"):
            return [text]
        if depth == 0 and word == "&&":
            parts.append(current)
            current = ""
        else:
            current += word
    parts.append(current)
    if len(parts) == 1:
        return [text]
    return [term for part in parts for term in _terms(part)]


def _unwrapped(text: str) -> str:
    """`text` without parentheses that enclose all of it."""
    while text.startswith("(") and text.endswith(")") and _closes_at_end(text):
        text = text[1:-1].strip()
    return text


def _closes_at_end(text: str) -> bool:
    depth, words = 0, _WORDS.findall(text)
    for index, word in enumerate(words):
        depth += (word in "([{") - (word in ")]}")
        if depth == 0:
            return index == len(words) - 1
    return False
