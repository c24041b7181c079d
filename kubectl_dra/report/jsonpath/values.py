"""Values as Go sees them: how they print, and how they compare (client-go, third_party/forked/golang/template/funcs.go)."""

import json
from collections.abc import Mapping
from decimal import Decimal

Value = None | bool | int | float | str | list["Value"] | dict[str, "Value"]


class WalkError(ValueError):
    """The template does not fit the document; the message says how, as kubectl does."""


def text(value: Value) -> str:
    """`value` as a template prints it: objects and lists as JSON, null as `null`."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case float():
            return _go_float(value)
        case dict() | list():
            return compact(value)
        case _:
            return str(value)


def compact(value: Value) -> str:
    """JSON on one line, keys sorted and HTML's characters escaped, as Go writes it."""
    return _html_safe(json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False))


def indented(value: Value) -> str:
    """JSON over several lines, the same."""
    return _html_safe(json.dumps(value, sort_keys=True, indent=4, ensure_ascii=False))


def type_name(value: Value) -> str:
    """The Go type that kubectl's errors name."""
    names: Mapping[type, str] = {
        dict: "map[string]interface {}",
        list: "[]interface {}",
        str: "string",
        bool: "bool",
        int: "int64",
        float: "float64",
    }
    return names.get(type(value), "nil")


def compare(left: Value, operator: str, right: Value) -> bool:
    """The result of a filter's comparison. Only values of one type compare; bools only for equality. Raises WalkError."""
    for value in (left, right):
        if not isinstance(value, bool | int | float | str):
            raise WalkError("invalid type for comparison")
    if type(left) is not type(right):
        raise WalkError("incompatible types for comparison")
    match operator:
        case "==":
            return left == right
        case "!=":
            return left != right
        case "<" | "<=" | ">" | ">=":
            return _ordered(left, operator, right)
        case _:
            raise WalkError(f"unrecognized filter operator {operator}")


def _ordered(left: Value, operator: str, right: Value) -> bool:
    if isinstance(left, bool):
        raise WalkError("invalid type for comparison")
    less = left < right  # type: ignore[operator]  # both are of one type that has an order
    match operator:
        case "<":
            return less
        case "<=":
            return less or left == right
        case ">":
            return not less and left != right
        case _:
            return not less


def _html_safe(document: str) -> str:
    for character in "<>&\u2028\u2029":
        document = document.replace(character, f"\\u{ord(character):04x}")
    return document


def _go_float(value: float) -> str:
    """Go's %v: the shortest digits, with an exponent from 1e+06 on and below 1e-04 (strconv: ftoa.go, `%e is used if`)."""
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    if not isinstance(exponent, int):
        raise WalkError(f"{value} is no number")
    power = exponent + len(digits) - 1
    if -5 < power < 6 or value == 0:
        return repr(value).removesuffix(".0")
    first, *others = map(str, digits)
    mantissa = f"{first}.{''.join(others)}" if others else first
    return f"{'-' if sign else ''}{mantissa}e{power:+03d}"
