"""For credentials that must not ask an identity provider."""

from collections.abc import Mapping

from kubectl_dra.kubeconfig.credentials import WebAnswer


def no_web(url: str, form: Mapping[str, str] | None, authority: bytes | None) -> WebAnswer:
    """Nobody is to be asked."""
    raise AssertionError(f"{url} was asked")
