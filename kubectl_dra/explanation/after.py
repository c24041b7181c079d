"""A pod that has a node: what it holds, and why it does not start there, or does not end."""

from collections.abc import Iterator

from kubectl_dra.explanation.case import PodCase
from kubectl_dra.explanation.document import Holding, Reason
from kubectl_dra.explanation.drivers import drivers_of, there
from kubectl_dra.explanation.requests import used_by
from kubectl_dra.extended_resources.names import class_of_implicit_name
from kubectl_dra.knowledge.faults import fault
from kubectl_dra.objects.event import Event
from kubectl_dra.objects.resource import ResourceClaim
from kubectl_dra.objects.snapshot import Version
from kubectl_dra.remedies.kubectl_line import kubectl

_PREPARE = "FailedPrepareDynamicResources"
_REFUSED = ("UnexpectedAdmissionError", "TopologyAffinityError", "OutOf")
"""Reasons of pods that the kubelet did not admit (kubernetes pkg/kubelet/lifecycle/predicate.go, cm/admission/errors.go)."""
_DEADLOCK = fault("kubelet-deadlock")
_OLD_KUBELET = fault("kubelet-refuses-dra")


def holdings(case: PodCase) -> tuple[Holding, ...]:
    """The devices of the pod's claims that are reserved for it."""
    found = []
    for claim in own_claims(case):
        if claim.status.allocation is None or not _reserved(case, claim):
            continue
        name = claim.metadata.name
        for each in claim.status.allocation.devices.results or ():
            found.append(Holding(name, each.request, each.driver, each.pool, each.device, used_by(case, name, each.request)))
    return tuple(found)


def claim_names(case: PodCase) -> tuple[str, ...]:
    """The claims that the kubelet has to prepare for the pod: those of the spec, made from templates or not, and the scheduler's."""
    status = case.pod.status
    made = {each.name: each.resource_claim_name for each in status.resource_claim_statuses or ()}
    names = [each.resource_claim_name or made.get(each.name) for each in case.pod.spec.resource_claims or ()]
    extended = status.extended_resource_claim_status
    names += [extended.resource_claim_name] if extended is not None else []
    return tuple(dict.fromkeys(name for name in names if name))


def own_claims(case: PodCase) -> tuple[ResourceClaim, ...]:
    """Those of them that exist."""
    return tuple(claim for name in claim_names(case) if (claim := case.claim(name)) is not None)


def starting(case: PodCase) -> tuple[Reason, ...]:
    """Why a pod that has a node does not run there, as far as devices are concerned."""
    found = (*_claims(case), *_prepare(case), *_remembered(case))
    return (*found, *_kubelet(case, known=bool(found)))


def running(case: PodCase) -> tuple[Reason, ...]:
    """What is worth knowing of a pod that runs."""
    return (*_drivers_gone(case), *_ephemeral(case), *_without_claim(case))


def ending(case: PodCase) -> tuple[Reason, ...]:
    """Why a pod that is being deleted is still there: the kubelet must call each claim's driver to take the devices back.

    Source: kubernetes#129402. There is no event of it.
    """
    if (case.seconds_since(case.pod.metadata.deletion_timestamp) or 0) < 0:
        return ()
    return _drivers_gone(case)


def _drivers_gone(case: PodCase) -> tuple[Reason, ...]:
    """The drivers of the pod's claims that are gone from its node. A pod that runs goes on; it cannot end."""
    node = case.pod.node_name
    if node is None:
        return ()
    return tuple(
        _driver_gone(case, claim, driver, node) for claim, driver in drivers_of(own_claims(case)) if there(case, node, driver) is False
    )


def _driver_gone(case: PodCase, claim: ResourceClaim, driver: str, node: str) -> Reason:
    return Reason(
        "driver-gone",
        f"the driver {driver} is gone from {node}: without it the kubelet cannot take back the devices of claim {claim.metadata.name}",
        driver,
        detail=(
            f"no ResourceSlice of {driver} is left for {node}, which the kubelet removes 30 s after a driver has gone",
            f"start the driver on {node} again, and the pod ends; a deletion by force frees its devices while they may still be prepared",
        ),
        fix=(kubectl("get", "resourceslices", f"--field-selector=spec.nodeName={node},spec.driver={driver}"),),
    )


def refused(case: PodCase) -> tuple[Reason, ...]:
    """A pod that failed because the kubelet did not admit it."""
    reason = case.pod.status.reason or ""
    if not reason.startswith(_REFUSED):
        return ()
    text = f"the kubelet of {case.pod.node_name} refused it: {reason}"
    told = (case.pod.status.message,) if case.pod.status.message else ()
    return (Reason("kubelet-refused", text, reason, detail=(*told, *_old_kubelet_words(case))),)


def _old_kubelet_words(case: PodCase) -> tuple[str, ...]:
    version = _kubelet_version(case)
    if not case.names or not _OLD_KUBELET.affects(version):
        return ()
    return (f"its kubelet is {version}: {_OLD_KUBELET.title} ({_OLD_KUBELET.in_words})",)


def _claims(case: PodCase) -> Iterator[Reason]:
    """What is wrong with the claims that the kubelet is to prepare."""
    if not case.snapshot.resource_claims.known:
        return
    namespace, name = case.pod.metadata.namespace or "", case.pod.metadata.name
    extended = case.pod.status.extended_resource_claim_status
    for each in claim_names(case):
        claim = case.claim(each)
        if claim is None:
            special = extended is not None and extended.resource_claim_name == each
            why = "after a binding that failed the scheduler leaves the name of the claim that it deleted in the pod's status"
            detail = (why,) if special else ()
            fix = ("# its controller makes a new one", kubectl("-n", namespace, "delete", "pod", name)) if special else ()
            code = "dangling-claim" if special else "claim-missing"
            yield Reason(
                code, f"the claim {namespace}/{each} does not exist, so the kubelet cannot prepare it", each, detail=detail, fix=fix
            )
        elif claim.status.allocation is None:
            yield Reason("claim-not-allocated", f"the claim {namespace}/{each} is not allocated", each, detail=_BYPASSED)
        elif not _reserved(case, claim):
            users = ", ".join(user.name for user in claim.status.reserved_for or ()) or "nobody"
            message = f"the claim {namespace}/{each} is not reserved for the pod, so the kubelet does not let it use the claim"
            yield Reason("claim-not-reserved", message, each, detail=(f"it is reserved for {users}", *_BYPASSED))
    yield from _without_claim(case)


_BYPASSED = ("the scheduler allocates and reserves claims: was the pod put on its node without it (spec.nodeName)?",)


def _reserved(case: PodCase, claim: ResourceClaim) -> bool:
    return any(each.uid == case.pod.metadata.uid for each in claim.status.reserved_for or ())


def _without_claim(case: PodCase) -> Iterator[Reason]:
    """A pod that asks for a name which its node does not offer, and whose status has no claim for it."""
    status = case.pod.status.extended_resource_claim_status
    mapped = {each.resource_name for each in (status.request_mappings or ())} if status is not None else set()
    node = case.nodes.get(case.pod.node_name or "")
    missing = [name for name in case.names if node is not None and name not in mapped and not case.planner.offers(node, name)]
    own = next((each for each in case.snapshot.resource_claims if each.extended and _owns(case, each)), None)
    if missing and own is not None and status is None:
        made = own.metadata.name
        text = f"the claim {made} was made for it, and its status names none: a client that does not know the field has removed it"
        yield Reason("claim-status-lost", text, made, detail=("the kubelet finds no claim to prepare or to take back",))
        return
    for name in missing:
        where = node.metadata.name if node is not None else ""
        message = f"it has no claim for {name}, and no device plugin offers that on {where} now"
        implicit = class_of_implicit_name(name) is not None
        why = (
            "it was put on the node without the scheduler"
            if implicit
            else "it has a device that the plugin gave it before it left, or none"
        )
        yield Reason("no-claim", message, name, detail=(why,))


def _owns(case: PodCase, claim: ResourceClaim) -> bool:
    owner = claim.metadata.controller
    return owner is not None and owner.uid == case.pod.metadata.uid


def _prepare(case: PodCase) -> Iterator[Reason]:
    """What the kubelet says of claims that it cannot prepare."""
    event = case.event(_PREPARE)
    if event is None or not event.message:
        return
    _, found, rest = event.message.partition("DRA driver ")
    driver = rest.partition(" ")[0]
    if found and "is not registered" in rest:
        detail = (_at(event), f"is the driver's pod on {case.pod.node_name} ready? a ResourceSlice stays while its driver is down")
        yield Reason(
            "driver-not-registered",
            f"the driver {driver} is not registered with the kubelet of {case.pod.node_name}",
            driver,
            detail=detail,
        )
    else:
        yield Reason("prepare-failed", f"the kubelet of {case.pod.node_name} cannot prepare the pod's claims", detail=(_at(event),))


def _remembered(case: PodCase) -> Iterator[Reason]:
    """kubernetes/kubernetes#141426: the kubelet asks a device plugin that is gone for ever."""
    for event in case.events:
        name = (event.message or "").partition("endpoint not found in cache for a registered resource: ")[2]
        if name:
            why = fault("plugin-remembered")
            yield Reason(
                "plugin-remembered",
                f"the kubelet still remembers pods of the device plugin of {name}",
                name,
                detail=(why.title, why.remedy),
            )
            return


def _kubelet(case: PodCase, *, known: bool) -> Iterator[Reason]:
    """Kubelets whose release cannot do it."""
    version = _kubelet_version(case)
    if claim_names(case) and not known and _DEADLOCK.affects(version):
        yield Reason("kubelet-deadlock", f"its kubelet is {version}: {_DEADLOCK.title}", detail=(_DEADLOCK.remedy,))
    for words in _old_kubelet_words(case):
        yield Reason("kubelet-old", words, detail=(_OLD_KUBELET.remedy,))


def _kubelet_version(case: PodCase) -> Version | None:
    node = case.nodes.get(case.pod.node_name or "")
    return None if node is None else Version.of(node.kubelet_version)


def _ephemeral(case: PodCase) -> Iterator[Reason]:
    """Ephemeral containers have no resources (kubernetes pkg/apis/core/validation: "cannot be set for an Ephemeral Container")."""
    names = [each.name for each in case.pod.spec.ephemeral_containers or ()]
    if names and (case.names or case.pod.spec.resource_claims):
        listed = ", ".join(names)
        yield Reason("ephemeral-container", f"ephemeral containers get none of the pod's devices: {listed}", listed)


def _at(event: Event) -> str:
    return f"{event.last_time or 'once'}: {event.message}"
