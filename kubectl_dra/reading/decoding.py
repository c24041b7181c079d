"""Items of one kind, from JSON or from plain values, to the Structs that are kept.

The quick way takes all items at once. Where it fails, each item is tried by itself, then without its nulls; what is still of
another type than Kubernetes has it is told by object and path.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, Literal, TypeVar

import msgspec

from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.shape import Object
from kubectl_dra.objects.sharing import Sharing
from kubectl_dra.reading import kept
from kubectl_dra.reading.json_cutter import Text
from kubectl_dra.reading.kinds import Kind, api_version
from kubectl_dra.reading.pod_text import PodText, PodTexts
from kubectl_dra.reading.versions import form

T = TypeVar("T", bound=Object)


class MistypedError(ValueError):
    """An object has a field of another type than Kubernetes gives it. The text names object, path and what was expected."""


class Decoder:
    """Decodes one kind at one version."""

    def __init__(self, kind: Kind, version: str, share: Sharing) -> None:
        """Take the kind, the version its items are in, and the table of this reading."""
        self.kind = kind
        shape = form(kind, version)
        self._struct = shape.struct
        self._to_v1 = shape.to_v1
        self._keep = kept.keeper(kind.struct)
        self._share = share
        text: type[Object] = PodText if kind.struct is Pod else shape.struct
        self._of_text: Callable[[Any], Object] = PodTexts(share).pod if kind.struct is Pod else self._whole
        self._list = _list_decoder(text)
        self._kind_list = _kind_list_decoder(text, kind.kind, api_version(kind.group, version))

    def items(self, text: Text) -> list[Object]:
        """The objects in a JSON array. Raises MistypedError, msgspec.DecodeError."""
        try:
            return list(map(self._of_text, self._list.decode(text)))
        except msgspec.ValidationError:
            return [self._whole(self._one(msgspec.json.decode(item))) for item in raw_items(text)]

    def items_of_kind(self, text: Text) -> list[Object] | None:
        """The objects in a JSON array if each of them says that it is of this kind and version; None if one does not."""
        try:
            return list(map(self._of_text, self._kind_list.decode(text)))
        except msgspec.ValidationError:
            return None

    def value(self, item: object) -> Object:
        """One object from plain values (maps, lists, texts); numbers and booleans may be texts. Raises MistypedError."""
        return self._whole(self._one(item))

    def _whole(self, item: Any) -> Object:  # noqa: ANN401 - an object in the form of the decoder's version
        """What is kept of an object all of whose fields are decoded."""
        return self._keep(item if self._to_v1 is None else self._to_v1(item), self._share)

    def _one(self, item: object) -> Object:
        return convert(item, self._struct, f"{self.kind.kind} {name_of(item)}")


def raw_items(text: Text) -> list[msgspec.Raw]:
    """The items of a JSON array, each as its own text. They do not hold on to `text`, which may be a part of a window that moves on."""
    return msgspec.json.decode(bytes(text), type=list[msgspec.Raw])


def convert(item: object, struct: type[T], what: str) -> T:
    """`item` (plain values) as `struct`, null fields taken for missing ones. Raises MistypedError, which begins with `what`."""
    try:
        return msgspec.convert(item, struct, strict=False)
    except msgspec.ValidationError:
        pass
    try:
        return msgspec.convert(without_nulls(item), struct, strict=False)
    except msgspec.ValidationError as error:
        raise MistypedError(f"{what}: {told(error)}") from None


def told(error: msgspec.ValidationError) -> str:
    """msgspec's words as a path and what was expected there: ``.spec.nodeName: expected `str`, got `int` ``."""
    words, _, place = str(error).partition(" - at `$")
    words = words[:1].lower() + words[1:]
    return f"{place.rstrip('`')}: {words}" if place.rstrip("`") else words


def name_of(item: object) -> str:
    """`namespace/name` of an object that may be broken anywhere."""
    meta = item.get("metadata") if isinstance(item, dict) else None
    if not isinstance(meta, dict):
        return "without a name"
    namespace, name = meta.get("namespace"), meta.get("name")
    return f"{namespace}/{name}" if namespace else str(name or "without a name")


def without_nulls(value: object) -> object:
    """`value` without the keys and items that are null, at any depth. What stands in it several times (YAML's aliases) is done once."""
    return _without_nulls(value, {})


def _without_nulls(value: object, done: dict[int, object]) -> object:
    if not isinstance(value, dict | list):
        return value
    found = done.get(id(value))
    if found is None:
        if isinstance(value, dict):
            found = {key: _without_nulls(item, done) for key, item in value.items() if item is not None}
        else:
            found = [_without_nulls(item, done) for item in value if item is not None]
        done[id(value)] = found
    return found


@cache
def _list_decoder(struct: type[Object]) -> "msgspec.json.Decoder[list[Any]]":
    return msgspec.json.Decoder(list[struct])  # type: ignore[valid-type]


@cache
def _kind_list_decoder(struct: type[Object], kind: str, version: str) -> "msgspec.json.Decoder[list[Any]]":
    fields: list[tuple[str, Any, Any]] = [
        ("of_kind", Literal[kind], msgspec.field(name="kind")),
        ("of_version", Literal[version], msgspec.field(name="apiVersion")),
    ]
    exact = msgspec.defstruct(struct.__name__, fields, bases=(struct,), frozen=True, kw_only=True, gc=False)
    return msgspec.json.Decoder(list[exact])  # type: ignore[valid-type]
