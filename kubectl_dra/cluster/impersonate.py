"""The headers of impersonation (client-go: transport/round_trippers.go)."""

import string
from collections.abc import Iterator

from kubectl_dra.errors import KubeconfigError
from kubectl_dra.kubeconfig.connection import Impersonation

_LEGAL = frozenset((string.ascii_letters + string.digits + "!#$&'*+-.^_`|~").encode())


def headers(impersonation: Impersonation | None) -> Iterator[tuple[str, str]]:
    """Name and value, one pair for each group and each value of an extra field. Raises KubeconfigError for what cannot be sent."""
    if impersonation is None:
        return
    for name, value in _named(impersonation):
        if any(ord(character) < 0x20 or ord(character) == 0x7F for character in value):
            raise KubeconfigError(f"{value!r} holds characters that cannot be sent, and nobody can be acted for by such a name")
        yield name, value.encode().decode("latin-1")  # http.client writes headers in Latin-1; the bytes are to be UTF-8, as Go's


def _named(impersonation: Impersonation) -> Iterator[tuple[str, str]]:
    yield "Impersonate-User", impersonation.user
    if impersonation.uid:
        yield "Impersonate-Uid", impersonation.uid
    for group in impersonation.groups:
        yield "Impersonate-Group", group
    for key, values in impersonation.extra:
        for value in values:
            yield f"Impersonate-Extra-{_escaped(key)}", value


def _escaped(key: str) -> str:
    """A key may hold characters that a header's name may not (`scopes.example.com/all`)."""
    return "".join(chr(byte) if byte in _LEGAL else f"%{byte:02X}" for byte in key.encode())
