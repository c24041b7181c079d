"""Lists in pages: tokens, 410s, refusals, and lists that end too early."""

from collections.abc import Sequence

import msgspec
import pytest

from kubectl_dra.errors import ApiError, DraError, UnreachableError
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.sharing import Sharing
from kubectl_dra.objects.snapshot import KindReading, ReadState
from kubectl_dra.reading.decoding import Decoder
from kubectl_dra.reading.fetching import Request
from kubectl_dra.reading.kinds import BY_FIELD
from kubectl_dra.reading.pages import Listing, split
from tests.reading.manifests import Plain, api_list, compact, kubectl_json, pod

FIRST = Request("/api/v1/pods", {"limit": "1000"})


def listing() -> Listing:
    decoder = Decoder(BY_FIELD["pods"], "v1", Sharing())
    return Listing("pods", "/api/v1/pods", decoder.items, rule="THE RULE", api_version="v1", served=("v1",))


def page(names: str, token: str = "", **metadata: str) -> bytes:
    content = api_list([pod(name) for name in names])
    content["metadata"] = {"resourceVersion": "1", **({"continue": token, "remainingItemCount": 5} if token else {}), **metadata}
    return compact(content).encode()


def after(token: str) -> Request:
    return Request("/api/v1/pods", {"limit": "1000", "continue": token})


def play(answers: Sequence[bytes | DraError]) -> tuple[list[Request], KindReading[Pod]]:
    """Answer a listing's requests one after the other; what it asked, and what it read."""
    one = listing()
    asked = [one.first()]
    for answer in answers:
        request = one.take(answer)
        one.decode()
        if request is None:
            break
        asked.append(request)
    assert len(asked) == len(answers), "not all answers were asked for"
    return asked, one.reading()  # type: ignore[return-value]


def names(reading: KindReading[Pod]) -> str:
    return "".join(each.metadata.name for each in reading)


def expired(token: str | None = None) -> ApiError:
    return ApiError("The provided continue parameter is too old", code=410, reason="Expired", continue_token=token)


def test_one_page() -> None:
    asked, reading = play([page("ab")])
    assert asked == [FIRST]
    assert (names(reading), reading.state, reading.api_version, reading.served) == ("ab", ReadState.READ, "v1", ("v1",))


def test_pages_follow_one_another() -> None:
    asked, reading = play([page("ab", "t1"), page("cd", "t2"), page("e")])
    assert asked == [FIRST, after("t1"), after("t2")]
    assert (names(reading), reading.known) == ("abcde", True)


def test_a_token_that_expires_begins_the_list_again() -> None:
    asked, reading = play([page("ab", "t1"), expired("i1"), page("xy", "t2"), page("z")])
    assert asked == [FIRST, after("t1"), FIRST, after("t2")]
    assert (names(reading), reading.state) == ("xyz", ReadState.READ)


def test_a_list_that_expires_twice_goes_on_and_says_that_it_is_of_different_moments() -> None:
    asked, reading = play([page("ab", "t1"), expired("i1"), page("xy", "t2"), expired("i2"), page("z")])
    assert asked == [FIRST, after("t1"), FIRST, after("t2"), after("i2")]
    assert (names(reading), reading.state, reading.known) == ("xyz", ReadState.EXPIRED, False)
    assert reading.reason == "the list of pods expired twice while it was read: its pages are of different moments"


def test_a_list_that_expires_without_a_way_on_says_what_may_be_missing() -> None:
    without_a_token: list[bytes | DraError] = [page("ab", "t1"), expired(), page("xy", "t2"), expired()]
    once_more: list[bytes | DraError] = [page("ab", "t1"), expired("i"), page("x", "t2"), expired("i"), page("y", "t3"), expired("i")]
    for answers in (without_a_token, once_more):
        _, reading = play(answers)
        assert (names(reading), reading.state) == ("xy", ReadState.EXPIRED)
        assert reading.reason == "the list of pods expired again and again: 2 were read, and others may be missing"


def test_a_refusal_names_the_rule_that_would_allow_it() -> None:
    refused = ApiError('pods is forbidden: User "eve" cannot list resource "pods"', code=403, reason="Forbidden")
    _, reading = play([refused])
    assert (len(reading), reading.state) == (0, ReadState.FORBIDDEN)
    assert reading.reason == 'pods is forbidden: User "eve" cannot list resource "pods"; a ClusterRole rule allows it: THE RULE'


@pytest.mark.parametrize("error", [ApiError("boom", code=500), UnreachableError("boom"), ApiError("boom", code=403)])
def test_a_part_of_a_list_never_looks_like_the_whole(error: DraError) -> None:
    _, reading = play([page("ab", "t1"), error])
    assert (len(reading), reading.known) == (0, False)
    assert reading.reason.startswith("boom")


@pytest.mark.parametrize("cut", [0, 1, 10, 60, 100, -1, -2, -30])
def test_a_page_that_is_cut_is_not_taken_for_the_last_one(cut: int) -> None:
    whole = page("ab", "t1")
    for answers in ([whole[:cut]], [whole, page("cd")[:cut]]):
        one = listing()
        for answer in answers:
            one.take(answer)
            one.decode()
        assert (one.reading().state, len(one.reading())) == (ReadState.FAILED, 0)


@pytest.mark.parametrize("answer", [b"", b"ok", b"<html>", b"[]", b"{}", b'{"kind":"Status"}', b"null"])
def test_what_is_no_list_is_a_failure(answer: bytes) -> None:
    _, reading = play([answer])
    assert reading.state is ReadState.FAILED
    assert reading.reason.startswith("the answer for pods is no list, or was cut short")


def test_null_items_are_none() -> None:
    _, reading = play([b'{"kind":"PodList","metadata":{},"items":null}'])
    assert (len(reading), reading.state) == (0, ReadState.READ)


def test_an_object_with_a_mistyped_field_fails_its_kind_and_is_named() -> None:
    broken: Plain = {**pod("b"), "spec": {"nodeName": 5}}
    content = api_list([pod("a"), broken])
    _, reading = play([compact(content).encode()])
    assert (reading.state, reading.reason) == (ReadState.FAILED, "Pod default/b: .spec.nodeName: expected `str | null`, got `int`")


def test_nothing_is_read_on_behind_an_unreadable_page() -> None:
    broken = page("b", "t1").replace(b'"nodeName":"node-a"', b'"nodeName":5')
    one = listing()
    assert one.take(broken) == after("t1")
    one.decode()
    assert one.take(page("cd", "t2")) is None
    one.decode()
    assert (one.reading().state, len(one.reading())) == (ReadState.FAILED, 0)


def test_objects_with_nulls_are_read() -> None:
    content = api_list([{**pod("a"), "spec": None}, pod("b")])
    _, reading = play([compact(content).encode()])
    assert names(reading) == "ab"


def test_the_token_is_found_wherever_it_stands() -> None:
    metadata = {"continue": "t"}
    for content in (
        {"metadata": metadata, "items": [pod("a")]},
        {"items": [pod("a")], "metadata": metadata},
        {"future": {"items": [1, 2]}, "metadata": metadata, "items": [pod("a")]},
        {"metadata": metadata, "items": [pod("a")], "future": 1},
        {"metadata": {**metadata, "selfLink": '"items":['}, "items": [pod("a")]},
    ):
        for text in (compact(content), kubectl_json(content)):
            token, items = split(text.encode())
            assert (token, msgspec.json.decode(items)) == ("t", [pod("a")])
