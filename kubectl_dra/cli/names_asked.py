"""Names in the cluster, for completion: asked for while somebody waits with a finger on a key, so at once or not at all.

Only names travel (PartialObjectMetadataList), and no more than `AT_MOST` of them. Whatever goes wrong, there is nothing to choose from.
"""

import io
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from kubectl_dra.cli.cluster_names import NODES, Names
from kubectl_dra.cli.options import CONNECTION
from kubectl_dra.environment import Environment
from kubectl_dra.errors import ApiError, DraError

if TYPE_CHECKING:
    from kubectl_dra.cluster.transport import Transport
    from kubectl_dra.kubeconfig import Overrides

SECONDS = 0.4
"""Longer than that, nobody waits for a word."""

AT_MOST = 500

_NAMES_ONLY = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
_NOT_FOUND = 404


class _Metadata(msgspec.Struct, frozen=True):
    name: str = ""


class _Spec(msgspec.Struct, frozen=True, rename="camel"):
    extended_resource_name: str | None = None


class _Status(msgspec.Struct, frozen=True):
    allocatable: Mapping[str, object] | None = None


class _Item(msgspec.Struct, frozen=True):
    metadata: _Metadata = _Metadata()
    spec: _Spec = _Spec()
    status: _Status = _Status()


class _List(msgspec.Struct, frozen=True):
    items: tuple[_Item, ...] | None = None


def names(wanted: Names, given: Mapping[str, str], environment: Environment, seconds: float = SECONDS) -> list[str]:
    """The names, sorted, of the cluster that the flags in `given` name; none where the answer takes longer than `seconds`."""
    # imported here, not in the thread: the seconds are the cluster's
    import kubectl_dra.cluster.transport
    import kubectl_dra.kubeconfig  # noqa: F401

    found: list[str] = []

    def ask() -> None:
        try:
            found.extend(_asked(wanted, given, environment))
        except (DraError, msgspec.MsgspecError):
            return  # a word that is not completed is all the message there is room for

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(seconds)
    return [] if asking.is_alive() else sorted(set(found))


def _asked(wanted: Names, given: Mapping[str, str], environment: Environment) -> list[str]:
    from kubectl_dra.cluster.transport import Transport
    from kubectl_dra.kubeconfig import connect

    # A credential plugin's questions would be lost in the line that is being typed.
    silent = replace(environment, stdin=io.StringIO(), stdout=io.StringIO(), stderr=io.StringIO())
    connection = connect(_overrides(given), silent)
    with Transport(connection, silent) as transport:
        place = f"/namespaces/{connection.namespace}" if wanted.namespaced else ""
        if not wanted.extended:
            return [item.metadata.name for item in _items(transport, wanted, place, _NAMES_ONLY)]
        return [*_mapped(transport, wanted), *_offered(transport)]


def _mapped(transport: "Transport", classes: Names) -> Iterator[str]:
    for item in _items(transport, classes, "", "application/json"):
        if item.spec.extended_resource_name:
            yield item.spec.extended_resource_name


def _offered(transport: "Transport") -> Iterator[str]:
    """What some nodes list. Whole nodes are large: a few tell what most do."""
    for item in _items(transport, NODES, "", "application/json", limit=20):
        yield from (name for name in item.status.allocatable or () if "/" in name)


def _items(transport: "Transport", wanted: Names, place: str, accept: str, limit: int = AT_MOST) -> tuple[_Item, ...]:
    for version in wanted.versions:
        prefix = f"/apis/{wanted.group}/{version}" if wanted.group else f"/api/{version}"
        try:
            body = transport.get(f"{prefix}{place}/{wanted.plural}", {"limit": str(limit)}, accept=accept)
        except ApiError as error:
            if error.code != _NOT_FOUND:
                raise
            continue
        return msgspec.json.decode(body, type=_List).items or ()
    return ()


def _overrides(given: Mapping[str, str]) -> "Overrides":
    from kubectl_dra.kubeconfig import Overrides

    said: dict[str, object] = {}
    for option in CONNECTION.options:
        if option.flag in given:
            value = given[option.flag]
            said[option.name] = _READ.get(option.takes, _as_it_is)(value)
    return Overrides(**said)  # type: ignore[arg-type] # each in the type of its option


def _as_it_is(text: str) -> object:
    return text


_READ: Mapping[object, Callable[[str], object]] = {bool: lambda text: text in ("", "true"), list[str]: lambda text: (text,)}
