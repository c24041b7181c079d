"""The inventory by workload: the top of the owner chain, also at zero."""

from msgspec.structs import replace

from kubectl_dra.inventory.document import WorkloadItem
from kubectl_dra.inventory.scope import Scope
from kubectl_dra.inventory.workloads import by_workload
from kubectl_dra.objects.labels import parse
from kubectl_dra.objects.snapshot import Snapshot
from kubectl_dra.objects.workload import WorkloadCondition, WorkloadStatus
from tests.factories import GPU, custom_workload, pod, snapshot, workload


def rows(taken: Snapshot, scope: Scope | None = None) -> list[tuple[str, str, int | None, int | None, int, bool]]:
    return [
        (item.kind, item.name, item.replicas, item.pods, item.resources[GPU], item.at_zero)
        for item in by_workload(taken, scope).items
        if isinstance(item, WorkloadItem)
    ]


def test_the_deployment_and_not_its_replica_set() -> None:
    taken = snapshot(
        pod("web-1-a", 2, owner=("ReplicaSet", "web-1")),
        replica_sets=[
            workload("web-1", 2, replicas=1, owner=("Deployment", "web")),
            workload("web-0", 8, replicas=0, owner=("Deployment", "web")),
        ],
        deployments=[workload("web", 2, replicas=1)],
    )
    assert rows(taken) == [("Deployment", "web", 1, 1, 2, False)]


def test_the_cron_job_and_not_its_job() -> None:
    taken = snapshot(
        pod("night-1-a", 1, owner=("Job", "night-1")),
        jobs=[workload("night-1", 1, owner=("CronJob", "night"))],
        cron_jobs=[workload("night", 1, cron=True), workload("idle", 2, cron=True)],
    )
    assert rows(taken) == [("CronJob", "idle", 1, 0, 2, True), ("CronJob", "night", 1, 1, 1, False)]


def test_a_custom_owner_that_cannot_be_read_is_known_by_kind_and_name() -> None:
    taken = snapshot(
        pod("train-0", 8, owner=("Job", "train-workers-0")),
        pod("other", 1, owner=("FancyJob", "fancy")),
        jobs=[workload("train-workers-0", 8, owner=("JobSet", "train"))],
    )
    assert rows(taken) == [("FancyJob", "fancy", None, 1, 1, False), ("JobSet", "train", None, 1, 8, False)]


def test_at_zero_and_suspended_count_as_users() -> None:
    taken = snapshot(
        deployments=[workload("off", 1, replicas=0), workload("stuck", 1)],
        jobs=[workload("held", 1, suspend=True), workload("none", 1, parallelism=0)],
        custom=[custom_workload("JobSet", "paused", 4, suspended=True)],
    )
    assert rows(taken) == [
        ("Deployment", "off", 0, 0, 1, True),
        ("Deployment", "stuck", 1, 0, 1, False),
        ("Job", "held", 1, 0, 1, True),
        ("Job", "none", 0, 0, 1, True),
        ("JobSet", "paused", 1, 0, 4, True),
    ]


def test_a_custom_job_that_is_over_asks_no_more_unless_it_still_has_pods() -> None:
    over = [replace(custom_workload("JobSet", name, 4), over=True) for name in ("done", "going")]
    taken = snapshot(pod("last", 4, owner=("JobSet jobset.x-k8s.io/v1alpha2", "going")), custom=over)
    assert rows(taken) == [("JobSet", "going", 1, 1, 4, False)]


def test_kinds_that_kubernetes_has_too_are_told_with_their_group() -> None:
    taken = snapshot(
        pod("a-0", 1, owner=("Job batch/v1", "a")),
        pod("a-1", 2, owner=("Job batch.volcano.sh/v1alpha1", "a")),
        jobs=[workload("a", 1)],
        custom=[custom_workload("Job", "a", 2, api_version="batch.volcano.sh/v1alpha1")],
    )
    assert rows(taken) == [("Job", "a", 1, 1, 1, False), ("Job.batch.volcano.sh", "a", 1, 1, 2, False)]


def test_a_job_that_is_over_asks_no_more_and_one_that_could_not_begin_or_waits_to_try_again_does() -> None:
    statuses = {
        "complete": WorkloadStatus(succeeded=1, conditions=(WorkloadCondition("Complete", "True"),)),
        "done": WorkloadStatus(succeeded=1),
        "failed": WorkloadStatus(failed=7, conditions=(WorkloadCondition("FailureTarget", "True"), WorkloadCondition("Failed", "True"))),
        "again": WorkloadStatus(failed=2, active=1),
        "backing-off": WorkloadStatus(failed=3),
        "refused": WorkloadStatus(),
        "resumed": WorkloadStatus(conditions=(WorkloadCondition("Suspended", "False"),)),
    }
    taken = snapshot(jobs=[workload(name, 1, status=status) for name, status in statuses.items()])
    assert [row[1] for row in rows(taken)] == ["again", "backing-off", "refused", "resumed"]


def test_a_job_wants_no_more_pods_at_a_time_than_are_left_to_complete() -> None:
    few, many = workload("few", 1, parallelism=8), workload("many", 1, parallelism=8)
    few = replace(few, spec=replace(few.spec, completions=2))
    many = replace(many, spec=replace(many.spec, completions=20))
    last = replace(many, metadata=replace(many.metadata, name="last"), status=WorkloadStatus(succeeded=19, failed=1))
    assert [row[1:3] for row in rows(snapshot(jobs=[few, many, last]))] == [("few", 2), ("last", 1), ("many", 8)]


def test_pods_that_differ_from_their_template_count_with_what_they_ask() -> None:
    taken = snapshot(pod("web-0", 3, owner=("StatefulSet", "web")), stateful_sets=[workload("web", 1)])
    assert rows(taken) == [("StatefulSet", "web", 1, 1, 3, False)]


def test_bare_and_static_pods_are_their_own() -> None:
    taken = snapshot(pod("bare", 1), pod("static-node-a", 1, owner=("Node", "node-a"), node="node-a"))
    assert rows(taken) == [("Pod", "bare", None, 1, 1, False), ("Pod", "static-node-a", None, 1, 1, False)]


def test_chains_that_bite_their_own_tail_end() -> None:
    taken = snapshot(pod("p", 1, owner=("Job", "a")), jobs=[workload("a", 1, owner=("Job", "b")), workload("b", 1, owner=("Job", "a"))])
    assert {row[1] for row in rows(taken)} == {"a", "b"}


def test_labels_narrow_by_the_pods_and_templates() -> None:
    taken = snapshot(pod("a", 1, labels={"app": "web"}), pod("b", 1), deployments=[workload("off", 1, replicas=0)])
    assert rows(taken, Scope(pods=parse("app=web"))) == [("Pod", "a", None, 1, 1, False)]
