"""The kinds of the Snapshot: where the API server has them, and the Struct each is read into."""

from collections.abc import Mapping
from dataclasses import dataclass

from kubectl_dra.objects.event import Event
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.policy import CSIDriver, Lease, LeaseCandidate, Namespace, PodDisruptionBudget, ResourceQuota
from kubectl_dra.objects.resource import DeviceClass, DeviceTaintRule, ResourceClaim, ResourceClaimTemplate, ResourceSlice
from kubectl_dra.objects.shape import Object
from kubectl_dra.objects.workload import Workload


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind: the Snapshot's `field` that holds it, its `group` and `versions` (best first), `plural` and Struct.

    `home` is the only namespace that is read: leases of nodes are many and say nothing here.
    """

    field: str
    group: str
    versions: tuple[str, ...]
    kind: str
    plural: str
    struct: type[Object]
    namespaced: bool = True
    home: str | None = None

    @property
    def api_version(self) -> str:
        """The version whose form the Struct has, as it stands in an object."""
        return api_version(self.group, self.versions[0])


def api_version(group: str, version: str) -> str:
    """`apps` and `v1` as `apps/v1`; the core group has no name (`v1`)."""
    return f"{group}/{version}" if group else version


def split_api_version(text: str) -> tuple[str, str]:
    """`apps/v1` as group and version."""
    group, _, version = text.rpartition("/")
    return group, version


_V1 = ("v1",)
_RESOURCE = "resource.k8s.io"
_RESOURCE_VERSIONS = ("v1", "v1beta2", "v1beta1")

ALL: tuple[Kind, ...] = (
    Kind("nodes", "", _V1, "Node", "nodes", Node, namespaced=False),
    Kind("pods", "", _V1, "Pod", "pods", Pod),
    Kind("namespaces", "", _V1, "Namespace", "namespaces", Namespace, namespaced=False),
    Kind("device_classes", _RESOURCE, _RESOURCE_VERSIONS, "DeviceClass", "deviceclasses", DeviceClass, namespaced=False),
    Kind("resource_slices", _RESOURCE, _RESOURCE_VERSIONS, "ResourceSlice", "resourceslices", ResourceSlice, namespaced=False),
    Kind("resource_claims", _RESOURCE, _RESOURCE_VERSIONS, "ResourceClaim", "resourceclaims", ResourceClaim),
    Kind(
        "resource_claim_templates",
        _RESOURCE,
        _RESOURCE_VERSIONS,
        "ResourceClaimTemplate",
        "resourceclaimtemplates",
        ResourceClaimTemplate,
    ),
    Kind(
        "device_taint_rules",
        _RESOURCE,
        ("v1", "v1beta2", "v1alpha3"),
        "DeviceTaintRule",
        "devicetaintrules",
        DeviceTaintRule,
        namespaced=False,
    ),
    Kind("resource_quotas", "", _V1, "ResourceQuota", "resourcequotas", ResourceQuota),
    Kind("pod_disruption_budgets", "policy", _V1, "PodDisruptionBudget", "poddisruptionbudgets", PodDisruptionBudget),
    Kind("deployments", "apps", _V1, "Deployment", "deployments", Workload),
    Kind("replica_sets", "apps", _V1, "ReplicaSet", "replicasets", Workload),
    Kind("stateful_sets", "apps", _V1, "StatefulSet", "statefulsets", Workload),
    Kind("daemon_sets", "apps", _V1, "DaemonSet", "daemonsets", Workload),
    Kind("jobs", "batch", _V1, "Job", "jobs", Workload),
    Kind("cron_jobs", "batch", _V1, "CronJob", "cronjobs", Workload),
    Kind("replication_controllers", "", _V1, "ReplicationController", "replicationcontrollers", Workload),
    Kind("csi_drivers", "storage.k8s.io", _V1, "CSIDriver", "csidrivers", CSIDriver, namespaced=False),
    Kind("leases", "coordination.k8s.io", _V1, "Lease", "leases", Lease, home="kube-system"),
    Kind("lease_candidates", "coordination.k8s.io", ("v1beta1", "v1alpha2"), "LeaseCandidate", "leasecandidates", LeaseCandidate),
    Kind("events", "", _V1, "Event", "events", Event),
)

BY_FIELD: Mapping[str, Kind] = {kind.field: kind for kind in ALL}
BY_GROUP_KIND: Mapping[tuple[str, str], Kind] = {(kind.group, kind.kind): kind for kind in ALL}
