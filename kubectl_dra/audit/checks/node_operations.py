"""Devices for which the kubelet is to call no driver (skipNodeOperations, alpha in 1.37)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from kubectl_dra.audit import claims
from kubectl_dra.audit.candidate import Again, Candidate, Doubt
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import ObjectRef, Severity
from kubectl_dra.audit.registry import check
from kubectl_dra.audit.words import count, lines, listed
from kubectl_dra.inventory.pools import DeviceId, Place
from kubectl_dra.objects.resource import DeviceRequestAllocationResult, ResourceSlice
from kubectl_dra.remedies.kubectl_line import kubectl

GATE = "DRAOptionalNodeOperations"
"""Gate, and feature that kubelets declare."""
_ALL, _PREPARE, _UNPREPARE = "*", "NodePrepareResources", "NodeUnprepareResources"
_VALUES = frozenset({_ALL, _PREPARE, _UNPREPARE})


@check(
    "DRA305",
    title="devices that need no driver on their node, where that does not work",
    severity=Severity.WARNING,
    why=(
        "A slice may say that the kubelet need not call the driver (spec.skipNodeOperations). Only kubelets that declare"
        " DRAOptionalNodeOperations can do that: a scheduler with the gate gives such devices to no other node, one without it gives them"
        " out anyway, and the kubelet calls a driver that may not be there. Claims keep what their slice said when they were allocated. An"
        " API server without the gate drops the field without a word."
    ),
    fix=(
        f"# turn on the gate {GATE} in kubelets, kube-scheduler and kube-apiserver (1.37, alpha), or take the field out of the slices",
        "kubectl get nodes -o custom-columns=NAME:.metadata.name,FEATURES:.status.declaredFeatures",
        "# claims that were allocated before keep the old answer: delete their pods, so that new claims are made",
        "kubectl -n NAMESPACE delete pod POD",
    ),
    source=(
        "https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/5945-dra-optional-node-preparation",
        "kubernetes: pkg/apis/resource/validation/validation.go",
        "kubernetes: pkg/registry/resource/resourceslice/strategy.go",
        "kubernetes: pkg/kubelet/cm/dra/claiminfo.go",
    ),
    needs=("resource_slices",),
    also=("nodes", "resource_claims"),
    manifests=True,
)
def skipped_operations(case: Case) -> Iterator[Candidate | Doubt]:
    """Sets that the API server refuses or drops, nodes that do not declare the feature, and claims that differ from their slice now."""
    skipping = [each for each in case.snapshot.resource_slices if each.spec.skip_node_operations]
    for each in skipping:
        if wrong := _wrong(each.spec.skip_node_operations or ()):
            yield _illegal(each, wrong)
    if skipping and case.snapshot.cluster.feature_gates.get(GATE) is False:
        yield _dropped(skipping)
    yield from _undeclared(case, skipping)
    yield from _outdated(case, skipping)


def _wrong(operations: tuple[str, ...]) -> str:
    """What the API server refuses (validation.go); empty for a legal set."""
    unknown = [each for each in operations if each not in _VALUES]
    if unknown:
        return f"{listed(sorted(unknown))} is none of {', '.join(sorted(_VALUES))}"
    twice = sorted(each for each, number in Counter(operations).items() if number > 1)
    if twice:
        return f"{listed(twice)} stands there twice"
    if _PREPARE in operations and not {_UNPREPARE, _ALL} & set(operations):
        return f"{_PREPARE} cannot be skipped unless {_UNPREPARE} is skipped too"
    return ""


def _illegal(one: ResourceSlice, wrong: str) -> Candidate:
    ref = ObjectRef.of("ResourceSlice", one.metadata)
    return Candidate(
        cause=f"illegal: {ref.name}",
        objects=(ref,),
        evidence=f"{ref}: spec.skipNodeOperations is [{', '.join(one.spec.skip_node_operations or ())}]: {wrong}",
        severity=Severity.ERROR,
        title=f"{ref} skips operations that cannot be skipped so",
        fix=(f"# write {_UNPREPARE}, or both operations, or {_ALL} alone", kubectl("get", "resourceslice", ref.name, "-o", "yaml")),
    )


def _dropped(skipping: Iterable[ResourceSlice]) -> Candidate:
    refs = tuple(sorted(ObjectRef.of("ResourceSlice", each.metadata) for each in skipping))
    return Candidate(
        cause="dropped",
        objects=refs,
        evidence=lines([f"kube-apiserver has {GATE} off", *(f"{ref} has spec.skipNodeOperations" for ref in refs)]),
        title=f"the API server drops spec.skipNodeOperations of {count(len(refs), 'slice')}",
        why=(
            f"With the gate {GATE} off the API server drops the field from new slices and from claims without saying so; slices that have"
            " it already keep it. The kubelet then calls the driver for every claim."
        ),
        fix=(f"# turn on the gate {GATE} in kube-apiserver, kube-scheduler and the kubelets, or take the field out of the slices",),
    )


def _undeclared(case: Case, skipping: list[ResourceSlice]) -> Iterator[Candidate]:
    """One candidate for each driver: nodes that its slices are for and that do not declare the feature."""
    nodes: dict[str, set[str]] = defaultdict(set)
    slices: dict[str, set[ObjectRef]] = defaultdict(set)
    lacking = {node.metadata.name: node for node in case.nodes() if skipping and GATE not in (node.status.declared_features or ())}
    for each in skipping:
        places = _places(each)
        own = {place.node_name for place in places if place.node_name} & lacking.keys()
        shared = [place for place in places if not place.node_name]
        reached = own | {name for name, node in lacking.items() if any(place.reached_from(node) for place in shared)}
        if reached:
            nodes[each.spec.driver] |= reached
            slices[each.spec.driver].add(ObjectRef.of("ResourceSlice", each.metadata))
    for driver, names in sorted(nodes.items()):
        refs = tuple(ObjectRef("Node", "", name) for name in sorted(names))
        yield Candidate(
            cause=f"undeclared: {driver}",
            objects=(*refs, *sorted(slices[driver])),
            evidence=lines(
                [
                    f"{listed(sorted(slices[driver]))} {'has' if len(slices[driver]) == 1 else 'have'} spec.skipNodeOperations",
                    *(f"{ref} does not declare {GATE}" for ref in refs),
                ]
            ),
            title=f"{count(len(refs), 'node')} cannot skip operations for devices of {driver}",
            fix=(
                f"# turn on the gate {GATE} in these kubelets (1.37, alpha), or take the field out of the slices",
                kubectl("get", "node", *sorted(names), "-o", "custom-columns=NAME:.metadata.name,FEATURES:.status.declaredFeatures"),
            ),
            settling=Again((*refs, *sorted(slices[driver]))),
        )


def _places(one: ResourceSlice) -> tuple[Place, ...]:
    where = (one.spec,) if not one.spec.per_device_node_selection else (one.spec.devices or ())
    return tuple(Place(each.node_name or None, bool(each.all_nodes), each.node_selector) for each in where)


def _outdated(case: Case, skipping: list[ResourceSlice]) -> Iterator[Candidate]:
    """Claims in use whose copy says something else than their slice does now."""
    drivers = {each.spec.driver for each in skipping}
    devices: Mapping[DeviceId, ResourceSlice] | None = None
    for claim in case.snapshot.resource_claims:
        if not case.scope.has_namespace(claim.metadata.namespace):
            continue
        concerned = [each for each in claims.devices(claim) if each.skip_node_operations or each.driver in drivers]
        if not concerned:
            continue
        devices = _published(case) if devices is None else devices
        told = [text for each in concerned if (text := _differs(each, devices))]
        if told:
            me = claims.ref(claim)
            pods = tuple(sorted(ObjectRef.of("Pod", pod.metadata) for pod in case.claims.consumers(claim) if not pod.finished))
            yield Candidate(
                cause=f"outdated: {me}",
                objects=(me, *pods),
                evidence=lines([f"{me}: {each}" for each in told] + [f"it is in use by {listed(pods)}"]),
                title=f"{me} says something else of its devices than their slices do now",
                fix=(
                    "# the kubelet goes by the claim: renew it, by deleting the pods that use it (one made by hand: make it again)",
                    *(kubectl("-n", pod.namespace, "delete", "pod", pod.name) for pod in pods),
                ),
                settling=Again((me,)),
            )


def _published(case: Case) -> Mapping[DeviceId, ResourceSlice]:
    return {placed.id: placed.candidate.slice for placed in case.servers.devices.pools.devices()}


def _differs(result: DeviceRequestAllocationResult, devices: Mapping[DeviceId, ResourceSlice]) -> str:
    one = devices.get((result.driver, result.pool, result.device))
    if one is None:
        return ""
    then, now = _meant(result.skip_node_operations), _meant(one.spec.skip_node_operations)
    if then == now:
        return ""
    return (
        f"for {result.driver}/{result.pool}/{result.device} it skips {listed(sorted(then))}, and ResourceSlice {one.metadata.name}"
        f" {listed(sorted(now))}"
    )


def _meant(operations: tuple[str, ...] | None) -> frozenset[str]:
    """The operations that are skipped; values that the kubelet does not know it ignores."""
    given = frozenset(operations or ())
    return frozenset({_PREPARE, _UNPREPARE}) if _ALL in given else given & _VALUES
