"""`text.format([...])` (cel-go: ext/formatting.go, the form before version 4, locale en_US)."""

from collections.abc import Callable

from kubectl_dra.allocation.cel.bounds import MOST_CHARACTERS, flat_enough, small_enough
from kubectl_dra.allocation.cel.errors import EvaluationError, Unsupported
from kubectl_dra.allocation.cel.kinds import type_name
from kubectl_dra.allocation.cel.library.binding import Implementation
from kubectl_dra.allocation.cel.library.conversions import IMPLEMENTATIONS as CONVERSIONS
from kubectl_dra.allocation.cel.moments import Duration, Timestamp
from kubectl_dra.allocation.cel.values import ListValue, MapValue, TypeValue, UInt, Value
from kubectl_dra.objects.quoted import quoted

Clause = Callable[[int, str, int | None], str]
"""What to do for argument number n with a verb and a precision."""


class FormatError(EvaluationError):
    """The clause does not fit the argument; `place` is the argument's number, for the static check."""

    def __init__(self, message: str, place: int | None = None) -> None:
        """Take the text and the argument."""
        super().__init__(message)
        self.place = place


COMPLAINTS = {
    "s": "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, "
    "was given {}",
    "d": "decimal clause can only be used on integers, was given {}",
    "f": "fixed-point clause can only be used on doubles, was given {}",
    "e": "scientific clause can only be used on doubles, was given {}",
    "b": "only integers and bools can be formatted as binary, was given {}",
    "x": "only integers, byte buffers, and strings can be formatted as hex, was given {}",
    "X": "only integers, byte buffers, and strings can be formatted as hex, was given {}",
    "o": "octal clause can only be used on integers, was given {}",
}
"""What each clause says to an argument it is not made for."""


def scan(text: str, count: int, clause: Clause, *, static: bool = False) -> tuple[str, int]:
    """The text with each clause replaced, and how many arguments that took. Raises FormatError.

    `static` is the check at compile time, which sees the end of the text before it sees that arguments are missing.
    """
    built: list[str] = []
    used = size = 0
    position = 0
    while position < len(text):
        if text[position] != "%":
            built.append(text[position])
            position += 1
        elif text.startswith("%%", position):
            built.append("%")
            position += 2
        else:
            if static and position + 1 >= len(text):
                raise FormatError("unexpected end of string")
            position, piece = _clause(text, position + 1, used, count, clause)
            built.append(piece)
            size += len(piece)
            small_enough(size, MOST_CHARACTERS)
            used += 1
    return "".join(built), used


def _clause(text: str, position: int, used: int, count: int, clause: Clause) -> tuple[int, str]:
    if used >= count:
        raise FormatError(f"index {used} out of range")
    if position >= len(text):
        raise FormatError("unexpected end of string")
    precision: int | None = None
    if text[position] == ".":
        position, precision = _precision(text, position + 1)
    verb = text[position]
    if verb not in COMPLAINTS:
        raise FormatError(f'could not parse formatting clause: unrecognized formatting clause "{verb}"')
    try:
        return position + 1, clause(used, verb, precision)
    except FormatError as error:
        raise FormatError(f"error during formatting: {error.message}", error.place) from None


def _precision(text: str, position: int) -> tuple[int, int]:
    start = position
    while position < len(text) and text[position] in "0123456789":
        position += 1
    problem = "could not parse formatting clause: error while parsing precision: "
    if position >= len(text):
        raise FormatError(f"{problem}could not find end of precision specifier")
    if position == start or len(text[start:position]) > 18:
        raise FormatError(
            f"{problem}error while converting precision to integer: strconv.Atoi: parsing {quoted(text[start:position])}: invalid syntax"
        )
    return position, int(text[start:position])


def _format(text: str, values: ListValue) -> str:
    def clause(place: int, verb: str, precision: int | None) -> str:
        return _written(values.items[place], verb, precision)

    return scan(text, len(values.items), clause)[0]


def _written(value: Value, verb: str, precision: int | None) -> str:
    kind = type(value)
    complaint = FormatError(COMPLAINTS[verb].format(type_name(value)))
    match verb:
        case "s":
            return _string(value)
        case "d":
            if kind not in (int, UInt):
                raise complaint
            return _integer_text(value)
        case "f" | "e":
            return _float(value, verb, 6 if precision is None else precision, complaint)
        case "b":
            if kind is bool:
                return "1" if value else "0"
            return _based(value, "b", complaint)
        case "o":
            return _based(value, "o", complaint)
    if kind is str or kind is bytes:
        digits = str((value.encode() if kind is str else value).hex())
        return digits.upper() if verb == "X" else digits
    return _based(value, verb, complaint)


def _integer_text(value: Value) -> str:
    return str(value.number if type(value) is UInt else value)


def _based(value: Value, base: str, complaint: FormatError) -> str:
    if type(value) not in (int, UInt):
        raise complaint
    return format(value.number if type(value) is UInt else value, base)


def _float(value: Value, verb: str, precision: int, complaint: FormatError) -> str:
    if type(value) is str and value in ("NaN", "Infinity", "-Infinity"):
        value = float(value.replace("Infinity", "inf"))
    if type(value) is not float:
        raise complaint
    if precision > 1000:
        raise Unsupported("a number with more than 1000 digits")
    # The locale's own signs: en_US groups thousands, and writes infinity and powers of ten its own way.
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "∞" if value > 0 else "-∞"
    if verb == "f":
        return format(value, f",.{precision}f")
    mantissa, _, exponent = format(value, f".{precision}e").partition("e")
    sign = "-" if exponent.startswith("-") else ""
    power = exponent.lstrip("+-").lstrip("0").rjust(2, "0")
    return f"{mantissa}\u202f\u00d7\u202f10{_superscript(sign + power)}"


def _superscript(text: str) -> str:
    return text.translate(str.maketrans("-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"))


def _string(value: Value, depth: int = 0) -> str:
    flat_enough(depth)
    match value:
        case ListValue():
            return f"[{', '.join(_inner(item, depth + 1) for item in value.items)}]"
        case MapValue():
            return _map(value, depth + 1)
        case None:
            return "null"
        case str():
            return value
        case TypeValue():
            return value.name
    name = _TO_STRING.get(type(value))
    if name is None:
        raise FormatError(COMPLAINTS["s"].format(type_name(value)))
    try:
        return str(CONVERSIONS[name](value))
    except EvaluationError as error:
        raise FormatError(f'could not convert argument "{error.message}" to string') from None


_TO_STRING: dict[type, str] = {
    bool: "bool_to_string",
    int: "int64_to_string",
    UInt: "uint64_to_string",
    float: "double_to_string",
    bytes: "bytes_to_string",
    Duration: "duration_to_string",
    Timestamp: "timestamp_to_string",
}


def _inner(value: Value, depth: int) -> str:
    """An element of a list or map, as a literal."""
    match value:
        case str():
            return quoted(value)
        case bytes():
            return f"b{quoted(_string(value))}"
        case float():
            text = _plain_float(value)
            return text if text[-1].isdigit() else quoted(text)
        case Timestamp():
            return f"timestamp({quoted(str(value))})"
        case Duration():
            return f"duration({quoted(str(value))})"
        case ListValue() | MapValue() | bool() | int() | UInt() | None | TypeValue():
            return _string(value, depth)
    raise FormatError(f"no formatting function for {type_name(value)}")


def _plain_float(value: float) -> str:
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "+Inf" if value > 0 else "-Inf"
    return format(value, ".6f")


def _map(value: MapValue, depth: int) -> str:
    pairs: list[tuple[str, str]] = []
    for key, item in zip(value.key_values(), value.entries.values(), strict=True):
        if type(key) not in (str, bool, int, UInt):
            raise FormatError(f"no formatting function for map key of type {type_name(key)}")
        pairs.append((quoted(key) if type(key) is str else _string(key), _inner(item, depth)))
    pairs.sort(key=lambda pair: pair[0].encode())
    return "{" + ", ".join(f"{key}:{item}" for key, item in pairs) + "}"


IMPLEMENTATIONS: dict[str, Implementation] = {"string_format": _format}
