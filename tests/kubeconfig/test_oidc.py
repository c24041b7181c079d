"""`auth-provider: oidc`, and the providers that are gone."""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kubectl_dra.environment import Clock, Environment
from kubectl_dra.errors import KubeconfigError, UnreachableError
from kubectl_dra.kubeconfig import Overrides, connect
from kubectl_dra.kubeconfig.credentials import Credential, Credentials
from tests.kubeconfig.no_web import no_web
from tests.kubeconfig.writing import environment, kubeconfig, said
from tests.peers import certificate, key

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
ISSUER = "https://login.example.com/realm"


def token(expires: float, mark: str = "") -> str:
    """A JSON Web Token with an end; nobody checks its signature here."""
    claims = base64.urlsafe_b64encode(json.dumps({"exp": expires, "mark": mark}).encode()).decode().rstrip("=")
    return f"head.{claims}.signature"


LIVE, OLD, NEW = token(NOW.timestamp() + 60), token(NOW.timestamp() + 9, "old"), token(NOW.timestamp() + 600, "new")


@dataclass(frozen=True)
class Said:
    status: int
    body: bytes


@dataclass
class Provider:
    """An identity provider that notes what it is asked."""

    tokens: Mapping[str, str]
    metadata: Mapping[str, str] = field(default_factory=lambda: {"token_endpoint": "https://login.example.com/token"})
    status: int = 200
    asked: list[tuple[str, Mapping[str, str] | None]] = field(default_factory=list)

    def __call__(self, url: str, form: Mapping[str, str] | None, authority: bytes | None) -> Said:
        self.asked.append((url, form))
        return Said(self.status, json.dumps(self.metadata if form is None else self.tokens).encode())


@dataclass(frozen=True)
class Given:
    file: Path
    environment: Environment
    credentials: Credentials


def given(tmp_path: Path, config: Mapping[str, str], **user: object) -> Given:
    provider = {"name": "oidc", "config": {"idp-issuer-url": ISSUER, "client-id": "me", **config}}
    file = kubeconfig(tmp_path / "config", users={"u": {"auth-provider": provider, **user}})
    run = environment(clock=Clock(now=lambda: NOW))
    return Given(file, run, connect(Overrides(kubeconfig=str(file)), run).credentials)


def test_a_token_that_lives_is_used(tmp_path: Path) -> None:
    assert given(tmp_path, {"id-token": LIVE}).credentials.get(no_web) == Credential(token=LIVE)


def test_an_expired_token_is_refreshed(tmp_path: Path) -> None:
    found = given(tmp_path, {"id-token": OLD, "refresh-token": "r1", "client-secret": "s"})
    provider = Provider({"id_token": NEW})
    assert found.credentials.get(provider).token == NEW
    assert found.credentials.get(provider).token == NEW
    assert provider.asked == [
        (f"{ISSUER}/.well-known/openid-configuration", None),
        (
            "https://login.example.com/token",
            {"grant_type": "refresh_token", "refresh_token": "r1", "client_id": "me", "client_secret": "s"},
        ),
    ]


def test_new_tokens_are_saved_for_the_next_run(tmp_path: Path) -> None:
    found = given(tmp_path, {"id-token": OLD, "refresh-token": "used-once"})
    found.file.write_text("# a comment stays\n" + found.file.read_text())
    found.file.chmod(0o640)
    before = found.file.read_text()
    found.credentials.get(Provider({"id_token": NEW, "refresh_token": "for-next-time"}))
    assert found.file.read_text() == before.replace(OLD, NEW).replace("used-once", "for-next-time")
    assert found.file.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["config"]
    assert said(found.environment) == ""


def test_a_refresh_token_that_cannot_be_saved_is_told(tmp_path: Path) -> None:
    found = given(tmp_path, {"id-token": OLD, "refresh-token": "used-once"})
    found.file.unlink()
    assert found.credentials.get(Provider({"id_token": NEW, "refresh_token": "for-next-time"})).token == NEW
    assert said(found.environment) == 'Warning: the new refresh-token of user "u" could not be saved; log in again next time\n'


def test_a_refused_token_is_refreshed_if_it_can_be(tmp_path: Path) -> None:
    assert given(tmp_path, {"id-token": LIVE}).credentials.renewed(Credential(token=LIVE), no_web) is None
    found = given(tmp_path, {"id-token": LIVE, "refresh-token": "r1"}).credentials
    renewed = found.renewed(Credential(token=LIVE), Provider({"id_token": NEW}))
    assert renewed is not None and renewed.token == NEW


def test_a_client_certificate_goes_along(tmp_path: Path) -> None:
    pair = {"client-certificate": certificate("alice"), "client-key": key("alice")}
    assert given(tmp_path, {"id-token": LIVE}, **pair).credentials.get(no_web).certificate is not None


def test_a_token_of_the_user_wins(tmp_path: Path) -> None:
    assert given(tmp_path, {"id-token": LIVE}, token="own").credentials.get(no_web).token == "own"


@pytest.mark.parametrize(
    ("config", "provider", "message"),
    [
        ({"id-token": OLD}, Provider({}), 'the id-token of user "u" has expired and the kubeconfig has no refresh-token'),
        ({"id-token": "a.b"}, Provider({}), 'the id-token of user "u" is not a JSON Web Token'),
        ({"id-token": "a.?.c"}, Provider({}), 'the id-token of user "u" is not a JSON Web Token'),
        ({"refresh-token": "r"}, Provider({}), f'the identity provider {ISSUER} gave user "u" no id_token'),
        ({"refresh-token": "r"}, Provider({}, metadata={}), f"the identity provider {ISSUER} names no token_endpoint"),
        (
            {"refresh-token": "r"},
            Provider({}, status=500),
            f'the login of user "u" cannot be refreshed: {ISSUER}/.well-known/openid-configuration answers 500',
        ),
    ],
)
def test_what_can_go_wrong(tmp_path: Path, config: Mapping[str, str], provider: Provider, message: str) -> None:
    with pytest.raises(KubeconfigError) as caught:
        given(tmp_path, config).credentials.get(provider)
    assert caught.value.message == message


def test_a_provider_that_cannot_be_reached(tmp_path: Path) -> None:
    def down(url: str, form: Mapping[str, str] | None, authority: bytes | None) -> Said:
        raise UnreachableError("login.example.com refuses the connection", hint="wait")

    with pytest.raises(KubeconfigError) as caught:
        given(tmp_path, {"refresh-token": "r"}).credentials.get(down)
    assert caught.value.message == 'the login of user "u" cannot be refreshed: login.example.com refuses the connection'


@pytest.mark.parametrize("missing", ["idp-issuer-url", "client-id"])
def test_an_incomplete_entry(tmp_path: Path, missing: str) -> None:
    with pytest.raises(KubeconfigError, match=f"its auth-provider has no {missing}"):
        given(tmp_path, {missing: ""})


@pytest.mark.parametrize(
    ("name", "hint"),
    [("gcp", "gke-gcloud-auth-plugin"), ("azure", "kubelogin"), ("openstack", "client-keystone-auth")],
)
def test_providers_that_kubectl_dropped(tmp_path: Path, name: str, hint: str) -> None:
    file = kubeconfig(tmp_path / "config", users={"u": {"auth-provider": {"name": name}, "token": "t"}})
    with pytest.raises(KubeconfigError) as caught:
        connect(Overrides(kubeconfig=str(file)), environment())
    assert caught.value.message == f'user "u" logs in by the auth provider "{name}", which kubectl no longer has'
    assert hint in caught.value.hint


def test_a_provider_that_kubectl_never_had(tmp_path: Path) -> None:
    file = kubeconfig(tmp_path / "config", users={"u": {"auth-provider": {"name": "own"}}})
    with pytest.raises(KubeconfigError, match='an auth provider that kubectl does not have: "own"'):
        connect(Overrides(kubeconfig=str(file)), environment())
