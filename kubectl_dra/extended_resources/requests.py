"""From a pod to the devices it needs: of each extended resource, and as the requests and mappings of the claim the scheduler makes.

Rules: kubernetes pkg/scheduler/framework/plugins/dynamicresources/extendeddynamicresources.go (createRequestsAndMappings) and
component-helpers resource/helpers.go (PodRequests). Facts that are easy to miss:

- Regular containers and sidecars run at the same time: their devices add up. Other init containers run one after the other and first
  reuse, request by request, what the containers after them will have; only the largest rest of them all is requested on top.
- Only requests count; the API server copies limits into requests where these are missing, and so does this module for pod templates.
- An explicit name and the implicit name of the same class are two resources, counted separately.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kubectl_dra.extended_resources.names import is_dra_extended_resource_name, is_scalar_resource_name
from kubectl_dra.objects import quantity
from kubectl_dra.objects.pod import Container, PodSpec, RequestMapping
from kubectl_dra.objects.quantity import Quantity
from kubectl_dra.objects.shape import QuantityText, ResourceList

MAX_DEVICES = 32
"""The most devices that a claim can hold, and so the most that a pod can have of all mapped names together (AllocationResultsMaxSize)."""


@dataclass(frozen=True, slots=True, order=True)
class Request:
    """One request of the claim that the scheduler makes: `count` devices of a class (ExactCount)."""

    name: str
    device_class_name: str
    count: int


class ClaimRequests(NamedTuple):
    """The claim's requests, by name, and which of them serve which container's resource."""

    requests: tuple[Request, ...] = ()
    mappings: tuple[RequestMapping, ...] = ()

    @property
    def devices(self) -> int:
        """All devices of the claim."""
        return sum(request.count for request in self.requests)

    def devices_by_class(self) -> dict[str, int]:
        """Devices of the claim for each class."""
        counts: dict[str, int] = {}
        for request in self.requests:
            counts[request.device_class_name] = counts.get(request.device_class_name, 0) + request.count
        return counts


def devices(spec: PodSpec) -> dict[str, int]:
    """The devices a pod needs of each extended resource and implicit name that it asks for; names with zero are left out.

    Rounded up to whole devices, as the scheduler compares them.
    """
    return {name: count for name, count in scalar_requests(spec).items() if is_dra_extended_resource_name(name)}


def scalar_requests(spec: PodSpec) -> dict[str, int]:
    """The pod's scalar resources as the scheduler counts them (PodRequests, overhead included), without those of zero."""
    names = {name for _, asked in _all_requests(spec) for name in asked if is_scalar_resource_name(name)}
    names.update(name for name in spec.overhead or {} if is_scalar_resource_name(name))
    counts = {name: pod_request(spec, name).value() for name in sorted(names)}
    return {name: count for name, count in counts.items() if count}


def pod_request(spec: PodSpec, name: str) -> Quantity:
    """What the pod as a whole requests of one resource: containers and sidecars added up, or more if an init container needs more."""
    sidecars = Quantity()
    largest = Quantity()
    for container in spec.init_containers or ():
        asked = _amount(effective_requests(container), name)
        if is_sidecar(container):
            sidecars += asked
            largest = max(largest, sidecars)
        else:
            # an init container runs beside the sidecars that started before it
            largest = max(largest, sidecars + asked)
    running = sidecars + quantity.total(_amount(effective_requests(container), name) for container in spec.containers or ())
    return max(largest, running) + _amount(spec.overhead or {}, name)


def is_sidecar(container: Container) -> bool:
    """True for init containers that stay (restartPolicy Always)."""
    return container.restart_policy == "Always"


def effective_requests(container: Container) -> ResourceList:
    """A container's requests, with its limits for the names it has no request for, as the API server stores them."""
    resources = container.resources
    if resources is None:
        return {}
    return {**(resources.limits or {}), **(resources.requests or {})}


def claim_requests(spec: PodSpec, classes: Mapping[str, str]) -> ClaimRequests:
    """The requests and mappings of the claim for a node where DRA serves the pod's names. `classes` maps names to class names.

    Names that no class maps are left out. Quantities that are no whole number give no request (the pod then cannot be bound).
    """
    containers = _all_requests(spec)
    init = len(spec.init_containers or ())
    short = [index for index in range(init) if not is_sidecar((spec.init_containers or ())[index])]
    long = [index for index in range(len(containers)) if index not in short]
    requests: list[Request] = []
    mappings: list[RequestMapping] = []
    for name in sorted(scalar_requests(spec)):
        class_name = classes.get(name)
        if class_name is None:
            continue
        of_name = _OneName(name, class_name, containers)
        requests += of_name.requests(long, short)
        mappings += of_name.mappings
    return ClaimRequests(tuple(sorted(requests)), tuple(mappings))


class _OneName:
    """One resource name's part of the claim."""

    def __init__(self, name: str, class_name: str, containers: Sequence[tuple[str, ResourceList]]) -> None:
        self._name = name
        self._class_name = class_name
        self._containers = containers
        self.mappings: list[RequestMapping] = []

    def requests(self, long: Iterable[int], short: Iterable[int]) -> list[Request]:
        """The requests of containers that stay, and the largest rest of those that do not."""
        staying: dict[int, Request] = {}
        for index in long:
            if (request := self._request(index, ())) is not None:
                staying[index] = request
        first_of_short = len(self.mappings)
        rests: list[Request] = []
        for index in short:
            reusable = [staying[later] for later in sorted(staying) if later >= index]
            if (request := self._request(index, reusable)) is not None:
                rests.append(request)
        if not rests:
            return list(staying.values())
        largest = max(rests, key=lambda request: request.count)  # the first of equals
        smaller = {request.name for request in rests} - {largest.name}
        self.mappings[first_of_short:] = [
            RequestMapping(each.container_name, each.resource_name, largest.name) if each.request_name in smaller else each
            for each in self.mappings[first_of_short:]
        ]
        return [largest, *staying.values()]

    def _request(self, index: int, reusable: Iterable[Request]) -> Request | None:
        """The container's own request, if what it can reuse is not enough. Notes the mappings."""
        container, asked = self._containers[index]
        wanted = _whole(asked.get(self._name))
        if not wanted:
            return None
        reused = 0
        for request in reusable:
            reused += request.count
            self._map(container, request.name)
            if reused >= wanted:
                return None
        # the second number is the place among all of the container's request names, cpu and memory included
        name = f"container-{index}-request-{sorted(asked).index(self._name)}"
        self._map(container, name)
        return Request(name, self._class_name, wanted - reused)

    def _map(self, container: str, request: str) -> None:
        self.mappings.append(RequestMapping(container, self._name, request))


def _all_requests(spec: PodSpec) -> list[tuple[str, ResourceList]]:
    """Name and requests of init containers, then containers: the order in which the scheduler numbers them."""
    return [(container.name, effective_requests(container)) for container in (*(spec.init_containers or ()), *(spec.containers or ()))]


def _amount(asked: ResourceList, name: str) -> Quantity:
    """What is asked of `name`; what is no quantity counts as nothing (the API server takes none such)."""
    return quantity.read(asked.get(name)) or Quantity()


def _whole(value: QuantityText | None) -> int | None:
    """A quantity as the number of devices of a request, or None where the scheduler makes no request of it."""
    found = quantity.read(value)
    return None if found is None else Quantity.parse(str(found)).as_int64()
