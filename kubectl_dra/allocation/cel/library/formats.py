"""Functions on named formats (apiserver: pkg/cel/library/format.go)."""

from kubectl_dra.allocation.cel.library.binding import Implementation
from kubectl_dra.allocation.cel.library.named_formats import NAMED_FORMATS, NamedFormat
from kubectl_dra.allocation.cel.values import NONE, ListValue, Optional, Undecided


def _validate(named: NamedFormat, text: str) -> Optional:
    count = named.complaints(text)
    return Optional(ListValue([Undecided("the words of a format's complaint") for _ in range(count)], go="string")) if count else NONE


def _named(name: str) -> Optional:
    return Optional(NAMED_FORMATS[name]) if name in NAMED_FORMATS else NONE


def _constant(named: NamedFormat) -> Implementation:
    return lambda: named


IMPLEMENTATIONS: dict[str, Implementation] = {
    "format-validate": _validate,
    "format-named": _named,
    **{f"format.{name}": _constant(named) for name, named in NAMED_FORMATS.items()},
}
