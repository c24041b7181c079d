"""A Snapshot of one namespace out of one of all."""

from typing import Any

from msgspec.structs import replace

from kubectl_dra.errors import InputError
from kubectl_dra.objects.snapshot import KindReading, Snapshot
from kubectl_dra.reading.kinds import ALL


def narrowed(snapshot: Snapshot, namespace: str) -> Snapshot:
    """`snapshot` with only those objects of `namespace`, and those that live in none. Raises InputError if it has only another one."""
    only = snapshot.cluster.namespace
    if only and only != namespace:
        raise InputError(f"the snapshot has only namespace {only}, not {namespace}", hint="take one of all namespaces")
    kinds = {kind.field: _of(getattr(snapshot, kind.field), namespace) for kind in ALL if kind.namespaced and not kind.home}
    custom = {name: _of(reading, namespace) for name, reading in snapshot.custom_workloads.items()}
    return replace(snapshot, cluster=replace(snapshot.cluster, namespace=namespace), custom_workloads=custom, **kinds)


def _of(reading: KindReading[Any], namespace: str) -> KindReading[Any]:
    return replace(reading, items=tuple(item for item in reading if item.metadata.namespace in (None, namespace)))
