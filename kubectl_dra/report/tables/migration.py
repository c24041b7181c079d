"""How plans and records of a move look: a checklist that reads well at 80 columns and without colours."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from textwrap import wrap

from kubectl_dra.audit.words import count
from kubectl_dra.eviction.filters import Action
from kubectl_dra.migration.document import Check, MigrationPlan, MigrationRecord, MovedResource, PodMove, Step
from kubectl_dra.migration.names import Direction, Level, Phase, StepName, StepState
from kubectl_dra.report.age import age
from kubectl_dra.report.view import Section, Style, Text, View

WIDTH = 80
_LABEL = 11
"""Columns for the word before a line of a step."""

_SHOWN_PODS = 20

BOXES: Mapping[StepState, str] = {
    StepState.PENDING: "[ ]",
    StepState.RUNNING: "[>]",
    StepState.DONE: "[x]",
    StepState.SKIPPED: "[-]",
    StepState.BLOCKED: "[!]",
    StepState.FAILED: "[!]",
    StepState.TIMED_OUT: "[!]",
    StepState.INTERRUPTED: "[!]",
    StepState.UNDONE: "[<]",
}
"""A step's state at the head of its line."""

STYLES: Mapping[StepState, Style] = {
    StepState.PENDING: Style.PLAIN,
    StepState.RUNNING: Style.HEADING,
    StepState.DONE: Style.FINE,
    StepState.SKIPPED: Style.FAINT,
    StepState.BLOCKED: Style.BAD,
    StepState.FAILED: Style.BAD,
    StepState.TIMED_OUT: Style.BAD,
    StepState.INTERRUPTED: Style.WARNING,
    StepState.UNDONE: Style.FAINT,
}

LEVELS: Mapping[Level, Style] = {Level.BLOCKER: Style.BAD, Level.WARNING: Style.WARNING, Level.OK: Style.FINE}

Course = MigrationPlan | MigrationRecord


def plan_sections(plan: MigrationPlan, wide: bool) -> Iterator[Section]:
    """The checks, then what will be done; `wide` says how each step is undone, and which checks found nothing."""
    yield from head(plan)
    checks = tuple(check for step in plan.steps for check in step.checks)
    yield Text(f"Checks: {counted(checks)}", Style.HEADING, level=2)
    yield from _checks(checks, wide)
    if plan.pods:
        fates = Counter(pod.fate for pod in plan.pods)
        yield Text(f"Pods: {', '.join(f'{number} {fate}' for fate, number in sorted(fates.items()))}", Style.HEADING, level=2)
        yield from _pods(plan.pods, wide)
    yield Text("Steps", Style.HEADING, level=2)
    for step in plan.steps:
        yield from _planned(step, wide)
    yield Text(verdict(plan), Style.BAD if plan.phase is Phase.BLOCKED else Style.FINE, level=2)


def record_sections(record: MigrationRecord, wide: bool) -> Iterator[Section]:
    """Every step with its time, what went wrong, and what to know from now on."""
    yield from head(record)
    took = f" after {lasting(record.seconds)}" if record.seconds is not None else ""
    yield Text(f"{record.phase}{took}", Style.HEADING, level=2)
    for step in record.steps:
        yield from _ran(step, wide)
    if record.message:
        yield Text("What happened", Style.HEADING, level=2)
        yield from _wrapped(record.message, style=Style.BAD if record.exit_status else Style.PLAIN)
    if record.summary:
        yield Text("Summary", Style.HEADING, level=2)
        for each in record.summary:
            yield from _wrapped(each, first="- ", rest="  ")
    if record.next:
        yield Text("Next", Style.HEADING, level=2)
        yield Text(record.next, code=True)


def head(course: Course) -> Iterator[Section]:
    """Which node, how, and what of it."""
    yield Text(f"Node {course.node}: {way(course)} (profile {course.profile})", Style.HEADING, level=1)
    for each in course.devices:
        yield from _wrapped(resource(each), first="  ", rest="    ")


def way(course: Course) -> str:
    """What the run is for, in words."""
    if course.direction is Direction.ROLLBACK:
        return "back from DRA to the device plugin"
    drains = any(step.name is StepName.DRAIN for step in course.steps)
    return "from the device plugin to DRA" if drains else "proof that DRA serves it"


def resource(each: MovedResource) -> str:
    """One name and who takes over."""
    if each.dropped:
        return f"{each.devices} {each.name}: served no more here afterwards"
    return f"{each.devices} {each.name}: class {each.device_class or '(none)'}, driver {each.driver or '(not known)'}"


def counted(checks: Iterable[Check]) -> str:
    """How many of each level."""
    listed = tuple(checks)
    numbers = {level: sum(1 for check in listed if check.level is level) for level in Level}
    blockers, warnings = count(numbers[Level.BLOCKER], "blocker"), count(numbers[Level.WARNING], "warning")
    return f"{blockers}, {warnings}, {numbers[Level.OK]} ok"


def verdict(plan: MigrationPlan) -> str:
    """Whether it can begin."""
    if plan.phase is Phase.BLOCKED:
        return "Blocked: nothing was written. The blockers above have to go first."
    return "Ready: nothing was written."


def _checks(checks: Iterable[Check], wide: bool) -> Iterator[Section]:
    listed = sorted(checks, key=lambda check: tuple(Level).index(check.level))
    together: dict[tuple[Level, str], list[str]] = {}
    for check in listed:
        if check.level is not Level.OK or wide:
            together.setdefault((check.level, check.message), []).append(check.name)
    for (level, message), names in together.items():
        yield from _wrapped(f"{', '.join(names)}: {message}", first=f"  {level:<{_LABEL - 2}}", rest=" " * _LABEL, style=LEVELS[level])


def _planned(step: Step, wide: bool) -> Iterator[Section]:
    title = f"{BOXES[step.state]} {step.name}"
    if step.message:
        title += f": {step.message}"
    yield from _wrapped(title, rest=" " * 4, style=STYLES[step.state])
    if step.state in (StepState.SKIPPED, StepState.DONE) and not wide and step.name is not StepName.PREFLIGHT:
        return
    lines = [("before", step.before if wide else ""), ("does", step.does), ("waits for", step.waits_for)]
    lines += [("undone by", step.undo), ("limit", "" if step.timeout_seconds is None else lasting(step.timeout_seconds))] if wide else []
    for label, text in lines:
        if text:
            yield from _wrapped(text, first=f"    {label:<{_LABEL}}", rest=" " * (4 + _LABEL))


def _ran(step: Step, wide: bool) -> Iterator[Section]:
    took = f" ({lasting(step.seconds)})" if step.seconds is not None else ""
    message = f": {step.message}" if step.message else ""
    yield from _wrapped(f"{BOXES[step.state]} {step.name}{took}{message}", rest=" " * 4, style=STYLES[step.state])
    for check in step.checks:
        if check.level is not Level.OK or wide:
            yield from _wrapped(
                f"{check.name}: {check.message}",
                first=f"    {check.level:<{_LABEL - 2}}",
                rest=" " * (2 + _LABEL),
                style=LEVELS[check.level],
            )


def lasting(seconds: float) -> str:
    """`0s`, `41s`, `3m20s`."""
    return age(round(seconds)) or ""


def _pods(pods: Iterable[PodMove], wide: bool) -> Iterator[Section]:
    """Who leaves, and who would not; the others only when `wide`."""
    shown = [pod for pod in pods if wide or pod.fate != Action.IGNORE]
    rest = 0 if wide else max(0, len(shown) - _SHOWN_PODS)
    for pod in shown[: len(shown) - rest]:
        reason = f": {pod.reason}" if pod.reason else ""
        style = Style.BAD if pod.fate == Action.REFUSE else Style.PLAIN
        text = f"{pod.namespace}/{pod.name} of {pod.workload}{reason}"
        yield from _wrapped(text, first=f"  {pod.fate:<{_LABEL - 2}}", rest=" " * _LABEL, style=style)
    if rest:
        yield Text(f"  and {rest} more (-o wide shows all)")


def _wrapped(text: str, *, first: str = "", rest: str = "", style: Style = Style.PLAIN) -> Iterator[Section]:
    """Lines of at most 80 columns; words that are longer stand alone."""
    paragraphs = [line for line in text.splitlines() if line.strip()] or [text]
    for number, paragraph in enumerate(paragraphs):
        begin = first if number == 0 else rest
        for line in wrap(paragraph, WIDTH, initial_indent=begin, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False):
            yield Text(line, style)


PLAN: View[MigrationPlan] = View(sections=plan_sections, names=lambda plan: [f"node/{plan.node}"])
RECORD: View[MigrationRecord] = View(sections=record_sections, names=lambda record: [f"node/{record.node}"])
