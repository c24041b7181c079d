"""Pods of all kinds through the real scheduler. Before each is made, the tool says from a fresh reading which nodes can take it, what it
would get on each, or why it waits; what the scheduler then does is that.

Which nodes could take a pod that got one is in the scheduler's log, for it scores them; why none can is in the pod's condition.
"""

import json
from collections.abc import Callable

from tests.bed.cluster import Cluster
from tests.live.predictions import alpha, ground
from tests.live.predictions.pods import Meant, cases, overcommitted
from tests.live.predictions.trial import PODS, SCHEDULER, prepare, trials
from tests.run import kubectl_dra


def test_what_the_scheduler_does_was_foretold(own_cell: Callable[..., Cluster]) -> None:
    cell = own_cell(flags=SCHEDULER)
    prepare(cell, ground.nodes(), ground.objects(), ground.LAST)
    assert not trials(cell, cases())
    assert overcommitted_pools(cell) == []
    for each in ground.shrunk():
        cell.api.apply(each)
    assert not trials(cell, [overcommitted()])
    assert overcommitted_pools(cell) == ["partitions in use take more than pool c of partition.example.com has"]
    assert set(Meant) == {case.meant for case in cases()}
    held = {case.name for case in cases() if case.meant is Meant.HELD}
    assert {each["metadata"]["name"] for each in cell.api.items(PODS) if "nodeName" not in each["spec"]} == held


def test_what_a_scheduler_with_alpha_features_does_was_foretold(own_cell: Callable[..., Cluster]) -> None:
    cell = own_cell(flags=SCHEDULER, feature_gates=",".join(f"{gate}=true" for gate in alpha.GATES))
    prepare(cell, alpha.nodes(), alpha.objects(), ground.LAST)
    assert not trials(cell, alpha.cases())


def test_what_a_scheduler_without_newer_features_does_was_foretold(own_cell: Callable[..., Cluster]) -> None:
    cell = own_cell(flags=SCHEDULER, feature_gates=",".join(f"{gate}=false" for gate in alpha.NEWER))
    prepare(cell, alpha.nodes(), alpha.few_objects(), ground.LAST)
    assert not trials(cell, alpha.few_cases())


def overcommitted_pools(cell: Cluster) -> list[str]:
    """The titles of DRA306."""
    result = kubectl_dra("audit", "--select", "DRA306", "-o", "json", "--kubeconfig", str(cell.kubeconfig))
    return [each["title"] for each in json.loads(result.stdout)["findings"]]
