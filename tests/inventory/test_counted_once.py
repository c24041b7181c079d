"""A workload counts once, however many objects repeat what it asks for."""

import pytest

from kubectl_dra.inventory.document import WorkloadItem
from kubectl_dra.inventory.workloads import by_workload
from kubectl_dra.objects.meta import ObjectMeta, OwnerReference
from kubectl_dra.objects.pod import PodTemplateSpec
from kubectl_dra.objects.snapshot import Snapshot
from kubectl_dra.objects.workload import CustomWorkload, TemplateUse
from tests.factories import GPU, custom_workload, pod, pod_spec, snapshot, workload

KUEUE = "kueue.x-k8s.io/v1beta1"
TRAINER = "trainer.kubeflow.org/v1alpha1"
JOB_SET = "jobset.x-k8s.io/v1alpha2"
ARGO = "argoproj.io/v1alpha1"


def rows(taken: Snapshot) -> list[tuple[str, str, int | None, int | None, int]]:
    items = [item for item in by_workload(taken).items if isinstance(item, WorkloadItem)]
    return [(item.kind, item.name, item.replicas, item.pods, item.resources[GPU]) for item in items]


def without_templates(kind: str, name: str, api_version: str, *, suspended: bool | None = None) -> CustomWorkload:
    return CustomWorkload(api_version, kind, ObjectMeta(name, "default"), (), suspended)


def group_workload(name: str, *pods: str) -> CustomWorkload:
    """Kueue's Workload of a pod group: all its pods own it, none as controller."""
    owners = tuple(OwnerReference("Pod", each, f"uid-{each}", "v1") for each in pods)
    templates = tuple(TemplateUse("spec.podSets[0].template", 1, PodTemplateSpec(spec=pod_spec(gpu))) for gpu in (1, 8))
    return CustomWorkload(KUEUE, "Workload", ObjectMeta(name, "default", owner_references=owners), templates)


def test_a_kueue_workload_repeats_the_job_that_controls_it() -> None:
    taken = snapshot(
        jobs=[workload("train", 2, parallelism=3, suspend=True)],
        custom=[custom_workload("Workload", "job-train-1a2b", 2, api_version=KUEUE, replicas=3, owner=("Job", "train"))],
    )
    assert rows(taken) == [("Job", "train", 3, 0, 2)]


def test_a_kueue_workload_without_an_owner_stands_for_itself() -> None:
    taken = snapshot(custom=[custom_workload("Workload", "prebuilt", 2, api_version=KUEUE)])
    assert rows(taken) == [("Workload", "prebuilt", 1, 0, 2)]


def test_a_kueue_workload_of_a_pod_group_repeats_its_pods() -> None:
    taken = snapshot(pod("leader", 1, node="node-a"), pod("worker", 8, node="node-a"), custom=[group_workload("group", "leader", "worker")])
    assert rows(taken) == [("Pod", "leader", None, 1, 1), ("Pod", "worker", None, 1, 8)]


def test_a_kueue_workload_of_finished_pods_asks_no_more() -> None:
    taken = snapshot(pod("leader", 1, phase="Succeeded"), custom=[group_workload("group", "leader")])
    assert rows(taken) == []


def test_a_train_job_and_not_its_job_set_nor_its_jobs() -> None:
    taken = snapshot(
        pod("t-node-0", 8, owner=("Job", "t-node")),
        jobs=[workload("t-node", 8, owner=(f"JobSet {JOB_SET}", "t"))],
        custom=[
            custom_workload("TrainJob", "t", 8, api_version=TRAINER, replicas=4),
            custom_workload("JobSet", "t", 8, replicas=4, owner=(f"TrainJob {TRAINER}", "t")),
        ],
    )
    assert rows(taken) == [("TrainJob", "t", 4, 1, 8)]


def test_a_train_job_that_names_no_devices_asks_what_its_job_set_asks_and_is_held_by_its_own_switch() -> None:
    taken = snapshot(
        custom=[
            without_templates("TrainJob", "t", TRAINER, suspended=True),
            custom_workload("JobSet", "t", 8, owner=(f"TrainJob {TRAINER}", "t")),
        ],
    )
    assert rows(taken) == [("TrainJob", "t", None, 0, 8)]
    item = by_workload(taken).items[0]
    assert isinstance(item, WorkloadItem) and item.suspended and item.at_zero


def test_a_custom_object_that_asks_for_nothing_is_no_user() -> None:
    assert rows(snapshot(custom=[without_templates("TrainJob", "t", TRAINER, suspended=True)])) == []


def test_a_cron_workflow_and_not_its_workflows() -> None:
    taken = snapshot(
        pod("night-17", 1, owner=(f"Workflow {ARGO}", "night-17")),
        custom=[
            custom_workload("CronWorkflow", "night", 1, api_version=ARGO),
            *(custom_workload("Workflow", f"night-{n}", 1, api_version=ARGO, owner=(f"CronWorkflow {ARGO}", "night")) for n in (16, 17)),
        ],
    )
    assert rows(taken) == [("CronWorkflow", "night", 1, 1, 1)]


def test_the_workers_of_a_leader_belong_to_the_leader_worker_set() -> None:
    lws = "leaderworkerset.x-k8s.io/v1"
    taken = snapshot(
        pod("l-0", 1, owner=("StatefulSet", "l")),
        pod("l-0-1", 8, owner=("StatefulSet", "l-0")),
        stateful_sets=[
            workload("l", 1, replicas=1, owner=(f"LeaderWorkerSet {lws}", "l")),
            workload("l-0", 8, replicas=1, owner=("Pod v1", "l-0")),
        ],
        custom=[custom_workload("LeaderWorkerSet", "l", 8, api_version=lws, replicas=2)],
    )
    assert rows(taken) == [("LeaderWorkerSet", "l", 2, 2, 8)]


def test_the_executors_of_a_spark_driver_belong_to_the_application() -> None:
    spark = "sparkoperator.k8s.io/v1beta2"
    taken = snapshot(
        pod("pi-driver", owner=(f"SparkApplication {spark}", "pi")),
        pod("pi-exec-1", 1, owner=("Pod v1", "pi-driver")),
        custom=[custom_workload("SparkApplication", "pi", 1, api_version=spark, replicas=2)],
    )
    assert rows(taken) == [("SparkApplication", "pi", 2, 1, 1)]


@pytest.mark.parametrize(
    ("kind", "api_version", "between", "label"),
    [
        ("VirtualMachine", "kubevirt.io/v1", "VirtualMachineInstance", None),
        ("PodCliqueSet", "grove.io/v1alpha1", "PodClique", "app.kubernetes.io/part-of"),
        ("AutoscalingRunnerSet", "actions.github.com/v1alpha1", "EphemeralRunner", "actions.github.com/scale-set-name"),
    ],
)
def test_kinds_between_a_workload_and_its_pods_need_not_be_read(kind: str, api_version: str, between: str, label: str | None) -> None:
    name, labels = ("top", None) if label is None else ("top-0-decode", {label: "top"})
    taken = snapshot(
        pod("p", 2, owner=(f"{between} {api_version}", name), labels=labels),
        custom=[custom_workload(kind, "top", 2, api_version=api_version)],
    )
    assert rows(taken) == [(kind, "top", 1, 1, 2)]


def test_a_revision_of_knative_belongs_to_the_service_and_that_to_its_inference_service() -> None:
    deployment = workload("m-predictor-00001-deployment", 1, owner=("Revision serving.knative.dev/v1", "m-predictor-00001"))
    labelled = type(deployment)(
        ObjectMeta(
            deployment.metadata.name,
            "default",
            labels={"serving.knative.dev/service": "m-predictor"},
            owner_references=deployment.metadata.owner_references,
        ),
        deployment.spec,
    )
    taken = snapshot(
        deployments=[labelled],
        custom=[
            custom_workload(
                "Service",
                "m-predictor",
                1,
                api_version="serving.knative.dev/v1",
                owner=("InferenceService serving.kserve.io/v1beta1", "m"),
            ),
            custom_workload("InferenceService", "m", 1, api_version="serving.kserve.io/v1beta1", replicas=None),
        ],
    )
    assert rows(taken) == [("InferenceService", "m", None, 0, 1)]


def test_a_kind_between_without_its_label_is_known_by_its_own_name() -> None:
    taken = snapshot(pod("p", 1, owner=("PodClique grove.io/v1alpha1", "lost")))
    assert rows(taken) == [("PodClique", "lost", None, 1, 1)]
