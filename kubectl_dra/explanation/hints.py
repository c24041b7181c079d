"""What would help, where the objects show it: classes that could map the name, priorities that free no device."""

from collections.abc import Iterator

from kubectl_dra.explanation.case import PodCase
from kubectl_dra.explanation.document import OnNode, Reason
from kubectl_dra.extended_resources.cache import at_start
from kubectl_dra.extended_resources.names import class_of_implicit_name
from kubectl_dra.knowledge import vendors
from kubectl_dra.knowledge.gates import EXTENDED_RESOURCE
from kubectl_dra.objects.resource import DeviceClass
from kubectl_dra.remedies.kubectl_line import merge_patch
from kubectl_dra.remedies.lost_mapping import LOST_MAPPING, give_up_name


def hints(case: PodCase, nodes: tuple[OnNode, ...]) -> tuple[Reason, ...]:
    """In no other order than this."""
    return (*_feature(case, nodes), *_forgotten(case), *_unmapped(case, nodes), *_no_preemption(case, nodes), *_no_nodes(case))


def _feature(case: PodCase, nodes: tuple[OnNode, ...]) -> Iterator[Reason]:
    """Clusters before 1.37 whose classes serve no names, or may not. Where the gate is off, classes lose their names when they are made."""
    named = {each.spec.extended_resource_name for each in case.snapshot.device_classes}
    unserved = _unserved(nodes) if case.extended_resources is False else set()
    names = [name for name in case.names if name in named or name in unserved or class_of_implicit_name(name) is not None]
    if names and case.extended_resources is False:
        yield Reason(
            "feature-off", f"the feature gate {EXTENDED_RESOURCE} is off, so no class serves {', '.join(names)}", EXTENDED_RESOURCE
        )
    elif names and case.extended_resources is None and case.snapshot.cluster.emulated is not None:
        message = f"whether the feature gate {EXTENDED_RESOURCE} is on could not be read: told is what is so if it is"
        yield Reason("feature-unknown", message, EXTENDED_RESOURCE)


def _forgotten(case: PodCase) -> Iterator[Reason]:
    """Names that a scheduler may not know if it started with the classes as they are: implicit ones of classes that lose (E1)."""
    if not LOST_MAPPING.affects(case.snapshot.cluster.version):
        return
    by_chance = at_start(case.snapshot.device_classes).by_chance
    for name in by_chance.intersection(case.names):
        device_class = case.classes.device_class(name)
        if device_class is None:
            continue
        shared, class_name = device_class.spec.extended_resource_name or "", device_class.metadata.name
        message = f"a scheduler knows {name} or not, by chance, from its start on: class {class_name} shares {shared} and does not win it"
        yield Reason("name-forgotten", message, name, detail=("kubernetes/kubernetes#141103",), fix=give_up_name(device_class))


def _no_nodes(case: PodCase) -> Iterator[Reason]:
    if case.snapshot.nodes.known and not len(case.snapshot.nodes):
        yield Reason("no-nodes", "the cluster has no node")


def _unserved(nodes: tuple[OnNode, ...]) -> set[str]:
    """The names that nobody serves on some node."""
    return {reason.subject for node in nodes for reason in node.reasons if reason.code == "not-served"}


def _unmapped(case: PodCase, nodes: tuple[OnNode, ...]) -> Iterator[Reason]:
    """A name that no class maps, where the vendor's driver has a class for its devices (installers differ in whether it maps the name)."""
    if not case.snapshot.device_classes.known or case.extended_resources is False:
        return
    for name in sorted(_unserved(nodes)):
        known = vendors.resource(name)
        if known is None or known.blocked:
            continue
        for each in _vendor_classes(case, known.classes):
            has = each.spec.extended_resource_name
            message = f"class {each.metadata.name} selects these devices and maps {has or 'no name'}"
            fix = (merge_patch("deviceclass", each.metadata.name, {"spec": {"extendedResourceName": name}}),) if not has else ()
            yield Reason("class-maps-another-name" if has else "class-maps-no-name", message, each.metadata.name, fix=fix)


def _vendor_classes(case: PodCase, names: tuple[str, ...]) -> Iterator[DeviceClass]:
    return (each for each in case.snapshot.device_classes if each.metadata.name in names)


def _no_preemption(case: PodCase, nodes: tuple[OnNode, ...]) -> Iterator[Reason]:
    """Devices that DRA gave are not freed by preemption (kubernetes dynamicresources.go: statusUnschedulable)."""
    priority = case.pod.spec.priority or 0
    if not any(reason.code == "in-use" for node in nodes for reason in node.reasons):
        return
    holding = {(claim.namespace, pod) for each in case.holders.values() if (claim := each.claim) for pod in each.pods}
    lower = sorted(
        f"{pod.metadata.namespace}/{pod.metadata.name}"
        for pod in case.snapshot.pods
        if (pod.metadata.namespace or "", pod.metadata.name) in holding and (pod.spec.priority or 0) < priority
    )
    if lower:
        message = f"its priority {priority} frees no devices: the scheduler does not preempt pods for devices that DRA gave them"
        yield Reason("no-preemption", message, detail=(f"of lower priority and holding devices: {', '.join(lower[:5])}",))
