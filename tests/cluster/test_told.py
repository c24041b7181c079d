"""What a person sees of a connection that fails: one line and the next step on stderr, the right status, nothing on stdout."""

from pathlib import Path

import pytest

from tests.kubeconfig.writing import kubeconfig, trusting
from tests.peers import Reply, peer
from tests.run import Result, kubectl_dra

STATUS = b'{"kind": "Status", "status": "Failure", "code": %d, "reason": "%s", "message": "%s"}'
COMMANDS = ("snapshot", "audit")


def to(folder: Path, server: str, command: str, *flags: str, **user: object) -> Result:
    file = kubeconfig(folder / "config", clusters={"a": trusting(server)}, users={"u": user or {"token": "top-secret"}})
    result = kubectl_dra(command, "--kubeconfig", str(file), *flags)
    assert "top-secret" not in result.stderr
    return result


@pytest.mark.parametrize("command", COMMANDS)
class TestOneLine:
    def test_no_kubeconfig(self, command: str) -> None:
        assert kubectl_dra(command, variables={"HOME": "/nowhere"}) == Result(
            3,
            "",
            "error: there is no kubeconfig: looked for /nowhere/.kube/config\n"
            "set KUBECONFIG, or give --kubeconfig FILE, --server URL, --from FILE for a snapshot, or --demo for the example\n",
        )

    def test_unknown_context(self, command: str, tmp_path: Path) -> None:
        file = kubeconfig(tmp_path / "config")
        assert kubectl_dra(command, "--kubeconfig", str(file), "--context", "nope") == Result(
            3, "", f'error: context "nope" does not exist in {file}\ncontexts there: c\n'
        )

    def test_server_down(self, command: str, tmp_path: Path) -> None:
        with peer(Reply()) as server:
            pass
        assert to(tmp_path, server.url, command) == Result(
            3,
            "",
            f"error: 127.0.0.1:{server.port} refuses the connection: nothing listens there\n"
            'check the server of cluster "a" in the kubeconfig; does the API server run?\n',
        )

    def test_not_kubernetes(self, command: str, tmp_path: Path) -> None:
        with peer(Reply(b"<html>", headers={"Content-Type": "text/html"})) as server:
            result = to(tmp_path, server.url, command)
        assert result == Result(
            3,
            "",
            f"error: 127.0.0.1:{server.port} is not a Kubernetes API server: it answers 200 OK with a web page\n"
            "check the server's URL: a login page or another service may stand in front of it\n",
        )

    def test_expired_certificate(self, command: str, tmp_path: Path) -> None:
        with peer(Reply(), tls="expired") as server:
            result = to(tmp_path, server.url, command)
        assert result == Result(
            3,
            "",
            f"error: the certificate of 127.0.0.1:{server.port} has expired\n"
            "renew it on the server (kubeadm certs check-expiration)\n",
        )  # fmt: skip

    def test_403_on_everything(self, command: str, tmp_path: Path) -> None:
        with peer(Reply(STATUS % (403, b"Forbidden", b"forbidden: User cannot get path /version"), 403)) as server:
            result = to(tmp_path, server.url, command)
        assert result == Result(
            3,
            "",
            "error: GET /version: forbidden: User cannot get path /version\nkubectl dra rbac prints the role that allows it\n",
        )

    def test_401(self, command: str, tmp_path: Path) -> None:
        with peer(Reply(STATUS % (401, b"Unauthorized", b"Unauthorized"), 401), tls="server") as server:
            result = to(tmp_path, server.url, command)
        assert result == Result(
            3,
            "",
            f'error: 127.0.0.1:{server.port} does not accept the credentials of user "u" (401 Unauthorized)\n'
            "they may have expired, or belong to another cluster: log in again\n",
        )

    def test_a_timeout_that_is_none(self, command: str, tmp_path: Path) -> None:
        result = to(tmp_path, "https://127.0.0.1:1", command, "--request-timeout", "soon")
        assert (result.code, result.stderr.splitlines()[0]) == (2, 'error: "soon" is not a timeout for --request-timeout')

    def test_exec_plugin_that_fails(self, command: str, tmp_path: Path) -> None:
        plugin = {"apiVersion": "client.authentication.k8s.io/v1", "command": "false", "interactiveMode": "Never"}
        file = kubeconfig(tmp_path / "config", clusters={"a": trusting("https://127.0.0.1:1")}, users={"u": {"exec": plugin}})
        result = kubectl_dra(command, "--kubeconfig", str(file), variables={"PATH": "/usr/bin:/bin"})
        assert result == Result(
            3, "", 'error: exec plugin "false" of user "u" failed with exit status 1\nrun it by hand, or log in again\n'
        )
