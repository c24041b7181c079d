"""Base64 and PEM, and the dates of a certificate."""

import base64
import binascii
import re
from datetime import UTC, datetime

from kubectl_dra.errors import KubeconfigError

_BLOCK = re.compile(rb"-----BEGIN CERTIFICATE-----(.+?)-----END CERTIFICATE-----", re.DOTALL)


def decoded(text: str, what: str) -> bytes:
    """Base64 in one line or many. `what` names it in the error."""
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        raise KubeconfigError(f"{what} is not base64", hint="the *-data fields of a kubeconfig hold base64 of PEM") from None


def expiry(certificate: bytes) -> datetime | None:
    """The end of the first certificate's life, aware UTC; None when it cannot be told.

    An API server that gets an expired client certificate says 401 and no more, so the date is the only way to tell people why.
    """
    block = _BLOCK.search(certificate)
    if block is None:
        return None
    try:
        return _not_after(base64.b64decode(block.group(1)))
    except (binascii.Error, ValueError, IndexError):
        return None


def _not_after(der: bytes) -> datetime:
    """RFC 5280: Certificate, TBSCertificate, then version, serial, signature, issuer, and validity with its two times."""
    at, _, _ = _element(der, 0)  # into Certificate
    at, _, _ = _element(der, at)  # into TBSCertificate
    _, after, tag = _element(der, at)
    at = after if tag == 0xA0 else at  # [0] version may be left out
    for _ in range(3):
        _, at, _ = _element(der, at)
    at, _, _ = _element(der, at)  # into validity
    _, at, _ = _element(der, at)  # past notBefore
    content, end, tag = _element(der, at)
    text = der[content:end].decode("ascii")
    if tag == 0x17:  # UTCTime has two digits for the year
        text = ("19" if text >= "5" else "20") + text
    return datetime.strptime(text, "%Y%m%d%H%M%SZ").replace(tzinfo=UTC)


def _element(der: bytes, at: int) -> tuple[int, int, int]:
    """Where the content of the element at `at` begins and ends, and its tag."""
    tag, length = der[at], der[at + 1]
    at += 2
    if length & 0x80:
        size = length & 0x7F
        length = int.from_bytes(der[at : at + size], "big")
        at += size
    return at, at + length, tag
