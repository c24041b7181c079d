"""What a value is at run time: the name of its type, its Go name for messages, what operators it takes."""

from kubectl_dra.allocation.cel.bounds import flat_enough
from kubectl_dra.allocation.cel.errors import Unsupported
from kubectl_dra.allocation.cel.library.address import Cidr, Ip
from kubectl_dra.allocation.cel.library.amount import QuantityValue
from kubectl_dra.allocation.cel.library.link import Url
from kubectl_dra.allocation.cel.library.named_formats import NamedFormat
from kubectl_dra.allocation.cel.moments import Duration, Timestamp
from kubectl_dra.allocation.cel.numbers_text import shortest
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
from kubectl_dra.objects.semver import Semver

_NAMES: dict[type, str] = {
    bool: "bool",
    int: "int",
    UInt: "uint",
    float: "double",
    str: "string",
    bytes: "bytes",
    type(None): "null_type",
    ListValue: "list",
    MapValue: "map",
    StringMap: "map",
    DomainMap: "map",
    TypedMap: "map",
    Optional: "optional_type",
    TypeValue: "type",
    Duration: "google.protobuf.Duration",
    Timestamp: "google.protobuf.Timestamp",
    QuantityValue: "kubernetes.Quantity",
    Semver: "kubernetes.Semver",
    Url: "kubernetes.URL",
    NamedFormat: "kubernetes.NamedFormat",
    Ip: "net.IP",
    Cidr: "net.CIDR",
}
_GO_NAMES: dict[type, str] = {
    bool: "types.Bool",
    int: "types.Int",
    UInt: "types.Uint",
    float: "types.Double",
    str: "types.String",
    bytes: "types.Bytes",
    type(None): "types.Null",
    Optional: "*types.Optional",
    TypeValue: "*types.Type",
    Duration: "types.Duration",
    Timestamp: "types.Timestamp",
    Semver: "cel.Semver",
    Url: "cel.URL",
    NamedFormat: "cel.Format",
    Ip: "cel.IP",
    Cidr: "cel.CIDR",
}
MAPS = (MapValue, StringMap, DomainMap, TypedMap)
RECEIVERS = (str, Duration, Timestamp)
"""Types that look for a method of their own before they say that there is none."""
ADDERS = (int, float, str, bytes, UInt, ListValue, Duration, Timestamp)
SUBTRACTORS = (int, float, UInt, Duration, Timestamp)
MULTIPLIERS = (int, float, UInt)
MODDERS = (int, UInt)
NEGATORS = (int, float, bool, Duration)
COMPARERS = (int, float, str, bool, bytes, UInt, Duration, Timestamp)
SIZERS = (str, bytes, ListValue, *MAPS)


def type_name(value: Value) -> str:
    """The run-time name of the value's type."""
    if type(value) is Undecided:
        raise Unsupported(f"{value.what} are not known here")
    return _NAMES[type(value)]


def type_text(value: Value) -> str:
    """The type as Go prints it, with its parameters."""
    return _WITH_PARAMETERS.get(type_name(value), type_name(value))


_WITH_PARAMETERS = {"list": "list(dyn)", "map": "map(dyn, dyn)", "optional_type": "optional_type(dyn)"}


def go_type(value: Value) -> str:
    """`%T`: the name of the Go type behind it."""
    kind = type(value)
    if kind is QuantityValue:
        return "*cel.Quantity" if value.pointer else "cel.Quantity"
    if kind is ListValue:
        return "*types.concatList" if value.concatenated else "*types.baseList"
    if kind is DomainMap:
        return "cel.mapper"
    return _GO_NAMES.get(kind, "*types.baseMap")


def go_string(value: Value) -> str | None:
    """The string that Go finds inside the value: a string, a type's name, or an optional of one."""
    match value:
        case str():
            return value
        case TypeValue():
            return value.name
        case Optional() if value.present:
            return go_string(value.value)
        case _:
            return None


def go_text(value: Value, depth: int = 0) -> str:
    """`%v`."""
    flat_enough(depth)
    match value:
        case bool():
            return "true" if value else "false"
        case float():
            return shortest(value)
        case UInt():
            return str(value.number)
        case None:
            return "0"
        case bytes():
            return f"[{' '.join(map(str, value))}]"
        case ListValue():
            return f"[{', '.join(go_text(item, depth + 1) for item in value.items)}]"
        case MapValue():
            pairs = zip(value.key_values(), value.entries.values(), strict=True)
            return "{" + ", ".join(f"{go_text(key)}: {go_text(item, depth + 1)}" for key, item in pairs) + "}"
        case Optional():
            return f"optional({go_text(value.value)})" if value.present else "optional.none()"
        case _:
            return str(value)
