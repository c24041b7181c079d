"""Controllers of pods: the built-in kinds in one shape, and custom kinds by the pod templates found in them."""

from msgspec.structs import force_setattr

from kubectl_dra.objects.meta import ObjectMeta
from kubectl_dra.objects.pod import PodTemplateSpec
from kubectl_dra.objects.shape import Object


class JobTemplateWorkloadSpec(Object, frozen=True):
    """The Job that a CronJob makes."""

    parallelism: int | None = None
    completions: int | None = None
    template: PodTemplateSpec | None = None


class JobTemplate(Object, frozen=True):
    """A CronJob's template."""

    spec: JobTemplateWorkloadSpec = JobTemplateWorkloadSpec()


class WorkloadSpec(Object, frozen=True):
    """The fields that say how many pods there will be, of all built-in kinds."""

    replicas: int | None = None
    parallelism: int | None = None
    completions: int | None = None
    suspend: bool | None = None
    template: PodTemplateSpec | None = None
    job_template: JobTemplate | None = None
    backoff_limit: int | None = None


OVER = frozenset({"Complete", "Failed", "SuccessCriteriaMet", "FailureTarget"})
"""Conditions of a Job that makes no more pods."""


class WorkloadCondition(Object, frozen=True):
    """That a Job is over. Any other condition is empty: its words may be anybody's, and a snapshot must not hold them."""

    type: str = ""
    status: str = ""

    def __post_init__(self) -> None:
        """Forget what is not about the end of a Job."""
        if self.type not in OVER or self.status != "True":
            force_setattr(self, "type", "")
            force_setattr(self, "status", "")


class WorkloadStatus(Object, frozen=True):
    """How many pods there are, as the controller counts, and how it ended."""

    replicas: int | None = None
    active: int | None = None
    succeeded: int | None = None
    failed: int | None = None
    desired_number_scheduled: int | None = None
    conditions: tuple[WorkloadCondition, ...] | None = None


class Workload(Object, frozen=True):
    """A Deployment, ReplicaSet, StatefulSet, DaemonSet, Job, CronJob or ReplicationController.

    Its kind is that of the list it came in.
    """

    metadata: ObjectMeta = ObjectMeta()
    spec: WorkloadSpec = WorkloadSpec()
    status: WorkloadStatus = WorkloadStatus()


class TemplateUse(Object, frozen=True):
    """A pod template inside a custom object.

    `path` is where it stands (`spec.replicatedJobs[0].template`), `replicas` how many pods it makes (null: unknown).
    """

    path: str = ""
    replicas: int | None = None
    template: PodTemplateSpec = PodTemplateSpec()


class CustomWorkload(Object, frozen=True):
    """An object of a custom kind that makes pods: `suspended` by its own switch, `over` when its status says that it makes no more."""

    api_version: str = ""
    kind: str = ""
    metadata: ObjectMeta = ObjectMeta()
    templates: tuple[TemplateUse, ...] | None = None
    suspended: bool | None = None
    over: bool | None = None
