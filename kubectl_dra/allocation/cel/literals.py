"""What literals mean: numbers with their limits, strings and bytes with their escapes (cel-go: parser/unescape.go)."""

from kubectl_dra.allocation.cel.values import MAX_INT, MAX_UINT, MIN_INT, UInt

_SIMPLE = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "`": "`",
    "?": "?",
}
_HEX_DIGITS = {"x": 2, "X": 2, "u": 4, "U": 8}
_LAST_CODE_POINT = 0x10FFFF


class LiteralError(ValueError):
    """The literal has no value; the text says why."""


def int_value(text: str, *, negative: bool) -> int:
    """An int64. Raises LiteralError beyond its limits."""
    value = int(text[2:], 16) if text.startswith("0x") else int(text)
    value = -value if negative else value
    if not MIN_INT <= value <= MAX_INT:
        raise LiteralError("invalid int literal")
    return value


def uint_value(text: str) -> UInt:
    """A uint64, from text that ends with `u`. Raises LiteralError beyond its limits."""
    digits = text[:-1]
    value = int(digits[2:], 16) if digits.startswith("0x") else int(digits)
    if value > MAX_UINT:
        raise LiteralError("invalid uint literal")
    return UInt(value)


def float_value(text: str, *, negative: bool) -> float:
    """A double. Raises LiteralError when it overflows."""
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise LiteralError("invalid double literal")
    return -value if negative else value


def string_value(text: str) -> str:
    """The string of a quoted literal."""
    raw, body = _unquoted(text)
    if raw or "\\" not in body:
        return body
    return "".join(part if isinstance(part, str) else chr(_code_point(part)) for part in _parts(body, octets=False))


def bytes_value(text: str) -> bytes:
    """The bytes of a literal, its leading `b` included; `\\x` and octal escapes are single bytes."""
    raw, body = _unquoted(text[1:])
    if raw or "\\" not in body:
        return body.encode()
    return b"".join(part.encode() if isinstance(part, str) else bytes([part & 0xFF]) for part in _parts(body, octets=True))


def _code_point(value: int) -> int:
    if value > _LAST_CODE_POINT or 0xD800 <= value <= 0xDFFF:
        raise LiteralError("invalid unicode code point")
    return value


def _unquoted(text: str) -> tuple[bool, str]:
    """Whether it is raw, and what stands between the quotes, its line ends made `\\n`."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    raw = text[0] in "rR"
    if raw:
        text = text[1:]
    if len(text) >= 6 and text[:3] in ("'''", '"""'):
        return raw, text[3:-3]
    return raw, text[1:-1]


def _parts(body: str, *, octets: bool) -> list[str | int]:
    """The text in pieces: strings as they are, numbers where an escape gives a code."""
    found: list[str | int] = []
    position = 0
    while position < len(body):
        backslash = body.find("\\", position)
        if backslash < 0:
            found.append(body[position:])
            break
        found.append(body[position:backslash])
        letter = body[backslash + 1]
        position = backslash + 2
        if letter in _SIMPLE:
            found.append(_SIMPLE[letter])
        elif letter in _HEX_DIGITS:
            if octets and letter in "uU":
                raise LiteralError("unable to unescape string")
            digits = _HEX_DIGITS[letter]
            found.append(int(body[position : position + digits], 16))
            position += digits
        else:
            found.append(int(body[backslash + 1 : backslash + 4], 8))
            position = backslash + 4
    return found
