"""A pod's service account."""

from pathlib import Path

import pytest

from kubectl_dra.errors import KubeconfigError
from kubectl_dra.kubeconfig import Overrides, connect
from kubectl_dra.kubeconfig.connection import Impersonation
from tests.kubeconfig.no_web import no_web
from tests.kubeconfig.writing import environment, kubeconfig

POD = {"KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBERNETES_SERVICE_PORT": "443"}


@pytest.fixture
def account(tmp_path: Path) -> Path:
    folder = tmp_path / "serviceaccount"
    folder.mkdir()
    for name, text in (("token", "of the pod\n"), ("ca.crt", "PEM"), ("namespace", "team\n")):
        (folder / name).write_text(text)
    return folder


def test_a_pod_without_kubeconfig(account: Path) -> None:
    found = connect(Overrides(), environment(POD), service_account=account)
    assert (found.server, found.namespace, found.trust.authority) == ("https://10.0.0.1:443", "team", b"PEM")
    assert found.credentials.get(no_web).token == "of the pod"


def test_flags_in_a_pod(account: Path) -> None:
    flags = Overrides(token="flag", namespace="other", as_="bob", as_groups=("g",), request_timeout="5s")
    found = connect(flags, environment(POD), service_account=account)
    assert (found.namespace, found.impersonation, found.timeout) == ("other", Impersonation("bob", "", ("g",)), 5.0)
    assert found.credentials.get(no_web).token == "flag"
    with pytest.raises(KubeconfigError, match="without a user to act as"):
        connect(Overrides(as_groups=("g",)), environment(POD), service_account=account)


def test_pod_namespace_variable(account: Path) -> None:
    assert connect(Overrides(), environment({**POD, "POD_NAMESPACE": "mine"}), service_account=account).namespace == "mine"
    (account / "namespace").unlink()
    assert connect(Overrides(), environment(POD), service_account=account).namespace == "default"


def test_an_ipv6_service(account: Path) -> None:
    found = connect(Overrides(), environment({**POD, "KUBERNETES_SERVICE_HOST": "fd00::1"}), service_account=account)
    assert found.server == "https://[fd00::1]:443"


def test_a_kubeconfig_wins(account: Path, tmp_path: Path) -> None:
    file = kubeconfig(tmp_path / "config")
    found = connect(Overrides(), environment({**POD, "KUBECONFIG": str(file)}), service_account=account)
    assert found.server == "https://a.example.com"


def test_without_a_token_file_there_is_no_pod(account: Path) -> None:
    (account / "token").unlink()
    with pytest.raises(KubeconfigError, match="neither KUBECONFIG nor HOME is set"):
        connect(Overrides(), environment(POD), service_account=account)
