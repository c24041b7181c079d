"""Pod templates in custom objects, how many pods are made of them, and whether the object's own switch stops them."""

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from kubectl_dra.errors import InputError, UsageError
from kubectl_dra.knowledge.workloads import custom_kinds
from kubectl_dra.objects.pod import Container, PodSpec, ResourceRequirements
from kubectl_dra.objects.sharing import Sharing
from kubectl_dra.objects.snapshot import Snapshot
from kubectl_dra.objects.workload import CustomWorkload
from kubectl_dra.reading.custom import CustomKinds, workload

Read = Callable[..., Snapshot]
Plain = dict[str, Any]

RESOURCES: Plain = {"limits": {"example.com/gpu": 1}}
CONTAINER: Plain = {"name": "main", "image": "busybox", "env": [{"name": "TOKEN", "value": "hunter2"}], "resources": RESOURCES}
SPEC: Plain = {"containers": [CONTAINER]}
TEMPLATE: Plain = {"spec": SPEC}
KINDS = {kind.name: kind for kind in custom_kinds()}


def seen(name: str, spec: Plain, status: Plain | None = None) -> CustomWorkload:
    return workload(KINDS[name], {"metadata": {"name": "x", "namespace": "ns"}, "spec": spec, "status": status})


def uses(name: str, spec: Plain) -> dict[str, int | None]:
    """Paths of the templates and their pods; each asks for one device."""
    found = seen(name, spec).templates or ()
    for use in found:
        containers = use.template.spec.containers or ()
        assert [(each.resources and each.resources.limits) for each in containers] == [{"example.com/gpu": 1}], use.path
    return {use.path: use.replicas for use in found}


CASES: list[tuple[str, Plain, dict[str, int | None]]] = [
    (
        "JobSet.jobset.x-k8s.io",
        {
            "replicatedJobs": [
                {"name": "a", "replicas": 2, "template": {"spec": {"parallelism": 4, "template": TEMPLATE}}},
                {"name": "b", "template": {"spec": {"template": TEMPLATE}}},
                {"name": "c", "replicas": 0, "template": {"spec": {"parallelism": 4, "template": TEMPLATE}}},
            ]
        },
        {
            "spec.replicatedJobs[0].template.spec.template": 8,
            "spec.replicatedJobs[1].template.spec.template": 1,
            "spec.replicatedJobs[2].template.spec.template": 0,
        },
    ),
    (
        "LeaderWorkerSet.leaderworkerset.x-k8s.io",
        {"replicas": 3, "leaderWorkerTemplate": {"size": 4, "workerTemplate": TEMPLATE}},
        {"spec.leaderWorkerTemplate.workerTemplate": 12},
    ),
    (
        "LeaderWorkerSet.leaderworkerset.x-k8s.io",
        {"replicas": 3, "leaderWorkerTemplate": {"size": 4, "workerTemplate": TEMPLATE, "leaderTemplate": TEMPLATE}},
        {"spec.leaderWorkerTemplate.leaderTemplate": 3, "spec.leaderWorkerTemplate.workerTemplate": 9},
    ),
    (
        "PyTorchJob.kubeflow.org",
        {"pytorchReplicaSpecs": {"Master": {"template": TEMPLATE}, "Worker": {"replicas": 7, "template": TEMPLATE}}},
        {"spec.pytorchReplicaSpecs.Master.template": 1, "spec.pytorchReplicaSpecs.Worker.template": 7},
    ),
    ("TrainJob.trainer.kubeflow.org", {"trainer": {"numNodes": 4, "resourcesPerNode": RESOURCES}}, {"spec.trainer.resourcesPerNode": 4}),
    ("TrainJob.trainer.kubeflow.org", {"runtimeRef": {"name": "torch"}}, {}),
    (
        "RayCluster.ray.io",
        {
            "headGroupSpec": {"template": TEMPLATE},
            "workerGroupSpecs": [{"replicas": 0, "template": TEMPLATE}, {"replicas": 2, "numOfHosts": 4, "template": TEMPLATE}],
        },
        {"spec.headGroupSpec.template": 1, "spec.workerGroupSpecs[0].template": 0, "spec.workerGroupSpecs[1].template": 8},
    ),
    ("Job.batch.volcano.sh", {"tasks": [{"replicas": 5, "template": TEMPLATE}]}, {"spec.tasks[0].template": 5}),
    ("Rollout.argoproj.io", {"replicas": 0, "template": TEMPLATE}, {"spec.template": 0}),
    ("Rollout.argoproj.io", {"workloadRef": {"kind": "Deployment", "name": "a"}}, {}),
    (
        "Workflow.argoproj.io",
        {"templates": [{"steps": []}, {"container": CONTAINER}, {"script": CONTAINER}, {"containerSet": {"containers": [CONTAINER]}}]},
        {"spec.templates[1]": None, "spec.templates[2]": None, "spec.templates[3]": None},
    ),
    (
        "InferenceService.serving.kserve.io",
        {"predictor": {"model": CONTAINER, "minReplicas": 0}, "transformer": SPEC},
        {"spec.predictor.model": None, "spec.transformer": None},
    ),
    ("InferenceService.serving.kserve.io", {"predictor": {"triton": CONTAINER}}, {"spec.predictor.triton": None}),
    ("Service.serving.knative.dev", {"template": TEMPLATE}, {"spec.template": None}),
    (
        "SparkApplication.sparkoperator.k8s.io",
        {"driver": {"cores": 1}, "executor": {"instances": 3, "gpu": {"name": "example.com/gpu", "quantity": 1}}},
        {"spec.executor.gpu": 3},
    ),
    ("Workload.kueue.x-k8s.io", {"podSets": [{"count": 4, "template": TEMPLATE}]}, {"spec.podSets[0].template": 4}),
    (
        "VirtualMachine.kubevirt.io",
        {"template": {"spec": {"domain": {"devices": {"gpus": [{"name": "g", "deviceName": "example.com/gpu"}]}}}}},
        {"spec.template.spec.domain.devices.gpus[0].deviceName": 1},
    ),
    (
        "SeldonDeployment.machinelearning.seldon.io",
        {"predictors": [{"replicas": 2, "componentSpecs": [{"spec": SPEC}]}]},
        {"spec.predictors[0].componentSpecs[0].spec": 2},
    ),
]


@pytest.mark.parametrize(("name", "spec", "expected"), CASES, ids=[case[0] for case in CASES])
def test_templates_and_their_pods(name: str, spec: Plain, expected: dict[str, int | None]) -> None:
    assert uses(name, spec) == expected


@pytest.mark.parametrize(
    ("name", "spec", "suspended"),
    [
        ("JobSet.jobset.x-k8s.io", {"suspend": True}, True),
        ("JobSet.jobset.x-k8s.io", {"suspend": False}, False),
        ("JobSet.jobset.x-k8s.io", {"suspend": None}, False),
        ("JobSet.jobset.x-k8s.io", {}, False),
        ("PyTorchJob.kubeflow.org", {"runPolicy": {"suspend": True}}, True),
        ("Workload.kueue.x-k8s.io", {"active": False}, True),
        ("Workload.kueue.x-k8s.io", {}, False),
        ("VirtualMachine.kubevirt.io", {"running": False}, True),
        ("Rollout.argoproj.io", {"paused": True}, None),
    ],
)
def test_the_switch_of_the_object(name: str, spec: Plain, suspended: bool | None) -> None:
    assert seen(name, spec).suspended is suspended


@pytest.mark.parametrize(
    ("name", "status", "over"),
    [
        ("JobSet.jobset.x-k8s.io", {"conditions": [{"type": "Completed", "status": "True"}]}, True),
        (
            "JobSet.jobset.x-k8s.io",
            {"conditions": [{"type": "Completed", "status": "False"}, {"type": "Suspended", "status": "True"}]},
            None,
        ),
        ("JobSet.jobset.x-k8s.io", {"conditions": None}, None),
        ("PyTorchJob.kubeflow.org", {"conditions": [{"type": "Failed", "status": "True"}]}, True),
        ("Job.batch.volcano.sh", {"state": {"phase": "Aborted"}}, True),
        ("Job.batch.volcano.sh", {"state": {"phase": "Running"}}, None),
        ("Workflow.argoproj.io", {"phase": "Error"}, True),
        ("Rollout.argoproj.io", {"phase": "Succeeded"}, None),
    ],
)
def test_an_object_that_makes_no_more_pods(name: str, status: Plain, over: bool | None) -> None:
    assert seen(name, {}, status).over is over


def test_in_yaml_numbers_and_switches_are_texts(read: Read) -> None:
    text = """
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: x}
spec:
  suspend: true
  replicatedJobs:
  - replicas: 2
    template: {spec: {parallelism: 3, template: {spec: {containers: [{name: a, resources: {limits: {example.com/gpu: 1}}}]}}}}
"""
    [found] = read(text, "jobset.yaml").custom_workloads["JobSet.jobset.x-k8s.io"]
    assert (found.suspended, found.kind, found.api_version) == (True, "JobSet", "jobset.x-k8s.io/v1alpha2")
    assert [use.replicas for use in found.templates or ()] == [6]


def test_a_custom_object_keeps_no_more_than_a_pod_would(read: Read) -> None:
    item = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Rollout",
        "metadata": {"name": "x", "annotations": {"secret": "hunter2"}},
        "spec": {"template": {"metadata": {"annotations": {"secret": "hunter2"}}, **TEMPLATE}, "password": "hunter2"},
    }
    [found] = read(json.dumps(item)).custom_workloads["Rollout.argoproj.io"]
    assert "hunter2" not in repr(found)
    [use] = found.templates or ()
    assert use.template.spec == PodSpec((Container("main", resources=ResourceRequirements(limits={"example.com/gpu": 1})),))


def test_a_mistyped_template_is_told_with_its_place(read: Read) -> None:
    item = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Rollout",
        "metadata": {"name": "x"},
        "spec": {"template": {"spec": {"containers": "no"}}},
    }
    with pytest.raises(InputError, match=r"Rollout x: spec\.template: \.spec\.containers: expected `array \| null`, got `str`$"):
        read(json.dumps(item))


def test_kinds_that_nobody_knows_make_no_pods(read: Read) -> None:
    known = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Rollout", "metadata": {"name": "x"}, "spec": {"template": TEMPLATE}}
    other = {"apiVersion": "example.com/v1", "kind": "Trainer", "metadata": {"name": "y"}, "spec": {"pod": TEMPLATE}}
    text = json.dumps({"kind": "List", "apiVersion": "v1", "items": [known, other]})
    assert list(read(text).custom_workloads) == ["Rollout.argoproj.io"]
    snapshot = read(text, pod_templates=("Trainer.example.com=spec.pod",))
    [found] = snapshot.custom_workloads["Trainer.example.com"]
    assert [(use.path, use.replicas) for use in found.templates or ()] == [("spec.pod", None)]


def test_a_further_template_of_a_known_kind() -> None:
    kinds = CustomKinds(("Rollout.argoproj.io=spec.canary..template",))
    item = {"metadata": {"name": "x"}, "spec": {"template": TEMPLATE, "canary": {"a": {"template": TEMPLATE}}}}
    found = kinds.read("Rollout.argoproj.io", item)
    assert found is not None
    assert [(use.path, use.replicas) for use in found.templates or ()] == [("spec.template", 1), ("spec.canary.a.template", None)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Trainer", "--pod-template Trainer: it takes KIND.GROUP=PATH"),
        ("Trainer=spec", "--pod-template Trainer=spec: it takes KIND.GROUP=PATH"),
        ("Trainer.example.com=", "--pod-template Trainer.example.com=: it takes KIND.GROUP=PATH"),
        ("Trainer.example.com=spec[", "--pod-template Trainer.example.com=spec[: spec[ is no JSON path"),
        ("Trainer.example.com={.spec}", "--pod-template Trainer.example.com={.spec}: {.spec} is no JSON path"),
    ],
)
def test_a_further_template_that_is_none(text: str, message: str) -> None:
    with pytest.raises(UsageError) as told:
        CustomKinds((text,))
    assert told.value.message.startswith(message)


def test_objects_in_a_servers_list_get_its_api_version() -> None:
    kinds = CustomKinds()
    decode = kinds.decoder(KINDS["Rollout.argoproj.io"], "argoproj.io/v1alpha1", Sharing())
    items = msgspec.Raw(
        json.dumps([{"metadata": {"name": "x"}, "spec": {"template": TEMPLATE}}, {"metadata": {"name": "y"}, "spec": None}]).encode()
    )
    assert [(each.api_version, each.kind, each.metadata.name, len(each.templates or ())) for each in decode(items)] == [
        ("argoproj.io/v1alpha1", "Rollout", "x", 1),
        ("argoproj.io/v1alpha1", "Rollout", "y", 0),
    ]
