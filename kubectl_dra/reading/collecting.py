"""The objects of people's files, gathered kind by kind into a Snapshot."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from kubectl_dra.errors import InputError
from kubectl_dra.objects.shape import Object
from kubectl_dra.objects.sharing import Sharing
from kubectl_dra.objects.snapshot import ClusterInfo, KindReading, ReadState, Snapshot
from kubectl_dra.objects.workload import CustomWorkload
from kubectl_dra.reading import snapshot_header
from kubectl_dra.reading.custom import CustomReader
from kubectl_dra.reading.decoding import Decoder, MistypedError, convert, name_of, raw_items, told
from kubectl_dra.reading.json_cutter import Text
from kubectl_dra.reading.kept import custom_workload
from kubectl_dra.reading.kinds import BY_FIELD, BY_GROUP_KIND, split_api_version
from kubectl_dra.reading.snapshot_header import SnapshotHeader

NOT_IN_THE_FILE = "not in the file"
NO_KIND = ("", "")
"""API version and kind of objects that name none."""

_HEAD = re.compile(rb'\[\s*\{\s*"apiVersion"\s*:\s*"([^"\\]*)"\s*,\s*"kind"\s*:\s*"([^"\\]*)"')


class _Head(msgspec.Struct, frozen=True, rename="camel"):
    api_version: str | None = None
    kind: str | None = None


class Envelope(msgspec.Struct, frozen=True, rename="camel"):
    """What a list's object says beside its items."""

    api_version: str | None = None
    kind: str | None = None
    snapshot: msgspec.Raw = msgspec.Raw()
    items: list[msgspec.Raw] | None = None

    @property
    def is_list(self) -> bool:
        """True for a list, of one kind or of all."""
        return bool(self.kind and self.kind.endswith("List"))

    @property
    def of_items(self) -> tuple[str, str] | None:
        """API version and kind of the items, where the list's own kind tells it (`PodList`)."""
        if self.kind and self.is_list and self.kind != "List":
            return self.api_version or "", self.kind.removesuffix("List")
        return None


class Collector:
    """Takes objects of all kinds, in JSON or plain values; `snapshot` gives what came of them."""

    def __init__(self, custom: CustomReader) -> None:
        """Take the reader of custom kinds."""
        self._custom = custom
        self._share = Sharing()
        self._decoders: dict[tuple[str, str], Decoder | None] = {}
        self._items: dict[str, list[Object]] = {}
        self._versions: dict[str, str] = {}
        self._customs: dict[str, list[CustomWorkload]] = {}
        self._custom_versions: dict[str, str] = {}
        self._lists: dict[str, int] = {}
        self._others: Counter[str] = Counter()
        self._header: SnapshotHeader | None = None
        self.source = ""

    @property
    def count(self) -> int:
        """How many objects have been taken so far."""
        return sum(map(len, self._items.values())) + sum(map(len, self._customs.values()))

    def begin(self, source: str) -> None:
        """What comes next is from `source` (a file's name, for messages)."""
        self.source = source

    def header(self, raw: bytes | object) -> None:
        """The `snapshot` key of a file. Raises InputError for the second one."""
        if self._header is not None:
            raise InputError(f"{self.source}: a second snapshot", hint="give one snapshot file at a time")
        self._header = snapshot_header.parse(raw, self.source)

    def list_of(self, api: str, kind: str) -> None:
        """A list of this kind is there, perhaps with no items: that the kind has been read is then known."""
        if decoder := self._decoder(api, kind):
            field = decoder.kind.field
            self._items.setdefault(field, [])
            self._versions.setdefault(field, api)

    def json_items(self, text: Text, of_items: tuple[str, str] | None) -> bool:
        """The objects in a JSON array; False when nobody says of what kind they are (`of_items`: what their list says)."""
        head = _HEAD.match(text)
        if head:
            decoder = self._decoder(head[1].decode(), head[2].decode())
            if decoder and (items := decoder.items_of_kind(text)) is not None:
                self._add(decoder, head[1].decode(), items)
                return True
        raws = raw_items(text)
        run: list[msgspec.Raw] = []
        of_run: tuple[str, str] | None = None
        for raw in raws:
            of = _of(raw) or of_items
            if of is None:
                return False
            if of != of_run and of_run:
                self._run(run, of_run)
                run = []
            of_run = of
            run.append(raw)
        if of_run:
            self._run(run, of_run)
        return True

    def _run(self, raws: list[msgspec.Raw], of: tuple[str, str]) -> None:
        decoder = self._decoder(*of)
        if decoder is None:
            for raw in raws:
                self._other(of, msgspec.json.decode(raw) if self._wants(of) else None)
            return
        self._add(decoder, of[0], decoder.items(b"[" + b",".join(map(bytes, raws)) + b"]"))

    def value(self, item: object, of_item: tuple[str, str] | None = None) -> None:
        """One object as plain values; `of_item` is what its list says."""
        if not isinstance(item, Mapping):
            raise MistypedError("something that is not an object")
        of = (str(item.get("apiVersion") or ""), str(item.get("kind") or "")) if item.get("kind") else of_item
        if of is None:
            self._others["without a kind"] += 1
            return
        decoder = self._decoder(*of)
        if decoder is None:
            self._other(of, item)
        else:
            self._add(decoder, of[0], [decoder.value(item)])

    def _decoder(self, api: str, kind: str) -> Decoder | None:
        try:
            return self._decoders[api, kind]
        except KeyError:
            group, version = split_api_version(api)
            known = BY_GROUP_KIND.get((group, kind))
            decoder = self._decoders[api, kind] = Decoder(known, version, self._share) if known else None
            return decoder

    def _add(self, decoder: Decoder, api: str, items: list[Object]) -> None:
        field = decoder.kind.field
        self._items.setdefault(field, []).extend(items)
        self._versions[field] = api

    def _wants(self, of: tuple[str, str]) -> bool:
        return self._header is not None or not of[1].endswith("List")

    def _other(self, of: tuple[str, str], item: object) -> None:
        api, kind = of
        group, _ = split_api_version(api)
        name = f"{kind}.{group}" if group else kind
        found: CustomWorkload | None = None
        if isinstance(item, Mapping) and "templates" in item and "spec" not in item:
            # as snapshot files have them: what was found in the object, not the object
            found = convert(item, CustomWorkload, kind)
        elif group and item is not None:
            found = self._custom(name, item)
        if found is None:
            self._others[kind or "without a kind"] += 1
            return
        self._customs.setdefault(name, []).append(custom_workload(found, self._share))
        self._custom_versions[name] = api

    def snapshot(self, cluster: ClusterInfo) -> Snapshot:
        """All that was taken. Raises InputError for nothing.

        Files name objects twice (`kubectl get pods a a`, a folder with an older copy): the last one counts.
        """
        if self._header is not None:
            return self._as_written(self._header)
        if not self._items and not self._customs:
            raise InputError(
                f"{self.source} {self._nothing()}", hint="`kubectl dra snapshot FILE` writes one; `kubectl get ... -A -o json` will do"
            )
        readings: dict[str, KindReading[Any]] = {}
        for field in BY_FIELD:
            if field in self._items:
                readings[field] = KindReading(_last_of_each(self._items[field]), api_version=self._versions[field])
            else:
                readings[field] = KindReading(state=ReadState.ABSENT, reason=NOT_IN_THE_FILE)
        custom = {
            name: KindReading(_last_of_each(items), api_version=self._custom_versions[name])
            for name, items in sorted(self._customs.items())
        }
        return msgspec.structs.replace(Snapshot(cluster=cluster, custom_workloads=custom), **readings)

    def _nothing(self) -> str:
        if not self._others:
            return "holds no objects"
        found = ", ".join(f"{count} {kind}" for kind, count in self._others.most_common(5))
        return f"holds no objects of a kind that this tool reads (found: {found})"

    def _as_written(self, header: SnapshotHeader) -> Snapshot:
        readings: dict[str, KindReading[Any]] = {}
        for field in BY_FIELD:
            said = header.kinds.get(field)
            if said is not None:
                readings[field] = self._reading(said, self._items.get(field, []), field)
        custom = {name: self._reading(said, self._customs.get(name, []), name) for name, said in header.custom_kinds.items()}
        bare = Snapshot(cluster=header.cluster, custom_workloads=custom, feature_gates_state=header.feature_gates)
        return msgspec.structs.replace(bare, **readings)

    def _reading(self, said: snapshot_header.KindHeader, items: "list[Any]", name: str) -> KindReading[Any]:
        if len(items) != said.count:
            raise InputError(
                f"{self.source}: the snapshot says that it has {said.count} {name.replace('_', ' ')}, but {len(items)} are there",
                hint="the file was changed or cut; take the snapshot again",
            )
        return KindReading(tuple(items), said.state, said.reason, said.api_version, said.served)


def unreadable_head(text: bytes | msgspec.Raw, error: msgspec.ValidationError) -> MistypedError:
    """The error for an object that does not even say what it is."""
    return MistypedError(f"an object ({name_of(msgspec.json.decode(text))}): {told(error)}")


def _of(raw: msgspec.Raw) -> tuple[str, str] | None:
    try:
        head = msgspec.json.decode(raw, type=_Head)
    except msgspec.ValidationError as error:
        raise unreadable_head(raw, error) from None
    return (head.api_version or "", head.kind) if head.kind else None


def _last_of_each(items: Iterable[Any]) -> tuple[Any, ...]:
    """The last of the objects with the same namespace and name; objects without a name (manifests with generateName) all count."""
    last: dict[object, Any] = {}
    for item in items:
        meta = item.metadata
        last[(meta.namespace, meta.name) if meta.name else id(item)] = item
    return tuple(last.values())
