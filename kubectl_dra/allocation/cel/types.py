"""Static types, as the type check compares and prints them (cel-go: common/types/types.go, checker/format.go)."""

from dataclasses import dataclass
from enum import IntEnum


class Kind(IntEnum):
    """General categories of types."""

    DYN = 1
    ANY = 2
    BOOL = 3
    BYTES = 4
    DOUBLE = 5
    DURATION = 6
    ERROR = 7
    INT = 8
    LIST = 9
    MAP = 10
    NULL = 11
    OPAQUE = 12
    STRING = 13
    STRUCT = 14
    TIMESTAMP = 15
    TYPE = 16
    PARAM = 17
    UINT = 18


@dataclass(frozen=True, slots=True)
class Type:
    """A type: its kind, the name it has at run time, and its parameters. Equal means exactly the same."""

    kind: Kind
    name: str
    parameters: tuple["Type", ...] = ()

    def __str__(self) -> str:
        """As the output type is printed: `list(dyn)`, `<A>`."""
        if self.kind is Kind.PARAM:
            return f"<{self.name}>"
        if not self.parameters:
            return self.name
        return f"{self.name}({', '.join(map(str, self.parameters))})"

    @property
    def checked_name(self) -> str:
        """As messages of the type check print it: short names for the well-known types."""
        match self.kind:
            case Kind.ANY:
                return "any"
            case Kind.DURATION:
                return "duration"
            case Kind.ERROR:
                return "!error!"
            case Kind.NULL:
                return "null"
            case Kind.TIMESTAMP:
                return "timestamp"
        if not self.parameters:
            return self.name
        return f"{self.name}({', '.join(p.checked_name for p in self.parameters)})"

    @property
    def dynamic(self) -> bool:
        """True for types that are known at run time only."""
        return self.kind in (Kind.DYN, Kind.ANY)


ANY = Type(Kind.ANY, "google.protobuf.Any")
BOOL = Type(Kind.BOOL, "bool")
BYTES = Type(Kind.BYTES, "bytes")
DOUBLE = Type(Kind.DOUBLE, "double")
DURATION = Type(Kind.DURATION, "google.protobuf.Duration")
DYN = Type(Kind.DYN, "dyn")
ERROR = Type(Kind.ERROR, "error")
INT = Type(Kind.INT, "int")
NULL = Type(Kind.NULL, "null_type")
STRING = Type(Kind.STRING, "string")
TIMESTAMP = Type(Kind.TIMESTAMP, "google.protobuf.Timestamp")
UINT = Type(Kind.UINT, "uint")
TYPE = Type(Kind.TYPE, "type")
QUANTITY = Type(Kind.STRUCT, "kubernetes.Quantity")
SEMVER = Type(Kind.STRUCT, "kubernetes.Semver")
URL = Type(Kind.STRUCT, "kubernetes.URL")
FORMAT = Type(Kind.STRUCT, "kubernetes.NamedFormat")
IP = Type(Kind.OPAQUE, "net.IP")
CIDR = Type(Kind.OPAQUE, "net.CIDR")


def list_of(element: Type) -> Type:
    """`list(element)`."""
    return Type(Kind.LIST, "list", (element,))


def map_of(key: Type, value: Type) -> Type:
    """`map(key, value)`."""
    return Type(Kind.MAP, "map", (key, value))


def optional_of(value: Type) -> Type:
    """`optional_type(value)`."""
    return Type(Kind.OPAQUE, "optional_type", (value,))


def type_of(value: Type) -> Type:
    """The type of a type."""
    return Type(Kind.TYPE, "type", (value,))


def parameter(name: str) -> Type:
    """A type that the check has to find."""
    return Type(Kind.PARAM, name)


def unwrapped(kind: Type) -> tuple[Type, bool]:
    """The type inside an optional and True, or the type itself and False."""
    if kind.kind is Kind.OPAQUE and kind.name == "optional_type":
        return kind.parameters[0], True
    return kind, False


def equivalent(one: Type, other: Type) -> bool:
    """Equal but for the names of type parameters."""
    if one == other:
        return True
    if one.kind is not other.kind or len(one.parameters) != len(other.parameters):
        return False
    if one.kind is not Kind.PARAM and one.name != other.name:
        return False
    return all(map(equivalent, one.parameters, other.parameters))
