"""Single objects, read once more: what a list showed may have changed since."""

from collections import Counter
from collections.abc import Iterable

import msgspec

from kubectl_dra.cluster.discovery import Discovery
from kubectl_dra.cluster.transport import Transport
from kubectl_dra.environment import Environment
from kubectl_dra.errors import ApiError
from kubectl_dra.objects.shape import Object
from kubectl_dra.objects.sharing import Sharing
from kubectl_dra.objects.snapshot import KINDS, KindReading, ReadState, Snapshot
from kubectl_dra.progress import Observer
from kubectl_dra.reading.decoding import Decoder
from kubectl_dra.reading.fetching import Fetching, Gets, Request
from kubectl_dra.reading.kinds import BY_FIELD
from kubectl_dra.reading.live import best, read_live
from kubectl_dra.reading.wanted import Wanted

LIST_FROM = 200
"""From so many objects of a kind on, listing the kind is quicker than reading each."""

NOT_FOUND = 404
FORBIDDEN = 403

_FIELDS = {kind: field for field, kind in KINDS.items()}


def read_again(
    transport: Transport, discovery: Discovery, objects: Iterable[tuple[str, str, str]], environment: Environment, observer: Observer
) -> Snapshot:
    """A Snapshot that has at least these objects, as far as they still exist: single ones, or the whole kind where they are many.

    An object without a name stands for all of its kind.
    """
    wanted = tuple(objects)
    many = {kind for kind, number in Counter(kind for kind, _, _ in wanted).items() if number > LIST_FROM}
    many |= {kind for kind, _, name in wanted if not name}
    single = read_objects(transport, discovery, (each for each in wanted if each[0] not in many))
    if not many:
        return single
    fields = frozenset(_FIELDS[kind] for kind in many)
    listed = read_live(transport, discovery, Wanted(kinds=fields), environment, observer)
    return msgspec.structs.replace(single, **{field: getattr(listed, field) for field in fields})


def read_objects(transport: Gets, discovery: Discovery, objects: Iterable[tuple[str, str, str]]) -> Snapshot:
    """A Snapshot of just these objects, each as (kind, namespace, name), with an empty namespace for what belongs to none.

    Objects that are gone are left out. A kind of which one object could not be read is `forbidden` or `failed`, with the server's words.
    Raises what the transport raises when there is no server any more.
    """
    share = Sharing()
    found: dict[str, list[Object]] = {}
    ended: dict[str, KindReading[object]] = {}
    decoders: dict[str, Decoder] = {}
    fetching: Fetching[str] = Fetching(transport)
    for name_of_kind, namespace, name in objects:
        kind = BY_FIELD[_FIELDS[name_of_kind]]
        served = best(discovery, kind)
        if served is None:
            ended[kind.field] = KindReading(state=ReadState.UNSERVED, reason=f"the server does not serve {kind.plural} any more")
            continue
        decoders[kind.field] = decoders.get(kind.field) or Decoder(kind, served.version, share)
        found.setdefault(kind.field, [])
        place = f"/namespaces/{namespace}" if namespace else ""
        fetching.ask(kind.field, Request(f"{served.prefix}{place}/{served.plural}/{name}"))
    for field, answer in fetching.answers():
        if isinstance(answer, bytes):
            found[field].append(decoders[field].value(msgspec.json.decode(answer)))
        elif not isinstance(answer, ApiError):
            raise answer
        elif answer.code != NOT_FOUND:
            state = ReadState.FORBIDDEN if answer.code == FORBIDDEN else ReadState.FAILED
            ended[field] = KindReading(state=state, reason=answer.message)
    read = {field: KindReading(items=tuple(items)) for field, items in found.items()}
    return msgspec.structs.replace(Snapshot(), **{**read, **ended})
