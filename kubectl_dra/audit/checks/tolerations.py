"""Tolerations of claims that do not do what they say, and devices whose drivers taint them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from kubectl_dra.allocation.device_taints import tolerates
from kubectl_dra.audit import claims
from kubectl_dra.audit.candidate import Candidate, Doubt
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import ObjectRef, Severity
from kubectl_dra.audit.registry import check
from kubectl_dra.audit.words import count, lines, listed
from kubectl_dra.inventory.pools import DeviceId, PlacedDevice
from kubectl_dra.knowledge.faults import fault
from kubectl_dra.objects.resource import DeviceClaim, DeviceTaint, ResourceClaim
from kubectl_dra.objects.tolerations import Toleration
from kubectl_dra.remedies.kubectl_line import kubectl

_NOT_EVICTED = fault("no-eviction-of-extended")
_KEEPS_AWAY = frozenset({"NoSchedule", "NoExecute"})


@check(
    "DRA904",
    title="a device toleration without an effect does not save from eviction",
    severity=Severity.INFO,
    why=(
        "A toleration of a request without an effect tolerates all of them, says the API, and the scheduler goes by it: it puts the pod on"
        " a device with NoExecute. But the controller that evicts looks only at tolerations whose effect is NoExecute, and evicts the pod"
        " at once; its controller makes a new one, and so on. Once devices have such a taint, this is a warning."
    ),
    fix=(
        "# write it once for each effect: effect NoSchedule, and effect NoExecute (specs of claims cannot be changed: make new ones)",
        "kubectl -n NAMESPACE get resourceclaimtemplate TEMPLATE -o yaml",
    ),
    source=(
        "kubernetes: pkg/controller/devicetainteviction/device_taint_eviction.go (claimEvictionTime)",
        "k8s.io/dynamic-resource-allocation: resourceclaim/devicetoleration.go (ToleratesTaint)",
        "k8s.io/api: resource/v1/types.go (DeviceToleration)",
    ),
    needs=("resource_claims", "resource_claim_templates"),
    also=("resource_slices", "device_taint_rules"),
    manifests=True,
)
def tolerations_without_effect(case: Case) -> Iterator[Candidate | Doubt]:
    """Templates, and claims that people made, with such a toleration: a warning where a device has a taint that it should cover."""
    executing = _executing(case)
    told: dict[ObjectRef, tuple[str, list[Toleration]]] = {}
    for template in case.snapshot.resource_claim_templates:
        found = list(_unsaved(template.spec.spec.devices))
        if found and case.scope.has_namespace(template.metadata.namespace):
            told[ObjectRef.of("ResourceClaimTemplate", template.metadata)] = ("resourceclaimtemplate", found)
    for claim in case.snapshot.resource_claims:
        # what a template made speaks for itself in the template
        found = list(_unsaved(claim.spec.devices)) if claim.metadata.controller is None else []
        if found and case.scope.has_namespace(claim.metadata.namespace):
            told[claims.ref(claim)] = ("resourceclaim", found)
    for ref, (resource, found) in sorted(told.items()):
        hit = sorted({_taint(taint) for taint in executing for toleration in found if tolerates(toleration, taint)})
        yield Candidate(
            cause=str(ref),
            objects=(ref,),
            evidence=lines(
                [
                    *(f"{ref} tolerates {_toleration(each)} without an effect" for each in found),
                    *((f"devices have the taint {listed(hit)}",) if hit else _none_now(case)),
                ]
            ),
            severity=Severity.WARNING if hit else Severity.INFO,
            title=f"{ref} has a toleration without an effect, which does not save from eviction",
            fix=(
                "# write it once for each effect: effect NoSchedule, and effect NoExecute (specs cannot be changed: make a new one)",
                kubectl("-n", ref.namespace, "get", resource, ref.name, "-o", "yaml"),
            ),
        )


def _none_now(case: Case) -> tuple[str, ...]:
    return ("no device has such a taint with NoExecute now",) if case.snapshot.resource_slices.known else ()


def _unsaved(claim: DeviceClaim) -> Iterator[Toleration]:
    """The tolerations without an effect beside which no other one for NoExecute says as much."""
    for request in claim.requests or ():
        exactly = (request.exactly,) if request.exactly is not None else ()
        for each in (*exactly, *(request.first_available or ())):
            tolerations = each.tolerations or ()
            for toleration in tolerations:
                if not toleration.effect and not any(_covers(other, toleration) for other in tolerations):
                    yield toleration


def _covers(other: Toleration, toleration: Toleration) -> bool:
    if other.effect != "NoExecute" or (other.key or "") not in ("", toleration.key or ""):
        return False
    if (other.operator or "Equal") == "Exists":
        return True
    return (toleration.operator or "Equal") == "Equal" and (other.value or "") == (toleration.value or "")


def _executing(case: Case) -> tuple[DeviceTaint, ...]:
    """All taints with NoExecute that devices have, of drivers and rules."""
    of_drivers = (taint for each in case.servers.devices.pools.devices() for taint in each.device.taints or ())
    of_rules = (rule.spec.taint for rule in case.snapshot.device_taint_rules if rule.spec.device_selector is not None)
    return tuple({_taint(taint): taint for taint in (*of_drivers, *of_rules) if taint.effect == "NoExecute"}.values())


def _taint(taint: DeviceTaint) -> str:
    return f"{taint.key}{f'={taint.value}' if taint.value else ''}:{taint.effect}"


def _toleration(toleration: Toleration) -> str:
    key = toleration.key or "every key"
    return f"{key}={toleration.value}" if toleration.value else key


@check(
    "DRA905",
    title="devices that their driver taints",
    severity=Severity.INFO,
    why=(
        "Claims for extended resources tolerate nothing: neither the pod's tolerations nor the class reach them. A device with NoSchedule"
        " or NoExecute is not given to such a pod, and from 1.37.2 on NoExecute also evicts the pod that has it. Drivers taint devices that"
        " are not healthy, which is as it should be; a driver that taints devices for another reason takes them away from these pods. A"
        " warning where all devices of a name are tainted, or where an upgrade to 1.37.2 would evict pods."
    ),
    fix=(
        "# what is wrong with the device, by its driver's words",
        "kubectl dra devices --driver DRIVER",
    ),
    source=(
        "kubernetes: pkg/scheduler/framework/plugins/dynamicresources/extendeddynamicresources.go",
        "kubernetes/kubernetes#141290",
        "kubernetes/kubernetes#142492",
    ),
    needs=("resource_slices",),
    also=("device_classes", "resource_claims"),
)
def devices_tainted_by_drivers(case: Case) -> Iterator[Candidate | Doubt]:
    """Such devices, a candidate for each driver; a second where pods with an extended resource hold one that will evict them."""
    tainted: dict[str, list[PlacedDevice]] = defaultdict(list)
    for placed in case.servers.devices.pools.devices():
        if any(taint.effect in _KEEPS_AWAY for taint in placed.device.taints or ()):
            tainted[placed.driver].append(placed)
    if not tainted:
        return
    ids = {placed.id for of_driver in tainted.values() for placed in of_driver}
    empty = _names_without_devices(case, ids)
    for driver, devices in sorted(tainted.items()):
        yield _of_driver(driver, devices, [name for name, drivers in empty.items() if driver in drivers])
    if _NOT_EVICTED.affects(case.snapshot.cluster.version):
        yield from _evicted_later(case, [placed for of_driver in tainted.values() for placed in of_driver])


def _names_without_devices(case: Case, tainted: set[DeviceId]) -> dict[str, set[str]]:
    """Mapped names of which every device is tainted, with the drivers of these."""
    found: dict[str, set[str]] = {}
    for device_class in case.snapshot.device_classes:
        name = device_class.spec.extended_resource_name
        devices = case.servers.devices.everywhere(device_class) if name and case.scope.has_resource(name) else None
        if name and devices and case.class_of(name) is device_class and all(placed.id in tainted for placed in devices):
            found[name] = {placed.driver for placed in devices}
    return found


def _of_driver(driver: str, devices: list[PlacedDevice], empty: list[str]) -> Candidate:
    by_taint: dict[str, list[str]] = defaultdict(list)
    for placed in devices:
        for taint in placed.device.taints or ():
            if taint.effect in _KEEPS_AWAY:
                by_taint[_taint(taint)].append(f"{placed.pool}/{placed.device.name}")
    seen = [f"{taint} on {listed(names)} of driver {driver}" for taint, names in sorted(by_taint.items())]
    seen += [f"every device of {name} is tainted: pods that ask for it wait wherever DRA serves it" for name in empty]
    return Candidate(
        cause=driver,
        objects=(),
        evidence=lines(seen),
        resources=tuple(empty),
        severity=Severity.WARNING if empty else Severity.INFO,
        title=f"driver {driver} taints {count(len(devices), 'device')}"
        + (f": none of {listed(empty)} is left for pods that ask for it" if empty else ", which pods with extended resources do not get"),
        fix=("# what is wrong with them, by their driver's words", kubectl("dra", "devices", "--driver", driver)),
    )


def _evicted_later(case: Case, devices: Iterable[PlacedDevice]) -> Iterator[Candidate]:
    """Pods that hold such a device through an extended resource, on a version that does not evict them yet."""
    executing = {placed.id for placed in devices if any(taint.effect == "NoExecute" for taint in placed.device.taints or ())}
    held: list[ResourceClaim] = [
        claim
        for claim in case.snapshot.resource_claims
        if claim.extended
        and case.scope.has_namespace(claim.metadata.namespace)
        and any((each.driver, each.pool, each.device) in executing for each in claims.devices(claim))
    ]
    if held:
        are = "is" if len(held) == 1 else "are"
        pods = tuple(sorted({ObjectRef.of("Pod", pod.metadata) for claim in held for pod in case.claims.consumers(claim)}))
        yield Candidate(
            cause="evicted later",
            objects=pods or tuple(sorted(map(claims.ref, held))),
            evidence=lines(
                f"{claims.ref(claim)} holds {listed('/'.join((each.driver, each.pool, each.device)) for each in claims.devices(claim))}"
                for claim in held
            ),
            severity=Severity.WARNING,
            title=f"{count(len(held), 'pod')} on devices with NoExecute {are} evicted by an upgrade to 1.37.2",
            fix=(
                "# replace them before the upgrade, when it suits: their successors get other devices",
                *(f"#   {kubectl('-n', ref.namespace, 'delete', 'pod', ref.name)}" for ref in pods[:5]),
            ),
        )
