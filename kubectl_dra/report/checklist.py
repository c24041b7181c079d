"""A move as it happens: on a terminal the checklist, live; else a line for each thing that happens, with its time."""

from collections.abc import Iterator
from contextlib import contextmanager
from textwrap import fill
from typing import TYPE_CHECKING

import msgspec

from kubectl_dra.environment import Environment
from kubectl_dra.migration.document import MigrationPlan
from kubectl_dra.migration.events import MoveEvent, MoveObserver, StepChecked, StepEnded, StepNotes, StepStarted, StepWaits
from kubectl_dra.migration.names import Level, StepName, StepState
from kubectl_dra.objects.meta import timestamp
from kubectl_dra.report.live import Display, painted
from kubectl_dra.report.tables.migration import BOXES, STYLES, WIDTH, lasting
from kubectl_dra.report.terminal import plain
from kubectl_dra.report.view import Style

if TYPE_CHECKING:
    from rich.text import Text

_SHORT = frozenset({StepState.DONE, StepState.SKIPPED, StepState.PENDING})
"""States of which a line says enough."""

SAID_AGAIN = 30.0
"""Seconds between two lines about one wait, where no terminal shows it live."""


class Line(msgspec.Struct):
    """A step of the checklist as it stands now: when it began (monotonic), how long it took, and what it says."""

    name: StepName
    state: StepState = StepState.PENDING
    began: float | None = None
    seconds: float | None = None
    says: str = ""


class Checklist:
    """The live list. Events may come from several threads; drawing only reads."""

    def __init__(self, environment: Environment) -> None:
        """Nothing is shown before `begin`."""
        self._environment = environment
        self._lines: list[Line] = []
        self._display: Display | None = None

    def begin(self, plan: MigrationPlan) -> None:
        """Show the plan's steps from now on."""
        self.expect(plan)
        self._display = self._display or Display(self._environment, self.text)

    def expect(self, plan: MigrationPlan) -> None:
        """Take the plan's steps for the list; what is known of one already stays."""
        before = {line.name: line for line in self._lines}
        self._lines = [before.get(step.name) or Line(step.name, step.state, seconds=step.seconds, says=step.message) for step in plan.steps]

    def __call__(self, event: MoveEvent, /) -> None:
        """Take note of what happened."""
        line = self._line(event.step)
        match event:
            case StepStarted():
                line.state, line.began, line.says = StepState.RUNNING, self._environment.clock.monotonic(), ""
            case StepWaits(message=message, left=left):
                line.says = f"{message}{f' (at most {lasting(left)} more)' if left is not None else ''}"
            case StepNotes(message=message):
                line.says = message
            case StepChecked(check=check) if check.level is not Level.OK:
                line.says = f"{check.level}: {check.message}"
            case StepEnded(state=state, seconds=seconds, message=message):
                line.state, line.seconds, line.says = state, seconds, message

    def text(self) -> "Text":
        """The list as it stands."""
        return painted(self.lines())

    def lines(self) -> Iterator[tuple[str, Style]]:
        """A line a step; what one that is not done says is told in full, on several lines if need be."""
        now = self._environment.clock.monotonic()
        for line in tuple(self._lines):
            seconds = line.seconds if line.seconds is not None else now - line.began if line.began is not None else None
            took = "" if seconds is None or line.state is StepState.SKIPPED else lasting(seconds)
            head = f"{BOXES[line.state]} {line.name:<9} {took:>6}  "
            told = line.says if line.state in _SHORT else fill(line.says, WIDTH - len(head), break_on_hyphens=False)
            for number, text in enumerate(told.splitlines() or [""]):
                yield f"{head if number == 0 else ' ' * len(head)}{text}".rstrip(), STYLES[line.state]

    def close(self) -> None:
        """Take the list away."""
        if self._display is not None:
            self._display.close()
            self._display = None

    def _line(self, name: StepName) -> Line:
        found = next((line for line in self._lines if line.name is name), None)
        if found is None:
            found = Line(name)
            self._lines.append(found)
        return found


class Lines:
    """What happens, a line each, on stderr: `03:41:20 cordon: begins`."""

    def __init__(self, environment: Environment) -> None:
        """Say nothing yet."""
        self._environment = environment
        self._said: dict[StepName, float] = {}

    def begin(self, plan: MigrationPlan) -> None:
        """The plan is shown by whoever asks for consent."""

    def __call__(self, event: MoveEvent, /) -> None:
        """Write the event's line, if it is worth one."""
        text = self._text(event)
        if text:
            moment = timestamp(event.at)
            time = f"{moment:%H:%M:%S}" if moment is not None else event.at
            self._put(f"{time} {event.step}: {text}")

    def close(self) -> None:
        """Nothing is left open."""

    def _text(self, event: MoveEvent) -> str:
        match event:
            case StepStarted(resumed=resumed):
                self._said.pop(event.step, None)
                return "goes on" if resumed else "begins"
            case StepWaits(message=message, left=left):
                return self._waits(event.step, f"{message}{f' (at most {lasting(left)} more)' if left is not None else ''}")
            case StepNotes(message=message):
                return message
            case StepChecked(check=check):
                return "" if check.level is Level.OK else f"{check.level} {check.name}: {check.message}"
            case StepEnded(state=state, seconds=seconds, message=message):
                return f"{state} after {lasting(seconds)}{f': {message}' if message else ''}"

    def _waits(self, step: StepName, text: str) -> str:
        now, said = self._environment.clock.monotonic(), self._said.get(step)
        if said is not None and now - said < SAID_AGAIN:
            return ""
        self._said[step] = now
        return text

    def _put(self, line: str) -> None:
        try:
            self._environment.stderr.write(f"{plain(line)}\n")
            self._environment.stderr.flush()
        except BrokenPipeError:
            return  # a reader that left never ends a move in the middle


class EventLines:
    """`-o jsonl`: every event as a line of JSON on stdout, as it happens, beside what `also` shows."""

    def __init__(self, environment: Environment, also: MoveObserver) -> None:
        """Take the stream and the other observer."""
        self._environment = environment
        self._also = also

    def __call__(self, event: MoveEvent, /) -> None:
        """Write it at once."""
        from kubectl_dra.report.formats import put

        put(f"{msgspec.json.encode(event).decode()}\n", self._environment)
        self._also(event)


Shown = Checklist | Lines


@contextmanager
def following(environment: Environment) -> Iterator[Shown]:
    """The checklist on a terminal, lines elsewhere, for as long as the block lasts."""
    live = environment.talks and environment.variables.get("TERM") != "dumb"
    shown: Shown = Checklist(environment) if live else Lines(environment)
    try:
        yield shown
    finally:
        shown.close()
