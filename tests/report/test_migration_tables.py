"""How plans, records and states of a move look."""

from collections.abc import Iterable
from typing import Any

import pytest
from msgspec.structs import replace

from kubectl_dra.migration.document import Check, MigrationPlan, MigrationRecord, MigrationStatus, MovedResource, NodeStatus, PodMove, Step
from kubectl_dra.migration.names import Direction, Level, Phase, StepName, StepState
from kubectl_dra.report import layout
from kubectl_dra.report.tables.migration import PLAN, RECORD
from kubectl_dra.report.tables.migration_status import STATUS
from kubectl_dra.report.tables.runbook import LOG, RUNBOOK
from kubectl_dra.report.view import View
from tests import move_picture

FAILED = MigrationRecord(
    node="gpu-1",
    profile="example",
    resources=("example.com/gpu",),
    devices=(MovedResource("example.com/gpu", 4, "gpu.example.com", "gpu.example.com"), MovedResource("example.com/old", 2, dropped=True)),
    phase=Phase.MOVING,
    steps=(
        Step(name=StepName.CORDON, state=StepState.DONE, seconds=0.4),
        Step(
            name=StepName.DRAIN,
            state=StepState.TIMED_OUT,
            seconds=3600,
            checks=(Check("budgets", Level.WARNING, "web-1: budget web allows no disruption now"),),
            message="team/web-1 is still there",
        ),
        Step(name=StepName.EMPTY),
    ),
    seconds=3601,
    exit_status=4,
    message="step drain: team/web-1 may not be evicted: the budget web allows no disruption",
    next="# a budget that never yields is its owner's to change\nkubectl dra migrate-node gpu-1 --profile example --yes  # goes on",
)


def lines(view: View[Any], document: object, *, wide: bool = False) -> list[str]:
    return list(layout.lines(view.sections(document, wide), lambda text, style: text, wide=wide, headers=True))


def markdown(view: View[Any], document: object) -> str:
    return "\n".join(layout.markdown(view.sections(document, True)))


def test_a_run_that_failed_says_where_why_and_what_next() -> None:
    assert lines(RECORD, FAILED) == [
        "Node gpu-1: from the device plugin to DRA (profile example)",
        "  4 example.com/gpu: class gpu.example.com, driver gpu.example.com",
        "  2 example.com/old: served no more here afterwards",
        "",
        "moving after 60m",
        "[x] cordon (0s)",
        "[!] drain (60m): team/web-1 is still there",
        "    warning  budgets: web-1: budget web allows no disruption now",
        "[ ] empty",
        "",
        "What happened",
        "step drain: team/web-1 may not be evicted: the budget web allows no disruption",
        "",
        "Next",
        "    # a budget that never yields is its owner's to change",
        "    kubectl dra migrate-node gpu-1 --profile example --yes  # goes on",
    ]


@pytest.mark.parametrize("name", ["move", "back"])
@pytest.mark.parametrize("wide", [False, True])
def test_records_fit_eighty_columns(name: str, wide: bool) -> None:
    assert [line for line in lines(RECORD, move_picture.record(name), wide=wide) if len(line) > 80] == []


def test_a_record_as_a_page_of_a_log() -> None:
    page = markdown(LOG, FAILED)
    assert page.startswith("# Node gpu-1: from the device plugin to DRA: moving\n")
    assert "| drain | timed out | - | 60m | team/web-1 is still there |" in page
    assert "```\n# a budget that never yields is its owner's to change\nkubectl dra migrate-node gpu-1" in page


def plan(pods: Iterable[PodMove] = (), checks: tuple[Check, ...] = (), **more: Any) -> MigrationPlan:
    steps = (Step(name=StepName.PREFLIGHT, checks=checks), Step(name=StepName.DRAIN, does="evicts"))
    return MigrationPlan(node="a", profile="example", phase=Phase.PLANNED, steps=steps, pods=tuple(pods), **more)


def test_checks_with_the_same_words_stand_together_the_worst_first() -> None:
    checks = (
        Check("pod-size", Level.WARNING, "not known"),
        Check("drain", Level.BLOCKER, "a pod would be lost"),
        Check("quotas", Level.WARNING, "not known"),
        Check("kubelet", Level.OK, "new enough"),
    )
    shown = lines(PLAN, plan(checks=checks))
    assert shown[2:5] == [
        "Checks: 1 blocker, 2 warnings, 1 ok",
        "  blocker  drain: a pod would be lost",
        "  warning  pod-size, quotas: not known",
    ]
    assert "  ok       kubelet: new enough" in lines(PLAN, plan(checks=checks), wide=True)


def test_many_pods_are_counted_and_few_are_shown() -> None:
    pods = [PodMove("team", f"web-{number:02}", "Deployment/web", "evict", "") for number in range(30)]
    pods.append(PodMove("kube-system", "proxy", "DaemonSet/proxy", "ignore", "of DaemonSet proxy"))
    shown = lines(PLAN, plan(pods))
    assert "Pods: 30 evict, 1 ignore" in shown
    assert "  and 10 more (-o wide shows all)" in shown
    assert not any("proxy" in line for line in shown)
    assert sum("Deployment/web" in line for line in lines(PLAN, plan(pods), wide=True)) == 30
    assert "  ignore   kube-system/proxy of DaemonSet/proxy: of DaemonSet proxy" in lines(PLAN, plan(pods), wide=True)


def test_names_reach_no_markdown_as_markup() -> None:
    page = markdown(RUNBOOK, plan([PodMove("team", "a|b*c*", "x", "evict", "<script>")], command="kubectl dra migrate-node a"))
    assert "| team/a\\|b\\*c\\* | x | evict | &lt;script> |" in page


def test_the_way_back_has_its_own_commands() -> None:
    page = markdown(RUNBOOK, plan(direction=Direction.ROLLBACK, command="kubectl dra migrate-node a --profile example"))
    assert "kubectl dra migrate-node a --profile example --rollback --yes --record a.json" in page
    assert "--verify" not in page


def test_states_of_nodes() -> None:
    node = NodeStatus(
        node="a", phase=Phase.MOVING, step=StepName.DRAIN, state=StepState.FAILED, cordoned=True, message="stopped: drain failed"
    )
    status = MigrationStatus(
        items=(node, replace(node, node="b", leftovers=("taint x on node b",), next="kubectl x")), unknown=("Lease: no",)
    )
    assert lines(STATUS, status) == [
        "NODE   PHASE    STEP           CORDONED   FENCED   LOCK",
        "a      moving   drain failed   yes        no       <none>",
        "b      moving   drain failed   yes        no       <none>",
        "",
        "a: stopped: drain failed",
        "",
        "b: stopped: drain failed",
        "  left over: taint x on node b",
        "    kubectl x",
        "not known: Lease: no",
    ]
