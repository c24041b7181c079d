"""CEL selectors on devices: each expression is compiled once, and judged once for each shape of device."""

from collections.abc import Hashable, Iterable

from msgspec.structs import replace

from kubectl_dra.allocation.cel import (
    SCHEDULER,
    Answer,
    CelEnvironment,
    CelError,
    DeviceVariables,
    ErrorClass,
    Program,
    Reason,
    compile_expression,
)
from kubectl_dra.allocation.failure import AllocationError, fatal, nil_pointer, undecided
from kubectl_dra.allocation.pools import Candidate
from kubectl_dra.allocation.shapes import Reads, reads, shape
from kubectl_dra.objects.resource import DeviceSelector


class Judge:
    """One expression. Compiled when the first device is looked at, as upstream does: without a device no fault is seen."""

    __slots__ = ("_answers", "_by_shape", "_environment", "_fault", "_program", "_reads", "_shares", "_traces", "text")

    def __init__(self, text: str, environment: CelEnvironment, *, shares: bool = True) -> None:
        """Take the expression. Without `shares` it does not see that a device can be shared."""
        self._shares = shares
        self.text = text
        self._environment = environment
        self._program: Program | None = None
        self._fault: CelError | None = None
        self._reads = Reads()
        self._by_shape: dict[Hashable, Answer] = {}
        self._answers: dict[Candidate, Answer] = {}
        self._traces: dict[Hashable, tuple[Reason, ...]] = {}

    def answer(self, candidate: Candidate) -> Answer:
        """What the expression says of the device; a fault of compiling is an answer, too."""
        found = self._answers.get(candidate)
        if found is None:
            found = self._answers[candidate] = self._judged(candidate)
        return found

    def trace(self, candidate: Candidate) -> tuple[Reason, ...]:
        """Why the expression is false on the device, or which part of it fails; worked out once for each shape."""
        program = self.program
        if program is None:
            return ()
        key = shape(self._reads, candidate.pool[0], candidate.device)
        found = None if key is None else self._traces.get(key)
        if found is None:
            found = program.trace(DeviceVariables(candidate.pool[0], candidate.device))
            if key is not None:
                self._traces[key] = found
        return found

    @property
    def program(self) -> Program | None:
        """The compiled expression; None when it does not compile."""
        if self._program is None and self._fault is None:
            try:
                self._program = compile_expression(self.text, self._environment)
            except CelError as error:
                self._fault = error
            else:
                self._reads = reads(self._program.tree)
        return self._program

    def _judged(self, candidate: Candidate) -> Answer:
        program = self.program
        if program is None:
            fault = self._fault
            return Answer(error=fault.message if fault else "", error_class=fault.error_class if fault else None)
        driver = candidate.pool[0]
        device = candidate.device if self._shares else replace(candidate.device, allow_multiple_allocations=None)
        key = shape(self._reads, driver, device)
        if key is None:
            return program.evaluate(DeviceVariables(driver, device))
        found = self._by_shape.get(key)
        if found is None:
            found = self._by_shape[key] = program.evaluate(DeviceVariables(driver, device))
        return found


class Judges:
    """All expressions of a cluster, each compiled once however many classes and requests have it."""

    def __init__(self, environment: CelEnvironment = SCHEDULER, *, shares: bool = True) -> None:
        """Begin with none."""
        self._environment = environment
        self._shares = shares
        self._known: dict[str, Judge] = {}

    def of(self, selectors: Iterable[DeviceSelector]) -> tuple[Judge | None, ...]:
        """The judge of each selector; None for one that is no CEL expression."""
        return tuple(None if each.cel is None else self._judge(each.cel.expression) for each in selectors)

    def _judge(self, text: str) -> Judge:
        return self._known.get(text) or self._known.setdefault(text, Judge(text, self._environment, shares=self._shares))


def all_match(judges: Iterable[Judge | None], owner: str, candidate: Candidate) -> bool:
    """Whether every selector is true on the device; looks no further than the first false one. `owner` begins the messages.

    Raises AllocationError: errors of expressions stop the pod's scheduling (allocator_incubating.go, selectorsMatch).
    """
    for number, judge in enumerate(judges):
        if judge is None:
            raise nil_pointer()
        answer = judge.answer(candidate)
        if answer.matches is False:
            return False
        if answer.matches is None:
            raise selector_error(answer, owner, number, candidate)
    return True


def selector_error(answer: Answer, owner: str, number: int, candidate: Candidate) -> AllocationError:
    """The error in upstream's words."""
    match answer.error_class:
        case ErrorClass.UNSUPPORTED:
            return undecided(f"{owner}: selector #{number} on device {candidate}: {answer.error}")
        case ErrorClass.COMPILE:
            return fatal(f"{owner}: selector #{number}: CEL compile error: {answer.error}")
        case _:
            return fatal(f"{owner}: selector #{number} on device {candidate}: CEL runtime error: {answer.error}")
