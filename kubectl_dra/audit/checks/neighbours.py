"""What runs beside and has its own view of devices: autoscalers and queues."""

from collections.abc import Iterator

import msgspec

from kubectl_dra.audit.candidate import Candidate, Doubt
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import ObjectRef, Severity
from kubectl_dra.audit.registry import check
from kubectl_dra.audit.words import count, lines, listed
from kubectl_dra.extended_resources.names import is_implicit_name
from kubectl_dra.inventory.cluster import names_on
from kubectl_dra.inventory.owners import BUILT_IN
from kubectl_dra.knowledge.neighbours import Neighbour, neighbour
from kubectl_dra.objects.meta import ObjectMeta
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.pod import Pod
from kubectl_dra.remedies.kubectl_line import kubectl


class _Seen(msgspec.Struct, frozen=True):
    """A neighbour in this cluster: its Deployments, the nodes that it made, and the custom kinds that are served for it."""

    who: Neighbour
    deployments: tuple[ObjectRef, ...]
    nodes: tuple[Node, ...]
    kinds: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.deployments or self.nodes or self.kinds)

    def __str__(self) -> str:
        """By what it was recognised."""
        by = [
            *map(str, self.deployments),
            *([f"{count(len(self.nodes), 'node')} with {self.who.node_labels[0]}"] if self.nodes else ()),
            *(f"the kind {kind}" for kind in self.kinds),
        ]
        return f"{self.who.name} is here: {listed(by)}"


def _look(case: Case, id_: str) -> _Seen:
    who = neighbour(id_)
    deployments = []
    for each in case.snapshot.deployments:
        template = each.spec.template
        labels = template.metadata.labels if template is not None else None
        as_pod = Pod(ObjectMeta(each.metadata.name, each.metadata.namespace, labels=labels))
        if any(pattern.fits(as_pod) for pattern in who.deployments):
            deployments.append(ObjectRef.of("Deployment", each.metadata))
    nodes = tuple(node for node in case.snapshot.nodes if any(label in (node.metadata.labels or {}) for label in who.node_labels))
    return _Seen(who, tuple(sorted(deployments)), nodes, tuple(kind for kind in who.kinds if kind in case.snapshot.custom_workloads))


def _concerned(case: Case) -> tuple[str, ...]:
    """The names in question that anybody asks for, sorted."""
    return tuple(name for name in case.users_by_name if case.in_question(name))


def _waiting(case: Case) -> tuple[Pod, ...]:
    """The pods that the scheduler could not place and that want devices from DRA: by a mapped name, or by claims of their own."""
    return tuple(
        pod
        for pod in case.waiting_pods
        if (condition := pod.condition("PodScheduled")) is not None
        and condition.status == "False"
        and (pod.spec.resource_claims or any(case.scope.has_resource(name) and case.class_of(name) for name in case.asked(pod.spec)))
    )


def _waits(pods: tuple[Pod, ...]) -> list[str]:
    """Evidence of pods that wait."""
    refs = sorted(str(ObjectRef.of("Pod", pod.metadata)) for pod in pods)
    return [f"{listed(refs)} {'waits' if len(refs) == 1 else 'wait'} for devices from DRA"] if refs else []


def _look_at(seen: _Seen) -> tuple[str, ...]:
    return tuple(kubectl("-n", each.namespace, "get", "deployment", each.name, "-o", "yaml") for each in seen.deployments)


_ALSO = ("pods", "device_classes", *BUILT_IN, "custom_workloads")


@check(
    "DRA801",
    title="node makers: Karpenter does not know what DRA would give",
    severity=Severity.INFO,
    why=(
        "Karpenter decides which nodes to make by what instance types are known to offer. Pods with claims of their own it leaves out (its"
        " setting IGNORE_DRA_REQUESTS is true unless it is changed): no node is made for them. Pods that ask for an extended resource it"
        " takes for pods of the device plugin: it makes nodes where the plugin's image, not the driver, has to be there, and none once"
        " instance types stop to offer the name. While nodes move it may also take away the node that is cordoned and emptied."
    ),
    fix=(
        "# what is it set to?",
        "kubectl -n NAMESPACE set env deployment/karpenter --list",
        "# keep it from nodes that move, and have the driver on nodes that it makes",
        "kubectl annotate node NODE karpenter.sh/do-not-disrupt=true",
    ),
    source=(
        "kubernetes-sigs/karpenter#3228",
        "kubernetes-sigs/karpenter#2384",
        "https://karpenter.sh/docs/concepts/disruption/",
    ),
    needs=("nodes",),
    also=_ALSO,
)
def karpenter(case: Case) -> Iterator[Candidate | Doubt]:
    """Where it is and names in question are asked for: worth knowing; a warning while pods wait for devices from DRA."""
    seen, names = _look(case, "karpenter"), _concerned(case)
    if not seen or not names:
        return
    made = sorted(node.metadata.name for node in seen.nodes if any(map(case.in_question, names_on(node))) or case.devices_on(node))
    waiting = _waiting(case)
    told = [str(seen), f"pods ask for {listed(names)}"]
    told += (
        [f"{listed(made)} {'is a node that it made, with devices' if len(made) == 1 else 'are nodes that it made, with devices'}"]
        if made
        else []
    )
    yield Candidate(
        cause="karpenter",
        objects=(*seen.deployments, *sorted(ObjectRef.of("Pod", pod.metadata) for pod in waiting)),
        evidence=lines([*told, *_waits(waiting)]),
        resources=names,
        severity=Severity.WARNING if waiting else Severity.INFO,
        title="Karpenter makes no nodes for the pods that wait for devices from DRA"
        if waiting
        else "Karpenter does not know what DRA would give on nodes that it could make",
        fix=(
            "# what is IGNORE_DRA_REQUESTS set to?",
            *(kubectl("-n", each.namespace, "set", "env", f"deployment/{each.name}", "--list") for each in seen.deployments),
            "# keep it from nodes while they move, and have the driver on nodes that it makes",
            f"#   {kubectl('annotate', 'node', *(made[:5] or ('NODE',)), 'karpenter.sh/do-not-disrupt=true')}",
        ),
    )


@check(
    "DRA802",
    title="the cluster autoscaler and devices from DRA",
    severity=Severity.INFO,
    why=(
        "It counts DRA's devices only with --enable-dynamic-resource-allocation. Even then a group of nodes that is at zero is not scaled"
        " up for pods that need DRA, and a new node counts as ready before its driver has published, which can bring a second one. While"
        " nodes move, pods that wait beside a cordoned node make it add nodes. One that a cloud provider runs outside the cluster cannot be"
        " seen here."
    ),
    fix=(
        "# is the flag set? Keep one node in each group whose devices come from DRA",
        "kubectl -n kube-system get deployment cluster-autoscaler -o yaml",
        "# keep it from nodes that move",
        "kubectl annotate node NODE cluster-autoscaler.kubernetes.io/scale-down-disabled=true",
    ),
    source=("kubernetes/autoscaler#7780", "kubernetes/autoscaler#10199", "kubernetes/autoscaler#10277"),
    needs=("deployments",),
    also=("nodes", *(kind for kind in _ALSO if kind != "deployments")),
)
def cluster_autoscaler(case: Case) -> Iterator[Candidate | Doubt]:
    """Where it is and names in question are asked for: worth knowing; a warning while pods wait for devices from DRA."""
    seen, names = _look(case, "cluster-autoscaler"), _concerned(case)
    if not seen or not names:
        return
    waiting = _waiting(case)
    yield Candidate(
        cause="cluster-autoscaler",
        objects=(*seen.deployments, *sorted(ObjectRef.of("Pod", pod.metadata) for pod in waiting)),
        evidence=lines([str(seen), f"pods ask for {listed(names)}", *_waits(waiting)]),
        resources=names,
        severity=Severity.WARNING if waiting else Severity.INFO,
        title="the cluster autoscaler may not add nodes, or too many, for the pods that wait for devices from DRA" if waiting else None,
        fix=(
            "# is --enable-dynamic-resource-allocation set? Keep one node in each group whose devices come from DRA",
            *_look_at(seen),
            "# keep it from nodes while they move",
            "#   kubectl annotate node NODE cluster-autoscaler.kubernetes.io/scale-down-disabled=true",
        ),
    )


@check(
    "DRA803",
    title="queues: Kueue may charge devices from DRA twice",
    severity=Severity.INFO,
    why=(
        "Kueue counts what a workload's pods ask for against its queue. For a mapped name it can count the extended resource and the claim"
        " that the scheduler makes for it, so the queue seems full at half its size, unless its gate KueueDRAIntegrationExtendedResource is"
        " on (beta from 0.19). Pools whose slices are being renewed it may count in both generations. Which class a name means it decides"
        " as the scheduler does, from 0.19 on."
    ),
    fix=(
        "# which version is it, and with which gates?",
        "kubectl -n kueue-system get deployment kueue-controller-manager -o yaml",
    ),
    source=("kubernetes-sigs/kueue#9868", "kubernetes-sigs/kueue#14044", "kubernetes-sigs/kueue#14573"),
    needs=("device_classes",),
    also=tuple(kind for kind in _ALSO if kind != "device_classes"),
)
def kueue(case: Case) -> Iterator[Candidate | Doubt]:
    """Where it is, and mapped names are asked for."""
    seen = _look(case, "kueue")
    names = [name for name in _concerned(case) if case.class_of(name) is not None and not is_implicit_name(name)] if seen else []
    if names:
        yield Candidate(
            cause="kueue",
            objects=seen.deployments,
            evidence=lines([str(seen), f"pods ask for {listed(names)}, which classes map"]),
            resources=tuple(names),
            title=f"Kueue may charge {listed(names)} twice",
            fix=("# which version is it, and is KueueDRAIntegrationExtendedResource on?", *(_look_at(seen) or _KUEUE)),
        )


_KUEUE = ("kubectl get deployments -A -l app.kubernetes.io/name=kueue",)
