"""What limits pods: quotas and disruption budgets. Namespaces, CSI drivers and leases stand here too, as they carry little."""

from kubectl_dra.objects.meta import LabelSelector, ObjectMeta
from kubectl_dra.objects.shape import Object, QuantityText, ResourceList


class ScopedResourceSelectorRequirement(Object, frozen=True):
    """One expression of a quota's scope selector."""

    scope_name: str = ""
    operator: str = ""
    values: tuple[str, ...] | None = None


class ScopeSelector(Object, frozen=True):
    """Which pods a quota counts."""

    match_expressions: tuple[ScopedResourceSelectorRequirement, ...] | None = None


class ResourceQuotaSpec(Object, frozen=True):
    """The limits."""

    hard: ResourceList | None = None
    scopes: tuple[str, ...] | None = None
    scope_selector: ScopeSelector | None = None


class ResourceQuotaStatus(Object, frozen=True):
    """Limits in force and what is used of them."""

    hard: ResourceList | None = None
    used: ResourceList | None = None


class ResourceQuota(Object, frozen=True):
    """A namespace's quota."""

    metadata: ObjectMeta = ObjectMeta()
    spec: ResourceQuotaSpec = ResourceQuotaSpec()
    status: ResourceQuotaStatus = ResourceQuotaStatus()


class PodDisruptionBudgetSpec(Object, frozen=True):
    """Which pods, and how many must stay."""

    selector: LabelSelector | None = None
    min_available: QuantityText | None = None
    max_unavailable: QuantityText | None = None
    unhealthy_pod_eviction_policy: str | None = None


class PodDisruptionBudgetStatus(Object, frozen=True):
    """What the disruption controller counts."""

    disruptions_allowed: int | None = None
    current_healthy: int | None = None
    desired_healthy: int | None = None
    expected_pods: int | None = None
    observed_generation: int | None = None


class PodDisruptionBudget(Object, frozen=True):
    """A budget."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PodDisruptionBudgetSpec = PodDisruptionBudgetSpec()
    status: PodDisruptionBudgetStatus = PodDisruptionBudgetStatus()


class Namespace(Object, frozen=True):
    """A namespace."""

    metadata: ObjectMeta = ObjectMeta()


class CSIDriver(Object, frozen=True):
    """A CSI driver: its name tells a storage driver's folder from a DRA driver's."""

    metadata: ObjectMeta = ObjectMeta()


class LeaseSpec(Object, frozen=True):
    """Who holds it, and since when."""

    holder_identity: str | None = None
    lease_duration_seconds: int | None = None
    acquire_time: str | None = None
    renew_time: str | None = None
    lease_transitions: int | None = None


class Lease(Object, frozen=True):
    """A lease of the control plane."""

    metadata: ObjectMeta = ObjectMeta()
    spec: LeaseSpec = LeaseSpec()


class LeaseCandidateSpec(Object, frozen=True):
    """A component that could lead: its binary's and its emulated version."""

    lease_name: str | None = None
    binary_version: str | None = None
    emulation_version: str | None = None


class LeaseCandidate(Object, frozen=True):
    """A candidate (coordinated leader election)."""

    metadata: ObjectMeta = ObjectMeta()
    spec: LeaseCandidateSpec = LeaseCandidateSpec()
