"""The official client's requests over our own connections: the same TLS, proxy, impersonation and time limits as for reading.

Of the official client the generic part is used (`ApiClient`), not its typed methods: their models drop the fields that they do not know,
before a server's strict validation could refuse them.
"""

from collections.abc import Mapping
from threading import Lock
from typing import Any

from kubernetes.client import ApiClient, Configuration
from urllib3 import BaseHTTPResponse, Timeout

from kubectl_dra.cluster import headers
from kubectl_dra.cluster.answer import Answer
from kubectl_dra.cluster.pool import Pool
from kubectl_dra.cluster.trouble import SILENCE
from kubectl_dra.kubeconfig import Connection
from kubectl_dra.kubeconfig.credentials import ClientCertificate, Credential


class Carrier:
    """Carries single requests to one server; nothing is sent twice. Safe to use from many threads."""

    def __init__(self, connection: Connection) -> None:
        """Open nothing yet."""
        self._connection = connection
        self._lock = Lock()
        self._clients: list[tuple[ClientCertificate | None, ApiClient, Pool]] = []

    def carry(self, method: str, path: str, query: Mapping[str, str], body: object, content_type: str, credential: Credential) -> Answer:
        """Status, headers and body of the answer. Raises urllib3's HTTPError, and KubeconfigError for credentials that cannot be sent."""
        client = self._client(credential.certificate)
        written = client.param_serialize(
            method,
            path,
            query_params=list(query.items()),
            header_params={"Accept": "application/json", "Content-Type": content_type, **dict(headers.authorization(credential))},
            body=body,
        )
        told = client.call_api(*written, _request_timeout=self._connection.timeout)
        return Answer(told.status, told.headers, told.read())  # type: ignore[no-untyped-call] # upstream leaves it so

    def close(self) -> None:
        """End all connections."""
        with self._lock:
            clients, self._clients = self._clients, []
        for _, _, pool in clients:
            pool.close()

    def _client(self, certificate: ClientCertificate | None) -> ApiClient:
        with self._lock:
            found = next((client for shown, client, _ in self._clients if shown == certificate), None)
            if found is None:
                pool = Pool(self._connection, certificate)
                found = _client_over(pool, self._connection)
                self._clients.append((certificate, found, pool))
            return found


def _client_over(pool: Pool, connection: Connection) -> ApiClient:
    # an empty proxy: the variables of the environment were read when the Connection was made
    client = ApiClient(Configuration(host=connection.server, proxy="", no_proxy="", connection_pool_maxsize=1))
    client.user_agent = headers.user_agent()
    client.rest_client.pool_manager = _Connections(pool, connection)  # type: ignore[assignment] # it is asked for `request` only
    return client


class _Connections:
    """What the official client takes for urllib3's PoolManager."""

    def __init__(self, pool: Pool, connection: Connection) -> None:
        self._pool = pool
        self._server = connection.server
        self._common = tuple(headers.common(connection))

    def request(
        self,
        method: str,
        url: str,
        *,
        body: bytes | str | None = None,
        headers: Mapping[str, str],
        timeout: Timeout | None = None,
        **_: Any,  # noqa: ANN401 # how PoolManager.request is called; what is left says how to read the body
    ) -> BaseHTTPResponse:
        """Send it; headers that come several times (Impersonate-Group) are not in the client's dict and are added here."""
        own = {name.lower() for name, _ in self._common}
        sent = [*self._common, *((name, value) for name, value in headers.items() if name.lower() not in own)]
        target = url.removeprefix(self._server)
        return self._pool.send(method, target, sent, timeout or Timeout(connect=SILENCE, read=SILENCE), body)
