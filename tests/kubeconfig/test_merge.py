"""Several files in KUBECONFIG."""

from pathlib import Path

from kubectl_dra.kubeconfig import Connection, Overrides, connect
from tests.kubeconfig.no_web import no_web
from tests.kubeconfig.writing import environment, kubeconfig


def connected(*files: Path, overrides: Overrides | None = None) -> Connection:
    return connect(overrides or Overrides(), environment({"KUBECONFIG": ":".join(map(str, files))}))


def test_e71_the_first_current_context_wins(tmp_path: Path) -> None:
    first = kubeconfig(tmp_path / "1", contexts={"one": {"cluster": "a", "user": "u"}}, current="one")
    second = kubeconfig(tmp_path / "2", contexts={"two": {"cluster": "a", "user": "u"}}, current="two")
    assert connected(first, second).context == "one"
    assert connected(second, first).context == "two"


def test_a_later_file_gives_the_current_context_if_the_first_has_none(tmp_path: Path) -> None:
    first = kubeconfig(tmp_path / "1", current="")
    second = kubeconfig(tmp_path / "2", contexts={"two": {"cluster": "a", "user": "u"}}, current="two")
    assert connected(first, second).context == "two"


def test_an_entry_comes_whole_from_the_first_file_that_has_it(tmp_path: Path) -> None:
    first = kubeconfig(tmp_path / "1")
    second = kubeconfig(
        tmp_path / "2",
        clusters={"a": {"server": "https://second.example.com", "tls-server-name": "second"}},
        users={"u": {"token": "of the second", "as": "somebody"}, "v": {"token": "v"}},
        contexts={"c": {"cluster": "a", "user": "v", "namespace": "second"}},
    )
    made = connected(first, second)
    assert (made.server, made.trust.server_name, made.impersonation, made.namespace) == ("https://a.example.com", "", None, "default")
    assert made.credentials.get(no_web).token == "secret"


def test_a_context_may_take_its_cluster_and_user_from_other_files(tmp_path: Path) -> None:
    contexts = kubeconfig(tmp_path / "1", clusters={}, users={})
    clusters = kubeconfig(tmp_path / "2", users={}, contexts={}, current="")
    users = kubeconfig(tmp_path / "3", clusters={}, contexts={}, current="")
    made = connected(contexts, clusters, users)
    assert (made.server, made.user) == ("https://a.example.com", "u")
