"""An expression, compiled once and evaluated on many devices."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from kubectl_dra.allocation.cel.check import check
from kubectl_dra.allocation.cel.device import DeviceVariables
from kubectl_dra.allocation.cel.environment import SCHEDULER, CelEnvironment
from kubectl_dra.allocation.cel.errors import CelError, CompileError, ErrorClass, Unsupported
from kubectl_dra.allocation.cel.frame import Frame, Run
from kubectl_dra.allocation.cel.parser import parse
from kubectl_dra.allocation.cel.plan import Planner
from kubectl_dra.allocation.cel.results import boolean
from kubectl_dra.allocation.cel.source import render
from kubectl_dra.allocation.cel.syntax import Node
from kubectl_dra.allocation.cel.trace import Reason, reasons
from kubectl_dra.allocation.cel.types import BOOL, Type
from kubectl_dra.allocation.cel.validate import validate

_DEEPEST = 260
_HINT = "consider using CEL optional chaining (.? followed by orValue()) or guarding the check with has() for optional fields"
_TOO_DEEP = "the expression is nested too deeply to be decided here"


@dataclass(frozen=True, slots=True)
class Answer:
    """What the expression says of a device: `matches`, or the error (upstream's text) and its class.

    `cost` is null where upstream counts none, and where it depends on the order in which upstream runs through a map.
    """

    matches: bool | None = None
    error: str = ""
    error_class: ErrorClass | None = None
    cost: int | None = None


@dataclass(frozen=True)
class Program:
    """A compiled expression: its text, its tree, the type of its result."""

    text: str
    tree: Node
    type: Type
    environment: CelEnvironment
    run: Run
    slots: int

    def evaluate(self, device: DeviceVariables, expired: Callable[[], bool] | None = None) -> Answer:
        """Evaluate it on a device. Never raises: errors are answers. Once `expired` says so, the answer is `unsupported`."""
        if device.error:
            return Answer(error=device.error, error_class=ErrorClass.RUNTIME)
        if device.chance:
            return self._whatever_chance(device, expired)
        frame = Frame(device.root, self.slots, self.environment.cost_limit, expired=expired)
        answer = self._answer(device, frame)
        if frame.order_seen:
            other = self._answer(device, Frame(device.root, self.slots, self.environment.cost_limit, backwards=True, expired=expired))
            if (other.matches, other.error_class) != (answer.matches, answer.error_class):
                return Answer(error="the answer depends on the order of a map, which is random", error_class=ErrorClass.UNSUPPORTED)
            if other.cost != answer.cost:
                return replace(answer, cost=None)
        return answer

    def _whatever_chance(self, device: DeviceVariables, expired: Callable[[], bool] | None) -> Answer:
        """The answer if it is the same whichever values upstream takes."""
        answers = [self.evaluate(each, expired) for each in device.alternatives]
        if len({(each.matches, each.error, each.error_class) for each in answers}) != 1:
            return Answer(error=device.chance, error_class=ErrorClass.UNSUPPORTED)
        return answers[0] if len({each.cost for each in answers}) == 1 else replace(answers[0], cost=None)

    def trace(self, device: DeviceVariables) -> tuple[Reason, ...]:
        """Why it is false on the device, or which part of it fails; nothing when it is true. Slower than `evaluate` by far."""
        return reasons(self.text, self.tree, device)

    def _answer(self, device: DeviceVariables, frame: Frame) -> Answer:
        try:
            return Answer(boolean(self.run(frame)), cost=frame.cost)
        except RecursionError:
            return Answer(error=_TOO_DEEP, error_class=ErrorClass.UNSUPPORTED)
        except Unsupported as error:
            return Answer(error=error.message, error_class=ErrorClass.UNSUPPORTED)
        except CelError as error:
            hint = f". {_HINT}" if "no such key:" in error.message else ""
            return Answer(error=f"{error.message}{hint}", error_class=error.error_class, cost=frame.cost)
        finally:
            if device.changed:
                device.restore()


def compile_expression(text: str, environment: CelEnvironment = SCHEDULER) -> Program:
    """Compile an expression. Raises CompileError with what upstream says, and Unsupported where we cannot tell."""
    try:
        return _compile(text, environment)
    except RecursionError:
        raise Unsupported(_TOO_DEEP) from None


def _compile(text: str, environment: CelEnvironment) -> Program:
    tree = parse(text)
    if tree.depth > _DEEPEST:
        raise Unsupported(_TOO_DEEP)
    problems = check(tree, environment) or validate(tree)
    if problems:
        raise CompileError(f"compilation failed: {render(text, problems)}")
    result = tree.checked
    if result not in (BOOL, environment.attribute):
        raise CompileError(f"must evaluate to bool or the unknown type, not {result}")
    planner = Planner()
    run = planner.run(tree)
    return Program(text, tree, result, environment, run, planner.slots)
