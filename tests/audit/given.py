"""Clusters for the audit's tests, in few words: `cluster(nodes=[node("a", allocatable={GPU: 8})], pods=[...])`."""

from collections.abc import Iterable, Mapping

import msgspec

from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import AuditReport, Finding
from kubectl_dra.audit.run import audit
from kubectl_dra.audit.scope import EVERYTHING, Scope
from kubectl_dra.audit.selection import Selection
from kubectl_dra.objects.meta import Condition
from kubectl_dra.objects.pod import ExtendedResourceClaimStatus, Pod, PodSpec, RequestMapping
from kubectl_dra.objects.shape import QuantityText
from kubectl_dra.objects.snapshot import KindReading, Snapshot
from kubectl_dra.objects.workload import CustomWorkload, Workload
from tests import factories
from tests.factories import DRIVER, GPU, device_class, forbidden, node, resource_slice

__all__ = ["DRIVER", "GPU", "device_class", "forbidden", "node", "resource_slice"]

Asks = Mapping[str, QuantityText]


def asking(**containers: Asks) -> PodSpec:
    """A pod spec with these containers, each asking for these resources."""
    return PodSpec(containers=tuple(factories.container(name, asks) for name, asks in containers.items()))


def pod(
    name: str,
    asks: Asks | None = None,
    *,
    namespace: str = "team",
    on: str | None = None,
    phase: str | None = None,
    served_by_claim: Iterable[str] = (),
    waits: str | None = None,
    owner: tuple[str, str] | None = None,
) -> Pod:
    """A pod on node `on`; `waits` is the scheduler's message, `served_by_claim` the names it has through a claim, `owner` kind and name."""
    made = factories.pod(name, resources=asks, namespace=namespace, node=on, phase=phase, owner=owner)
    mappings = tuple(RequestMapping("main", each, "container-0-request-0") for each in served_by_claim)
    status = msgspec.structs.replace(
        made.status,
        conditions=None if waits is None else (Condition(type="PodScheduled", status="False", reason="Unschedulable", message=waits),),
        extended_resource_claim_status=ExtendedResourceClaimStatus(f"{name}-claim", mappings) if mappings else None,
    )
    return msgspec.structs.replace(made, status=status)


def workload(name: str, asks: Asks, *, replicas: int | None = 1, owner: tuple[str, str] | None = None) -> Workload:
    """A controller in namespace team; `owner` is the kind and name of its own controller."""
    return factories.workload(name, namespace="team", replicas=replicas, resources=asks, owner=owner)


def quota(name: str, hard: Asks, *, used: Asks | None = None, namespace: str = "team") -> object:
    """A quota in namespace team."""
    return factories.quota(name, hard, used=used, namespace=namespace)


def cluster(
    version: str = "1.37.2",
    *,
    emulated: str = "",
    live: bool = True,
    gates: Mapping[str, bool] | None = None,
    custom_workloads: Mapping[str, KindReading[CustomWorkload]] | None = None,
    **kinds: Iterable[object],
) -> Snapshot:
    """A cluster of that version, every kind read in full; `kinds` are lists of objects, or whole KindReadings."""
    made = factories.snapshot(version=version and f"v{version}", emulated=emulated or None, live=live, custom=(), **kinds)  # type: ignore[arg-type]
    return msgspec.structs.replace(
        made,
        cluster=msgspec.structs.replace(made.cluster, feature_gates=gates or {}),
        custom_workloads=custom_workloads or {},
    )


def report(snapshot: Snapshot, *select: str, scope: Scope = EVERYTHING) -> AuditReport:
    return audit(Case(snapshot, scope), Selection(select=select))


def findings(snapshot: Snapshot, code: str, *, scope: Scope = EVERYTHING) -> tuple[Finding, ...]:
    return report(snapshot, code, scope=scope).findings


def only(snapshot: Snapshot, code: str, *, scope: Scope = EVERYTHING) -> Finding:
    (finding,) = findings(snapshot, code, scope=scope)
    return finding


def unknown(snapshot: Snapshot, code: str) -> tuple[str, ...]:
    return tuple(each.reason for each in report(snapshot, code).unknown)


def names(finding: Finding) -> list[str]:
    return [str(each) for each in finding.objects]
