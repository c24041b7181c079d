"""Which devices a class selects: its selectors, evaluated as the scheduler does it.

All of them must be true; the first that is not decides, and hides the faults of those behind it
(dynamic-resource-allocation structured/internal/incubating/allocator_incubating.go, selectorsMatch).
"""

from dataclasses import dataclass
from enum import StrEnum

from kubectl_dra.allocation.cel import CelError, ErrorClass, compile_expression
from kubectl_dra.allocation.cel.syntax import Call, Ident, Literal, Node, Select
from kubectl_dra.allocation.pools import Candidate
from kubectl_dra.allocation.selectors import Judge, Judges, selector_error
from kubectl_dra.objects.resource import DeviceClass


class Outcome(StrEnum):
    """What comes of a device and a class' selectors."""

    SELECTED = "selected"
    REJECTED = "rejected"
    FAILS = "fails"
    """A selector fails on the device: a pod whose claim makes the scheduler look at it is placed on no node."""
    UNDECIDED = "undecided"
    """It cannot be told here what the scheduler would say."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The outcome, and which selector (from 0) decided it. `error` is the scheduler's text when one fails."""

    outcome: Outcome
    number: int = 0
    error: str = ""


_SELECTED = Judgement(Outcome.SELECTED)


class Selection:
    """A class' selectors, ready to judge devices. Equal devices are judged once, equal expressions compiled once."""

    def __init__(self, device_class: DeviceClass, judges: Judges) -> None:
        """Take the class, and the judges of the cluster's expressions."""
        self.name = device_class.metadata.name
        self.judges: tuple[Judge | None, ...] = judges.of(device_class.spec.selectors or ())

    def judge(self, candidate: Candidate) -> Judgement:
        """What the selectors say of the device."""
        for number, judge in enumerate(self.judges):
            if judge is None:
                return Judgement(Outcome.UNDECIDED, number, f"class {self.name}: selector #{number} is no CEL expression")
            answer = judge.answer(candidate)
            if answer.matches is False:
                return Judgement(Outcome.REJECTED, number)
            if answer.matches is None:
                outcome = Outcome.UNDECIDED if answer.error_class is ErrorClass.UNSUPPORTED else Outcome.FAILS
                return Judgement(outcome, number, selector_error(answer, f"class {self.name}", number, candidate).text)
        return _SELECTED


@dataclass(frozen=True, slots=True)
class DriverTerms:
    """The drivers that selectors compare `device.driver` with, in conjunctions; `alone` when they ask for nothing else."""

    drivers: frozenset[str] = frozenset()
    alone: bool = True

    def may_select(self, driver: str) -> bool:
        """False when no device of the driver can be selected."""
        return self.drivers <= {driver}


def driver_terms(device_class: DeviceClass) -> DriverTerms:
    """What the class says of drivers, whether or not there are devices to be judged."""
    drivers: set[str] = set()
    alone = True
    for selector in device_class.spec.selectors or ():
        try:
            waiting = [compile_expression(selector.cel.expression).tree] if selector.cel is not None else []
        except CelError:
            waiting = []
        alone = alone and bool(waiting)
        while waiting:
            term = waiting.pop()
            if isinstance(term, Call) and term.function == "_&&_":
                waiting += term.arguments
                continue
            driver = _driver(term)
            if driver is not None:
                drivers.add(driver)
            elif not (isinstance(term, Literal) and term.value is True):
                alone = False
    return DriverTerms(frozenset(drivers), alone)


def _driver(term: Node) -> str | None:
    """The driver of `device.driver == "driver"`, either way round."""
    match term:
        case Call(
            function="_==_",
            arguments=[Select(operand=Ident(name="device"), field="driver", test=False), Literal(value=str() as driver)]
            | [Literal(value=str() as driver), Select(operand=Ident(name="device"), field="driver", test=False)],
        ):
            return driver
    return None
