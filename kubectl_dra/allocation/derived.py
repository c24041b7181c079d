"""Derived attributes: what a request works out of a device's own, for constraints (DRADerivedAttributes, alpha).

Rules: dynamic-resource-allocation cel/compile.go (EvaluateDerivedAttribute, isAllowedDerivedAttributeType).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from kubectl_dra.allocation.cel import SCHEDULER, CelEnvironment, CelError, CompileError, DeviceVariables, Unsupported
from kubectl_dra.allocation.cel.check import check
from kubectl_dra.allocation.cel.environment import COST_LIMIT
from kubectl_dra.allocation.cel.errors import EvaluationError
from kubectl_dra.allocation.cel.frame import Frame, Run
from kubectl_dra.allocation.cel.kinds import type_name
from kubectl_dra.allocation.cel.parser import parse
from kubectl_dra.allocation.cel.plan import Planner
from kubectl_dra.allocation.cel.source import render
from kubectl_dra.allocation.cel.types import ANY, BOOL, DYN, INT, SEMVER, STRING, Kind, Type
from kubectl_dra.allocation.cel.validate import validate
from kubectl_dra.allocation.cel.values import ListValue, Undecided, Value
from kubectl_dra.objects.resource import Device, DeviceAttribute
from kubectl_dra.objects.semver import Semver

_SINGLE = (BOOL, INT, STRING, ANY, DYN, SEMVER)
_ELEMENTS: Mapping[type, str] = {bool: "bool", int: "int", str: "string", Semver: "semver"}
_DEEPEST = 260
_TOO_DEEP = "the expression is nested too deeply to be decided here"


@dataclass(frozen=True, slots=True)
class Derivation:
    """A compiled expression that gives an attribute."""

    type: Type
    run: Run
    slots: int

    def attribute(self, driver: str, device: Device) -> DeviceAttribute:
        """The attribute of a device. Raises CelError."""
        variables = DeviceVariables(driver, device)
        if variables.error:
            raise EvaluationError(variables.error)
        if not variables.chance:
            return self._of(variables)
        found = [self._of(each) for each in variables.alternatives]
        if not found or any(each != found[0] for each in found):
            raise Unsupported(variables.chance)
        return found[0]

    def _of(self, variables: DeviceVariables) -> DeviceAttribute:
        frame = Frame(variables.root, self.slots, COST_LIMIT)
        found = self._value(variables, frame)
        if frame.order_seen:
            backwards = self._value(variables, Frame(variables.root, self.slots, COST_LIMIT, backwards=True))
            if backwards != found:
                raise Unsupported("the value depends on the order of a map, which is random")
        return found

    def _value(self, variables: DeviceVariables, frame: Frame) -> DeviceAttribute:
        try:
            return _as_attribute(self.run(frame))
        except RecursionError:
            raise Unsupported(_TOO_DEEP) from None
        finally:
            if variables.changed:
                variables.restore()


@lru_cache(maxsize=1024)
def derivation(text: str, environment: CelEnvironment = SCHEDULER) -> Derivation:
    """Compile the expression. Raises CelError."""
    try:
        tree = parse(text)
        if tree.depth > _DEEPEST:
            raise Unsupported(_TOO_DEEP)
        problems = check(tree, environment) or validate(tree)
        if problems:
            raise CompileError(f"compilation failed: {render(text, problems)}")
        if not _allowed(tree.checked):
            raise CompileError(
                f"must evaluate to a primitive scalar (string, integer, boolean, semver) or a list of these scalars, not {tree.checked}"
            )
        planner = Planner()
        return Derivation(tree.checked, planner.run(tree), planner.slots)
    except RecursionError:
        raise Unsupported(_TOO_DEEP) from None


def _allowed(kind: Type) -> bool:
    return kind in _SINGLE or (kind.kind is Kind.LIST and kind.parameters[0] in _SINGLE)


def _as_attribute(value: Value) -> DeviceAttribute:
    match value:
        case bool():
            return DeviceAttribute(bool_=value)
        case int():
            return DeviceAttribute(int_=value)
        case str():
            return DeviceAttribute(string=value)
        case Semver():
            return DeviceAttribute(version=str(value))
        case ListValue():
            return _as_list(value.items)
        case Undecided():
            raise Unsupported(f"{value.what} cannot be told")
        case _:
            raise EvaluationError(f"unsupported CEL return type: {type_name(value)}")


def _as_list(items: list[Value]) -> DeviceAttribute:
    """All of one type, which the first tells; no item at all is a list of texts."""
    if not items:
        return DeviceAttribute(strings=())
    name = _ELEMENTS.get(type(items[0]))
    if name is not None:
        odd = next((at for at, item in enumerate(items) if type(item) is not type(items[0])), None)
        if odd is not None:
            raise EvaluationError(f"expected list element at index {odd} to be {name}, got {type_name(items[odd])}")
    match name:
        case "bool":
            return DeviceAttribute(bools=tuple(items))
        case "int":
            return DeviceAttribute(ints=tuple(items))
        case "string":
            return DeviceAttribute(strings=tuple(items))
        case "semver":
            return DeviceAttribute(versions=tuple(map(str, items)))
    raise EvaluationError(f"unsupported list element type: {type_name(items[0])}")


def derived(name: str, text: str, driver: str, device: Device, shown: str) -> DeviceAttribute:
    """The attribute `name` of a device. Raises CelError, with the text that upstream gives the error."""
    try:
        found = derivation(text)
    except CelError as error:
        raise _told(error, f"compile derived attribute {name} failed") from None
    try:
        return found.attribute(driver, device)
    except CelError as error:
        raise _told(error, f"evaluate derived attribute {name} on device {shown} failed") from None


def _told(error: CelError, where: str) -> CelError:
    return Unsupported(f"{where}: {error.message}") if isinstance(error, Unsupported) else CompileError(f"{where}: {error.message}")
