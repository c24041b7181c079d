"""Numbers to text and back, as Go's strconv and fmt do it."""

import re
from decimal import Decimal

_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_HEXADECIMAL = re.compile(r"[+-]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?[0-9]+")
_INFINITY = re.compile(r"([+-]?)inf(?:inity)?", re.IGNORECASE)
_INTEGER = re.compile(r"[+-]?[0-9]+")


def parse_float(text: str) -> float | None:
    """A double, None when the text is none or it overflows."""
    if "_" in text:
        # Underscores may stand between digits.
        if not _between_digits(text):
            return None
        text = text.replace("_", "")
    infinite = _INFINITY.fullmatch(text)
    if infinite:
        return float("-inf" if infinite[1] == "-" else "inf")
    if text.lower() == "nan":
        return float("nan")
    if _DECIMAL.fullmatch(text):
        value = float(text)
        return None if value in (float("inf"), float("-inf")) else value
    if _HEXADECIMAL.fullmatch(text):
        try:
            return float.fromhex(text)
        except OverflowError:
            return None
    return None


def _between_digits(text: str) -> bool:
    """True when each underscore stands between two digits, or behind the `0x` (Go: strconv/atoi.go, underscoreOK)."""
    body = text[1:] if text[:1] in ("+", "-") else text
    digits = "0123456789"
    previous = "^"
    if body[:2].lower() in ("0b", "0o", "0x"):
        digits = "0123456789abcdefABCDEF" if body[1] in "xX" else digits
        body, previous = body[2:], "0"
    for letter in body:
        kind = "0" if letter in digits else "_" if letter == "_" else "!"
        if (kind == "_" and previous != "0") or (kind == "!" and previous == "_"):
            return False
        previous = kind
    return previous != "_"


def parse_int(text: str, low: int, high: int) -> int | None:
    """A decimal integer within the limits, with a sign where `low` is negative."""
    if not _INTEGER.fullmatch(text) or (low >= 0 and text[0] in "+-"):
        return None
    if len(text) > 1000:
        return None
    value = int(text)
    return value if low <= value <= high else None


def shortest_fixed(value: float) -> str:
    """Without exponent, with as few digits as tell the value apart: FormatFloat(v, 'f', -1)."""
    special = _special(value)
    if special:
        return special
    text = format(Decimal(repr(value)), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def shortest(value: float) -> str:
    """With an exponent below 1e-4 and from 1e6 on, as `%g` and `%v` print it."""
    special = _special(value)
    if special:
        return special
    sign, digits, power = Decimal(repr(value)).as_tuple()
    text = "".join(map(str, digits)).rstrip("0") or "0"
    exponent = int(power) + len(digits) - 1 if text != "0" else 0
    if -4 <= exponent < 6:
        return shortest_fixed(value)
    mantissa = text[0] + ("." + text[1:] if len(text) > 1 else "")
    return f"{'-' if sign else ''}{mantissa}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"


def _special(value: float) -> str:
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "+Inf" if value > 0 else "-Inf"
    return "-0" if value == 0 and str(value).startswith("-") else ""
