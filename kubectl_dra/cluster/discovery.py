"""What an API server serves, and which version it is (apidiscovery.k8s.io/v2; KEP-3352).

Two requests tell all of it. A server that is too old for the aggregated form is asked group by group.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import msgspec

from kubectl_dra.cluster.transport import Transport
from kubectl_dra.errors import ApiError, NotKubernetesError, UnreachableError
from kubectl_dra.objects.snapshot import Version

T = TypeVar("T")

READ_VERSIONS: Mapping[str, tuple[str, ...]] = {"resource.k8s.io": ("v1", "v1beta2", "v1beta1", "v1alpha3")}
"""The versions that this tool reads, best one first; of other groups the server's own order counts (report E69)."""

AGGREGATED = ",".join(
    (
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
        "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
        "application/json",
    )
)
STALE = "Stale"


class ServedKind(msgspec.Struct, frozen=True):
    """A kind at one version. `plural` is its name in paths; the core group is empty."""

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool
    verbs: tuple[str, ...] = ()

    @property
    def api_version(self) -> str:
        """`v1` or `resource.k8s.io/v1`."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def prefix(self) -> str:
        """The beginning of the kind's paths: `/api/v1` or `/apis/resource.k8s.io/v1`."""
        return f"/apis/{self.api_version}" if self.group else f"/api/{self.version}"


@dataclass(frozen=True)
class Discovery:
    """What is served. `failures` has the groups (or `group/version`s) of which the server could not tell, with the reason.

    A group that is in `failures` may well hold kinds: an aggregated API whose own server is down. Nothing can be said of them.
    """

    git_version: str
    version: Version
    emulated: Version
    versions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    kinds: tuple[ServedKind, ...] = ()
    failures: Mapping[str, str] = field(default_factory=dict)

    def versions_of(self, group: str) -> tuple[str, ...]:
        """The versions that are served of a group, in the server's order; empty when it is not served."""
        return self.versions.get(group, ())

    def find(self, group: str, kind: str) -> ServedKind | None:
        """A kind at the best version that serves it; None when no version that this tool reads does."""
        served = {found.version: found for found in self.kinds if found.group == group and found.kind == kind}
        order = READ_VERSIONS.get(group, self.versions_of(group))
        return next((served[version] for version in order if version in served), None)

    def failure_of(self, group: str) -> str | None:
        """Why nothing (or not all) is known of a group; None when all is known."""
        return next((why for name, why in self.failures.items() if name.partition("/")[0] == group), None)


class _ServerVersion(msgspec.Struct, frozen=True, rename="camel"):
    git_version: str = ""
    emulation_major: str = ""
    emulation_minor: str = ""


class _ResponseKind(msgspec.Struct, frozen=True):
    kind: str = ""


class _AggregatedResource(msgspec.Struct, frozen=True, rename="camel"):
    resource: str = ""
    response_kind: _ResponseKind | None = None
    scope: str = ""
    verbs: tuple[str, ...] | None = None


class _AggregatedVersion(msgspec.Struct, frozen=True):
    version: str = ""
    resources: tuple[_AggregatedResource, ...] | None = None
    freshness: str = ""


class _Meta(msgspec.Struct, frozen=True):
    name: str = ""


class _AggregatedGroup(msgspec.Struct, frozen=True):
    metadata: _Meta = _Meta()
    versions: tuple[_AggregatedVersion, ...] | None = None


class _GroupVersion(msgspec.Struct, frozen=True):
    version: str = ""


class _Group(msgspec.Struct, frozen=True, rename="camel"):
    name: str = ""
    versions: tuple[_GroupVersion, ...] | None = None


class _Root(msgspec.Struct, frozen=True):
    """Either form of the answer: `kind` tells which."""

    kind: str = ""
    items: tuple[_AggregatedGroup, ...] | None = None
    groups: tuple[_Group, ...] | None = None
    versions: tuple[str, ...] | None = None


class _Resource(msgspec.Struct, frozen=True):
    name: str = ""
    kind: str = ""
    namespaced: bool = False
    verbs: tuple[str, ...] | None = None


class _ResourceList(msgspec.Struct, frozen=True):
    resources: tuple[_Resource, ...] | None = None


class _Collected:
    """What the answers have told so far."""

    def __init__(self) -> None:
        self.versions: dict[str, list[str]] = {}
        self.kinds: list[ServedKind] = []
        self.failures: dict[str, str] = {}


def discover(transport: Transport) -> Discovery:
    """Ask the server. Raises what the transport raises, and NotKubernetesError when something else answers."""
    told = _decoded(transport, "/version", _ServerVersion)
    version = Version.of(told.git_version)
    if version is None:
        raise NotKubernetesError(
            f"{transport.connection.host} is not a Kubernetes API server: /version names none", hint="check the server's URL"
        )
    emulated = Version.of(f"{told.emulation_major}.{told.emulation_minor}") if told.emulation_minor else None
    collected = _Collected()
    for path in ("/api", "/apis"):
        root = _decoded(transport, path, _Root, accept=AGGREGATED)
        if root.kind == "APIGroupDiscoveryList":
            _take_aggregated(root.items or (), collected)
        else:
            _take_one_by_one(transport, path, root, collected)
    return Discovery(
        git_version=told.git_version,
        version=version,
        emulated=emulated or Version(version.major, version.minor),
        versions={group: tuple(versions) for group, versions in collected.versions.items()},
        kinds=tuple(collected.kinds),
        failures=collected.failures,
    )


def _decoded(transport: Transport, path: str, kind: type[T], *, accept: str = "application/json") -> T:
    try:
        return msgspec.json.decode(transport.get(path, accept=accept), type=kind)
    except msgspec.DecodeError:
        raise NotKubernetesError(
            f"{transport.connection.host} is not a Kubernetes API server: {path} is not what one answers", hint="check the server's URL"
        ) from None


def _take_aggregated(groups: Iterable[_AggregatedGroup], collected: _Collected) -> None:
    for group in groups:
        name = group.metadata.name
        for version in group.versions or ():
            if version.freshness == STALE:
                collected.failures[f"{name}/{version.version}"] = "the server behind this aggregated API does not answer"
                continue
            collected.versions.setdefault(name, []).append(version.version)
            collected.kinds.extend(
                ServedKind(
                    group=name,
                    version=version.version,
                    kind=resource.response_kind.kind,
                    plural=resource.resource,
                    namespaced=resource.scope == "Namespaced",
                    verbs=resource.verbs or (),
                )
                for resource in version.resources or ()
                if resource.response_kind is not None
            )


def _take_one_by_one(transport: Transport, path: str, root: _Root, collected: _Collected) -> None:
    if path == "/api":
        pairs = [("", version) for version in root.versions or ()]
    else:
        pairs = [(group.name, version.version) for group in root.groups or () for version in group.versions or ()]
    for group, version in pairs:
        where = f"{path}/{group}/{version}" if group else f"{path}/{version}"
        try:
            resources = _decoded(transport, where, _ResourceList).resources or ()
        except (ApiError, UnreachableError) as error:
            collected.failures[f"{group}/{version}"] = error.message
            continue
        collected.versions.setdefault(group, []).append(version)
        collected.kinds.extend(
            ServedKind(group, version, item.kind, item.name, item.namespaced, item.verbs or ())
            for item in resources
            if "/" not in item.name  # a subresource
        )
