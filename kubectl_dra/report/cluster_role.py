"""A ClusterRole, as `kubectl apply` takes it."""

from collections.abc import Sequence

import msgspec

from kubectl_dra.knowledge.permissions import Rule


class RoleMeta(msgspec.Struct, frozen=True):
    """A name is all it has."""

    name: str


class ClusterRole(msgspec.Struct, frozen=True, rename="camel"):
    """rbac.authorization.k8s.io/v1 ClusterRole."""

    api_version: str
    kind: str
    metadata: RoleMeta
    rules: tuple[Rule, ...]


def cluster_role(name: str, rules: Sequence[Rule]) -> ClusterRole:
    """The role of that name with these rules."""
    return ClusterRole("rbac.authorization.k8s.io/v1", "ClusterRole", RoleMeta(name), tuple(rules))
