"""The SSL context of a connection: whom we trust, and the certificate that we show."""

import os
import ssl
import tempfile
from pathlib import Path

from kubectl_dra.errors import KubeconfigError
from kubectl_dra.kubeconfig.connection import Trust
from kubectl_dra.kubeconfig.credentials import ClientCertificate


def context(trust: Trust, certificate: ClientCertificate | None) -> ssl.SSLContext:
    """A client context with TLS 1.2 or newer, as client-go has it (transport/transport.go). Raises KubeconfigError for PEM that is none."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    if trust.insecure:
        made.check_hostname = False
        made.verify_mode = ssl.CERT_NONE
    elif trust.authority is None:
        made.load_default_certs()
    else:
        # Go trusts every certificate in the bundle, also one that is neither self-signed nor an authority
        made.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
        _load_authority(made, trust.authority)
    if certificate is not None:
        _load_certificate(made, certificate)
    return made


def _load_authority(made: ssl.SSLContext, authority: bytes) -> None:
    try:
        made.load_verify_locations(cadata=authority.decode("ascii", errors="replace"))
    except (ssl.SSLError, ValueError):
        raise KubeconfigError("the certificate authority of the cluster is not PEM with certificates") from None


def _load_certificate(made: ssl.SSLContext, certificate: ClientCertificate) -> None:
    """OpenSSL takes a client certificate from a file only: one that nobody else can read, and that is gone at once."""
    descriptor, name = tempfile.mkstemp(prefix="kubectl-dra-", suffix=".pem")  # mode 0600
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(certificate.certificate + b"\n" + certificate.key)
        made.load_cert_chain(name, password=lambda: "")  # an encrypted key is an error, not a question on the terminal
    except ssl.SSLError as error:
        mismatch = "MISMATCH" in (error.reason or "")
        why = "do not belong together" if mismatch else "are not PEM, or the key is encrypted"
        raise KubeconfigError(f"the client certificate and its key {why}") from None
    finally:
        Path(name).unlink(missing_ok=True)
