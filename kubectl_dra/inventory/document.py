"""The documents `Inventory` and `ClassList`. A number that could not be had is null, and `unknown` says why; 0 means none."""

from collections.abc import Mapping

from msgspec import field

from kubectl_dra.document import Document, Part


class Unknown(Part, frozen=True):
    """A kind that could not be read, and why: what rests on it is null."""

    kind: str
    reason: str


class ObjectName(Part, frozen=True):
    """A namespaced object."""

    namespace: str
    name: str


class QuotaUse(Part, frozen=True):
    """What a quota allows of a name and what is used of it, under the key that Kubernetes counts."""

    namespace: str
    name: str
    key: str
    hard: str
    used: str | None


class PluginSide(Part, frozen=True):
    """What device plugins offer: nodes with some of it allocatable, and the sums of all nodes."""

    nodes: int
    capacity: int
    allocatable: int


class DraSide(Part, frozen=True):
    """What DRA offers: the class that the name means, the nodes that reach devices of it, and how many devices that are.

    `approximate` says that it cannot be told what the class selects: then nodes and devices are null. `note` says more: selectors
    that fail on a device, for one.
    """

    class_: str | None = field(name="class")
    nodes: int | None
    devices: int | None
    approximate: bool = False
    note: str = ""


class Asked(Part, frozen=True):
    """Who asks: pods that are not finished, `running` and `pending` of these, their devices; workloads, those at zero among them.

    `workloads_at_zero` is null when a kind of workload could not be read: then there are the `workloads_at_zero_seen`, or more.
    """

    pods: int | None
    running: int | None
    pending: int | None
    devices: int | None
    workloads: int | None
    workloads_at_zero: int | None
    workloads_at_zero_seen: int | None = None


class NameItem(Part, frozen=True, tag_field="by", tag="name"):
    """An extended resource. `verdict` is ready, blocked, leave alone or unknown; `codes` are the audit's that block it."""

    name: str
    verdict: str
    codes: tuple[str, ...]
    plugin: PluginSide | None
    dra: DraSide | None
    asked: Asked
    quotas: tuple[QuotaUse, ...] | None


class Devices(Part, frozen=True):
    """Devices that the node reaches through the class of a name: all, given to claims, neither given nor tainted, tainted."""

    total: int | None
    allocated: int | None
    free: int | None
    tainted: int | None


class NodeResource(Part, frozen=True):
    """One name on one node. `state` is plugin, dra, both, inactive or none; `approximate` when that rests on what is not known.

    `asked` are the devices that pods on the node ask for. Pods of the plugin and of the driver are null when pods are unknown.
    """

    name: str
    state: str
    capacity: int | None
    allocatable: int | None
    asked: int | None
    devices: Devices
    approximate: bool = False
    plugin_pods: tuple[ObjectName, ...] | None = ()
    driver_pods: tuple[ObjectName, ...] | None = ()
    note: str = ""


class MoveCost(Part, frozen=True):
    """What moving the node would disturb: pods that hold devices; of these bare ones, in gangs, without a budget, held by a budget."""

    holders: int
    bare: int
    in_gangs: int
    without_budget: int | None
    blocked_by_budget: int | None


class NodeItem(Part, frozen=True, tag_field="by", tag="node"):
    """A node and its extended resources."""

    node: str
    kubelet_version: str
    cordoned: bool
    tainted: bool
    resources: tuple[NodeResource, ...]
    move_cost: MoveCost | None = None


class WorkloadName(Part, frozen=True):
    """The top of a pod's owner chain."""

    kind: str
    name: str


class PodItem(Part, frozen=True, tag_field="by", tag="pod"):
    """A pod that is not finished and its devices by name."""

    namespace: str
    pod: str
    node: str | None
    phase: str
    workload: WorkloadName
    resources: Mapping[str, int]
    claim: str | None = None


class WorkloadItem(Part, frozen=True, tag_field="by", tag="workload"):
    """Who makes pods that ask: `resources` are the devices of one pod (of the largest, where the object has several templates).

    `replicas` is how many pods it wants (null: nobody knows), `pods` how many it has that are not finished (null: unknown).
    """

    namespace: str
    kind: str
    name: str
    replicas: int | None
    pods: int | None
    resources: Mapping[str, int]
    suspended: bool = False
    at_zero: bool = False


class NamespaceItem(Part, frozen=True, tag_field="by", tag="namespace"):
    """What a namespace asks for, and its quotas."""

    namespace: str
    pods: int | None
    pending: int | None
    workloads: int | None
    workloads_at_zero: int | None
    resources: Mapping[str, int]
    quotas: tuple[QuotaUse, ...] | None
    workloads_at_zero_seen: int | None = None


InventoryItem = NameItem | NodeItem | NamespaceItem | PodItem | WorkloadItem


class Inventory(Document, frozen=True, kw_only=True):
    """The answer of `kubectl dra inventory`; `by` says which items it has."""

    kind: str = "Inventory"
    by: str
    items: tuple[InventoryItem, ...]
    unknown: tuple[Unknown, ...] = ()


class ClassItem(Part, frozen=True):
    """A class and where it stands with its name.

    `state` is only, wins, loses, undefined or none; `winner` and `why` are empty where there is nothing to tell. `implicitUsable` says
    whether a pod can write the implicit name. `devices` is how many of usable pools its selectors select, wherever they are.
    `pods` use devices of the class; `waiting` pods ask for its name and have no node yet.
    """

    class_: str = field(name="class")
    extended_resource_name: str | None
    state: str
    winner: str | None
    why: str | None
    implicit_name: str
    implicit_usable: bool
    created_at: str | None
    age_seconds: int | None
    helm_release: ObjectName | None
    pods: int | None
    waiting: int | None
    notes: tuple[str, ...] = ()
    devices: int | None = None


class ClassWarning(Part, frozen=True):
    """A trap: which name it is about, what it is, and the steps that avoid it (each can be pasted)."""

    extended_resource_name: str
    message: str
    steps: tuple[str, ...]
    source: tuple[str, ...] = ()


class ClassList(Document, frozen=True, kw_only=True):
    """The answer of `kubectl dra classes`. `warnings` tell traps of the cluster's version, with what to do line by line."""

    kind: str = "ClassList"
    items: tuple[ClassItem, ...]
    warnings: tuple[ClassWarning, ...] = ()
    unknown: tuple[Unknown, ...] = ()
