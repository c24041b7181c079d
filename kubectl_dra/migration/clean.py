"""Removes what runs have left and no run holds any more; nothing that was made anew since."""

from collections.abc import Iterable

from kubectl_dra.migration import fence
from kubectl_dra.migration.leftovers import LeftKind, Leftover
from kubectl_dra.migration.lock import LEASES
from kubectl_dra.migration.marks import JOURNAL
from kubectl_dra.migration.node_writes import change
from kubectl_dra.migration.reach import RESOURCE, Reach, pod_path


def remove(left: Iterable[Leftover], reach: Reach) -> None:
    """Remove each, as it was seen: a UID that has changed since is left alone. A node stays cordoned. Raises what the server answers."""
    for each in left:
        match each.kind:
            case LeftKind.TAINT:
                fence.lift(reach, each.name, each.uid)
            case LeftKind.JOURNAL:
                change(reach, each.name, each.uid, lambda node: _without_journal(node.metadata.annotations or {}))
            case _:
                path = _path(reach, each)
                reach.insist(lambda path=path, uid=each.uid: reach.writes.delete(path, uid=uid or None))  # type: ignore[misc]


def _without_journal(annotations: object) -> dict[str, object] | None:
    """What to merge into a node with these annotations."""
    has = isinstance(annotations, dict) and JOURNAL in annotations
    return {"metadata": {"annotations": {JOURNAL: None}}} if has else None


def _path(reach: Reach, left: Leftover) -> str:
    match left.kind:
        case LeftKind.RULE:
            return f"{reach.path(RESOURCE, 'DeviceTaintRule')}/{left.name}"
        case LeftKind.LEASE:
            return f"{LEASES}/{left.name}"
        case LeftKind.POD:
            return pod_path(left.namespace, left.name)
        case _:
            return f"/api/v1/namespaces/{left.name}"
