"""A live cluster becomes a Snapshot: several lists at once, each of which may fail by itself."""

from collections.abc import Mapping
from typing import Any

import msgspec

from kubectl_dra.cluster import feature_gates
from kubectl_dra.cluster.discovery import Discovery, ServedKind
from kubectl_dra.cluster.transport import Transport
from kubectl_dra.environment import Environment
from kubectl_dra.errors import ApiError, DraError
from kubectl_dra.objects.event import ObjectReference
from kubectl_dra.objects.sharing import Sharing
from kubectl_dra.objects.snapshot import ClusterInfo, KindReading, ReadState, Snapshot
from kubectl_dra.progress import Observer, ReadingKind, nobody
from kubectl_dra.reading.custom import CustomKinds
from kubectl_dra.reading.decoding import Decoder
from kubectl_dra.reading.fetching import Fetching, Request
from kubectl_dra.reading.kinds import ALL, Kind, api_version
from kubectl_dra.reading.pages import Listing
from kubectl_dra.reading.wanted import Wanted


def read_live(
    transport: Transport, discovery: Discovery, wanted: Wanted, environment: Environment, observer: Observer = nobody
) -> Snapshot:
    """Read what is `wanted`. A kind that cannot be read says so in its KindReading.

    Raises the error of the first list when not one could be read; UsageError for a bad `wanted.pod_templates`.
    """
    moment = environment.clock.now().strftime("%Y-%m-%dT%H:%M:%SZ")
    reading = _Reading(discovery, wanted)
    gates = reading.run(transport, observer)
    reading.raise_if_nothing_was_read()
    cluster = ClusterInfo(
        server=transport.server,
        context=transport.connection.context,
        read_at=moment,
        git_version=discovery.git_version,
        version=discovery.version,
        emulated=discovery.emulated,
        feature_gates=gates or {},
        namespace=wanted.namespace or "",
        live=True,
    )
    return reading.snapshot(cluster, _gates_state(wanted, gates, reading.gates_error))


_GATES = "feature_gates"
_CUSTOM = "custom_workloads"


class _Reading:
    """One reading on its way: lists by the Snapshot's field, or by `kind.group` for custom kinds."""

    def __init__(self, discovery: Discovery, wanted: Wanted) -> None:
        self._discovery = discovery
        self._wanted = wanted
        self._share = Sharing()
        self._ended: dict[str, KindReading[Any]] = {}
        self._lists: dict[str, Listing] = {}
        self._custom: set[str] = set()
        self.gates_error: DraError | None = None
        for kind in ALL:
            if kind.field in wanted.kinds and (kind.field != "events" or wanted.events_for):
                self._plan(kind)
        if _CUSTOM in wanted.kinds:
            self._plan_custom()

    def _plan(self, kind: Kind) -> None:
        served = best(self._discovery, kind)
        if served is None:
            self._ended[kind.field] = _missing(kind, self._discovery)
            return
        version = api_version(kind.group, served.version)
        self._lists[kind.field] = Listing(
            served.plural,
            _path(served, kind.home or self._namespace(kind)),
            Decoder(kind, served.version, self._share).items,
            query=self._query(kind),
            rule=rule(kind.group, served.plural),
            api_version=version,
            served=self._discovery.versions_of(kind.group),
        )

    def _namespace(self, kind: Kind) -> str | None:
        """The only namespace to read, if there is one; events are where their object is."""
        if kind.field == "events" and self._wanted.events_for:
            return self._wanted.events_for.namespace
        return self._wanted.namespace if kind.namespaced else None

    def _query(self, kind: Kind) -> Mapping[str, str]:
        if kind.field == "pods" and self._wanted.pod_labels:
            return {"labelSelector": self._wanted.pod_labels}
        if kind.field == "events" and self._wanted.events_for:
            return {"fieldSelector": _about(self._wanted.events_for)}
        return {}

    def _plan_custom(self) -> None:
        known = CustomKinds(self._wanted.pod_templates)
        for custom in known.all:
            served = self._discovery.find(custom.group, custom.kind)
            if served is None:
                continue
            name = custom.name
            self._custom.add(name)
            self._lists[name] = Listing(
                f"{served.plural}.{custom.group}",
                _path(served, self._wanted.namespace if served.namespaced else None),
                known.decoder(custom, api_version(custom.group, served.version), self._share),
                rule=rule(custom.group, served.plural),
                api_version=api_version(custom.group, served.version),
                served=self._discovery.versions_of(custom.group),
            )

    def run(self, transport: Transport, observer: Observer) -> Mapping[str, bool] | None:
        """Read all lists to their ends; the API server's feature gates, if they were wanted and could be read."""
        fetching: Fetching[str] = Fetching(transport)
        gates: Mapping[str, bool] | None = None
        for name, listing in self._lists.items():
            fetching.ask(name, listing.first(), listing.follows)
        if _GATES in self._wanted.kinds:
            fetching.ask(_GATES, Request("/metrics", accept="text/plain"))
        for name, answer in fetching.answers():
            if name == _GATES:
                if isinstance(answer, DraError):
                    self.gates_error = answer
                else:
                    gates = feature_gates.parse(answer)
                continue
            listing = self._lists[name]
            following = listing.take(answer)
            if following is not None:
                fetching.ask(name, following, listing.follows)
            del answer  # a page at a time
            listing.decode()
            observer(ReadingKind(listing.name, listing.count, done=following is None))
        return gates

    def raise_if_nothing_was_read(self) -> None:
        """When every list failed, the cluster is out of reach, or this user may read nothing: one error says so."""
        errors = [listing.error for listing in self._lists.values()]
        failed = [error for error in errors if error is not None]
        if not errors or len(failed) < len(errors):
            return
        worst = next((error for error in failed if not _forbidden(error)), None)
        if worst is not None:
            raise worst
        first = failed[0]
        raise ApiError(
            f"this user may read nothing that is needed: {first.message}",
            code=403,
            reason="Forbidden",
            hint="`kubectl dra rbac` prints the ClusterRole that allows it",
        )

    def snapshot(self, cluster: ClusterInfo, gates: ReadState) -> Snapshot:
        """All that was read."""
        readings = {**self._ended, **{name: listing.reading() for name, listing in self._lists.items()}}
        custom = {name: readings.pop(name) for name in sorted(self._custom)}
        return msgspec.structs.replace(Snapshot(cluster=cluster, custom_workloads=custom, feature_gates_state=gates), **readings)


def rule(group: str, plural: str) -> str:
    """The line of a ClusterRole that allows a list."""
    return f'{{apiGroups: ["{group}"], resources: ["{plural}"], verbs: ["list"]}}'


def best(discovery: Discovery, kind: Kind) -> ServedKind | None:
    """`kind` at the best of its versions that the server has; None when it has none of them."""
    served = {found.version: found for found in discovery.kinds if found.group == kind.group and found.kind == kind.kind}
    return next((served[version] for version in kind.versions if version in served), None)


def _path(served: ServedKind, namespace: str | None) -> str:
    place = f"/namespaces/{namespace}" if namespace else ""
    return f"{served.prefix}{place}/{served.plural}"


def _missing(kind: Kind, discovery: Discovery) -> KindReading[Any]:
    """Not served; or, where the server could not tell what it serves of the group, failed."""
    served, group = discovery.versions_of(kind.group), kind.group or "core"
    if failure := discovery.failure_of(kind.group):
        return KindReading(state=ReadState.FAILED, reason=f"the server cannot tell what it serves of {group}: {failure}", served=served)
    if served:
        reason = f"the server serves {kind.plural} at none of {', '.join(kind.versions)}; of {group} it has {', '.join(served)}"
    else:
        reason = f"the server does not serve {group}"
    return KindReading(state=ReadState.UNSERVED, reason=reason, served=served)


def _about(what: ObjectReference) -> str:
    pairs = (
        ("involvedObject.kind", what.kind),
        ("involvedObject.namespace", what.namespace),
        ("involvedObject.name", what.name),
        ("involvedObject.uid", what.uid),
    )
    return ",".join(f"{field}={value}" for field, value in pairs if value)


def _forbidden(error: DraError) -> bool:
    return isinstance(error, ApiError) and error.code == 403


def _gates_state(wanted: Wanted, gates: Mapping[str, bool] | None, error: DraError | None) -> ReadState:
    if _GATES not in wanted.kinds:
        return ReadState.ABSENT
    if gates is not None:
        return ReadState.READ if gates else ReadState.UNSERVED
    return ReadState.FORBIDDEN if error is not None and _forbidden(error) else ReadState.FAILED
