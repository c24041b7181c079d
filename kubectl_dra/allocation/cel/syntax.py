"""The syntax tree. The type check writes what it finds into the nodes: their type and what their names mean."""

from dataclasses import dataclass, field
from typing import Any

from kubectl_dra.allocation.cel.errors import Unsupported
from kubectl_dra.allocation.cel.types import DYN, Type


@dataclass(slots=True, eq=False)
class Node:
    """Any expression.

    `offset` is where messages point to, `span` the text it was written as (start and end). `depth` is the longest way down,
    `nesting` the same as the parser upstream counts it, `size` the number of nodes. `type` is filled in by the check.
    """

    offset: int
    span: tuple[int, int] = field(default=(0, 0), kw_only=True)
    depth: int = field(default=1, kw_only=True)
    nesting: int = field(default=0, kw_only=True)
    size: int = field(default=1, kw_only=True)
    type: Type | None = field(default=None, kw_only=True)

    @property
    def checked(self) -> Type:
        """The type that the check has found."""
        return self.type or DYN


@dataclass(slots=True, eq=False)
class Literal(Node):
    """A constant: bool, int, UInt, float, str, bytes or None."""

    value: Any


@dataclass(slots=True, eq=False)
class Ident(Node):
    """A name. `constant` is the type it stands for, if it stands for one."""

    name: str
    constant: Type | None = None


@dataclass(slots=True, eq=False)
class Select(Node):
    """`operand.field`; `test` when it only asks whether the field is there (`has`)."""

    operand: Node
    field: str
    test: bool = False


@dataclass(slots=True, eq=False)
class Call(Node):
    """A function, an operator (by its inner name, `_&&_`) or a method (`target` is set).

    `overloads` are the signatures that fit, as the check has found them.
    """

    function: str
    arguments: list[Node]
    target: Node | None = None
    overloads: tuple[str, ...] = ()

    @property
    def operands(self) -> list[Node]:
        """Target, if any, and arguments."""
        return [self.target, *self.arguments] if self.target is not None else self.arguments


@dataclass(slots=True, eq=False)
class ListExpr(Node):
    """`[a, ?b]`: elements, and the indices of those marked `?`."""

    elements: list[Node]
    optionals: frozenset[int] = frozenset()


@dataclass(slots=True, eq=False)
class Entry:
    """`key: value` of a map; `optional` when marked `?`."""

    key: Node
    value: Node
    optional: bool = False


@dataclass(slots=True, eq=False)
class MapExpr(Node):
    """`{k: v}`."""

    entries: list[Entry]


@dataclass(slots=True, eq=False)
class StructExpr(Node):
    """`some.Type{field: value}`: no type of this environment can be made so, but the name is checked."""

    name: str
    fields: list[tuple[int, str, Node, bool]]


@dataclass(slots=True, eq=False)
class Fold(Node):
    """What the macros over lists and maps become (cel-go calls it a comprehension).

    `second` is the second iteration variable or empty; `macro` the name it was written as and `body` its predicate, for traces.
    """

    range: Node
    variable: str
    second: str
    accumulator: str
    initial: Node
    condition: Node
    step: Node
    result: Node
    macro: str = ""
    body: Node | None = None


ACCUMULATOR = "@result"
"""The hidden name that standard macros accumulate in."""

LARGEST = 200_000
"""The most nodes that an expression may have here. 10 KiB of text make at most a few thousand, if no macro multiplies them."""


def children(node: Node) -> list[Node]:
    """The expressions directly below, in the order of the text."""
    match node:
        case Select():
            return [node.operand]
        case Call():
            return node.operands
        case ListExpr():
            return node.elements
        case MapExpr():
            return [part for entry in node.entries for part in (entry.key, entry.value)]
        case StructExpr():
            return [value for _, _, value, _ in node.fields]
        case Fold():
            return [node.range, node.initial, node.condition, node.step, node.result]
        case _:
            return []


def measured(node: Node) -> Node:
    """`node` with its size and depth worked out from its children; the parser and the macros call it on every node they make.

    Raises Unsupported past our own limit (macros that copy their target double it each time).
    """
    below = children(node)
    node.depth = 1 + max((child.depth for child in below), default=0)
    node.nesting = max((child.nesting for child in below), default=0)
    node.size = 1 + sum(child.size for child in below)
    if node.size > LARGEST:
        raise Unsupported(f"the expression has more than {LARGEST} parts, more than can be decided here")
    return node
