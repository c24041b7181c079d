"""Claims made ready for the search: each request with its class, its selectors and its amounts, or what is wrong with it.

Rules: incubating/allocator_incubating.go (Allocate, validateDeviceRequest). What is wrong is not raised here but where upstream comes to
it, because which fault is told depends on the order.
"""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field

from msgspec.structs import replace

from kubectl_dra.allocation.capacity import Asked, key_of
from kubectl_dra.allocation.failure import AllocationError, fatal, nil_pointer
from kubectl_dra.allocation.features import Features, Implementation
from kubectl_dra.allocation.selectors import Judge, Judges
from kubectl_dra.objects.resource import (
    DeviceClass,
    DeviceRequest,
    DeviceSubRequest,
    ExactDeviceRequest,
    ResourceClaim,
)
from kubectl_dra.objects.tolerations import Toleration

MOST_DEVICES = 32
"""Devices that one claim may have (api: resource/v1, AllocationResultsMaxSize)."""


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """A request, or one alternative of a request (`parent` is its name). `count` is that of devices, which in mode All is not known yet."""

    name: str
    parent: str | None
    spec: ExactDeviceRequest | DeviceSubRequest
    device_class: DeviceClass
    class_judges: tuple[Judge | None, ...]
    judges: tuple[Judge | None, ...]
    every: bool
    count: int
    admin: bool
    tolerations: tuple[Toleration, ...]
    asked: Asked
    asked_key: Hashable
    derived: Mapping[str, str] = field(default_factory=dict)

    @property
    def full_name(self) -> str:
        """As results and constraints name it: `request` or `request/subrequest`."""
        return self.name if self.parent is None else f"{self.parent}/{self.name}"


@dataclass(frozen=True, slots=True, eq=False)
class RequestChoice:
    """A request of a claim with its alternatives, in order; a request without alternatives is the only one of itself.

    `fault` comes before all, the faults among the `alternatives` each in its turn.
    """

    name: str
    first_available: bool
    alternatives: tuple[Request | AllocationError, ...]
    fault: AllocationError | None = None


@dataclass(frozen=True, slots=True, eq=False)
class PreparedClaim:
    """A claim, its requests, and what is wrong with its constraints."""

    claim: ResourceClaim
    name: str
    choices: tuple[RequestChoice, ...]
    fault: AllocationError | None = None

    def requests(self) -> Iterator[Request]:
        """All requests and alternatives that are in order."""
        return (each for choice in self.choices for each in choice.alternatives if isinstance(each, Request))


class Preparation:
    """Makes claims ready, for one set of features and of classes."""

    def __init__(self, features: Features, implementation: Implementation, classes: Mapping[str, DeviceClass], judges: Judges) -> None:
        """Take the classes by name."""
        self._features = features
        self._implementation = implementation
        self._classes = classes
        self._judges = judges

    def of(self, claim: ResourceClaim) -> PreparedClaim:
        """The claim made ready; its fields have their defaults already."""
        name = claim_name(claim)
        devices = claim.spec.devices
        choices = tuple(self._choice(name, each) for each in devices.requests or ())
        return PreparedClaim(claim, name, choices, self._constraints_fault(claim, name))

    def _constraints_fault(self, claim: ResourceClaim, name: str) -> AllocationError | None:
        for number, each in enumerate(claim.spec.devices.constraints or ()):
            # the stable allocator does not know distinctAttribute
            if each.match_attribute is None and (each.distinct_attribute is None or self._implementation is Implementation.STABLE):
                return fatal(f"claim {name}, constraint #{number}: empty constraint (unsupported constraint type?)")
        return None

    def _choice(self, claim: str, request: DeviceRequest) -> RequestChoice:
        specs = request.first_available or ()
        fault = self._early_fault(claim, request)
        if fault is not None:
            return RequestChoice(request.name, bool(specs), (), fault)
        if specs:
            found = tuple(self._request(claim, each, each.name, request.name) for each in specs)
            return RequestChoice(request.name, True, found)
        return RequestChoice(
            request.name, False, (nil_pointer(),) if request.exactly is None else (self._request(claim, request.exactly, request.name),)
        )

    def _early_fault(self, claim: str, request: DeviceRequest) -> AllocationError | None:
        alternatives = request.first_available or ()
        if alternatives and not self._features.prioritized_list:
            return fatal(f"claim {claim}, request {request.name}: has subrequests, but the DRAPrioritizedList feature is disabled")
        if self._features.consumable_capacity or self._implementation is Implementation.STABLE:
            return None
        why = "has capacity requests, but the DRAConsumableCapacity feature is disabled"
        if request.exactly is not None and request.exactly.capacity is not None:
            return fatal(f"claim {claim}, request {request.name}: {why}")
        asking = next((each for each in alternatives if each.capacity is not None), None)
        return None if asking is None else fatal(f"claim {claim}, subrequest {asking.name}: {why}")

    def _request(
        self, claim: str, spec: ExactDeviceRequest | DeviceSubRequest, name: str, parent: str | None = None
    ) -> Request | AllocationError:
        where = f"claim {claim}, request {name}"
        if spec.derived_attributes and not (self._features.derived_attributes and self._implementation is Implementation.EXPERIMENTAL):
            return fatal(f"{where}: cannot handle request with derived attributes, the feature is disabled")
        empty = next((at for at, each in enumerate(spec.selectors or ()) if each.cel is None), None)
        if empty is not None:
            return fatal(f"{where}, selector #{empty}: CEL expression empty (unsupported selector type?)")
        admin = spec.admin_access if isinstance(spec, ExactDeviceRequest) else None
        if admin is not None and not self._features.admin_access:
            return fatal(f"{where}: admin access is requested, but the feature is disabled")
        class_name = spec.device_class_name
        if not class_name:
            return fatal(f"{where}: missing device class name (unsupported request type?)")
        found = self._classes.get(class_name)
        if found is None:
            missing = f'deviceclasses.resource.k8s.io "{class_name}" not found'
            return fatal(f"{where}: could not retrieve device class {class_name}: {missing}")
        mode = spec.allocation_mode or ""
        if mode not in ("ExactCount", "All"):
            return fatal(f"{where}: unsupported count mode {mode}")
        asked = (spec.capacity.requests if spec.capacity is not None else None) or {}
        return Request(
            name=name,
            parent=parent,
            spec=spec,
            device_class=found,
            class_judges=self._judges.of(found.spec.selectors or ()),
            judges=self._judges.of(spec.selectors or ()),
            every=mode == "All",
            count=spec.count or 0,
            admin=bool(admin),
            tolerations=spec.tolerations or (),
            asked=asked,
            asked_key=key_of(asked),
            derived={each.name: each.expression for each in spec.derived_attributes or ()},
        )


def claim_name(claim: ResourceClaim) -> str:
    """As messages name it: `namespace/name`, or the name alone."""
    meta = claim.metadata
    return f"{meta.namespace}/{meta.name}" if meta.namespace else meta.name


def defaulted(claim: ResourceClaim) -> ResourceClaim:
    """The claim with the defaults that the API server sets: mode, count, operators (pkg/apis/resource/v1/defaults.go)."""
    requests = claim.spec.devices.requests
    if not requests:
        return claim
    done = tuple(_defaulted(each) for each in requests)
    return replace(claim, spec=replace(claim.spec, devices=replace(claim.spec.devices, requests=done)))


def _defaulted(request: DeviceRequest) -> DeviceRequest:
    exactly, alternatives = request.exactly, request.first_available
    return DeviceRequest(
        request.name,
        None if exactly is None else replace(exactly, **_defaults(exactly)),
        None if alternatives is None else tuple(replace(each, **_defaults(each)) for each in alternatives),
    )


def _defaults(spec: ExactDeviceRequest | DeviceSubRequest) -> dict[str, object]:
    mode = spec.allocation_mode or "ExactCount"
    count = spec.count or (1 if mode == "ExactCount" else spec.count)
    tolerations = spec.tolerations
    if tolerations is not None:
        tolerations = tuple(each if each.operator else replace(each, operator="Equal") for each in tolerations)
    return {"allocation_mode": mode, "count": count, "tolerations": tolerations}
