"""Holds a value to a JSON Schema of draft 4, as far as SARIF's goes. A keyword that is not known here is an error, not passed over."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

TYPES: Mapping[str, type | tuple[type, ...]] = {
    "object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None),
}  # fmt: skip
SAID_ONLY = {"$schema", "id", "title", "description", "default", "definitions", "format"}
Schema = Mapping[str, Any]


def faults(value: Any, schema: Schema, root: Schema, place: str = "$") -> Iterator[str]:
    """What is wrong with `value`, a line each."""
    for word, wanted in schema.items():
        if word in PLAIN:
            if not PLAIN[word](value, wanted):
                yield f"{place}: {word} is to be {wanted}, and it is {value!r}"
        elif word in DEEP:
            yield from DEEP[word](value, schema, root, place)
        elif word not in SAID_ONLY:
            raise NotImplementedError(word)


def _of_type(value: Any, wanted: str) -> bool:
    return isinstance(value, TYPES[wanted]) and not (wanted in ("integer", "number") and isinstance(value, bool))


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


PLAIN: Mapping[str, Callable[[Any, Any], bool]] = {
    "type": _of_type,
    "enum": lambda value, wanted: value in wanted,
    "pattern": lambda value, wanted: not isinstance(value, str) or re.search(wanted, value) is not None,
    "minimum": lambda value, wanted: not _number(value) or value >= wanted,
    "maximum": lambda value, wanted: not _number(value) or value <= wanted,
    "minItems": lambda value, wanted: not isinstance(value, list) or len(value) >= wanted,
    "uniqueItems": lambda value, wanted: not (wanted and isinstance(value, list)) or all(value.count(each) == 1 for each in value),
    "required": lambda value, wanted: not isinstance(value, dict) or set(wanted) <= value.keys(),
}


def _reference(value: Any, schema: Schema, root: Schema, place: str) -> Iterator[str]:
    target: Any = root
    for step in schema["$ref"].removeprefix("#/").split("/"):
        target = target[step]
    yield from faults(value, target, root, place)


def _fitting(value: Any, schemas: list[Schema], root: Schema) -> int:
    return sum(not list(faults(value, each, root)) for each in schemas)


def _one_of(value: Any, schema: Schema, root: Schema, place: str) -> Iterator[str]:
    if (fitting := _fitting(value, schema["oneOf"], root)) != 1:
        yield f"{place}: fits {fitting} of oneOf"


def _any_of(value: Any, schema: Schema, root: Schema, place: str) -> Iterator[str]:
    if not _fitting(value, schema["anyOf"], root):
        yield f"{place}: fits none of anyOf"


def _properties(value: Any, schema: Schema, root: Schema, place: str) -> Iterator[str]:
    known = schema["properties"]
    for name in value if isinstance(value, dict) else ():
        if name in known:
            yield from faults(value[name], known[name], root, f"{place}.{name}")


def _others(value: Any, schema: Schema, root: Schema, place: str) -> Iterator[str]:
    allowed = schema["additionalProperties"]
    for name in value if isinstance(value, dict) else ():
        if name in schema.get("properties", {}) or allowed is True:
            continue
        if allowed is False:
            yield f"{place}: {name} may not be there"
        else:
            yield from faults(value[name], allowed, root, f"{place}.{name}")


def _items(value: Any, schema: Schema, root: Schema, place: str) -> Iterator[str]:
    for number, item in enumerate(value if isinstance(value, list) else ()):
        yield from faults(item, schema["items"], root, f"{place}[{number}]")


DEEP: Mapping[str, Callable[[Any, Schema, Schema, str], Iterator[str]]] = {
    "$ref": _reference,
    "oneOf": _one_of,
    "anyOf": _any_of,
    "properties": _properties,
    "additionalProperties": _others,
    "items": _items,
}
