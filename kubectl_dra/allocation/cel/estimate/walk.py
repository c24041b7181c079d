"""The walk through an expression (cel-go: checker/cost.go, coster).

It has to be upstream's number, so the walk is upstream's, in its order: what is known of a node's size is remembered when it is first
asked for.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from kubectl_dra.allocation.cel.cost import LIST, MAP
from kubectl_dra.allocation.cel.errors import Unsupported
from kubectl_dra.allocation.cel.estimate.collections import BY_SIGNATURE
from kubectl_dra.allocation.cel.estimate.device_sizes import size_at
from kubectl_dra.allocation.cel.estimate.kubernetes import of_kubernetes
from kubectl_dra.allocation.cel.estimate.parts import Estimate, Part
from kubectl_dra.allocation.cel.estimate.paths import Path
from kubectl_dra.allocation.cel.estimate.ranges import NOTHING, ONE, UNKNOWN, ZERO, Range, fixed
from kubectl_dra.allocation.cel.estimate.standard import of_cel
from kubectl_dra.allocation.cel.syntax import ACCUMULATOR, Call, Fold, Ident, ListExpr, Literal, MapExpr, Node, Select, StructExpr
from kubectl_dra.allocation.cel.types import Kind, Type

_STRUCT = 40
_SCALARS = frozenset((Kind.BOOL, Kind.DOUBLE, Kind.DURATION, Kind.INT, Kind.TIMESTAMP, Kind.UINT))


def most_cost(tree: Node) -> int:
    """The most that the checked expression may cost; 2^64-1 when there is no limit. Raises Unsupported for one nested too deeply."""
    try:
        return _Estimator().cost(tree).most
    except RecursionError:
        raise Unsupported("the expression is nested too deeply for an estimate of its cost") from None


@dataclass(frozen=True, slots=True)
class _Entries:
    """What is in a list or map: sizes of keys and values."""

    kind: Kind
    keys: Range
    values: Range

    def joined(self, other: "_Entries | None") -> "_Entries | None":
        """What holds both."""
        return None if other is None else _Entries(self.kind, self.keys.joined(other.keys), self.values.joined(other.values))


@dataclass(frozen=True, slots=True)
class _Variable:
    path: Path
    size: Range | None
    entries: _Entries | None = None


class _Estimator:
    def __init__(self) -> None:
        self.paths: dict[Node, Path] = {}
        self.sizes: dict[Node, Range] = {}
        self.entries: dict[Node, _Entries] = {}
        self.scopes: dict[str, list[_Variable]] = {}

    # the walk

    def cost(self, node: Node) -> Range:
        match node:
            case Ident():
                return self.ident(node)
            case Select():
                return self.select(node)
            case Call():
                return self.call(node)
            case ListExpr():
                return self.new_list(node)
            case MapExpr():
                return self.new_map(node)
            case Fold():
                return self.binding(node) if _binds(node) else self.fold(node)
            case StructExpr():
                parts = (self.cost(value) for _, _, value, _ in node.fields)
                return _sum(parts).plus(fixed(_STRUCT))
        return ZERO

    def ident(self, node: Ident) -> Range:
        local = self.local(node.name)
        self.paths[node] = Path.of(node.name) if local is None else local.path
        return ONE

    def select(self, node: Select) -> Range:
        if not node.field and not node.test:  # the qualified name of a type
            return self.ident(Ident(node.offset, ""))
        cost = self.cost(node.operand)
        if node.test:
            return cost
        if node.operand.checked.kind in (Kind.MAP, Kind.STRUCT, Kind.PARAM):
            cost = cost.plus(ONE)
        self.paths[node] = self.path(node.operand).then(node.field)
        return cost

    def new_list(self, node: ListExpr) -> Range:
        cost, size = ZERO, NOTHING if node.elements else ZERO
        for each in node.elements:
            cost = cost.plus(self.cost(each))
            size = size.joined(self.size_or_unknown(each))
        self.entries[node] = _Entries(Kind.LIST, ONE, size)
        return cost.plus(fixed(LIST))

    def new_map(self, node: MapExpr) -> Range:
        cost = ZERO
        keys = values = NOTHING if node.entries else ZERO
        for entry in node.entries:
            cost = cost.plus(self.cost(entry.key)).plus(self.cost(entry.value))
            keys = keys.joined(self.size_or_unknown(entry.key))
            values = values.joined(self.size_or_unknown(entry.value))
        self.entries[node] = _Entries(Kind.MAP, keys, values)
        return cost.plus(fixed(MAP))

    def fold(self, node: Fold) -> Range:
        cost = self.cost(node.range).plus(self.cost(node.initial))
        self.push(node.accumulator, node.initial)
        if node.second:
            self.push_iteration(node.variable, node.range, keys=True, indices="@indices")
            self.push_iteration(node.second, node.range, keys=False)
        else:
            self.push_iteration(node.variable, node.range, keys=not self.is_list(node.range))
        each = self.cost(node.condition)
        each = self.cost(node.step).plus(each)
        for name in (node.variable, *((node.second,) if node.second else ())):
            self.scopes[name].pop()
        cost = cost.plus(self.cost(node.result))
        self.scopes[node.accumulator].pop()
        count = self.size_or_unknown(node.range)
        cost = cost.plus(count.times(each))
        if isinstance(node.initial, Literal):
            self.remember(node, self.size(node.initial))
        elif isinstance(node.initial, ListExpr | MapExpr):
            self.remember(node, count)
            self.remember_entries(node, self.entries_of(node.step))
        return cost

    def binding(self, node: Fold) -> Range:
        cost = self.cost(node.range).plus(self.cost(node.initial))
        self.push(node.accumulator, node.initial)
        cost = cost.plus(self.cost(node.result))
        self.scopes[node.accumulator].pop()
        self.copy(node, node.result)
        return cost

    # calls

    def call(self, node: Call) -> Range:
        if node.function == "dyn":
            (argument,) = node.operands
            cost = self.cost(argument)
            self.copy(node, argument)
            return cost.plus(ONE)
        costs, parts = [], []
        for each in node.arguments:
            costs.append(self.cost(each))
            parts.append(self.part(each))
        signatures = _signatures(node)
        if not signatures:
            return ZERO
        before, target = ZERO, None
        if node.target is not None:
            before = self.cost(node.target)
            target = self.part(node.target)
        cost, size = NOTHING, None
        for signature in signatures:
            found = self.estimated(node, signature, target, parts, costs)
            cost = cost.joined(found.cost)
            if found.size is not None:
                size = found.size if size is None else size.joined(found.size)
            if signature in ("index_list", "index_map"):
                entries = self.entries_of(node.arguments[0])
                size = None if entries is None else entries.values
                self.paths[node] = self.path(node.arguments[0]).then("@items" if signature == "index_list" else "@values")
            if size is None:
                size = self.size(node)
        self.remember(node, size)
        return before.plus(cost)

    def estimated(self, node: Call, signature: str, target: Part | None, parts: list[Part], costs: list[Range]) -> Estimate:
        """One signature: its cost with that of the arguments, and the size of its result."""
        own = BY_SIGNATURE.get(signature)
        found = (own(target, parts) if own is not None else None) or of_kubernetes(node.function, signature, target, parts)
        if found is None:
            match signature:
                case "logical_and" | "logical_or":
                    return Estimate(Range(costs[0].least, costs[0].plus(costs[1]).most))
                case "conditional":
                    return self.conditional(node, parts, costs)
                case "add_string" | "add_bytes" | "add_list":
                    left, right = map(self.entries_of, node.arguments)
                    self.remember_entries(node, None if left is None else left.joined(right))
            found = of_cel(signature, target, parts)
        return Estimate(found.cost.plus(_sum(costs)), found.size)

    def conditional(self, node: Call, parts: list[Part], costs: list[Range]) -> Estimate:
        size = (parts[1].known or UNKNOWN).joined(parts[2].known or UNKNOWN)
        yes, no = map(self.entries_of, node.arguments[1:])
        self.remember_entries(node, None if yes is None else yes.joined(no))
        return Estimate(costs[0].plus(costs[1].joined(costs[2])), size)

    def part(self, node: Node) -> Part:
        path = self.path(node).names
        return Part(node, node.checked, self.size(node), None if not path or path[0] in (ACCUMULATOR, "__result__") else path)

    # what is known of nodes and variables

    def local(self, name: str) -> _Variable | None:
        stack = self.scopes.get(name)
        return stack[-1] if stack else None

    def push(self, name: str, node: Node) -> None:
        entries = self.entries_of(node)
        self.scopes.setdefault(name, []).append(_Variable(self.path(node), self.size(node), entries))

    def push_iteration(self, name: str, over: Node, *, keys: bool, indices: str = "@keys") -> None:
        entries = self.entries_of(over)
        size = None if entries is None else entries.keys if keys else entries.values
        in_list = self.is_list(over)
        step = (indices if in_list else "@keys") if keys else ("@items" if in_list else "@values")
        self.scopes.setdefault(name, []).append(_Variable(self.path(over).then(step), size))

    def is_list(self, node: Node) -> bool:
        entries = self.entries_of(node)
        return (node.checked.kind if entries is None else entries.kind) is Kind.LIST

    def path(self, node: Node) -> Path:
        local = self.local(node.name) if isinstance(node, Ident) else None
        return local.path if local is not None else self.paths.get(node, Path())

    def remember(self, node: Node, size: Range | None) -> None:
        if size is not None:
            self.sizes[node] = size

    def remember_entries(self, node: Node, entries: _Entries | None) -> None:
        if entries is not None:
            self.entries[node] = entries

    def copy(self, node: Node, other: Node) -> None:
        self.remember(node, self.size(other))
        self.remember_entries(node, self.entries_of(other))

    def entries_of(self, node: Node) -> _Entries | None:
        found = self.entries.get(node)
        local = self.local(node.name) if found is None and isinstance(node, Ident) else None
        return found if local is None else local.entries

    def size_or_unknown(self, node: Node) -> Range:
        return self.size(node) or UNKNOWN

    def size(self, node: Node) -> Range | None:
        found = self.sizes.get(node) or _written(node)
        if found is not None:
            return found
        found = size_at(self.path(node).names)
        if found is not None:
            self.sizes[node] = found
            return found
        if _scalar(node.checked):
            return ONE
        local = self.local(node.name) if isinstance(node, Ident) else None
        return None if local is None else local.size


def _sum(costs: Iterable[Range]) -> Range:
    total = ZERO
    for each in costs:
        total = total.plus(each)
    return total


def _signatures(node: Call) -> tuple[str, ...]:
    match node.function:
        case "_&&_":
            return ("logical_and",)
        case "_||_":
            return ("logical_or",)
    return node.overloads


def _binds(node: Fold) -> bool:
    """Whether it is cel.bind: a fold over nothing."""
    nothing = isinstance(node.range, ListExpr) and not node.range.elements
    never = isinstance(node.condition, Literal) and node.condition.value is False
    return nothing and never and node.accumulator != "__result__"


def _written(node: Node) -> Range | None:
    """The size of what stands in the expression itself."""
    match node:
        case Literal(value=str() | bytes() as text):
            return fixed(len(text))
        case Literal():
            return ONE
        case ListExpr():
            return fixed(len(node.elements))
        case MapExpr():
            return fixed(len(node.entries))
    return None


def _scalar(kind: Type) -> bool:
    if kind.kind is Kind.OPAQUE and kind.name == "optional_type":
        return _scalar(kind.parameters[0])
    return kind.kind in _SCALARS
