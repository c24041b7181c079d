"""Entries that contradict themselves."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from kubectl_dra.errors import KubeconfigError
from kubectl_dra.kubeconfig import Overrides, connect
from tests.kubeconfig.writing import environment, kubeconfig
from tests.peers import certificate, key

EXEC = {"apiVersion": "client.authentication.k8s.io/v1", "command": "p", "interactiveMode": "Never"}
SERVER = {"server": "https://a.example.com"}


def message(tmp_path: Path, cluster: Mapping[str, object], user: Mapping[str, object]) -> str:
    file = kubeconfig(tmp_path / "config", clusters={"a": cluster}, users={"u": user})
    with pytest.raises(KubeconfigError) as caught:
        connect(Overrides(kubeconfig=str(file)), environment())
    return caught.value.message


@pytest.mark.parametrize(
    ("cluster", "expected"),
    [
        ({"proxy-url": "ftp://x"}, "has a proxy-url that does not begin with http://, https://, socks5://"),
        ({"proxy-url": "x:1"}, "has a proxy-url that does not begin with http://, https://, socks5://"),
        (
            {"certificate-authority": certificate("authority"), "certificate-authority-data": "eA=="},
            "has both certificate-authority and certificate-authority-data",
        ),
        (
            {"certificate-authority": certificate("authority"), "insecure-skip-tls-verify": True},
            "has a certificate authority and insecure-skip-tls-verify",
        ),
    ],
)
def test_clusters(tmp_path: Path, cluster: Mapping[str, object], expected: str) -> None:
    assert message(tmp_path, {**SERVER, **cluster}, {"token": "t"}) == f'cluster "a" {expected}'


@pytest.mark.parametrize(
    ("user", "expected"),
    [
        ({"token": "t", "username": "n", "password": "p"}, "has both a token and a username with password"),
        ({"client-certificate": certificate("alice")}, "has a client certificate without its key"),
        (
            {"client-certificate": certificate("alice"), "client-certificate-data": "eA==", "client-key": key("alice")},
            "has both client-certificate and client-certificate-data",
        ),
        (
            {"client-certificate": certificate("alice"), "client-key": key("alice"), "client-key-data": "eA=="},
            "has both client-key and client-key-data",
        ),
        ({"token": "t", "as-groups": ["g"]}, "asks for a uid, groups or extra fields without a user to act as (as, --as)"),
        ({"exec": {**EXEC, "command": ""}}, "has an exec plugin without a command"),
        ({"exec": {**EXEC, "apiVersion": ""}}, "has an exec plugin without an apiVersion"),
        (
            {"exec": {**EXEC, "apiVersion": "client.authentication.k8s.io/v1alpha1"}},
            'has an exec plugin of apiVersion "client.authentication.k8s.io/v1alpha1"; '
            "only client.authentication.k8s.io/v1 and client.authentication.k8s.io/v1beta1 are known",
        ),
        (
            {"exec": {**EXEC, "interactiveMode": ""}},
            'has an exec plugin with interactiveMode ""; it is one of Never, IfAvailable, Always',
        ),
        ({"exec": {**EXEC, "env": [{"value": "x"}]}}, "has an exec plugin with a variable that has no name"),
        ({"exec": EXEC, "auth-provider": {"name": "oidc"}}, "has both an exec plugin and an auth-provider"),
    ],
)
def test_users(tmp_path: Path, user: Mapping[str, object], expected: str) -> None:
    assert message(tmp_path, SERVER, user) == f'user "u" {expected}'


def test_all_mistakes_are_said_at_once(tmp_path: Path) -> None:
    found = message(tmp_path, {**SERVER, "proxy-url": "ftp://x"}, {"client-certificate": certificate("alice")})
    assert found == (
        'cluster "a" has a proxy-url that does not begin with http://, https://, socks5://; '
        'user "u" has a client certificate without its key'
    )


def test_a_certificate_authority_that_cannot_be_read(tmp_path: Path) -> None:
    found = message(tmp_path, {**SERVER, "certificate-authority": "nothing"}, {"token": "t"})
    assert found == f'the certificate authority of cluster "a" cannot be read from {tmp_path}/nothing: No such file or directory'


def test_data_that_is_not_base64(tmp_path: Path) -> None:
    found = message(tmp_path, {**SERVER, "certificate-authority-data": "????"}, {"token": "t"})
    assert found == 'the certificate authority of cluster "a" is not base64'
