"""Network errors in words: what happened, between whom, and what to do."""

import socket
import ssl
from collections.abc import Iterator

from urllib3 import exceptions

from kubectl_dra.errors import ClusterError, DraError, TimedOutError, UnreachableError
from kubectl_dra.kubeconfig import Connection

EXPIRED, NOT_YET_VALID = 10, 9
UNKNOWN_AUTHORITY = (2, 18, 19, 20, 21)
OTHER_NAME = (62, 64)
"""X509_V_ERR_* of OpenSSL, as `verify_code` gives them."""


SILENCE = 30.0
"""Seconds that are waited for a connection and between two bytes when `--request-timeout` says nothing."""


def explained(cause: exceptions.HTTPError, connection: Connection) -> DraError:
    """The error to show for urllib3's."""
    chain = tuple(_chain(cause))
    for error in chain:
        if isinstance(error, exceptions.ProxyError):
            return _of_proxy(error, connection)
    if connection.proxy.startswith("socks") and isinstance(cause, exceptions.NewConnectionError):
        return UnreachableError(
            f"{connection.host} cannot be reached through the proxy {connection.proxy_host}", hint="check proxy-url in the kubeconfig"
        )
    for error in chain:
        if isinstance(error, ssl.SSLCertVerificationError):
            return _of_certificate(error, connection)
    for error in chain:
        if found := _of_kind(error, connection):
            return found
    if isinstance(cause, exceptions.ProtocolError):
        return _broken_off(connection)
    return UnreachableError(f"the connection to {connection.host} broke: {type(chain[-1]).__name__}", hint=_look(connection))


def is_reset(cause: exceptions.HTTPError) -> bool:
    """Whether the connection broke while it was in use: worth another try. Refusals, names and certificates are not."""
    if isinstance(cause, (exceptions.ProxyError, exceptions.TimeoutError, exceptions.NewConnectionError, exceptions.SSLError)):
        return any(isinstance(error, (ConnectionResetError, ssl.SSLEOFError)) for error in _chain(cause))
    return isinstance(cause, (exceptions.ProtocolError, exceptions.DecodeError))


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and what lies behind it, nearest first."""
    seen: set[int] = set()
    queue: list[BaseException] = [error]
    while queue:
        current = queue.pop(0)
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        behind = (*current.args, getattr(current, "original_error", None), current.__cause__, current.__context__)
        queue.extend(item for item in behind if isinstance(item, BaseException))


def _look(connection: Connection) -> str:
    return f'check the server of cluster "{connection.cluster}" in the kubeconfig' if connection.cluster else "check the server's address"


def slow(connection: Connection) -> TimedOutError:
    """For an answer that did not come, or not in full, in time."""
    if connection.timeout is None:
        return TimedOutError(
            f"{connection.host} was silent for {SILENCE:g} s", hint="the server is slow; wait longer with --request-timeout"
        )
    return TimedOutError(
        f"{connection.host} did not answer in full within {connection.timeout:g} s", hint="wait longer with --request-timeout"
    )


def _of_kind(error: BaseException, connection: Connection) -> ClusterError | TimedOutError | None:
    host, look = connection.host, _look(connection)
    match error:
        case exceptions.NameResolutionError() | socket.gaierror():
            return UnreachableError(f"the name of the server {host} cannot be found (DNS)", hint=look)
        case exceptions.ConnectTimeoutError() if not isinstance(error, exceptions.NewConnectionError):
            seconds = connection.timeout or SILENCE
            return TimedOutError(f"no connection to {host} within {seconds:g} s", hint=f"{look}, and that no firewall lies between")
        case exceptions.ReadTimeoutError():
            return slow(connection)
        case ConnectionRefusedError():
            return UnreachableError(f"{host} refuses the connection: nothing listens there", hint=f"{look}; does the API server run?")
        case ssl.SSLError():
            return _of_tls(error, connection)
        case exceptions.DecodeError():
            return UnreachableError(f"the answer of {host} is compressed and damaged", hint="try again, or with --disable-compression")
        case ConnectionResetError() | BrokenPipeError():
            return _broken_off(connection)
        case OSError() if error.strerror and not isinstance(error, ssl.SSLError):
            return UnreachableError(f"{host} cannot be reached: {error.strerror}", hint=look)
        case _:
            return None


def _broken_off(connection: Connection) -> UnreachableError:
    return UnreachableError(f"{connection.host} ended the connection before its answer was complete", hint="try again")


def _of_proxy(error: exceptions.ProxyError, connection: Connection) -> UnreachableError:
    text = str(error.original_error)
    if text.startswith("Tunnel connection failed: 407"):
        why = "wants a username and password (407)"
    elif isinstance(error.original_error, exceptions.NameResolutionError):
        why = "has a name that cannot be found (DNS)"
    elif any(isinstance(item, ConnectionRefusedError) for item in _chain(error)):
        why = "refuses the connection"
    elif any(isinstance(item, ssl.SSLError) for item in _chain(error)):
        why = "shows a certificate that is not trusted, or does not speak TLS"
    elif text.startswith("Tunnel connection failed"):
        why = f"does not let us through to {connection.host} ({text.partition(': ')[2]})"
    else:
        why = "cannot be used"
    return UnreachableError(
        f"the proxy {connection.proxy_host} {why}", hint="check proxy-url in the kubeconfig, or HTTPS_PROXY and NO_PROXY"
    )


def _of_certificate(error: ssl.SSLCertVerificationError, connection: Connection) -> UnreachableError:
    whose = f"the certificate of {connection.host}"
    if error.verify_code == EXPIRED:
        return UnreachableError(f"{whose} has expired", hint="renew it on the server (kubeadm certs check-expiration)")
    if error.verify_code == NOT_YET_VALID:
        return UnreachableError(f"{whose} is not valid yet", hint="compare the clocks of this machine and of the server")
    if error.verify_code in OTHER_NAME:
        name = connection.trust.server_name or connection.host
        return UnreachableError(f"{whose} is not made out for {name}", hint="use a name that is in it, or give one with --tls-server-name")
    if error.verify_code in UNKNOWN_AUTHORITY:
        return UnreachableError(
            f"{whose} is signed by an unknown authority",
            hint="the certificate-authority of the kubeconfig is another cluster's, or missing",
        )
    return UnreachableError(f"{whose} is not trusted: {error.verify_message}", hint=_look(connection))


def _of_tls(error: ssl.SSLError, connection: Connection) -> UnreachableError:
    reason = (error.reason or "").lower().replace("_", " ")
    if "wrong version number" in reason or "record layer" in reason or "http request" in reason:
        return UnreachableError(f"{connection.host} does not speak TLS", hint="should the server's URL begin with http:// ?")
    if "alert" in reason and "certificate" in reason:
        return UnreachableError(f"{connection.host} does not accept our client certificate ({reason})", hint="renew it, or log in again")
    return UnreachableError(f"no TLS with {connection.host}" + (f": {reason}" if reason else ""), hint=_look(connection))
