"""YAML as plain values in which every scalar stays the text that it was; what a Struct wants as a number becomes one later.

So a label `version: 1.10` is not 1.1, and `on`, `0755` and a date stay what people wrote. Only a plain null is null. A long list
is cut at its items, because a YAML parser holds a hundred times what it reads.
"""

import re
from collections.abc import Iterator

import yaml

LARGEST = 20 << 20
"""Bytes of YAML that are read; parsing takes a minute and much memory from here on."""

_PIECE = 1 << 18
_BASE: type = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
DOCUMENT = re.compile(r"^---[ \t]*(?:#.*)?$|^\.\.\.[ \t]*$", re.MULTILINE)
_LIST = re.compile(r"^items:[ \t]*(?:#.*)?\n(?=( *)- )", re.MULTILINE)


class TextLoader(_BASE):  # type: ignore[misc]
    """Scalars as texts, plain nulls as None. Tags mean nothing to it, so nothing is ever constructed but texts, lists and maps."""


TextLoader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(?:~|null|Null|NULL|)$"), ["~", "n", "N", ""])
TextLoader.add_constructor("tag:yaml.org,2002:null", lambda loader, node: None)


def documents(text: str) -> Iterator[object]:
    """The documents in `text`, one after the other; of a long list, itself without its items and then several lists with these.

    Raises yaml.YAMLError.
    """
    for document in DOCUMENT.split(text):
        if len(document) < _PIECE or "&" in document:
            yield from _load(document)  # an anchor may be used anywhere in the document
        else:
            yield from _pieces(document)


def _load(text: str) -> Iterator[object]:
    for document in yaml.load_all(text, TextLoader):
        if document is not None:
            yield document


def _pieces(text: str) -> Iterator[object]:
    found = _LIST.search(text)
    if found is None:
        yield from _load(text)
        return
    dash = found[1] + "- "
    end = _end_of_list(text, found.end(), found[1])
    # The list's kind stands before its items or behind them; objects of `kubectl get` have kinds of their own.
    envelope = next(_load(text[: found.start()] + text[end:]), None)
    envelope = envelope if isinstance(envelope, dict) else {}
    yield {**envelope, "items": []}
    of = {name: envelope[name] for name in ("apiVersion", "kind") if name in envelope}
    place = found.end()
    while place < end:
        cut = text.find("\n" + dash, min(place + _PIECE, end), end)
        cut = end if cut < 0 else cut + 1
        for items in _load(text[place:cut]):
            yield {**of, "items": items}
        place = cut


def _end_of_list(text: str, start: int, indent: str) -> int:
    """Where the list's lines end: at the first line that is neither deeper than its dashes nor one of them."""
    other = re.compile(rf"^(?! *(?:#.*)?$)(?!{indent}- )(?!{indent} )", re.MULTILINE)
    found = other.search(text, start)
    return found.start() if found else len(text)
