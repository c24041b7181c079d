"""Writes a Snapshot as a file: a `v1 List` in JSON that kubectl understands, one item a line.

It holds exactly the fields of the Structs, so what no Struct names, and what the reader does not keep, cannot leak.
`read_path` gives an equal Snapshot back (only `cluster.live` is then false).
"""

import gzip
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import msgspec

import kubectl_dra
from kubectl_dra.errors import OutputError
from kubectl_dra.objects.snapshot import Snapshot
from kubectl_dra.reading.kinds import ALL
from kubectl_dra.reading.snapshot_header import header_of

_BLOCK = 1 << 20


def write_snapshot(snapshot: Snapshot, write: Callable[[bytes], object]) -> None:
    """Give `write` the file of `snapshot`, uncompressed, in pieces of whole lines."""
    block: list[bytes] = []
    size = 0
    for line in _lines(snapshot):
        block.append(line)
        size += len(line)
        if size >= _BLOCK:
            write(b"".join(block))
            block, size = [], 0
    write(b"".join(block))


def write_snapshot_file(snapshot: Snapshot, path: str) -> None:
    """Write `snapshot` to the file `path`, compressed if it ends in `.gz`; the file is whole or not there. Raises OutputError."""
    place = Path(path)
    try:
        if place.is_dir():
            raise OutputError(f'"{path}" is a folder', hint="name a file")
        if place.exists() and not place.is_file():  # a pipe or device: nothing to put in its place
            with place.open("wb") as file:
                _write(snapshot, file, place)
            return
        half = place.with_name(f".{place.name}.{secrets.token_hex(4)}")
        try:
            with half.open("xb") as file:
                _write(snapshot, file, place)
            half.replace(place)
        finally:
            half.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror or error}") from None


def _write(snapshot: Snapshot, file: IO[bytes], place: Path) -> None:
    if not place.name.endswith(".gz"):
        write_snapshot(snapshot, file.write)
        return
    # No time and no name inside: equal snapshots make equal files.
    with gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as packed:
        write_snapshot(snapshot, packed.write)


def _lines(snapshot: Snapshot) -> Iterator[bytes]:
    tool = f"kubectl-dra {kubectl_dra.__version__}"
    header = msgspec.json.encode(header_of(snapshot, tool))
    yield b'{"apiVersion":"v1","kind":"List","metadata":{},"snapshot":' + header + b',"items":['
    separator = b"\n"
    for item in _items(snapshot):
        yield separator + item
        separator = b",\n"
    yield b"\n]}\n"


def _items(snapshot: Snapshot) -> Iterator[bytes]:
    encode = msgspec.json.Encoder(order="deterministic").encode
    for kind in ALL:
        head = f'{{"apiVersion":"{kind.api_version}","kind":"{kind.kind}",'.encode()
        reading: Any = getattr(snapshot, kind.field)
        for item in reading.items:
            yield head + encode(item)[1:]
    for custom in snapshot.custom_workloads.values():
        for workload in custom.items:
            yield encode(workload)
