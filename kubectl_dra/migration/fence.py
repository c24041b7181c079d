"""What keeps pods off a node while it is between plugin and driver: cordon, a taint of our own, and rules on the driver's devices.

A cordon alone does not: DaemonSets' pods tolerate it, and one that was deleted is back within 5 seconds.
"""

from collections.abc import Iterable, Mapping
from http import HTTPStatus

from kubectl_dra.errors import ApiError
from kubectl_dra.migration.marks import FENCE, ID_LABEL, NODE_LABEL, node_hash
from kubectl_dra.migration.node_writes import RawNode, change
from kubectl_dra.migration.reach import RESOURCE, Reach
from kubectl_dra.objects.resource import DeviceTaintRule, ResourceSlice


def close(reach: Reach, node: str, uid: str, journal: str) -> RawNode:
    """See that the node is cordoned and has our taint, in one write, read back. Raises ApiError where the server refuses."""
    taint = {"key": FENCE, "value": journal, "effect": "NoSchedule"}

    def edit(found: RawNode) -> Mapping[str, object] | None:
        others = [each for each in found.taints if each.get("key") != FENCE]
        if found.cordoned and _fenced(found, journal):
            return None
        return {"spec": {"unschedulable": True, "taints": [*others, taint]}}

    return change(reach, node, uid, edit)


def cordon(reach: Reach, node: str, uid: str) -> RawNode:
    """See that the node is cordoned."""
    return change(reach, node, uid, lambda found: None if found.cordoned else {"spec": {"unschedulable": True}})


def lift(reach: Reach, node: str, uid: str) -> RawNode:
    """See that our taint is gone; the cordon stays."""

    def edit(found: RawNode) -> Mapping[str, object] | None:
        others = [each for each in found.taints if each.get("key") != FENCE]
        return None if len(others) == len(found.taints) else {"spec": {"taints": others or None}}

    return change(reach, node, uid, edit)


def open_(reach: Reach, node: str, uid: str, *, uncordon: bool) -> RawNode:
    """See that our taint is gone and, if `uncordon`, the cordon too, in one write."""

    def edit(found: RawNode) -> Mapping[str, object] | None:
        others = [each for each in found.taints if each.get("key") != FENCE]
        body: dict[str, object] = {}
        if len(others) != len(found.taints):
            body["taints"] = others or None
        if uncordon and found.cordoned:
            body["unschedulable"] = None
        return {"spec": body} if body else None

    return change(reach, node, uid, edit)


def is_fenced(node: RawNode, journal: str) -> bool:
    """Whether our taint of this journal is there."""
    return _fenced(node, journal)


def _fenced(node: RawNode, journal: str) -> bool:
    return any(each.get("key") == FENCE and each.get("value") == journal and each.get("effect") == "NoSchedule" for each in node.taints)


# devices


def rule_names(node: str, slices: Iterable[ResourceSlice], drivers: Iterable[str]) -> Mapping[str, tuple[str, str]]:
    """The rules that fence the pools of these drivers on the node: by name, the driver and pool."""
    wanted = frozenset(drivers)
    pools = sorted({(each.spec.driver, each.spec.pool.name) for each in slices if each.spec.driver in wanted})
    return {f"kubectl-dra-{node_hash(node)}-{node_hash('/'.join(pool))[:8]}": pool for pool in pools}


def fence_devices(reach: Reach, node: str, journal: str, rules: Mapping[str, tuple[str, str]]) -> None:
    """See that there is a rule for each pool: NoSchedule, so that nothing new gets one of its devices. Running pods stay."""
    path = reach.path(RESOURCE, "DeviceTaintRule") if rules else ""
    for name, (driver, pool) in rules.items():
        body = {
            "apiVersion": reach.api_version(RESOURCE, "DeviceTaintRule"),
            "kind": "DeviceTaintRule",
            "metadata": {"name": name, "labels": {NODE_LABEL: node_hash(node), ID_LABEL: journal}},
            "spec": {
                "deviceSelector": {"driver": driver, "pool": pool},
                "taint": {"key": FENCE, "value": journal, "effect": "NoSchedule"},
            },
        }
        try:
            reach.insist(lambda body=body: reach.writes.create(path, body, DeviceTaintRule))  # type: ignore[misc]
        except ApiError as error:
            # of an earlier, killed run of this journal, or of one whose journal was lost: it fences all the same
            if error.code != HTTPStatus.CONFLICT:
                raise


def fencing_rules(reach: Reach, node: str) -> tuple[str, ...]:
    """The names of the rules that fence this node, whatever journal they are of."""
    return tuple(sorted(each.metadata.name for each in reach.rules(f"{NODE_LABEL}={node_hash(node)}")))


def unfence_devices(reach: Reach, node: str) -> tuple[str, ...]:
    """Delete them, and give their names."""
    names = fencing_rules(reach, node)
    for name in names:
        path = f"{reach.path(RESOURCE, 'DeviceTaintRule')}/{name}"
        reach.insist(lambda path=path: reach.writes.delete(path))  # type: ignore[misc]
    return names
