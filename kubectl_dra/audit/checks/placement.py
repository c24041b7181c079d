"""What decides where pods that ask for devices go: labels of the plugin's side, other schedulers, priorities."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from kubectl_dra.audit.candidate import Candidate, Doubt
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.claims import served_by_claim
from kubectl_dra.audit.finding import ObjectRef, Severity
from kubectl_dra.audit.registry import check
from kubectl_dra.audit.users import User
from kubectl_dra.audit.words import count, lines, listed
from kubectl_dra.extended_resources.names import is_implicit_name
from kubectl_dra.inventory.owners import BUILT_IN
from kubectl_dra.knowledge import vendors
from kubectl_dra.knowledge.vendors import NodeLabel
from kubectl_dra.objects.node import NodeSelectorRequirement
from kubectl_dra.objects.pod import Pod, PodSpec
from kubectl_dra.remedies.kubectl_line import kubectl

_OURS = frozenset({None, "", "default-scheduler"})
"""Of a pod's schedulers those that are kube-scheduler."""
_MAKERS = (*BUILT_IN, "custom_workloads")


@check(
    "DRA408",
    title="pods that want nodes by a label of the plugin's side",
    severity=Severity.INFO,
    why=(
        "Such labels are made by what is installed with the device plugin (GPU feature discovery, a node labeller, the operator), or name"
        " the version of a driver. When a node moves, the label can vanish or change its value, and pods that want it do not find the node"
        " any more, though DRA could give them the device. Once nodes that have moved lack the label, this is a warning."
    ),
    fix=(
        "# choose by what the driver says of its devices: a device class with a selector for the model, mapped to a name of its own",
        "kubectl dra devices --where 'EXPRESSION'",
        "# or label the nodes yourself, with a key of your own, and select by that",
    ),
    source=(
        "https://github.com/NVIDIA/k8s-device-plugin/blob/main/docs/gpu-feature-discovery/README.md",
        "https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/",
    ),
    needs=("pods", "device_classes"),
    also=("nodes", "resource_slices", *_MAKERS),
    manifests=True,
)
def labels_of_the_plugin(case: Case) -> Iterator[Candidate | Doubt]:
    """Whoever asks for a name in question and requires such a label, in nodeSelector or in node affinity; one candidate for each."""
    found: dict[tuple[ObjectRef, str], tuple[User, set[str], dict[str, NodeLabel]]] = {}
    for user in case.users:
        names = {name for name in case.asked(user.spec) if case.in_question(name)}
        keys = _keys(user.spec) if names else {}
        if keys:
            _, of_names, of_keys = found.setdefault((user.ref, user.where), (user, set(), {}))
            of_names |= names
            of_keys |= keys
    for user, of_user, labels in found.values():
        yield _wants(case, user, sorted(of_user), labels)


def _keys(spec: PodSpec) -> dict[str, NodeLabel]:
    """The labels of the plugin's side without which a node is not taken."""
    keys = [*(spec.node_selector or {}), *(each.key for each in _required(spec) if each.operator in ("In", "Exists", "Gt", "Lt"))]
    return {key: label for key in keys if (label := vendors.node_label(key)) is not None}


def _required(spec: PodSpec) -> Iterator[NodeSelectorRequirement]:
    node_affinity = spec.affinity.node_affinity if spec.affinity is not None else None
    required = node_affinity.required_during_scheduling_ignored_during_execution if node_affinity is not None else None
    for term in (required.node_selector_terms or ()) if required is not None else ():
        yield from term.match_expressions or ()


def _wants(case: Case, user: User, names: list[str], labels: Mapping[str, NodeLabel]) -> Candidate:
    told = [f"{user.ref} asks {listed(names)} and wants nodes with {key}, which is made by {label.by}" for key, label in labels.items()]
    told += [f"{key} names a version of the driver" for key, label in labels.items() if label.pins]
    moved = [node for name in names for node in case.dra_nodes(name)]
    lacking = sorted({node.metadata.name for node in moved if not set(labels) <= set(node.metadata.labels or {})})
    if lacking:
        told.append(f"DRA serves the name on {listed(lacking)}, where the label is missing")
    return Candidate(
        cause=f"{user.ref} {user.where}",
        objects=(user.ref,),
        evidence=lines(told),
        resources=tuple(names),
        severity=Severity.WARNING if lacking else Severity.INFO,
        title=f"{user.ref} wants nodes by {listed(labels)}, "
        + ("which nodes that have moved lack" if lacking else "which may go when the plugin does"),
        fix=(
            "# choose by what the driver says of its devices (kubectl dra devices), with a class of its own; or label nodes yourself",
            *(kubectl("get", "nodes", "-L", key) for key in labels),
            kubectl(*_in(user.ref), "get", user.resource, user.ref.name, "-o", "yaml"),
        ),
    )


@check(
    "DRA410",
    title="another scheduler places pods that ask for a mapped name",
    severity=Severity.WARNING,
    why=(
        "Whether a mapped name is served through DRA is for the scheduler to decide, and only kube-scheduler is known to do it. Others"
        " count allocatable alone: on nodes that have moved they find nothing, and pods wait. A second kube-scheduler of this version can"
        " do it, if its role lets it create and delete claims, update resourceclaims/status and resourceclaims/binding, and patch"
        " pods/status."
    ),
    fix=(
        "# let kube-scheduler place these pods, or prove that theirs can: a pod that asks for one device, on a node that has moved",
        "kubectl auth can-i create resourceclaims --as=system:serviceaccount:NAMESPACE:SCHEDULER -A",
    ),
    source=(
        "kubernetes: plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go (system:kube-scheduler)",
        "kubernetes: pkg/scheduler/framework/plugins/noderesources/fit.go (shouldDelegateResourceToDRA)",
    ),
    needs=("pods", "device_classes"),
    also=_MAKERS,
    manifests=True,
)
def other_schedulers(case: Case) -> Iterator[Candidate | Doubt]:
    """Schedulers other than the default one that place pods with a mapped name, unless pods of theirs have got such a claim."""
    able = {pod.spec.scheduler_name for pod, _ in case.asking_pods if pod.status.extended_resource_claim_status is not None}
    found: dict[str, dict[str, set[ObjectRef]]] = defaultdict(lambda: defaultdict(set))
    for user in case.users:
        scheduler = user.spec.scheduler_name
        if scheduler in _OURS or scheduler in able:
            continue
        for name in case.asked(user.spec):
            if case.scope.has_resource(name) and case.class_of(name) is not None:
                found[scheduler or ""][name].add(user.ref)
    for scheduler, by_name in sorted(found.items()):
        users = sorted(set().union(*by_name.values()))
        are = "is" if len(users) == 1 else "are"
        yield Candidate(
            cause=scheduler,
            objects=tuple(users),
            evidence=lines(
                f"schedulerName {scheduler}: {listed(sorted(refs))} {_ask(refs)} {name}" for name, refs in sorted(by_name.items())
            ),
            resources=tuple(sorted(by_name)),
            title=f"{count(len(users), 'workload')} with {listed(sorted(by_name))} {are} placed by {scheduler}",
            fix=(
                f"# let kube-scheduler place these pods, or prove that {scheduler} can: with a pod that asks for one, on a node that moved",
                "# if it is a second kube-scheduler: may it make claims?",
                f"#   {kubectl('auth', 'can-i', 'create', 'resourceclaims', '-A', '--as=system:serviceaccount:NAMESPACE:ACCOUNT')}",
            ),
        )


def _ask(refs: set[ObjectRef]) -> str:
    return "asks" if len(refs) == 1 else "ask"


@check(
    "DRA411",
    title="priorities do not free devices that DRA gives out",
    severity=Severity.INFO,
    why=(
        "Where the device plugin serves a name, a pod of higher priority that finds no device evicts pods of lower priority. For devices"
        " from DRA the scheduler does not do that: the pod waits until somebody ends. Who relies on it needs a quota, a queue (Kueue), or"
        " devices set aside. When such a pod waits now while pods of lower priority hold devices from DRA, this is a warning."
    ),
    fix=(
        "# what may go for the pod that waits is yours to decide",
        "kubectl get pods -A --sort-by=.spec.priority -o wide",
    ),
    source=(
        "kubernetes: pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (statusUnschedulable)",
        "kubernetes: pkg/scheduler/framework/preemption/preemption.go",
        "https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/",
    ),
    needs=("pods", "device_classes"),
)
def priorities(case: Case) -> Iterator[Candidate | Doubt]:
    """Names in question that pods of two priorities ask for, of which the higher may preempt."""
    found: dict[str, list[Pod]] = defaultdict(list)
    for pod, asked in case.asking_pods:
        if pod.spec.scheduler_name in _OURS:
            for name in asked:
                if case.in_question(name):
                    found[name].append(pod)
    for name, pods in sorted(found.items()):
        lowest = min(_priority(pod) for pod in pods)
        preempting = [pod for pod in pods if _priority(pod) > lowest and pod.spec.preemption_policy != "Never"]
        if preempting:
            yield _two_priorities(name, pods, preempting)


def _priority(pod: Pod) -> int:
    return pod.spec.priority or 0


def _two_priorities(name: str, pods: list[Pod], preempting: list[Pod]) -> Candidate:
    by_priority: dict[int, list[Pod]] = defaultdict(list)
    for pod in pods:
        by_priority[_priority(pod)].append(pod)
    told = [f"priority {priority}: {count(len(of_it), 'pod')} with {name}" for priority, of_it in sorted(by_priority.items(), reverse=True)]
    waiting = [pod for pod in preempting if pod.node_name is None and pod.condition("PodScheduled") is not None]
    stuck = [(pod, held) for pod in waiting if (held := _held_below(name, pods, _priority(pod)))]
    told += [
        f"{ObjectRef.of('Pod', pod.metadata)} (priority {_priority(pod)}) waits, while {listed(sorted(held))} of lower priority"
        f" {'holds' if len(held) == 1 else 'hold'} {name} from DRA"
        for pod, held in stuck
    ]
    who = sorted(ObjectRef.of("Pod", pod.metadata) for pod, _ in stuck)
    implicit = " (an implicit name: DRA has always served it)" if is_implicit_name(name) else ""
    return Candidate(
        cause=name,
        objects=tuple(sorted(ObjectRef.of("Pod", pod.metadata) for pod in ([pod for pod, _ in stuck] or preempting))),
        evidence=lines(told) + implicit,
        resources=(name,),
        severity=Severity.WARNING if stuck else Severity.INFO,
        title=f"{listed(who)} may not evict pods of lower priority that have {name} from DRA"
        if stuck
        else f"pods of {len(by_priority)} priorities ask for {name}, and DRA evicts nobody for the higher",
        fix=() if stuck else _RELYING,
    )


_RELYING = (
    "# who relies on that needs a quota for the lower, a queue (Kueue), or devices set aside, before DRA serves the name",
    "kubectl get priorityclasses",
)


def _held_below(name: str, pods: list[Pod], priority: int) -> list[ObjectRef]:
    """The pods of lower priority that have the name through a claim."""
    return [ObjectRef.of("Pod", pod.metadata) for pod in pods if _priority(pod) < priority and served_by_claim(pod, name)]


def _in(ref: ObjectRef) -> tuple[str, ...]:
    return ("-n", ref.namespace) if ref.namespace else ()
