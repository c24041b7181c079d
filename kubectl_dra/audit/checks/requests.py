"""What pods write in their requests and claims that the scheduler does not take as they mean it."""

from collections.abc import Iterator, Mapping

from kubectl_dra.audit.candidate import Candidate, Doubt
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import Severity
from kubectl_dra.audit.registry import check
from kubectl_dra.audit.users import User
from kubectl_dra.audit.words import count, lines, listed
from kubectl_dra.extended_resources.names import is_implicit_name
from kubectl_dra.extended_resources.requests import effective_requests
from kubectl_dra.inventory.owners import BUILT_IN
from kubectl_dra.knowledge.faults import fault
from kubectl_dra.objects import quantity
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.pod import Container
from kubectl_dra.objects.quantity import Quantity
from kubectl_dra.remedies.kubectl_line import kubectl

_CLAIMS_AND_PLUGIN = fault("claims-and-plugin")
_MAKERS = (*BUILT_IN, "custom_workloads")


@check(
    "DRA402",
    title="a pod has resource claims of its own and asks for a mapped name",
    severity=Severity.ERROR,
    why=(
        "On a node where the device plugin serves all mapped names of such a pod, the scheduler makes an empty claim for them and cannot"
        " bind the pod: `nil or empty request mappings, no update of pod`. It tries again and again, and may choose such a node each time."
        " On nodes that DRA serves the pod runs. Merely creating the class that maps the name breaks such pods."
    ),
    fix=(
        "# ask for all devices in one way: put the device of the mapped name into the pod's claims as a request for its class",
        "# or keep the pod to nodes that DRA serves, with a label of your own, until no node serves the name through a plugin",
    ),
    source=("kubernetes: pkg/scheduler/framework/plugins/dynamicresources/extendeddynamicresources.go (filterExtendedResources)",),
    needs=("pods", "device_classes"),
    also=("nodes", *_MAKERS),
    blocks=True,
    manifests=True,
)
def claims_beside_a_mapped_name(case: Case) -> Iterator[Candidate | Doubt]:
    """Whoever makes such pods: an error while nodes serve the names by a plugin, else worth knowing.

    Where no class maps the name yet but its vendor has a driver, a warning of what the class will do.
    """
    if _CLAIMS_AND_PLUGIN.affects(case.snapshot.cluster.version) is False:
        return
    nodes: dict[tuple[str, ...], tuple[Node, ...]] = {}
    for user in case.users:
        asked = case.asked(user.spec) if user.spec.resource_claims else {}
        names = tuple(sorted(name for name in asked if case.in_question(name)))
        # with a request for an implicit name the claim is never empty
        if not names or any(map(is_implicit_name, names)):
            continue
        served = nodes.get(names)
        if served is None:
            served = nodes[names] = _served_by_plugins(case, names)
        mapped = all(case.class_of(name) for name in names)
        if served or mapped:
            yield _beside(case, user, names, served, mapped=mapped)


def _served_by_plugins(case: Case, names: tuple[str, ...]) -> tuple[Node, ...]:
    """The nodes where the device plugin serves every one of the names."""
    return tuple(node for node in case.snapshot.nodes if all(case.allocatable(node, name) for name in names))


def _beside(case: Case, user: User, names: tuple[str, ...], served: tuple[Node, ...], *, mapped: bool) -> Candidate:
    sure = mapped and case.extended_resources_on
    own = listed(
        f"{each.name} ({each.resource_claim_name or each.resource_claim_template_name})" for each in user.spec.resource_claims or ()
    )
    told = [f"{user.ref}{f' ({user.where})' if user.where else ''} asks {listed(names)} and has spec.resourceClaims {own}"]
    if served:
        told.append(f"the device plugin serves {listed(names)} on {listed(node.metadata.name for node in served)}")
    elif case.snapshot.nodes.known:
        told.append("no node serves that through a device plugin now")
    told += case.without_class(names)
    told += [f"{pod} waits: {message}" for pod, message in user.waiting]
    return Candidate(
        cause=f"{user.ref} {user.where} {listed(names)}",
        objects=(user.ref,),
        evidence=lines(told),
        resources=names,
        severity=_severity(case, served=bool(served), sure=bool(sure)),
        title=f"{user.ref} has resource claims and asks {listed(names)}: it cannot be bound where the plugin serves that"
        if served
        else f"{user.ref} has resource claims and asks {listed(names)}: it could not be bound where a plugin served that",
        fix=(
            "# ask for all devices in one way: put the device into the pod's claims as a request for its class",
            "# or keep the pod to nodes that DRA serves, with a label of your own, until no node serves the name through a plugin",
            kubectl(*_in(user), "get", user.resource, user.ref.name, "-o", "yaml"),
        ),
    )


def _severity(case: Case, *, served: bool, sure: bool) -> Severity:
    """Where no node serves the name by a plugin it is only worth knowing; where nobody knows, it may be more."""
    if not served:
        return Severity.INFO if case.snapshot.nodes.known else Severity.WARNING
    return Severity.ERROR if sure else Severity.WARNING


@check(
    "DRA403",
    title="a request for an implicit name that does not count as it is written",
    severity=Severity.ERROR,
    why=(
        "For names of the form deviceclass.resource.kubernetes.io/CLASS the API server takes fractions, and requests below the limit. The"
        " scheduler goes by requests alone: a pod with a limit of 4 and a request of 2 gets 2 devices. With a fraction it finds a node and"
        " then cannot bind the pod: `nil or empty request mappings, no update of pod`, again and again."
    ),
    fix=("# write whole numbers, and the same number as request and limit (or only the limit)",),
    source=(
        "kubernetes: pkg/apis/core/validation/validation.go (validateResourceName, IsIntegerResourceName)",
        "kubernetes: pkg/scheduler/framework/plugins/dynamicresources/extendeddynamicresources.go (createRequestsAndMappings)",
    ),
    needs=("pods",),
    also=_MAKERS,
    blocks=True,
    manifests=True,
)
def requests_not_as_written(case: Case) -> Iterator[Candidate | Doubt]:
    """Whoever makes pods that ask for a fraction of a device (an error), or request fewer than their limit (a warning)."""
    for user in case.users:
        if not any(is_implicit_name(name) and case.scope.has_resource(name) for name in case.asked(user.spec)):
            continue
        fractions: dict[str, str] = {}
        below: dict[str, str] = {}
        for container in (*(user.spec.init_containers or ()), *(user.spec.containers or ())):
            fractions |= {name: text for name, text in _fractions(container) if case.scope.has_resource(name)}
            below |= {name: text for name, text in _below_limit(container) if case.scope.has_resource(name)}
        if fractions:
            yield _told(user, fractions, Severity.ERROR, "asks for a fraction of a device, and can never be bound")
        if below:
            yield _told(user, below, Severity.WARNING, "requests fewer devices than its limit, and gets only those")


def _fractions(container: Container) -> Iterator[tuple[str, str]]:
    for name, value in effective_requests(container).items():
        asked = quantity.read(value) if is_implicit_name(name) else None
        if asked is not None and asked.value() and Quantity.parse(str(asked)).as_int64() is None:
            yield name, f"container {container.name} requests {value} {name}, which is no whole number"


def _below_limit(container: Container) -> Iterator[tuple[str, str]]:
    limits = (container.resources.limits if container.resources is not None else None) or {}
    asked = effective_requests(container)
    for name, value in limits.items():
        limit, request = quantity.read(value), quantity.read(asked.get(name))
        if is_implicit_name(name) and limit is not None and request is not None and request < limit:
            yield name, f"container {container.name} requests {asked[name]} {name} and limits {value}"


def _told(user: User, seen: Mapping[str, str], severity: Severity, what: str) -> Candidate:
    return Candidate(
        cause=f"{user.ref} {user.where} {severity}",
        objects=(user.ref,),
        evidence=lines([*seen.values(), *(f"{pod} waits: {message}" for pod, message in user.waiting)]),
        resources=tuple(sorted(seen)),
        severity=severity,
        title=f"{user.ref} {what} ({count(len(seen), 'name')})",
        fix=(
            "# write whole numbers, and the same number as request and limit (or only the limit)",
            kubectl(*_in(user), "get", user.resource, user.ref.name, "-o", "yaml"),
        ),
    )


def _in(user: User) -> tuple[str, ...]:
    return ("-n", user.ref.namespace) if user.ref.namespace else ()
