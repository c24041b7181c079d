"""HTTP_PROXY, HTTPS_PROXY and NO_PROXY, as Go reads them."""

from pathlib import Path

import pytest

from kubectl_dra.errors import KubeconfigError
from kubectl_dra.kubeconfig import Overrides, connect, proxies
from tests.kubeconfig.writing import environment, kubeconfig

PROXY = "http://proxy:3128"


@pytest.mark.parametrize(
    ("server", "variables", "expected"),
    [
        ("https://k.example.com", {}, ""),
        ("https://k.example.com", {"HTTPS_PROXY": PROXY}, PROXY),
        ("https://k.example.com", {"https_proxy": PROXY}, PROXY),
        ("https://k.example.com", {"HTTPS_PROXY": PROXY, "https_proxy": "http://lower:1"}, PROXY),
        ("https://k.example.com", {"HTTP_PROXY": PROXY}, ""),
        ("http://k.example.com", {"HTTP_PROXY": PROXY}, PROXY),
        ("https://k.example.com", {"HTTPS_PROXY": "proxy:3128"}, PROXY),
        ("https://k.example.com", {"HTTPS_PROXY": "socks5://proxy:1080"}, "socks5://proxy:1080"),
        ("https://k.example.com", {"ALL_PROXY": PROXY}, ""),
        ("https://localhost:6443", {"HTTPS_PROXY": PROXY}, ""),
        ("https://127.0.0.1:6443", {"HTTPS_PROXY": PROXY}, ""),
        ("https://[::1]:6443", {"HTTPS_PROXY": PROXY}, ""),
    ],
)
def test_which_variable_counts(server: str, variables: dict[str, str], expected: str) -> None:
    assert proxies.from_variables(server, variables) == expected


@pytest.mark.parametrize(
    ("server", "exceptions", "through"),
    [
        ("https://k.example.com", "*", False),
        ("https://k.example.com", "k.example.com", False),
        ("https://k.example.com", "K.EXAMPLE.COM", False),
        ("https://k.example.com", "example.com", False),
        ("https://k.example.com", ".example.com", False),
        ("https://k.example.com", "*.example.com", False),
        ("https://example.com", ".example.com", True),
        ("https://example.com", "*.example.com", True),
        ("https://notexample.com", "example.com", True),
        ("https://k.example.com", "a.com, example.com ,b.com", False),
        ("https://k.example.com", "k.example.com:443", False),
        ("https://k.example.com", "k.example.com:6443", True),
        ("https://k.example.com:6443", "example.com:6443", False),
        ("https://10.0.0.7", "10.0.0.7", False),
        ("https://10.0.0.7:6443", "10.0.0.7:443", True),
        ("https://10.0.0.7", "10.0.0.0/8", False),
        ("https://11.0.0.7", "10.0.0.0/8", True),
        ("https://10.0.0.7", ".0.0.7", True),
        ("https://[fd00::7]", "fd00::/8", False),
        ("https://[fd00::7]:6443", "[fd00::7]:6443", False),
        ("https://k.example.com", "10.0.0.0/99, :443,", True),
        ("https://k.example.com", "", True),
    ],
)
def test_e75_no_proxy(server: str, exceptions: str, through: bool) -> None:
    found = proxies.from_variables(server, {"HTTPS_PROXY": PROXY, "NO_PROXY": exceptions})
    assert found == (PROXY if through else "")


def test_cgi_does_not_choose_the_proxy() -> None:
    with pytest.raises(KubeconfigError, match="CGI"):
        proxies.from_variables("http://k.example.com", {"HTTP_PROXY": PROXY, "REQUEST_METHOD": "GET"})


def test_e75_proxy_url_of_the_kubeconfig_wins_over_variables(tmp_path: Path) -> None:
    server = "https://127.0.0.1:6443"  # a loopback server has no proxy but this one
    file = kubeconfig(tmp_path / "config", clusters={"a": {"server": server, "proxy-url": "socks5://own:1080"}, "b": {"server": server}})
    run = environment({"KUBECONFIG": str(file), "HTTPS_PROXY": PROXY, "NO_PROXY": "*"})
    assert connect(Overrides(), run).proxy == "socks5://own:1080"
    assert connect(Overrides(proxy_url="http://flag:1"), run).proxy == "http://flag:1"
    assert connect(Overrides(cluster="b"), run).proxy == ""


def test_a_proxy_s_password_is_not_shown(tmp_path: Path) -> None:
    file = kubeconfig(tmp_path / "config", clusters={"a": {"server": "https://k", "proxy-url": "http://me:top-secret@own:1080"}})
    found = connect(Overrides(kubeconfig=str(file)), environment())
    assert "top-secret" not in repr(found)
    assert found.proxy_host == "own:1080"
