"""Changes to the Node object: read, decide, write under its resource version, and again if somebody was quicker."""

from collections.abc import Callable, Mapping
from http import HTTPStatus

import msgspec

from kubectl_dra.errors import ApiError, ConflictError, DraError
from kubectl_dra.migration.reach import Reach, node_path
from kubectl_dra.objects.meta import ObjectMeta
from kubectl_dra.objects.shape import Object

TRIES = 20
"""Times that somebody may be quicker in a row before that is an error: a kubelet writes its node's status every 10 s, others rarely."""

RawTaint = Mapping[str, str]
"""A taint with all its fields: what is written back must not lose `timeAdded`."""


class _Spec(Object, frozen=True):
    unschedulable: bool | None = None
    taints: tuple[RawTaint, ...] | None = None


class RawNode(Object, frozen=True):
    """Of a node what is written: metadata, and a spec whose taints are whole."""

    metadata: ObjectMeta = ObjectMeta()
    spec: _Spec = _Spec()

    @property
    def taints(self) -> tuple[RawTaint, ...]:
        """All taints."""
        return self.spec.taints or ()

    @property
    def cordoned(self) -> bool:
        """Whether it is unschedulable."""
        return bool(self.spec.unschedulable)


class NodeChangedError(DraError):
    """The node is gone, or another one with its name is there."""


Edit = Callable[[RawNode], Mapping[str, object] | None]
"""From the node as it is to what is merged into it; null when it is as it should be."""


def change(reach: Reach, name: str, uid: str, edit: Edit) -> RawNode:
    """See that the node is as `edit` wants it, and give it as it then is, read back.

    Raises ApiError where the server refuses, NodeChangedError for another node of that name.
    """
    for _ in range(TRIES):
        node = read(reach, name, uid)
        body = edit(node)
        if body is None:
            return node
        try:
            reach.insist(lambda body=body, node=node: _merged(reach, name, body, node))  # type: ignore[misc]
        except ApiError as error:
            if error.code != HTTPStatus.CONFLICT:
                raise
    raise ConflictError(f"node {name} is changed by others faster than it can be written", hint="find out who writes it; then try again")


def read(reach: Reach, name: str, uid: str) -> RawNode:
    """The node as it is. Raises NodeChangedError."""
    node = reach.one(node_path(name), RawNode)
    if node is None:
        raise NodeChangedError(f"node {name} has been deleted", hint="what replaces it begins on the device plugin")
    if node.metadata.uid != uid:
        raise NodeChangedError(
            f"node {name} has been deleted and made again", hint="the new one begins on the device plugin: move it by a new run"
        )
    return node


def set_labels(reach: Reach, name: str, uid: str, labels: Mapping[str, str | None]) -> RawNode:
    """See that the node has these labels; null takes one off."""

    def edit(node: RawNode) -> Mapping[str, object] | None:
        present = node.metadata.labels or {}
        missing = {key: value for key, value in labels.items() if present.get(key) != value}
        return {"metadata": {"labels": missing}} if missing else None

    return change(reach, name, uid, edit)


def set_annotations(reach: Reach, name: str, uid: str, annotations: Mapping[str, str | None]) -> RawNode:
    """See that the node has these annotations; null takes one off."""

    def edit(node: RawNode) -> Mapping[str, object] | None:
        present = node.metadata.annotations or {}
        missing = {key: value for key, value in annotations.items() if present.get(key) != value}
        return {"metadata": {"annotations": missing}} if missing else None

    return change(reach, name, uid, edit)


def _merged(reach: Reach, name: str, body: Mapping[str, object], node: RawNode) -> None:
    meta = body.get("metadata")
    merged = {**body, "metadata": {**(meta if isinstance(meta, Mapping) else {}), "uid": node.metadata.uid}}
    reach.writes.patch_merge(node_path(name), msgspec.to_builtins(merged), RawNode, resource_version=node.metadata.resource_version)
