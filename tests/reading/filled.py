"""Structs with every field filled, made from their types: whatever a Struct gets in future is in these tests, too."""

from collections.abc import Iterator, Mapping
from itertools import count
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from kubectl_dra.objects.shape import Object

S = TypeVar("S", bound=Object)


def filled(struct: type[S], numbers: Iterator[int] | None = None, **fields: Any) -> S:
    """An object with a value in every field, no two alike where the type allows it; `fields` stand as given."""
    numbers = numbers or count(1)
    hints = get_type_hints(struct)
    values = {name: fields[name] if name in fields else _value(hints[name], numbers) for name in struct.__struct_fields__}
    return struct(**values)


def _value(wanted: Any, numbers: Iterator[int]) -> Any:
    origin, inner = get_origin(wanted), get_args(wanted)
    if origin in (Union, UnionType):
        return _value(next(each for each in inner if each is not NoneType), numbers)
    if origin is tuple:
        return (_value(inner[0], numbers), _value(inner[0], numbers))
    if origin is not None and issubclass(origin, Mapping):
        return {_value(inner[0], numbers): _value(inner[1], numbers)}
    if wanted is str:
        return f"text-{next(numbers)}"
    if wanted is int:
        return next(numbers)
    if wanted is bool:
        return True
    if isinstance(wanted, type) and issubclass(wanted, Object):
        return filled(wanted, numbers)
    raise AssertionError(f"no value for {wanted}")
