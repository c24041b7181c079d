"""Names under which device plugins serve parts or shares of devices, or devices under another name."""

from collections.abc import Iterator

from kubectl_dra.audit.candidate import Candidate, Doubt
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import ObjectRef, Severity
from kubectl_dra.audit.registry import check
from kubectl_dra.audit.words import count, lines, listed
from kubectl_dra.inventory.cluster import names_on
from kubectl_dra.inventory.owners import BUILT_IN
from kubectl_dra.knowledge import vendors
from kubectl_dra.objects.node import Node
from kubectl_dra.remedies.kubectl_line import kubectl

_MAKERS = (*BUILT_IN, "custom_workloads")
_REPLICAS = "nvidia.com/gpu.replicas"
_STRATEGY = "nvidia.com/gpu.sharing-strategy"
_WHOLE = "nvidia.com/gpu"
"""GPU feature discovery tells by these labels how often the device plugin serves each GPU under which name."""


@check(
    "DRA412",
    title="names for shares or parts of devices that no class maps",
    severity=Severity.WARNING,
    why=(
        "Device plugins can serve one device to several pods (time-slicing, MPS), a part of it (MIG), or under a name of their own. DRA"
        " drivers map only whole devices: shares between pods do not carry over (in DRA pods share a device by sharing one claim), each MIG"
        " profile needs a class that selects just it, and a name of one's own needs a class that maps it. Pods with such names wait for"
        " ever once the plugin is gone. A name that is shared without being renamed moves, but then each pod gets a whole device: fewer"
        " pods fit."
    ),
    fix=(
        "# a part or a name of one's own: a class that selects just these devices and maps the name",
        "kubectl dra devices --where 'EXPRESSION'",
        "# a share: keep such nodes on the plugin, or let the pods share one claim",
    ),
    source=(
        "https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/gpu-sharing.html",
        "kubernetes-sigs/dra-driver-nvidia-gpu#939",
        "https://github.com/NVIDIA/k8s-device-plugin/blob/main/docs/gpu-feature-discovery/README.md",
    ),
    needs=("device_classes",),
    also=("nodes", "pods", *_MAKERS),
    blocks=True,
    manifests=True,
)
def shares_and_parts(case: Case) -> Iterator[Candidate | Doubt]:
    """Such names that pods ask for (a warning) or nodes only list (worth knowing), and whole names whose devices are shared."""
    for name in case.names:
        if not case.scope.has_resource(name) or case.class_of(name) is not None or case.left_alone(name):
            continue
        why = _unmapped(name)
        if why:
            yield _told(case, name, why)
    shared = [node for node in case.nodes() if _shared(node) and case.allocatable(node, _WHOLE)]
    if shared and case.scope.has_resource(_WHOLE):
        yield _fewer(case, shared)


def _unmapped(name: str) -> str:
    """Why nothing serves the name once the plugin is gone; empty for names of whole devices."""
    known = vendors.resource(name)
    if known is not None and known.blocked:
        return known.blocked
    if known is not None and "*" in known.name and known.note:
        return known.note
    vendor = vendors.renamed(name)
    return (
        f"a name that {vendor.name}'s device plugin was told to use; a class has to select just these devices and map it" if vendor else ""
    )


def _told(case: Case, name: str, why: str) -> Candidate:
    users = case.users_by_name.get(name, ())
    nodes = [node for node in case.snapshot.nodes if name in names_on(node)]
    seen = [
        *(
            f"Node {node.metadata.name}: allocatable {name} is {case.allocatable(node, name)}"
            for node in sorted(nodes, key=lambda each: each.metadata.name)
        ),
        f"it is asked for by {listed(users)}" if users else "nobody asks for it",
        "no class maps it" if case.snapshot.device_classes.known else "whether a class maps it is not known",
    ]
    asking = f", which {count(len(users), 'workload')} {'asks' if len(users) == 1 else 'ask'} for" if users else ""
    return Candidate(
        cause=name,
        objects=users or tuple(sorted(ObjectRef.of("Node", node.metadata) for node in nodes)),
        evidence=lines(seen),
        resources=(name,),
        severity=Severity.WARNING if users else Severity.INFO,
        title=f"no {'' if case.snapshot.device_classes.known else 'known '}class maps {name}{asking}",
        fix=(f"# {why}", *_published(name)),
    )


def _published(name: str) -> tuple[str, ...]:
    """How to see what the vendor's driver publishes, to select from."""
    known = vendors.resource(name)
    if known is not None and known.blocked:
        return ("# keep these nodes on the plugin, let the pods share one claim, or plan for a device a pod",)
    return (kubectl("dra", "devices", "--driver", known.driver),) if known is not None and known.driver else ()


def _shared(node: Node) -> bool:
    labels = node.metadata.labels or {}
    replicas = labels.get(_REPLICAS, "")
    return labels.get(_STRATEGY) in ("time-slicing", "mps") and replicas.isdecimal() and int(replicas) > 1


def _fewer(case: Case, nodes: list[Node]) -> Candidate:
    seen = [
        f"Node {node.metadata.name}: {_STRATEGY} is {labels[_STRATEGY]}, each GPU serves {labels[_REPLICAS]} pods;"
        f" allocatable {_WHOLE} is {case.allocatable(node, _WHOLE)}"
        for node in sorted(nodes, key=lambda each: each.metadata.name)
        if (labels := node.metadata.labels or {})
    ]
    return Candidate(
        cause=f"shared {_WHOLE}",
        objects=tuple(sorted(ObjectRef.of("Node", node.metadata) for node in nodes)),
        evidence=lines(seen),
        resources=(_WHOLE,),
        title=f"{count(len(nodes), 'node')} {'shares' if len(nodes) == 1 else 'share'} {_WHOLE} between pods; DRA gives each a whole one",
        fix=(
            "# keep these nodes on the plugin, let the pods share one claim, or plan for a GPU a pod",
            kubectl("get", "nodes", "-L", f"{_STRATEGY},{_REPLICAS}"),
        ),
    )
