"""What is checked beyond types: literals of durations, times and patterns; lists and maps of one type; formats.

Rules: cel-go cel/validator.go, ext/formatting.go.
"""

from collections.abc import Iterator

from kubectl_dra.allocation.cel import types
from kubectl_dra.allocation.cel.errors import EvaluationError, NoSuchOverload, Unsupported
from kubectl_dra.allocation.cel.library.conversions import IMPLEMENTATIONS as CONVERSIONS
from kubectl_dra.allocation.cel.library.formatting import COMPLAINTS, FormatError, scan
from kubectl_dra.allocation.cel.regex import RegexError, compiled
from kubectl_dra.allocation.cel.source import Problem
from kubectl_dra.allocation.cel.syntax import Call, ListExpr, Literal, MapExpr, Node, children
from kubectl_dra.allocation.cel.types import Kind, Type

_KINDS = {
    "d": (Kind.INT, Kind.UINT),
    "f": (Kind.DOUBLE, Kind.STRING),
    "e": (Kind.DOUBLE, Kind.STRING),
    "b": (Kind.INT, Kind.UINT, Kind.BOOL),
    "x": (Kind.INT, Kind.UINT, Kind.STRING, Kind.BYTES),
    "X": (Kind.INT, Kind.UINT, Kind.STRING, Kind.BYTES),
    "o": (Kind.INT, Kind.UINT),
}
_WRITABLE = (
    Kind.LIST,
    Kind.MAP,
    Kind.INT,
    Kind.UINT,
    Kind.DOUBLE,
    Kind.BOOL,
    Kind.STRING,
    Kind.TIMESTAMP,
    Kind.BYTES,
    Kind.DURATION,
    Kind.TYPE,
    Kind.NULL,
)


def validate(tree: Node) -> list[Problem]:
    """The problems of a tree that is well typed."""
    calls = [node for node in _walk(tree) if isinstance(node, Call)]
    problems: list[Problem] = []
    problems += [found for call in calls if call.function == "duration" for found in _conversion(call, "string_to_duration")]
    problems += [found for call in calls if call.function == "timestamp" for found in _conversion(call, "string_to_timestamp")]
    problems += [found for call in calls if call.function == "matches" for found in _regex(call)]
    problems += _homogeneous(tree, exempt=False)
    problems += [found for call in calls if call.function == "format" for found in _format(call)]
    return problems


def _walk(node: Node) -> Iterator[Node]:
    yield node
    for child in children(node):
        yield from _walk(child)


def _conversion(call: Call, signature: str) -> list[Problem]:
    if call.target is not None or not call.arguments or not isinstance(call.arguments[0], Literal):
        return []
    literal = call.arguments[0]
    try:
        if isinstance(literal.value, str):
            CONVERSIONS[signature](literal.value)
        elif call.function == "timestamp" and type(literal.value) is int:
            CONVERSIONS["int64_to_timestamp"](literal.value)
        elif literal.value is None:
            raise NoSuchOverload
    except EvaluationError:
        return [Problem(literal.offset, f"invalid {call.function} argument")]
    return []


def _regex(call: Call) -> list[Problem]:
    """The first argument, also where that is the text and not the pattern, as upstream has it."""
    if not call.arguments or not isinstance(call.arguments[0], Literal):
        return []
    literal = call.arguments[0]
    if not isinstance(literal.value, str):
        return []
    try:
        compiled(literal.value)
    except RegexError:
        return [Problem(literal.offset, "invalid matches argument")]
    return []


def _homogeneous(node: Node, *, exempt: bool) -> list[Problem]:
    problems: list[Problem] = []
    if not exempt:
        match node:
            case ListExpr():
                problems += _list(node)
            case MapExpr():
                problems += _map(node)
    below = exempt or (isinstance(node, Call) and node.function == "format")
    for child in children(node):
        problems += _homogeneous(child, exempt=below)
    return problems


def _list(node: ListExpr) -> list[Problem]:
    wanted: Type | None = None
    for place, element in enumerate(node.elements):
        found = _inner(element) if place in node.optionals else element.checked
        if wanted is None:
            wanted = found
        elif not types.equivalent(wanted, found):
            return [_mismatch(element, wanted, found)]
    return []


def _inner(node: Node) -> Type:
    """The type inside an optional one."""
    inner, wrapped = types.unwrapped(node.checked)
    if not wrapped and not inner.parameters:
        raise Unsupported("upstream crashes while it compiles this: an element marked ? of which the type is not known")
    return inner if wrapped else inner.parameters[0]


def _map(node: MapExpr) -> list[Problem]:
    problems: list[Problem] = []
    keys: Type | None = None
    values: Type | None = None
    for entry in node.entries:
        key = entry.key.checked
        value = _inner(entry.value) if entry.optional else entry.value.checked
        if keys is None or values is None:
            keys, values = key, value
            continue
        if not types.equivalent(keys, key):
            problems.append(_mismatch(entry.key, keys, key))
        if not types.equivalent(values, value):
            problems.append(_mismatch(entry.value, values, value))
    return problems


def _mismatch(node: Node, wanted: Type, found: Type) -> Problem:
    return Problem(node.offset, f"expected type '{wanted.checked_name}' but found '{found.checked_name}'")


def _format(call: Call) -> list[Problem]:
    target = call.target
    if not isinstance(target, Literal) or not isinstance(target.value, str) or len(call.arguments) != 1:
        return []
    values = call.arguments[0]
    if not isinstance(values, ListExpr):
        return []
    elements = values.elements

    def clause(place: int, verb: str, _: int | None) -> str:
        bad = _unwritable(elements[place]) if verb == "s" else _unfit(elements[place], verb)
        if bad is not None:
            raise FormatError(COMPLAINTS[verb].format(bad.checked.name), bad.offset)
        return ""

    try:
        _, used = scan(target.value, len(elements), clause, static=True)
    except FormatError as error:
        return [Problem(call.offset if error.place is None else error.place, error.message)]
    if len(elements) > used:
        return [Problem(call.offset, f"too many arguments supplied to string.format (expected {used}, got {len(elements)})")]
    return []


def _unfit(node: Node, verb: str) -> Node | None:
    return None if node.checked.kind is Kind.DYN or node.checked.kind in _KINDS[verb] else node


def _unwritable(node: Node) -> Node | None:
    """The part of the argument that `%s` cannot write."""
    if node.checked.kind is not Kind.DYN and node.checked.kind not in _WRITABLE:
        return node
    if isinstance(node, (ListExpr, MapExpr)):
        return next((bad for child in children(node) if (bad := _unwritable(child)) is not None), None)
    return None
