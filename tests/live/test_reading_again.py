"""Single objects read once more, from a real server."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from kubectl_dra.cluster.discovery import discover
from kubectl_dra.cluster.transport import Transport
from kubectl_dra.environment import Environment
from kubectl_dra.kubeconfig import Overrides, connect
from kubectl_dra.objects.snapshot import ReadState, Snapshot
from kubectl_dra.progress import nobody
from kubectl_dra.reading.again import LIST_FROM, read_again
from tests.bed.cluster import Cluster

Apply = Callable[..., list[dict[str, Any]]]


def read(kubeconfig: Path, *objects: tuple[str, str, str]) -> Snapshot:
    environment = Environment.of_process()
    with Transport(connect(Overrides(kubeconfig=str(kubeconfig)), environment), environment, nobody) as transport:
        return read_again(transport, discover(transport), objects, environment, nobody)


def class_and_quota(apply: Apply) -> None:
    apply(
        [
            {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "again"}, "spec": {}},
            {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "again"}, "spec": {"hard": {"pods": "1"}}},
        ]
    )


def test_only_the_objects_asked_for_are_read_and_those_that_are_gone_are_left_out(cell: Cluster, namespace: str, apply: Apply) -> None:
    class_and_quota(apply)
    snapshot = read(
        cell.kubeconfig,
        ("DeviceClass", "", "again"),
        ("DeviceClass", "", "never-there"),
        ("ResourceQuota", namespace, "again"),
        ("Pod", namespace, "gone"),
    )
    assert [each.metadata.name for each in snapshot.device_classes] == ["again"]
    assert [(each.metadata.namespace, each.metadata.name) for each in snapshot.resource_quotas] == [(namespace, "again")]
    assert (snapshot.pods.state, len(snapshot.pods)) == (ReadState.READ, 0)
    assert snapshot.nodes.state is ReadState.ABSENT


def test_a_kind_that_may_not_be_read_says_so_and_others_are_read(namespace: str, apply: Apply, few_rights: Callable[..., Path]) -> None:
    class_and_quota(apply)
    kubeconfig = few_rights({"apiGroups": ["resource.k8s.io"], "resources": ["deviceclasses"], "verbs": ["get"]})
    snapshot = read(kubeconfig, ("DeviceClass", "", "again"), ("ResourceQuota", namespace, "again"))
    assert [each.metadata.name for each in snapshot.device_classes] == ["again"]
    assert snapshot.resource_quotas.state is ReadState.FORBIDDEN
    assert 'cannot get resource "resourcequotas"' in snapshot.resource_quotas.reason


def test_many_objects_of_a_kind_are_listed(cell: Cluster, namespace: str, apply: Apply) -> None:
    class_and_quota(apply)
    many = [("DeviceClass", "", f"class-{number}") for number in range(LIST_FROM)]
    snapshot = read(cell.kubeconfig, *many, ("DeviceClass", "", "again"), ("Pod", namespace, "gone"))
    assert [each.metadata.name for each in snapshot.device_classes] == ["again"]
    assert (snapshot.pods.state, len(snapshot.pods)) == (ReadState.READ, 0)


def test_a_kind_without_a_name_is_listed(cell: Cluster, namespace: str, apply: Apply) -> None:
    class_and_quota(apply)
    snapshot = read(cell.kubeconfig, ("DeviceClass", "", ""), ("ResourceQuota", namespace, "again"))
    assert "again" in [each.metadata.name for each in snapshot.device_classes]
    assert [each.metadata.name for each in snapshot.resource_quotas] == ["again"]
