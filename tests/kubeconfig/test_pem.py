"""The dates of certificates."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from kubectl_dra.errors import KubeconfigError
from kubectl_dra.kubeconfig import pem
from tests.peers import certificate


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("alice", datetime(2120, 1, 1, tzinfo=UTC)),
        ("alice-expired", datetime(2021, 1, 2, 3, 4, 5, tzinfo=UTC)),
    ],
)
def test_the_end_of_a_certificate(name: str, expected: datetime) -> None:
    assert pem.expiry(Path(certificate(name)).read_bytes()) == expected


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"nothing",
        b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
        b"-----BEGIN CERTIFICATE-----\n?\n-----END CERTIFICATE-----",
    ],
)
def test_what_is_no_certificate_has_no_end(text: bytes) -> None:
    assert pem.expiry(text) is None


def test_base64_in_lines() -> None:
    assert pem.decoded("aGVs\nbG8=\n", "it") == b"hello"
    with pytest.raises(KubeconfigError, match="it is not base64"):
        pem.decoded("aGVs!", "it")
