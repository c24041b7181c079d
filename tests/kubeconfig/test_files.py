"""Which files are read, and what may stand in one."""

from pathlib import Path

import pytest

from kubectl_dra.errors import KubeconfigError
from kubectl_dra.kubeconfig import Overrides, connect
from tests.kubeconfig.no_web import no_web
from tests.kubeconfig.writing import environment, kubeconfig

YAML = """\
clusters: [{name: a, cluster: {server: "https://a.example.com"}}]
users: [{name: u, user: {token: secret}}]
contexts: [{name: c, context: {cluster: a, user: u}}]
current-context: c
"""


def server_of(folder: Path, **variables: str) -> str:
    return connect(Overrides(), environment({"HOME": str(folder), **variables})).server


def refusal(path: Path) -> KubeconfigError:
    with pytest.raises(KubeconfigError) as caught:
        connect(Overrides(kubeconfig=str(path)), environment())
    return caught.value


def test_the_flag_names_the_only_file(tmp_path: Path) -> None:
    kubeconfig(tmp_path / "flag", clusters={"a": {"server": "https://flag.example.com"}})
    kubeconfig(tmp_path / "listed")
    made = connect(Overrides(kubeconfig=str(tmp_path / "flag")), environment({"KUBECONFIG": str(tmp_path / "listed")}))
    assert made.server == "https://flag.example.com"


def test_a_file_of_the_flag_must_exist(tmp_path: Path) -> None:
    error = refusal(tmp_path / "nothing")
    assert error.message == f"the kubeconfig {tmp_path}/nothing does not exist"
    assert error.status == 3


def test_the_file_in_the_home_folder_is_the_last_resort(tmp_path: Path) -> None:
    (tmp_path / ".kube").mkdir()
    kubeconfig(tmp_path / ".kube" / "config")
    assert server_of(tmp_path) == "https://a.example.com"
    assert server_of(tmp_path, KUBECONFIG="") == "https://a.example.com"


def test_missing_and_empty_files_of_the_list_are_skipped(tmp_path: Path) -> None:
    for name, text in (("empty", ""), ("blank", " \n\n"), ("comment", "# nothing\n"), ("null", "null")):
        (tmp_path / name).write_text(text)
    kubeconfig(tmp_path / "last")
    listed = ":".join(["", *(str(tmp_path / name) for name in ("missing", "empty", "blank", "comment", "null", "last"))])
    assert server_of(tmp_path, KUBECONFIG=listed) == "https://a.example.com"


def test_no_file_at_all_is_said_with_the_places(tmp_path: Path) -> None:
    with pytest.raises(KubeconfigError) as caught:
        server_of(tmp_path)
    assert caught.value.message == f"there is no kubeconfig: looked for {tmp_path}/.kube/config"
    with pytest.raises(KubeconfigError, match="looked for /nowhere/a, /nowhere/b"):
        server_of(tmp_path, KUBECONFIG="/nowhere/a:/nowhere/b")
    with pytest.raises(KubeconfigError, match="neither KUBECONFIG nor HOME is set"):
        connect(Overrides(), environment())


def test_an_empty_file_says_that_it_has_no_cluster(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("")
    assert refusal(tmp_path / "empty").message == f"{tmp_path}/empty has no cluster"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [b\n", "the kubeconfig {} is neither YAML nor JSON: did not find expected ',' or ']' in line 2"),
        ("[1]", "{} is not a kubeconfig: Expected `object`, got `array`"),
        ("hello", "{} is not a kubeconfig: Expected `object`, got `str`"),
        ("kind: Pod\napiVersion: v1\n", "{} is not a kubeconfig: it holds a Pod of v1"),
        ("kind: Config\napiVersion: v2\n", "{} is not a kubeconfig: it holds a Config of v2"),
        ("users: [{name: u, user: {token: 5}}]", "{} is not a kubeconfig: Expected `str`, got `int` - at `$.users[0].user.token`"),
        ("users: [{name: u}, {name: u}]", 'the kubeconfig {} has two users named "u"'),
        ("clusters: [{name: a}, {name: a}]", 'the kubeconfig {} has two clusters named "a"'),
        ("contexts: [{name: c}, {name: c}]", 'the kubeconfig {} has two contexts named "c"'),
        ("\0\1", "the kubeconfig {} is neither YAML nor JSON: it holds characters that are not text"),
    ],
)
def test_a_file_that_is_no_kubeconfig(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "file").write_text(text)
    assert refusal(tmp_path / "file").message == message.format(tmp_path / "file")


def test_a_mistake_in_a_file_never_shows_its_content(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("users:\n- name: u\n  user: {token: top-secret\n")
    error = refusal(tmp_path / "file")
    assert "top-secret" not in error.message + error.hint + repr(error.__cause__)


def test_a_folder_cannot_be_read(tmp_path: Path) -> None:
    assert refusal(tmp_path).message == f"the kubeconfig {tmp_path} cannot be read: Is a directory"


def test_json_with_tabs_is_a_kubeconfig(tmp_path: Path) -> None:
    kubeconfig(tmp_path / "file")
    (tmp_path / "file").write_text((tmp_path / "file").read_text().replace("{", "{\n\t"))
    assert connect(Overrides(kubeconfig=str(tmp_path / "file")), environment()).server == "https://a.example.com"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("token: secret", "token: secret, as: null"),
        ("token: secret", "token: secret, somethingNew: {a: 1}"),
        ("clusters:", "preferences: null\nclusters:"),
        ("users: [", "users: [null, "),
        ("current-context: c\n", "current-context: d\ncurrent-context: c\n"),
        ("current-context: c\n", "current-context: c\n---\ncurrent-context: d\n"),
        ("clusters:", "\ufeffclusters:"),
    ],
)
def test_what_kubectl_overlooks_is_overlooked(tmp_path: Path, before: str, after: str) -> None:
    (tmp_path / "file").write_text(YAML.replace(before, after), encoding="utf-8")
    assert connect(Overrides(kubeconfig=str(tmp_path / "file")), environment()).server == "https://a.example.com"


def test_a_name_that_looks_like_a_date_is_text(tmp_path: Path) -> None:
    (tmp_path / "file").write_text(YAML.replace("name: c", "name: 2026-01-01").replace("current-context: c", "current-context: 2026-01-01"))
    assert connect(Overrides(kubeconfig=str(tmp_path / "file")), environment()).context == "2026-01-01"


def test_relative_paths_are_relative_to_their_own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("x", "y"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "token").write_text(f"token of {name}\n")
    kubeconfig(tmp_path / "x" / "config", users={"ux": {"tokenFile": "token"}}, contexts={}, current="")
    kubeconfig(tmp_path / "y" / "config", users={"uy": {"tokenFile": "../y/token"}}, contexts={}, current="")
    monkeypatch.chdir(tmp_path)
    run = environment({"KUBECONFIG": "x/config:y/config"})
    for user, token in (("ux", "token of x"), ("uy", "token of y")):
        made = connect(Overrides(user=user, cluster="a"), run)
        assert made.credentials.get(no_web).token == token
