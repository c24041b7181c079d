"""What a cluster has that known faults of Kubernetes can meet."""

from collections.abc import Callable, Iterator, Mapping

from kubectl_dra.audit.case import Case
from kubectl_dra.knowledge.faults import Concern
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.resource import DeviceClaim

_QUOTA_KEYS = (".deviceclass.resource.k8s.io/devices", "requests.deviceclass.resource.kubernetes.io/")


def concerned(case: Case, concern: Concern) -> bool:
    """Whether the cluster has what the concern is about; what no object shows it has not."""
    test = _TESTS.get(concern)
    return test is not None and test(case)


def concerned_node(case: Case, concern: Concern, node: Node) -> bool:
    """Whether the node has what the concern is about: the same, where it is about nodes."""
    match concern:
        case "plugin-and-class":
            return any(case.allocatable(node, name) for name in mapped(case))
        case "claims" | "extended":
            return node.metadata.name in case.nodes_with_claims
        case _:
            return concerned(case, concern)


def mapped(case: Case) -> tuple[str, ...]:
    """The names asked about that a class maps and that pods ask for or nodes list."""
    return tuple(name for name in case.names if case.scope.has_resource(name) and case.class_of(name) is not None)


def _claims(case: Case) -> Iterator[DeviceClaim]:
    yield from (each.spec.devices for each in case.snapshot.resource_claims)
    yield from (each.spec.spec.devices for each in case.snapshot.resource_claim_templates)


def _asks_for_all(case: Case) -> bool:
    for devices in _claims(case):
        for request in devices.requests or ():
            asked = (request.exactly, *(request.first_available or ()))
            if any(each is not None and each.allocation_mode == "All" for each in asked):
                return True
    return False


def _limits_devices(case: Case) -> bool:
    keys = {key for quota in case.snapshot.resource_quotas for key in quota.spec.hard or ()}
    names = {f"requests.{name}" for name in mapped(case)}
    return any(key in names or key.endswith(_QUOTA_KEYS[0]) or key.startswith(_QUOTA_KEYS[1]) for key in keys)


def _lists_with_zero(case: Case) -> bool:
    return any(
        name in (node.status.allocatable or {}) and not case.allocatable(node, name) for name in mapped(case) for node in case.nodes()
    )


_TESTS: Mapping[Concern, Callable[[Case], bool]] = {
    "extended": lambda case: any(name in case.users_by_name for name in mapped(case)),
    "claims": lambda case: bool(len(case.snapshot.resource_claims)),
    "templates": lambda case: bool(len(case.snapshot.resource_claim_templates)),
    "counters": lambda case: "DRAPartitionableDevices" in case.gate_uses,
    "capacity": lambda case: "DRAConsumableCapacity" in case.gate_uses,
    "all-mode": _asks_for_all,
    "rules": lambda case: bool(len(case.snapshot.device_taint_rules)),
    "taints": lambda case: "DRADeviceTaints" in case.gate_uses,
    "plugin-and-class": lambda case: any(case.plugin_nodes(name) for name in mapped(case)),
    "quotas": _limits_devices,
    "zero-keys": _lists_with_zero,
}
