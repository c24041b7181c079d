"""What the scheduler does with a pod, held against what was foretold of it."""

import re
from collections.abc import Iterable
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path

import msgspec
from msgspec.structs import replace

from kubectl_dra.allocation.foreseen import foreseen
from kubectl_dra.allocation.pod import PodOnNode, PodPlanner
from kubectl_dra.cluster.discovery import discover
from kubectl_dra.cluster.transport import Transport
from kubectl_dra.environment import Environment
from kubectl_dra.extended_resources.names import implicit_name
from kubectl_dra.kubeconfig import Overrides, connect
from kubectl_dra.objects.pod import Pod, RequestMapping
from kubectl_dra.objects.resource import AllocationResult, ResourceClaim
from kubectl_dra.objects.snapshot import Snapshot
from kubectl_dra.reading import Wanted, read_live
from tests.bed.api import Api, Manifest
from tests.bed.cluster import Cluster
from tests.bed.waiting import wait_until
from tests.live.conftest import make_namespace
from tests.live.predictions.foretold import Foretold
from tests.live.predictions.pods import Case, Meant, asking

NAMESPACE = "predictions"
PODS = f"/api/v1/namespaces/{NAMESPACE}/pods"
CLAIMS = f"/apis/resource.k8s.io/v1/namespaces/{NAMESPACE}/resourceclaims"
KINDS = frozenset(
    ("nodes", "pods", "device_classes", "resource_slices", "resource_claims", "resource_claim_templates", "device_taint_rules")
) | {"feature_gates"}
SCHEDULER = {"scheduler": ["--v=3", "--vmodule=schedule_one=10"]}
"""The flags with which a scheduler tells which nodes it scores."""


def trials(cell: Cluster, cases: Iterable[Case]) -> str:
    """What was not as foretold, one pod after the other; empty when all was."""
    wrong = {}
    with Transport(connect(Overrides(kubeconfig=str(cell.kubeconfig)), environment()), environment()) as transport:
        for case in cases:
            wrong[case.name] = try_(cell, transport, case)
    return "\n".join(f"{name}: {why}" for name, why in wrong.items() if why)


def try_(cell: Cluster, transport: Transport, case: Case) -> str:
    """What was not as foretold; empty when all was."""
    make(cell, *case.before)
    told = foretell(read_live(transport, discover(transport), Wanted(kinds=KINDS), environment()), case)
    made = cell.api.create(PODS, case.pod)
    try:
        assert told.meant is case.meant, told
        compare(cell, told, made)
    except AssertionError as error:
        return str(error)
    return ""


def environment() -> Environment:
    return Environment(TextIOWrapper(BytesIO()), StringIO(), StringIO(), {})


def prepare(cell: Cluster, nodes: Iterable[tuple[Manifest, Manifest]], objects: Iterable[Manifest], last: str) -> None:
    """Make the cluster, and wait until its scheduler knows all of it: things come to it in their order, each kind in its own.

    `last` is the class of devices that can be had on every node and that are made last, as the node d.
    """
    make_namespace(cell, NAMESPACE)
    cell.api.patch(f"/api/v1/namespaces/{NAMESPACE}", {"metadata": {"labels": {"resource.kubernetes.io/admin-access": "true"}}})
    for node, status in nodes:
        cell.api.create("/api/v1/nodes", node)
        cell.api.patch(f"/api/v1/nodes/{node['metadata']['name']}/status", status)
    make(cell, *objects)
    pod = asking(Meant.BOUND, "last", {implicit_name(last): "1"}, at="d")
    cell.api.create(PODS, pod.pod)
    wait_until(lambda: "nodeName" in cell.api.get(f"{PODS}/{pod.name}")["spec"], "the scheduler knows all objects")


def make(cell: Cluster, *manifests: Manifest) -> None:
    for manifest in manifests:
        cell.api.create(cell.api.path(manifest, NAMESPACE).rpartition("/")[0], manifest)


def foretell(snapshot: Snapshot, case: Case) -> Foretold:
    manifest = {**case.pod, "metadata": {**case.pod["metadata"], "namespace": NAMESPACE}}
    cluster, pod = foreseen(snapshot, msgspec.convert(manifest, Pod))
    return Foretold(PodPlanner(cluster).on_all_nodes(pod))


def compare(cell: Cluster, told: Foretold, made: Manifest) -> None:
    """Wait for what the scheduler does, and hold it to what was foretold. A pod that waits is removed, so that it takes nothing later."""
    path = f"{PODS}/{made['metadata']['name']}"
    match told.meant:
        case Meant.BOUND:
            pod = wait_until(lambda: (found := cell.api.get(path))["spec"].get("nodeName") and found, "the pod has a node")
            on = next(each for each in told.nodes if each.node == pod["spec"]["nodeName"])
            assert scored(cell.logs()["kube-scheduler"], pod) == told.fitting
            assert allocated(cell.api, pod, on) == foretold_results(on)
            assert mapped(pod) == on.mappings
        case Meant.WAITS | Meant.FAILS | Meant.LOST:
            wait_until(lambda: says(cell.api.get(path), told), f"the scheduler says {told.errors or told.message}")
            cell.api.delete(path, grace=0)
            wait_until(lambda: cell.api.find(path) is None, "the pod is gone")


def says(pod: Manifest, told: Foretold) -> bool:
    """Whether the pod's condition has the error or the reasons that were foretold; what was asserted last is shown when time runs out."""
    condition: Manifest = next((each for each in pod.get("status", {}).get("conditions", ()) if each["type"] == "PodScheduled"), {})
    if told.meant in (Meant.FAILS, Meant.LOST):
        assert condition.get("reason") == "SchedulerError", condition
        assert any(error in condition["message"] for error in told.errors), condition["message"]
    else:
        assert condition.get("reason") == "Unschedulable", condition
        assert condition["message"].startswith(told.message), condition["message"]
    return True


def scored(log: Path, pod: Manifest) -> set[str]:
    """The nodes that the scheduler scored in its last attempt; of a single one it is only told that the pod goes there."""
    name = f'pod="{NAMESPACE}/{pod["metadata"]["name"]}"'
    attempt = log.read_text().rpartition(f'"Attempting to schedule pod" {name}')[2]
    found = re.findall(rf'"Calculated node\'s final score for pod" {name} node="([^"]*)"', attempt)
    return set(found) or {pod["spec"]["nodeName"]}


def allocated(api: Api, pod: Manifest, on: PodOnNode) -> list[AllocationResult]:
    """What the pod's claims have got, those that it found allocated aside, the one for its extended resources last."""
    statuses = pod.get("status", {})
    made = {each["name"]: each.get("resourceClaimName") for each in statuses.get("resourceClaimStatuses", ())}
    wanted = {each.claim.metadata.name for each in on.claims}
    names = [
        entry.get("resourceClaimName") or made[entry["name"]]
        for entry in pod["spec"].get("resourceClaims", ())
        if (entry.get("resourceClaimName") or f"{pod['metadata']['name']}-{entry['name']}") in wanted
    ]
    if "extendedResourceClaimStatus" in statuses:
        names.append(statuses["extendedResourceClaimStatus"]["resourceClaimName"])
    claims = (msgspec.convert(api.get(f"{CLAIMS}/{name}"), ResourceClaim) for name in names)
    return [plain(each.status.allocation) for each in claims if each.status.allocation]


def foretold_results(on: PodOnNode) -> list[AllocationResult]:
    return [plain(each.result) for each in on.allocation.allocations or ()]


def plain(result: AllocationResult) -> AllocationResult:
    """Without the time, and shares without their random names."""
    results = tuple(replace(each, share_id=each.share_id and "") for each in result.devices.results or ())
    return replace(result, devices=replace(result.devices, results=results), allocation_timestamp=None)


def mapped(pod: Manifest) -> tuple[RequestMapping, ...]:
    """Which container's extended resource is which request of the claim."""
    found = pod.get("status", {}).get("extendedResourceClaimStatus", {}).get("requestMappings", ())
    return tuple(msgspec.convert(each, RequestMapping) for each in found)
