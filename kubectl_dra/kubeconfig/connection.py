"""One connection to one API server as one user: the result of all rules."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from kubectl_dra.kubeconfig.credentials import Credentials


@dataclass(frozen=True)
class Trust:
    """How the server's certificate is judged. `authority` is PEM, None for the system's authorities."""

    authority: bytes | None = field(default=None, repr=False)
    server_name: str = ""
    insecure: bool = False


@dataclass(frozen=True)
class Impersonation:
    """Whom to act as. `extra` keeps the order in which the keys came."""

    user: str
    uid: str = ""
    groups: tuple[str, ...] = ()
    extra: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True)
class Connection:
    """Everything that a transport needs. `timeout` is seconds for a whole request, None for no limit."""

    server: str
    context: str
    cluster: str
    user: str
    namespace: str
    credentials: Credentials = field(repr=False)
    trust: Trust = Trust()
    impersonation: Impersonation | None = None
    proxy: str = field(default="", repr=False)
    timeout: float | None = None
    disable_compression: bool = False

    @property
    def host(self) -> str:
        """The server's host and port, for messages."""
        return urlsplit(self.server).netloc.rpartition("@")[2]

    @property
    def proxy_host(self) -> str:
        """The proxy's host and port without its password; empty without a proxy."""
        return urlsplit(self.proxy).netloc.rpartition("@")[2]
