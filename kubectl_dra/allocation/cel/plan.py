"""A checked tree to closures, with the foldings that upstream makes: they show in costs and errors (cel-go: interpreter/planner.go)."""

from collections.abc import Callable
from dataclasses import dataclass, field

from kubectl_dra.allocation.cel import folds, operators
from kubectl_dra.allocation.cel.attributes import Attribute, Qualifier
from kubectl_dra.allocation.cel.check import TYPES, UNPLANNED
from kubectl_dra.allocation.cel.cost import LIST, MAP, cost_of
from kubectl_dra.allocation.cel.dispatch import FUNCTION_STYLE, SINGLETONS, dispatched, guarded
from kubectl_dra.allocation.cel.errors import CompileError, EvaluationError, EvaluationPanic, NoSuchOverload, Unsupported
from kubectl_dra.allocation.cel.frame import Frame, Run
from kubectl_dra.allocation.cel.kinds import go_string, go_text, go_type
from kubectl_dra.allocation.cel.library.binding import Implementation
from kubectl_dra.allocation.cel.map_keys import map_key
from kubectl_dra.allocation.cel.membership import member_key, members
from kubectl_dra.allocation.cel.regex import Machine, RegexError, compiled
from kubectl_dra.allocation.cel.syntax import Call, Fold, Ident, ListExpr, Literal, MapExpr, Node, Select
from kubectl_dra.allocation.cel.types import Kind
from kubectl_dra.allocation.cel.values import ListValue, MapValue, Optional, TypeValue, UInt, Value

_QUADRATIC = frozenset({"list_distinct", "list_sets_contains_list", "list_sets_equivalent_list", "list_sets_intersects_list"})
_CONVERSIONS = frozenset({"bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"})


@dataclass(frozen=True, slots=True)
class Constant:
    """A value known before anything runs; costs nothing."""

    value: Value


Plan = Constant | Attribute | Run


@dataclass(slots=True)
class Planner:
    """Plans the nodes of one tree. `names` are the variables in sight and how they are read; `slots` counts their places."""

    names: dict[str, Run] = field(default_factory=dict)
    slots: int = 0

    def run(self, node: Node) -> Run:
        """What gives the node's value. Raises CompileError where upstream finds the fault while planning, and Unsupported."""
        return runnable(self.plan(node))

    def plan(self, node: Node) -> Plan:
        """The node's plan."""
        match node:
            case Literal():
                return Constant(node.value)
            case Ident():
                return self._name(node)
            case Select():
                return self._select(node)
            case Call():
                return self._call(node)
            case ListExpr():
                return self._list(node)
            case MapExpr():
                return self._map(node)
            case Fold():
                return self._fold(node)
        raise Unsupported(f"{type(node).__name__} is not known here")

    def _name(self, node: Ident) -> Plan:
        if node.constant is not None:
            return _type_constant(node)
        if node.name in self.names:
            if node.checked.kind is Kind.TYPE:
                # upstream takes every name that stands for a type for the name of one (cel-go: interpreter/planner.go, planCheckedIdent)
                return _type_constant(Ident(node.offset, node.name, TYPES.get(node.name)))
            return Attribute(self.names[node.name])
        return Attribute(_device, device=True)

    def _select(self, node: Select) -> Plan:
        if not node.field and isinstance(node.operand, Ident) and node.operand.constant is not None:
            return _type_constant(node.operand)
        attribute = self.attribute(node.operand)
        attribute.add(Qualifier(node.field, test=node.test))
        return attribute

    def attribute(self, node: Node) -> Attribute:
        """The node as something that selections are made on."""
        plan = self.plan(node)
        return plan if isinstance(plan, Attribute) else Attribute(runnable(plan))

    def _call(self, node: Call) -> Plan:
        match node.function:
            case "_&&_":
                return operators.conjunction([self.run(argument) for argument in node.arguments])
            case "_||_":
                return operators.disjunction([self.run(argument) for argument in node.arguments])
            case "_?:_" | "_?_:_":
                return self._conditional(node)
            case "_==_":
                return self._equals(node)
            case "_!=_":
                return operators.differs(*(self.run(argument) for argument in node.arguments))
            case "_[_]":
                return self._index(node, optional=False)
            case "_[?_]" | "_?._":
                return self._index(node, optional=True)
            case "@not_strictly_false":
                return operators.not_strictly_false(self.run(node.arguments[0]))
            case "or" | "orValue" if len(node.operands) == 2:
                left, right = (self.run(operand) for operand in node.operands)
                return operators.optional_or(left, right, value=node.function == "orValue")
        return self._plain_call(node)

    def _conditional(self, node: Call) -> Attribute:
        condition, yes, no = node.arguments
        # The order of planning is upstream's, and so is which fault is found first.
        decided = self.run(condition)
        return Attribute(condition=decided, branches=(self.attribute(yes), self.attribute(no)))

    def _equals(self, node: Call) -> Run:
        left, right = (self.plan(argument) for argument in node.arguments)
        if isinstance(right, Constant) and type(right.value) is str:
            return operators.equals_text(runnable(left), right.value)
        return operators.equals(runnable(left), runnable(right))

    def _index(self, node: Call, *, optional: bool) -> Attribute:
        attribute = self.attribute(node.arguments[0])
        plan = self.plan(node.arguments[1])
        if isinstance(plan, Constant):
            if type(plan.value) not in (str, int, UInt, bool, float):
                raise CompileError(f"program instantiation failed: invalid qualifier type: {go_type(plan.value)}")
            attribute.add(Qualifier(plan.value, optional=optional))
        else:
            index = plan.resolve() if isinstance(plan, Attribute) else plan
            attribute.add(Qualifier(index=index, optional=optional))
        return attribute

    def _plain_call(self, node: Call) -> Plan:
        operands = [self.plan(operand) for operand in node.operands]
        signature = node.overloads[0] if len(node.overloads) == 1 else ""
        cost = cost_of(node.function, signature)
        if node.function in _CONVERSIONS and len(operands) == 1 and isinstance(operands[0], Constant):
            return _converted(_implementation(node, signature), operands[0])
        if signature == "in_list" and isinstance(operands[1], Constant):
            found = _membership(runnable(operands[0]), operands[1].value)
            if found is not None:
                return found
        runs = [runnable(operand) for operand in operands]
        machine = _pattern(node.function, operands)
        if machine is not None:
            return operators.several(_matching(node.function, machine), runs, cost)
        implementation = _implementation(node, signature)
        bound_to_any = node.function not in SINGLETONS and (not signature or signature in FUNCTION_STYLE)
        if len(runs) == 1 and not bound_to_any:
            return operators.unary(implementation, runs[0], cost, quadratic=signature in _QUADRATIC)
        if len(runs) == 2 and not bound_to_any:
            return operators.binary(implementation, runs[0], runs[1], cost, quadratic=signature in _QUADRATIC)
        return operators.several(implementation, runs, cost)

    def _list(self, node: ListExpr) -> Plan:
        plans = [self.plan(element) for element in node.elements]
        run = _list([runnable(plan) for plan in plans], node.optionals)
        return _folded(run) if all(isinstance(plan, Constant) for plan in plans) else run

    def _map(self, node: MapExpr) -> Plan:
        plans = [(self.plan(entry.key), self.plan(entry.value)) for entry in node.entries]
        entries = [(runnable(key), runnable(value), entry.optional) for (key, value), entry in zip(plans, node.entries, strict=True)]
        constant = all(isinstance(plan, Constant) for pair in plans for plan in pair)
        run = _map(entries)
        return _folded(run) if constant else run

    def _fold(self, node: Fold) -> Run:
        initial = self.run(node.initial)
        span = self.run(node.range)
        slots = (self.slots, self.slots + 1, self.slots + 2)
        self.slots += 3
        outer = self.names
        inside = {**outer, node.accumulator: folds.accumulator(slots[0], initial)}
        self.names = {**inside, node.variable: folds.variable(slots[1])}
        if node.second:
            self.names[node.second] = folds.variable(slots[2])
        self.names[node.accumulator] = inside[node.accumulator]
        condition, step = self.run(node.condition), self.run(node.step)
        self.names = inside
        result = self.run(node.result)
        self.names = outer
        return folds.fold(span, slots, condition, step, result, pairs=bool(node.second))


def _device(frame: Frame) -> Value:
    return frame.device


def runnable(plan: Plan) -> Run:
    """The closure of a plan."""
    if isinstance(plan, Attribute):
        return plan.run()
    if isinstance(plan, Constant):
        value = plan.value
        if isinstance(value, EvaluationError):
            return _failing(value)
        return lambda _: value
    return plan


def _failing(error: EvaluationError) -> Run:
    def run(_: Frame) -> Value:
        raise error.with_traceback(None)

    return run


def _type_constant(node: Ident) -> Constant:
    if node.name in UNPLANNED or node.constant is None:
        raise CompileError(f"program instantiation failed: reference to undefined type: {node.name}")
    return Constant(TypeValue(node.constant.name))


def _implementation(node: Call, signature: str) -> Implementation:
    singleton = SINGLETONS.get(node.function)
    if singleton is not None:
        return singleton
    return guarded(node.function, signature) if signature else dispatched(node.function)


def _converted(implementation: Implementation, operand: Constant) -> Constant:
    """A conversion of a constant is done at once, and its error is one of planning."""
    if isinstance(operand.value, EvaluationError):
        raise CompileError(f"program instantiation failed: {operand.value.message}")
    try:
        return Constant(implementation(operand.value))
    except EvaluationError as error:
        raise CompileError(f"program instantiation failed: {error.message}") from None


def _folded(run: Run) -> Constant:
    """A list or map of constants is made at once."""
    try:
        return Constant(run(Frame(None, 0, 2**64)))
    except EvaluationError as error:
        return Constant(error)
    except EvaluationPanic as error:
        raise Unsupported(f"upstream crashes while it compiles this: {error.message}") from None


def _membership(operand: Run, container: Value) -> Plan | None:
    """`in` a list of plain constants; None when it is no such list."""
    if type(container) is not ListValue:
        raise Unsupported("upstream crashes while it compiles this: the list is an error")
    if not container.items:
        return Constant(False)
    found = members(container.items)
    return None if found is None else operators.member_of_constants(operand, found, member_key)


def _pattern(function: str, operands: list[Plan]) -> Machine | None:
    """The machine of a constant pattern. Raises CompileError when RE2 refuses it."""
    if function not in ("matches", "find", "findAll") or len(operands) < 2:
        return None
    pattern = operands[1]
    if not isinstance(pattern, Constant) or type(pattern.value) is not str:
        return None
    try:
        return compiled(pattern.value)
    except RegexError as error:
        raise CompileError(f"program instantiation failed: {error}") from None


def _matching(function: str, machine: Machine) -> Callable[..., Value]:
    def call(text: Value, _: Value, limit: Value = -1) -> Value:
        inside = go_string(text)
        if inside is None or type(limit) is not int:
            raise NoSuchOverload
        if function == "matches":
            return machine.matches(inside)
        if function == "find":
            return machine.find(inside)
        return ListValue(list(machine.find_all(inside, limit)), go="string")

    return call


def _list(elements: list[Run], optionals: frozenset[int]) -> Run:
    def run(frame: Frame) -> Value:
        values: list[Value] = []
        try:
            for place, element in enumerate(elements):
                value = element(frame)
                if place in optionals:
                    if type(value) is not Optional:
                        raise EvaluationError(f"cannot initialize optional list element from non-optional value {go_text(value)}")
                    if not value.present:
                        continue
                    value = value.value
                values.append(value)
        except EvaluationError:
            frame.charge(LIST)
            raise
        frame.charge(LIST)
        return ListValue(values)

    return run


def _map(entries: list[tuple[Run, Run, bool]]) -> Run:
    def run(frame: Frame) -> Value:
        found: dict[Value, Value] = {}
        try:
            for entry in entries:
                _enter(found, entry, frame)
        except EvaluationError:
            frame.charge(MAP)
            raise
        frame.charge(MAP)
        return MapValue(found)

    return run


def _enter(found: dict[Value, Value], entry: tuple[Run, Run, bool], frame: Frame) -> None:
    key, element, optional = entry
    name, value = key(frame), element(frame)
    if optional:
        if type(value) is not Optional:
            raise EvaluationError(f"cannot initialize optional entry '{go_text(name)}' from non-optional value {go_text(value)}")
        if not value.present:
            found.pop(map_key(name), None)
            return
        value = value.value
    found[map_key(name)] = value
