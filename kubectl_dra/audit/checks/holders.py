"""Pods that hold devices from a plugin and that a drain does not move: static pods, pods of DaemonSets, pods that nobody makes again."""

from collections import defaultdict
from collections.abc import Iterator

from kubectl_dra.audit.candidate import Candidate, Doubt
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import ObjectRef, Severity
from kubectl_dra.audit.registry import check
from kubectl_dra.audit.words import count, lines, listed
from kubectl_dra.objects.pod import Pod
from kubectl_dra.remedies.kubectl_line import kubectl

Held = tuple[Pod, tuple[str, ...]]
"""A pod on a node, and the names that it has from a device plugin there."""


@check(
    "DRA406",
    title="pods that a drain leaves on the node hold devices from the plugin",
    severity=Severity.WARNING,
    why=(
        "A node can move only when no pod on it has devices from the plugin any more: DRA does not see these, and would give them a second"
        " time. kubectl drain leaves the pods of DaemonSets and static pods where they are. A DaemonSet's pod has to be deleted once the"
        " plugin is off, and its successor then gets its devices from DRA. A static pod cannot: no scheduler sees it, so nobody makes a"
        " claim for it, and the kubelet refuses it when the plugin is gone."
    ),
    fix=(
        "# static pods: take the device out of the manifest on the node, or make a DaemonSet of it",
        "# pods of a DaemonSet: once the node is cordoned and the plugin off, delete them there",
        "kubectl -n NAMESPACE delete pod POD",
    ),
    source=(
        "kubernetes: staging/src/k8s.io/kubectl/pkg/drain/filters.go",
        "kubernetes: pkg/kubelet/lifecycle/predicate.go",
        "kubernetes/kubernetes#75482",
        "https://kubernetes.io/docs/tasks/configure-pod-container/static-pod/",
    ),
    needs=("pods", "device_classes"),
    blocks=True,
)
def left_by_a_drain(case: Case) -> Iterator[Candidate | Doubt]:
    """Static pods: a warning, as they can never have a device from DRA. DaemonSets: worth knowing, as their pods can."""
    static: dict[str, list[Pod]] = defaultdict(list)
    of_sets: dict[ObjectRef, list[Held]] = defaultdict(list)
    for pod, names in case.held_from_plugins:
        owner = pod.metadata.controller
        if pod.mirror:
            for name in names:
                static[name].append(pod)
        elif owner is not None and owner.kind == "DaemonSet":
            of_sets[ObjectRef("DaemonSet", pod.metadata.namespace or "", owner.name)].append((pod, names))
    for name, pods in sorted(static.items()):
        yield _static(name, pods)
    for ref, held in sorted(of_sets.items()):
        yield _of_daemon_set(ref, held)


def _static(name: str, pods: list[Pod]) -> Candidate:
    refs = tuple(sorted(ObjectRef.of("Pod", pod.metadata) for pod in pods))
    nodes = sorted({pod.node_name or "" for pod in pods})
    return Candidate(
        cause=f"static {name}",
        objects=refs,
        evidence=lines(
            f"{ObjectRef.of('Pod', pod.metadata)} is a static pod of node {pod.node_name} and has {name} from the device plugin"
            for pod in pods
        ),
        resources=(name,),
        title=f"{count(len(pods), 'static pod')} {_hold(pods)} {name}, and can never have it from DRA",
        fix=(
            f"# on {listed(nodes)}: take {name} out of the manifest in the kubelet's staticPodPath, or make a DaemonSet of it",
            *(kubectl("-n", ref.namespace, "get", "pod", ref.name, "-o", "yaml") for ref in refs[:1]),
        ),
    )


def _of_daemon_set(ref: ObjectRef, held: list[Held]) -> Candidate:
    names = sorted({name for _, of_pod in held for name in of_pod})
    nodes = sorted({pod.node_name or "" for pod, _ in held})
    return Candidate(
        cause=str(ref),
        objects=(ref, *sorted(ObjectRef.of("Pod", pod.metadata) for pod, _ in held)),
        evidence=f"{count(len(held), 'pod')} of {ref} on {listed(nodes)} {_hold(held)} {listed(names)} from the device plugin",
        resources=tuple(names),
        severity=Severity.INFO,
        title=f"the pods of {ref} hold {listed(names)}, and kubectl drain leaves them",
        fix=(
            "# when a node moves, once it is cordoned and its plugin off: delete the set's pod there; the next one is served by DRA",
            *(
                f"#   {kubectl('-n', ref.namespace, 'delete', 'pod', pod.metadata.name)}   # on {pod.node_name}"
                for pod, _ in sorted(held, key=lambda each: each[0].metadata.name)[:5]
            ),
        ),
    )


@check(
    "DRA407",
    title="pods that nothing makes again hold devices from the plugin",
    severity=Severity.INFO,
    why=(
        "A node that moves is drained first. Pods without a controller do not come back from that: what they have done is lost, and they"
        " have to be made again by hand. kubectl drain refuses to evict them without --force."
    ),
    fix=(
        "# keep their manifests before the node moves, and make them again afterwards",
        "kubectl -n NAMESPACE get pod POD -o yaml",
    ),
    source=("kubernetes: staging/src/k8s.io/kubectl/pkg/drain/filters.go",),
    needs=("pods", "device_classes"),
)
def bare_pods(case: Case) -> Iterator[Candidate | Doubt]:
    """Pods without a controller that have a name in question from a plugin, a candidate for each name."""
    found: dict[str, list[Pod]] = defaultdict(list)
    for pod, names in case.held_from_plugins:
        if pod.metadata.controller is None and not pod.mirror:
            for name in names:
                found[name].append(pod)
    for name, pods in sorted(found.items()):
        by_namespace: dict[str, list[str]] = defaultdict(list)
        for pod in pods:
            by_namespace[pod.metadata.namespace or ""].append(pod.metadata.name)
        yield Candidate(
            cause=name,
            objects=tuple(sorted(ObjectRef.of("Pod", pod.metadata) for pod in pods)),
            evidence=lines(
                f"{ObjectRef.of('Pod', pod.metadata)} on node {pod.node_name} has no controller and has {name} from the device plugin"
                for pod in pods
            ),
            resources=(name,),
            title=f"{count(len(pods), 'pod')} that nothing makes again {_hold(pods)} {name}",
            fix=(
                "# keep their manifests before their nodes move, and make them again afterwards",
                *(
                    kubectl("-n", namespace, "get", "pod", *sorted(of_it), "-o", "yaml")
                    for namespace, of_it in sorted(by_namespace.items())
                ),
            ),
        )


def _hold(held: list[Pod] | list[Held]) -> str:
    return "holds" if len(held) == 1 else "hold"
