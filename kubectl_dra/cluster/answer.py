"""Whether an answer is one of a Kubernetes API server, and if it says no, which error that is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from urllib.parse import urlsplit

import msgspec

from kubectl_dra.errors import ApiError, ClusterError, NotKubernetesError, UnreachableError
from kubectl_dra.kubeconfig import Connection
from kubectl_dra.objects.status import Status, StatusDetails, StatusMeta

_TEXT = 200
"""Characters of a foreign text in an error."""


@dataclass(frozen=True)
class Answer:
    """Status, headers (case does not matter) and the decoded body."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)

    @property
    def media_type(self) -> str:
        """`application/json` and its like, without parameters."""
        return self.headers.get("Content-Type", "").partition(";")[0].strip().lower()

    @property
    def retry_after(self) -> float | None:
        """Seconds that the server asks to wait; a date there is not read (API servers send seconds)."""
        text = self.headers.get("Retry-After", "")
        return float(text) if text.isascii() and text.isdigit() else None

    @property
    def phrase(self) -> str:
        """`404 Not Found`."""
        try:
            return f"{self.status} {HTTPStatus(self.status).phrase}"
        except ValueError:
            return str(self.status)


def problem(answer: Answer, connection: Connection, what: str, accept: str) -> ClusterError | None:
    """The error in an answer to `what` (`GET /api/v1/pods`), None when it is what was asked for."""
    host = connection.host
    if 200 <= answer.status < 300:
        return _foreign(answer, host) if "json" in accept and not _is_json(answer) else None
    if 300 <= answer.status < 400:
        return _redirect(answer, host)
    status = _status(answer)
    if status is not None:
        return _refusal(answer, status, what)
    if answer.status == HTTPStatus.UNAUTHORIZED:
        return _refusal(answer, Status(reason="Unauthorized"), what)
    text = _short(answer.body) if answer.media_type == "text/plain" else ""
    if "HTTP request to an HTTPS server" in text:
        return UnreachableError(f"{host} speaks TLS", hint="the server's URL should begin with https://")
    if answer.status >= 500:
        return UnreachableError(
            f"{host} answers {answer.phrase}" + (f": {text}" if text else ""), hint="does the API server run? Try again"
        )
    if text:
        return _refusal(answer, Status(message=text), what)
    return _foreign(answer, host)


def _is_json(answer: Answer) -> bool:
    return answer.media_type.endswith("json")


def _short(body: bytes) -> str:
    return " ".join(body[: 4 * _TEXT].decode(errors="replace").split())[:_TEXT]


def _status(answer: Answer) -> Status | None:
    try:
        status = msgspec.json.decode(answer.body, type=Status)
    except msgspec.DecodeError:
        return None
    return status if status.kind == "Status" else None


def _foreign(answer: Answer, host: str) -> NotKubernetesError:
    form = {"text/html": "a web page", "application/json": "JSON of another kind"}.get(answer.media_type, answer.media_type or "no type")
    return NotKubernetesError(
        f"{host} is not a Kubernetes API server: it answers {answer.phrase} with {form}",
        hint="check the server's URL: a login page or another service may stand in front of it",
    )


def _redirect(answer: Answer, host: str) -> NotKubernetesError:
    where = urlsplit(answer.headers.get("Location", "")).netloc.rpartition("@")[2]
    return NotKubernetesError(
        f"{host} sends us elsewhere ({answer.phrase}{f', to {where}' if where else ''}); credentials are not sent on",
        hint="check the server's URL: a login page may stand in front of it",
    )


def _refusal(answer: Answer, status: Status, what: str) -> ApiError:
    details = status.details or StatusDetails()
    retry_after = answer.retry_after
    if retry_after is None and details.retry_after_seconds:
        retry_after = float(details.retry_after_seconds)
    reason = status.reason or ""
    return ApiError(
        f"{what}: {status.message or reason or answer.phrase}",
        code=answer.status,
        reason=reason,
        hint=_hint(answer.status),
        retry_after=retry_after,
        continue_token=(status.metadata or StatusMeta()).continue_ or None,
        causes=tuple((cause.reason or "", cause.message or "") for cause in details.causes or ()),
    )


def _hint(status: int) -> str:
    match status:
        case HTTPStatus.FORBIDDEN:
            return "kubectl dra rbac prints the role that allows it"
        case HTTPStatus.TOO_MANY_REQUESTS:
            return "the API server is busy; try again later"
        case _:
            return ""
