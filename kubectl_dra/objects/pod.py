"""Pods and the templates they are made from."""

from collections.abc import Mapping

from kubectl_dra.objects.meta import Condition, ObjectMeta
from kubectl_dra.objects.node import NodeSelector, NodeSelectorTerm
from kubectl_dra.objects.shape import Object, ResourceList
from kubectl_dra.objects.tolerations import Toleration

MIRROR = "kubernetes.io/config.mirror"
"""The annotation of pods that the API server only mirrors for a kubelet."""


class ContainerResourceClaim(Object, frozen=True):
    """A container's use of one of the pod's claims."""

    name: str = ""
    request: str | None = None


class ResourceRequirements(Object, frozen=True):
    """What a container asks for."""

    requests: ResourceList | None = None
    limits: ResourceList | None = None
    claims: tuple[ContainerResourceClaim, ...] | None = None


class EnvVar(Object, frozen=True):
    """A variable; the reader keeps only those that name devices (`NVIDIA_VISIBLE_DEVICES` and its like)."""

    name: str = ""
    value: str | None = None


class Container(Object, frozen=True):
    """A container.

    The reader keeps the image of pods of the control plane and of those that mount the kubelet's plugin folders; of the control plane's
    args `--feature-gates` and `--emulated-version`.
    """

    name: str = ""
    image: str | None = None
    args: tuple[str, ...] | None = None
    command: tuple[str, ...] | None = None
    resources: ResourceRequirements | None = None
    restart_policy: str | None = None
    env: tuple[EnvVar, ...] | None = None


class PodResourceClaim(Object, frozen=True):
    """A claim the pod refers to, by name or by template."""

    name: str = ""
    resource_claim_name: str | None = None
    resource_claim_template_name: str | None = None


class HostPathVolume(Object, frozen=True):
    """A folder of the node."""

    path: str = ""


class EmptyDirVolume(Object, frozen=True):
    """Present means: the pod has data that goes with it."""


class Volume(Object, frozen=True):
    """The reader keeps host paths and emptyDirs."""

    name: str = ""
    host_path: HostPathVolume | None = None
    empty_dir: EmptyDirVolume | None = None


class NodeAffinityPreference(Object, frozen=True):
    """A preferred term (only its being there matters)."""

    weight: int = 0
    preference: NodeSelectorTerm | None = None


class NodeAffinity(Object, frozen=True):
    """Where the pod must and would like to run."""

    required_during_scheduling_ignored_during_execution: NodeSelector | None = None
    preferred_during_scheduling_ignored_during_execution: tuple[NodeAffinityPreference, ...] | None = None


class Affinity(Object, frozen=True):
    """Node affinity; pod affinity is not used."""

    node_affinity: NodeAffinity | None = None


class PodSchedulingGate(Object, frozen=True):
    """As long as the pod has it, the scheduler does not look at the pod."""

    name: str = ""


class PodSpec(Object, frozen=True):
    """What the pod asks for."""

    containers: tuple[Container, ...] | None = None
    init_containers: tuple[Container, ...] | None = None
    node_name: str | None = None
    node_selector: Mapping[str, str] | None = None
    affinity: Affinity | None = None
    tolerations: tuple[Toleration, ...] | None = None
    overhead: ResourceList | None = None
    priority: int | None = None
    priority_class_name: str | None = None
    preemption_policy: str | None = None
    scheduler_name: str | None = None
    runtime_class_name: str | None = None
    resource_claims: tuple[PodResourceClaim, ...] | None = None
    volumes: tuple[Volume, ...] | None = None
    scheduling_gates: tuple[PodSchedulingGate, ...] | None = None
    ephemeral_containers: tuple[Container, ...] | None = None


class RequestMapping(Object, frozen=True):
    """Which request of the generated claim serves a container's extended resource."""

    container_name: str = ""
    resource_name: str = ""
    request_name: str = ""


class ExtendedResourceClaimStatus(Object, frozen=True):
    """The claim that the scheduler made for the pod's extended resources."""

    resource_claim_name: str = ""
    request_mappings: tuple[RequestMapping, ...] | None = None


class PodResourceClaimStatus(Object, frozen=True):
    """The claim that was made from a template."""

    name: str = ""
    resource_claim_name: str | None = None


class PodStatus(Object, frozen=True):
    """Where the pod stands; of the conditions the reader keeps PodScheduled and Ready."""

    phase: str | None = None
    reason: str | None = None
    message: str | None = None
    nominated_node_name: str | None = None
    conditions: tuple[Condition, ...] | None = None
    resource_claim_statuses: tuple[PodResourceClaimStatus, ...] | None = None
    extended_resource_claim_status: ExtendedResourceClaimStatus | None = None


class Pod(Object, frozen=True):
    """A pod."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()

    @property
    def finished(self) -> bool:
        """True for Succeeded and Failed pods: they hold nothing any more."""
        return self.status.phase in ("Succeeded", "Failed")

    @property
    def node_name(self) -> str | None:
        """The node it is bound to."""
        return self.spec.node_name or None

    @property
    def mirror(self) -> bool:
        """True for static pods (the API server only mirrors them)."""
        return MIRROR in (self.metadata.annotations or {})

    def condition(self, type_: str) -> Condition | None:
        """The condition of that type."""
        return next((c for c in self.status.conditions or () if c.type == type_), None)


class PodTemplateSpec(Object, frozen=True):
    """What a controller makes pods from."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PodSpec = PodSpec()
