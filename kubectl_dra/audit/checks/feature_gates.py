"""Feature gates, component by component, from what each of them shows. What nobody shows is unknown and not inferred."""

from collections import defaultdict
from collections.abc import Iterator

import msgspec

from kubectl_dra.audit.candidate import Candidate, Doubt
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.control_plane import API_SERVER, CONTROLLERS, NAMES, SCHEDULER
from kubectl_dra.audit.finding import ObjectRef, Severity
from kubectl_dra.audit.gate_uses import READERS
from kubectl_dra.audit.registry import check
from kubectl_dra.audit.words import lines, listed
from kubectl_dra.knowledge import gates
from kubectl_dra.knowledge.faults import fault
from kubectl_dra.objects.snapshot import Version
from kubectl_dra.remedies.kubectl_line import kubectl

_ALWAYS = ("DynamicResourceAllocation", gates.EXTENDED_RESOURCE)
"""Without these nothing is served through DRA, or no extended resource."""
_FIRST = Version(1, 34)
_KUBELET_ON, _KUBELET_LOCKED = Version(1, 36), Version(1, 37)
"""Kubelets from and to which the gate of extended resources is on and can be turned off."""


class _State(msgspec.Struct, frozen=True):
    """What is known of a gate in a component: null is unknown. `shown` says by what, `refs` which pods."""

    on: bool | None
    shown: str = ""
    refs: tuple[ObjectRef, ...] = ()


@check(
    "DRA702",
    title="feature gates that are off",
    severity=Severity.ERROR,
    why=(
        "Each component has its own feature gates, and all have to agree: an API server without DRAExtendedResource drops the name that a"
        " class maps, a scheduler without it looks at device plugins only, a kubelet without it starts pods without their devices. Gates of"
        " newer parts (taints, partitions, shared capacity) matter where something in the cluster rests on them: fields are dropped or"
        " ignored without a word."
    ),
    fix=(
        "# turn the gate on (--feature-gates, in the component's manifest on the control plane's node) and restart the component",
        "kubectl -n kube-system get pods -l tier=control-plane -o wide",
        "# from 1.37 on DRAExtendedResource is on always",
    ),
    source=(
        "kubernetes: pkg/features/kube_features.go",
        "k8s.io/component-base: metrics/prometheus/feature/metrics.go",
        "https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/",
    ),
    also=("pods", "nodes", "resource_slices", "resource_claims", "device_taint_rules"),
    blocks=True,
)
def gates_off(case: Case) -> Iterator[Candidate | Doubt]:
    """One candidate for each gate that a component shows to be off; a doubt for each component that does not show a gate that matters."""
    emulated = case.snapshot.cluster.emulated
    if emulated is not None and emulated < _FIRST:
        return  # DRA701: the gate does not exist yet
    if emulated is None and not case.snapshot.cluster.feature_gates and not case.control_plane:
        yield Doubt("neither the API server's version nor any component's gates are known")
        return
    used = case.gate_uses
    readers = {**{gate: NAMES for gate in _ALWAYS}, **{gate: READERS[gate] for gate in used}}
    unknown: dict[str, list[str]] = defaultdict(list)
    for gate, components in readers.items():
        states = {component: state_of(case, component, gate) for component in components}
        off = {component: state for component, state in states.items() if state.on is False}
        if off:
            yield _off(case, gate, off, used.get(gate, ""))
        for component, state in states.items():
            if state.on is None:
                unknown[component].append(gate)
    for component, missing in sorted(unknown.items()):
        are = "is" if len(missing) == 1 else "are"
        yield Doubt(f"whether {listed(sorted(missing))} {are} on in {component} is not known: {_unseen(case, component)}")
    yield from _kubelets(case)


def state_of(case: Case, component: str, gate: str) -> _State:
    """Whether a component has the gate on, by what it shows: the API server's metrics, static pods' flags, and what no flag changes."""
    cluster = case.snapshot.cluster
    if component == API_SERVER and gate in cluster.feature_gates:
        return _State(cluster.feature_gates[gate], "kube-apiserver says so in its metrics")
    pods = [each for each in case.control_plane if each.name == component]
    states = {each.ref: each.gate(gate) for each in pods}
    if off := tuple(ref for ref, on in states.items() if on is False):
        return _State(False, f"the command line of {listed(off)} says so", off)
    if states and None not in states.values():
        return _State(True)
    by_version = gates.enabled(gate, cluster.emulated, {})
    if component != API_SERVER and by_version is not True:
        return _State(None)
    return _State(by_version, f"kube-apiserver {cluster.emulated} does not have it" if by_version is False else "")


def _off(case: Case, gate: str, off: dict[str, _State], use: str) -> Candidate:
    always = gate in _ALWAYS
    refs = tuple(ref for state in off.values() for ref in state.refs)
    names = tuple(name for name in case.names if case.scope.has_resource(name) and not case.left_alone(name)) if always else ()
    return Candidate(
        cause=gate,
        objects=refs,
        evidence=lines(
            [f"{gate} is off in {component}: {state.shown}" for component, state in off.items()] + ([f"{use} rests on it"] if use else [])
        ),
        resources=names,
        severity=Severity.ERROR if always and set(off) != {CONTROLLERS} else Severity.WARNING,
        title=f"the feature gate {gate} is off in {listed(off)}" + (f", and {use} rests on it" if use else ""),
        fix=(
            f"# turn it on (--feature-gates={gate}=true) in every component that reads it: {listed(NAMES if always else READERS[gate])}"
            f"{' and the kubelets' if always else ''}",
            *(kubectl("-n", ref.namespace, "get", "pod", ref.name, "-o", "yaml") for ref in refs),
        ),
    )


def _unseen(case: Case, component: str) -> str:
    if component == API_SERVER:
        return 'its /metrics could not be read ("kubectl dra rbac audit" prints the role)'
    if not case.snapshot.pods.known:
        return "its pod was not read"
    if any(each.name == component for each in case.control_plane):
        return "its static pod's image names no version"
    return "it runs in no static pod that is seen here (a managed control plane shows none)"


def _kubelets(case: Case) -> Iterator[Doubt]:
    """No kubelet declares the gate of extended resources: from 1.37 on it cannot be off, before 1.36 it is as a rule (DRA204)."""
    if not case.snapshot.device_classes.known or not any(map(case.class_of, case.names)):
        return
    unsure = sorted(
        node.metadata.name
        for node in case.nodes()
        if (version := Version.of(node.kubelet_version)) is not None
        and _KUBELET_ON <= version < _KUBELET_LOCKED
        and case.concerned_by_devices(node)
    )
    if unsure:
        yield Doubt(
            f"whether {gates.EXTENDED_RESOURCE} is on in the kubelets of {listed(unsure)} is not known: they do not declare it"
            " (on by default in 1.36)"
        )


class _Clash(msgspec.Struct, frozen=True):
    """An alpha gate, and what it breaks."""

    gate: str
    effect: str
    why: str


_NODE_ALLOCATABLE = fault("node-allocatable-clash")
_CLASHES = (
    _Clash(
        "DRANodeAllocatableResources",
        "pods with extended resources from DRA fail where devices carry node-allocatable resources",
        "The claim of such a pod exists in memory only while the scheduler looks for a node, and the code behind this gate looks it up by"
        " its name. Mended in 1.38.",
    ),
    _Clash(
        "SchedulerPreQueueingHints",
        "pods that wait may not be tried again when devices become free",
        "The gate narrows which waiting pods an event of a claim is told to. It was taken back to alpha just before 1.37.0 because it left"
        " some of them out; they wait until the scheduler's five-minute round.",
    ),
)


@check(
    "DRA705",
    title="alpha gates that do not go with extended resources from DRA",
    severity=Severity.WARNING,
    why=(
        "DRANodeAllocatableResources lets pods with extended resources fail before 1.38 where devices carry node-allocatable resources;"
        " SchedulerPreQueueingHints leaves waiting pods out when devices become free. Both are alpha and off unless somebody turns them on,"
        " also by AllAlpha."
    ),
    fix=(
        "# take the gate out of the components' --feature-gates",
        "kubectl -n kube-system get pods -l tier=control-plane -o wide",
    ),
    source=("kubernetes/kubernetes#141467", "kubernetes/kubernetes#141556", "kubernetes/kubernetes#140959", "kubernetes/kubernetes#138916"),
    also=("pods", "nodes"),
)
def clashing_gates(case: Case) -> Iterator[Candidate | Doubt]:
    """One candidate for each such gate that a component shows to be on: API server, scheduler, kubelets."""
    for clash in _CLASHES:
        if clash.gate == "DRANodeAllocatableResources" and _NODE_ALLOCATABLE.affects(case.snapshot.cluster.version) is False:
            continue
        if state_of(case, SCHEDULER, clash.gate).on is False:
            continue  # it is the scheduler that goes wrong
        shown = [component for component in (API_SERVER, SCHEDULER) if state_of(case, component, clash.gate).on]
        pods = tuple(each.ref for each in case.control_plane if each.name in shown and each.gate(clash.gate))
        nodes = tuple(ObjectRef.of("Node", each.metadata) for each in case.nodes() if clash.gate in (each.status.declared_features or ()))
        if shown or nodes:
            told = [f"{clash.gate} is on in {component}" for component in shown]
            told += (
                [f"the {'kubelet' if len(nodes) == 1 else 'kubelets'} of {listed(nodes)} {'declares' if len(nodes) == 1 else 'declare'} it"]
                if nodes
                else []
            )
            yield Candidate(
                cause=clash.gate,
                objects=(*pods, *nodes),
                evidence=lines(told),
                title=f"{clash.gate} is on: {clash.effect}",
                why=clash.why,
                fix=(
                    f"# turn it off (take {clash.gate}, or AllAlpha, out of --feature-gates) in every component",
                    *(kubectl("-n", ref.namespace, "get", "pod", ref.name, "-o", "yaml") for ref in pods),
                ),
            )
