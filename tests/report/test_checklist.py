"""A move as it happens: lines where nobody watches, the checklist on a terminal, events as JSON."""

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

from kubectl_dra.environment import Clock, Environment
from kubectl_dra.migration.document import Check, MigrationPlan, Step
from kubectl_dra.migration.events import MoveEvent, StepChecked, StepEnded, StepNotes, StepStarted, StepWaits
from kubectl_dra.migration.names import FORWARD, Level, Phase, StepName, StepState
from kubectl_dra.report.checklist import Checklist, EventLines, Lines, following
from tests.run import Stream

AT = "2026-01-02T03:41:20Z"
PLAN = MigrationPlan(node="a", profile="example", phase=Phase.PLANNED, steps=tuple(Step(name=name) for name in FORWARD))


class Ticking:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.seconds = 100.0
        self.clock = Clock(lambda: datetime(2026, 1, 2, tzinfo=UTC), lambda seconds: None, lambda: self.seconds)


@pytest.fixture
def ticking() -> Ticking:
    return Ticking()


def surroundings(ticking: Ticking, *, terminal: bool = False) -> Environment:
    return Environment(Stream(), Stream(terminal=terminal), Stream(terminal=terminal), {"COLUMNS": "80", "TERM": "xterm"}, ticking.clock)


def told(environment: Environment) -> list[str]:
    stream = environment.stderr
    assert isinstance(stream, Stream)
    return stream.text().splitlines()


EVENTS: tuple[MoveEvent, ...] = (
    StepStarted(at=AT, step=StepName.DRAIN, limit=3600),
    StepChecked(at=AT, step=StepName.DRAIN, check=Check("budgets", Level.WARNING, "web-1: budget web allows no disruption")),
    StepChecked(at=AT, step=StepName.DRAIN, check=Check("gangs", Level.OK, "none")),
    StepNotes(at=AT, step=StepName.DRAIN, message="evicted default/web-1"),
    StepWaits(at=AT, step=StepName.DRAIN, message="1 pod is still there", waited=3, left=3597),
    StepEnded(at=AT, step=StepName.DRAIN, state=StepState.DONE, seconds=12.4, message="1 pod left"),
)


def test_lines_where_nobody_watches(ticking: Ticking) -> None:
    environment = surroundings(ticking)
    lines = Lines(environment)
    for event in EVENTS:
        lines(event)
    assert told(environment) == [
        "03:41:20 drain: begins",
        "03:41:20 drain: warning budgets: web-1: budget web allows no disruption",
        "03:41:20 drain: evicted default/web-1",
        "03:41:20 drain: 1 pod is still there (at most 59m more)",
        "03:41:20 drain: done after 12s: 1 pod left",
    ]


def test_a_wait_is_told_again_every_half_minute(ticking: Ticking) -> None:
    environment = surroundings(ticking)
    lines = Lines(environment)
    for waited in range(0, 75, 5):
        ticking.seconds = 100.0 + waited
        lines(StepWaits(at=AT, step=StepName.SETTLE, message=f"capacity still 8 ({waited})", waited=waited))
    assert [line.rpartition("(")[2] for line in told(environment)] == ["0)", "30)", "60)"]


def test_a_step_that_goes_on_says_so(ticking: Ticking) -> None:
    environment = surroundings(ticking)
    Lines(environment)(StepStarted(at=AT, step=StepName.DRAIN, resumed=True))
    assert told(environment) == ["03:41:20 drain: goes on"]


def test_names_reach_no_terminal_as_commands(ticking: Ticking) -> None:
    environment = surroundings(ticking)
    Lines(environment)(StepNotes(at=AT, step=StepName.DRAIN, message="evicted x\x1b[2J\nfoo"))
    assert told(environment) == ["03:41:20 drain: evicted x^[[2J foo"]


def test_a_reader_that_left_does_not_end_a_move(ticking: Ticking) -> None:
    class Closed(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    environment = Environment(Stream(), Stream(), Closed(), {}, ticking.clock)
    for event in EVENTS:
        Lines(environment)(event)


# the checklist


def listed(checklist: Checklist) -> dict[str, str]:
    """The lines by step."""
    return {line[4:].split()[0]: line for line, _ in checklist.lines() if line.startswith("[")}


@contextmanager
def shown(environment: Environment) -> Iterator[Checklist]:
    with following(environment) as found:
        assert isinstance(found, Checklist)
        yield found


def test_the_checklist_as_a_step_goes_by(ticking: Ticking) -> None:
    with shown(surroundings(ticking, terminal=True)) as checklist:
        checklist.begin(PLAN)
        assert listed(checklist)["drain"] == "[ ] drain"
        checklist(EVENTS[0])
        ticking.seconds += 75
        assert listed(checklist)["drain"] == "[>] drain        75s"
        checklist(EVENTS[4])
        assert listed(checklist)["drain"] == "[>] drain        75s  1 pod is still there (at most 59m more)"
        checklist(EVENTS[5])
        ticking.seconds += 500
        assert listed(checklist)["drain"] == "[x] drain        12s  1 pod left"
        assert len(listed(checklist)) == len(FORWARD)


def test_steps_before_the_plan_are_kept_in_it(ticking: Ticking) -> None:
    with shown(surroundings(ticking, terminal=True)) as checklist:
        checklist(StepStarted(at=AT, step=StepName.PREFLIGHT))
        checklist(StepEnded(at=AT, step=StepName.PREFLIGHT, state=StepState.DONE, seconds=2))
        checklist.begin(PLAN)
        assert list(listed(checklist)) == [str(name) for name in FORWARD]
        assert listed(checklist)["preflight"] == "[x] preflight     2s"


def test_it_fits_a_screen_of_eighty_columns(ticking: Ticking) -> None:
    environment = surroundings(ticking, terminal=True)
    with shown(environment) as checklist:
        checklist.begin(PLAN)
        checklist(StepNotes(at=AT, step=StepName.PLUG, message="x" * 200))
    drawn = "\n".join(told(environment))
    assert "drain" in drawn
    assert "x" * 80 not in drawn


@pytest.mark.parametrize(("terminal", "term", "kind"), [(True, "xterm", Checklist), (True, "dumb", Lines), (False, "xterm", Lines)])
def test_who_gets_which(ticking: Ticking, terminal: bool, term: str, kind: type) -> None:
    environment = Environment(Stream(), Stream(), Stream(terminal=terminal), {"TERM": term}, ticking.clock)
    with following(environment) as found:
        assert isinstance(found, kind)


def test_what_a_step_waits_for_is_told_in_full(ticking: Ticking) -> None:
    with shown(surroundings(ticking, terminal=True)) as checklist:
        checklist.begin(PLAN)
        checklist(EVENTS[0])
        words = "budget team/web allows no disruption: Cannot evict pod as it would violate the pod's disruption budget"
        checklist(StepWaits(at=AT, step=StepName.DRAIN, message=words, waited=3))
        lines = [line for line, _ in checklist.lines()]
        assert lines[4:6] == [
            "[>] drain         0s  budget team/web allows no disruption: Cannot evict pod as",
            "                      it would violate the pod's disruption budget",
        ]
        checklist(EVENTS[5])
        assert len(list(checklist.lines())) == len(FORWARD)


# events


def test_events_as_json_a_line_each(ticking: Ticking) -> None:
    environment = surroundings(ticking)
    observe = EventLines(environment, Lines(environment))
    for event in EVENTS:
        observe(event)
    assert isinstance(environment.stdout, Stream)
    events = [json.loads(line) for line in environment.stdout.text().splitlines()]
    assert [event["type"] for event in events] == [type(event).__name__ for event in EVENTS]
    assert all(event["at"] == AT and event["step"] == "drain" for event in events)
    assert events[1]["check"] == {"name": "budgets", "level": "warning", "message": "web-1: budget web allows no disruption", "known": True}
    assert len(told(environment)) == 5, "people are told, too"
