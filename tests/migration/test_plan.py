"""The plan of a move, from wherever the node stands."""

import pytest

from kubectl_dra.eviction.filters import DaemonSetPods, DrainMode, DrainOptions
from kubectl_dra.migration.document import MigrationPlan
from kubectl_dra.migration.journal import Journal
from kubectl_dra.migration.names import FORWARD, VERIFICATION, Direction, Phase, StepName, StepState
from kubectl_dra.migration.options import CanaryOptions
from kubectl_dra.migration.profile_files import find
from kubectl_dra.objects.pod import Pod
from tests.factories import GPU, device_class, resource_slice
from tests.migration.given import ASKED, cluster, gpu_node, journal, planned, web, with_journal


def states(plan: MigrationPlan) -> dict[StepName, StepState]:
    return {step.name: step.state for step in plan.steps}


def skipped(plan: MigrationPlan) -> dict[StepName, str]:
    return {step.name: step.message for step in plan.steps if step.state is StepState.SKIPPED}


def texts(plan: MigrationPlan, name: StepName) -> tuple[str, str, str, str]:
    step = next(each for each in plan.steps if each.name is name)
    return step.before, step.does, step.waits_for, step.undo


def test_a_fresh_node() -> None:
    plan = planned(cluster(web()))
    assert (plan.phase, plan.node, plan.profile, plan.direction, plan.id) == (Phase.PLANNED, "a", "example", Direction.MOVE, "")
    assert states(plan) == {StepName.PREFLIGHT: StepState.DONE, **dict.fromkeys(FORWARD[1:], StepState.PENDING)}
    assert tuple(step.name for step in plan.steps) == FORWARD
    assert plan.command == "kubectl dra migrate-node a"


def test_a_blocker_blocks_all_of_it_and_stands_at_the_preflight() -> None:
    plan = planned(cluster(device_class("newer", GPU)))
    assert plan.phase is Phase.BLOCKED
    assert plan.steps[0].state is StepState.BLOCKED
    assert [check.name for check in plan.blockers] == ["one-class"]
    assert all(not step.checks for step in plan.steps[1:])


@pytest.mark.parametrize("number", range(3, len(FORWARD)))
def test_a_run_that_stopped_at_any_step_goes_on_there(number: int) -> None:
    """What only proves something is done anew; what changed something is done."""
    node = with_journal(gpu_node("a", allocatable={GPU: 0}), journal(*FORWARD[3:number], begun=FORWARD[number]))
    plan = planned(cluster(a=node, plugin=number < FORWARD.index(StepName.UNPLUG)))
    found = states(plan)
    again = {StepName.EMPTY, StepName.CLOSE}
    assert {name for name in FORWARD if found[name] is StepState.DONE} == {StepName.PREFLIGHT, *FORWARD[3:number]} - again
    assert {name for name in FORWARD if found[name] is StepState.PENDING} == {
        StepName.LOCK,
        StepName.JOURNAL,
        *FORWARD[number:],
        *(again & set(FORWARD[3:number])),
    }
    assert plan.id == "j1"
    assert plan.devices[0].devices == 4, "as many as the journal says"


def test_every_step_says_what_it_is_about() -> None:
    plan = planned(cluster(web()))
    for step in plan.steps:
        assert step.does or step.waits_for, step.name
        assert step.timeout_seconds is not None, step.name


def test_texts_name_the_objects() -> None:
    plan = planned(cluster(web(), resource_slice("a", 4)))
    assert texts(plan, StepName.UNPLUG) == (
        "the node is empty",
        "set label example.com/device-plugin=false on node a",
        "the plugin's pod to be gone",
        "set label example.com/device-plugin=true on node a",
    )
    assert texts(plan, StepName.PLUG)[1] == "lifts the fence's taint, leaves the cordon; set label example.com/dra-driver=true on node a"
    assert texts(plan, StepName.SLICES)[2].endswith("with at least 4 of example.com/gpu")
    assert "a DeviceTaintRule NoSchedule on each of the driver's pools here" in texts(plan, StepName.CORDON)[1]
    assert "(image: registry.example/tool:1)" in texts(plan, StepName.CANARY)[1]


def test_without_the_driver_there_no_rule_is_made() -> None:
    assert "DeviceTaintRule" not in texts(planned(cluster(web())), StepName.CORDON)[1]


def test_a_cordoned_node_stays_so() -> None:
    plan = planned(cluster(a=gpu_node("a", cordoned=True)))
    assert texts(plan, StepName.UNCORDON)[1] == "leaves the node cordoned, as it was; takes the fence away"
    assert texts(plan, StepName.CORDON)[3] == "the node stays cordoned"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (DrainOptions(ignore_daemonsets=True), "evicts all pods but those of DaemonSets, static and ended ones (1 pod now)"),
        (DrainOptions(mode=DrainMode.HOLDERS), "evicts the pods that hold devices of the plugin (1 pod now)"),
        (DrainOptions(ignore_daemonsets=True, disable_eviction=True), "deletes all pods"),
        (DrainOptions(ignore_daemonsets=True, daemonset_pods=DaemonSetPods.DELETE), "and deletes DaemonSets' pods that hold a device"),
        (DrainOptions(mode=DrainMode.WAIT), "evicts nobody"),
    ],
)
def test_drains(options: DrainOptions, words: str) -> None:
    assert words in texts(planned(cluster(web()), drain=options), StepName.DRAIN)[1]


def test_fates_of_pods() -> None:
    plan = planned(cluster(web()))
    assert [(pod.name, pod.workload, pod.fate, pod.reason) for pod in plan.pods] == [
        ("web-1", "ReplicaSet/web", "evict", ""),
        ("plugin-a", "DaemonSet/plugin", "ignore", "the device plugin itself"),
    ]


# what is left out


def test_new_kubelets_need_no_forget() -> None:
    of = cluster(a=gpu_node("a", kubelet="v1.38.0"))
    assert skipped(planned(of)) == {StepName.FORGET: "kubelet v1.38.0 forgets plugin pods by itself"}
    assert skipped(planned(cluster())) == {}


def test_a_topology_policy_forgets_by_itself() -> None:
    from msgspec.structs import replace

    facts = replace(ASKED, topology_manager="single-numa-node")
    assert skipped(planned(cluster(), facts=facts)) == {
        StepName.FORGET: "topology manager policy single-numa-node: the kubelet forgets plugin pods by itself"
    }


def test_no_canary() -> None:
    assert skipped(planned(cluster(), canary=CanaryOptions(skip=True))) == {StepName.CANARY: "--no-canary"}


def test_nothing_but_dropped_names() -> None:
    plan = planned(cluster(), dropped=(GPU,))
    assert plan.phase is Phase.BLOCKED, "there has to be something to move"
    assert set(skipped(plan)) == {StepName.SLICES, StepName.CLASS, StepName.CANARY}


def test_parts() -> None:
    assert set(skipped(planned(cluster(), only=StepName.PREFLIGHT))) == set(FORWARD[1:])
    assert set(skipped(planned(cluster(), only=StepName.DRAIN))) == set(FORWARD[3:]) - {StepName.DRAIN}
    until = planned(cluster(), until=StepName.DRAIN)
    assert skipped(until) == dict.fromkeys(FORWARD[5:], "--until=drain")


def test_limits() -> None:
    def limits(**options: object) -> dict[StepName, float | None]:
        return {step.name: step.timeout_seconds for step in planned(cluster(), **options).steps}  # type: ignore[arg-type]

    assert limits()[StepName.DRAIN] == 3600
    assert limits(drain_timeout=0.0)[StepName.DRAIN] is None, "kubectl's --timeout=0 waits for ever"
    waiting = DrainOptions(mode=DrainMode.WAIT)
    assert limits(drain=waiting)[StepName.DRAIN] == 7 * 24 * 3600, "training takes days"
    assert limits(drain=waiting, drain_timeout=90.0)[StepName.DRAIN] == 90
    assert limits(drain_timeout=90.0)[StepName.DRAIN] == 90
    changed = limits(step_timeouts={StepName.SETTLE: 420.0})
    assert (changed[StepName.SETTLE], changed[StepName.ZERO]) == (420, 300)


def test_accepted_zero_is_settled_sooner() -> None:
    waits = texts(planned(cluster(), accept_allocatable_zero=True), StepName.SETTLE)
    assert waits[0] == "forget is done"
    assert waits[2].startswith("allocatable 0 for 60 s")


def test_verification_leaves_the_node_open() -> None:
    node = with_journal(gpu_node("a", None, labels={"example.com/dra-driver": "true"}), journal(finished=True))
    plan = planned(cluster(resource_slice("a", 4), a=node, plugin=False), verify=True)
    assert tuple(step.name for step in plan.steps) == VERIFICATION
    assert not {StepName.CORDON, StepName.DRAIN, StepName.UNPLUG} & {step.name for step in plan.steps}
    assert plan.phase is Phase.PLANNED
    assert not {"drain", "five-minutes", "driver-only-here"} & {check.name for check in plan.steps[0].checks}


def test_a_node_that_was_moved_by_hand_is_verified_by_name() -> None:
    of = cluster(resource_slice("a", 4), a=gpu_node("a", None), plugin=False)
    assert [check.name for check in planned(of, verify=True).blockers] == ["resources"]
    assert planned(of, verify=True, resources=(GPU,), expect_devices=4).blockers == ()


@pytest.mark.parametrize("of", [journal(begun=StepName.DRAIN), journal(finished=True, direction=Direction.ROLLBACK)])
def test_only_a_finished_move_is_verified(of: Journal) -> None:
    plan = planned(cluster(a=with_journal(gpu_node("a"), of)), verify=True)
    assert [check.message for check in plan.blockers] == ["the node is not moved: --verify proves a move that was finished"]


def test_what_a_person_does_is_said() -> None:
    plan = planned(cluster(plugin=False), profile=find("manual"))
    assert texts(plan, StepName.UNPLUG) == (
        "the node is empty",
        "stop the device plugin on node a, for good",
        "allocatable 0, once that is done",
        "start the device plugin on node a again",
    )


def test_pods_of_other_nodes_are_none_of_its_business() -> None:
    other: Pod = web("elsewhere", node="b")
    assert [pod.name for pod in planned(cluster(other)).pods] == ["plugin-a"]
