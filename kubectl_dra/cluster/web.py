"""Requests to an identity provider, for `auth-provider: oidc`: never to the API server, and with nothing of its credentials."""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

from urllib3 import PoolManager, ProxyManager, Timeout, exceptions

from kubectl_dra.cluster.answer import Answer
from kubectl_dra.cluster.tls import context
from kubectl_dra.cluster.trouble import SILENCE, explained
from kubectl_dra.environment import Environment
from kubectl_dra.kubeconfig import Connection, proxies
from kubectl_dra.kubeconfig.connection import Trust
from kubectl_dra.kubeconfig.credentials import StoredCredentials


def asker(environment: Environment, user_agent: str) -> Callable[[str, Mapping[str, str] | None, bytes | None], Answer]:
    """A function of URL, form to post (None: GET) and PEM to trust (None: the system's). It raises the errors of `trouble.explained`."""

    def ask(url: str, form: Mapping[str, str] | None, authority: bytes | None) -> Answer:
        provider = _as_connection(url, authority, environment)
        options: dict[str, Any] = {"ssl_context": context(provider.trust, None)} if url.startswith("https://") else {}
        manager = ProxyManager(provider.proxy, **options) if provider.proxy else PoolManager(**options)
        try:
            response = manager.request(
                "GET" if form is None else "POST",
                url,
                body=None if form is None else urlencode(form),
                headers={"User-Agent": user_agent, "Content-Type": "application/x-www-form-urlencoded"},
                timeout=Timeout(SILENCE),
                retries=False,
                redirect=False,
            )
            return Answer(response.status, response.headers, response.data)
        except exceptions.HTTPError as cause:
            raise explained(cause, provider) from cause
        finally:
            manager.clear()

    return ask


def _as_connection(url: str, authority: bytes | None, environment: Environment) -> Connection:
    """The identity provider, in the form in which errors are told."""
    parts = urlsplit(url)
    origin = f"{parts.scheme}://{parts.netloc}"
    return Connection(
        server=origin,
        context="",
        cluster="",
        user="",
        namespace="",
        credentials=StoredCredentials(monotonic=environment.clock.monotonic),
        trust=Trust(authority),
        proxy=proxies.from_variables(origin, environment.variables),
    )
