"""The lines of a run as they come about: told to an observer, and in the end its record."""

from collections.abc import Mapping

import msgspec

from kubectl_dra.environment import Clock
from kubectl_dra.exit_status import ExitStatus
from kubectl_dra.migration.document import MigrationPlan, MigrationRecord, Step
from kubectl_dra.migration.events import MoveObserver, StepChecked, StepEnded, StepStarted, StepWaits
from kubectl_dra.migration.names import Phase, StepName, StepState
from kubectl_dra.migration.options import Options
from kubectl_dra.migration.timing import Timing


class Lines:
    """The steps of one run, in the plan's order; `step` is the one that is being done."""

    def __init__(self, options: Options, timing: Timing, clock: Clock, observe: MoveObserver) -> None:
        """No step has begun."""
        self._options = options
        self._timing = timing
        self._clock = clock
        self._observe = observe
        self._began = self._step_began = clock.monotonic()
        self._started_at = self._at()
        self.steps: dict[StepName, Step] = {}
        self.step = StepName.PREFLIGHT

    def take(self, plan: MigrationPlan) -> None:
        """The plan's lines; of what this run has done already, how it went stays."""
        done = {name: step for name, step in self.steps.items() if step.started_at is not None}
        self.steps = {step.name: _went(step, done.get(step.name)) for step in plan.steps}

    def begin(self, name: StepName, *, resumed: bool = False) -> None:
        """A step begins; `resumed` when an earlier run began it."""
        self.step, self._step_began = name, self._clock.monotonic()
        at = self._at()
        step = self.steps.get(name, Step(name=name))
        self.steps[name] = msgspec.structs.replace(step, state=StepState.RUNNING, started_at=at, seconds=None, message="")
        self._observe(StepStarted(at=at, step=name, resumed=resumed, limit=self._options.limit(name, self._timing)))

    def end(self, state: StepState, message: str = "") -> None:
        """The step that is being done has ended; nothing happens if none is."""
        step = self.steps.get(self.step, Step(name=self.step))
        if step.state is not StepState.RUNNING:
            return
        seconds = round(self._clock.monotonic() - self._step_began, 1)
        self.steps[self.step] = msgspec.structs.replace(step, state=state, seconds=seconds, message=message)
        self._observe(StepEnded(at=self._at(), step=self.step, state=state, seconds=seconds, message=message))

    def checks(self) -> None:
        """Tell the checks of the step that is being done."""
        for check in self.steps[self.step].checks:
            self._observe(StepChecked(at=self._at(), step=self.step, check=check))

    def tell(self, message: str, waited: float, left: float | None) -> None:
        """It waits."""
        rest = None if left is None else round(left, 1)
        self._observe(StepWaits(at=self._at(), step=self.step, message=message, waited=round(waited, 1), left=rest))

    def record(
        self,
        plan: MigrationPlan,
        phase: Phase,
        status: ExitStatus,
        message: str,
        *,
        hint: str = "",
        journal: str = "",
        summary: tuple[str, ...] = (),
    ) -> MigrationRecord:
        """All of it. `journal` is the journal's id."""
        return MigrationRecord(
            node=plan.node,
            profile=plan.profile,
            direction=plan.direction,
            resources=plan.resources,
            devices=plan.devices,
            phase=phase,
            steps=tuple(self.steps.values()),
            pods=plan.pods,
            id=journal or plan.id,
            cluster=plan.cluster,
            started_at=self._started_at,
            seconds=round(self._clock.monotonic() - self._began, 1),
            exit_status=int(status),
            message=message,
            next=self._next(phase, status, hint),
            until=self._options.until,
            summary=summary,
        )

    def _next(self, phase: Phase, status: ExitStatus, hint: str) -> str:
        """Lines to paste: what to look at as a comment, then the command that goes on, and the one that goes back."""
        command = self._options.command
        ways: Mapping[Phase, tuple[str, ...]] = {
            Phase.MOVING: (f"{command} --yes  # goes on", f"{command} --rollback --yes  # goes back"),
            Phase.RETURNING: (f"{command} --rollback --yes  # goes on",),
        }
        return "\n".join((*((f"# {hint}",) if hint and status else ()), *ways.get(phase, ())))

    def _at(self) -> str:
        return self._clock.now().strftime("%Y-%m-%dT%H:%M:%SZ")


def _went(planned: Step, done: Step | None) -> Step:
    """A line of the plan with what this run has to say of it."""
    if done is None:
        return planned
    return msgspec.structs.replace(planned, state=done.state, started_at=done.started_at, seconds=done.seconds, message=done.message)
