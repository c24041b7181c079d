"""Carries a plan out, step by step, goes on where an earlier run stopped, and leaves a record."""

from collections.abc import Callable

import msgspec

from kubectl_dra.cluster.discovery import discover
from kubectl_dra.cluster.transport import Transport
from kubectl_dra.cluster.writes import Writes
from kubectl_dra.environment import Environment
from kubectl_dra.errors import ConflictError, DraError
from kubectl_dra.exit_status import ExitStatus
from kubectl_dra.migration.canary_run import leftovers_gone
from kubectl_dra.migration.document import MigrationPlan, MigrationRecord
from kubectl_dra.migration.events import MoveObserver
from kubectl_dra.migration.failure import opened, state_of
from kubectl_dra.migration.journal import Journal
from kubectl_dra.migration.journal_writes import Journaling
from kubectl_dra.migration.lock import Lock
from kubectl_dra.migration.marks import JOURNAL
from kubectl_dra.migration.move import GoBackError, Move, RefusedError
from kubectl_dra.migration.names import FORWARD, Direction, Phase, StepName, StepState
from kubectl_dra.migration.opening import Opening, journal_of, look, new_id
from kubectl_dra.migration.options import UNCORDON_UNTIL, DryRun, OnFailure, Options
from kubectl_dra.migration.profile import Profile
from kubectl_dra.migration.reach import Reach
from kubectl_dra.migration.record import Lines
from kubectl_dra.migration.steps.table import WORK
from kubectl_dra.migration.stop import Stop, StoppedError
from kubectl_dra.migration.timing import Timing

TURNS = 5
"""Times that a run goes back to an earlier step before it gives up."""

Confirm = Callable[[MigrationPlan], None]
"""Shows the plan and asks; raises where the answer is no."""


def run(
    options: Options,
    profile: Profile,
    timing: Timing,
    transport: Transport,
    writes: Writes,
    environment: Environment,
    observe: MoveObserver,
    confirm: Confirm,
) -> MigrationRecord:
    """Move a node, or bring it back. What goes wrong after the lock was taken stands in the record, with its exit status.

    Raises what the first reading and `confirm` raise: then nothing was written. A dry run is none of its business (`rehearsal`).
    """
    if options.dry_run is not DryRun.NONE:
        raise ValueError(f"a run that writes, in a dry run ({options.dry_run})")
    stop = Stop()
    with stop.listening():
        return _Run(options, profile, timing, transport, writes, environment, observe, stop).go(confirm)


class _Run:
    """One run, from the first reading to the record."""

    def __init__(
        self,
        options: Options,
        profile: Profile,
        timing: Timing,
        transport: Transport,
        writes: Writes,
        environment: Environment,
        observe: MoveObserver,
        stop: Stop,
    ) -> None:
        self._options = options
        self._profile = profile
        self._timing = timing
        self._environment = environment
        self._observe = observe
        self._stop = stop
        self._move: Move | None = None
        self._lines = Lines(options, timing, environment.clock, observe)
        found = discover(transport)
        self._reach = Reach(transport, writes, found, timing, environment.clock, tells=self._tell, before_each=stop.check)

    def go(self, confirm: Confirm) -> MigrationRecord:
        """All of it."""
        opening = self._preflight()
        if opening.plan.phase is Phase.BLOCKED:
            return self._record(opening, Phase.BLOCKED, ExitStatus.NO, "the preflight forbids it; nothing was written")
        if StepName.PREFLIGHT in (self._options.only, self._options.until):
            return self._record(opening, Phase.PLANNED, ExitStatus.OK, "nothing was written")
        confirm(opening.plan)
        id_ = opening.target.open_journal.id if opening.target.open_journal else new_id()
        lock = Lock(self._reach, self._options.node, id_, self._timing, self._environment.clock)
        try:
            done = self._locked(opening, lock, id_)
        except DraError as error:
            self._lines.end(StepState.FAILED, error.message)
            done = self._record(opening, self._phase(), error.status, error.message, hint=error.hint)
        except BaseException:
            lock.stop()
            raise
        try:
            lock.release()
        except DraError as error:
            words = f"the lock could not be released ({error.message}); it runs out by itself"
            return msgspec.structs.replace(done, summary=(*done.summary, words))
        return done

    # beginning

    def _look(self, options: Options, opening: Opening | None = None) -> Opening:
        """Read and plan; what was asked of the server for `opening` is not asked again."""
        facts = opening.facts if opening is not None else None
        found = look(options, self._profile, self._timing, self._reach, self._environment, facts)
        self._lines.take(found.plan)
        return found

    def _preflight(self) -> Opening:
        self._lines.begin(StepName.PREFLIGHT)
        opening = self._look(self._options)
        self._lines.checks()
        self._lines.end(StepState.BLOCKED if opening.plan.phase is Phase.BLOCKED else StepState.DONE)
        return opening

    def _locked(self, opening: Opening, lock: Lock, id_: str) -> MigrationRecord:
        """Everything behind the lock: what was decided by is read again first."""
        self._lines.begin(StepName.LOCK)
        lock.take(force=self._options.force_unlock, tell=self._tell, before_each=self._stop.check)
        opening = self._look(self._options, opening)
        self._lines.end(StepState.DONE, "and everything read again")
        if opening.plan.phase is Phase.BLOCKED:
            return self._record(opening, Phase.BLOCKED, ExitStatus.NO, "what has changed since forbids it; nothing was written")
        if self._is_over(opening):
            back = self._options.direction is Direction.ROLLBACK
            words = "the node is back on the plugin already" if back else "the node is moved already"
            return self._record(opening, Phase.RETURNED if back else Phase.MOVED, ExitStatus.OK, words)
        move = self._move = self._moving(opening, self._options, lock, id_)
        try:
            self._journal(move)
            self._all(move)
            if not move.options.verify:
                move.journal.flush()
        except DraError as error:
            return self._failed(opening, move, error)
        over = move.written.finished or move.options.verify
        return self._record(opening, self._phase(), ExitStatus.OK, "" if over else "stopped as asked; without --until it goes on")

    def _is_over(self, opening: Opening) -> bool:
        """Whether an earlier run got to its end in this direction, and only its lock was left."""
        journal = opening.target.journal
        done = isinstance(journal, Journal) and journal.finished and journal.direction is self._options.direction
        return done and not self._options.verify

    def _moving(self, opening: Opening, options: Options, lock: Lock, id_: str) -> Move:
        clock, text = self._environment.clock, (opening.target.node.metadata.annotations or {}).get(JOURNAL)
        journal = Journaling(self._reach, options.node, clock, journal_of(opening.target, clock, id_), text)
        return Move(
            options,
            self._timing,
            self._environment,
            self._reach,
            self._stop,
            self._observe,
            snapshot=opening.snapshot,
            target=opening.target,
            journal=journal,
            lock=lock,
        )

    def _journal(self, move: Move) -> None:
        """The first entry, with the autoscalers' annotations, in one write."""
        if move.options.verify:
            return
        self._lines.begin(StepName.JOURNAL)
        move.begin(StepName.JOURNAL)
        resumed = move.target.open_journal is not None
        move.journal.begin({} if resumed else dict.fromkeys(move.written.before.annotations, "true"))
        if resumed:
            leftovers_gone(move)
        self._lines.end(StepState.DONE, f"journal {move.id}" + (" of an earlier run" if resumed else ""))

    # the steps

    def _all(self, move: Move) -> None:
        order = [name for name in self._lines.steps if name in WORK]
        turns, index = 0, 0
        while index < len(order):
            try:
                self._one(move, order[index])
                index += 1
            except GoBackError as back:
                turns += 1
                if turns > TURNS or back.step not in order:
                    raise
                self._lines.end(StepState.PENDING, back.message)
                move.say(back.message)
                index = order.index(back.step)
                move.journal.forget(order[index:])

    def _one(self, move: Move, name: StepName) -> None:
        """A step: left out, still so from an earlier run, or done now."""
        step, work = self._lines.steps[name], WORK[name]
        move.begin(name)
        if step.state is StepState.SKIPPED:
            # `--only` rests on what earlier runs have done
            why = work.holds(move) if move.written.state(name) is StepState.DONE else ""
            if why:
                raise RefusedError(f"{name} was done by an earlier run, and is so no more: {why}", hint="run without --only")
            return
        if step.state is StepState.DONE and move.written.state(name) is StepState.DONE:
            why = work.holds(move)
            if not why:
                return
            move.say(f"step {name} is done again: {why}")
        self._lines.begin(name, resumed=move.written.state(name) is not StepState.PENDING)
        move.guard()
        work.check(move)
        work.do(move)
        told = work.wait(move)
        if not move.written.finished:
            move.journal.mark(name, StepState.DONE, told)
        self._lines.end(StepState.DONE, told)

    # what goes wrong

    def _failed(self, opening: Opening, move: Move, error: DraError) -> MigrationRecord:
        """Note it down, do as `--on-failure` says, and tell how to go on."""
        step, state = self._lines.step, state_of(error)
        self._lines.end(state, error.message)
        self._noted(move, state, error)
        if not isinstance(error, StoppedError | ConflictError) and not move.back:
            self._on_failure(opening, move, step)
        return self._record(opening, self._phase(), error.status, f"step {step}: {error.message}", hint=error.hint)

    def _noted(self, move: Move, state: StepState, error: DraError) -> None:
        """The journal has it, if it can be written; a rerun finds its way without."""
        if move.options.verify or isinstance(error, ConflictError):
            return
        try:
            move.journal.mark(self._lines.step, state, error.message[:200])
            move.journal.flush()
        except DraError as second:
            move.notes.summary.append(f"the journal could not be written ({second.message}); a rerun finds its way all the same")

    def _on_failure(self, opening: Opening, move: Move, step: StepName) -> None:
        untouched = step in FORWARD[: FORWARD.index(UNCORDON_UNTIL) + 1]
        match move.options.on_failure:
            case OnFailure.KEEP:
                pass
            case OnFailure.UNCORDON if untouched:
                move.notes.summary.append(opened(move))
            case OnFailure.UNCORDON:
                move.notes.summary.append("--on-failure=uncordon means keep from step unplug on: the node stays closed")
            case OnFailure.ROLLBACK:
                move.notes.summary.append(self._rolled_back(opening, move))

    def _rolled_back(self, opening: Opening, move: Move) -> str:
        """The way back, under the same lock; its lines stand before those of the move that it has not."""
        failed = dict(self._lines.steps)
        options = msgspec.structs.replace(self._options, direction=Direction.ROLLBACK, on_failure=OnFailure.KEEP, until=None, only=None)
        try:
            back = self._look(options, opening)
            if back.plan.phase is Phase.BLOCKED:
                return "the way back is blocked: " + "; ".join(check.message for check in back.plan.blockers)
            returning = self._moving(back, options, move.lock, move.id)
            returning.notes = move.notes
            self._move = returning
            self._journal(returning)
            self._all(returning)
            return "rolled back: the node is on the plugin again"
        except DraError as error:
            self._lines.end(state_of(error), error.message)
            return f"the way back failed in step {self._lines.step}: {error.message}"
        finally:
            self._lines.steps |= {name: step for name, step in failed.items() if name not in self._lines.steps}

    # the record

    def _phase(self) -> Phase:
        move = self._move
        if move is None:
            return Phase.NONE
        if move.options.verify:
            return Phase.MOVED
        back = move.written.direction is Direction.ROLLBACK
        if move.written.finished:
            return Phase.RETURNED if back else Phase.MOVED
        return Phase.RETURNING if back else Phase.MOVING

    def _record(self, opening: Opening, phase: Phase, status: ExitStatus, message: str, *, hint: str = "") -> MigrationRecord:
        move = self._move
        journal, summary = (move.id, tuple(move.notes.summary)) if move is not None else ("", ())
        return self._lines.record(opening.plan, phase, status, message, hint=hint, journal=journal, summary=summary)

    def _tell(self, message: str, waited: float, left: float | None) -> None:
        if self._move is not None:
            self._move.tell(message, waited, left)
        else:
            self._lines.tell(message, waited, left)
