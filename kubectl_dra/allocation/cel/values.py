"""Values at run time. bool, int, float, str, bytes and None are Python's own; the rest is here.

An int is always within int64; whoever computes one checks that.
"""

from collections.abc import Iterator
from typing import Any, Final

MIN_INT: Final = -(2**63)
MAX_INT: Final = 2**63 - 1
MAX_UINT: Final = 2**64 - 1

Value = Any
"""Any value of the language."""


class UInt:
    """An unsigned 64-bit number: equal to itself only, so that it is another map key than the int."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        """Take a number from 0 to 2^64-1."""
        self.number = number

    def __eq__(self, other: object) -> bool:
        """The same unsigned number."""
        return type(other) is UInt and other.number == self.number

    def __hash__(self) -> int:
        """By the number, apart from the ints."""
        return hash(("uint", self.number))

    def __repr__(self) -> str:
        """As a literal."""
        return f"{self.number}u"


class TypeValue:
    """A type as a value: `type(1)`, `int`."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        """Take the run-time name."""
        self.name = name

    def __repr__(self) -> str:
        """The name."""
        return self.name


class Absent:
    """What an empty optional holds."""


ABSENT: Final = Absent()


class Optional:
    """`optional.of(value)`, or `optional.none()` when the value is ABSENT."""

    __slots__ = ("value",)

    def __init__(self, value: Value = ABSENT) -> None:
        """Take the value, if there is one."""
        self.value = value

    @property
    def present(self) -> bool:
        """True when it holds a value."""
        return self.value is not ABSENT


NONE: Final = Optional()


class ListValue:
    """A list. Concatenated lists compare more strictly, and a fold's accumulator is changed in place: both show in results."""

    __slots__ = ("concatenated", "go", "items", "mutable")

    def __init__(self, items: list[Value], *, concatenated: bool = False, mutable: bool = False, go: str = "ref.Val") -> None:
        """Take the elements; the list belongs to this value from now on. `go` is the type of the elements inside, as Go names it."""
        self.go = "interface {}" if concatenated else go
        self.items = items
        self.concatenated = concatenated
        self.mutable = mutable


class Undecided:
    """A value that we know to be there, but not what it is. Looking at it raises Unsupported."""

    __slots__ = ("what",)

    def __init__(self, what: str) -> None:
        """Take what it would be."""
        self.what = what


class Key:
    """A map key that Python would confuse with another (`true` and `1`) or that is known by identity only."""

    __slots__ = ("identity", "value")

    def __init__(self, identity: object, value: Value) -> None:
        """Take what makes it equal to others, and the value it stands for."""
        self.identity = identity
        self.value = value

    def __eq__(self, other: object) -> bool:
        """The same identity."""
        return type(other) is Key and other.identity == self.identity

    def __hash__(self) -> int:
        """By the identity."""
        return hash(self.identity)


class MapValue:
    """A map, by dictionary key (see `map_keys`)."""

    __slots__ = ("entries",)

    def __init__(self, entries: dict[Any, Value]) -> None:
        """Take the entries; the dictionary belongs to this value from now on."""
        self.entries = entries

    def key_values(self) -> Iterator[Value]:
        """The keys as values. Upstream's order is random; ours is that of insertion."""
        return (key.value if type(key) is Key else key for key in self.entries)


class StringMap(MapValue):
    """A map that knows string keys only: the device's own."""

    __slots__ = ()


class DomainMap(StringMap):
    """`device.attributes` and `device.capacity`: every domain that is not there is an empty map, except for `in` and iteration."""

    __slots__ = ()


class TypedMap(StringMap):
    """The quantities of one domain."""

    __slots__ = ()
