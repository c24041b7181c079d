"""Containers that get devices without asking the scheduler for them."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kubectl_dra.audit.candidate import Candidate, Doubt
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import ObjectRef, Severity
from kubectl_dra.audit.registry import check
from kubectl_dra.audit.words import count, lines, listed
from kubectl_dra.extended_resources.asked import make_of
from kubectl_dra.extended_resources.names import is_implicit_name
from kubectl_dra.extended_resources.requests import effective_requests
from kubectl_dra.inventory.cluster import names_on
from kubectl_dra.inventory.owners import BUILT_IN, Owner, built_in, template_of
from kubectl_dra.knowledge import vendors
from kubectl_dra.knowledge.vendors import Vendor
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.pod import Container, Pod, PodSpec, PodTemplateSpec
from kubectl_dra.remedies.kubectl_line import kubectl

_NOTHING = frozenset({"", "void", "none"})
"""Values that give no device (nvidia-container-toolkit: internal/config/image; libnvidia-container)."""
_SETTABLE = frozenset({"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController", "CronJob"})
"""Kinds whose template `kubectl set env` can change."""


class _Use(NamedTuple):
    """A container, and the variable by which it gets devices."""

    container: str
    variable: str
    value: str
    vendor: Vendor

    def __str__(self) -> str:
        return f"container {self.container} sets {self.variable}={self.value}"


@check(
    "DRA405",
    title="pods that use devices without asking for them",
    severity=Severity.WARNING,
    why=(
        "With such a variable the container runtime's hook gives a container devices of its node, whoever has them: neither the device"
        " plugin nor DRA knows of it. A drain does not wait for these pods, DRA gives their devices to others, and they see devices of pods"
        " that asked for them. Only pods and templates can be seen: an image may set the variable as well (CUDA's images do), which gives"
        " devices wherever the vendor's runtime is the default one."
    ),
    fix=(
        "# ask for the device in resources.limits, or set the variable so that it gives nothing",
        "kubectl -n NAMESPACE set env deployment/NAME -c CONTAINER NVIDIA_VISIBLE_DEVICES=void",
    ),
    source=(
        "https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/docker-specialized.html",
        "NVIDIA/k8s-device-plugin#61",
        "NVIDIA/k8s-device-plugin#87",
        "https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/cdi.html",
    ),
    needs=("pods",),
    also=(
        "nodes",
        "resource_slices",
        *BUILT_IN,
        "custom_workloads",
    ),
    manifests=True,
)
def devices_not_asked_for(case: Case) -> Iterator[Candidate | Doubt]:
    """Whoever makes pods with such a variable: a warning where they run beside devices of the vendor, else worth knowing.

    Left out are containers that ask for the vendor's devices, the vendor's own pods, and pods on nodes that have none of his devices.
    """
    uses = _Uses()
    running, coming = _found(case, uses)
    for owner, pods in sorted(running.items()):
        yield _in_use(owner, pods, uses.of(pods[0].spec))
    for owner, spec in sorted(coming.items(), key=lambda each: each[0]) if _anywhere(case) else ():
        yield _to_come(owner, uses.of(spec))


def _found(case: Case, uses: "_Uses") -> tuple[Mapping[Owner, list[Pod]], Mapping[Owner, PodSpec]]:
    """By maker: the pods that run beside devices of the vendor; and specs of pods that run nowhere yet."""
    beside = _Beside(case)
    running: dict[Owner, list[Pod]] = defaultdict(list)
    coming: dict[Owner, PodSpec] = {}
    for pod in case.pods:
        found = uses.of(pod.spec)
        owner = case.owners.top_of(pod) if found else None
        if owner is None or _is_own(found[0].vendor, pod, owner):
            continue
        node = case.node(pod.node_name)
        if node is None:
            coming.setdefault(owner, pod.spec)
        elif beside.devices(node, found[0].vendor):
            running[owner].append(pod)
    for owner, template in _templates(case):
        found = uses.of(template.spec)
        if found and not _is_own(found[0].vendor, Pod(template.metadata, template.spec), owner):
            coming.setdefault(owner, template.spec)
    return running, {owner: spec for owner, spec in coming.items() if owner not in running}


class _Uses:
    """What specs set, worked out once for all of one make."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int, int], tuple[_Use, ...]] = {}

    def of(self, spec: PodSpec) -> tuple[_Use, ...]:
        """The containers that set a variable to a value which gives devices, and do not ask for any."""
        make = make_of(spec)
        found = self._known.get(make)
        if found is None:
            found = self._known[make] = tuple(_uses(spec))
        return found


def _uses(spec: PodSpec) -> Iterator[_Use]:
    giving = vendors.giving_variables()
    for container in (*(spec.init_containers or ()), *(spec.containers or ())):
        for each in container.env or ():
            vendor = giving.get(each.name)
            value = each.value or ""
            if vendor is not None and value not in _NOTHING and not _asks(container, vendor):
                yield _Use(container.name, each.name, value, vendor)


def _asks(container: Container, vendor: Vendor) -> bool:
    """Whether the container has devices of the vendor by right: by one of his names, by a class' implicit name, or by a claim."""
    if container.resources is not None and container.resources.claims:
        return True
    return any(is_implicit_name(name) or vendors.vendor_of_resource(name) == vendor for name in effective_requests(container))


def _is_own(vendor: Vendor, pod: Pod, owner: Owner) -> bool:
    return owner.kind in vendor.operators or vendors.is_own(vendor, pod)


class _Beside:
    """Which nodes have devices of which vendor."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._known: dict[tuple[str, str], bool] = {}

    def devices(self, node: Node, vendor: Vendor) -> bool:
        """Whether the node has, or may have, devices of the vendor; of a vendor without known names every node with devices may."""
        key = (node.metadata.name, vendor.name)
        found = self._known.get(key)
        if found is None:
            names = names_on(node)
            listed = any(vendors.vendor_of_resource(name) == vendor for name in names) if vendor.resources else bool(names)
            found = self._known[key] = listed or any(driver in vendor.drivers for driver in self._case.devices_on(node))
        return found


def _anywhere(case: Case) -> bool:
    """Whether any node has devices; true when nodes are not known."""
    return not case.snapshot.nodes.known or any(names_on(node) or case.devices_on(node) for node in case.snapshot.nodes)


def _templates(case: Case) -> Iterator[tuple[Owner, PodTemplateSpec]]:
    """The templates of the namespaces asked about, with whoever is at the top of what makes pods from them."""
    for kind, workload in built_in(case.snapshot):
        template, namespace = template_of(workload), workload.metadata.namespace
        if template is not None and case.scope.has_namespace(namespace):
            yield case.owners.top(Owner(namespace or "", kind, workload.metadata.name)), template
    for reading in case.snapshot.custom_workloads.values():
        for custom in reading:
            namespace = custom.metadata.namespace
            if case.scope.has_namespace(namespace):
                owner = case.owners.top(Owner(namespace or "", custom.kind, custom.metadata.name))
                yield from ((owner, use.template) for use in custom.templates or ())


def _in_use(owner: Owner, pods: list[Pod], uses: tuple[_Use, ...]) -> Candidate:
    ref = _ref(owner)
    nodes = sorted({pod.node_name or "" for pod in pods})
    refs = tuple(sorted(ObjectRef.of("Pod", pod.metadata) for pod in pods))
    return Candidate(
        cause=str(ref),
        objects=(ref, *(each for each in refs if each != ref)),
        evidence=lines([*(f"{use}, and asks for no device of {use.vendor.name}" for use in uses), f"it runs on {listed(nodes)}"]),
        title=f"{ref} uses devices of {uses[0].vendor.name} without asking for them on {count(len(nodes), 'node')}",
        fix=_mend(owner, uses),
    )


def _to_come(owner: Owner, uses: tuple[_Use, ...]) -> Candidate:
    ref = _ref(owner)
    return Candidate(
        cause=str(ref),
        objects=(ref,),
        evidence=lines(
            [*(f"{use}, and asks for no device of {use.vendor.name}" for use in uses), "none of its pods runs beside devices now"]
        ),
        severity=Severity.INFO,
        title=f"{ref} would use devices of {uses[0].vendor.name} without asking for them",
        fix=_mend(owner, uses),
    )


def _mend(owner: Owner, uses: tuple[_Use, ...]) -> tuple[str, ...]:
    by_container: Mapping[str, list[str]] = defaultdict(list)
    for use in uses:
        by_container[use.container].append(f"{use.variable}={use.vendor.nothing}" if use.vendor.nothing else f"{use.variable}-")
    target = f"{owner.kind.lower()}/{owner.name}"
    if owner.kind not in _SETTABLE:
        return (
            "# ask for the device in resources.limits, or take the variable out of the manifest, and make the pods again",
            kubectl("-n", owner.namespace, "get", owner.kind.lower(), owner.name, "-o", "yaml"),
        )
    return (
        "# if it needs the device: ask for it in resources.limits. Else set the variable so that it gives nothing; this makes new pods",
        *(kubectl("-n", owner.namespace, "set", "env", target, "-c", name, *sorted(words)) for name, words in by_container.items()),
    )


def _ref(owner: Owner) -> ObjectRef:
    return ObjectRef(owner.kind, owner.namespace, owner.name)
