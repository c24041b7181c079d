"""Who holds devices on a node."""

from msgspec.structs import replace

from kubectl_dra.extended_resources.asked import Asked
from kubectl_dra.migration.holding import claim_holders, claims_of, held_claims, held_through_plugin, plugin_holders
from kubectl_dra.objects.node import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from kubectl_dra.objects.pod import PodResourceClaim, PodResourceClaimStatus
from kubectl_dra.objects.resource import ResourceClaim
from tests.factories import DRIVER, GPU, claim, pod

NAMES = frozenset({GPU})


def for_node(of: ResourceClaim, node: str) -> ResourceClaim:
    """The claim with an allocation that is for that node."""
    allocation = of.status.allocation
    assert allocation is not None
    here = NodeSelector((NodeSelectorTerm(None, (NodeSelectorRequirement("metadata.name", "In", (node,)),)),))
    return replace(of, status=replace(of.status, allocation=replace(allocation, node_selector=here)))


def test_devices_of_a_plugin_are_those_without_a_mapping() -> None:
    asked = Asked()
    assert held_through_plugin(pod("p", 2, node="a"), NAMES, asked) == {GPU: 2}
    assert held_through_plugin(pod("p", 2, node="a", claim="c"), NAMES, asked) == {}
    assert held_through_plugin(pod("p", 2), NAMES, asked) == {}, "it is on no node"
    assert held_through_plugin(pod("p", 2, node="a", phase="Failed"), NAMES, asked) == {}
    assert held_through_plugin(pod("p", resources={"example.com/fpga": 1}, node="a"), NAMES, asked) == {}


def test_one_that_is_being_deleted_holds_until_it_is_gone() -> None:
    going = pod("p", 1, node="a")
    going = replace(going, metadata=replace(going.metadata, deletion_timestamp="2026-01-01T00:00:00Z"))
    assert plugin_holders([going, pod("q", node="a")], NAMES) == (going,)


def test_claims_with_devices_of_the_nodes_pools() -> None:
    here, elsewhere = claim("here", ("a", "gpu-0"), ("a", "gpu-1"), pod="p"), claim("elsewhere", ("b", "gpu-0"), pod="q")
    (found,) = held_claims([here, elsewhere, claim("waits")], {DRIVER}, {(DRIVER, "a")}, "a")
    assert (found.claim, found.devices, found.pods) == (here, 2, ("p",))


def test_a_claim_that_nobody_has_reserved_is_held_all_the_same() -> None:
    (found,) = held_claims([claim("idle", ("a", "gpu-0"))], {DRIVER}, {(DRIVER, "a")}, "a")
    assert found.pods == ()


def test_another_drivers_claim_is_none_of_ours() -> None:
    other = claim("other", ("a", "gpu-0"), driver="fpga.example.com")
    assert held_claims([other], {DRIVER}, {(DRIVER, "a"), ("fpga.example.com", "a")}, "a") == ()


def test_a_pool_whose_slices_are_gone_is_told_by_the_allocation() -> None:
    """A rollback must not think the node free because the driver's slices have vanished."""
    lost = for_node(claim("lost", ("pool-of-a", "gpu-0"), pod="p"), "a")
    assert len(held_claims([lost], {DRIVER}, (), "a")) == 1
    assert held_claims([lost], {DRIVER}, (), "b") == ()


def test_the_three_places_of_a_pods_claims() -> None:
    of = pod("p", 1, node="a", claim="made")
    spec = replace(of.spec, resource_claims=(PodResourceClaim("own", "named"), PodResourceClaim("tmpl", None, "template")))
    status = replace(of.status, resource_claim_statuses=(PodResourceClaimStatus("tmpl", "from-template"),))
    assert claims_of(replace(of, spec=spec, status=status)) == {"made", "named", "from-template"}
    assert claims_of(pod("q")) == frozenset()


def test_pods_that_use_held_claims() -> None:
    held = held_claims([claim("made", ("a", "gpu-0"), pod="p")], {DRIVER}, {(DRIVER, "a")}, "a")
    user, other, elsewhere = pod("p", 1, node="a", claim="made"), pod("q", 1, node="a"), pod("p", 1, namespace="team", claim="made")
    assert claim_holders([user, other, elsewhere], held) == (user,)
    ended = replace(user, status=replace(user.status, phase="Succeeded"))
    assert claim_holders([ended], held) == ()
