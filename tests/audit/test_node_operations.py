"""skipNodeOperations (KEP-5945): illegal sets, nodes that cannot, claims that say something else."""

import json
from pathlib import Path

import msgspec
import pytest

from kubectl_dra.audit.finding import Severity
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.resource import ResourceClaim, ResourceSlice
from tests import factories
from tests.audit import given as of
from tests.audit.given import cluster, findings, forbidden, names, only, resource_slice, unknown
from tests.run import kubectl_dra

PREPARE, UNPREPARE = "NodePrepareResources", "NodeUnprepareResources"


def node(name: str, *features: str) -> Node:
    made = of.node(name)
    return msgspec.structs.replace(made, status=msgspec.structs.replace(made.status, declared_features=features or None))


def skipping(on: str | None, *operations: str, name: str = "s") -> ResourceSlice:
    made = resource_slice(on, 1, name=name, all_nodes=None if on else True, pool="p")
    return msgspec.structs.replace(made, spec=msgspec.structs.replace(made.spec, skip_node_operations=operations or None))


def allocated(*operations: str) -> ResourceClaim:
    made = factories.claim("c", ("p", "gpu-0"), namespace="team", pod="p")
    allocation = made.status.allocation
    assert allocation is not None
    (result,) = allocation.devices.results or ()
    results = (msgspec.structs.replace(result, skip_node_operations=operations or None),)
    devices = msgspec.structs.replace(allocation.devices, results=results)
    status = msgspec.structs.replace(made.status, allocation=msgspec.structs.replace(allocation, devices=devices))
    return msgspec.structs.replace(made, status=status)


@pytest.mark.parametrize(
    ("operations", "wrong"),
    [
        ((PREPARE,), f"{PREPARE} cannot be skipped unless {UNPREPARE} is skipped too"),
        (("Other", "*"), f"Other is none of *, {PREPARE}, {UNPREPARE}"),
        ((UNPREPARE, UNPREPARE), f"{UNPREPARE} stands there twice"),
    ],
)
def test_dra305_sets_that_the_server_refuses(operations: tuple[str, ...], wrong: str) -> None:
    (illegal,) = [each for each in findings(cluster(resource_slices=[skipping("a", *operations)]), "DRA305")]
    assert illegal.severity is Severity.ERROR
    assert illegal.evidence == f"ResourceSlice s: spec.skipNodeOperations is [{', '.join(operations)}]: {wrong}"


@pytest.mark.parametrize("operations", [("*",), (UNPREPARE,), (PREPARE, UNPREPARE), (PREPARE, "*")])
def test_dra305_legal_sets_on_nodes_that_can_are_no_finding(operations: tuple[str, ...]) -> None:
    given = cluster(nodes=[node("a", "DRAOptionalNodeOperations")], resource_slices=[skipping("a", *operations)])
    assert findings(given, "DRA305") == ()


def test_dra305_nodes_that_do_not_declare_it() -> None:
    given = cluster(
        nodes=[node("a"), node("b", "DRAOptionalNodeOperations"), node("c", "Other")],
        resource_slices=[skipping(None, "*"), skipping("b", "*", name="of-b"), resource_slice("a", 1, driver="nic.example.com")],
    )
    finding = only(given, "DRA305")
    assert (finding.severity, names(finding)) == (Severity.WARNING, ["Node a", "Node c", "ResourceSlice s"])
    assert finding.title == "2 nodes cannot skip operations for devices of gpu.example.com"


def test_dra305_a_server_with_the_gate_off_drops_the_field() -> None:
    able = [node("a", "DRAOptionalNodeOperations")]
    given = cluster(gates={"DRAOptionalNodeOperations": False}, nodes=able, resource_slices=[skipping("a", "*")])
    assert only(given, "DRA305").title == "the API server drops spec.skipNodeOperations of 1 slice"


@pytest.mark.parametrize(
    ("now", "then", "differs"),
    [
        (("*",), (), "for gpu.example.com/p/gpu-0 it skips none, and ResourceSlice s NodePrepareResources and NodeUnprepareResources"),
        ((), ("*",), "for gpu.example.com/p/gpu-0 it skips NodePrepareResources and NodeUnprepareResources, and ResourceSlice s none"),
        (("*",), (PREPARE, UNPREPARE), None),
        ((UNPREPARE,), (UNPREPARE, "Unknown"), None),
    ],
)
def test_dra305_claims_keep_what_their_slice_said(now: tuple[str, ...], then: tuple[str, ...], differs: str | None) -> None:
    user = of.pod("p", on="a", served_by_claim=["example.com/gpu"])
    given = cluster(
        nodes=[node("a", "DRAOptionalNodeOperations")],
        pods=[user],
        resource_slices=[skipping("a", *now)],
        resource_claims=[allocated(*then)],
    )
    found = findings(given, "DRA305")
    assert [each.evidence.split("\n")[0] for each in found] == ([f"ResourceClaim team/c: {differs}"] if differs else [])


def test_dra305_a_device_that_is_not_published_any_more_tells_nothing() -> None:
    assert findings(cluster(resource_claims=[allocated("*")]), "DRA305") == ()


def test_dra305_without_slices_or_claims_is_unknown() -> None:
    assert len(unknown(cluster(resource_slices=forbidden()), "DRA305")) == 1
    assert len(unknown(cluster(resource_claims=forbidden()), "DRA305")) == 1


def test_dra305_judges_manifests(tmp_path: Path) -> None:
    (tmp_path / "slice.yaml").write_text(
        """
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: net}
spec:
  driver: net.example.com
  pool: {name: net, generation: 1, resourceSliceCount: 1}
  allNodes: true
  skipNodeOperations: [NodePrepareResources]
"""
    )
    result = kubectl_dra("audit", "--manifests", str(tmp_path), "-o", "json", variables={"KUBECONFIG": "/nowhere/config"})
    (finding,) = json.loads(result.stdout)["findings"]
    assert (result.code, finding["code"], finding["places"][0]["line"]) == (1, "DRA305", 2)
    assert finding["fix"] == ["# write NodeUnprepareResources, or both operations, or * alone"]
