"""The static check: every name declared, every call with a signature, one type for everything (cel-go: checker/checker.go)."""

from collections.abc import Sequence

from kubectl_dra.allocation.cel import types
from kubectl_dra.allocation.cel.assignable import Substitutions, assign, most_general, substitute
from kubectl_dra.allocation.cel.declarations import Overload, functions
from kubectl_dra.allocation.cel.environment import DEVICE, CelEnvironment
from kubectl_dra.allocation.cel.errors import Unsupported
from kubectl_dra.allocation.cel.source import Problem
from kubectl_dra.allocation.cel.syntax import (
    Call,
    Fold,
    Ident,
    ListExpr,
    Literal,
    MapExpr,
    Node,
    Select,
    StructExpr,
    children,
)
from kubectl_dra.allocation.cel.types import Kind, Type
from kubectl_dra.allocation.cel.values import UInt

TYPES = {
    kind.name: kind
    for kind in (
        types.BOOL,
        types.BYTES,
        types.DOUBLE,
        types.DURATION,
        types.INT,
        types.list_of(types.DYN),
        types.map_of(types.DYN, types.DYN),
        types.NULL,
        types.STRING,
        types.TIMESTAMP,
        types.TYPE,
        types.UINT,
        types.optional_of(types.DYN),
        types.IP,
        types.CIDR,
        DEVICE,
    )
} | {"duration": types.DURATION, "timestamp": types.TIMESTAMP}
"""Types that the check knows by name. Three of them cannot be planned: see UNPLANNED."""
UNPLANNED = frozenset({DEVICE.name, "duration", "timestamp"})
"""Names of types that stop an expression when it is planned (apiserver: pkg/cel/types.go, findScalar)."""
_LITERALS: dict[type, Type] = {
    bool: types.BOOL,
    int: types.INT,
    UInt: types.UINT,
    float: types.DOUBLE,
    str: types.STRING,
    bytes: types.BYTES,
    type(None): types.NULL,
}


def check(node: Node, environment: CelEnvironment) -> list[Problem]:
    """Write types and signatures into the tree; the problems found, none when it is well typed.

    Raises Unsupported for protobuf messages, which no device selector has a use for.
    """
    checker = _Checker(environment)
    checker.check(node)
    _settle(node, checker.known)
    return checker.problems


def _settle(node: Node, known: Substitutions) -> None:
    node.type = substitute(known, node.checked, free_to_dyn=True)
    for child in children(node):
        _settle(child, known)


class _Checker:
    def __init__(self, environment: CelEnvironment) -> None:
        self.environment = environment
        self.problems: list[Problem] = []
        self.known: Substitutions = {}
        self.scopes: list[dict[str, Type]] = []
        self.free = 0

    def report(self, node: Node, message: str) -> None:
        self.problems.append(Problem(node.offset, message))

    def mismatch(self, node: Node, wanted: Type, found: Type) -> None:
        self.report(node, f"expected type '{wanted.checked_name}' but found '{found.checked_name}'")

    def undeclared(self, node: Node, name: str) -> Type:
        self.report(node, f"undeclared reference to '{name}' (in container '')")
        return types.ERROR

    def fresh(self) -> Type:
        self.free += 1
        return types.parameter(f"_var{self.free - 1}")

    def assignable(self, wanted: Sequence[Type], given: Sequence[Type]) -> bool:
        found = assign(self.known, wanted, given)
        if found is None:
            return False
        self.known = found
        return True

    def known_type(self, kind: Type) -> Type:
        return substitute(self.known, kind, free_to_dyn=False)

    def check(self, node: Node) -> Type:
        match node:
            case Literal():
                node.type = _LITERALS[type(node.value)]
            case Ident():
                node.type = self.ident(node, node.name)
            case Select():
                node.type = self.select(node)
            case Call():
                node.type = self.call(node)
            case ListExpr():
                node.type = self.list(node)
            case MapExpr():
                node.type = self.map(node)
            case Fold():
                node.type = self.fold(node)
            case StructExpr():
                node.type = self.struct(node)
        return node.checked

    def local(self, name: str) -> Type | None:
        return next((scope[name] for scope in reversed(self.scopes) if name in scope), None)

    def ident(self, node: Ident, name: str) -> Type:
        local = None if name.startswith(".") else self.local(name)
        if local is not None:
            return local
        found = self.resolved(node, name)
        return self.undeclared(node, name) if found is None else found

    def resolved(self, node: Ident, name: str) -> Type | None:
        """The type of a global name, which is written into the node."""
        plain = name.removeprefix(".")
        if plain == "device":
            if self.local(plain) is not None:
                raise Unsupported("a variable named device hides the device")
            node.name = plain
            return DEVICE
        if plain in TYPES:
            node.name = plain
            node.constant = TYPES[plain]
            return types.type_of(TYPES[plain])
        if plain.startswith("google.protobuf."):
            raise Unsupported(f"protobuf messages are not known here: {plain}")
        return None

    def select(self, node: Select) -> Type:
        qualified = None if node.test else qualified_name(node)
        if qualified is not None and self.local(qualified.partition(".")[0]) is None:
            found = self.resolved(Ident(node.offset, qualified), qualified)
            if found is not None:
                plain = qualified.removeprefix(".")
                node.operand = Ident(node.offset, plain, TYPES[plain], type=found)
                node.field = ""
                return found
        result = self.field(node, node.operand, node.field, optional=False)
        return types.BOOL if node.test else self.known_type(result)

    def field(self, node: Node, operand: Node, name: str, *, optional: bool) -> Type:
        """The type of `operand.name`."""
        target, wrapped = types.unwrapped(self.known_type(self.check(operand)))
        result = types.DYN
        match target.kind:
            case Kind.MAP:
                result = target.parameters[1]
            case Kind.STRUCT:
                result = self.struct_field(node, target, name)
            case Kind.PARAM:
                self.assignable([types.DYN], [target])
            case Kind.DYN | Kind.ANY | Kind.ERROR:
                pass
            case _:
                self.report(node, f"type '{target.checked_name}' does not support field selection")
        return types.optional_of(result) if wrapped or optional else result

    def struct_field(self, node: Node, target: Type, name: str) -> Type:
        if target != DEVICE:
            self.report(node, f"unexpected failed resolution of '{target.name}'")
            return types.ERROR
        found = self.environment.fields.get(name)
        if found is None:
            self.report(node, f"undefined field '{name}'")
            return types.ERROR
        return found

    def call(self, node: Call) -> Type:
        if node.function == "_?._":
            return self.optional_select(node)
        for argument in node.arguments:
            self.check(argument)
        if node.target is None:
            return self.resolve(node, node.function)
        qualifier = qualified_name(node.target)
        if qualifier is not None and self.declared(f"{qualifier}.{node.function}"):
            name = f"{qualifier}.{node.function}"
            node.target = None
            return self.resolve(node, name)
        self.check(node.target)
        return self.resolve(node, node.function, method=True)

    def optional_select(self, node: Call) -> Type:
        operand, field = node.arguments
        if not isinstance(field, Literal):
            raise TypeError("a field is a name")
        field.type = types.STRING
        node.overloads = ("select_optional_field",)
        return self.known_type(self.field(node, operand, str(field.value), optional=True))

    def declared(self, name: str) -> tuple[Overload, ...] | None:
        plain = name.removeprefix(".")
        return None if plain in self.environment.missing else functions().get(plain)

    def resolve(self, node: Call, name: str, *, method: bool = False) -> Type:
        """The result of the call by the signatures that fit."""
        overloads = self.declared(name)
        if overloads is None:
            return self.undeclared(node, name)
        if not method:
            node.function = name.removeprefix(".")
        if node.function in ("_&&_", "_||_"):
            return self.logical(node)
        given = [operand.checked for operand in node.operands]
        result: Type | None = None
        fitting: list[str] = []
        for overload in overloads:
            if overload.member is not method:
                continue
            arguments, declared = self.instance(overload)
            if not self.assignable(given, arguments):
                continue
            fitting.append(overload.id)
            found = self.known_type(declared)
            if result is None:
                result = found
            elif not result.dynamic and found != result:
                result = types.DYN
        if result is None:
            settled = [substitute(self.known, kind, free_to_dyn=True).checked_name for kind in given]
            signature = f"{settled[0]}.({', '.join(settled[1:])})" if method else f"({', '.join(settled)})"
            self.report(node, f"found no matching overload for '{node.function}' applied to '{signature}'")
            return types.ERROR
        node.overloads = tuple(fitting)
        return result

    def logical(self, node: Call) -> Type:
        wrong = False
        for argument in node.arguments:
            if not self.assignable([argument.checked], [types.BOOL]):
                self.mismatch(argument, types.BOOL, argument.checked)
                wrong = True
        return types.ERROR if wrong else types.BOOL

    def instance(self, overload: Overload) -> tuple[list[Type], Type]:
        """The signature with parameters of its own."""
        parameters = overload.parameters
        if not parameters:
            return list(overload.arguments), overload.result
        renamed = {name: self.fresh() for name in parameters}
        arguments = [substitute(renamed, kind, free_to_dyn=False) for kind in overload.arguments]
        return arguments, substitute(renamed, overload.result, free_to_dyn=False)

    def list(self, node: ListExpr) -> Type:
        joined: Type | None = None
        for index, element in enumerate(node.elements):
            kind = self.check(element)
            if index in node.optionals:
                kind = self.optional_element(element, kind)
            joined = self.join(joined, kind)
        return types.list_of(self.fresh() if joined is None else joined)

    def map(self, node: MapExpr) -> Type:
        keys: Type | None = None
        values: Type | None = None
        for entry in node.entries:
            keys = self.join(keys, self.check(entry.key))
            kind = self.check(entry.value)
            if entry.optional:
                kind = self.optional_element(entry.value, kind)
            values = self.join(values, kind)
        if keys is None or values is None:
            return types.map_of(self.fresh(), self.fresh())
        return types.map_of(keys, values)

    def optional_element(self, node: Node, kind: Type) -> Type:
        inner, wrapped = types.unwrapped(kind)
        if not wrapped and not kind.dynamic:
            self.mismatch(node, types.optional_of(kind), kind)
        return inner

    def join(self, previous: Type | None, current: Type) -> Type:
        if previous is None:
            return current
        # Mixed literals are refused later, by validate.py, which makes an exception for format's arguments.
        return most_general(previous, current) if self.assignable([previous], [current]) else types.DYN

    def fold(self, node: Fold) -> Type:
        self.check(node.range)
        accumulated = self.check(node.initial)
        first, second = self.iteration(node, self.known_type(node.range.checked))
        self.scopes.append({node.accumulator: accumulated})
        self.scopes.append({node.variable: first} | ({node.second: second} if node.second else {}))
        self.asserted(node.condition, types.BOOL)
        self.asserted(node.step, accumulated)
        self.scopes.pop()
        self.check(node.result)
        self.scopes.pop()
        return self.known_type(node.result.checked)

    def iteration(self, node: Fold, kind: Type) -> tuple[Type, Type]:
        """The types of the iteration variables."""
        match kind.kind:
            case Kind.LIST:
                return (types.INT, kind.parameters[0]) if node.second else (kind.parameters[0], types.DYN)
            case Kind.MAP:
                key, value = kind.parameters
                return key, value
            case Kind.DYN | Kind.ERROR | Kind.PARAM:
                self.assignable([types.DYN], [kind])
                return types.DYN, types.DYN
        wanted = "(must be list, map, or dynamic)"
        self.report(node.range, f"expression of type '{kind.checked_name}' cannot be range of a comprehension {wanted}")
        return types.ERROR, types.ERROR

    def asserted(self, node: Node, wanted: Type) -> None:
        found = self.check(node)
        if not self.assignable([wanted], [found]):
            self.mismatch(node, wanted, found)

    def struct(self, node: StructExpr) -> Type:
        name = node.name.removeprefix(".")
        if name.startswith("google.protobuf.") or name == DEVICE.name:
            raise Unsupported(f"messages cannot be made here: {name}")
        if name in TYPES:
            self.report(node, f"'{name}' is not a message type")
            return types.ERROR
        return self.undeclared(node, node.name)


def qualified_name(node: Node) -> str | None:
    """`a.b.c` as one name, if the node is nothing else."""
    match node:
        case Ident():
            return node.name
        case Select(test=False):
            prefix = qualified_name(node.operand)
            return None if prefix is None else f"{prefix}.{node.field}"
        case _:
            return None
