"""Optional values (cel-go: cel/library.go). `or` and `orValue` are made by the planner, for they look at one side only."""

from kubectl_dra.allocation.cel.errors import EvaluationError
from kubectl_dra.allocation.cel.library.binding import Implementation
from kubectl_dra.allocation.cel.moments import Duration, Timestamp
from kubectl_dra.allocation.cel.values import NONE, DomainMap, ListValue, MapValue, Optional, UInt, Value

_ZERO_TIME = -62135596800


def _is_zero(value: Value) -> bool:
    """Zero, empty or null. The domains of a device are no such value for upstream, whatever is in them."""
    match value:
        case None:
            return True
        case bool() | int() | float() | str() | bytes():
            return not value
        case UInt():
            return value.number == 0
        case ListValue():
            return not value.items
        case DomainMap():
            return False
        case MapValue():
            return not value.entries
        case Duration():
            return value.nanoseconds == 0
        case Timestamp():
            return value.instant == (_ZERO_TIME, 0)
        case _:
            return False


def _value(optional: Optional) -> Value:
    if not optional.present:
        raise EvaluationError("optional.none() dereference")
    return optional.value


def _unwrap(values: ListValue) -> ListValue:
    found = []
    for value in values.items:
        if type(value) is not Optional:
            raise EvaluationError("value is not optional")
        if value.present:
            found.append(value.value)
    return ListValue(found)


IMPLEMENTATIONS: dict[str, Implementation] = {
    "optional_of": Optional,
    "optional_ofNonZeroValue": lambda value: NONE if _is_zero(value) else Optional(value),
    "optional_none": lambda: NONE,
    "optional_value": _value,
    "optional_hasValue": lambda optional: optional.present,
    "list_last": lambda values: Optional(values.items[-1]) if values.items else NONE,
    "list_first": lambda values: Optional(values.items[0]) if values.items else NONE,
    "optional_unwrap": _unwrap,
    "optional_unwrapOpt": _unwrap,
}
