"""Whether a DRA driver is at work on a node, as far as objects tell."""

from collections.abc import Iterable, Iterator

from kubectl_dra.explanation.case import PodCase
from kubectl_dra.objects.resource import ResourceClaim


def drivers_of(claims: Iterable[ResourceClaim]) -> Iterator[tuple[ResourceClaim, str]]:
    """Each claim that is allocated, with each driver that it has devices of."""
    for claim in claims:
        results = claim.status.allocation.devices.results or () if claim.status.allocation is not None else ()
        for driver in dict.fromkeys(each.driver for each in results):
            yield claim, driver


def there(case: PodCase, node: str, driver: str) -> bool | None:
    """By its slices for the node: the kubelet removes them 30 s after the driver has gone (kubernetes pkg/kubelet/cm/dra/manager.go).

    None: it cannot be told, because slices were not read or the driver publishes none for single nodes.
    """
    if not case.snapshot.resource_slices.known:
        return None
    own = [each for each in case.snapshot.resource_slices if each.spec.driver == driver]
    if any(each.spec.node_name == node for each in own):
        return True
    return None if any(not each.spec.node_name for each in own) else False
