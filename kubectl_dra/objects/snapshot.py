"""One immutable reading of a cluster: its objects by kind and, for each kind, whether it could be read."""

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Generic, TypeVar

import msgspec

from kubectl_dra.objects.event import Event
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.policy import (
    CSIDriver,
    Lease,
    LeaseCandidate,
    Namespace,
    PodDisruptionBudget,
    ResourceQuota,
)
from kubectl_dra.objects.resource import (
    DeviceClass,
    DeviceTaintRule,
    ResourceClaim,
    ResourceClaimTemplate,
    ResourceSlice,
)
from kubectl_dra.objects.workload import CustomWorkload, Workload

T = TypeVar("T")

_VERSION = re.compile(r"v?(\d+)\.(\d+)(?:\.(\d+))?(?![\d.])")


class ReadState(StrEnum):
    """How the reading of a kind ended."""

    READ = "read"
    """In full, at one moment."""
    FORBIDDEN = "forbidden"
    """403: the user may not list it."""
    UNSERVED = "unserved"
    """The API server does not serve it (at a version that this tool reads)."""
    EXPIRED = "expired"
    """The list's continue token expired twice: what is here is not of one moment and may lack objects."""
    FAILED = "failed"
    """The server answered with another error, again and again."""
    ABSENT = "absent"
    """Not asked for, or not in the file that stands for the cluster."""


class KindReading(msgspec.Struct, Generic[T], frozen=True):
    """The objects of one kind, or why there are none.

    `known` says whether "none" means none. `reason` is a sentence for people when it does not.
    `api_version` is the version it was read at; `served` are the versions that the server has of its group.
    """

    items: tuple[T, ...] = ()
    state: ReadState = ReadState.READ
    reason: str = ""
    api_version: str = ""
    served: tuple[str, ...] = ()

    @property
    def known(self) -> bool:
        """True when the kind was read in full."""
        return self.state is ReadState.READ

    def __iter__(self) -> Iterator[T]:
        """The objects, in the order of the list."""
        return iter(self.items)

    def __len__(self) -> int:
        """How many objects there are."""
        return len(self.items)


def absent() -> KindReading[T]:
    """A kind that nobody read."""
    return KindReading(state=ReadState.ABSENT, reason="not read")


class Version(msgspec.Struct, frozen=True, order=True):
    """A Kubernetes version, `1.37.2`; a pre-release counts as its release here."""

    major: int
    minor: int
    patch: int = 0

    @classmethod
    def of(cls, text: str) -> "Version | None":
        """What a component tells of itself: `v1.37.2`, `v1.34.1-gke.100`, `1.36`; None when it is no version."""
        found = _VERSION.match(text)
        return cls(int(found[1]), int(found[2]), int(found[3] or 0)) if found else None

    def __str__(self) -> str:
        """As people write it, without a `v`."""
        return f"{self.major}.{self.minor}.{self.patch}"


class ClusterInfo(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """Where the snapshot comes from.

    `server` is the API server's URL or the file's name. `version` is the binary's (known faults go by it), `emulated` the one
    that gates and APIs go by. `feature_gates` is what the API server itself says (empty: not known). `namespace` is the only one
    that was read of kinds that live in one; empty: all.
    """

    server: str = ""
    context: str = ""
    read_at: str = ""
    git_version: str = ""
    version: Version | None = None
    emulated: Version | None = None
    feature_gates: Mapping[str, bool] = {}
    namespace: str = ""
    live: bool = False


class Snapshot(msgspec.Struct, frozen=True):
    """A reading of the cluster. Every kind is there, as a `KindReading`; one that was not asked for is `absent`."""

    cluster: ClusterInfo = ClusterInfo()
    nodes: KindReading[Node] = msgspec.field(default_factory=absent)
    pods: KindReading[Pod] = msgspec.field(default_factory=absent)
    namespaces: KindReading[Namespace] = msgspec.field(default_factory=absent)
    device_classes: KindReading[DeviceClass] = msgspec.field(default_factory=absent)
    resource_slices: KindReading[ResourceSlice] = msgspec.field(default_factory=absent)
    resource_claims: KindReading[ResourceClaim] = msgspec.field(default_factory=absent)
    resource_claim_templates: KindReading[ResourceClaimTemplate] = msgspec.field(default_factory=absent)
    device_taint_rules: KindReading[DeviceTaintRule] = msgspec.field(default_factory=absent)
    resource_quotas: KindReading[ResourceQuota] = msgspec.field(default_factory=absent)
    pod_disruption_budgets: KindReading[PodDisruptionBudget] = msgspec.field(default_factory=absent)
    deployments: KindReading[Workload] = msgspec.field(default_factory=absent)
    replica_sets: KindReading[Workload] = msgspec.field(default_factory=absent)
    stateful_sets: KindReading[Workload] = msgspec.field(default_factory=absent)
    daemon_sets: KindReading[Workload] = msgspec.field(default_factory=absent)
    jobs: KindReading[Workload] = msgspec.field(default_factory=absent)
    cron_jobs: KindReading[Workload] = msgspec.field(default_factory=absent)
    replication_controllers: KindReading[Workload] = msgspec.field(default_factory=absent)
    csi_drivers: KindReading[CSIDriver] = msgspec.field(default_factory=absent)
    leases: KindReading[Lease] = msgspec.field(default_factory=absent)
    lease_candidates: KindReading[LeaseCandidate] = msgspec.field(default_factory=absent)
    events: KindReading[Event] = msgspec.field(default_factory=absent)
    custom_workloads: Mapping[str, KindReading[CustomWorkload]] = {}
    """By `kind.group`, for the custom kinds that are served."""
    feature_gates_state: ReadState = ReadState.ABSENT
    """How reading `/metrics` for the feature gates went."""


KINDS: Mapping[str, str] = {
    "nodes": "Node",
    "pods": "Pod",
    "namespaces": "Namespace",
    "device_classes": "DeviceClass",
    "resource_slices": "ResourceSlice",
    "resource_claims": "ResourceClaim",
    "resource_claim_templates": "ResourceClaimTemplate",
    "device_taint_rules": "DeviceTaintRule",
    "resource_quotas": "ResourceQuota",
    "pod_disruption_budgets": "PodDisruptionBudget",
    "deployments": "Deployment",
    "replica_sets": "ReplicaSet",
    "stateful_sets": "StatefulSet",
    "daemon_sets": "DaemonSet",
    "jobs": "Job",
    "cron_jobs": "CronJob",
    "replication_controllers": "ReplicationController",
    "csi_drivers": "CSIDriver",
    "leases": "Lease",
    "lease_candidates": "LeaseCandidate",
    "events": "Event",
}
"""The Snapshot's fields and the kinds they hold."""
