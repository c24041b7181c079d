"""Derived attributes: what a request works out of a device's own, for constraints (DRADerivedAttributes, alpha).

Rules: dynamic-resource-allocation cel/compile.go (EvaluateDerivedAttribute, isAllowedDerivedAttributeType).
"""

from dataclasses import dataclass, replace
from functools import lru_cache

from kubectl_dra.allocation.cel import SCHEDULER, CelEnvironment, CelError, CompileError, DeviceVariables, Unsupported
from kubectl_dra.allocation.cel.check import check
from kubectl_dra.allocation.cel.errors import EvaluationError
from kubectl_dra.allocation.cel.frame import Frame, Run
from kubectl_dra.allocation.cel.parser import parse
from kubectl_dra.allocation.cel.plan import Planner
from kubectl_dra.allocation.cel.source import render
from kubectl_dra.allocation.cel.syntax import Node
from kubectl_dra.allocation.cel.types import ANY, BOOL, DYN, INT, SEMVER, STRING, Kind, Type
from kubectl_dra.allocation.cel.validate import validate
from kubectl_dra.allocation.derived_value import as_attribute
from kubectl_dra.objects.resource import Device, DeviceAttribute

_SINGLE = (BOOL, INT, STRING, ANY, DYN, SEMVER)
_DEEPEST = 260
_NOTHING = DeviceAttribute()
_TOO_DEEP = "the expression is nested too deeply to be decided here"


@dataclass(frozen=True, slots=True)
class Derivation:
    """A compiled expression that gives an attribute."""

    tree: Node
    run: Run
    slots: int
    environment: CelEnvironment

    def attribute(self, driver: str, device: Device) -> DeviceAttribute:
        """The attribute of a device. Raises CelError."""
        found = self.answer(DeviceVariables(driver, device))
        if found.error is not None:
            raise found.error
        return found.attribute

    def answer(self, variables: DeviceVariables) -> "Derived":
        """What it makes of a device. Never raises."""
        if variables.error:
            return Derived(error=EvaluationError(variables.error))
        if not variables.chance:
            return self._answer(variables)
        found = [self._answer(each) for each in variables.alternatives]
        if not found or any(each.told != found[0].told for each in found):
            return Derived(error=Unsupported(variables.chance))
        return found[0] if all(each.cost == found[0].cost for each in found) else replace(found[0], cost=None)

    def _answer(self, variables: DeviceVariables) -> "Derived":
        frame = Frame(variables.root, self.slots, self.environment.cost_limit)
        found = self._once(variables, frame)
        if frame.order_seen:
            other = self._once(variables, Frame(variables.root, self.slots, self.environment.cost_limit, backwards=True))
            if other.told != found.told:
                return Derived(error=Unsupported("the value depends on the order of a map, which is random"))
            if other.cost != found.cost:
                return replace(found, cost=None)
        return found

    def _once(self, variables: DeviceVariables, frame: Frame) -> "Derived":
        try:
            return Derived(as_attribute(self.run(frame)), cost=frame.cost)
        except RecursionError:
            return Derived(error=Unsupported(_TOO_DEEP))
        except CelError as error:
            return Derived(error=error, cost=frame.cost)
        finally:
            if variables.changed:
                variables.restore()


@dataclass(frozen=True, slots=True)
class Derived:
    """The attribute, or the error; and what it cost, null where upstream counts nothing or it depends on the order of a map."""

    attribute: DeviceAttribute = _NOTHING
    error: CelError | None = None
    cost: int | None = None

    @property
    def told(self) -> tuple[object, ...]:
        """What does not depend on chance."""
        return self.attribute, type(self.error), self.error and self.error.message


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
        lists = environment.stored or environment.list_type_attributes
        if not _allowed(tree.checked, lists=lists):
            more = " or a list of these scalars" if lists else ""
            raise CompileError(f"must evaluate to a primitive scalar (string, integer, boolean, semver){more}, not {tree.checked}")
        planner = Planner()
        return Derivation(tree, planner.run(tree), planner.slots, environment)
    except RecursionError:
        raise Unsupported(_TOO_DEEP) from None


def _allowed(kind: Type, *, lists: bool) -> bool:
    return kind in _SINGLE or (lists and kind.kind is Kind.LIST and kind.parameters[0] in _SINGLE)


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
