"""OpenID Connect: an id-token, and a refresh-token that earns another one (client-go: plugin/pkg/client/auth/oidc/oidc.go)."""

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import TypeVar

import msgspec

from kubectl_dra.environment import Environment
from kubectl_dra.errors import ClusterError, KubeconfigError
from kubectl_dra.kubeconfig.credentials import Credential, Material, StoredCredentials, Web
from kubectl_dra.kubeconfig.entries import Entry
from kubectl_dra.kubeconfig.save_tokens import replaced_in

T = TypeVar("T", bound=Entry)

EARLY_SECONDS = 10
"""A token counts as expired so long before it is: clocks differ."""


class _Claims(Entry, frozen=True):
    exp: float = 0


class _Metadata(Entry, frozen=True):
    token_endpoint: str = ""


class _Tokens(Entry, frozen=True):
    id_token: str = ""
    refresh_token: str = ""


class OidcCredentials:
    """The id-token while it lives, then the one that the identity provider gives for the refresh-token."""

    def __init__(
        self, config: Mapping[str, str], user_name: str, stored: StoredCredentials, files: Sequence[str], environment: Environment
    ) -> None:
        """Take the provider's `config`. `stored` gives the client certificate, if any; new tokens are saved in `files`."""
        for key in ("idp-issuer-url", "client-id"):
            if not config.get(key):
                raise KubeconfigError(f'user "{user_name}" logs in by oidc, but its auth-provider has no {key}')
        self._config = config
        self._what = f'user "{user_name}"'
        self._stored = stored
        self._files = files
        self._environment = environment
        self._lock = Lock()
        self._id_token = config.get("id-token", "")
        self._refresh_token = config.get("refresh-token", "")

    def get(self, web: Web) -> Credential:
        """The id-token, refreshed when it has expired. Raises KubeconfigError."""
        with self._lock:
            if not self._id_token or self._has_expired(self._id_token):
                self._refresh(web)
            return replace(self._stored.get(web), token=self._id_token)

    def renewed(self, refused: Credential, web: Web) -> Credential | None:
        """Another token after a 401, if there is a refresh-token to ask with."""
        with self._lock:
            if self._id_token == refused.token:
                if not self._refresh_token:
                    return None
                self._refresh(web)
            return replace(self._stored.get(web), token=self._id_token)

    def _has_expired(self, token: str) -> bool:
        parts = token.split(".")
        try:
            if len(parts) != 3:
                raise ValueError
            payload = base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4))
            claims = msgspec.json.decode(payload, type=_Claims)
        except (ValueError, binascii.Error, msgspec.DecodeError):
            raise KubeconfigError(f"the id-token of {self._what} is not a JSON Web Token") from None
        return self._environment.clock.now().timestamp() + EARLY_SECONDS >= claims.exp

    def _refresh(self, web: Web) -> None:
        if not self._refresh_token:
            raise KubeconfigError(
                f"the id-token of {self._what} has expired and the kubeconfig has no refresh-token", hint="log in again at your provider"
            )
        material = Material(self._config.get("idp-certificate-authority-data", ""), self._config.get("idp-certificate-authority", ""))
        authority = material.read(f"the idp-certificate-authority of {self._what}")
        issuer = self._config["idp-issuer-url"].removesuffix("/")
        metadata = self._ask(web, f"{issuer}/.well-known/openid-configuration", None, authority, _Metadata)
        if not metadata.token_endpoint:
            raise KubeconfigError(f"the identity provider {issuer} names no token_endpoint")
        form = {
            "grant_type": "refresh_token",
            "refresh_token": self._refresh_token,
            "client_id": self._config["client-id"],
            "client_secret": self._config.get("client-secret", ""),
        }
        tokens = self._ask(web, metadata.token_endpoint, {k: v for k, v in form.items() if v}, authority, _Tokens)
        if not tokens.id_token:
            raise KubeconfigError(
                f"the identity provider {issuer} gave {self._what} no id_token", hint='log in again with the scope "openid"'
            )
        self._save({self._id_token: tokens.id_token, self._refresh_token: tokens.refresh_token or self._refresh_token})
        self._id_token, self._refresh_token = tokens.id_token, tokens.refresh_token or self._refresh_token

    def _ask(self, web: Web, url: str, form: Mapping[str, str] | None, authority: bytes | None, kind: type[T]) -> T:
        """The provider's answer. Its body stays out of errors: it may hold tokens."""
        try:
            answer = web(url, form, authority)
        except ClusterError as error:
            raise KubeconfigError(f"the login of {self._what} cannot be refreshed: {error.message}", hint=error.hint) from None
        if answer.status != 200:
            raise KubeconfigError(
                f"the login of {self._what} cannot be refreshed: {url} answers {answer.status}", hint="log in again at your provider"
            )
        try:
            return msgspec.json.decode(answer.body, type=kind)
        except msgspec.DecodeError:
            raise KubeconfigError(f"the login of {self._what} cannot be refreshed: {url} does not answer in JSON") from None

    def _save(self, tokens: Mapping[str, str]) -> None:
        """Write new tokens where the old ones stand.

        Some providers let a refresh-token be used once: the next kubectl needs the new one.
        """
        changed = {old: new for old, new in tokens.items() if old and old != new}
        if not replaced_in(self._files, changed) and self._refresh_token in changed:
            self._environment.stderr.write(f"Warning: the new refresh-token of {self._what} could not be saved; log in again next time\n")
