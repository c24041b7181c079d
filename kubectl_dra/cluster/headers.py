"""The headers that every request carries: who asks, in which form the answer may come, and what proves it."""

import base64
import platform
import sys
from urllib.parse import urlsplit

from kubectl_dra import __version__
from kubectl_dra.cluster import impersonate
from kubectl_dra.cluster.pool import Header
from kubectl_dra.errors import KubeconfigError
from kubectl_dra.kubeconfig import Connection
from kubectl_dra.kubeconfig.credentials import Credential

LOOPBACK = ("localhost", "127.0.0.1", "::1")


def common(connection: Connection) -> list[Header]:
    """User-Agent, encoding and impersonation. Compression saves time on a network; on loopback it only costs both sides CPU."""
    wanted = not connection.disable_compression and urlsplit(connection.server).hostname not in LOOPBACK
    encoding = "gzip" if wanted else "identity"
    return [("User-Agent", user_agent()), ("Accept-Encoding", encoding), *impersonate.headers(connection.impersonation)]


def user_agent() -> str:
    """`kubectl-dra/1.0 (linux/amd64)`."""
    system = {"win32": "windows"}.get(sys.platform, sys.platform)
    machine = platform.machine().lower()
    return f"kubectl-dra/{__version__} ({system}/{({'x86_64': 'amd64', 'aarch64': 'arm64'}).get(machine, machine)})"


def authorization(credential: Credential) -> list[Header]:
    """The header of a token or of a name with password; none for a client certificate. Raises KubeconfigError for a token in two lines."""
    if credential.token:
        # said here: http.client's own error would show the token
        if not credential.token.isascii() or not credential.token.isprintable():
            raise KubeconfigError("the token holds characters that cannot be sent (a line break?)", hint="write it again, in one line")
        return [("Authorization", f"Bearer {credential.token}")]
    if credential.username or credential.password:
        pair = base64.b64encode(f"{credential.username}:{credential.password}".encode()).decode()
        return [("Authorization", f"Basic {pair}")]
    return []
