"""Objects that a Helm release owns: what is changed by hand comes back at its next upgrade."""

from kubectl_dra.objects.meta import ObjectMeta


def release_of(metadata: ObjectMeta) -> tuple[str, str] | None:
    """Namespace and name of the Helm release that owns the object (Helm: pkg/action/validate.go); None for all others."""
    annotations = metadata.annotations or {}
    name = annotations.get("meta.helm.sh/release-name")
    return (annotations.get("meta.helm.sh/release-namespace", ""), name) if name else None
