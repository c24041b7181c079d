"""Quotas that count an extended resource, under any of the keys that Kubernetes counts it by.

Rules: kubernetes pkg/quota/v1/evaluator/core/pods.go and resource_claims.go. The bare name and `limits.NAME` are not counted.
"""

from collections.abc import Iterable, Iterator

from kubectl_dra.extended_resources.names import implicit_name
from kubectl_dra.inventory.document import QuotaUse
from kubectl_dra.objects.policy import ResourceQuota


def counted_keys(name: str, class_name: str | None) -> tuple[str, ...]:
    """The keys by which a quota limits pods that ask for `name`: for pods, and for the claims of the class it means."""
    keys = [f"requests.{name}"]
    if class_name is not None:
        keys += [f"requests.{implicit_name(class_name)}", f"{class_name}.deviceclass.resource.k8s.io/devices"]
    return tuple(dict.fromkeys(keys))


def uses(quotas: Iterable[ResourceQuota], keys: Iterable[str]) -> tuple[QuotaUse, ...]:
    """What the quotas say of these keys; sorted by namespace, quota and key."""
    return tuple(sorted(_uses(quotas, tuple(keys)), key=lambda use: (use.namespace, use.name, use.key)))


def _uses(quotas: Iterable[ResourceQuota], keys: tuple[str, ...]) -> Iterator[QuotaUse]:
    for quota in quotas:
        hard = {**(quota.spec.hard or {}), **(quota.status.hard or {})}
        for key in keys:
            if key in hard:
                used = (quota.status.used or {}).get(key)
                yield QuotaUse(
                    quota.metadata.namespace or "", quota.metadata.name, key, str(hard[key]), None if used is None else str(used)
                )
