"""Tokens and certificates in files that change."""

from pathlib import Path

import pytest

from kubectl_dra.errors import KubeconfigError
from kubectl_dra.kubeconfig.credentials import TOKEN_FILE_SECONDS, Material, StoredCredentials
from tests.kubeconfig.no_web import no_web
from tests.peers import certificate, key


class Watch:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_token_file_is_read_again(tmp_path: Path) -> None:
    watch, file = Watch(), tmp_path / "token"
    file.write_text("first\n")
    source = StoredCredentials(token_file=str(file), monotonic=watch)
    assert source.get(no_web).token == "first"
    file.write_text("second\n")
    assert source.get(no_web).token == "first"
    watch.now = TOKEN_FILE_SECONDS + 1
    assert source.get(no_web).token == "second"


def test_a_refused_token_file_is_read_at_once(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("first")
    source = StoredCredentials(token_file=str(file), monotonic=Watch())
    refused = source.get(no_web)
    assert source.renewed(refused, no_web) is None
    file.write_text("second")
    renewed = source.renewed(refused, no_web)
    assert renewed is not None and renewed.token == "second"


def test_a_token_file_wins_over_the_token_and_gives_way_when_it_is_gone(tmp_path: Path) -> None:
    file = tmp_path / "token"
    source = StoredCredentials(token="in the text", token_file=str(file), monotonic=(watch := Watch()))
    assert source.get(no_web).token == "in the text"
    file.write_text("in the file")
    watch.now = TOKEN_FILE_SECONDS + 1
    assert source.get(no_web).token == "in the file"


def test_a_token_file_that_is_not_there(tmp_path: Path) -> None:
    source = StoredCredentials(user_name="u", token_file=str(tmp_path / "token"), monotonic=Watch())
    with pytest.raises(KubeconfigError) as caught:
        source.get(no_web)
    assert caught.value.message == f'the token file {tmp_path}/token of user "u" cannot be read: No such file or directory'
    (tmp_path / "token").write_text(" \n")
    with pytest.raises(KubeconfigError, match='of user "u" is empty'):
        source.get(no_web)


def test_a_rotated_client_certificate_is_taken_after_a_refusal(tmp_path: Path) -> None:
    for kind, content in (("crt", certificate("alice")), ("key", key("alice"))):
        (tmp_path / kind).write_bytes(Path(content).read_bytes())
    source = StoredCredentials(
        certificate=Material(path=str(tmp_path / "crt")), key=Material(path=str(tmp_path / "key")), monotonic=Watch()
    )
    refused = source.get(no_web)
    assert source.renewed(refused, no_web) is None
    for kind, content in (("crt", certificate("bob")), ("key", key("bob"))):
        (tmp_path / kind).write_bytes(Path(content).read_bytes())
    renewed = source.renewed(refused, no_web)
    assert renewed is not None and renewed.certificate is not None
    assert renewed.certificate.certificate == Path(certificate("bob")).read_bytes()
