"""Context, cluster, user and the flags over them. `tests/live/test_connect_as_kubectl.py` holds the same rules against kubectl."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from kubectl_dra.errors import KubeconfigError, UsageError
from kubectl_dra.kubeconfig import Connection, Overrides, connect
from kubectl_dra.kubeconfig.connection import Impersonation
from tests.kubeconfig.no_web import no_web
from tests.kubeconfig.writing import environment, kubeconfig, trusting
from tests.peers import certificate, key

AUTHORITY = Path(certificate("authority")).read_bytes()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return kubeconfig(
        tmp_path / "config",
        clusters={
            "a": trusting("https://a.example.com"),
            "b": trusting("https://b.example.com:6443/k8s/", **{"tls-server-name": "b"}),
            "insecure": {"server": "https://c.example.com", "insecure-skip-tls-verify": True},
            "plain": {"server": "http://d.example.com"},
            "bare": {"server": "localhost:8080"},
            "none": {"certificate-authority": certificate("authority")},
        },
        users={
            "u": {"token": "secret"},
            "cert": {"client-certificate": certificate("alice"), "client-key": key("alice")},
            "as": {"token": "secret", "as": "bob", "as-groups": ["x"], "as-uid": "7", "as-user-extra": {"k": ["v", "w"]}},
            "empty": {},
        },
        contexts={
            "c": {"cluster": "a", "user": "u"},
            "d": {"cluster": "b", "user": "cert", "namespace": "team"},
            "lost": {"cluster": "gone", "user": "gone"},
            "nobody": {"cluster": "a"},
        },
    )


def made(file: Path, flags: Overrides | None = None, variables: Mapping[str, str] | None = None) -> Connection:
    return connect(replace(flags or Overrides(), kubeconfig=str(file)), environment(variables))


def refused(file: Path, flags: Overrides | None = None) -> KubeconfigError:
    with pytest.raises(KubeconfigError) as caught:
        made(file, flags)
    return caught.value


def test_the_current_context(file: Path) -> None:
    found = made(file)
    assert (found.server, found.context, found.cluster, found.user) == ("https://a.example.com", "c", "a", "u")
    assert (found.namespace, found.timeout, found.proxy, found.disable_compression) == ("default", None, "", False)
    assert found.trust.authority == AUTHORITY


def test_another_context(file: Path) -> None:
    found = made(file, Overrides(context="d"))
    assert (found.server, found.namespace, found.trust.server_name) == ("https://b.example.com:6443/k8s", "team", "b")
    shown = found.credentials.get(no_web).certificate
    assert shown is not None and shown.certificate == Path(certificate("alice")).read_bytes()


def test_flags_replace_the_names_of_the_context(file: Path) -> None:
    found = made(file, Overrides(context="d", cluster="a", user="u", namespace="other"))
    assert (found.server, found.user, found.namespace, found.trust.server_name) == ("https://a.example.com", "u", "other", "")


def test_unknown_names_are_said_with_those_that_exist(file: Path) -> None:
    error = refused(file, Overrides(context="nope"))
    assert (error.message, error.hint, error.status) == (
        f'context "nope" does not exist in {file}',
        "contexts there: c, d, lost, nobody",
        3,
    )
    assert refused(file, Overrides(cluster="nope")).message == f'cluster "nope" of --cluster does not exist in {file}'
    assert refused(file, Overrides(user="nope")).message == f'user "nope" of --user does not exist in {file}'


def test_a_context_with_a_missing_cluster_does_not_become_localhost(file: Path) -> None:
    assert refused(file, Overrides(context="lost")).message == f'cluster "gone" of context "lost" does not exist in {file}'


def test_a_context_with_a_missing_user_does_not_become_anonymous(file: Path) -> None:
    assert refused(file, Overrides(context="lost", cluster="a")).message == f'user "gone" of context "lost" does not exist in {file}'
    assert made(file, Overrides(context="lost", cluster="a", token="t")).credentials.get(no_web).token == "t"


def test_a_user_without_credentials_does_not_become_anonymous(file: Path) -> None:
    assert refused(file, Overrides(user="empty")).message == f'user "empty" in {file} has no credentials'
    assert refused(file, Overrides(context="nobody")).message == f'context "nobody" in {file} names no user'


def test_no_current_context(tmp_path: Path) -> None:
    error = refused(kubeconfig(tmp_path / "config", current=""))
    assert (error.message, error.hint) == (
        f"no context is chosen: {tmp_path}/config has no current-context",
        "choose one with --context: c",
    )
    assert refused(kubeconfig(tmp_path / "config", current="x")).message == f'the current context "x" does not exist in {tmp_path}/config'


def test_server_flag_keeps_the_authority_and_drops_the_server_name(file: Path) -> None:
    found = made(file, Overrides(context="d", server="https://other.example.com"))
    assert (found.server, found.trust.authority, found.trust.server_name) == ("https://other.example.com", AUTHORITY, "")
    assert made(file, Overrides(context="d", server="https://other.example.com", tls_server_name="n")).trust.server_name == "n"


def test_insecure_flag_drops_the_authority(file: Path) -> None:
    found = made(file, Overrides(insecure_skip_tls_verify=True))
    assert (found.trust.insecure, found.trust.authority) == (True, None)


def test_insecure_false_changes_nothing(file: Path) -> None:
    assert made(file, Overrides(cluster="insecure", insecure_skip_tls_verify=False)).trust.insecure is True


def test_authority_flag_ends_insecure(file: Path) -> None:
    found = made(file, Overrides(cluster="insecure", certificate_authority=certificate("other-authority")))
    assert (found.trust.insecure, found.trust.authority) == (False, Path(certificate("other-authority")).read_bytes())


def test_token_flag_leaves_the_client_certificate(file: Path) -> None:
    found = made(file, Overrides(user="cert", token="flag")).credentials.get(no_web)
    assert found.token == "flag" and found.certificate is not None


def test_certificate_flags_replace_data(file: Path, tmp_path: Path) -> None:
    data = kubeconfig(tmp_path / "data", users={"u": {"client-certificate-data": "eA==", "client-key-data": "eA=="}})
    shown = made(data, Overrides(client_certificate=certificate("bob"), client_key=key("bob"))).credentials.get(no_web).certificate
    assert shown is not None and shown.certificate == Path(certificate("bob")).read_bytes()


def test_plain_http_sends_no_credentials(file: Path) -> None:
    found = made(file, Overrides(cluster="plain", as_="bob"))
    assert found.credentials.get(no_web).token == ""
    assert found.impersonation == Impersonation("bob")


def test_a_server_without_scheme_is_plain_http(file: Path) -> None:
    assert made(file, Overrides(cluster="bare")).server == "http://localhost:8080"
    assert made(file, Overrides(server="[::1]:6443")).server == "http://[::1]:6443"


@pytest.mark.parametrize("server", ["ftp://x", "https://", "https://h:port", "h/path"])
def test_a_server_that_is_no_url(file: Path, server: str) -> None:
    assert refused(file, Overrides(server=server)).message == f'the server "{server}" of cluster "a" is not a URL'


def test_kubernetes_master_fills_a_missing_server(file: Path) -> None:
    assert made(file, Overrides(cluster="none"), {"KUBERNETES_MASTER": "https://m.example.com"}).server == "https://m.example.com"
    assert made(file, None, {"KUBERNETES_MASTER": "https://m.example.com"}).server == "https://a.example.com"
    assert refused(file, Overrides(cluster="none")).message == f'cluster "none" in {file} has no server'


def test_server_flag_alone_needs_no_file() -> None:
    assert connect(Overrides(server="http://h:1"), environment()).server == "http://h:1"


def test_e72_impersonation_of_the_kubeconfig(file: Path) -> None:
    assert made(file, Overrides(user="as")).impersonation == Impersonation("bob", "7", ("x",), (("k", ("v", "w")),))


def test_impersonation_flags_go_over_the_kubeconfig_field_by_field(file: Path) -> None:
    flags = Overrides(user="as", as_="eve", as_groups=("y", "z"), as_user_extra=("k=new", "l=a=b", "l=c"))
    assert made(file, flags).impersonation == Impersonation("eve", "7", ("y", "z"), (("k", ("new",)), ("l", ("a=b", "c"))))


def test_an_extra_field_without_value_is_an_error(file: Path) -> None:
    with pytest.raises(UsageError) as caught:
        made(file, Overrides(as_="bob", as_user_extra=("scopes",)))
    assert (caught.value.message, caught.value.status) == ('"scopes" is not KEY=VALUE for --as-user-extra', 2)


def test_nothing_shows_a_secret(file: Path) -> None:
    overrides = Overrides(kubeconfig=str(file), token="top-secret")
    found = connect(overrides, environment())
    assert "top-secret" not in repr(overrides) + repr(found) + repr(found.credentials) + repr(found.credentials.get(no_web))
