"""A pod before its claims are made: what the controller will make of its claim templates (kubernetes pkg/controller/resourceclaim)."""

from msgspec.structs import replace

from kubectl_dra.objects.meta import ObjectMeta, OwnerReference
from kubectl_dra.objects.pod import Pod, PodResourceClaim, PodResourceClaimStatus
from kubectl_dra.objects.resource import ResourceClaim, ResourceClaimTemplate
from kubectl_dra.objects.snapshot import Snapshot


def foreseen(snapshot: Snapshot, pod: Pod) -> tuple[Snapshot, Pod]:
    """The cluster and the pod as they will be when the claims of its templates are there, as far as the templates are.

    Claims get the name `POD-ENTRY`; the controller adds random letters.
    """
    namespace, made = pod.metadata.namespace or "", {each.name for each in pod.status.resource_claim_statuses or ()}
    templates = {each.metadata.name: each for each in snapshot.resource_claim_templates if (each.metadata.namespace or "") == namespace}
    waiting = [
        (entry, templates[entry.resource_claim_template_name])
        for entry in pod.spec.resource_claims or ()
        if entry.name not in made and entry.resource_claim_template_name in templates
    ]
    if not waiting:
        return snapshot, pod
    claims = [_claim(pod, entry, template) for entry, template in waiting]
    told = [PodResourceClaimStatus(entry.name, claim.metadata.name) for (entry, _), claim in zip(waiting, claims, strict=True)]
    statuses = (*(pod.status.resource_claim_statuses or ()), *told)
    known = snapshot.resource_claims
    return (
        replace(snapshot, resource_claims=replace(known, items=(*known.items, *claims))),
        replace(pod, status=replace(pod.status, resource_claim_statuses=statuses)),
    )


def _claim(pod: Pod, entry: PodResourceClaim, template: ResourceClaimTemplate) -> ResourceClaim:
    meta, own = pod.metadata, template.spec.metadata
    owner = OwnerReference("Pod", meta.name, meta.uid or "", "v1", controller=True)
    metadata = ObjectMeta(
        f"{meta.name}-{entry.name}", meta.namespace, labels=own.labels, annotations=own.annotations, owner_references=(owner,)
    )
    return ResourceClaim(metadata=metadata, spec=template.spec.spec)
