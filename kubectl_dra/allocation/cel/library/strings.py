"""Strings: the standard ones and cel-go's extension, version 2 (ext/strings.go). Positions count characters."""

from kubectl_dra.allocation.cel.bounds import MOST_CHARACTERS, small_enough
from kubectl_dra.allocation.cel.errors import EvaluationError, NoSuchOverload
from kubectl_dra.allocation.cel.kinds import go_text
from kubectl_dra.allocation.cel.library.binding import Implementation
from kubectl_dra.allocation.cel.values import ListValue, Value

_UPPER = str.maketrans("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
_SPACES = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
"""What Go takes for white space (unicode.IsSpace)."""
_QUOTES = {"\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v", "\\": "\\\\", '"': '\\"'}


def _both(text: Value, other: Value) -> tuple[str, str]:
    if type(text) is not str or type(other) is not str:
        raise NoSuchOverload
    return str(text), str(other)


def _contains(text: Value, part: Value) -> bool:
    whole, inner = _both(text, part)
    return inner in whole


def _starts_with(text: Value, part: Value) -> bool:
    whole, inner = _both(text, part)
    return whole.startswith(inner)


def _ends_with(text: Value, part: Value) -> bool:
    whole, inner = _both(text, part)
    return whole.endswith(inner)


def _out_of_range(position: int) -> EvaluationError:
    return EvaluationError(f"index out of range: {position}")


def _char_at(text: str, position: int) -> str:
    if not 0 <= position <= len(text):
        raise _out_of_range(position)
    return text[position : position + 1]


def _index_of(text: str, part: str, offset: int = 0) -> int:
    if offset < 0:
        raise _out_of_range(offset)
    if not part:
        return min(offset, len(text))
    return text.find(part, offset)


def _last_index_of(text: str, part: str, offset: int | None = None) -> int:
    if offset is None:
        return text.rfind(part) if part else len(text)
    if offset < 0:
        raise _out_of_range(offset)
    if not part:
        return min(offset, len(text))
    return -1 if offset >= len(text) else text.rfind(part, 0, offset + len(part))


def _replace(text: str, old: str, new: str, count: int = -1) -> str:
    found = text.count(old) if count < 0 else min(text.count(old), count)
    small_enough(len(text) + found * (len(new) - len(old)), MOST_CHARACTERS)
    return text.replace(old, new, max(count, -1))


def _split(text: str, separator: str, count: int = -1) -> ListValue:
    if count == 0:
        return ListValue([], go="string")
    if separator:
        return ListValue(list(text.split(separator, count - 1 if count > 0 else -1)), go="string")
    letters: list[Value] = list(text)
    if 0 < count < len(letters):
        letters = [*letters[: count - 1], text[count - 1 :]]
    return ListValue(letters, go="string")


def _substring(text: str, start: int, end: int | None = None) -> str:
    if end is None:
        if not 0 <= start <= len(text):
            raise _out_of_range(start)
        return text[start:]
    if start > end:
        raise EvaluationError(f"invalid substring range. start: {start}, end: {end}")
    for position in (start, end):
        if not 0 <= position <= len(text):
            raise _out_of_range(position)
    return text[start:end]


def _join(values: ListValue, separator: str = "") -> str:
    for value in values.items:
        if type(value) is not str:
            raise EvaluationError(f"join: invalid input: {go_text(value)}")
    small_enough(sum(map(len, values.items)) + len(separator) * len(values.items), MOST_CHARACTERS)
    return separator.join(values.items)


def _quote(text: str) -> str:
    return '"' + "".join(_QUOTES.get(letter, letter) for letter in text) + '"'


IMPLEMENTATIONS: dict[str, Implementation] = {
    "contains_string": _contains,
    "starts_with_string": _starts_with,
    "ends_with_string": _ends_with,
    "string_char_at_int": _char_at,
    "string_index_of_string": _index_of,
    "string_index_of_string_int": _index_of,
    "string_last_index_of_string": _last_index_of,
    "string_last_index_of_string_int": _last_index_of,
    "string_lower_ascii": lambda text: text.translate(_LOWER),
    "string_upper_ascii": lambda text: text.translate(_UPPER),
    "string_replace_string_string": _replace,
    "string_replace_string_string_int": _replace,
    "string_split_string": _split,
    "string_split_string_int": _split,
    "string_substring_int": _substring,
    "string_substring_int_int": _substring,
    "string_trim": lambda text: text.strip(_SPACES),
    "strings_quote": _quote,
    "list_join": _join,
    "list_join_string": _join,
}
