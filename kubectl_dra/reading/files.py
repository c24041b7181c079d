"""Files that stand for a cluster: snapshots, `kubectl get ... -o json|yaml`, several documents, folders, standard input.

Each may be compressed (gzip).
"""

import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import msgspec
import yaml

from kubectl_dra.environment import Environment
from kubectl_dra.errors import InputError
from kubectl_dra.objects.snapshot import ClusterInfo, Snapshot
from kubectl_dra.progress import Observer, ReadingKind, nobody
from kubectl_dra.reading import yaml_text
from kubectl_dra.reading.collecting import Collector, Envelope
from kubectl_dra.reading.custom import custom_reader
from kubectl_dra.reading.decoding import MistypedError
from kubectl_dra.reading.json_cutter import CutShortError, Items, JsonCutter, NotObjectsError, Whole

SUFFIXES = (".json", ".yaml", ".yml", ".json.gz", ".yaml.gz", ".yml.gz")
"""The files of a folder that are read."""

_GZIP = b"\x1f\x8b"


def read_path(path: str, environment: Environment, *, pod_templates: tuple[str, ...] = (), observer: Observer = nobody) -> Snapshot:
    """The cluster that `path` (a file, a folder, `-` for standard input) stands for.

    `pod_templates` are further kinds with pod templates (`KIND.GROUP=PATH`). Raises InputError; UsageError for a bad `pod_templates`.
    """
    collector = Collector(custom_reader(pod_templates))
    sources = list(_sources(path, environment))
    documents = 0
    for name, opener in sources:
        collector.begin(name)
        with _told(collector), opener() as stream:
            documents += _read(_unpacked(stream), collector, observer)
    collector.begin("standard input" if path == "-" else path)
    observer(ReadingKind("objects", collector.count, done=True))
    return collector.snapshot(ClusterInfo(server=collector.source, read_at=_read_at(path, sources, environment)), several=documents > 1)


Opener = Callable[[], AbstractContextManager[IO[bytes]]]


def _sources(path: str, environment: Environment) -> Iterator[tuple[str, Opener]]:
    if path == "-":
        yield "standard input", lambda: nullcontext(environment.binary_stdin)
        return
    place = Path(path)
    if not place.is_dir():
        yield path, lambda: _open(place)
        return
    found = sorted(file for file in place.rglob("*") if file.name.endswith(SUFFIXES) and not _hidden(file, place) and file.is_file())
    if not found:
        raise InputError(f"{path} has no file that ends in {', '.join(SUFFIXES[:3])} (or these with .gz)")
    for file in found:
        yield str(file), lambda file=file: _open(file)  # type: ignore[misc]


def _hidden(file: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(folder).parts)


def _open(file: Path) -> IO[bytes]:
    return file.open("rb", buffering=0)


def _read_at(path: str, sources: list[tuple[str, Opener]], environment: Environment) -> str:
    """When the newest of the files was written; for standard input, now."""
    moment = environment.clock.now() if path == "-" else datetime.fromtimestamp(max(Path(name).stat().st_mtime for name, _ in sources), UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


@contextmanager
def _told(collector: Collector) -> Iterator[None]:
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


def _unpacked(stream: IO[bytes]) -> IO[bytes]:
    """The stream, unpacked if it begins like gzip."""
    buffered = io.BufferedReader(_Reads(stream), buffer_size=1 << 20)
    if buffered.peek(2).startswith(_GZIP):
        return gzip.GzipFile(fileobj=buffered)  # type: ignore[return-value]
    return buffered


class _Reads(io.RawIOBase):
    """A stream that may lack `readinto`, as a raw one."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "memoryview | bytearray") -> int:  # type: ignore[override]
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _read(stream: IO[bytes], collector: Collector, observer: Observer) -> int:
    """Feed the collector; how many documents there were."""
    start = stream.read(4096)
    while start and not start.strip():
        start = stream.read(4096)
    if not start:
        raise InputError(f"{collector.source} is empty")
    start = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith((b"{", b"[")):
        return _read_json(_continued(start, stream), collector, observer)
    if b"\0" in start:
        raise InputError(f"{collector.source} is neither JSON nor YAML but binary data")
    return _read_yaml(start, stream, collector, observer)


def _continued(start: bytes, stream: IO[bytes]) -> Callable[[int], bytes]:
    pending = [start]

    def read(size: int) -> bytes:
        return pending.pop() if pending else stream.read(size)

    return read


def _read_json(read: Callable[[int], bytes], collector: Collector, observer: Observer) -> int:
    documents = 0
    waiting: list[bytes] = []  # items whose kind only the end of their list tells
    before: bytes | None = None
    for piece in JsonCutter(read).pieces():
        match piece:
            case Items(text, said):
                if said != before:
                    before, envelope = said, _envelope(said)
                    if envelope.snapshot:
                        collector.header(bytes(envelope.snapshot))
                if waiting or not collector.json_items(text, envelope.of_items):
                    waiting.append(text)
            case Whole(text, cut):
                documents += 1
                _whole(text, cut, collector, waiting)
                waiting, before = [], None
        observer(ReadingKind("objects", collector.count))
    for text in waiting:
        collector.json_items(text, ("", ""))
    return documents or 1


def _envelope(text: bytes) -> Envelope:
    try:
        return msgspec.json.decode(text, type=Envelope)
    except msgspec.ValidationError as error:
        raise MistypedError(f"the list: {error}") from None


def _whole(text: bytes, cut: bool, collector: Collector, waiting: list[bytes]) -> None:
    envelope = _envelope(text) if cut or b'"items"' in text or b"List" in text else None
    if envelope is None or not (envelope.items is not None or (envelope.kind or "").endswith("List")):
        if text.startswith(b"["):
            collector.json_items(text, ("", ""))
        else:
            collector.json_items(b"[" + text + b"]", ("", ""))
        return
    if of := envelope.of_items:
        collector.list_of(*of)
    if envelope.snapshot and not cut:
        collector.header(bytes(envelope.snapshot))
    for item in waiting:
        collector.json_items(item, envelope.of_items or ("", ""))
    if envelope.items and not cut:
        collector.json_items(b"[" + b",".join(map(bytes, envelope.items)) + b"]", envelope.of_items or ("", ""))


def _read_yaml(start: bytes, stream: IO[bytes], collector: Collector, observer: Observer) -> int:
    data = start + stream.read(yaml_text.LARGEST + 1 - len(start))
    if len(data) > yaml_text.LARGEST:
        raise InputError(
            f"{collector.source} is more than {yaml_text.LARGEST >> 20} MB of YAML, which takes minutes to read",
            hint="write it with `-o json`, or take it with `kubectl dra snapshot`",
        )
    try:
        text = data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise InputError(f"{collector.source} is neither JSON nor YAML: byte {error.start} is not UTF-8") from None
    documents = 0
    for document in yaml_text.documents(text):
        documents += 1
        _yaml_document(document, collector)
        observer(ReadingKind("objects", collector.count))
    return documents


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
