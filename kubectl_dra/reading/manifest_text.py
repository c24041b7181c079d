"""The documents in one text of manifests, each with its line: YAML with everything that people write by hand, or JSON.

A document that cannot be read does not keep the others from being read.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from kubectl_dra.reading.yaml_text import DOCUMENT, TextLoader

_DIRECTIVE = re.compile(r"^%.*$", re.MULTILINE)
_TEMPLATED = "{{"
_NOT_RENDERED = "a template that was not rendered (helm template CHART | kubectl dra audit --manifests -)"


@dataclass(frozen=True, slots=True)
class Document:
    """Plain values, or why there are none. `line` counts from 1."""

    line: int
    value: object = None
    trouble: str = ""


def documents(text: str) -> Iterator[Document]:
    """The documents in `text`; a list's items each by itself, with the line on which it begins where that can be told."""
    if text.lstrip()[:1] in ("{", "["):
        yield from _json(text)
        return
    line = 1
    place = 0
    for cut in (*(found.span() for found in DOCUMENT.finditer(text)), (len(text), len(text))):
        yield from _yaml(text[place : cut[0]], line)
        line += text.count("\n", place, cut[1])
        place = cut[1]


def _json(text: str) -> Iterator[Document]:
    decoder = json.JSONDecoder()
    place = _after_space(text, 0)
    while place < len(text):
        line = text.count("\n", 0, place) + 1
        try:
            value, end = decoder.raw_decode(text, place)
        except (json.JSONDecodeError, RecursionError) as error:
            yield from _yaml(text[place:], line) if "\n---" in text else [Document(line, trouble=f"is not JSON ({error})")]
            return
        for item in value if isinstance(value, list) else [value]:
            yield from (Document(line, each) for each in _items(item))
        place = _after_space(text, end)


def _after_space(text: str, place: int) -> int:
    return len(text) - len(text[place:].lstrip())


def _items(value: object) -> Iterator[object]:
    items = value.get("items") if isinstance(value, dict) and str(value.get("kind") or "").endswith("List") else None
    if isinstance(items, list):
        kind = str(value["kind"]).removesuffix("List")  # type: ignore[index] # a dict, if it has items
        of = {"apiVersion": value.get("apiVersion"), "kind": kind} if kind else {}  # type: ignore[attr-defined]
        yield from ({**of, **item} if isinstance(item, dict) else item for item in items)
    else:
        yield value


def _yaml(text: str, line: int) -> Iterator[Document]:
    """One document (or, after a `---` that has text behind it, several), beginning on `line`."""
    loader = _ManifestLoader(_DIRECTIVE.sub("", text))
    try:
        while loader.check_node():
            node = loader.get_node()
            first = line + node.start_mark.line
            value = loader.construct_document(node)
            lines = _lines_of_items(node)
            for number, item in enumerate(_items(value)):
                yield Document(line + lines[number] if number < len(lines) else first, item)
    except (yaml.YAMLError, RecursionError) as error:
        yield Document(line + _first_line(text), trouble=_told(text, error, line))
    finally:
        loader.dispose()


def _first_line(text: str) -> int:
    return next((number for number, each in enumerate(text.split("\n")) if each.strip() and not each.lstrip().startswith("#")), 0)


def _told(text: str, error: Exception, line: int) -> str:
    if _TEMPLATED in text:
        return f"is {_NOT_RENDERED}"
    mark = getattr(error, "problem_mark", None)
    where = f" (line {line + mark.line})" if mark is not None else ""
    return f"is not YAML: {getattr(error, 'problem', None) or 'it is nested too deep'}{where}"


def templated(value: object) -> str:
    """Why a document with these values cannot be judged, if it is an unrendered template: what fills it in is not known. Else empty."""
    return f"is {_NOT_RENDERED}" if _TEMPLATED in str(value) else ""


def _lines_of_items(node: yaml.Node) -> list[int]:
    """The lines on which the items of a list begin, counted from 0; none for other objects."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == "items" and isinstance(value, yaml.SequenceNode):
                return [item.start_mark.line for item in value.value]
    return []


class _ManifestLoader(TextLoader):
    """With YAML 1.1's merge keys (`<<: *common`), as kubectl reads them."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """The map, what is merged into it included."""
        node.value = list(_merged(node, 0))
        made: dict[Any, Any] = super().construct_mapping(node, deep=deep)
        return made


_DEEPEST = 50


def _merged(node: yaml.MappingNode, depth: int) -> Iterator[tuple[yaml.Node, yaml.Node]]:
    """What is merged first, so that the map's own keys override it; of several maps the first one counts."""
    if depth > _DEEPEST:
        raise yaml.constructor.ConstructorError(problem="maps are merged into themselves", problem_mark=node.start_mark)
    own = []
    for key, value in node.value:
        if not (isinstance(key, yaml.ScalarNode) and key.value == "<<" and not key.style):
            own.append((key, value))
            continue
        for source in reversed(value.value) if isinstance(value, yaml.SequenceNode) else [value]:
            if not isinstance(source, yaml.MappingNode):
                raise yaml.constructor.ConstructorError(problem="what is merged is no map", problem_mark=source.start_mark)
            yield from _merged(source, depth + 1)
    yield from own
