"""What a move reads of the cluster while it runs: single objects and short lists. It outlasts an API server's absence."""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Generic, TypeVar

import msgspec

from kubectl_dra.cluster.discovery import Discovery
from kubectl_dra.cluster.transport import Transport
from kubectl_dra.cluster.writes import Writes
from kubectl_dra.environment import Clock
from kubectl_dra.errors import ApiError, DraError, TimedOutError, UnreachableError
from kubectl_dra.migration.timing import Timing
from kubectl_dra.objects.event import Event
from kubectl_dra.objects.meta import ObjectMeta
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.resource import DeviceClass, DeviceTaintRule, ResourceClaim, ResourceSlice
from kubectl_dra.objects.shape import Object

T = TypeVar("T")
PAGE = 1000
"""Objects of one page of a list."""

AWAY = frozenset(
    {
        HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.INTERNAL_SERVER_ERROR,
        HTTPStatus.BAD_GATEWAY,
        HTTPStatus.SERVICE_UNAVAILABLE,
        HTTPStatus.GATEWAY_TIMEOUT,
    }
)
"""Answers of a server that will be back."""

RESOURCE = "resource.k8s.io"


class _ListMeta(Object, frozen=True):
    continue_: str | None = msgspec.field(default=None, name="continue")


class _List(Object, Generic[T], frozen=True):
    items: tuple[T, ...] | None = None
    metadata: _ListMeta = _ListMeta()


class ContainerImage(Object, frozen=True):
    """An image that the node has, by its names."""

    names: tuple[str, ...] | None = None


class _ImagesStatus(Object, frozen=True):
    images: tuple[ContainerImage, ...] | None = None


class _NodeImages(Object, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    status: _ImagesStatus = _ImagesStatus()


class Reach:
    """Reads and writes of one move.

    `tells` hears that the server is away, since and for how long; `before_each` is called between two tries and may raise.
    """

    def __init__(
        self,
        transport: Transport,
        writes: Writes,
        discovery: Discovery,
        timing: Timing,
        clock: Clock,
        *,
        tells: Callable[[str, float, float | None], None],
        before_each: Callable[[], None],
    ) -> None:
        """Open nothing."""
        self.transport = transport
        self.writes = writes
        self.discovery = discovery
        self._timing = timing
        self._clock = clock
        self._tells = tells
        self._before_each = before_each

    def insist(self, ask: Callable[[], T]) -> T:
        """Do `ask` until the server answers it, one way or the other. It must be right to do twice: a look, or "see that it is so"."""
        began = self._clock.monotonic()
        while True:
            try:
                return ask()
            except (UnreachableError, TimedOutError, ApiError) as error:
                if isinstance(error, ApiError) and error.code not in AWAY:
                    raise
                waited = self._clock.monotonic() - began
                left = self._timing.outage - waited
                if left <= 0:
                    raise _given_up(error, waited) from error
                self._before_each()
                self._tells(f"the API server is away ({error.message})", waited, left)
                self._clock.sleep(min(self._timing.poll, left))

    def one(self, path: str, kind: type[T], query: Mapping[str, str] | None = None) -> T | None:
        """An object; None when there is none."""
        try:
            return self.insist(lambda: msgspec.json.decode(self.transport.get(path, query), type=kind))
        except ApiError as error:
            if error.code == HTTPStatus.NOT_FOUND:
                return None
            raise

    def items(self, path: str, kind: type[T], query: Mapping[str, str] | None = None) -> tuple[T, ...]:
        """A list, page by page."""
        found: list[T] = []
        asked = {**(query or {}), "limit": str(PAGE)}
        list_of = _List[kind]  # type: ignore[valid-type] # the kind comes in as a value
        while True:
            body = self.insist(lambda: self.transport.get(path, asked))
            page = msgspec.json.decode(body, type=list_of)
            found.extend(page.items or ())
            if not page.metadata.continue_:
                return tuple(found)
            asked["continue"] = page.metadata.continue_

    def node(self, name: str) -> Node | None:
        """The node with all its annotations."""
        return self.one(node_path(name), Node)

    def images(self, node: str) -> tuple[ContainerImage, ...]:
        """The images that the kubelet tells, largest first."""
        found = self.one(node_path(node), _NodeImages)
        return (found.status.images or ()) if found is not None else ()

    def pods_on(self, node: str) -> tuple[Pod, ...]:
        """The pods bound to the node, by namespace and name."""
        found = self.items("/api/v1/pods", Pod, {"fieldSelector": f"spec.nodeName={node}"})
        return tuple(sorted(found, key=lambda pod: (pod.metadata.namespace or "", pod.metadata.name)))

    def pod(self, namespace: str, name: str) -> Pod | None:
        """One pod."""
        return self.one(pod_path(namespace, name), Pod)

    def events_of(self, pod: Pod) -> tuple[Event, ...]:
        """What was said of a pod, oldest first."""
        about = {"fieldSelector": f"involvedObject.uid={pod.metadata.uid}"}
        found = self.items(f"/api/v1/namespaces/{pod.metadata.namespace}/events", Event, about)
        return tuple(sorted(found, key=lambda event: event.last_timestamp or event.event_time or ""))

    def slices_on(self, node: str) -> tuple[ResourceSlice, ...]:
        """The slices that are published for the one node."""
        return self.items(self.path(RESOURCE, "ResourceSlice"), ResourceSlice, {"fieldSelector": f"spec.nodeName={node}"})

    def claims(self) -> tuple[ResourceClaim, ...]:
        """All claims of the cluster: an allocation counts wherever its pod is."""
        return self.items(self.path(RESOURCE, "ResourceClaim"), ResourceClaim)

    def classes(self) -> tuple[DeviceClass, ...]:
        """All device classes."""
        return self.items(self.path(RESOURCE, "DeviceClass"), DeviceClass)

    def rules(self, labels: str) -> tuple[DeviceTaintRule, ...]:
        """The taint rules with these labels; none where rules are not served."""
        if not self.serves_rules:
            return ()
        return self.items(self.path(RESOURCE, "DeviceTaintRule"), DeviceTaintRule, {"labelSelector": labels})

    @property
    def serves_rules(self) -> bool:
        """Whether the server has DeviceTaintRules (from 1.37 on without being asked)."""
        return self.discovery.find(RESOURCE, "DeviceTaintRule") is not None

    def path(self, group: str, kind: str, namespace: str = "") -> str:
        """The collection of a kind. Raises UnservedError where the server has none."""
        served = self.discovery.find(group, kind)
        if served is None:
            raise UnservedError(f"the API server serves no {kind} of {group}")
        place = f"/namespaces/{namespace}" if namespace else ""
        return f"{served.prefix}{place}/{served.plural}"

    def api_version(self, group: str, kind: str) -> str:
        """At which version a kind is served."""
        served = self.discovery.find(group, kind)
        if served is None:
            raise UnservedError(f"the API server serves no {kind} of {group}")
        return served.api_version


class UnservedError(DraError):
    """A kind that the move needs is not served."""


def node_path(name: str) -> str:
    """Where a node is."""
    return f"/api/v1/nodes/{name}"


def pod_path(namespace: str, name: str) -> str:
    """Where a pod is."""
    return f"/api/v1/namespaces/{namespace}/pods/{name}"


def _given_up(error: DraError, waited: float) -> UnreachableError:
    return UnreachableError(
        f"the API server has been away for {waited:.0f} s: {error.message}", hint="the same command goes on when it is back"
    )
