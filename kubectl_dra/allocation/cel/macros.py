"""Macros: calls that the parser turns into other expressions (cel-go: parser/macro.go, ext/, cel/library.go)."""

from collections.abc import Callable
from typing import TypeVar

from kubectl_dra.allocation.cel.syntax import (
    ACCUMULATOR,
    Call,
    Entry,
    Fold,
    Ident,
    ListExpr,
    Literal,
    MapExpr,
    Node,
    Select,
    StructExpr,
    measured,
)

N = TypeVar("N", bound=Node)


class MacroError(ValueError):
    """The call names a macro, but not with what the macro needs; `offset` is where."""

    def __init__(self, offset: int, message: str) -> None:
        """Take the place and the text."""
        super().__init__(message)
        self.offset = offset


Expander = Callable[[int, Node | None, list[Node]], Node | None]


def expand(function: str, offset: int, target: Node | None, arguments: list[Node]) -> Node | None:
    """What the call becomes, or None when it is no macro. Raises MacroError."""
    expander = _MACROS.get((function, len(arguments), target is not None))
    return None if expander is None else expander(offset, target, arguments)


def copied(node: Node) -> Node:
    """A deep copy, which messages point to as to the original."""
    copy: Node
    match node:
        case Literal():
            copy = Literal(node.offset, node.value)
        case Ident():
            copy = Ident(node.offset, node.name)
        case Select():
            copy = Select(node.offset, copied(node.operand), node.field, node.test)
        case Call():
            target = None if node.target is None else copied(node.target)
            copy = Call(node.offset, node.function, [copied(a) for a in node.arguments], target)
        case ListExpr():
            copy = ListExpr(node.offset, [copied(e) for e in node.elements], node.optionals)
        case MapExpr():
            copy = MapExpr(node.offset, [Entry(copied(e.key), copied(e.value), e.optional) for e in node.entries])
        case StructExpr():
            copy = StructExpr(node.offset, node.name, [(at, name, copied(v), o) for at, name, v, o in node.fields])
        case Fold():
            initial, condition, step, result = map(copied, (node.initial, node.condition, node.step, node.result))
            names = (node.variable, node.second, node.accumulator)
            copy = Fold(node.offset, copied(node.range), *names, initial, condition, step, result, node.macro)
        case _:
            raise TypeError(f"no copy of {type(node).__name__}")
    copy.span, copy.depth, copy.nesting, copy.size = node.span, node.depth, node.nesting, node.size
    return copy


def _call(offset: int, function: str, *arguments: Node) -> Node:
    return measured(Call(offset, function, list(arguments)))


def _accumulated(offset: int) -> Node:
    return Ident(offset, ACCUMULATOR)


def _variable(node: Node, complaint: str) -> str:
    if not isinstance(node, Ident):
        raise MacroError(node.offset, complaint)
    return node.name


def _free(node: Node, name: str) -> str:
    if name in (ACCUMULATOR, "__result__"):
        raise MacroError(node.offset, "iteration variable overwrites accumulator variable")
    return name


def _iteration(node: Node, complaint: str = "argument must be a simple name") -> str:
    return _free(node, _variable(node, complaint))


def _pair(arguments: list[Node]) -> tuple[str, str]:
    complaint = "argument must be a simple name"
    first, second = (_variable(node, complaint) for node in arguments[:2])
    if first == second:
        raise MacroError(arguments[1].offset, f"duplicate variable name: {first}")
    return _free(arguments[0], first), _free(arguments[1], second)


def _has(offset: int, target: Node | None, arguments: list[Node]) -> Node:
    operand = arguments[0]
    if not isinstance(operand, Select):
        raise MacroError(operand.offset, "invalid argument to has() macro")
    return measured(Select(offset, operand.operand, operand.field, test=True))


def _quantifier(kind: str, names: Callable[[list[Node]], tuple[str, str]]) -> Expander:
    def all_(at: int, body: Node) -> tuple[Node, Node, Node, Node]:
        condition = _call(at, "@not_strictly_false", _accumulated(at))
        return Literal(at, True), condition, _call(at, "_&&_", _accumulated(at), body), _accumulated(at)

    def exists(at: int, body: Node) -> tuple[Node, Node, Node, Node]:
        condition = _call(at, "@not_strictly_false", _call(at, "!_", _accumulated(at)))
        return Literal(at, False), condition, _call(at, "_||_", _accumulated(at), body), _accumulated(at)

    def exists_one(at: int, body: Node) -> tuple[Node, Node, Node, Node]:
        more = _call(at, "_+_", _accumulated(at), Literal(at, 1))
        step = _call(at, "_?_:_", body, more, _accumulated(at))
        return Literal(at, 0), Literal(at, True), step, _call(at, "_==_", _accumulated(at), Literal(at, 1))

    parts = {"all": all_, "exists": exists, "exists_one": exists_one}[kind]

    def expander(offset: int, target: Node | None, arguments: list[Node]) -> Node:
        variable, second = names(arguments)
        body = arguments[-1]
        return _fold(offset, target, variable, second, ACCUMULATOR, *parts(offset, body), macro=kind, body=body)

    return expander


def _fold(
    offset: int,
    target: Node | None,
    variable: str,
    second: str,
    accumulator: str,
    initial: Node,
    condition: Node,
    step: Node,
    result: Node,
    *,
    macro: str = "",
    body: Node | None = None,
) -> Node:
    if target is None:
        raise TypeError("a fold needs a range")
    return measured(Fold(offset, target, variable, second, accumulator, initial, condition, step, result, macro, body))


def _one(arguments: list[Node]) -> tuple[str, str]:
    return _iteration(arguments[0]), ""


def _collecting(offset: int, element: Node, condition: Node | None) -> tuple[Node, Node, Node, Node]:
    """Start empty, add `element` (where `condition` holds), give what was collected."""
    step = _call(offset, "_+_", _accumulated(offset), measured(ListExpr(offset, [element])))
    if condition is not None:
        step = _call(offset, "_?_:_", condition, step, _accumulated(offset))
    return ListExpr(offset, []), Literal(offset, True), step, _accumulated(offset)


def _map(offset: int, target: Node | None, arguments: list[Node]) -> Node:
    variable = _iteration(arguments[0], "argument is not an identifier")
    condition = arguments[1] if len(arguments) == 3 else None
    return _fold(offset, target, variable, "", ACCUMULATOR, *_collecting(offset, arguments[-1], condition))


def _filter(offset: int, target: Node | None, arguments: list[Node]) -> Node:
    variable = _iteration(arguments[0], "argument is not an identifier")
    return _fold(offset, target, variable, "", ACCUMULATOR, *_collecting(offset, arguments[0], arguments[1]))


def _transform_list(offset: int, target: Node | None, arguments: list[Node]) -> Node:
    first, second = _pair(arguments)
    condition = arguments[2] if len(arguments) == 4 else None
    return _fold(offset, target, first, second, ACCUMULATOR, *_collecting(offset, arguments[-1], condition))


def _transform_map(*, entries: bool) -> Expander:
    def expander(offset: int, target: Node | None, arguments: list[Node]) -> Node:
        first, second = _pair(arguments)
        transform = arguments[-1]
        inserted = [transform] if entries else [Ident(offset, first), transform]
        step = _call(offset, "cel.@mapInsert", _accumulated(offset), *inserted)
        if len(arguments) == 4:
            step = _call(offset, "_?_:_", arguments[2], step, _accumulated(offset))
        parts = MapExpr(offset, []), Literal(offset, True), step, _accumulated(offset)
        return _fold(offset, target, first, second, ACCUMULATOR, *parts)

    return expander


def _binding(offset: int, name: str, value: Node, result: Node, macro: str = "") -> Node:
    """`result` with `name` standing for `value`: a fold over nothing, whose start is worked out when it is first needed."""
    nothing = ListExpr(offset, [])
    parts = value, Literal(offset, False), Ident(offset, name), result
    return _fold(offset, nothing, "#unused", "", name, *parts, macro=macro)


def _bind(offset: int, target: Node | None, arguments: list[Node]) -> Node | None:
    if not isinstance(target, Ident) or target.name != "cel":
        return None
    name = _variable(arguments[0], "cel.bind() variable names must be simple identifiers")
    return _binding(offset, name, arguments[1], arguments[2], "bind")


def _optional_map(function: str, *, flat: bool) -> Expander:
    def expander(offset: int, target: Node | None, arguments: list[Node]) -> Node:
        name = _variable(arguments[0], f"{function}() variable name must be a simple identifier")
        if target is None:
            raise TypeError("an optional macro needs a target")
        value = measured(Call(offset, "value", [], copied(target)))
        mapped = _binding(offset, name, value, arguments[1])
        given = mapped if flat else _call(offset, "optional.of", mapped)
        return _call(offset, "_?_:_", measured(Call(offset, "hasValue", [], target)), given, _call(offset, "optional.none"))

    return expander


def _sort_by(offset: int, target: Node | None, arguments: list[Node]) -> Node:
    if not isinstance(target, (ListExpr, Select, Ident, Fold, Call)):
        at = offset if target is None else target.offset
        raise MacroError(at, "sortBy can only be applied to a list, identifier, comprehension, call or select expression")
    name = "@__sortBy_input__"
    keys = _map(offset, Ident(offset, name), arguments)
    ordered = measured(Call(offset, "@sortByAssociatedKeys", [keys], Ident(offset, name)))
    return _binding(offset, name, target, ordered)


_MACROS: dict[tuple[str, int, bool], Expander] = {
    ("has", 1, False): _has,
    ("all", 2, True): _quantifier("all", _one),
    ("exists", 2, True): _quantifier("exists", _one),
    ("exists_one", 2, True): _quantifier("exists_one", _one),
    ("map", 2, True): _map,
    ("map", 3, True): _map,
    ("filter", 2, True): _filter,
    ("all", 3, True): _quantifier("all", _pair),
    ("exists", 3, True): _quantifier("exists", _pair),
    ("exists_one", 3, True): _quantifier("exists_one", _pair),
    ("existsOne", 3, True): _quantifier("exists_one", _pair),
    ("transformList", 3, True): _transform_list,
    ("transformList", 4, True): _transform_list,
    ("transformMap", 3, True): _transform_map(entries=False),
    ("transformMap", 4, True): _transform_map(entries=False),
    ("transformMapEntry", 3, True): _transform_map(entries=True),
    ("transformMapEntry", 4, True): _transform_map(entries=True),
    ("bind", 3, True): _bind,
    ("optMap", 2, True): _optional_map("optMap", flat=False),
    ("optFlatMap", 2, True): _optional_map("optFlatMap", flat=True),
    ("sortBy", 2, True): _sort_by,
}
