"""A document as indented JSON, piece by piece: a long list is never there as a whole text beside its objects."""

from collections.abc import Iterator

import msgspec

INDENT = 4
"""kubectl's."""


def pieces(document: msgspec.Struct) -> Iterator[str]:
    """The text that `msgspec.json.format` makes of the document, and a line break at its end; each item of a list by itself."""
    fields = msgspec.structs.fields(document)
    for number, field in enumerate(fields):
        yield ("{\n" if number == 0 else ",\n") + f'{" " * INDENT}"{field.encode_name}": '
        value = getattr(document, field.name)
        if isinstance(value, tuple | list) and value:
            yield from _items(value)
        else:
            yield _text(value, INDENT)
    yield "\n}\n" if fields else "{}\n"


def _items(values: tuple[object, ...] | list[object]) -> Iterator[str]:
    for number, item in enumerate(values):
        yield ("[\n" if number == 0 else ",\n") + " " * 2 * INDENT + _text(item, 2 * INDENT)
    yield f"\n{' ' * INDENT}]"


def _text(value: object, depth: int) -> str:
    """A value as it stands so deep. No line break is inside of a string: JSON escapes it."""
    return msgspec.json.format(msgspec.json.encode(value), indent=INDENT).decode().replace("\n", "\n" + " " * depth)
