"""What the pod asks for, and where that is written: extended resources of containers, claims and templates."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from kubectl_dra.allocation.pod import SPECIAL_CLAIM
from kubectl_dra.explanation.case import PodCase
from kubectl_dra.explanation.document import Asked, OnNode
from kubectl_dra.extended_resources.requests import claim_requests, devices, effective_requests
from kubectl_dra.objects import quantity
from kubectl_dra.objects.pod import PodResourceClaim, PodSpec
from kubectl_dra.objects.resource import DeviceRequest, DeviceSubRequest, ExactDeviceRequest, ResourceClaimSpec


def asked(case: PodCase, nodes: Iterable[OnNode] = ()) -> tuple[Asked, ...]:
    """Everything, extended resources first. `nodes` tell who serves them."""
    return (*_extended(case, tuple(nodes)), *_claims(case))


def _extended(case: PodCase, nodes: tuple[OnNode, ...]) -> Iterator[Asked]:
    spec, status = case.pod.spec, case.pod.status.extended_resource_claim_status
    classes = case.classes.class_names(case.names)
    wanted = claim_requests(spec, classes)
    claim = status.resource_claim_name if status is not None else SPECIAL_CLAIM
    counts = {each.name: each.count for each in wanted.requests}
    for name in case.names:
        served = dict(Counter(each.served_by[name] for each in nodes if name in each.served_by))
        if name not in classes:
            yield Asked("extended resource", _containers_with(spec, name), name, None, None, None, devices(spec)[name], served)
            continue
        mapped = [each for each in wanted.mappings if each.resource_name == name]
        for request in dict.fromkeys(each.request_name for each in mapped):
            containers = tuple(dict.fromkeys(each.container_name for each in mapped if each.request_name == request))
            yield Asked("extended resource", containers, name, claim, request, classes[name], counts[request], served)


def _containers_with(spec: PodSpec, name: str) -> tuple[str, ...]:
    everything = (*(spec.init_containers or ()), *(spec.containers or ()))
    return tuple(each.name for each in everything if (found := quantity.read(effective_requests(each).get(name))) and found.sign > 0)


def _claims(case: PodCase) -> Iterator[Asked]:
    statuses = {each.name: each.resource_claim_name for each in case.pod.status.resource_claim_statuses or ()}
    for entry in case.pod.spec.resource_claims or ():
        name = entry.resource_claim_name or statuses.get(entry.name)
        source = "claim" if entry.resource_claim_name else "template"
        spec = _spec(case, entry, name)
        if spec is None:
            yield Asked(source, _users(case.pod.spec, entry.name, None), None, name or entry.name, None, None, None)
            continue
        for request in spec.devices.requests or ():
            users = _users(case.pod.spec, entry.name, request.name)
            for full_name, exact in _alternatives(request):
                every = exact.allocation_mode == "All"
                count = None if every else exact.count or 1
                yield Asked(source, users, None, name or entry.name, full_name, exact.device_class_name, count)


def _spec(case: PodCase, entry: PodResourceClaim, name: str | None) -> ResourceClaimSpec | None:
    """The claim's spec, or that of the template it is to be made from."""
    claim = case.claim(name) if name else None
    if claim is not None:
        return claim.spec
    template = case.templates.get(entry.resource_claim_template_name or "")
    return template.spec.spec if template is not None else None


def _alternatives(request: DeviceRequest) -> Iterator[tuple[str, ExactDeviceRequest | DeviceSubRequest]]:
    if request.exactly is not None:
        yield request.name, request.exactly
    for each in request.first_available or ():
        yield f"{request.name}/{each.name}", each


def _users(spec: PodSpec, entry: str, request: str | None) -> tuple[str, ...]:
    """The containers that use a request of the claim; one that names no request uses all of them."""
    found = []
    for container in (*(spec.init_containers or ()), *(spec.containers or ())):
        uses = container.resources.claims or () if container.resources is not None else ()
        if any(use.name == entry and use.request in (None, "", request) for use in uses):
            found.append(container.name)
    return tuple(found)


def used_by(case: PodCase, claim: str, request: str) -> tuple[str, ...]:
    """The containers that get the devices of a request of one of the pod's claims, as the kubelet gives them."""
    status = case.pod.status.extended_resource_claim_status
    if status is not None and status.resource_claim_name == claim:
        mappings = status.request_mappings or ()
        return tuple(dict.fromkeys(each.container_name for each in mappings if each.request_name == request))
    names: Mapping[str, str | None] = {each.name: each.resource_claim_name for each in case.pod.status.resource_claim_statuses or ()}
    for entry in case.pod.spec.resource_claims or ():
        if claim == (entry.resource_claim_name or names.get(entry.name)):
            return _users(case.pod.spec, entry.name, request.partition("/")[0])
    return ()
