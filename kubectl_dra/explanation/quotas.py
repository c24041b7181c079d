"""Quotas that would forbid the pod's claims. What the scheduler's claim exceeds shows only when the pod is bound, as an error.

Rules: kubernetes pkg/quota/v1/evaluator/core/pods.go and resource_claims.go. Scopes are of pods; a quota with scopes counts no claims.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from kubectl_dra.explanation.case import PodCase
from kubectl_dra.explanation.document import Reason
from kubectl_dra.extended_resources.names import class_of_implicit_name, implicit_name
from kubectl_dra.extended_resources.requests import MAX_DEVICES, devices
from kubectl_dra.objects import quantity
from kubectl_dra.objects.policy import ResourceQuota
from kubectl_dra.objects.resource import DeviceClaim
from kubectl_dra.remedies.kubectl_line import kubectl

_CLAIMS = "count/resourceclaims.resource.k8s.io"
_OF_CLASS = ".deviceclass.resource.k8s.io/devices"


def quotas(case: PodCase) -> tuple[Reason, ...]:
    """Quotas of the pod's namespace that have too little left for what will be made for it, where DRA serves it."""
    namespace = case.pod.metadata.namespace or ""
    own = [each for each in case.snapshot.resource_quotas if (each.metadata.namespace or "") == namespace]
    coming = Counter(_of_extended_claim(case))
    coming.update(_of_templates(case))
    if not case.exists:
        coming.update({f"requests.{name}": count for name, count in devices(case.pod.spec).items()})
    return tuple(reason for each in own for reason in _exceeded(each, coming, namespace))


def _exceeded(quota: ResourceQuota, coming: Mapping[str, int], namespace: str) -> Iterator[Reason]:
    scoped = bool(quota.spec.scopes or quota.spec.scope_selector)
    hard = {**(quota.spec.hard or {}), **(quota.status.hard or {})}
    counted = quota.status.used or {}
    for key, more in sorted(coming.items()):
        if scoped or key not in hard or key not in counted:
            continue
        limit, used = quantity.read(hard[key]), quantity.read(counted[key])
        if limit is None or used is None or used.value() + more <= limit.value():
            continue
        name = quota.metadata.name
        yield Reason(
            "quota-short",
            f"quota {namespace}/{name} has too little {key} left: {used} of {limit} are used, and {more} more come with the pod",
            f"{name}/{key}",
            detail=("where DRA serves the pod, it is made and placed, and fails to be bound: the claim that it needs is refused",),
            fix=(kubectl("-n", namespace, "describe", "resourcequota", name),),
        )


def _of_extended_claim(case: PodCase) -> Mapping[str, int]:
    """What the claim for extended resources counts beyond the pod itself."""
    found: Counter[str] = Counter()
    for name, count in devices(case.pod.spec).items() if case.pod.status.extended_resource_claim_status is None else ():
        device_class = case.classes.device_class(name)
        if device_class is None:
            continue
        class_name, explicit = device_class.metadata.name, device_class.spec.extended_resource_name
        found[_CLAIMS] = 1
        found[f"{class_name}{_OF_CLASS}"] += count
        if class_of_implicit_name(name) is None:
            found[f"requests.{implicit_name(class_name)}"] += count
        elif explicit:
            found[f"requests.{explicit}"] += count
    return found


def _of_templates(case: PodCase) -> Mapping[str, int]:
    """What the claims count that are still to be made from templates."""
    found: Counter[str] = Counter()
    made = {each.name for each in (case.pod.status.resource_claim_statuses or ()) if case.exists}
    for entry in case.pod.spec.resource_claims or ():
        template = case.templates.get(entry.resource_claim_template_name or "")
        if template is None or entry.name in made:
            continue
        found[_CLAIMS] += 1
        for class_name, count in devices_of(template.spec.spec.devices).items():
            found[f"{class_name}{_OF_CLASS}"] += count
            found[f"requests.{implicit_name(class_name)}"] += count
            device_class = case.classes.by_class.get(class_name)
            if device_class is not None and device_class.spec.extended_resource_name:
                found[f"requests.{device_class.spec.extended_resource_name}"] += count
    return found


def devices_of(claim: DeviceClaim) -> Mapping[str, int]:
    """Devices of each class as quotas count them: of alternatives the largest, of all devices as many as a claim can have."""
    found: Counter[str] = Counter()
    for request in claim.requests or ():
        largest: dict[str, int] = {}
        for each in (request.exactly, *(request.first_available or ())):
            if each is not None:
                count = MAX_DEVICES if each.allocation_mode == "All" else each.count or 1
                largest[each.device_class_name] = max(largest.get(each.device_class_name, 0), count)
        found.update(largest)
    return found
