"""What a reading keeps of each object. Everything else stays out of memory and out of the snapshot file.

Nothing that may hold people's secrets is kept: of the environment only variables that name devices, of the annotations only
those in `KEPT_ANNOTATIONS`, of commands and arguments only feature gates and emulated versions of the control plane.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from kubectl_dra.knowledge.vendors import device_variables
from kubectl_dra.objects.meta import KEPT_ANNOTATIONS, Condition, ObjectMeta
from kubectl_dra.objects.node import Node, NodeStatus
from kubectl_dra.objects.pod import (
    MIRROR,
    Affinity,
    Container,
    EnvVar,
    ExtendedResourceClaimStatus,
    Pod,
    PodSpec,
    PodStatus,
    PodTemplateSpec,
    ResourceRequirements,
    Volume,
)
from kubectl_dra.objects.policy import PodDisruptionBudget
from kubectl_dra.objects.resource import Device, DeviceAttribute, ResourceClaimTemplate, ResourceSlice
from kubectl_dra.objects.shape import Object, QuantityText
from kubectl_dra.objects.sharing import Sharing
from kubectl_dra.objects.workload import CustomWorkload, JobTemplate, JobTemplateWorkloadSpec, TemplateUse, Workload, WorkloadSpec

CONTROL_PLANE = frozenset({"kube-apiserver", "kube-controller-manager", "kube-scheduler"})
"""The static pods whose image and feature gates are kept: the name is this, or this and the node's name."""

DEVICE_VARIABLES = device_variables()

_FLAG = re.compile(r"""(--feature-gates|--emulated-version)[= ]["']?([\w:.,=-]+)""")
_POD_CONDITIONS = frozenset({"PodScheduled", "Ready"})
_NODE_CONDITIONS = frozenset({"Ready"})


def meta(value: ObjectMeta, share: Sharing) -> ObjectMeta:
    """Metadata with the kept annotations only."""
    text = share.text
    return ObjectMeta(
        value.name,
        text(value.namespace),
        value.uid,
        value.generation,
        value.resource_version,
        text(value.generate_name),
        text(value.creation_timestamp),
        text(value.deletion_timestamp),
        share.mapping(value.labels),
        None if value.annotations is None else annotations(value.annotations, share),
        share.sequence(value.owner_references),
        share.sequence(value.finalizers),
    )


def annotations(value: Mapping[str, str], share: Sharing) -> Mapping[str, str] | None:
    """The annotations that checks read; null if there is none of them."""
    return share.mapping({name: value[name] for name in value.keys() & KEPT_ANNOTATIONS} or None)


def flags(container: Container) -> tuple[str, ...] | None:
    """The feature gates and emulated version on a control-plane container's command line, as `--flag=value`; null if none."""
    line = " ".join((*(container.command or ()), *(container.args or ())))
    return tuple(f"{flag}={value}" for flag, value in _FLAG.findall(line)) or None


def resources(value: ResourceRequirements, share: Sharing) -> ResourceRequirements:
    """What a container asks for."""
    requests, limits = share.mapping(value.requests), share.mapping(value.limits)
    claims = share.sequence(value.claims)
    key = ("resources", id(requests), id(limits), id(claims))
    return share.known(key) or share.keep(key, ResourceRequirements(requests, limits, claims))


def env(value: tuple[EnvVar, ...]) -> tuple[EnvVar, ...] | None:
    """The variables that name devices; null if there is none."""
    return tuple([variable for variable in value if variable.name in DEVICE_VARIABLES]) or None


def container(
    name: str,
    asked: ResourceRequirements | None,
    restart_policy: str | None,
    variables: tuple[EnvVar, ...] | None,
    share: Sharing,
    *,
    image: str | None = None,
    args: tuple[str, ...] | None = None,
) -> Container:
    """A container, of what `resources` and `env` kept for it."""
    key = ("container", name, image, args, id(asked), restart_policy, variables)
    return share.known(key) or share.keep(
        key,
        Container(
            name=share.leaf(name),
            image=image,
            args=args,
            resources=asked,
            restart_policy=share.text(restart_policy),
            env=share.sequence(variables),
        ),
    )


def _container(value: Container, share: Sharing, *, control_plane: bool, operand: bool) -> Container:
    image = value.image if control_plane or operand else None
    args = flags(value) if control_plane else None
    return container(
        value.name,
        None if value.resources is None else resources(value.resources, share),
        value.restart_policy,
        env(value.env) if value.env else None,
        share,
        image=image,
        args=args,
    )


def affinity(value: Affinity, share: Sharing) -> Affinity | None:
    """An affinity to nodes; null if there is none."""
    return None if value.node_affinity is None else share.leaf(value)


def _is_of_interest(value: Volume) -> bool:
    return value.host_path is not None or value.empty_dir is not None


def volumes(value: tuple[Volume, ...], share: Sharing) -> tuple[Volume, ...] | None:
    """Host folders and emptyDirs; null if there is none."""
    return share.sequence(tuple(filter(_is_of_interest, value)) or None)


_OPERANDS = ("/device-plugins", "/plugins/", "/plugins_registry")


def is_operand(value: tuple[Volume, ...] | None) -> bool:
    """True for pods that mount the kubelet's folders of plugins: device plugins and drivers, which their images tell apart."""
    for volume in value or ():
        path = volume.host_path.path if volume.host_path is not None else ""
        if path.startswith("/var/lib/kubelet/") and any(folder in path for folder in _OPERANDS):
            return True
    return False


def pod_spec(value: PodSpec, share: Sharing, *, control_plane: bool = False) -> PodSpec:
    """A pod's or template's spec: containers without their secrets, volumes that matter."""
    operand = is_operand(value.volumes)

    def of_container(item: Container) -> Container:
        return _container(item, share, control_plane=control_plane, operand=operand)

    text = share.text
    return PodSpec(
        share.sequence(value.containers, of_container),
        share.sequence(value.init_containers, of_container),
        text(value.node_name),
        share.mapping(value.node_selector),
        None if value.affinity is None else affinity(value.affinity, share),
        share.sequence(value.tolerations),
        share.mapping(value.overhead),
        value.priority,
        text(value.priority_class_name),
        text(value.preemption_policy),
        text(value.scheduler_name),
        text(value.runtime_class_name),
        share.sequence(value.resource_claims),
        volumes(value.volumes, share) if value.volumes else None,
        share.sequence(value.scheduling_gates),
        share.sequence(value.ephemeral_containers, of_container),
    )


def _conditions(value: tuple[Condition, ...] | None, kept: frozenset[str], share: Sharing) -> tuple[Condition, ...] | None:
    if not value:
        return value
    return share.sequence(tuple(condition for condition in value if condition.type in kept) or None)


def _extended(value: ExtendedResourceClaimStatus | None, share: Sharing) -> ExtendedResourceClaimStatus | None:
    if value is None:
        return None
    return ExtendedResourceClaimStatus(value.resource_claim_name, share.sequence(value.request_mappings))


def is_control_plane(meta: ObjectMeta, node_name: str | None) -> bool:
    """True for the static pods of CONTROL_PLANE."""
    name = meta.name
    return (
        meta.namespace == "kube-system"
        and MIRROR in (meta.annotations or {})
        and (name in CONTROL_PLANE or (bool(node_name) and name.removesuffix(f"-{node_name}") in CONTROL_PLANE))
    )


def pod_status(value: PodStatus, share: Sharing) -> PodStatus:
    """Where a pod stands."""
    text = share.text
    return PodStatus(
        text(value.phase),
        text(value.reason),
        text(value.message),
        text(value.nominated_node_name),
        _conditions(value.conditions, _POD_CONDITIONS, share),
        share.sequence(value.resource_claim_statuses),
        _extended(value.extended_resource_claim_status, share),
    )


def pod(value: Pod, share: Sharing) -> Pod:
    """A pod."""
    control_plane = is_control_plane(value.metadata, value.spec.node_name)
    return Pod(meta(value.metadata, share), pod_spec(value.spec, share, control_plane=control_plane), pod_status(value.status, share))


def node(value: Node, share: Sharing) -> Node:
    """A node, with its Ready condition only."""
    status = value.status
    return Node(
        meta(value.metadata, share),
        share.leaf(value.spec),
        NodeStatus(
            share.mapping(status.capacity),
            share.mapping(status.allocatable),
            _conditions(status.conditions, _NODE_CONDITIONS, share),
            None if status.node_info is None else share.leaf(status.node_info),
            share.sequence(status.declared_features),
        ),
    )


def pod_template(value: PodTemplateSpec | None, share: Sharing) -> PodTemplateSpec | None:
    """A pod template; null stays null."""
    return None if value is None else PodTemplateSpec(meta(value.metadata, share), pod_spec(value.spec, share))


def workload(value: Workload, share: Sharing) -> Workload:
    """A controller of pods of a built-in kind."""
    spec, job = value.spec, value.spec.job_template
    return Workload(
        meta(value.metadata, share),
        WorkloadSpec(
            spec.replicas,
            spec.parallelism,
            spec.completions,
            spec.suspend,
            pod_template(spec.template, share),
            None
            if job is None
            else JobTemplate(JobTemplateWorkloadSpec(job.spec.parallelism, job.spec.completions, pod_template(job.spec.template, share))),
            spec.backoff_limit,
        ),
        share.leaf(value.status),
    )


def custom_workload(value: CustomWorkload, share: Sharing) -> CustomWorkload:
    """A controller of pods of a custom kind."""
    uses = value.templates
    return CustomWorkload(
        share.leaf(value.api_version),
        share.leaf(value.kind),
        meta(value.metadata, share),
        None
        if uses is None
        else tuple(
            TemplateUse(
                share.leaf(use.path), use.replicas, PodTemplateSpec(meta(use.template.metadata, share), pod_spec(use.template.spec, share))
            )
            for use in uses
        ),
        value.suspended,
        value.over,
    )


def _attributes(value: Mapping[str, DeviceAttribute] | None, share: Sharing) -> Mapping[str, DeviceAttribute] | None:
    return None if value is None else {share.leaf(name): share.leaf(attribute) for name, attribute in value.items()}


def _device(value: Device, share: Sharing) -> Device:
    return replace(
        value,
        name=share.leaf(value.name),
        attributes=_attributes(value.attributes, share),
        capacity=None if value.capacity is None else {share.leaf(name): share.leaf(amount) for name, amount in value.capacity.items()},
        node_name=share.text(value.node_name),
        taints=share.sequence(value.taints),
    )


def resource_slice(value: ResourceSlice, share: Sharing) -> ResourceSlice:
    """A slice, all of whose devices are kept."""
    devices = value.spec.devices
    return ResourceSlice(
        meta(value.metadata, share),
        replace(value.spec, devices=None if devices is None else tuple(_device(device, share) for device in devices)),
    )


def claim_template(value: ResourceClaimTemplate, share: Sharing) -> ResourceClaimTemplate:
    """A template of claims: it has metadata twice."""
    return ResourceClaimTemplate(meta(value.metadata, share), replace(value.spec, metadata=meta(value.spec.metadata, share)))


def budget(value: PodDisruptionBudget, share: Sharing) -> PodDisruptionBudget:
    """A disruption budget. A count read from YAML is a text; only percentages are texts in Kubernetes."""
    spec = replace(value.spec, min_available=_count(value.spec.min_available), max_unavailable=_count(value.spec.max_unavailable))
    return PodDisruptionBudget(meta(value.metadata, share), spec, value.status)


def _count(value: QuantityText | None) -> QuantityText | None:
    return int(value) if isinstance(value, str) and value.isdecimal() else value


_KEEPERS: Mapping[type[Object], Callable[[Any, Sharing], Object]] = {
    Pod: pod,
    Node: node,
    PodDisruptionBudget: budget,
    Workload: workload,
    CustomWorkload: custom_workload,
    ResourceSlice: resource_slice,
    ResourceClaimTemplate: claim_template,
}


def keeper(struct: type[Object]) -> Callable[[Any, Sharing], Object]:
    """The function that makes of an object of that Struct the one that is kept.

    It gives the Struct itself where it gets one of a subclass (a decoder's, which has the object's kind in it).
    """
    return _KEEPERS.get(struct) or _plain(struct)


def _plain(struct: type[Object]) -> Callable[[Any, Sharing], Object]:
    """For kinds of which all but annotations is kept: metadata is their first field."""
    others = struct.__struct_fields__[1:]

    def keep(value: Any, share: Sharing) -> Object:  # noqa: ANN401 - any object that has metadata
        return struct(meta(value.metadata, share), *(getattr(value, field) for field in others))

    return keep
