"""Every spelling of a shared flag means to this tool what it means to kubectl: what kubectl asks of a real API server is compared
with what the same words make of this tool's connection.
"""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

import pytest

from kubectl_dra.kubeconfig import connect
from tests.bed.cluster import Cluster
from tests.bed.process import BedError
from tests.bed.proxy import FaultProxy, Passed
from tests.cli.probe import call, said
from tests.run import kubectl_dra


class Asked(NamedTuple):
    """What a command line asks for: namespace (empty is all), labels, as whom, the context's server, the limit in seconds."""

    namespace: str
    labels: str
    user: str
    group: str
    there: bool
    timeout: str


@pytest.fixture
def two_contexts(cell: Cluster, proxy: Callable[..., FaultProxy], tmp_path: Path) -> tuple[Path, dict[str, FaultProxy]]:
    """A kubeconfig with the contexts `here` (current, no namespace) and `there` (namespace kube-system), a proxy before each."""
    proxies = {"here": proxy(cell), "there": proxy(cell)}
    configs = []
    for name, namespace in (("here", None), ("there", "kube-system")):
        path = cell.write_kubeconfig(tmp_path / name, server=proxies[name].url, namespace=namespace, context=name)
        configs.append(json.loads(path.read_text()))
    both = {**configs[0], **{kind: configs[0][kind] + configs[1][kind] for kind in ("clusters", "users", "contexts")}}
    path = tmp_path / "both"
    path.write_text(json.dumps(both))
    return path, proxies


# Flags behind the command, and in front of it: kubectl hears those that have a value of their own or are global there, too.
BEHIND = [
    "-n foo",
    "-n=foo",
    "-nfoo",
    "--namespace foo",
    "--namespace=foo",
    "-n bar -n foo",
    "--namespace=",
    "-n=",
    "-A",
    "-A=true",
    "-A=false",
    "-A=0 -n foo",
    "-n foo -A",
    "-A -n foo",
    "-An foo",
    "-Anfoo",
    "-An=foo",
    "--all-namespaces",
    "--all-namespaces=true",
    "--all-namespaces=T",
    "--all-namespaces=false",
    "--all-namespaces --all-namespaces=false",
    "--all_namespaces",
    "-l a=b",
    "-l=a=b",
    "-la=b",
    "--selector a=b",
    "--selector=a=b,c!=d",
    "--selector==",
    "--as someone",
    "--as=someone",
    "--as=someone --as-group=some",
    "--as someone --as_group some",
    "--as someone --as-group other --as-group some",
    "--context there",
    "--context=there",
    "--context=here --context=there",
    "--context there -n foo",
    "--cluster there",
    "--user=there",
    "--request-timeout=5",
    "--request-timeout=5s",
    "--request-timeout 1m5s",
    "--request-timeout=0",
    "-v 0",
    "-v=0",
    "-v0",
    "--v=0",
]
BEFORE = ["-n foo", "-n=foo", "-nfoo", "--namespace foo", "--namespace=foo", "--context there", "--context=there", "--as=someone", "-v=0"]
WRONG = [
    "--foo",
    "--foo=bar",
    "--name x",
    "--names=x",
    "-z",
    "-Az",
    "-A=",
    "-A5",
    "-n",
    "-An",
    "--namespace",
    "---x",
    "--=x",
]


def by_kubectl(cell: Cluster, kubeconfig: Path, proxies: dict[str, FaultProxy], words: list[str]) -> Asked:
    """What kubectl asked the servers for; pods are what it was after."""
    marks = {name: len(one.requests) for name, one in proxies.items()}
    with suppress(BedError):  # what the server refuses was asked for all the same
        cell.kubectl("--kubeconfig", str(kubeconfig), *words)
    asked = {
        name: [seen for seen in one.requests[marks[name] :] if seen.path.partition("?")[0].endswith("/pods")]
        for name, one in proxies.items()
    }
    (where, request), *more = [(name, request) for name, requests in asked.items() for request in requests]
    assert not more
    return _asked(request, where == "there")


def _asked(request: Passed, there: bool) -> Asked:
    url = urlsplit(request.path)
    parts = url.path.split("/")
    query = {name: values[0] for name, values in parse_qs(url.query, keep_blank_values=True).items()}
    return Asked(
        namespace=parts[4] if parts[3] == "namespaces" else "",
        labels=query.get("labelSelector", ""),
        user=request.headers.get("Impersonate-User", ""),
        group=request.headers.get("Impersonate-Group", ""),
        there=there,
        timeout=query.get("timeout", ""),
    )


def by_us(kubeconfig: Path, proxies: dict[str, FaultProxy], words: list[str]) -> Asked:
    """What the same words make of a connection. Without -n, kubectl takes the context's namespace where this tool takes all."""
    run = said("--kubeconfig", str(kubeconfig), *words)
    connection = connect(run.overrides(), run.environment)
    acting = connection.impersonation
    seconds = connection.timeout
    return Asked(
        namespace="" if run.all_namespaces else connection.namespace or "default",
        labels=run.selector,
        user=acting.user if acting else "",
        group=acting.groups[-1] if acting and acting.groups else "",
        there=connection.server == proxies["there"].url,
        timeout=_go_duration(seconds) if seconds else "",
    )


def _go_duration(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}m{rest}s" if minutes else f"{rest}s"


def test_spellings_mean_what_they_mean_to_kubectl(cell: Cluster, two_contexts: tuple[Path, dict[str, FaultProxy]]) -> None:
    kubeconfig, proxies = two_contexts
    lines = [(["get", "pods", *words.split(" ")], ["probe", *words.split(" ")]) for words in BEHIND]
    lines += [([*words.split(" "), "get", "pods"], [*words.split(" "), "probe"]) for words in BEFORE]
    theirs = {" ".join(mine): by_kubectl(cell, kubeconfig, proxies, their) for their, mine in lines}
    ours = {" ".join(mine): by_us(kubeconfig, proxies, mine) for _, mine in lines}
    assert ours == theirs
    assert theirs["probe -n=foo"] == Asked("foo", "", "", "", there=False, timeout="")
    assert theirs["--context there probe"] == Asked("kube-system", "", "", "", there=True, timeout="")


def test_the_value_of_a_flag_may_be_a_flag_and_an_empty_one_counts(cell: Cluster, two_contexts: tuple[Path, dict[str, FaultProxy]]) -> None:
    kubeconfig, proxies = two_contexts
    for words in (["--as", "--as-group"], ["--as", "-A"], ["-n", ""], ["-n", "foo", "--as", ""]):
        assert by_us(kubeconfig, proxies, ["probe", *words]) == by_kubectl(cell, kubeconfig, proxies, ["get", "pods", *words])


def test_what_is_wrong_is_called_wrong_in_the_same_words(cell: Cluster) -> None:
    for words in WRONG:
        with pytest.raises(BedError) as failure:
            cell.kubectl("get", "pods", *words.split(" "))
        theirs = str(failure.value).partition(": ")[2].splitlines()
        ours = call("probe", *words.split(" ")).stderr.splitlines()
        assert ours[0].lower() == theirs[0].lower(), words
        assert ours[1] == theirs[1].replace("kubectl get", "kubectl dra probe"), words


def test_two_dashes_end_the_flags_for_both(cell: Cluster) -> None:
    with pytest.raises(BedError, match='pods "-A" not found'):
        cell.kubectl("get", "pods", "--", "-A")
    said("probe", "--", "-A")


def test_a_bare_dry_run_never_takes_the_next_word(cell: Cluster) -> None:
    told = cell.kubectl("create", "namespace", "--dry-run", "server", "-o", "name")
    assert told == "namespace/server\n"


def test_from_verbosity_6_on_requests_are_shown_without_the_token(cell: Cluster) -> None:
    kubeconfig = str(cell.kubeconfig)
    shown = kubectl_dra("version", "--with-server", "--kubeconfig", kubeconfig, "-v=6")
    assert shown.code == 0
    assert '"GET /version HTTP/1.1" 200' in shown.stderr
    assert cell.users["admin"].token not in shown.stderr
    assert kubectl_dra("version", "--with-server", "--kubeconfig", kubeconfig, "-v=5").stderr == ""


def test_version_tells_what_the_server_is(cell: Cluster) -> None:
    result = kubectl_dra("version", "--with-server", "--kubeconfig", str(cell.kubeconfig))
    assert result.stdout.splitlines()[1:] == ["Server Version: v1.37.2", "resource.k8s.io: v1"]
