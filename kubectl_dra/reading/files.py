"""Files that stand for a cluster: snapshots, `kubectl get ... -o json|yaml`, several documents, folders, standard input.

Each may be compressed (gzip).
"""

import gzip
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, NoReturn, Protocol, cast

import msgspec
import yaml

from kubectl_dra.environment import Environment
from kubectl_dra.errors import InputError
from kubectl_dra.objects.snapshot import ClusterInfo, Snapshot
from kubectl_dra.progress import Observer, ReadingKind, nobody
from kubectl_dra.reading import yaml_text
from kubectl_dra.reading.collecting import NO_KIND, Collector, Envelope, unreadable_head
from kubectl_dra.reading.custom import custom_reader
from kubectl_dra.reading.decoding import MistypedError
from kubectl_dra.reading.json_cutter import CutShortError, JsonCutter, NotObjectsError, Text

SUFFIXES = (".json", ".yaml", ".yml", ".json.gz", ".yaml.gz", ".yml.gz")
"""The files of a folder that are read."""

_GZIP = b"\x1f\x8b"
_PEEK = 4096


class Readable(Protocol):
    """What is needed of a stream."""

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes; none at the end."""


def read_path(path: str, environment: Environment, *, pod_templates: tuple[str, ...] = (), observer: Observer = nobody) -> Snapshot:
    """The cluster that `path` (a file, a folder, `-` for standard input) stands for.

    `pod_templates` are further kinds with pod templates (`KIND.GROUP=PATH`). Raises InputError; UsageError for a bad `pod_templates`.
    """
    collector = Collector(custom_reader(pod_templates))
    sources = list(_sources(path, environment))
    for name, opener in sources:
        collector.begin(name)
        with told(collector), opener() as stream:
            feed(stream, collector, observer)
    collector.begin("standard input" if path == "-" else path)
    observer(ReadingKind("objects", collector.count, done=True))
    return collector.snapshot(ClusterInfo(server=collector.source, read_at=_read_at(path, sources, environment)))


Opener = Callable[[], AbstractContextManager[IO[bytes]]]


def _sources(path: str, environment: Environment) -> Iterator[tuple[str, Opener]]:
    if path == "-":
        yield "standard input", lambda: nullcontext(environment.binary_stdin)
        return
    place = Path(path)
    try:
        found = files_in(place, SUFFIXES) if place.is_dir() else None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None
    if found is None:
        yield path, lambda: _open(place)
        return
    if not found:
        raise InputError(f"{path} has no file that ends in {', '.join(SUFFIXES[:3])} (or these with .gz)")
    for file in found:
        yield str(file), lambda file=file: _open(file)  # type: ignore[misc]


def files_in(folder: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """The files in `folder` that end so, sorted; what begins with a dot is not read. Raises OSError, also for a folder within it."""
    found: list[Path] = []
    for place, folders, names in os.walk(folder, onerror=_raise):
        folders[:] = [name for name in folders if not name.startswith(".")]
        files = (Path(place) / name for name in names if name.endswith(suffixes) and not name.startswith("."))
        found += (file for file in files if file.is_file())
    return sorted(found)


def _raise(error: OSError) -> NoReturn:
    raise error


def _open(file: Path) -> IO[bytes]:
    return file.open("rb", buffering=0)


def _read_at(path: str, sources: list[tuple[str, Opener]], environment: Environment) -> str:
    """When the newest of the files was written; for standard input, now."""
    moment = environment.clock.now() if path == "-" else datetime.fromtimestamp(max(Path(name).stat().st_mtime for name, _ in sources), UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


@contextmanager
def told(collector: Collector) -> Iterator[None]:
    """What can go wrong with a file, as one line that names it."""
    source = collector.source
    try:
        yield
    except OSError as error:
        if isinstance(error, gzip.BadGzipFile):
            raise InputError(f"{source} begins like gzip but is damaged ({error})") from None
        raise InputError(f"{source} cannot be read: {error.strerror or error}") from None
    except (EOFError, CutShortError):
        raise InputError(
            f"{source} is cut short: it ends in the middle of {'an object' if collector.count else 'its first object'}"
        ) from None
    except zlib.error as error:
        raise InputError(f"{source} begins like gzip but is damaged ({error})") from None
    except MistypedError as error:
        raise InputError(f"{source}: {error}", hint="mend that field, or write the file again with `kubectl get ... -o json`") from None
    except NotObjectsError as error:
        raise InputError(f"{source} is no list of Kubernetes objects: {error}") from None
    except msgspec.DecodeError as error:
        raise InputError(f"{source} is not JSON as Kubernetes writes it: {error}") from None
    except RecursionError:
        raise InputError(f"{source} is nested deeper than any Kubernetes object") from None
    except yaml.YAMLError as error:
        raise InputError(f"{source} is neither JSON nor YAML: {' '.join(str(error).split())}") from None


class _Pushed:
    """A stream whose first bytes have been looked at."""

    def __init__(self, first: bytes, stream: Readable) -> None:
        self._first = first
        self._stream = stream

    def read(self, size: int) -> bytes:
        first, self._first = self._first[:size], self._first[size:]
        return first or self._stream.read(size)


def feed(stream: Readable, collector: Collector, observer: Observer) -> None:
    """Feed the collector all objects of the stream."""
    start = stream.read(_PEEK)
    if start.startswith(_GZIP):
        unpacked = gzip.GzipFile(fileobj=cast(IO[bytes], _Pushed(start, stream)))
        feed(unpacked, collector, observer)
        return
    start = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    while not start:
        if not (start := stream.read(_PEEK)):
            raise InputError(f"{collector.source} is empty")
        start = start.lstrip()
    if start.startswith((b"{", b"[")):
        _Json(collector, observer).read(_Pushed(start, stream))
        return
    if b"\0" in start:
        raise InputError(f"{collector.source} is neither JSON nor YAML but binary data")
    _read_yaml(start, stream, collector, observer)


class _Json:
    """The JSON documents of one stream on their way to the collector."""

    def __init__(self, collector: Collector, observer: Observer) -> None:
        self._collector = collector
        self._observer = observer
        self._waiting: list[bytes] = []
        """Items whose kind only the end of their list tells."""
        self._before = b""
        self._envelope = Envelope()

    def read(self, stream: Readable) -> None:
        """Feed all of it to the collector."""
        JsonCutter(stream.read, self._items, self._whole).run()
        self._end_of_list(Envelope())

    def _items(self, text: Text, before: bytes) -> None:
        if before != self._before:
            self._before, self._envelope = before, _envelope(before)
            if self._envelope.snapshot:
                self._collector.header(bytes(self._envelope.snapshot))
        if self._waiting or not self._collector.json_items(text, self._envelope.of_items):
            self._waiting.append(bytes(text))
        self._observer(ReadingKind("objects", self._collector.count))

    def _whole(self, text: bytes, cut: bool) -> None:
        if text.startswith(b"["):
            self._collector.json_items(text, NO_KIND)
            return
        envelope = _envelope(text)
        if cut:
            if envelope.snapshot and not self._envelope.snapshot:
                self._collector.header(bytes(envelope.snapshot))
            self._end_of_list(envelope)
        elif envelope.items is None and not envelope.is_list:
            self._collector.json_items(b"[" + text + b"]", NO_KIND)
        else:
            if envelope.snapshot:
                self._collector.header(bytes(envelope.snapshot))
            self._waiting = [b"[" + b",".join(map(bytes, envelope.items or ())) + b"]"]
            self._end_of_list(envelope)
        self._observer(ReadingKind("objects", self._collector.count))

    def _end_of_list(self, envelope: Envelope) -> None:
        if of := envelope.of_items:
            self._collector.list_of(*of)
        for items in self._waiting:
            self._collector.json_items(items, envelope.of_items or NO_KIND)
        self._waiting, self._before, self._envelope = [], b"", Envelope()


def _envelope(text: bytes) -> Envelope:
    try:
        return msgspec.json.decode(text, type=Envelope)
    except msgspec.ValidationError as error:
        raise unreadable_head(text, error) from None


def _read_yaml(start: bytes, stream: Readable, collector: Collector, observer: Observer) -> None:
    data = start + _at_most(stream, yaml_text.LARGEST + 1 - len(start))
    if len(data) > yaml_text.LARGEST:
        raise InputError(
            f"{collector.source} is more than {yaml_text.LARGEST >> 20} MB of YAML, which takes minutes to read",
            hint="write it with `-o json`, or take it with `kubectl dra snapshot`",
        )
    try:
        text = data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise InputError(f"{collector.source} is neither JSON nor YAML: byte {error.start} is not UTF-8") from None
    for document in yaml_text.documents(text):
        _yaml_document(document, collector)
        observer(ReadingKind("objects", collector.count))


def _at_most(stream: Readable, size: int) -> bytes:
    blocks = []
    while size > 0 and (block := stream.read(min(size, 1 << 20))):
        blocks.append(block)
        size -= len(block)
    return b"".join(blocks)


def _yaml_document(document: object, collector: Collector) -> None:
    if not isinstance(document, dict):
        raise NotObjectsError("it holds text, not objects")
    kind, items = document.get("kind"), document.get("items")
    if not (isinstance(kind, str) and kind.endswith("List")) and not isinstance(items, list):
        collector.value(document)
        return
    of = None
    if isinstance(kind, str) and kind != "List" and kind.endswith("List"):
        of = (str(document.get("apiVersion") or ""), kind.removesuffix("List"))
        collector.list_of(*of)
    if document.get("snapshot") is not None:
        collector.header(document["snapshot"])
    for item in items or ():
        collector.value(item, of)
