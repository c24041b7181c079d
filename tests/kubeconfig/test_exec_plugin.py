"""Credentials from a program. The programs are real ones: small shell scripts."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kubectl_dra.environment import Clock, Environment
from kubectl_dra.errors import KubeconfigError
from kubectl_dra.kubeconfig import Overrides, connect
from kubectl_dra.kubeconfig.credentials import Credential, Credentials
from tests.kubeconfig.no_web import no_web
from tests.kubeconfig.writing import Fields, Terminal, environment, kubeconfig, said, trusting
from tests.peers import certificate, key

V1 = "client.authentication.k8s.io/v1"
V1BETA1 = "client.authentication.k8s.io/v1beta1"


def answer(version: str = V1, **status: str) -> str:
    return json.dumps({"kind": "ExecCredential", "apiVersion": version, "status": status})


def script(folder: Path, body: str, name: str = "plugin") -> Path:
    """An executable in `folder` that notes each run in `runs` and its KUBERNETES_EXEC_INFO in `info`."""
    file = folder / name
    file.write_text(f'#!/bin/sh\necho run >> {folder}/runs\nprintf %s "$KUBERNETES_EXEC_INFO" > {folder}/info\n{body}\n')
    file.chmod(0o755)
    return file


def printing(text: str) -> str:
    return f"cat <<'END'\n{text}\nEND"


def runs(folder: Path) -> int:
    return len((folder / "runs").read_text().splitlines())


def source(folder: Path, run: Environment | None = None, cluster: Fields | None = None, **fields: object) -> Credentials:
    plugin = {"apiVersion": V1, "command": "./plugin", "interactiveMode": "IfAvailable", **fields}
    file = kubeconfig(
        folder / "config",
        clusters={"a": trusting("https://a.example.com", **(cluster or {}))},
        users={"u": {"exec": plugin}},
    )
    return connect(Overrides(kubeconfig=str(file)), run or environment({"PATH": os.environ["PATH"]})).credentials


def failure(folder: Path, run: Environment | None = None, **fields: object) -> KubeconfigError:
    with pytest.raises(KubeconfigError) as caught:
        source(folder, run, None, **fields).get(no_web)
    assert caught.value.status == 3
    return caught.value


def test_a_token(tmp_path: Path) -> None:
    script(tmp_path, printing(answer(token="secret")))
    found = source(tmp_path)
    assert found.get(no_web) == found.get(no_web) == Credential(token="secret")
    assert runs(tmp_path) == 1


def test_a_client_certificate(tmp_path: Path) -> None:
    pair = {"clientCertificateData": Path(certificate("alice")).read_text(), "clientKeyData": Path(key("alice")).read_text()}
    script(tmp_path, printing(answer(**pair)))
    shown = source(tmp_path).get(no_web).certificate
    assert shown is not None and shown.key == Path(key("alice")).read_bytes()


def test_v1beta1_needs_no_interactive_mode(tmp_path: Path) -> None:
    script(tmp_path, printing(answer(V1BETA1, token="secret")))
    assert source(tmp_path, apiVersion=V1BETA1, interactiveMode="").get(no_web).token == "secret"


def test_arguments_and_variables(tmp_path: Path) -> None:
    script(tmp_path, f"echo '{answer(token='@')}' | sed \"s/@/$1-$MINE-$HOME/\"")
    run = environment({"PATH": os.environ["PATH"], "HOME": "home", "MINE": "outer"})
    assert source(tmp_path, run, args=["one"], env=[{"name": "MINE", "value": "own"}]).get(no_web).token == "one-own-home"


def test_a_bare_name_is_looked_up_in_path(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    script(tmp_path / "bin", printing(answer(token="secret")), "my-login")
    assert source(tmp_path, environment({"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}), command="my-login").get(no_web).token == "secret"


def test_what_the_plugin_is_told(tmp_path: Path) -> None:
    script(tmp_path, printing(answer(token="secret")))
    source(tmp_path).get(no_web)
    assert json.loads((tmp_path / "info").read_text()) == {"kind": "ExecCredential", "apiVersion": V1, "spec": {"interactive": False}}


def test_e75_provide_cluster_info(tmp_path: Path) -> None:
    script(tmp_path, printing(answer(token="secret")))
    extensions = [{"name": "client.authentication.k8s.io/exec", "extension": {"audience": "x", "empty": None}}]
    cluster: dict[str, object] = {"tls-server-name": "n", "proxy-url": "http://p:1", "extensions": extensions}
    source(tmp_path, None, cluster, provideClusterInfo=True).get(no_web)
    told = json.loads((tmp_path / "info").read_text())["spec"]["cluster"]
    assert told.pop("certificate-authority-data").startswith("LS0t")
    assert told == {
        "server": "https://a.example.com",
        "tls-server-name": "n",
        "proxy-url": "http://p:1",
        "config": {"audience": "x", "empty": None},
    }


def test_e73_a_plugin_that_is_not_there(tmp_path: Path) -> None:
    error = failure(tmp_path, command="aws-login", installHint="brew install \x1b[1maws-login")
    assert error.message == 'exec plugin "aws-login" of user "u" is not installed (not found, or not executable)'
    assert error.hint == "brew install [1maws-login"


def test_e73_a_plugin_that_fails(tmp_path: Path) -> None:
    script(tmp_path, "echo 'first line' >&2; echo 'token expired, run: my login' >&2; exit 7")
    run = environment({"PATH": os.environ["PATH"]})
    error = failure(tmp_path, run)
    assert error.message == f'exec plugin "{tmp_path}/plugin" of user "u" failed with exit status 7: token expired, run: my login'
    assert said(run) == "first line\ntoken expired, run: my login\n"


def test_e73_a_plugin_that_dies(tmp_path: Path) -> None:
    script(tmp_path, "kill -9 $$")
    assert failure(tmp_path).message == f'exec plugin "{tmp_path}/plugin" of user "u" was ended by signal 9'


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("", "{} did not print an ExecCredential"),
        ("hello", "{} did not print an ExecCredential"),
        ('{"kind": "Pod"}', "{} did not print an ExecCredential"),
        ("{", "the output of {} is neither YAML nor JSON: did not find expected node content in line 2"),
        (answer(), "{} gave neither a token nor a client certificate"),
        (answer(clientKeyData="k"), "{} gave a client certificate without its key, or a key alone"),
        (answer(V1BETA1, token="t"), '{} answers in "' + V1BETA1 + '", but the kubeconfig says "' + V1 + '"'),
        (answer(token="t", expirationTimestamp="soon"), "{} gave an expirationTimestamp that is not a time with a zone"),
    ],
)
def test_e73_a_plugin_that_answers_nonsense(tmp_path: Path, output: str, message: str) -> None:
    script(tmp_path, printing(output))
    assert failure(tmp_path).message == message.format(f'exec plugin "{tmp_path}/plugin" of user "u"')


def test_an_answer_in_yaml(tmp_path: Path) -> None:
    script(tmp_path, printing(f"kind: ExecCredential\napiVersion: {V1}\nstatus: {{token: secret, expirationTimestamp: null}}"))
    assert source(tmp_path).get(no_web).token == "secret"


def test_an_expired_credential_is_fetched_again(tmp_path: Path) -> None:
    now = [datetime(2026, 1, 1, tzinfo=UTC)]
    run = environment({"PATH": os.environ["PATH"]}, clock=Clock(now=lambda: now[0]))
    script(tmp_path, printing(answer(token="secret", expirationTimestamp="2026-01-01T01:00:00Z")))
    found = source(tmp_path, run)
    found.get(no_web)
    now[0] = datetime(2026, 1, 1, 0, 59, tzinfo=UTC)
    found.get(no_web)
    assert runs(tmp_path) == 1
    now[0] = datetime(2026, 1, 1, 1, 1, tzinfo=UTC)
    found.get(no_web)
    assert runs(tmp_path) == 2


def test_a_refused_credential_is_fetched_once_for_all_threads(tmp_path: Path) -> None:
    script(tmp_path, printing(answer(token="secret")))
    found = source(tmp_path)
    refused = found.get(no_web)
    found.renewed(refused, no_web)
    found.renewed(refused, no_web)
    assert runs(tmp_path) == 2


def test_e76_standard_input_decides_about_questions(tmp_path: Path) -> None:
    error = failure(tmp_path, environment(), interactiveMode="Always")
    assert error.message == (f'exec plugin "{tmp_path}/plugin" of user "u" needs a terminal as standard input (interactiveMode: Always)')


def test_e76_never_gives_no_standard_input_even_on_a_terminal(tmp_path: Path) -> None:
    script(tmp_path, f"read line; {printing(answer(token='secret'))}")
    run = environment({"PATH": os.environ["PATH"]}, stdin=Terminal("typed\n"))
    assert source(tmp_path, run, interactiveMode="Never").get(no_web).token == "secret"
    assert json.loads((tmp_path / "info").read_text())["spec"]["interactive"] is False


def test_e76_a_terminal_is_handed_through(tmp_path: Path) -> None:
    main, terminal = os.openpty()
    os.write(main, b"typed\n")
    with os.fdopen(terminal, encoding="utf-8") as stdin:
        run = Environment(stdin, environment().stdout, environment().stderr, {"PATH": os.environ["PATH"]})
        script(tmp_path, f"read line; echo '{answer(token='@')}' | sed \"s/@/$line/\"")
        assert source(tmp_path, run).get(no_web).token == "typed"
    os.close(main)
    assert json.loads((tmp_path / "info").read_text())["spec"]["interactive"] is True


@pytest.mark.parametrize("other", [{"token": "own"}, {"client-certificate": certificate("alice"), "client-key": key("alice")}])
def test_a_plugin_is_not_run_when_something_else_says_who_one_is(tmp_path: Path, other: dict[str, str]) -> None:
    script(tmp_path, "exit 1")
    plugin = {"apiVersion": V1, "command": "./plugin", "interactiveMode": "Never"}
    file = kubeconfig(tmp_path / "config", users={"u": {"exec": plugin, **other}})
    connect(Overrides(kubeconfig=str(file)), environment()).credentials.get(no_web)
    assert not (tmp_path / "runs").exists()


def test_connecting_runs_nothing(tmp_path: Path) -> None:
    script(tmp_path, "exit 1")
    source(tmp_path)
    assert not (tmp_path / "runs").exists()
