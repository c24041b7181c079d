"""Writes to one API server. Unknown fields are refused by the server, every write can be a dry run, and none is repeated blindly.

A write whose answer is lost (the connection broke, the server answered 500) may have been carried out. It is sent again only where a
second time does no harm; if the server then refuses it, the object is read, and what it holds says whether the first time counted.
"""

from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

import msgspec
from urllib3 import exceptions

from kubectl_dra.cluster import headers, unauthorized, web
from kubectl_dra.cluster.answer import problem
from kubectl_dra.cluster.repeats import contains, guarded, is_patched
from kubectl_dra.cluster.retry import RETRIED, Patience
from kubectl_dra.cluster.trouble import explained, is_reset
from kubectl_dra.environment import Environment
from kubectl_dra.errors import ApiError, DraError
from kubectl_dra.kubeconfig import Connection
from kubectl_dra.objects.meta import ObjectMeta
from kubectl_dra.objects.shape import Object
from kubectl_dra.progress import Observer, Retrying, nobody

if TYPE_CHECKING:
    from kubectl_dra.cluster.carrier import Carrier

FIELD_MANAGER = "kubectl-dra"
"""The name under which the server notes our changes."""

JSON, JSON_PATCH, MERGE_PATCH = "application/json", "application/json-patch+json", "application/merge-patch+json"

Operation = Mapping[str, object]
"""One operation of a JSON patch: `{"op": "test", "path": "/metadata/uid", "value": "..."}`."""


class Written(Object, frozen=True):
    """Of an object that was written: who it is. For callers who want to know no more."""

    metadata: ObjectMeta = ObjectMeta()


T = TypeVar("T")
Settle = Callable[[ApiError], bytes | None]
"""After a lost answer and the refusal of the repetition: the object, if the first time counted; None if the refusal stands."""


class _Request(msgspec.Struct, frozen=True):
    method: str
    path: str
    query: Mapping[str, str]
    body: object
    content_type: str = JSON
    retried: frozenset[HTTPStatus] = RETRIED

    @property
    def what(self) -> str:
        return f"{self.method} {self.path}"


class Writes:
    """Writes as the user of one connection. Safe to use from many threads. The official client is loaded with the first write."""

    def __init__(self, connection: Connection, environment: Environment, observer: Observer = nobody) -> None:
        """Open nothing yet."""
        self._connection = connection
        self._environment = environment
        self._observer = observer
        self._lock = Lock()
        self._opened: Carrier | None = None
        self._web = web.asker(environment, headers.user_agent())

    @property
    def connection(self) -> Connection:
        """Where it writes to, and as whom."""
        return self._connection

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """End all connections."""
        if self._opened is not None:
            self._opened.close()

    def create(
        self,
        path: str,
        manifest: object,
        into: type[T],
        *,
        dry_run: bool = False,
        harmless: bool = False,
    ) -> T:
        """Create an object in the collection at `path` (`/api/v1/namespaces/x/pods`) and give what the server made of it.

        `manifest` is a Struct or plain JSON, with apiVersion and kind. Raises ApiError (409 `AlreadyExists` among them) and what reading
        raises. With `generateName` nothing is repeated after a lost answer: there might be two; unless that is `harmless` (a review).
        """
        body = msgspec.to_builtins(manifest)
        name = body.get("metadata", {}).get("name") if isinstance(body, dict) else None

        def settled(refusal: ApiError) -> bytes | None:
            return self._found(f"{path}/{name}", lambda found: contains(found, body)) if refusal.code == HTTPStatus.CONFLICT else None

        request = _Request("POST", path, _query(dry_run=dry_run), body)
        return _decoded(self._send(request, settled if name or harmless else None), into)

    def patch_json(self, path: str, operations: Sequence[Operation], into: type[T], *, dry_run: bool = False) -> T:
        """Apply a JSON patch to the object at `path`. Raises ApiError; 422 `Invalid` when a `test` fails.

        Only a patch with a `test` is repeated after a lost answer.
        """

        def settled(refusal: ApiError) -> bytes | None:
            if refusal.code not in (HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.CONFLICT):
                return None
            return self._found(path, lambda found: is_patched(found, operations))

        request = _Request("PATCH", path, _query(dry_run=dry_run), list(operations), JSON_PATCH)
        return _decoded(self._send(request, settled if guarded(operations) else None), into)

    def patch_merge(
        self,
        path: str,
        body: object,
        into: type[T],
        *,
        resource_version: str | None = None,
        dry_run: bool = False,
    ) -> T:
        """Merge `body` into the object at `path` (RFC 7386: null removes). Raises ApiError; 409 when `resource_version` is not its own."""
        merged = msgspec.to_builtins(body)
        wanted: dict[str, object] = dict(merged) if isinstance(merged, dict) else {}
        sent = wanted
        if resource_version is not None:
            meta = wanted.get("metadata")
            sent = {**wanted, "metadata": {**(meta if isinstance(meta, dict) else {}), "resourceVersion": resource_version}}

        def settled(refusal: ApiError) -> bytes | None:
            return self._found(path, lambda found: contains(found, wanted)) if refusal.code == HTTPStatus.CONFLICT else None

        request = _Request("PATCH", path, _query(dry_run=dry_run), sent, MERGE_PATCH)
        return _decoded(self._send(request, settled), into)

    def delete(
        self,
        path: str,
        *,
        uid: str | None = None,
        resource_version: str | None = None,
        grace: int | None = None,
        propagation: str | None = None,
        dry_run: bool = False,
    ) -> bool:
        """Delete the object at `path`; False when it (the one with this `uid`) was gone already.

        `grace` are seconds, `propagation` is `Foreground`, `Background` or `Orphan`. Raises ApiError; 409 when the resource version is
        another one.
        """
        preconditions = {name: value for name, value in (("uid", uid), ("resourceVersion", resource_version)) if value is not None}
        options = {
            "gracePeriodSeconds": grace,
            "propagationPolicy": propagation,
            "preconditions": preconditions or None,
            "dryRun": ["All"]
            if dry_run
            else None,  # of a request with a body the server does not read the query (endpoints/handlers/delete.go)
        }
        body = {name: value for name, value in options.items() if value is not None}
        return self._gone(_Request("DELETE", path, {}, body))

    def evict(self, namespace: str, name: str, *, uid: str | None = None, grace: int | None = None, dry_run: bool = False) -> bool:
        """Evict a pod through policy/v1; False when it (the one with this `uid`) was gone already.

        Raises ApiError: 429 with the budget's words in `causes` when a budget forbids it now, 500 when several budgets select the pod.
        Neither is repeated here: how long to insist is for the caller to say.
        """
        options: dict[str, object] = {"preconditions": {"uid": uid}} if uid is not None else {}
        if grace is not None:
            options["gracePeriodSeconds"] = grace
        if dry_run:
            options["dryRun"] = ["All"]
        body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"namespace": namespace, "name": name}, "deleteOptions": options}
        path = f"/api/v1/namespaces/{namespace}/pods/{name}/eviction"
        return self._gone(_Request("POST", path, _query(dry_run=dry_run), body, retried=frozenset()))

    def _gone(self, request: _Request) -> bool:
        try:
            self._send(request, lambda refusal: b"{}" if _is_gone(refusal) else None)
        except ApiError as error:
            if _is_gone(error):
                return False
            raise
        return True

    def _send(self, request: _Request, settle: Settle | None) -> bytes:
        """The answer's body. `settle` is None for what must not be sent again after a lost answer."""
        credentials, patience, renewed, lost = self._connection.credentials, Patience(), False, False
        credential = credentials.get(self._web)
        while True:
            try:
                answer = self._carrier().carry(request.method, request.path, request.query, request.body, request.content_type, credential)
            except exceptions.HTTPError as cause:
                failure: DraError = explained(cause, self._connection)
                again, asked, acted = is_reset(cause), None, True
            else:
                found = problem(answer, self._connection, request.what, JSON)
                if found is None:
                    return answer.body
                failure, asked = found, found.retry_after if isinstance(found, ApiError) else answer.retry_after
                again, acted = answer.status in request.retried, answer.status != HTTPStatus.TOO_MANY_REQUESTS
            if isinstance(failure, ApiError) and failure.code == HTTPStatus.UNAUTHORIZED:
                other = None if renewed else credentials.renewed(credential, self._web)
                if other is None:
                    raise unauthorized.told(failure, self._connection, credential, self._environment.clock.now())
                credential, renewed = other, True
                continue
            if lost and settle is not None and isinstance(failure, ApiError) and (body := settle(failure)) is not None:
                return body
            wait = patience.wait(asked) if again and (settle is not None or not acted) else None
            if wait is None:
                raise failure
            lost = lost or acted
            self._observer(Retrying(request.what, failure.message, wait))
            self._environment.clock.sleep(wait)

    def _found(self, path: str, is_it: Callable[[object], bool]) -> bytes | None:
        """The object at `path`, if it is what was to be written."""
        try:
            body = self._send(_Request("GET", path, {}, None), lambda _: None)
        except ApiError as error:
            if error.code in (HTTPStatus.NOT_FOUND, HTTPStatus.FORBIDDEN):
                return None
            raise
        return body if is_it(msgspec.json.decode(body)) else None

    def _carrier(self) -> "Carrier":
        with self._lock:
            if self._opened is None:
                from kubectl_dra.cluster.carrier import Carrier  # the official client costs a third of a second

                self._opened = Carrier(self._connection)
            return self._opened


def _query(*, dry_run: bool) -> Mapping[str, str]:
    query = {"fieldManager": FIELD_MANAGER, "fieldValidation": "Strict"}
    return {**query, "dryRun": "All"} if dry_run else query


def _decoded(body: bytes, into: type[T]) -> T:
    return msgspec.json.decode(body, type=into)


def _is_gone(error: ApiError) -> bool:
    """Not found; or another object of that name, so that the one with our UID is gone.

    The server says so in two ways (apiserver: storage/interfaces.go, Preconditions.Check; registry/rest/delete.go, BeforeDelete).
    """
    told = ("UID in precondition", "UID in the precondition")
    return error.code == HTTPStatus.NOT_FOUND or (error.code == HTTPStatus.CONFLICT and any(words in error.message for words in told))
