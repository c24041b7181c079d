"""Where a name is asked for."""

from kubectl_dra.extended_resources.asked import Asked
from kubectl_dra.objects.snapshot import Snapshot


def namespace_asking(snapshot: Snapshot, name: str) -> str | None:
    """The first namespace, in the order of names, that has a pod that asks for `name` and is not finished; None where no pod does."""
    asked = Asked()
    asking = (pod.metadata.namespace or "default" for pod in snapshot.pods if not pod.finished and name in asked.of(pod.spec))
    return min(asking, default=None)
