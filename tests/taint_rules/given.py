"""Claims on nodes with tolerations, and rules, for these tests."""

from collections.abc import Iterable

from msgspec.structs import replace

from kubectl_dra.objects.node import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from kubectl_dra.objects.pod import Pod, PodResourceClaim
from kubectl_dra.objects.resource import AllocationResult, ResourceClaim, ResourceClaimConsumerReference
from kubectl_dra.objects.tolerations import Toleration
from tests.factories import claim as plain_claim
from tests.factories import pod as plain_pod


def held(
    name: str,
    *results: tuple[str, str],
    by: Iterable[str] = (),
    node: str | None = None,
    tolerations: Iterable[Toleration] = (),
    owner: str | None = None,
    extended: bool = False,
    namespace: str = "default",
    admin: bool = False,
) -> ResourceClaim:
    """An allocated claim that is reserved for these pods. `owner` is the pod that it was made for."""
    made = plain_claim(name, *results, pod=owner, extended=extended, namespace=namespace, admin=admin)
    allocation = made.status.allocation or AllocationResult()
    given = tuple(replace(each, tolerations=tuple(tolerations) or None) for each in allocation.devices.results or ())
    here = NodeSelectorRequirement("metadata.name", "In", (node,)) if node else None
    selector = NodeSelector((NodeSelectorTerm(match_fields=(here,)),)) if here else None
    allocated = AllocationResult(replace(allocation.devices, results=given), selector) if results else None
    consumers = tuple(ResourceClaimConsumerReference(None, "pods", pod, f"uid-{pod}") for pod in by)
    return replace(made, status=replace(made.status, allocation=allocated, reserved_for=consumers or None))


def using(name: str, *claims: str, node: str | None = "a", namespace: str = "default", owner: tuple[str, str] | None = None) -> Pod:
    """A pod that names these claims."""
    made = plain_pod(name, namespace=namespace, node=node, owner=owner)
    return replace(made, spec=replace(made.spec, resource_claims=tuple(PodResourceClaim(each, each) for each in claims)))
