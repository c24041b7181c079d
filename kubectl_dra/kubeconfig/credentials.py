"""What proves who one is, and where it comes from. Nothing here shows a secret when printed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Protocol

from kubectl_dra.errors import KubeconfigError
from kubectl_dra.kubeconfig.pem import decoded

TOKEN_FILE_SECONDS = 50.0
"""How long a token file's content is believed: projected tokens are replaced in place (client-go: transport/token_source.go)."""


@dataclass(frozen=True)
class ClientCertificate:
    """PEM of a certificate (with its intermediates) and of its key."""

    certificate: bytes
    key: bytes = field(repr=False)


@dataclass(frozen=True)
class Credential:
    """What one request carries. Empty means anonymous."""

    token: str = field(default="", repr=False)
    username: str = ""
    password: str = field(default="", repr=False)
    certificate: ClientCertificate | None = field(default=None, repr=False)


class WebAnswer(Protocol):
    """Of a request to an identity provider."""

    @property
    def status(self) -> int:
        """The HTTP status."""

    @property
    def body(self) -> bytes:
        """The body, decoded."""


Web = Callable[[str, Mapping[str, str] | None, bytes | None], WebAnswer]
"""Asks an identity provider: the URL, a form to post (None: GET), the PEM to trust (None: the system's). Raises ClusterError."""


class Credentials(Protocol):
    """A source of credentials. Safe to use from several threads."""

    def get(self, web: Web) -> Credential:
        """What to send now; may run a program or ask an identity provider through `web`. Raises KubeconfigError."""

    def renewed(self, refused: Credential, web: Web) -> Credential | None:
        """After a 401 on `refused`: another one to try, or None when there is no other."""


@dataclass(frozen=True)
class Material:
    """Content as base64 data or as the path of a file; data wins."""

    data: str = field(default="", repr=False)
    path: str = ""

    def read(self, what: str) -> bytes | None:
        """The content; None when there is neither. `what` names it in errors."""
        if self.data:
            return decoded(self.data, what)
        if not self.path:
            return None
        try:
            return Path(self.path).read_bytes()
        except OSError as error:
            raise KubeconfigError(f"{what} cannot be read from {self.path}: {error.strerror}") from None


class StoredCredentials:
    """Token, token file, client certificate, username: what stands in the kubeconfig or in files that it names."""

    def __init__(
        self,
        *,
        user_name: str = "",
        token: str = "",
        token_file: str = "",
        username: str = "",
        password: str = "",
        certificate: Material | None = None,
        key: Material | None = None,
        monotonic: Callable[[], float],
    ) -> None:
        """Take the entries; reads nothing yet. A token file that can be read wins over `token`, as in kubectl."""
        self._user = f'user "{user_name}"' if user_name else "the user"
        self._token = token
        self._token_file = token_file
        self._username = username
        self._password = password
        self._certificate = certificate or Material()
        self._key = key or Material()
        self._monotonic = monotonic
        self._lock = Lock()
        self._current: Credential | None = None
        self._read_at = 0.0

    def get(self, web: Web) -> Credential:
        """The credential; files are read at first use, the token file again from time to time."""
        with self._lock:
            stale = self._token_file and self._monotonic() - self._read_at > TOKEN_FILE_SECONDS
            if self._current is None or stale:
                self._current = self._read()
            return self._current

    def renewed(self, refused: Credential, web: Web) -> Credential | None:
        """The files once more, if they have changed."""
        with self._lock:
            if self._current is None or self._current == refused:
                self._current = self._read()
            return None if self._current == refused else self._current

    def _read(self) -> Credential:
        self._read_at = self._monotonic()
        certificate = self._certificate.read(f"the client certificate of {self._user}")
        key = self._key.read(f"the client key of {self._user}")
        return Credential(
            token=self._read_token(),
            username=self._username,
            password=self._password,
            certificate=ClientCertificate(certificate, key) if certificate and key else None,
        )

    def _read_token(self) -> str:
        if not self._token_file:
            return self._token
        before = self._current.token if self._current else self._token
        try:
            token = Path(self._token_file).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            if before:
                return before  # it is being replaced, or the kubeconfig has a token besides: kubectl goes on with what it has
            reason = error.strerror if isinstance(error, OSError) else "it is not text"
            raise KubeconfigError(f"the token file {self._token_file} of {self._user} cannot be read: {reason}") from None
        if not token and not before:
            raise KubeconfigError(f"the token file {self._token_file} of {self._user} is empty")
        return token or before
