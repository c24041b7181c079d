"""The table of custom kinds that make pods."""

from kubectl_dra.knowledge.workloads import custom_kinds
from kubectl_dra.reading import template_path


def test_every_kind_has_a_source_a_plural_and_a_template() -> None:
    for kind in custom_kinds():
        assert kind.kind and kind.group and kind.source and kind.templates, kind.name
        assert kind.plural.isalpha() and kind.plural.islower(), kind.name


def test_no_kind_is_there_twice() -> None:
    names = [kind.name for kind in custom_kinds()]
    assert len(set(names)) == len(names)


def test_every_path_is_a_json_path_whose_replicas_share_its_wildcards() -> None:
    for kind in custom_kinds():
        for where in kind.templates:
            steps = template_path.steps_of(template_path.parsed(where.path))
            assert steps is not None, where.path
            for path in where.replicas or ():
                factor = template_path.steps_of(template_path.parsed(path))
                assert factor is not None, path
                assert factor.count(None) <= steps.count(None), path
        for path in (*kind.suspended, *kind.active):
            assert template_path.steps_of(template_path.parsed(path)), path


def test_the_kinds_people_run_gpus_with_are_known() -> None:
    names = {kind.name for kind in custom_kinds()}
    assert names >= {
        "JobSet.jobset.x-k8s.io",
        "LeaderWorkerSet.leaderworkerset.x-k8s.io",
        "PyTorchJob.kubeflow.org",
        "TFJob.kubeflow.org",
        "MPIJob.kubeflow.org",
        "TrainJob.trainer.kubeflow.org",
        "RayCluster.ray.io",
        "RayJob.ray.io",
        "RayService.ray.io",
        "Job.batch.volcano.sh",
        "Rollout.argoproj.io",
        "Workflow.argoproj.io",
        "InferenceService.serving.kserve.io",
        "Service.serving.knative.dev",
        "SparkApplication.sparkoperator.k8s.io",
        "Workload.kueue.x-k8s.io",
    }
