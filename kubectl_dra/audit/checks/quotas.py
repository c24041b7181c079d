"""Quotas on extended resources."""

from collections.abc import Iterator, Mapping

from kubectl_dra.audit.candidate import Candidate, Doubt
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import ObjectRef, Severity
from kubectl_dra.audit.registry import check
from kubectl_dra.extended_resources.names import is_dra_extended_resource_name
from kubectl_dra.objects.policy import ResourceQuota
from kubectl_dra.remedies.kubectl_line import json_patch, pointer

_CLAIMS_OF_CLASS = ".deviceclass.resource.k8s.io/devices"
_COUNTED_ELSEWHERE = ("count/",)
_COUNTED_SUFFIXES = (_CLAIMS_OF_CLASS, ".storageclass.storage.k8s.io/", ".volumeattributesclass.storage.k8s.io/")


@check(
    "DRA501",
    title="a quota on an extended resource that nothing counts",
    severity=Severity.WARNING,
    why=(
        "Kubernetes counts extended resources in a quota only under requests.NAME, and the claims of a class only under"
        " CLASS.deviceclass.resource.k8s.io/devices. The API server accepts the bare name, limits.NAME and other forms, and ignores them:"
        " the namespace is not limited at all, before the move to DRA and after it."
    ),
    fix=(
        "# rename the key in spec.hard to requests.NAME; from then on it limits new pods, so look at what runs first",
        "kubectl -n NAMESPACE patch resourcequota QUOTA --type=json"
        """ -p '[{"op":"move","from":"/spec/hard/example.com~1gpu","path":"/spec/hard/requests.example.com~1gpu"}]'""",
    ),
    source=(
        "https://kubernetes.io/docs/concepts/policy/resource-quotas/",
        "kubernetes: pkg/quota/v1/evaluator/core/pods.go (isExtendedResourceNameForQuota)",
        "kubernetes: pkg/quota/v1/evaluator/core/resource_claims.go",
    ),
    needs=("resource_quotas",),
    manifests=True,
)
def quota_on_bare_name(case: Case) -> Iterator[Candidate | Doubt]:
    """Quotas with keys that no evaluator matches, with the key that was probably meant."""
    for quota in case.snapshot.resource_quotas:
        if not case.scope.has_namespace(quota.metadata.namespace):
            continue
        meant = {key: counted_form(key) for key in sorted(quota.spec.hard or {})}
        wrong = {key: form for key, form in meant.items() if form and case.scope.has_resource(form.removeprefix("requests."))}
        if wrong:
            yield _ignored(quota, wrong)


def counted_form(key: str) -> str | None:
    """The quota key that Kubernetes counts in place of `key`; None when `key` is counted, or is about something else."""
    if key.startswith(_COUNTED_ELSEWHERE):
        return None
    for prefix in ("requests.", "limits.", "request.", "limit."):
        name = key.removeprefix(prefix)
        if name != key and name.endswith(_CLAIMS_OF_CLASS):
            return name
        if name != key and is_dra_extended_resource_name(name):
            return None if prefix == "requests." else f"requests.{name}"
    if any(suffix in key for suffix in _COUNTED_SUFFIXES):
        return None
    return f"requests.{key}" if is_dra_extended_resource_name(key) else None


def _ignored(quota: ResourceQuota, wrong: Mapping[str, str]) -> Candidate:
    namespace, name, hard = quota.metadata.namespace or "", quota.metadata.name, quota.spec.hard or {}
    operations: list[Mapping[str, str]] = []
    taken = set(hard)
    for key, form in wrong.items():
        if form in taken:
            operations.append({"op": "remove", "path": pointer("spec", "hard", key)})
        else:
            operations.append({"op": "move", "from": pointer("spec", "hard", key), "path": pointer("spec", "hard", form)})
            taken.add(form)
    used = quota.status.used or {}
    seen = "\n".join(
        f"spec.hard[{key}] is {hard[key]}, status.used has {used.get(key, 'no value for it')}; what is counted is {form}"
        for key, form in wrong.items()
    )
    return Candidate(
        cause=f"{namespace}/{name}",
        objects=(ObjectRef("ResourceQuota", namespace, name),),
        evidence=seen,
        title=f"a quota on {', '.join(wrong)} that nothing counts",
        resources=tuple(sorted({form.removeprefix("requests.") for form in wrong.values()})),
        fix=(
            "# from then on the quota limits new pods: look at what runs first",
            json_patch("resourcequota", name, *operations, namespace=namespace),
        ),
    )
