"""The smallest document that still shows a difference: items and keys are left out as long as it stays."""

from collections.abc import Callable, Iterator
from typing import Any


def smallest(document: Any, differs: Callable[[Any], bool]) -> Any:
    """`document` with as much left out as can be."""
    found = True
    while found:
        found = False
        for smaller in _smaller(document):
            if differs(smaller):
                document, found = smaller, True
                break
    return document


def _smaller(value: Any) -> Iterator[Any]:
    """The value with one item or key less, the outer ones first."""
    if isinstance(value, dict):
        yield from ({key: item for key, item in value.items() if key != left_out} for left_out in value)
        yield from ({**value, key: smaller} for key, item in value.items() for smaller in _smaller(item))
    elif isinstance(value, list):
        yield from (value[:at] + value[at + 1 :] for at in range(len(value)))
        yield from ([*value[:at], smaller, *value[at + 1 :]] for at, item in enumerate(value) for smaller in _smaller(item))
