"""A 401 says nothing but no. What the credential itself tells about the reason."""

from datetime import datetime

from kubectl_dra.errors import ApiError
from kubectl_dra.kubeconfig import Connection
from kubectl_dra.kubeconfig.credentials import Credential
from kubectl_dra.kubeconfig.pem import expiry

UNAUTHORIZED = 401


def told(error: ApiError, connection: Connection, credential: Credential, now: datetime) -> ApiError:
    """The same refusal with the user's name and, as hint, the likely reason."""
    who = f'user "{connection.user}"' if connection.user else "this user"
    return ApiError(
        f"{connection.host} does not accept the credentials of {who} (401 Unauthorized)",
        code=UNAUTHORIZED,
        reason=error.reason or "Unauthorized",
        hint=_reason(credential, now),
    )


def _reason(credential: Credential, now: datetime) -> str:
    if credential == Credential():
        return "there are none: the context names no user, or the server's URL is plain http, over which none are sent"
    end = expiry(credential.certificate.certificate) if credential.certificate else None
    if end is not None and end < now:
        return f"the client certificate expired at {end:%Y-%m-%d %H:%M} UTC: renew it (kubeadm certs renew, or your provider's login)"
    return "they may have expired, or belong to another cluster: log in again"
