"""Names that a class maps and the scheduler does not know to be mapped."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from kubectl_dra.audit.candidate import Again, Candidate, Doubt
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import ObjectRef, Severity
from kubectl_dra.audit.registry import check
from kubectl_dra.audit.words import lines, listed
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.resource import DeviceClass
from kubectl_dra.remedies.lost_mapping import LOST_MAPPING, give_up_name, prove, update_survivor

_OURS = frozenset({None, "", "default-scheduler"})
"""Of a pod's schedulers those that are kube-scheduler. Others (Volcano) say the same words and may not know DRA at all."""
_INSUFFICIENT = re.compile(r"(\d+) Insufficient ([^\s,]*[^\s,.])")


@check(
    "DRA105",
    title="the scheduler has probably lost a name's mapping",
    severity=Severity.ERROR,
    why=(
        "When a class maps a name, the scheduler says `Insufficient NAME` only of nodes with allocatable above 0 for it; all others it"
        " tries through DRA. It said so of more nodes, so it does not know the mapping. Before 1.38 this happens after one of two classes"
        " with the name was deleted, renamed or cleared (DRA101), and lasts until the class is updated or the scheduler restarts. A pod"
        " that waits keeps its old message until it is tried again."
    ),
    fix=(
        "# update the class, which maps its name again",
        'kubectl annotate deviceclass CLASS --overwrite kubectl-dra/touched="$(date +%s)"',
        "# prove it with a pod that asks for one device; deleting it makes pods that wait be tried again",
    ),
    source=(
        "kubernetes/kubernetes#141103",
        "kubernetes/kubernetes#141110",
        "kubernetes: pkg/scheduler/framework/plugins/noderesources/fit.go (shouldDelegateResourceToDRA)",
    ),
    needs=("pods", "nodes", "device_classes"),
    blocks=True,
)
def lost_mappings(case: Case) -> Iterator[Candidate | Doubt]:
    """Names whose waiting pods were told `Insufficient` for more nodes than a device plugin serves."""
    waiting = _insufficient(case)
    if waiting and not case.extended_resources_on:
        names = tuple(sorted(waiting))
        state = "is off" if case.extended_resources_on is False else "may be off"
        yield Doubt(f"the gate DRAExtendedResource {state}, so it is not known why pods wait for {listed(names)}", resources=names)
        return
    if waiting and not case.snapshot.nodes.known:
        names = tuple(sorted(waiting))
        yield Doubt(f"not all nodes were read, so it is not known how many have {listed(names)} from a plugin", resources=names)
        return
    for name, pods in sorted(waiting.items()):
        ours = [(nodes, pod) for nodes, pod in pods if pod.spec.scheduler_name in _OURS]
        others = sorted({pod.spec.scheduler_name or "" for nodes, pod in pods} - _OURS)
        if others:
            yield Doubt(
                f"it is not known whether {listed(others)} serves {name} through DRA: pods that it schedules wait", resources=(name,)
            )
        if ours:
            yield _lost(case, name, ours)


def _insufficient(case: Case) -> Mapping[str, list[tuple[int, Pod]]]:
    """By mapped name: the pods whose message counts more nodes than have it from a plugin, with the number in the message."""
    found: dict[str, list[tuple[int, Pod]]] = defaultdict(list)
    for pod in case.waiting_pods:
        for name, nodes in rejections(_message(pod)).items():
            if case.class_of(name) and case.scope.has_resource(name) and nodes > len(case.plugin_nodes(name)):
                found[name].append((nodes, pod))
    return found


def _message(pod: Pod) -> str:
    scheduled = pod.condition("PodScheduled")
    return scheduled.message or "" if scheduled is not None and scheduled.status == "False" else ""


def rejections(message: str) -> Mapping[str, int]:
    """From `0/8 nodes are available: 6 Insufficient a/b, 2 ... . preemption: ...`: how many nodes lack which resource.

    Source: kubernetes: pkg/scheduler/framework/types.go (FitError). What follows `preemption:` counts the same nodes again.
    """
    return {name: int(nodes) for nodes, name in _INSUFFICIENT.findall(message.partition("preemption:")[0])}


def _lost(case: Case, name: str, waiting: list[tuple[int, Pod]]) -> Candidate:
    device_class = case.class_of(name)
    assert device_class is not None  # noqa: S101 - only mapped names come here
    served = case.plugin_nodes(name)
    pods = tuple(sorted(ObjectRef.of("Pod", pod.metadata) for _, pod in waiting))
    objects = (ObjectRef.of("DeviceClass", device_class.metadata), *pods)
    nodes = (ObjectRef.of("Node", node.metadata) for node in case.snapshot.nodes if name in (node.status.capacity or {}))
    return Candidate(
        cause=name,
        objects=objects,
        evidence=lines(
            [
                f"DeviceClass {device_class.metadata.name} maps {name}; allocatable {name} is above 0 on"
                f" {len(served)} of {len(case.snapshot.nodes)} nodes",
                *(f"{ObjectRef.of('Pod', pod.metadata)}: {_message(pod)}" for _, pod in waiting),
            ]
        ),
        resources=(name,),
        severity=Severity.ERROR if LOST_MAPPING.affects(case.snapshot.cluster.version) else Severity.WARNING,
        title=f"the scheduler has probably lost the mapping of {name} to {device_class.metadata.name}",
        fix=(*_rival(case, device_class), *update_survivor(device_class.metadata.name), *prove(name, pods[0].namespace)),
        settling=Again((*objects, *nodes)),
    )


def _rival(case: Case, device_class: DeviceClass) -> tuple[str, ...]:
    """A class that loses its explicit name to another gets its implicit one only after it has given that up."""
    name = device_class.spec.extended_resource_name
    rival = case.class_of(name) if name else None
    if rival is None or rival.metadata.name == device_class.metadata.name:
        return ()
    return (*give_up_name(device_class), *update_survivor(rival.metadata.name))
