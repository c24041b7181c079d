"""GET requests to one API server: credentials, deadlines, retries; every failure in words."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from threading import Lock
from types import TracebackType
from typing import Self
from urllib.parse import quote, urlencode, urljoin, urlsplit

from urllib3 import BaseHTTPResponse, Timeout, exceptions

from kubectl_dra.cluster import headers, unauthorized, web
from kubectl_dra.cluster.answer import Answer, problem
from kubectl_dra.cluster.pool import Pool
from kubectl_dra.cluster.retry import RETRIED, Patience
from kubectl_dra.cluster.trouble import SILENCE, explained, is_reset, slow
from kubectl_dra.environment import Environment
from kubectl_dra.errors import ApiError, DraError, UnreachableError
from kubectl_dra.kubeconfig import Connection
from kubectl_dra.kubeconfig.credentials import ClientCertificate, Credential
from kubectl_dra.progress import Observer, Retrying, nobody

SLICE = 0.25
"""Seconds of one piece of a pause: so soon does a thread that pauses notice that the transport was closed."""

BLOCK = 1 << 20
HEAD = 1 << 16
"""Bytes read at a time where the time is limited, and bytes of the first part of an answer where somebody waits for it."""

REDIRECTS = 3
OnHead = Callable[[bytes], None] | None


@dataclass(frozen=True)
class _Try:
    """How one try of a request ended: with a body, or with an error and whether it is worth another try."""

    body: bytes = b""
    failure: DraError | None = None
    again: bool = False
    asked: float | None = None

    @property
    def refused(self) -> ApiError | None:
        """The error, if it is a 401."""
        failure = self.failure
        return failure if isinstance(failure, ApiError) and failure.code == HTTPStatus.UNAUTHORIZED else None


class Transport:
    """Reads from the API server of one connection. Safe to use from many threads; connections stay open between requests."""

    def __init__(self, connection: Connection, environment: Environment, observer: Observer = nobody) -> None:
        """Open nothing yet: the first request does, and runs an exec plugin if there is one. Raises KubeconfigError for names to act as."""
        self._connection = connection
        self._environment = environment
        self._observer = observer
        self._lock = Lock()
        self._pools: list[Pool] = []
        self._closed = False
        self._common = tuple(headers.common(connection))
        self._web = web.asker(environment, headers.user_agent())

    @property
    def server(self) -> str:
        """The API server's URL."""
        return self._connection.server

    @property
    def connection(self) -> Connection:
        """What this transport was made of."""
        return self._connection

    def __enter__(self) -> Self:
        """The transport itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """End all connections; threads that wait for an answer get an UnreachableError at once."""
        with self._lock:
            self._closed = True
            pools, self._pools = self._pools, []
        for pool in pools:
            pool.close()

    def get(
        self,
        path: str,
        query: Mapping[str, str] | None = None,
        *,
        accept: str = "application/json",
        on_head: Callable[[bytes], None] | None = None,
    ) -> bytes:
        """The whole body of the answer, decompressed. `path` begins with a slash.

        `on_head` is called with the first part of a good answer's body as soon as it is there, and again when the request is repeated.

        Raises ApiError when the API server refuses, NotKubernetesError, UnreachableError, TimedOutError, and KubeconfigError for
        credentials that cannot be had. A body that was cut off is an error, never a shorter answer.
        """
        what = f"GET {path}"
        target = quote(path, safe="/:@!$&'()*+,;=~%") + (f"?{urlencode(query)}" if query else "")
        credentials, patience, renewed = self._connection.credentials, Patience(), False
        credential = credentials.get(self._web)
        while True:
            tried = self._try(target, what, accept, credential, on_head)
            if tried.failure is None:
                return tried.body
            if tried.refused is not None:
                other = None if renewed else credentials.renewed(credential, self._web)
                if other is None:
                    raise unauthorized.told(tried.refused, self._connection, credential, self._environment.clock.now())
                credential, renewed = other, True
                continue
            wait = patience.wait(tried.asked) if tried.again else None
            if wait is None:
                raise tried.failure
            self._observer(Retrying(what, tried.failure.message, wait))
            self._pause(wait)

    def _try(self, target: str, what: str, accept: str, credential: Credential, on_head: OnHead) -> _Try:
        try:
            answer = self._followed(target, accept, credential, on_head)
        except exceptions.HTTPError as cause:
            self._check_open()
            return _Try(failure=explained(cause, self._connection), again=is_reset(cause))
        failure = problem(answer, self._connection, what, accept)
        if failure is None:
            return _Try(body=answer.body)
        asked = failure.retry_after if isinstance(failure, ApiError) else answer.retry_after
        return _Try(failure=failure, again=answer.status in RETRIED, asked=asked)

    def _followed(self, target: str, accept: str, credential: Credential, on_head: OnHead) -> Answer:
        """The answer, at another path if the server says so. To another host we do not go: it would get the credentials."""
        for _ in range(REDIRECTS):
            answer = self._exchange(target, accept, credential, on_head)
            if not 300 <= answer.status < 400:
                return answer
            here, there = urlsplit(self.server), urlsplit(urljoin(self.server + target, answer.headers.get("Location", "")))
            if (there.scheme, there.netloc) != (here.scheme, here.netloc) or not there.path.startswith(f"{here.path}/"):
                return answer
            target = there.path.removeprefix(here.path) + (f"?{there.query}" if there.query else "")
        return answer

    def _exchange(self, target: str, accept: str, credential: Credential, on_head: OnHead) -> Answer:
        limit = self._connection.timeout
        began = self._environment.clock.monotonic()
        timeout = Timeout(total=limit) if limit is not None else Timeout(connect=SILENCE, read=SILENCE)
        sent = (*self._common, ("Accept", accept), *headers.authorization(credential))
        response = self._pool(credential.certificate).get(target, sent, timeout)
        try:
            heard = on_head if response.status == HTTPStatus.OK else None
            return Answer(response.status, response.headers, self._body(response, began, heard))
        except BaseException:
            response.close()  # half of an answer is still in the pipe: the connection is of no more use
            raise
        finally:
            response.release_conn()

    def _body(self, response: BaseHTTPResponse, began: float, on_head: OnHead) -> bytes:
        limit = self._connection.timeout
        blocks: list[bytes] = []
        while True:
            if limit is not None:
                left = began + limit - self._environment.clock.monotonic()
                if left <= 0:
                    raise slow(self._connection)
                _limit_next_read(response, left)
            first = on_head is not None and not blocks
            block = response.read(HEAD if first else BLOCK if limit is not None else None)
            if not block:
                return b"".join(blocks)
            if on_head is not None and first:
                on_head(block)
            blocks.append(block)
            if limit is None and not first:
                return block if len(blocks) == 1 else b"".join(blocks)

    def _pool(self, certificate: ClientCertificate | None) -> Pool:
        with self._lock:
            if self._closed:
                raise self._gone()
            found = next((pool for pool in self._pools if pool.certificate == certificate), None)
            if found is None:
                found = Pool(self._connection, certificate)
                self._pools.append(found)
            return found

    def _check_open(self) -> None:
        if self._closed:
            raise self._gone()

    def _gone(self) -> UnreachableError:
        return UnreachableError(f"the connection to {self._connection.host} was closed by this run")

    def _pause(self, seconds: float) -> None:
        while seconds > 0:
            self._check_open()
            self._environment.clock.sleep(min(seconds, SLICE))
            seconds -= SLICE


def _limit_next_read(response: BaseHTTPResponse, seconds: float) -> None:
    opened = getattr(response.connection, "sock", None)
    if opened is not None:
        opened.settimeout(seconds)
