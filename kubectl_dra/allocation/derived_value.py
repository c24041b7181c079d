"""The value of an expression as an attribute (dynamic-resource-allocation: cel/compile.go, valToDeviceAttribute).

Upstream looks at the Go value inside: that of an optional is what it holds, that of a type its name.
"""

from collections.abc import Callable, Mapping

from kubectl_dra.allocation.cel.errors import EvaluationError, Unsupported
from kubectl_dra.allocation.cel.library.address import Cidr, Ip
from kubectl_dra.allocation.cel.library.amount import QuantityValue
from kubectl_dra.allocation.cel.library.link import Url
from kubectl_dra.allocation.cel.library.named_formats import NamedFormat
from kubectl_dra.allocation.cel.moments import Duration, Timestamp
from kubectl_dra.allocation.cel.values import (
    DomainMap,
    ListValue,
    MapValue,
    Optional,
    StringMap,
    TypedMap,
    TypeValue,
    UInt,
    Undecided,
    Value,
)
from kubectl_dra.objects.resource import DeviceAttribute
from kubectl_dra.objects.semver import Semver


class _Nothing:
    """What is inside of an empty optional."""


_ELEMENTS: Mapping[type, str] = {bool: "bool", int: "int", str: "string", Semver: "semver"}
_GO_TYPES: Mapping[type, str] = {
    bool: "bool",
    int: "int64",
    UInt: "uint64",
    float: "float64",
    str: "string",
    bytes: "[]uint8",
    type(None): "structpb.NullValue",
    MapValue: "map[ref.Val]ref.Val",
    StringMap: "map[string]interface {}",
    DomainMap: "map[string]interface {}",
    TypedMap: "map[string]cel.Quantity",
    Duration: "time.Duration",
    Timestamp: "time.Time",
    QuantityValue: "*resource.Quantity",
    Semver: "semver.Version",
    Url: "*url.URL",
    Ip: "netip.Addr",
    Cidr: "netip.Prefix",
    NamedFormat: "cel.Format",
    _Nothing: "<nil>",
}
_SINGLE: Mapping[type, Callable[[Value], DeviceAttribute]] = {
    bool: lambda value: DeviceAttribute(bool_=value),
    int: lambda value: DeviceAttribute(int_=value),
    str: lambda value: DeviceAttribute(string=value),
    Semver: lambda value: DeviceAttribute(version=str(value)),
}
_LISTS: Mapping[type, Callable[[tuple[Value, ...]], DeviceAttribute]] = {
    bool: lambda values: DeviceAttribute(bools=values),
    int: lambda values: DeviceAttribute(ints=values),
    str: lambda values: DeviceAttribute(strings=values),
    Semver: lambda values: DeviceAttribute(versions=tuple(map(str, values))),
}


def as_attribute(value: Value) -> DeviceAttribute:
    """The attribute. Raises CelError for a value that can be none."""
    inside = _inside(value)
    single = _SINGLE.get(type(inside))
    if single is not None:
        return single(inside)
    if type(value) is ListValue:
        return _as_list(list(map(_inside, value.items)))
    raise EvaluationError(f"unsupported CEL return type: {_go_type(inside)}")


def _as_list(items: list[Value]) -> DeviceAttribute:
    """All of one type, which the first tells; no item at all is a list of texts."""
    if not items:
        return DeviceAttribute(strings=())
    kind = type(items[0])
    if kind not in _LISTS:
        raise EvaluationError(f"unsupported list element type: {_go_type(items[0])}")
    for at, item in enumerate(items):
        if type(item) is not kind:
            raise EvaluationError(f"expected list element at index {at} to be {_ELEMENTS[kind]}, got {_go_type(item)}")
    return _LISTS[kind](tuple(items))


def _go_type(value: Value) -> str:
    return f"[]{value.go}" if type(value) is ListValue else _GO_TYPES[type(value)]


def _inside(value: Value) -> Value:
    while type(value) is Optional:
        if not value.present:
            return _Nothing()
        value = value.value
    match value:
        case TypeValue():
            return value.name
        case Undecided():
            raise Unsupported(f"{value.what} cannot be told")
    return value
