"""The `snapshot` key of a snapshot file: who wrote it, what it was taken from, and how the reading of each kind ended."""

from collections.abc import Mapping
from typing import Any

import msgspec

from kubectl_dra.errors import InputError
from kubectl_dra.objects.snapshot import KINDS, ClusterInfo, KindReading, ReadState, Snapshot, absent

FORMAT = 1
"""Grows when a file can no longer be understood by those who read the format before. New fields alone do not make it grow."""


class KindHeader(msgspec.Struct, frozen=True, rename="camel"):
    """How the reading of one kind ended, and how many objects there are."""

    state: ReadState = ReadState.READ
    count: int = 0
    reason: str = ""
    api_version: str = ""
    served: tuple[str, ...] = ()


class SnapshotHeader(msgspec.Struct, frozen=True, rename="camel"):
    """The `snapshot` key. `kinds` goes by the Snapshot's field; `customKinds` by `kind.group`. Kinds that nobody read are left out."""

    format: int = FORMAT
    tool: str = ""
    cluster: ClusterInfo = ClusterInfo()
    kinds: Mapping[str, KindHeader] = {}
    custom_kinds: Mapping[str, KindHeader] = {}
    feature_gates: ReadState = ReadState.ABSENT


class _Format(msgspec.Struct, frozen=True):
    format: int = FORMAT
    tool: str = ""


def header_of(snapshot: Snapshot, tool: str) -> SnapshotHeader:
    """What the file of `snapshot`, written by `tool`, says about it."""
    return SnapshotHeader(
        tool=tool,
        cluster=msgspec.structs.replace(snapshot.cluster, live=False),
        kinds={field: _kind(reading) for field in KINDS if (reading := getattr(snapshot, field)) != absent()},
        custom_kinds={name: _kind(reading) for name, reading in snapshot.custom_workloads.items()},
        feature_gates=snapshot.feature_gates_state,
    )


def _kind(reading: KindReading[Any]) -> KindHeader:
    return KindHeader(reading.state, len(reading.items), reading.reason, reading.api_version, reading.served)


def parse(raw: bytes | object, source: str) -> SnapshotHeader:
    """The header in JSON text or plain values. Raises InputError where `source` is of a later format, or the header is broken."""
    try:
        first = msgspec.json.decode(raw, type=_Format) if isinstance(raw, bytes) else msgspec.convert(raw, _Format, strict=False)
        if first.format > FORMAT:
            raise InputError(
                f"{source} is a snapshot of format {first.format}, written by {first.tool or 'a later version'}; "
                f"this version reads up to {FORMAT}",
                hint="update kubectl-dra, or take the snapshot again with this version",
            )
        if isinstance(raw, bytes):
            return msgspec.json.decode(raw, type=SnapshotHeader)
        return msgspec.convert(raw, SnapshotHeader, strict=False)
    except msgspec.ValidationError as error:
        raise InputError(f"{source}: the `snapshot` key is damaged ({error})") from None
