"""Why an expression was false: the smallest parts of it that decided, with the values they saw."""

from dataclasses import dataclass, field

from kubectl_dra.allocation.cel import folds
from kubectl_dra.allocation.cel.device import DeviceVariables
from kubectl_dra.allocation.cel.errors import CelError, EvaluationError
from kubectl_dra.allocation.cel.frame import Frame, Run
from kubectl_dra.allocation.cel.plan import Planner
from kubectl_dra.allocation.cel.shown import shown
from kubectl_dra.allocation.cel.syntax import Call, Fold, Literal, Node, children
from kubectl_dra.allocation.cel.values import ListValue, MapValue, Value

_OPPOSITE = {"_==_": "!=", "_!=_": "==", "_<_": ">=", "_<=_": ">", "_>_": "<=", "_>=_": "<", "@in": "not in"}
_WRITTEN = {"_==_": "==", "_!=_": "!=", "_<_": "<", "_<=_": "<=", "_>_": ">", "_>=_": ">=", "@in": "in"}
_UNLIMITED = 2**63


@dataclass(frozen=True, slots=True)
class Reason:
    """One part: its text, what it saw (`16Gi < 40Gi`), and, inside `all` and `cel.bind`, the variables it saw it with."""

    expression: str
    seen: str
    variables: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        """In one line."""
        where = ", ".join(f"{name} = {value}" for name, value in self.variables)
        return f"{self.expression}: {self.seen}" + (f" (with {where})" if where else "")


def reasons(text: str, tree: Node, device: DeviceVariables) -> tuple[Reason, ...]:
    """Why the expression is false on the device, or which part of it fails; nothing when it is true."""
    if device.error:
        return (Reason(text, device.error),)
    tracer = _Tracer(text, Frame(device.root, 0, _UNLIMITED))
    try:
        value = tracer.value(tree, _Scope())
    except CelError as error:
        return (tracer.failure(tree, _Scope(), error),)
    finally:
        device.restore()
    if value is True:
        return ()
    try:
        return tuple(tracer.why(tree, _Scope(), value))
    except CelError:
        return (Reason(text, shown(value)),)
    finally:
        device.restore()


@dataclass(frozen=True, slots=True)
class _Scope:
    """The variables in sight: how they are read, and how they are shown."""

    names: dict[str, Run] = field(default_factory=dict)
    shown: tuple[tuple[str, str], ...] = ()

    def with_value(self, name: str, value: Value) -> "_Scope":
        # A whole domain says too much: what was read from it is in the reason itself.
        told = () if isinstance(value, MapValue) else ((name, shown(value)),)
        return _Scope({**self.names, name: lambda _: value}, (*self.shown, *told))


@dataclass(slots=True)
class _Tracer:
    text: str
    frame: Frame

    def value(self, node: Node, scope: _Scope) -> Value:
        """The value of a part. Raises EvaluationError."""
        planner = Planner(dict(scope.names), len(self.frame.slots))
        run = planner.run(node)
        self.frame.slots.extend([None] * (planner.slots - len(self.frame.slots)))
        return run(self.frame)

    def settled(self, node: Node, scope: _Scope) -> Value:
        """The value of a part, or the error."""
        try:
            return self.value(node, scope)
        except EvaluationError as error:
            return error

    def written(self, node: Node) -> str:
        start, end = node.span
        return self.text[start:end] if end > start else self.text

    def leaf(self, node: Node, scope: _Scope, seen: str) -> Reason:
        return Reason(self.written(node), seen, scope.shown)

    def why(self, node: Node, scope: _Scope, value: Value) -> list[Reason]:
        """The parts that made the node give `value`, which is a bool, or no bool where one was needed."""
        match node:
            case Call(function="_&&_" | "_||_"):
                return [
                    reason
                    for argument in node.arguments
                    if not isinstance(argument, Literal) and self.settled(argument, scope) is value
                    for reason in self.why(argument, scope, value)
                ]
            case Call(function="!_", arguments=[inner]) if isinstance(inner, Call) and inner.function in ("_&&_", "_||_", "!_"):
                return self.why(inner, scope, not value)
            case Call(function="_?_:_", arguments=[condition, yes, no]):
                decided = self.value(condition, scope)
                branch = yes if decided else no
                return self.why(condition, scope, decided) if isinstance(branch, Literal) else self.why(branch, scope, value)
            case Fold(macro="all" | "exists") if value is (node.macro == "exists"):
                return self.element(node, scope, value)
            case Fold(macro="bind"):
                return self.why(node.result, scope.with_value(node.accumulator, self.value(node.initial, scope)), value)
            case Call() if node.function in _OPPOSITE:
                return [self.compared(node, scope, value)]
        return [self.leaf(node, scope, self.operands(node, scope, value))]

    def element(self, node: Fold, scope: _Scope, value: Value) -> list[Reason]:
        """The first element that decided."""
        if node.body is None:
            return [self.leaf(node, scope, shown(value))]
        for first, second in self.elements(node, scope):
            inside = scope.with_value(node.variable, first)
            if node.second:
                inside = inside.with_value(node.second, second)
            if self.settled(node.body, inside) is value:
                return self.why(node.body, inside, value)
        return [self.leaf(node, scope, shown(value))]

    def elements(self, node: Fold, scope: _Scope) -> list[tuple[Value, Value]]:
        span = self.value(node.range, scope)
        if isinstance(span, (ListValue, MapValue)):
            return folds.pairs_of(span) if node.second else folds.items_of(span)
        return []

    def compared(self, node: Call, scope: _Scope, value: Value) -> Reason:
        """`16Gi < 40Gi`: both sides, and how they really stand."""
        relation = (_WRITTEN if value is True else _OPPOSITE)[node.function]
        parts = node.arguments
        match parts:
            case [Call(function="compareTo") as comparison, right] if _is_zero(right):
                parts = comparison.operands
        sides = [shown(self.settled(part, scope)) for part in parts]
        return self.leaf(node, scope, f"{sides[0]} {relation} {sides[1]}")

    def operands(self, node: Node, scope: _Scope, value: Value) -> str:
        """What a call was made on; of anything else, what it gave."""
        parts: list[Node] = []
        if isinstance(node, Fold):
            parts = [node.range]
        elif isinstance(node, Call):
            parts = [part for part in children(node) if not isinstance(part, Literal)]
        if not parts:
            return shown(value)
        return ", ".join(f"{self.written(part)} is {shown(self.settled(part, scope))}" for part in parts)

    def failure(self, node: Node, scope: _Scope, error: CelError) -> Reason:
        """The smallest part that fails in the same way."""
        below = [node.range] if isinstance(node, Fold) else children(node)
        for child in below:
            try:
                self.value(child, scope)
            except CelError as inner:
                if inner.message == error.message:
                    return self.failure(child, scope, inner)
        return self.leaf(node, scope, error.message)


def _is_zero(node: Node) -> bool:
    return isinstance(node, Literal) and node.value == 0 and type(node.value) is int
