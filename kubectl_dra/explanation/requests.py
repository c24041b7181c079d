"""What the pod asks for, and where that is written: extended resources of containers, claims and templates."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from kubectl_dra.allocation.pod import SPECIAL_CLAIM
from kubectl_dra.explanation.case import PodCase
from kubectl_dra.explanation.document import Asked, OnNode
from kubectl_dra.extended_resources.requests import claim_requests, devices, effective_requests
from kubectl_dra.objects import quantity
from kubectl_dra.objects.pod import PodResourceClaim, PodSpec, RequestMapping
from kubectl_dra.objects.resource import DeviceRequest, DeviceSubRequest, ExactDeviceRequest, ResourceClaimSpec


def asked(case: PodCase, nodes: Iterable[OnNode] = ()) -> tuple[Asked, ...]:
    """Everything, extended resources first. `nodes` tell who would serve them."""
    extended = _wanted(case, tuple(nodes)) if case.pod.node_name is None or not case.exists else _placed(case)
    return (*extended, *_claims(case))


def _wanted(case: PodCase, nodes: tuple[OnNode, ...]) -> Iterator[Asked]:
    """Extended resources of a pod that has no node yet, as classes are meant to map them."""
    spec, classes = case.pod.spec, case.classes.class_names(case.names)
    wanted = claim_requests(spec, classes)
    counts = {each.name: each.count for each in wanted.requests}
    for name in case.names:
        served = dict(Counter(each.served_by[name] for each in nodes if name in each.served_by))
        if name not in classes:
            yield _plain(case, name, served)
        for request, containers in _by_request(wanted.mappings, name):
            yield Asked("extended resource", containers, name, SPECIAL_CLAIM, request, classes[name], counts[request], served)


def _placed(case: PodCase) -> Iterator[Asked]:
    """Extended resources of a pod that has its node: from the claim that was made, or from the plugin."""
    status, node = case.pod.status.extended_resource_claim_status, case.nodes.get(case.pod.node_name or "")
    mappings = status.request_mappings or () if status is not None else ()
    claim = case.claim(status.resource_claim_name) if status is not None else None
    made = {each.name: each.exactly for each in (claim.spec.devices.requests or ())} if claim is not None else {}
    for name in case.names:
        requests = list(_by_request(mappings, name))
        if not requests:
            yield _plain(case, name, {} if node is None else {"plugin" if case.planner.offers(node, name) else "nobody": 1})
        for request, containers in requests:
            exact = made.get(request)
            device_class, count = (None, None) if exact is None else (exact.device_class_name, exact.count)
            claim_name = status.resource_claim_name if status is not None else None
            yield Asked("extended resource", containers, name, claim_name, request, device_class, count, {"dra": 1})


def _plain(case: PodCase, name: str, served: Mapping[str, int]) -> Asked:
    """A name that has no claim."""
    spec = case.pod.spec
    return Asked("extended resource", _containers_with(spec, name), name, None, None, None, devices(spec)[name], served)


def _by_request(mappings: Iterable[RequestMapping], name: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The requests that serve a name, each with its containers."""
    found: dict[str, dict[str, None]] = {}
    for each in mappings:
        if each.resource_name == name:
            found.setdefault(each.request_name, {})[each.container_name] = None
    return ((request, tuple(containers)) for request, containers in found.items())


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
            yield Asked(source, _users(case.pod.spec, entry.name, None), None, name, None, None, None)
            continue
        for request in spec.devices.requests or ():
            users = _users(case.pod.spec, entry.name, request.name)
            for full_name, exact in _alternatives(request):
                every = exact.allocation_mode == "All"
                count = None if every else exact.count or 1
                yield Asked(source, users, None, name, full_name, exact.device_class_name, count)


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
