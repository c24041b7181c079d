"""The same kubeconfig files, flags and variables give the same requests as kubectl's: server, credentials, impersonation, names.

kubectl and this tool ask for `/version`; three servers on loopback note who came, with which credentials.
"""

import io
import json
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from kubectl_dra.cluster.transport import Transport
from kubectl_dra.environment import Environment
from kubectl_dra.errors import DraError
from kubectl_dra.kubeconfig import Overrides, connect
from tests.cluster.proxying import proxy
from tests.peers import CERTIFICATES, Peer, Reply, Request, peer

VERSION = Reply(b'{"gitVersion": "v1.37.2"}')
CLUSTERS = """\
- {name: a, cluster: {server: "@A", certificate-authority: "@C/authority.crt"}}
- {name: b, cluster: {server: "@B", certificate-authority: "@C/authority.crt"}}
- {name: plain, cluster: {server: "@H"}}
- {name: insecure, cluster: {server: "@A", insecure-skip-tls-verify: true}}
- {name: torn, cluster: {server: "@A", insecure-skip-tls-verify: true, certificate-authority: "@C/authority.crt"}}
- {name: named, cluster: {server: "@A", certificate-authority: "@C/authority.crt", tls-server-name: api.example.com}}
- {name: misnamed, cluster: {server: "@A", certificate-authority: "@C/authority.crt", tls-server-name: nope.example.com}}
- {name: path, cluster: {server: "@A/k8s/clusters/x/", certificate-authority: "@C/authority.crt"}}
- {name: query, cluster: {server: "@A/k8s?x=1", certificate-authority: "@C/authority.crt"}}
- {name: no-server, cluster: {certificate-authority: "@C/authority.crt"}}
- {name: other-ca, cluster: {server: "@A", certificate-authority: "@C/other-authority.crt"}}
- {name: no-ca, cluster: {server: "@A"}}
- {name: bad-ca, cluster: {server: "@A", certificate-authority: "@C/README.md"}}
- {name: missing-ca, cluster: {server: "@A", certificate-authority: "@C/nothing"}}
- {name: leaf-ca, cluster: {server: "@A", certificate-authority: "@C/server.crt"}}
- {name: proxied, cluster: {server: "@A", certificate-authority: "@C/authority.crt", proxy-url: "@P"}}
- {name: proxied-by-tls, cluster: {server: "@A", certificate-authority: "@C/authority.crt", proxy-url: "@S"}}
- {name: proxied-by-tls-other-ca, cluster: {server: "@A", certificate-authority: "@C/other-authority.crt", proxy-url: "@S"}}
- {name: proxied-by-tls-no-ca, cluster: {server: "@A", proxy-url: "@S"}}
- {name: plain-proxied-by-tls, cluster: {server: "@H", proxy-url: "@S"}}
- {name: proxied-plain, cluster: {server: "@H", proxy-url: "@P"}}
- {name: ftp-proxied, cluster: {server: "@A", certificate-authority: "@C/authority.crt", proxy-url: "ftp://x"}}
"""
EXEC = "apiVersion: client.authentication.k8s.io/v1, command: ./plugin"
USERS = f"""\
- {{name: token, user: {{token: secret}}}}
- {{name: cert, user: {{client-certificate: "@C/alice.crt", client-key: "@C/alice.key"}}}}
- {{name: both, user: {{token: secret, client-certificate: "@C/alice.crt", client-key: "@C/alice.key"}}}}
- {{name: file, user: {{tokenFile: "token.txt"}}}}
- {{name: file-and-token, user: {{token: text, tokenFile: "token.txt"}}}}
- {{name: no-file, user: {{token: text, tokenFile: "nothing.txt"}}}}
- {{name: lost-file, user: {{tokenFile: "nothing.txt"}}}}
- {{name: basic, user: {{username: u, password: p}}}}
- {{name: basic-and-token, user: {{username: u, password: p, token: t}}}}
- {{name: as, user: {{token: secret, as: bob, as-groups: [g1, "g,2"], as-uid: "7", as-user-extra: {{scopes/x: [a, b], A_b: [c]}}}}}}
- {{name: as-groups, user: {{token: secret, as-groups: [g1]}}}}
- {{name: no-key, user: {{client-certificate: "@C/alice.crt"}}}}
- {{name: mismatch, user: {{client-certificate: "@C/alice.crt", client-key: "@C/bob.key"}}}}
- {{name: empty, user: {{}}}}
- {{name: nulls, user: {{token: null, client-certificate: null, as: null}}}}
- {{name: gcp, user: {{auth-provider: {{name: gcp, config: {{}}}}}}}}
- {{name: azure, user: {{auth-provider: {{name: azure}}}}}}
- {{name: other-provider, user: {{auth-provider: {{name: other}}}}}}
- {{name: exec, user: {{exec: {{{EXEC}, interactiveMode: IfAvailable, env: [{{name: MINE, value: own}}]}}}}}}
- {{name: exec-info, user: {{exec: {{{EXEC}, interactiveMode: Never, provideClusterInfo: true}}}}}}
- {{name: exec-and-token, user: {{token: own, exec: {{{EXEC}, interactiveMode: Never}}}}}}
- {{name: exec-no-mode, user: {{exec: {{{EXEC}}}}}}}
- {{name: exec-always, user: {{exec: {{{EXEC}, interactiveMode: Always}}}}}}
- {{name: exec-beta, user: {{exec: {{apiVersion: client.authentication.k8s.io/v1beta1, command: ./plugin-beta}}}}}}
- {{name: exec-alpha, user: {{exec: {{apiVersion: client.authentication.k8s.io/v1alpha1, command: ./plugin}}}}}}
- {{name: exec-fails, user: {{exec: {{{EXEC}, interactiveMode: Never, args: [fail]}}}}}}
- {{name: exec-missing, user: {{exec: {{apiVersion: client.authentication.k8s.io/v1, command: no-such-plugin, interactiveMode: Never}}}}}}
- {{name: exec-not-here, user: {{exec: {{apiVersion: client.authentication.k8s.io/v1, command: plugin, interactiveMode: Never}}}}}}
"""
CONTEXTS = """\
- {name: one, context: {cluster: a, user: token}}
- {name: two, context: {cluster: b, user: cert, namespace: team}}
- {name: no-user, context: {cluster: a}}
- {name: bad-user, context: {cluster: a, user: nobody}}
- {name: bad-cluster, context: {cluster: nowhere, user: token}}
- {name: plain, context: {cluster: plain, user: both}}
- {name: named, context: {cluster: named, user: token}}
"""
BASE = f"apiVersion: v1\nkind: Config\ncurrent-context: one\nclusters:\n{CLUSTERS}users:\n{USERS}contexts:\n{CONTEXTS}"

PLUGIN = """\
#!/bin/sh
[ "$1" != fail ] || exit 3
printf '%s' "$KUBERNETES_EXEC_INFO" > info.json
echo '{"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/@V", "status": {"token": "from-plugin-'"$MINE"'"}}'
"""

FLAGS = {
    "as_": "as",
    "as_groups": "as-group",
    "as_user_extra": "as-user-extra",
}


@dataclass(frozen=True)
class Came:
    """One request, as far as it must be the same."""

    server: str
    path: str
    authorization: tuple[str, ...]
    impersonation: tuple[tuple[str, str], ...]
    client: str
    server_name: str


def came(server: str, request: Request) -> Came:
    acting = sorted(header for header in request.headers if header[0].startswith("impersonate"))
    path = request.path.partition("?")[0]  # kubectl tells the server the timeout, too
    return Came(server, path, request.all("authorization"), tuple(acting), request.client, request.server_name)


@dataclass
class Ground:
    """A folder with files, servers under way, and both tools to ask them."""

    bed: Path
    folder: Path
    servers: Mapping[str, Peer]
    words: Mapping[str, str]

    def filled(self, text: str) -> str:
        for word, meaning in self.words.items():
            text = text.replace(word, meaning)
        return text

    def write(self, **files: str) -> str:
        """Write the files and give the value of KUBECONFIG that lists them."""
        for name, text in files.items():
            (self.folder / name).write_text(self.filled(text), encoding="utf-8")
        return os.pathsep.join(str(self.folder / name) for name in files)

    def seen(self) -> list[Came]:
        found = [came(name, request) for name, server in self.servers.items() for request in server.requests]
        for server in self.servers.values():
            server.requests.clear()
        return found

    def kubectl(self, overrides: Overrides, variables: Mapping[str, str]) -> tuple[list[Came], bool]:
        command: list[str | Path] = [self.bed, "kubectl", *arguments(overrides), "get", "--raw", "/version"]
        ran = subprocess.run(
            command, env=dict(variables), cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60
        )
        return self.seen(), ran.returncode == 0

    def ours(self, overrides: Overrides, variables: Mapping[str, str]) -> tuple[list[Came], bool]:
        run = Environment(io.StringIO(), io.StringIO(), io.StringIO(), variables)
        try:
            with Transport(connect(overrides, run), run) as client:
                client.get("/version")
        except DraError:
            return self.seen(), False
        return self.seen(), True

    def same(self, overrides: Overrides, **variables: str) -> tuple[list[Came], bool]:
        """What both tools did: the requests that came, and whether it went well. Fails when they differ."""
        given = {"HOME": str(self.folder), "PATH": os.environ["PATH"], **{name: self.filled(value) for name, value in variables.items()}}
        filled = replace(
            overrides,
            kubeconfig=self.filled(overrides.kubeconfig),
            server=self.filled(overrides.server),
            certificate_authority=self.filled(overrides.certificate_authority),
            client_certificate=self.filled(overrides.client_certificate),
            client_key=self.filled(overrides.client_key),
        )
        theirs = self.kubectl(filled, given)
        assert self.ours(filled, given) == theirs
        return theirs


def arguments(overrides: Overrides) -> Iterator[str]:
    """The overrides as kubectl's command line."""
    default = Overrides()
    for name in Overrides.__dataclass_fields__:
        value = getattr(overrides, name)
        if value == getattr(default, name):
            continue
        flag = FLAGS.get(name, name.replace("_", "-"))
        for one in value if isinstance(value, tuple) else (value,):
            yield f"--{flag}={str(one).lower() if isinstance(one, bool) else one}"


@pytest.fixture
def ground(bed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ground]:
    monkeypatch.chdir(tmp_path)
    for name, version in (("plugin", "v1"), ("plugin-beta", "v1beta1")):
        (tmp_path / name).write_text(PLUGIN.replace("@V", version))
        (tmp_path / name).chmod(0o755)
    (tmp_path / "token.txt").write_text("from-file\n")
    with ExitStack() as stack:
        servers = {name: stack.enter_context(peer(VERSION, tls=tls)) for name, tls in (("A", "server"), ("B", "server"), ("H", ""))}
        between, secure = stack.enter_context(proxy()), stack.enter_context(proxy(tls="server"))
        words = {f"@{name}": server.url for name, server in servers.items()}
        yield Ground(bed, tmp_path, servers, {**words, "@C": str(CERTIFICATES), "@P": between.url, "@S": secure.url, "@D": str(tmp_path)})


NAMES = [line.split("name: ")[1].partition(",")[0] for line in (CLUSTERS + USERS + CONTEXTS).splitlines()]
COUNT = (CLUSTERS.count("\n"), USERS.count("\n"))


@pytest.mark.parametrize("name", [*NAMES[: COUNT[0]], "nope"])
def test_cluster(ground: Ground, name: str) -> None:
    ground.same(Overrides(cluster=name), KUBECONFIG=ground.write(config=BASE))


@pytest.mark.parametrize("name", [*NAMES[COUNT[0] : sum(COUNT)], "nope"])
def test_user(ground: Ground, name: str) -> None:
    ground.same(Overrides(user=name), KUBECONFIG=ground.write(config=BASE))


@pytest.mark.parametrize("name", [*NAMES[sum(COUNT) :], "nope"])
def test_context(ground: Ground, name: str) -> None:
    ground.same(Overrides(context=name), KUBECONFIG=ground.write(config=BASE))


@pytest.mark.parametrize("name", ["cert", "both", "file", "file-and-token", "basic", "as", "gcp", "exec"])
def test_token_flag_over_each_kind_of_user(ground: Ground, name: str) -> None:
    ground.same(Overrides(user=name, token="flag"), KUBECONFIG=ground.write(config=BASE))


@pytest.mark.parametrize(
    "overrides",
    [
        Overrides(server="@B"),
        Overrides(server="@B", context="named"),
        Overrides(server="@B", context="named", tls_server_name="api.example.com"),
        Overrides(server="@B", context="bad-cluster"),
        Overrides(server="@A/"),
        Overrides(server="@A//"),
        Overrides(server="127.0.0.1/x"),
        Overrides(server="ftp://x"),
        Overrides(server="https://"),
        Overrides(server="https://127.0.0.1:port"),
        Overrides(tls_server_name="api.example.com"),
        Overrides(tls_server_name="nope.example.com"),
        Overrides(token="flag", context="bad-user"),
        Overrides(insecure_skip_tls_verify=True),
        Overrides(insecure_skip_tls_verify=True, cluster="other-ca"),
        Overrides(insecure_skip_tls_verify=False, cluster="insecure"),
        Overrides(certificate_authority="@C/authority.crt", cluster="insecure"),
        Overrides(certificate_authority="@C/authority.crt", insecure_skip_tls_verify=True),
        Overrides(certificate_authority="@C/other-authority.crt"),
        Overrides(client_certificate="@C/bob.crt", client_key="@C/bob.key"),
        Overrides(client_certificate="@C/bob.crt", client_key="@C/bob.key", user="cert"),
        Overrides(client_certificate="@C/bob.crt"),
        Overrides(as_="eve", as_groups=("x", "y"), as_uid="9", as_user_extra=("k=v", "k=w", "j=a=b")),
        Overrides(as_="eve", user="as"),
        Overrides(as_="m\u00fc \u540d", as_groups=("\u540d",)),
        Overrides(as_groups=("z",), user="as"),
        Overrides(as_user_extra=("A_b=z",), user="as"),
        Overrides(as_groups=("z",)),
        Overrides(as_="eve", context="plain"),
        Overrides(kubeconfig="other"),
        Overrides(kubeconfig="nothing"),
        Overrides(kubeconfig="@D"),
        Overrides(kubeconfig="other:other"),
        *(Overrides(request_timeout=text) for text in ("0", "30", "1m30s", "-5", "-5s", "x", "", ".5h", "1.5s", "1e3s", "10 s", "1d")),
    ],
    ids=lambda overrides: " ".join(arguments(overrides)),
)
def test_flags(ground: Ground, overrides: Overrides) -> None:
    ground.write(other=BASE.replace("current-context: one", "current-context: two"))
    ground.same(overrides, KUBECONFIG=ground.write(config=BASE))


ONE = """\
clusters: [{name: a, cluster: {server: "@A", certificate-authority: "@C/authority.crt"}}]
users: [{name: u, user: {token: first}}]
contexts: [{name: c, context: {cluster: a, user: u}}, {name: d, context: {cluster: a, user: v}}]
"""
TWO = """\
clusters: [{name: a, cluster: {server: "@B", certificate-authority: "@C/authority.crt", tls-server-name: api.example.com}}]
users: [{name: u, user: {token: second, as: bob}}, {name: v, user: {token: other}}]
contexts: [{name: c, context: {cluster: a, user: u}}, {name: d, context: {cluster: a, user: u}}]
"""
FIRST, SECOND = f"current-context: c\n{ONE}", f"current-context: d\n{TWO}"


def test_e71_the_first_current_context_wins(ground: Ground) -> None:
    requests, fine = ground.same(Overrides(), KUBECONFIG=ground.write(one=FIRST, two=SECOND))
    assert fine and [(one.server, one.authorization) for one in requests] == [("A", ("Bearer first",))]
    requests, fine = ground.same(Overrides(), KUBECONFIG=ground.write(two=SECOND, one=FIRST))
    assert fine and [(one.server, one.authorization) for one in requests] == [("B", ("Bearer second",))]


@pytest.mark.parametrize(
    "files",
    [
        {"one": ONE, "two": SECOND},
        {"one": f"current-context: lost\n{ONE}", "two": SECOND},
        {"empty": "", "one": FIRST},
        {"comment": "# nothing\n", "one": FIRST},
        {"blank": "  \n\n", "one": FIRST},
        {"null": "null", "one": FIRST},
        {"list": "[1]", "one": FIRST},
        {"text": "hello", "one": FIRST},
        {"one": FIRST, "broken": "a: [b"},
        {"pod": "apiVersion: v1\nkind: Pod", "one": FIRST},
        {"v2": "apiVersion: v2\nkind: Config", "one": FIRST},
        {"kind": "kind: Config", "one": FIRST},
        {"twice": FIRST.replace("users: [", "users: [{name: u, user: {token: zero}}, ")},
        {"documents": f"{FIRST}---\ncurrent-context: d\n"},
        {"key-twice": f"current-context: d\n{FIRST}"},
        {"mark": f"\ufeff{FIRST}"},
        {"number": FIRST.replace("token: first", "token: 123")},
        {"date": FIRST.replace("token: first", "token: 2020-01-01")},
        {"bool": FIRST.replace("token: first", "token: yes")},
        {"tilde": FIRST.replace("token: first", "token: ~")},
        {"null-entry": FIRST.replace("users: [", "users: [null, ")},
        {"null-users": FIRST.replace("[{name: u, user: {token: first}}]", "null")},
        {"line-break": FIRST.replace("token: first", 'token: "first\\n"')},
        {"unknown": FIRST.replace("token: first", "token: first, new: {a: 1}")},
        {"letters": FIRST.replace("current-context", "Current-Context")},
        {"act-as": FIRST.replace("token: first", "token: first, act-as: x")},
        {"json": json.dumps({"current-context": "c", "clusters": [{"name": "a", "cluster": {"server": "@H"}}],
                             "contexts": [{"name": "c", "context": {"cluster": "a"}}]}, indent="\t")},
        {"bad-base64": FIRST.replace('certificate-authority: "@C/authority.crt"', 'certificate-authority-data: "????"')},
    ],
    ids=lambda files: "+".join(files),
)  # fmt: skip
def test_files(ground: Ground, files: Mapping[str, str]) -> None:
    ground.same(Overrides(), KUBECONFIG=ground.write(**files))


def test_files_that_are_not_there(ground: Ground) -> None:
    listed = os.pathsep.join(["", "nowhere", ground.write(one=FIRST), "nowhere"])
    assert ground.same(Overrides(), KUBECONFIG=listed)[1]
    assert not ground.same(Overrides(), KUBECONFIG="nowhere")[1]
    assert not ground.same(Overrides())[1]


def test_the_home_folder(ground: Ground) -> None:
    (ground.folder / ".kube").mkdir()
    ground.write(**{".kube/config": FIRST})
    assert ground.same(Overrides())[1]
    assert ground.same(Overrides(), KUBECONFIG="")[1]


def test_relative_paths(ground: Ground) -> None:
    (ground.folder / "x").mkdir()
    requests, fine = ground.same(
        Overrides(), KUBECONFIG=ground.write(**{"x/config": FIRST.replace("token: first", "tokenFile: ../token.txt")})
    )
    assert fine and requests[0].authorization == ("Bearer from-file",)
    plugin = f"exec: {{{EXEC.replace('./', '../')}, interactiveMode: Never}}"
    requests, fine = ground.same(Overrides(), KUBECONFIG=ground.write(**{"x/config": FIRST.replace("token: first", plugin)}))
    assert fine and requests[0].authorization == ("Bearer from-plugin-",)


def test_kubernetes_master(ground: Ground) -> None:
    assert ground.same(Overrides(), KUBERNETES_MASTER="@H")[1]
    assert ground.same(Overrides(cluster="no-server"), KUBECONFIG=ground.write(config=BASE), KUBERNETES_MASTER="@A")[1]
    assert ground.same(Overrides(server="@H"))[1]


@pytest.mark.parametrize(
    "variables",
    [
        {"HTTPS_PROXY": "@P"},
        {"https_proxy": "@P"},
        {"HTTP_PROXY": "@P"},
        {"HTTPS_PROXY": "@P", "NO_PROXY": "api.example.com"},
        {"HTTPS_PROXY": "@P", "NO_PROXY": "example.com"},
        {"HTTPS_PROXY": "@P", "NO_PROXY": "other.com"},
        {"HTTPS_PROXY": "@P", "no_proxy": "*"},
    ],
    ids=lambda variables: " ".join(f"{name}={value}" for name, value in variables.items()),
)
def test_e75_proxies_of_the_environment(ground: Ground, variables: Mapping[str, str]) -> None:
    """The name is one that only the proxy can find: going there straight fails, in both tools."""
    server = f"https://api.example.com:{ground.servers['A'].port}"
    ground.same(Overrides(server=server, request_timeout="5s"), KUBECONFIG=ground.write(config=BASE), **variables)


def test_what_a_plugin_is_told(ground: Ground) -> None:
    """KUBERNETES_EXEC_INFO, word for word."""
    told: list[object] = []
    config = ground.write(config=BASE.replace("tls-server-name: api.example.com", _EXTENSION))
    given = {"HOME": str(ground.folder), "PATH": os.environ["PATH"], "KUBECONFIG": config}
    tools: tuple[Callable[[Overrides, Mapping[str, str]], object], ...] = (ground.kubectl, ground.ours)
    for user in ("exec", "exec-info", "exec-beta"):
        for tool in tools:
            tool(Overrides(user=user, cluster="named"), given)
            told.append(json.loads((ground.folder / "info.json").read_text()))
            (ground.folder / "info.json").unlink()
    assert told[0] == told[1]
    assert told[2] == told[3]
    assert told[4] == told[5]


_EXTENSION = (
    "tls-server-name: api.example.com, "
    "extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: x}}, {name: other, extension: {a: 1}}]"
)
