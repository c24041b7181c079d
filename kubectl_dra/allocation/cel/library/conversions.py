"""Type conversions (cel-go: common/stdlib/standard.go, the ConvertToType of each type)."""

import math

from kubectl_dra.allocation.cel.errors import EvaluationError
from kubectl_dra.allocation.cel.kinds import type_name
from kubectl_dra.allocation.cel.library.binding import Implementation
from kubectl_dra.allocation.cel.moments import EARLIEST, LATEST, Duration, Timestamp, parse_duration, parse_timestamp, timestamp
from kubectl_dra.allocation.cel.numbers_text import parse_float, parse_int, shortest
from kubectl_dra.allocation.cel.values import MAX_INT, MAX_UINT, MIN_INT, TypeValue, UInt, Value

_BOOLS = {
    **dict.fromkeys(("1", "t", "T", "TRUE", "true", "True"), True),
    **dict.fromkeys(("0", "f", "F", "FALSE", "false", "False"), False),
}


def _refused(target: str) -> EvaluationError:
    return EvaluationError(f"type conversion error from 'string' to '{target}'")


def _string_to_bool(text: str) -> bool:
    if text not in _BOOLS:
        raise _refused("bool")
    return _BOOLS[text]


def _string_to_int(text: str) -> int:
    value = parse_int(text, MIN_INT, MAX_INT)
    if value is None:
        raise _refused("int")
    return value


def _string_to_uint(text: str) -> UInt:
    value = parse_int(text, 0, MAX_UINT)
    if value is None:
        raise _refused("uint")
    return UInt(value)


def _string_to_double(text: str) -> float:
    value = parse_float(text)
    if value is None:
        raise _refused("double")
    return value


def _string_to_duration(text: str) -> Duration:
    value = parse_duration(text)
    if value is None:
        raise _refused("google.protobuf.Duration")
    return value


def _string_to_timestamp(text: str) -> Timestamp:
    value = parse_timestamp(text)
    if value is None:
        raise _refused("google.protobuf.Timestamp")
    if not EARLIEST <= value.seconds <= LATEST:
        raise EvaluationError("timestamp overflow")
    return value


def _double_to_int(value: float) -> int:
    if not math.isfinite(value) or not -(2.0**63) < value < 2.0**63:
        raise EvaluationError("integer overflow")
    return int(value)


def _double_to_uint(value: float) -> UInt:
    if not math.isfinite(value) or not 0 <= value < 2.0**64:
        raise EvaluationError("unsigned integer overflow")
    return UInt(int(value))


def _int_to_uint(value: int) -> UInt:
    if value < 0:
        raise EvaluationError("unsigned integer overflow")
    return UInt(value)


def _uint_to_int(value: UInt) -> int:
    if value.number > MAX_INT:
        raise EvaluationError("integer overflow")
    return value.number


def _bytes_to_string(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise EvaluationError("invalid UTF-8 in bytes, cannot convert to string") from None


def _itself(value: Value) -> Value:
    return value


IMPLEMENTATIONS: dict[str, Implementation] = {
    "type": lambda value: TypeValue(type_name(value)),
    "to_dyn": _itself,
    "bool_to_bool": _itself,
    "string_to_bool": _string_to_bool,
    "bytes_to_bytes": _itself,
    "string_to_bytes": lambda text: text.encode(),
    "double_to_double": _itself,
    "int64_to_double": float,
    "string_to_double": _string_to_double,
    "uint64_to_double": lambda value: float(value.number),
    "duration_to_duration": _itself,
    "string_to_duration": _string_to_duration,
    "int64_to_int64": _itself,
    "double_to_int64": _double_to_int,
    "duration_to_int64": lambda value: value.nanoseconds,
    "string_to_int64": _string_to_int,
    "timestamp_to_int64": lambda value: value.seconds,
    "uint64_to_int64": _uint_to_int,
    "string_to_string": _itself,
    "bool_to_string": lambda value: "true" if value else "false",
    "bytes_to_string": _bytes_to_string,
    "double_to_string": shortest,
    "duration_to_string": str,
    "int64_to_string": str,
    "timestamp_to_string": str,
    "uint64_to_string": lambda value: str(value.number),
    "ip_to_string": str,
    "cidr_to_string": str,
    "timestamp_to_timestamp": _itself,
    "int64_to_timestamp": lambda seconds: timestamp(seconds, 0),
    "string_to_timestamp": _string_to_timestamp,
    "uint64_to_uint64": _itself,
    "double_to_uint64": _double_to_uint,
    "int64_to_uint64": _int_to_uint,
    "string_to_uint64": _string_to_uint,
}
