"""Short forms for what explanations are about: pods that wait, claims that ask, what the scheduler said."""

from collections.abc import Iterable

from msgspec.structs import replace

from kubectl_dra.explanation.document import Explanation, OnNode
from kubectl_dra.explanation.pod import explain
from kubectl_dra.objects.event import Event, ObjectReference
from kubectl_dra.objects.meta import Condition
from kubectl_dra.objects.pod import Container, ContainerResourceClaim, Pod, PodResourceClaim, PodSpec, ResourceRequirements
from kubectl_dra.objects.resource import (
    CELDeviceSelector,
    DeviceClaim,
    DeviceConstraint,
    DeviceRequest,
    DeviceSelector,
    ExactDeviceRequest,
    ResourceClaim,
    ResourceClaimSpec,
    ResourceClaimTemplate,
    ResourceClaimTemplateSpec,
)
from tests.factories import meta, snapshot


def explained(pod: Pod, *objects: object, node: str | None = None, devices: bool = False, **readings: Iterable[object]) -> Explanation:
    """The explanation of a pod among these objects."""
    return explain(snapshot(pod, *objects, **readings), pod, node=node, devices=devices)  # type: ignore[arg-type]


def codes(found: Explanation | OnNode) -> list[str]:
    return [each.code for each in found.reasons]


def on(found: Explanation, node: str) -> OnNode:
    """What is told of one node."""
    return next(each for each in found.nodes if each.node == node)


def exactly(
    name: str = "r", device_class: str = "gpu", count: int | None = None, *selectors: str, mode: str | None = None
) -> DeviceRequest:
    """A request of a claim."""
    chosen = tuple(DeviceSelector(CELDeviceSelector(each)) for each in selectors) or None
    return DeviceRequest(name, ExactDeviceRequest(device_class, chosen, mode, count))


def asking(name: str, *requests: DeviceRequest, namespace: str = "default", same: str | None = None) -> ResourceClaim:
    """A claim that is not allocated; `same` is an attribute that its devices must have in common."""
    constraints = (DeviceConstraint(match_attribute=same),) if same else None
    return ResourceClaim(meta(name, namespace), ResourceClaimSpec(DeviceClaim(requests or (exactly(),), constraints)))


def template(name: str, *requests: DeviceRequest, namespace: str = "default") -> ResourceClaimTemplate:
    return ResourceClaimTemplate(meta(name, namespace), ResourceClaimTemplateSpec(spec=asking(name, *requests).spec))


def with_claim(name: str = "train", *, claim: str | None = None, template: str | None = None, node: str | None = None) -> Pod:
    """A pod whose container uses one claim, by name or by template."""
    container = Container("main", resources=ResourceRequirements(claims=(ContainerResourceClaim("gpu"),)))
    return Pod(meta(name, "default"), PodSpec((container,), node_name=node, resource_claims=(PodResourceClaim("gpu", claim, template),)))


def told(pod: Pod, message: str, reason: str = "Unschedulable") -> Pod:
    """The pod after an attempt that failed."""
    condition = Condition("PodScheduled", "False", reason, message)
    return replace(pod, status=replace(pod.status, conditions=(condition,)))


def event(pod: Pod, reason: str, message: str, at: str = "2026-01-01T12:00:00Z") -> Event:
    """An event about the pod."""
    about = ObjectReference("Pod", pod.metadata.namespace, pod.metadata.name, pod.metadata.uid)
    return Event(meta(f"{pod.metadata.name}.{reason}", pod.metadata.namespace), about, reason, message, "Warning", last_timestamp=at)
