"""The plan of the way back, from every state that a move can have left."""

import pytest

from kubectl_dra.migration.document import MigrationPlan
from kubectl_dra.migration.journal import Journal
from kubectl_dra.migration.names import BACKWARD, FORWARD, Direction, Phase, StepName, StepState
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.snapshot import Snapshot
from tests.factories import GPU, resource_slice
from tests.migration.given import MOVED, cluster, driver_pod, gpu_node, journal, planned, plugin_pod, with_journal

PROOFS = {StepName.DRAIN, StepName.CLAIMS, StepName.RECHECK}
BACK = {"direction": Direction.ROLLBACK}


def moved(of: Journal | None, *, driver: bool = True) -> Snapshot:
    """Node a with the driver and that journal."""
    a: Node = gpu_node("a", None, allocatable={GPU: 0}, labels=MOVED)
    there = (resource_slice("a", 4), driver_pod()) if driver else ()
    return cluster(*there, a=with_journal(a, of) if of else a, plugin=False)


def on_plugin(of: Journal, *, driver: bool = False) -> Snapshot:
    """Node a still with its plugin."""
    there = (resource_slice("a", 4),) if driver else ()
    return cluster(*there, plugin_pod("b"), a=with_journal(gpu_node("a"), of))


def skipped(plan: MigrationPlan) -> set[StepName]:
    return {step.name for step in plan.steps if step.state is StepState.SKIPPED}


def back(of: Snapshot) -> MigrationPlan:
    return planned(of, **BACK)  # type: ignore[arg-type]


def test_a_node_that_was_moved() -> None:
    plan = back(moved(journal(finished=True)))
    assert (plan.phase, plan.direction) == (Phase.PLANNED, Direction.ROLLBACK)
    assert tuple(step.name for step in plan.steps) == BACKWARD
    assert skipped(plan) == set()
    assert plan.devices[0].devices == 4, "capacity as the journal recorded it"


def test_a_node_that_was_moved_by_hand_is_undone_in_full() -> None:
    assert skipped(back(moved(None))) == set()


@pytest.mark.parametrize("begun", [StepName.PLUG, StepName.SLICES, StepName.CLASS, StepName.CANARY, StepName.UNCORDON, StepName.CLOSE])
def test_a_move_that_got_to_the_driver_is_undone_in_full(begun: StepName) -> None:
    done = FORWARD[3 : FORWARD.index(begun)]
    assert skipped(back(moved(journal(*done, begun=begun)))) == set()


@pytest.mark.parametrize("begun", [StepName.UNPLUG, StepName.ZERO, StepName.FORGET, StepName.SETTLE])
def test_a_move_between_plugin_and_driver_only_brings_the_plugin_back(begun: StepName) -> None:
    done = FORWARD[3 : FORWARD.index(begun)]
    plan = back(moved(journal(*done, begun=begun), driver=False))
    assert skipped(plan) == {*PROOFS, StepName.REMOVE, StepName.GONE}
    assert {StepName.REPLUG, StepName.CAPACITY, StepName.CANARY, StepName.UNCORDON}.isdisjoint(skipped(plan))


def test_a_driver_that_was_there_before_stays_but_its_claims_must_go() -> None:
    """The plugin's devices would be given twice."""
    plan = back(moved(journal(StepName.CORDON, StepName.DRAIN, begun=StepName.UNPLUG)))
    assert skipped(plan) == {StepName.REMOVE, StepName.GONE}


@pytest.mark.parametrize("begun", [StepName.CORDON, StepName.DRAIN, StepName.EMPTY])
@pytest.mark.parametrize("driver", [False, True])
def test_a_move_that_never_took_the_plugin_away_only_opens_the_node(begun: StepName, driver: bool) -> None:
    done = FORWARD[3 : FORWARD.index(begun)]
    plan = back(on_plugin(journal(*done, begun=begun), driver=driver))
    assert skipped(plan) == {*PROOFS, StepName.REMOVE, StepName.GONE, StepName.REPLUG, StepName.CAPACITY, StepName.CANARY}


def test_a_move_that_wrote_only_its_journal_has_nothing_to_undo() -> None:
    plan = back(on_plugin(journal()))
    assert {step.name for step in plan.steps} - skipped(plan) == {StepName.PREFLIGHT, StepName.LOCK, StepName.JOURNAL, StepName.CLOSE}


@pytest.mark.parametrize("number", range(3, len(BACKWARD)))
def test_a_way_back_that_stopped_anywhere_goes_on_there(number: int) -> None:
    of = journal(*BACKWARD[3:number], direction=Direction.ROLLBACK, begun=BACKWARD[number], done=FORWARD)
    plan = back(moved(of))
    again = {StepName.CLAIMS, StepName.RECHECK, StepName.CLOSE}
    done = {step.name for step in plan.steps if step.state is StepState.DONE}
    assert done == {StepName.PREFLIGHT, *BACKWARD[3:number]} - again
    assert skipped(plan) == set()


def test_what_the_move_had_done_is_remembered_by_the_way_back() -> None:
    of = journal(
        StepName.CORDON, direction=Direction.ROLLBACK, begun=StepName.REPLUG, done=(StepName.CORDON, StepName.DRAIN, StepName.UNPLUG)
    )
    assert skipped(back(moved(of, driver=False))) == {*PROOFS, StepName.REMOVE, StepName.GONE}


def test_a_failed_step_counts_as_begun() -> None:
    """It may have changed something before it failed."""
    from kubectl_dra.migration.journal import Mark

    failed = Mark(step=StepName.PLUG, state=StepState.FAILED, at="2026-01-02T02:30:00Z")
    of = journal(*FORWARD[3:10])
    from msgspec.structs import replace

    assert skipped(back(moved(replace(of, steps=(*of.steps, failed))))) == set()


def test_texts() -> None:
    plan = back(moved(journal(finished=True)))
    by_name = {step.name: step for step in plan.steps}
    assert by_name[StepName.REMOVE].does == "remove label example.com/dra-driver from node a"
    assert by_name[StepName.REPLUG].does.endswith("set label example.com/device-plugin=true on node a")
    assert by_name[StepName.CAPACITY].waits_for.startswith("capacity and allocatable as recorded: 4 of example.com/gpu")
    assert "a DeviceTaintRule NoSchedule on each of the driver's pools" in by_name[StepName.CORDON].does
    assert "with a device from the plugin" in by_name[StepName.CANARY].waits_for
