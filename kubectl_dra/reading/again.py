"""Single objects, read once more: what a list showed may have changed since."""

from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import msgspec

from kubectl_dra.cluster.discovery import Discovery
from kubectl_dra.cluster.transport import Transport
from kubectl_dra.errors import ApiError
from kubectl_dra.objects.shape import Object
from kubectl_dra.objects.sharing import Sharing
from kubectl_dra.objects.snapshot import KindReading, ReadState, Snapshot
from kubectl_dra.reading.decoding import Decoder
from kubectl_dra.reading.kinds import ALL, Kind

AT_ONCE = 8
"""Requests under way at the same time."""

NOT_FOUND = 404


def read_objects(transport: Transport, discovery: Discovery, objects: Iterable[tuple[str, str, str]]) -> Snapshot:
    """A Snapshot of just these objects, each as (kind, namespace, name), with an empty namespace for what belongs to none.

    Objects that are gone are left out. A kind of which one object could not be read is `forbidden` or `failed`, with the server's words.
    Raises what the transport raises when there is no server any more.
    """
    names: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name_of_kind, namespace, name in objects:
        names[name_of_kind].append((namespace, name))
    readings: dict[str, KindReading[object]] = {}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for kind in ALL:
            if kind.kind in names:
                readings[kind.field] = _read(transport, discovery, kind, names[kind.kind], pool)
    return msgspec.structs.replace(Snapshot(), **readings)


def _read(
    transport: Transport, discovery: Discovery, kind: Kind, names: list[tuple[str, str]], pool: ThreadPoolExecutor
) -> KindReading[object]:
    served = discovery.find(kind.group, kind.kind)
    if served is None:
        return KindReading(state=ReadState.UNSERVED, reason=f"{kind.plural} are not served any more")
    decoder = Decoder(kind, served.version, Sharing())

    def read(key: tuple[str, str]) -> Object | None:
        namespace, name = key
        place = f"/namespaces/{namespace}" if namespace else ""
        try:
            answer = transport.get(f"{served.prefix}{place}/{served.plural}/{name}")
        except ApiError as error:
            if error.code == NOT_FOUND:
                return None
            raise
        return decoder.value(msgspec.json.decode(answer))

    try:
        found = tuple(item for item in pool.map(read, names) if item is not None)
    except ApiError as error:
        state = ReadState.FORBIDDEN if error.reason == "Forbidden" else ReadState.FAILED
        return KindReading(state=state, reason=error.message)
    return KindReading(items=found, api_version=served.api_version)
